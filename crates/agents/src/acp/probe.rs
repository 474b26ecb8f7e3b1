//! The name and version that an agent reports, without asking its model.

use std::path::Path;

use review_store::Root;

use super::events::{AcpEvents, Question};
use super::permission::Permissions;
use super::{ROW, client_of, folder_of};
use crate::clients::{Client, ClientProbe, ProbeError};
use crate::cmd::CommandLine;
use crate::environment::client_variables;
use crate::stream::{StreamLimits, StreamReader};

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
        let mut reader = StreamReader::new(Box::new(events), limits);
        let row = client_of(line).map_or(&ROW, Client::row);
        let variables = client_variables(&self.env, row, &self.pass_env);
        let ended = self.ended(line.file(from), line.args(), variables, Some(&mut reader));
        let ended = ended.await?;
        let seen = reader.finish();
        match (seen.text, seen.error) {
            (Some(text), _) => Ok(text),
            (None, Some(error)) => Err(failed(error.message)),
            (None, None) => Err(failed(ClientProbe::said(&ended))),
        }
    }
}
