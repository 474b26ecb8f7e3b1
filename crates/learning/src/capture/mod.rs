//! Corrections captured while a user works with an agent: objections in prompts, and
//! edits of files that the agent wrote.
//!
//! A client's hooks report prompts and tool calls. A [`Session`] keeps only hashes
//! between two of them, never the words themselves; only a [`Candidate`] holds words.

mod hook;
mod session;
#[cfg(test)]
mod tests;

use review_types::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

pub use crate::objection::{MessageKind, message_kind};
pub use hook::{ClientSession, Hook, HookError, HookEvent};
pub use session::{Content, Session};

use crate::AgentName;
use crate::corrections::{Confidence, CorrectionType, Source};
use crate::objection::named_pattern;

/// The maximum length of a summary, in characters.
const MAX_SUMMARY: usize = 200;

/// The maximum length of the quoted words of a user, in characters.
const MAX_VERBATIM: usize = 2_000;

/// What an event of a client shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    /// Corrections by the user.
    pub corrections: Vec<Captured>,
    /// A message just after an edit of the agent that no phrase matches, which a model may
    /// take for a correction.
    pub candidate: Option<Remark>,
}

/// A correction by a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The type of the correction.
    pub correction_type: CorrectionType,
    /// What the agent did, and what the user did or wrote.
    pub remark: Remark,
}

/// What a user did or wrote about the work of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// A sentence about the agent's action.
    pub action: String,
    /// The tool that the agent used.
    pub tool: Option<String>,
    /// The file concerned.
    pub file: Option<String>,
    /// A sentence about what the user did or wrote.
    pub summary: String,
    /// The user's own words.
    pub verbatim: Option<String>,
}

/// A message that a model may take for a correction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The time of the message.
    pub at: Timestamp,
    /// The agent whose work it follows.
    pub agent: AgentName,
    /// The session of the client.
    pub session: ClientSession,
    /// The message.
    pub remark: Remark,
}

/// The maximum number of candidates that are kept.
pub const MAX_CANDIDATES: usize = 200;

impl Remark {
    /// The remark with every string changed, such as to redact it.
    pub fn map(self, change: impl Fn(&str) -> String) -> Self {
        Self {
            action: change(&self.action),
            tool: self.tool,
            file: self.file.as_deref().map(&change),
            summary: change(&self.summary),
            verbatim: self.verbatim.as_deref().map(&change),
        }
    }
}

impl Captured {
    /// Returns the line for the corrections file, of the type of its common pattern if
    /// the user's words name one.
    pub fn line(&self, agent: &AgentName, session: &ClientSession, at: Timestamp) -> Json {
        let remark = &self.remark;
        let timestamp = at.to_string();
        let source = match remark.verbatim {
            Some(_) => Source::Explicit,
            None => Source::Implicit,
        };
        let pattern = remark.verbatim.as_deref().and_then(named_pattern);
        let correction_type = match pattern {
            Some(pattern) => pattern.correction_type,
            None => self.correction_type,
        };
        let mut line = json!({
            "date": &timestamp[..10],
            "timestamp": timestamp,
            "agent": agent,
            "session_id": session,
            "correction_type": correction_type,
            "ai_action": {"summary": remark.action},
            "user_correction": {"summary": remark.summary},
            "source": source,
        });
        if let Some(tool) = &remark.tool {
            line["ai_action"]["tool_used"] = json!(tool);
        }
        if let Some(file) = &remark.file {
            line["ai_action"]["file"] = json!(file);
        }
        if let Some(verbatim) = &remark.verbatim {
            line["user_correction"]["verbatim"] = json!(verbatim);
        }
        if let Some(pattern) = pattern {
            line["pattern_inferred"] = json!(pattern.name);
            line["pattern_confidence"] = json!(Confidence::Low);
        }
        line
    }
}

/// Returns the first sentence of a message, truncated when it is long.
fn sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    cut(&line[..end], MAX_SUMMARY)
}

fn cut(text: &str, most: usize) -> String {
    let end = text
        .char_indices()
        .nth(most)
        .map_or(text.len(), |(end, _)| end);
    text[..end].to_owned()
}
