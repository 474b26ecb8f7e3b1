//! What a client is made of.

use std::path::Path;

use review::events::AgentRole;
use review::schema::Dialect;

use super::{Asked, Configuration, Counts, Credentials, Invocation, NoConfig, Recovery, Variables};
use crate::outcome::ExitCodes;
use crate::rows::BackendRow;
use crate::stream::{Events, StreamLimits};

/// All that is known of a client: whatever is done with one is done by this.
pub(crate) struct ClientRow {
    /// What it is like, for people who choose one.
    pub(crate) backend: BackendRow,
    /// The version that it is tested with.
    pub(crate) tested: &'static str,
    /// How it is called.
    pub(crate) call: fn(&Asked<'_>) -> Invocation,
    /// How a version is called that does not know the format which `call` asks
    /// for, where its output can be read as well.
    pub(crate) older_call: Option<fn(&Asked<'_>) -> Invocation>,
    /// Who reads what it prints during one call.
    pub(crate) events: fn(StreamLimits) -> Box<dyn Events>,
    /// What shows that its user is logged in, where there is one place for that.
    pub(crate) credentials: Option<Credentials>,
    /// What calls in a folder need beside the user's own configuration, and in
    /// the place of some of it.
    pub(crate) configuration: fn(&Path, &Variables) -> Result<Configuration, NoConfig>,
    /// The call that fails unless the agent for a role is known, where a client
    /// would pick another one without a word.
    pub(crate) definition: Option<fn(AgentRole) -> Invocation>,
    /// How an answer is recovered that it gave and did not print.
    pub(crate) recovery: Option<Recovery>,
    /// Where it tells what it has consumed before it prints that.
    pub(crate) counts: Option<Counts>,
    /// The form of its answers as a reviewer.
    pub(crate) dialect: Dialect,
    /// What its exit codes mean beyond success and failure.
    pub(crate) exit_codes: ExitCodes,
    /// What it tells of the price of a call.
    pub(crate) pricing: Pricing,
}

/// What a client tells of the price of a call of which the user gave none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pricing {
    /// The price.
    Told,
    /// The price, where the user's own configuration chooses the model.
    OfChosenModel,
    /// The model that it chose, whose price may be in the table.
    ByName,
    /// Nothing.
    Untold,
}

impl ClientRow {
    /// A client about which there is nothing more to say.
    pub(crate) const fn new(
        backend: BackendRow,
        tested: &'static str,
        call: fn(&Asked<'_>) -> Invocation,
        events: fn(StreamLimits) -> Box<dyn Events>,
    ) -> Self {
        Self {
            backend,
            tested,
            call,
            older_call: None,
            events,
            credentials: None,
            configuration: |_, _| Ok(Configuration::NONE),
            definition: None,
            recovery: None,
            counts: None,
            dialect: Dialect::Verdict,
            exit_codes: ExitCodes::Plain,
            pricing: Pricing::Untold,
        }
    }
}
