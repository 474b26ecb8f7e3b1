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
//! use review_config::{Config, ConfigFile, Sources};
//!
//! let file = ConfigFile::new("ralph.toml", "[review]\npatience = 5\n");
//! let variables = BTreeMap::from([("RALPH_REVIEW_KEEP".into(), "last".into())]);
//! let settings = ["review.below_minimum=block".parse().unwrap()];
//! let sources = Sources { file: &file, variables: &variables, settings: &settings, gone: &[] };
//! let config = Config::resolve(sources)?;
//! assert_eq!(config.review.patience, 5);
//! assert_eq!(config.origin("review.patience").to_string(), "ralph.toml:2");
//! assert_eq!(config.origin("review.keep").to_string(), "RALPH_REVIEW_KEEP");
//! assert_eq!(config.origin("review.below_minimum").to_string(), "--set");
//! # Ok::<(), review_config::ConfigError>(())
//! ```

mod config;
mod fault;
mod file;
mod forms;
mod key;
mod learning_document;
mod names;
mod raised;
mod resolve;
mod sources;
mod tables;
#[cfg(test)]
mod tests;
mod toml_value;

pub use config::config_schema;
pub use fault::{ConfigError, FileFault};
pub use file::ConfigFile;
pub use key::{DEFAULTS, KEYS, Key, Origin};
pub use learning_document::read_learning;
pub use names::{BranchName, ColorChoice, FailLevel, Folders, HostName, Line, VariableName};
pub use raised::{RAISED, RaisedKeys};
pub use sources::{GoneKey, Setting, SettingError, Sources};
pub use tables::{
    AgentTable, Config, EngineTable, FeedbackTable, GateTable, HostTable, LaneTable, LintTable,
    NotifyTable, ReviewTable, RunTable, Sandbox, TaskTable, WorkspaceTable,
};

/// The name of the configuration file in a root.
pub const FILE_NAME: &str = "ralph.toml";
