//! What a client is made of.

use std::path::Path;

use review::events::AgentRole;
use review::schema::Dialect;

use super::call::{ClientCall, Configuration, Invocation, NoConfig, Variables};
use super::settings::AddedField;
use crate::outcome::ExitCodes;
use crate::row::BackendRow;
use crate::stream::{Consumption, Events, StreamLimits};

/// All that is known of a client: whatever is done with one is done by this.
pub(crate) struct ClientRow {
    /// What it is like, for people who choose one.
    pub(crate) backend: BackendRow,
    /// How it is called.
    pub(crate) call: fn(&ClientCall<'_>) -> Invocation,
    /// Who reads what it prints during one call.
    pub(crate) events: fn(StreamLimits) -> Box<dyn Events>,
    /// The folder with what it keeps of its user: the variable that names it, else its name
    /// in the home of the user.
    pub(crate) folder: Option<(Option<&'static str>, &'static str)>,
    /// Other folders in which it keeps its state: the variable that names the folder
    /// above, the name of that below the home of its user, and the name in it.
    pub(crate) state: &'static [(&'static str, &'static str, &'static str)],
    /// The database that calls at the same time would share.
    pub(crate) database: Option<Database>,
    /// What calls in a folder need beside the user's own configuration, and in
    /// the place of some of it.
    pub(crate) configuration: fn(&Path, &Variables) -> Result<Configuration, NoConfig>,
    /// The call that fails unless the agent for a role is known, where a client
    /// would pick another one without a word.
    pub(crate) definition: Option<fn(AgentRole) -> Invocation>,
    /// How an answer is recovered that it gave and did not print.
    pub(crate) recovery: Option<Recovery>,
    /// What it adds to its user's configuration when it first reads it.
    pub(crate) adds: Option<AddedField>,
    /// The form of its answers as a reviewer.
    pub(crate) dialect: Dialect,
    /// What its exit codes mean beyond success and failure.
    pub(crate) exit_codes: ExitCodes,
    /// What it reports about the price of a call.
    pub(crate) pricing: Pricing,
}

/// What a client reports about the price of a call, where the user gave none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pricing {
    /// The price.
    Reported,
    /// The price, where the user's own configuration chooses the model.
    OfChosenModel,
    /// The model that it chose, whose price may be in the table.
    ByName,
    /// Nothing.
    Unreported,
}

/// A database of sessions, which a client locks while it writes. It fails where
/// another of its processes holds the lock.
#[derive(Clone, Copy)]
pub(crate) struct Database {
    /// The variable that says where it is.
    pub(crate) variable: &'static str,
    /// Its name in the folder that calls are given for it.
    pub(crate) name: &'static str,
}

/// How a client is asked for what it kept of its sessions.
pub(crate) struct Recovery {
    /// The call that lists its sessions.
    pub(crate) list: fn() -> Invocation,
    /// The session with a title in such a list.
    pub(crate) session: fn(list: &[u8], title: &str) -> Option<String>,
    /// The call that prints a session.
    pub(crate) export: fn(session: &str) -> Invocation,
    /// The answer to the request with an id in such a session.
    pub(crate) answer: fn(export: &[u8], review_id: &str) -> Option<KeptAnswer>,
}

/// An answer that a client kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KeptAnswer {
    /// The answer, which is not blank.
    pub(crate) text: String,
    /// What it consumed, if the client says so.
    pub(crate) usage: Option<Consumption>,
}

impl ClientRow {
    /// A client about which there is nothing more to say.
    pub(crate) const fn new(
        backend: BackendRow,
        call: fn(&ClientCall<'_>) -> Invocation,
        events: fn(StreamLimits) -> Box<dyn Events>,
    ) -> Self {
        Self {
            backend,
            call,
            events,
            folder: None,
            state: &[],
            database: None,
            configuration: |_, _| Ok(Configuration::NONE),
            definition: None,
            recovery: None,
            adds: None,
            dialect: Dialect::Verdict,
            exit_codes: ExitCodes::Plain,
            pricing: Pricing::Unreported,
        }
    }
}
