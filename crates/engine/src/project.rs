//! The project and the process that a run happens in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use review::EventSink;
use review_flow::Clock;
use review_process::{Groups, Redactor, Stop, git, redact::secret_values};
use review_store::{RUN_VARIABLE, Root, StateDir};
use tokio::sync::watch;

use crate::settings::RunSettings;

/// All that a run needs from the outside, as values.
#[derive(Clone)]
pub struct Project<'a> {
    /// The root of the project.
    pub root: Root,
    /// Where runs are remembered.
    pub state: StateDir,
    /// The folder that the user is in.
    pub cwd: PathBuf,
    /// The environment of this process.
    pub env: BTreeMap<OsString, OsString>,
    /// The version of this program, as journals note it.
    pub version: &'static str,
    /// The command line.
    pub command: Vec<String>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Receives what happens.
    pub sink: &'a dyn EventSink,
    /// Where the live process groups are listed.
    pub groups: Groups,
    /// Whether runs go on.
    pub stop: watch::Receiver<Stop>,
}

impl Project<'_> {
    /// The same project, whose events go to another sink.
    pub(crate) fn with_sink<'s>(&self, sink: &'s dyn EventSink) -> Project<'s> {
        Project {
            root: self.root.clone(),
            state: self.state.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            version: self.version,
            command: self.command.clone(),
            clock: Arc::clone(&self.clock),
            sink,
            groups: self.groups.clone(),
            stop: self.stop.clone(),
        }
    }

    /// What git knows of the root.
    pub(crate) fn git(&self) -> git::Folder<'_> {
        git::Folder::new(self.root.path(), self.stop.clone(), &self.groups)
    }

    /// What replaces secrets in everything that programs say.
    pub(crate) fn redactor(&self, settings: &RunSettings) -> Redactor {
        let variables = self.env.iter().map(|(name, value)| (&**name, &**value));
        Redactor::new(secret_values(variables, |name| settings.sensitivity(name)))
    }

    /// The run whose task started this process, if one did.
    pub(crate) fn parent_run(&self) -> Option<&str> {
        self.env.get(std::ffi::OsStr::new(RUN_VARIABLE))?.to_str()
    }
}
