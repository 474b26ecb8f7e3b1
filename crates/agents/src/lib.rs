//! Agents, and the roles that ralph has for them: programs of the user, agents of the Agent
//! Client Protocol, clients of language models, models behind HTTP APIs. The embedded rules
//! review and apply without one.
//!
//! An [`Agent`] makes one call, in a [`Checkout`], and turns whatever can happen
//! into a reply or into one of the closed list of outcomes,
//! [`review_types::Failure`]. It does not judge the answer, and tries nothing
//! twice.
//!
//! # Map
//!
//! A backend is written as `grammar` says and chosen by `backend`; several are a `chain`.
//! A role (`roles/`: review, apply, implement, plan, pick, write a lesson) makes a prompt of
//! `prompts/`, calls an agent, and reads the answer (`reviewing`, `edits`); `watch` says
//! which files the call changed. A call of a program is `call/`, in a `checkout`, with the
//! variables of `environment`, and ends as `outcome` decides from `ending` and what was
//! seen in the output. Each client is a folder of its own with its `ROW` (`client/row.rs`
//! says what is in one): how it is called, and who reads its output with the parts of
//! `stream/`; `clients/` calls all of them. `acp/` are agents of the Agent Client Protocol,
//! `cmd/` programs of the user, `http/` models behind an API, `builtin/` the embedded rules,
//! and `provider/` the other side: reviews that ralph gives.

mod acp;
mod activity;
mod agent;
mod backend;
mod builtin;
mod call;
mod caller;
mod chain;
mod checkout;
mod claude;
mod client;
mod clients;
mod cmd;
mod codex;
mod context;
#[cfg(test)]
mod demo;
mod edits;
mod ending;
mod environment;
mod gemini;
mod grammar;
mod http;
mod model;
mod models;
mod opencode;
mod outcome;
mod paths;
mod prompts;
pub mod provider;
mod reviewing;
mod roles;
mod row;
mod schemas;
mod stream;
mod watch;

pub use acp::AcpAgent;
pub use agent::{Access, Agent, AgentCall, AgentReply};
pub use backend::{Backend, BackendError};
pub use builtin::BuiltinAgent;
pub use chain::{Chain, ChainReviewer};
pub use checkout::Checkout;
pub use client::{NoConfig, Pricing};
pub use clients::{Client, ClientAgent, ClientError, ClientProbe, ProbeError};
pub use cmd::{CmdAgent, CommandLine, CommandLineError};
pub use context::{AgentContext, Interruption};
pub use ending::Ending;
pub use environment::usual_variables;
pub use http::{Accepted, Connections, HandshakeError, HttpAgent, JsonSink, handshake};
pub use http::{
    Api, BaseUrl, BaseUrlError, HttpProfile, KeyName, KeyNameError, ProfileName, ProfileNameError,
};
pub use model::{Model, ModelError};
pub use models::{ModelTerms, Models, estimated_tokens};
pub use opencode::opencode_agents;
pub use outcome::{CallEnd, ExitCodes, outcome};
pub use paths::Paths;
pub use prompts::{
    ArtifactTooLarge, BriefFile, LessonPrompt, MessagesPrompt, PickPrompt, PlanPrompt, Prompt,
    RejectedPlan, Rejection, RolePrompt, RolePrompts, TaskBrief,
};
pub use reviewing::AnswerForm;
pub use roles::{
    Claim, ImplementRequest, Implemented, Inquiry, InquiryRequest, PlanAnswer, RoleAgent,
};
pub use row::{BackendKind, BackendRow, backends};
pub use stream::{
    Consumption, Fault, Observed, ReportedError, RetryAfter, RetryAfterError, StopReason,
    StreamLimits, StreamReader, StreamState, ToolEnd, ToolLog, ToolUse, UsageSpan, WaitsFor,
};
pub use watch::ApplyScope;
