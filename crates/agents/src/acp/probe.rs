//! What an agent says it is, without asking its model.

use std::io;
use std::path::Path;

use review_process::{Command, Context, Environment, Limits, Patience, Sink, Stdin, Stream, run};
use review_store::Root;

use super::events::{AcpEvents, Question};
use super::permission::Permissions;
use super::{ROW, client_of, folder_of};
use crate::clients::{Client, ClientProbe, ProbeError};
use crate::cmd::CommandLine;
use crate::environment::client_variables;
use crate::stream::{StreamLimits, StreamReader};

/// Reads what an agent says, and answers.
struct Talk(StreamReader);

impl Sink for Talk {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match stream {
            Stream::Stdout => self.0.stdout(bytes),
            Stream::Stderr => self.0.stderr(bytes),
        }
        Ok(())
    }

    fn patience(&self) -> Patience {
        self.0.patience()
    }

    fn reply(&mut self) -> Vec<u8> {
        self.0.reply()
    }
}

impl ClientProbe {
    /// Opens a session with the agent that `line` starts, seen from the folder `from`, and
    /// returns what the agent is.
    ///
    /// # Errors
    /// [`ProbeError`] says what the agent said instead.
    pub async fn agent(&self, line: &CommandLine, from: &Path) -> Result<String, ProbeError> {
        let failed = |said: String| ProbeError::Version {
            command: line.to_string(),
            said,
        };
        let root = Root::open(&self.folder).map_err(|error| failed(error.to_string()))?;
        let question = Question {
            cwd: folder_of(line, &root),
            follow_up: None,
            prompt: None,
            permissions: Permissions::Nothing,
        };
        let limits = StreamLimits::default();
        let events = AcpEvents::new(question, limits.text);
        let mut talk = Talk(StreamReader::new(Box::new(events), limits));
        let row = client_of(line).map_or(&ROW, Client::row);
        let command = Command {
            program: line.file(from),
            args: line.args().iter().map(Into::into).collect(),
            cwd: self.folder.clone(),
            env: Environment::Only(client_variables(&self.env, row, &self.pass_env)),
            stdin: Stdin::Dialog(talk.reply()),
            limits: Limits {
                wall: Some(ClientProbe::LIMIT),
                ..Limits::default()
            },
            sandbox: None,
            finishes: false,
        };
        let redactor = self.redactor();
        let mut context = Context::new(self.stop.clone(), &self.groups, &redactor);
        context.sink = Some(&mut talk);
        let ended = run(command, context).await?;
        let seen = talk.0.finish();
        match (seen.text, seen.error) {
            (Some(text), _) => Ok(text),
            (None, Some(error)) => Err(failed(error.message)),
            (None, None) => Err(failed(ClientProbe::said(&ended))),
        }
    }
}
