//! Agents that speak the Agent Client Protocol: JSON-RPC 2.0, one message a line.
//!
//! `events` is our side of the protocol, with `wire` for its messages and `permission` for
//! what an agent may do. No files and no terminals are offered to an agent: it has its own.

mod agent;
mod events;
mod permission;
mod probe;
mod wire;

use std::path::{Path, PathBuf};

use review_store::Root;

use crate::client::Variables;
use crate::clients::{Client, cache_named, folders_named};
use crate::cmd::CommandLine;
use crate::row::{BackendKind, BackendRow};

pub use agent::AcpAgent;

/// The name of the backend.
pub(crate) const NAME: &str = "acp";

/// The version of the protocol.
const VERSION: u64 = 1;

/// What it is like.
pub(crate) const ROW: BackendRow = BackendRow {
    name: NAME,
    kind: BackendKind::Protocol,
    implementer: true,
    needs: "an agent of the Agent Client Protocol, given as acp:COMMAND",
    install: None,
    variables: &[],
    writes: &[],
};

/// The client that a command starts, which keeps its variables and folders.
pub(crate) fn client_of(line: &CommandLine) -> Option<Client> {
    name_of(line)?.parse().ok()
}

/// Whether a command starts its agent on another host, which has none of the files here.
pub(crate) fn is_remote(line: &CommandLine) -> bool {
    name_of(line) == Some("ssh")
}

/// The folder that an agent works in, as it sees it: `root`, or one that every host has.
fn folder_of(line: &CommandLine, root: &Root) -> String {
    match is_remote(line) {
        true => "/tmp".to_owned(),
        false => root.path().to_string_lossy().into_owned(),
    }
}

/// The folders outside of a project that the agent of a command may need to write to.
pub(crate) fn state_folders(line: &CommandLine, env: &Variables) -> Vec<PathBuf> {
    match (client_of(line), name_of(line)) {
        (Some(client), _) => client.state_folders(env),
        (None, Some(name)) => folders_named(name, env),
        (None, None) => Vec::new(),
    }
}

/// The folder in which the agent of a command caches what it can get again.
pub(crate) fn cache_folder(line: &CommandLine, env: &Variables) -> Option<PathBuf> {
    cache_named(name_of(line)?, env)
}

fn name_of(line: &CommandLine) -> Option<&str> {
    Path::new(line.program()).file_name()?.to_str()
}
