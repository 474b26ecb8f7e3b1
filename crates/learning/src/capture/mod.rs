//! Corrections captured while a user works with an agent: objections in prompts, and
//! edits of files that the agent wrote.
//!
//! A client's hooks report prompts and tool calls. A [`Session`] keeps only hashes
//! between two of them, never the words themselves.

mod clause;
mod hook;
mod phrase;
mod session;
#[cfg(test)]
mod tests;

use review_types::Timestamp;
use serde_json::{Value as Json, json};

pub use hook::{Hook, HookError, HookEvent, Tool};
pub use phrase::correction_type;
pub use session::{Content, Session};

use crate::corrections::{Confidence, CorrectionType, PatternName, Source};
use crate::patterns::inferred_as;

/// The maximum length of a summary, in characters.
const MAX_SUMMARY: usize = 200;

/// The maximum length of the quoted words of a user, in characters.
const MAX_VERBATIM: usize = 2_000;

/// A correction by a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The type of the correction.
    pub correction_type: CorrectionType,
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

impl Captured {
    /// The common pattern that the user's words name.
    fn pattern(&self) -> Option<PatternName> {
        inferred_as(self.verbatim.as_deref()?, self.correction_type)
    }

    /// Returns the line for the corrections file, of the type of its common pattern if
    /// the user's words name one, with every string redacted by
    /// `redact`.
    #[must_use]
    pub fn line(
        &self,
        agent: &str,
        session: &str,
        now: Timestamp,
        redact: &dyn Fn(&str) -> String,
    ) -> Json {
        let timestamp = now.to_string();
        let source = match self.verbatim {
            Some(_) => Source::Explicit,
            None => Source::Implicit,
        };
        let pattern = self.pattern();
        let common = pattern.as_ref().and_then(PatternName::common);
        let correction_type = common.map_or(self.correction_type, |common| common.correction_type);
        let mut line = json!({
            "date": &timestamp[..10],
            "timestamp": timestamp,
            "agent": agent,
            "session_id": session,
            "correction_type": correction_type,
            "ai_action": {"summary": redact(&self.action)},
            "user_correction": {"summary": redact(&self.summary)},
            "source": source,
        });
        if let Some(tool) = &self.tool {
            line["ai_action"]["tool_used"] = json!(tool);
        }
        if let Some(file) = &self.file {
            line["ai_action"]["file"] = json!(redact(file));
        }
        if let Some(verbatim) = &self.verbatim {
            line["user_correction"]["verbatim"] = json!(redact(verbatim));
        }
        if let Some(pattern) = pattern {
            line["pattern_inferred"] = json!(pattern.as_str());
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
