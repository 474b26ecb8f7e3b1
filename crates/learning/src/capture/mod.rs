//! Corrections that are heard while somebody works with an agent: what a user
//! says against its work, and what a user changes of it.
//!
//! A client's hooks tell of prompts and of tools that were used. What is kept
//! between two of them is a [`Session`]: hashes, and never a text.

mod hook;
mod normal;
mod phrase;
mod session;
#[cfg(test)]
mod tests;

use review_types::Timestamp;
use serde_json::{Value as Json, json};

pub use hook::{BadHook, Hook, HookEvent, Tool};
pub use phrase::heard;
pub use session::{Content, Session};

use crate::corrections::{Confidence, CorrectionType, Source};
use crate::patterns::inferred;

/// The most characters of a summary.
const MAX_SUMMARY: usize = 200;

/// The most characters of what is kept of a user's words.
const MAX_VERBATIM: usize = 2_000;

/// Something that a user corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// What kind of correction it is.
    pub correction_type: CorrectionType,
    /// What the agent did, in a sentence.
    pub action: String,
    /// The tool that it used.
    pub tool: Option<String>,
    /// The file that it is about.
    pub file: Option<String>,
    /// What the user did or said, in a sentence.
    pub summary: String,
    /// The user's own words.
    pub verbatim: Option<String>,
}

impl Captured {
    /// The line for the file of corrections, its texts without what `redact` takes
    /// out of them.
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
        let pattern = self.verbatim.as_deref().and_then(inferred);
        let mut line = json!({
            "date": &timestamp[..10],
            "timestamp": timestamp,
            "agent": agent,
            "session_id": session,
            "correction_type": self.correction_type,
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

/// The first sentence of a text, cut off when it is long.
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
