//! What the feedback of agents led to.

use review_learning::corrections::CorrectionType;
use review_learning::lesson::{Extraction, Lesson};
use review_types::plural;
use serde::Serialize;

use super::entries::CollectionReport;
use super::lesson::instruction;
use super::prompt::PromptUpdate;
use crate::confidence::confidence;
use crate::json::Version;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;

/// What the feedback of agents led to.
#[derive(Debug, Serialize)]
pub struct AnalysisReport<'a> {
    /// The version of the format.
    pub v: Version,
    /// The messages that a model was asked about; `null` if it was asked about none.
    pub messages: Option<MessagesReport>,
    /// The feedback that was collected before.
    pub collected: CollectionReport<'a>,
    /// The agents.
    pub agents: Vec<AgentAnalysis<'a>>,
    /// The prompts that approved lessons were put into.
    pub updated: Vec<PromptUpdate<'a>>,
}

/// What a model said of messages that no phrase matches.
#[derive(Debug, Serialize)]
pub struct MessagesReport {
    /// The number of messages.
    pub asked: usize,
    /// Those that are corrections.
    pub corrections: Vec<SortedMessage>,
}

/// A message that is a correction.
#[derive(Debug, Serialize)]
pub struct SortedMessage {
    /// The type of the correction.
    pub correction_type: CorrectionType,
    /// Its first sentence.
    pub message: String,
}

/// Returns which messages are corrections as users read it.
#[must_use]
pub fn sorted_messages(report: &MessagesReport) -> String {
    let of = plural(report.asked, "message", "messages");
    let count = report.corrections.len();
    let mut text = format!("the reviewer takes {count} of {of} for corrections\n");
    for one in &report.corrections {
        text += &format!("  {}  {}\n", one.correction_type, printable(&one.message));
    }
    text
}

/// What the feedback of an agent led to.
#[derive(Debug, Serialize)]
pub struct AgentAnalysis<'a> {
    /// The agent.
    pub agent: &'a str,
    /// What was found in it.
    #[serde(flatten)]
    pub extraction: &'a Extraction,
}

/// Returns the report as users read it; feedback of fewer than `min_samples`
/// entries is not analysed. `is_waiting` says whether a lesson waits for a decision.
#[must_use]
pub fn analysis(report: &AnalysisReport<'_>, min_samples: u32, is_waiting: bool) -> String {
    let mut text = String::new();
    for AgentAnalysis { agent, extraction } in &report.agents {
        let entries = plural(extraction.entries, "entry", "entries");
        text += &format!("{STRONG}{}{RESET}: {entries}, ", printable(agent));
        if extraction.entries < min_samples as usize && extraction.patterns == 0 {
            text += &format!("fewer than min_samples ({min_samples})\n");
            continue;
        }
        let clusters = plural(extraction.clusters, "cluster", "clusters");
        let patterns = plural(extraction.patterns, "pattern", "patterns");
        text += &format!("{clusters}, {patterns}\n");
        for (what, lessons) in [
            ("proposed", &extraction.proposed),
            ("raised", &extraction.raised),
        ] {
            for one in lessons {
                text += &lesson(what, one);
            }
        }
        for id in &extraction.ineffective {
            text +=
                &format!("  of no use  {id}; `ralph learn decide {id} --reject` takes it out\n");
        }
    }
    if is_waiting {
        text += "next: ralph learn review\n";
    }
    text
}

/// Returns a lesson that was proposed.
pub(crate) fn proposed(one: &Lesson) -> String {
    lesson("proposed", one)
}

fn lesson(what: &str, lesson: &Lesson) -> String {
    let confidence = confidence(lesson.confidence.unwrap_or_default(), &lesson.factors);
    let impact = lesson.impact.map_or("-", |impact| impact.as_str());
    let mut text = format!(
        "  {what}  {}  {FAINT}{}; {confidence}, impact {impact}{RESET}\n    {}\n",
        lesson.id,
        plural(
            lesson.occurrences.unwrap_or_default() as usize,
            "entry",
            "entries"
        ),
        printable(&lesson.lesson_text),
    );
    let instruction = instruction(lesson);
    if !instruction.is_empty() {
        text += &format!("  {instruction}");
    }
    text
}
