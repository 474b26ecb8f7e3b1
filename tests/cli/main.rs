//! The binary `ralph`, as its users meet it.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test writes files, starts the binary and stops at the first surprise"
)]

mod apart;
mod applied;
mod bad_input;
mod by_hand;
mod capture;
mod chain;
mod check;
mod ci_commands;
mod clean;
mod clients;
mod completions;
mod config;
mod confine;
mod convergence;
mod corrections;
mod crash;
mod decisions;
mod delivery;
mod demo;
mod diff;
mod doctor;
mod documents;
mod explain;
mod facts;
mod faults;
mod feedback;
mod fifo;
mod files;
mod findings;
mod findings_sarif;
mod gate;
mod gate_base;
mod gate_ci;
mod gone;
mod help;
mod house;
mod http;
mod implement;
mod import;
mod init;
mod jobs;
mod learn_analyze;
mod learn_clients;
mod learn_collect;
mod learn_compare;
mod learn_config;
mod learn_loop;
mod learn_models;
mod learn_observe;
mod learn_prompts;
mod learn_review;
mod learn_stats;
mod learn_words;
mod learn_writer;
mod lint;
mod lint_fix;
mod lint_formats;
mod lock;
mod manual;
mod mcp;
mod modules;
mod monorepo;
mod must_pass;
mod next_steps;
mod notify;
mod picture;
mod plan;
mod provide;
mod quotes;
mod real_clients;
mod requester;
mod run;
mod schema;
mod scope;
mod scripted;
mod secrets;
mod selection;
mod severity;
mod signals;
mod status;
mod support;
mod surface;
mod terminal;
mod trespass;
mod trust;
mod units;
mod verdict;
mod watch;
mod wording;
