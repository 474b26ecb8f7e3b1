//! Whether a client that is installed can be used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use review_process::redact::{Sensitivity, secret_values};
use review_process::{
    Command, Context, Ended, Environment, Groups, Limits, Redactor, Sink, SpawnError, Stdin, Stop,
    run,
};
use tokio::sync::watch;

use super::Client;
use crate::client::{Invocation, NoConfig};
use crate::environment::client_variables;
use crate::stream::StreamReader;
use review::events::AgentRole;

/// The time in which a client says what it is.
const LIMIT: Duration = Duration::from_secs(60);

/// Bytes of standard error that an error quotes.
const QUOTED: usize = 512;

/// Asks clients what they are, without asking their models.
pub struct ClientProbe {
    /// The folder in which they run.
    pub folder: PathBuf,
    /// The environment of this process, of which they see what they see in calls.
    pub env: BTreeMap<OsString, OsString>,
    /// Names of further variables that they see.
    pub pass_env: Vec<OsString>,
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
    /// It does not tell its version.
    #[error("`{command}` failed: {said}")]
    Version {
        /// The command.
        command: String,
        /// What it said, or how it ended.
        said: String,
    },
    /// It does not know the agent that it would be asked to be.
    #[error("it does not know its agent: `{command}` failed: {said}")]
    Agent {
        /// The command.
        command: String,
        /// What it said, or how it ended.
        said: String,
    },
    /// Its configuration cannot be used.
    #[error(transparent)]
    Config(NoConfig),
}

impl ProbeError {
    /// What to do about it.
    pub fn hint(&self, client: Client) -> String {
        match self {
            Self::Spawn(_) => client.row().requirement(),
            Self::Version { command, .. } => {
                format!(
                    "run `{command}`, or install it again: {}",
                    client.row().requirement()
                )
            }
            Self::Agent { .. } => {
                format!("fix its definition, or write it again: `ralph init --agent {client}`")
            }
            Self::Config(NoConfig(variable)) => {
                format!("set {variable} to a JSON object, or not at all")
            }
        }
    }
}

impl ClientProbe {
    /// The version that `client` says it is.
    ///
    /// # Errors
    /// [`ProbeError`] names the command that failed.
    pub async fn version(&self, client: Client) -> Result<String, ProbeError> {
        let asked = Invocation::of(&["--version"]);
        let silent = |command, said| ProbeError::Version { command, said };
        self.run(client, asked, silent).await
    }

    /// The version that `client` says it is, once the agent is known to be
    /// defined that it is for `role`.
    ///
    /// # Errors
    /// [`ProbeError`] names the command that failed.
    pub async fn usable(&self, client: Client, role: AgentRole) -> Result<String, ProbeError> {
        let version = self.version(client).await?;
        if let Some(definition) = client.parts().definition {
            let unknown = |command, said| ProbeError::Agent { command, said };
            self.run(client, definition(role), unknown).await?;
        }
        Ok(version)
    }

    /// The first line that a command prints when all is well; `failed` takes the
    /// command that did not end well, and what it said.
    async fn run(
        &self,
        client: Client,
        invocation: Invocation,
        failed: impl FnOnce(String, String) -> ProbeError,
    ) -> Result<String, ProbeError> {
        let name = client.as_str();
        let described = format!("{name} {}", invocation.args.join(" "));
        let mut variables = client_variables(&self.env, client.row(), &self.pass_env);
        let configuration = (client.parts().configuration)(&self.folder, &self.env);
        let configuration = configuration.map_err(ProbeError::Config)?;
        let set = invocation
            .variables
            .into_iter()
            .chain(configuration.variable);
        variables.extend(set.map(|(name, value)| (name.into(), value.into())));
        let ended = self.ended(name.into(), &invocation.args, variables, None);
        let ended = ended.await?;
        if ended.success() {
            let text = ended.stdout.tail(QUOTED);
            let line = text.lines().find(|line| !line.trim().is_empty());
            return Ok(line.unwrap_or_default().trim().to_owned());
        }
        Err(failed(described, Self::said(&ended)))
    }

    /// Runs a command, with which `reader` talks where it is given.
    pub(crate) async fn ended(
        &self,
        program: PathBuf,
        args: &[String],
        variables: Vec<(OsString, OsString)>,
        mut reader: Option<&mut StreamReader>,
    ) -> Result<Ended, SpawnError> {
        let first = reader.as_mut().map(|reader| reader.reply());
        let command = Command {
            program,
            args: args.iter().map(Into::into).collect(),
            cwd: self.folder.clone(),
            env: Environment::Only(variables),
            stdin: first.map_or(Stdin::Null, Stdin::Dialog),
            limits: Limits {
                wall: Some(LIMIT),
                ..Limits::default()
            },
            sandbox: None,
            finishes: false,
        };
        let known = self.env.iter().map(|(name, value)| (&**name, &**value));
        let redactor = Redactor::new(secret_values(known, |name| {
            match self.pass_env.iter().any(|passed| passed == name) {
                true => Sensitivity::Passed,
                false => Sensitivity::Unknown,
            }
        }));
        let mut context = Context::new(self.stop.clone(), &self.groups, &redactor);
        context.sink = reader.map(|reader| reader as &mut dyn Sink);
        run(command, context).await
    }

    /// What a command said, on either output, or how it ended.
    pub(crate) fn said(ended: &Ended) -> String {
        if ended.cut.is_some() {
            return format!("not done after {LIMIT:.0?}");
        }
        let outputs = [ended.stderr.tail(QUOTED), ended.stdout.tail(QUOTED)];
        let said: Vec<_> = outputs
            .iter()
            .map(|text| text.trim())
            .filter(|text| !text.is_empty())
            .collect();
        match said[..] {
            [] => ended.exit.to_string(),
            _ => said.join("; "),
        }
    }
}
