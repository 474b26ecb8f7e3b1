//! What a hook of a client says.

use serde::Deserialize;

/// What a hook says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The session of the client.
    pub session: String,
    /// The folder that the client works in.
    pub folder: Option<String>,
    /// The agent, where it is not the client itself.
    pub agent: Option<String>,
    /// What happened.
    pub event: HookEvent,
}

/// What happened in a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A user said something.
    Prompt(String),
    /// The agent used a tool.
    Used(Tool),
    /// Something that is no correction and leads to none.
    Other,
}

/// A tool that an agent used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tool {
    /// It wrote a file.
    Wrote {
        /// The name of the tool.
        tool: String,
        /// The file.
        file: String,
    },
    /// It ran a command.
    Ran {
        /// The command.
        command: String,
    },
}

/// A text that no hook says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no hook says this: {0}")]
pub struct BadHook(String);

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
    /// Reads what a hook says: a JSON object.
    ///
    /// # Errors
    /// When it is none, or does not say what happened.
    pub fn read(text: &[u8]) -> Result<Self, BadHook> {
        let wire: Wire =
            serde_json::from_slice(text).map_err(|error| BadHook(error.to_string()))?;
        Ok(Self {
            session: wire.session_id.unwrap_or_else(|| "none".to_owned()),
            folder: wire.cwd,
            agent: wire.agent_type.filter(|agent| !agent.trim().is_empty()),
            event: match wire.hook_event_name.as_str() {
                "UserPromptSubmit" => wire.prompt.map_or(HookEvent::Other, HookEvent::Prompt),
                "PostToolUse" => used(wire.tool_name, wire.tool_input),
                _ => HookEvent::Other,
            },
        })
    }
}

fn used(tool: Option<String>, input: Input) -> HookEvent {
    let Some(tool) = tool else {
        return HookEvent::Other;
    };
    match tool.as_str() {
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
            let file = input.file_path.or(input.notebook_path);
            file.map_or(HookEvent::Other, |file| {
                HookEvent::Used(Tool::Wrote { tool, file })
            })
        }
        "Bash" => input.command.map_or(HookEvent::Other, |command| {
            HookEvent::Used(Tool::Ran { command })
        }),
        _ => HookEvent::Other,
    }
}
