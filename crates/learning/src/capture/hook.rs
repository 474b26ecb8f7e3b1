//! Events reported by the hooks of an agent client.

use crate::AgentName;
use serde::{Deserialize, Serialize};

/// The session of a client, as the client names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientSession(String);

impl ClientSession {
    /// Returns the name of the session.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ClientSession {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// An event reported by a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The session of the client.
    pub session: ClientSession,
    /// The folder in which the client works.
    pub folder: Option<String>,
    /// The agent, if it is not the client itself.
    pub agent: Option<AgentName>,
    /// The event.
    pub event: HookEvent,
}

/// An event in a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// The user sent a prompt.
    Prompt(String),
    /// The agent wrote a file.
    Wrote {
        /// The tool's name.
        tool: String,
        /// The file.
        file: String,
    },
    /// The agent ran this command.
    Ran(String),
    /// An event that is unrelated to corrections.
    Other,
}

/// An invalid hook event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid hook event: {0}")]
pub struct HookError(String);

#[derive(Deserialize)]
struct Wire {
    session_id: Option<String>,
    cwd: Option<String>,
    agent_type: Option<String>,
    hook_event_name: String,
    prompt: Option<String>,
    tool_name: Option<String>,
    #[serde(default)]
    tool_input: Input,
}

#[derive(Default, Deserialize)]
struct Input {
    file_path: Option<String>,
    notebook_path: Option<String>,
    command: Option<String>,
}

impl Hook {
    /// Reads a hook event, a JSON object.
    ///
    /// # Errors
    /// Returns an error when the input is not a JSON object or names no event.
    pub fn read(text: &[u8]) -> Result<Self, HookError> {
        let wire: Wire =
            serde_json::from_slice(text).map_err(|error| HookError(error.to_string()))?;
        let agent = wire.agent_type.filter(|agent| !agent.trim().is_empty());
        Ok(Self {
            session: ClientSession(wire.session_id.unwrap_or_else(|| "none".to_owned())),
            folder: wire.cwd,
            agent: agent.map(AgentName::from),
            event: match wire.hook_event_name.as_str() {
                "UserPromptSubmit" => wire.prompt.map(HookEvent::Prompt),
                "PostToolUse" => wire.tool_name.and_then(|tool| used(tool, wire.tool_input)),
                _ => None,
            }
            .unwrap_or(HookEvent::Other),
        })
    }
}

fn used(tool: String, input: Input) -> Option<HookEvent> {
    match tool.as_str() {
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
            let file = input.file_path.or(input.notebook_path)?;
            Some(HookEvent::Wrote { tool, file })
        }
        "Bash" => input.command.map(HookEvent::Ran),
        _ => None,
    }
}
