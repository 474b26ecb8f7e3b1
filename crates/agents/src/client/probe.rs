//! Whether a client that is installed can be used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use review_process::{
    Command, Context, Ended, Environment, Groups, Limits, Redactor, SpawnError, Stdin, Stop, run,
};
use tokio::sync::watch;

use super::{Client, Invocation};
use review::events::AgentRole;

/// The time in which a client says what it is.
const LIMIT: Duration = Duration::from_secs(60);

/// Bytes of standard error that an error quotes.
const QUOTED: usize = 512;

/// Asks clients what they are, without asking their models.
pub struct ClientProbe {
    /// The folder in which they run.
    pub folder: PathBuf,
    /// The variables that they see.
    pub variables: BTreeMap<OsString, OsString>,
    /// Where the live process groups are listed.
    pub groups: Groups,
    /// Whether the probe goes on.
    pub stop: watch::Receiver<Stop>,
}

/// A client that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// It cannot be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// It failed.
    #[error("`{command}` failed: {said}")]
    Failed {
        /// The command.
        command: String,
        /// What it said, or how it ended.
        said: String,
    },
}

impl ClientProbe {
    /// The version that `client` says it is, once its agents are known to be
    /// defined.
    ///
    /// # Errors
    /// [`ProbeError`] names the command that failed.
    pub async fn version(&self, client: Client) -> Result<String, ProbeError> {
        let version = self.run(client, Invocation::of(&["--version"])).await?;
        for role in [AgentRole::Reviewer, AgentRole::Applier] {
            if let Some(definition) = client.definition(role) {
                self.run(client, definition).await?;
            }
        }
        Ok(version)
    }

    /// The first line that a command prints when all is well.
    async fn run(&self, client: Client, invocation: Invocation) -> Result<String, ProbeError> {
        let name = client.as_str();
        let described = format!("{name} {}", invocation.args.join(" "));
        let mut variables: Vec<_> = self.variables.clone().into_iter().collect();
        let configuration = client.configuration(&self.folder, &self.variables);
        let configuration = configuration.map_err(|error| ProbeError::Failed {
            command: described.clone(),
            said: error.to_string(),
        })?;
        let set = invocation.variables.into_iter().chain(configuration);
        variables.extend(set.map(|(name, value)| (name.into(), value.into())));
        let command = Command {
            program: name.into(),
            args: invocation.args.into_iter().map(Into::into).collect(),
            cwd: self.folder.clone(),
            env: Environment::Only(variables),
            stdin: Stdin::Null,
            limits: Limits {
                wall: Some(LIMIT),
                ..Limits::default()
            },
        };
        let redactor = Redactor::default();
        let context = Context::new(self.stop.clone(), &self.groups, &redactor);
        let ended = run(command, context).await?;
        if ended.success() {
            let text = ended.stdout.tail(QUOTED);
            let line = text.lines().find(|line| !line.trim().is_empty());
            return Ok(line.unwrap_or_default().trim().to_owned());
        }
        Err(ProbeError::Failed {
            command: described,
            said: said(&ended),
        })
    }
}

fn said(ended: &Ended) -> String {
    let text = ended.stderr.tail(QUOTED);
    match (text.trim(), ended.cut) {
        (_, Some(_)) => format!("not done after {LIMIT:.0?}"),
        ("", None) => ended.exit.to_string(),
        (text, None) => text.to_owned(),
    }
}
