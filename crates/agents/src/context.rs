//! The world as a backend sees it: values, gathered once by the caller that starts it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use review::events::LiveEvents;
use review_flow::{Clock, TraceParent};
use review_process::{Groups, Limits, Overflow, Redactor, Sandbox, Stop};
use review_store::RunDir;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::{ApplyScope, Models, RolePrompts};

/// Bytes of standard output that are held beside what the reader of its events holds.
const HELD: usize = 64 * 1024;

/// What every backend of one run shares.
pub struct AgentContext {
    /// The root of the project: a program given as a relative path is found from
    /// here.
    pub programs: PathBuf,
    /// The run, whose folder holds the logs of all calls.
    pub run: RunDir,
    /// What appliers may change.
    pub apply_scope: ApplyScope,
    /// The environment of this process.
    pub env: BTreeMap<OsString, OsString>,
    /// Names of variables that agents see in addition to the usual ones.
    pub pass_env: Vec<OsString>,
    /// The instructions of the roles.
    pub prompts: RolePrompts,
    /// What is known of models.
    pub models: Models,
    /// The limits of one call.
    pub limits: Limits,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// When the time of the whole run is up.
    pub deadline: Option<Instant>,
    /// What replaces secrets in everything that an agent says.
    pub redactor: Redactor,
    /// Where the live process groups are listed.
    pub groups: Groups,
    /// The sandbox of agents that are talked with, where their checkout has none.
    pub sandbox: Option<Sandbox>,
    /// Receives what agents do while they do it.
    pub live: LiveEvents,
    /// Names the span of a step to its programs, where traces are sent.
    pub trace_parent: Option<TraceParent>,
    /// Whether the run goes on.
    pub stop: watch::Receiver<Stop>,
}

/// Why calls end although no agent is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interruption {
    /// The run is being stopped.
    Stopped,
    /// The time of the run is up.
    RunTime,
}

impl AgentContext {
    /// Why calls end now although no agent is at fault.
    ///
    /// A call that is cut off because of the run ends with an error like any
    /// other: nothing that the agent did afterwards counts. So a caller that gets an
    /// error asks here first, and takes [`Interruption::Stopped`] for an
    /// interrupt and [`Interruption::RunTime`] for a limit of the run, whatever
    /// the error says. An answer that arrived in time stays an answer.
    pub fn interruption(&self) -> Option<Interruption> {
        if *self.stop.borrow() != Stop::Run {
            return Some(Interruption::Stopped);
        }
        (self.remaining() == Some(Duration::ZERO)).then_some(Interruption::RunTime)
    }

    /// The limits of a call that starts now: its own, and the end of the run.
    /// An answer that is too large is never read in part.
    pub(crate) fn limits_now(&self) -> Limits {
        Limits {
            wall: self.limits.wall.into_iter().chain(self.remaining()).min(),
            overflow: Overflow::Stop,
            ..self.limits
        }
    }

    /// The limits of a call that starts now and prints events: its answer is held by
    /// who reads them.
    pub(crate) fn limits_of_events(&self) -> Limits {
        Limits {
            capture: HELD,
            overflow: Overflow::KeepTail,
            ..self.limits_now()
        }
    }

    /// An answer without the secrets that came in pieces.
    pub(crate) fn clean(&self, answer: Option<String>) -> Vec<u8> {
        let clean = self.redactor.redact(answer.unwrap_or_default().as_bytes());
        String::from_utf8(clean)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
            .into_bytes()
    }

    fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
