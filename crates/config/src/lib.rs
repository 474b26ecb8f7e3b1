//! The configuration as one value: what each key means, what its value is, and
//! where that comes from.
//!
//! Precedence: an option of the command line, `--set KEY=VALUE`, a variable `RALPH_…`,
//! `ralph.toml`, the default. Every key has a default; a key that does not exist is an error.
//! Nothing here knows a terminal, reads the environment or looks for a file:
//! variables and files come in as values, and what is wrong goes out as one.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use review_config::{Config, ConfigFile, Overrides, Sources};
//!
//! let file = ConfigFile::new("ralph.toml", "[review]\npatience = 5\n");
//! let variables = BTreeMap::from([("RALPH_REVIEW_KEEP".into(), "last".into())]);
//! let settings = ["review.below_minimum=block".parse().unwrap()];
//! let sources = Sources { file: &file, variables: &variables, settings: &settings, gone: &[] };
//! let config = Config::resolve(sources, Overrides::default())?;
//! assert_eq!(config.patience, 5);
//! assert_eq!(config.origin("review.patience").to_string(), "ralph.toml:2");
//! assert_eq!(config.origin("review.keep").to_string(), "RALPH_REVIEW_KEEP");
//! assert_eq!(config.origin("review.below_minimum").to_string(), "--set");
//! # Ok::<(), review_config::ConfigError>(())
//! ```

mod branch;
mod color;
mod config;
#[cfg(test)]
mod docs;
mod error;
mod fail_level;
mod fault;
mod file;
mod key;
mod keys;
mod layers;
mod learning;
mod learning_document;
mod lists;
mod reading;
mod rules;
mod sandbox;
mod schema;
mod shell_command;
mod sources;
#[cfg(test)]
mod tests;
mod toml_value;
mod value;

pub use branch::{BranchName, BranchNameError};
pub use color::ColorChoice;
pub use error::ConfigError;
pub use fail_level::FailLevel;
pub use fault::FileFault;
pub use file::ConfigFile;
pub use key::{Key, Origin};
pub use keys::{Config, KEYS, Overrides};
pub use learning_document::LearningDocument;
pub use lists::{AllowedChanges, Folders, Headings, Names, Paths, Patterns, ShellCommands};
pub use rules::{PerFileIgnores, Selectors, Severities};
pub use sandbox::Sandbox;
pub use schema::config_schema;
pub use shell_command::ShellCommand;
pub use sources::{GoneKey, Setting, SettingError, Sources};

/// The name of the configuration file in a root.
pub const FILE_NAME: &str = "ralph.toml";
