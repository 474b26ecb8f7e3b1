//! What the feedback of agents led to.

use review_learning::AgentName;
use review_learning::config::Analysis;
use review_learning::corrections::CorrectionType;
use review_learning::lesson::{Extraction, LeftAside, Lesson, WaitingGroup};
use review_types::plural;
use serde::Serialize;

use super::entries::CollectionReport;
use super::entry::short;
use super::lesson::instruction;
use super::list::{decide_on_proposed, word_group};
use super::prompt::PromptUpdate;
use crate::confidence::confidence;
use crate::next::next_steps;
use crate::style::{FAINT, RESET, STRONG, WARNING};
use crate::text::printable;

/// What the feedback of agents led to.
#[derive(Debug, Serialize)]
pub struct AnalysisReport<'a> {
    /// The messages that a model was asked about; `null` if it was asked about none.
    pub messages: Option<MessagesReport>,
    /// The feedback that was collected before.
    pub collected: CollectionReport,
    /// The agents.
    pub agents: Vec<AgentAnalysis<'a>>,
    /// The prompts that approved lessons were put into.
    pub updated: Vec<PromptUpdate<'a>>,
}

/// The judgement of a model on messages that no phrase matches.
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
    pub agent: &'a AgentName,
    /// What was found in it.
    #[serde(flatten)]
    pub extraction: &'a Extraction,
}

/// Returns the report as users read it, by the settings of the analysis. `asks` says whether
/// a lesson waits for a decision.
#[must_use]
pub fn analysis(report: &AnalysisReport<'_>, settings: &Analysis, asks: bool) -> String {
    let mut text = String::new();
    let min_samples = settings.min_samples as usize;
    for AgentAnalysis { agent, extraction } in &report.agents {
        let entries = plural(extraction.entries, "entry", "entries");
        text += &format!("{STRONG}{}{RESET}: {entries}, ", printable(agent.as_str()));
        if extraction.entries < min_samples && extraction.patterns == 0 {
            text += &format!("fewer than min_samples ({min_samples})\n");
            continue;
        }
        let clusters = plural(extraction.clusters, "cluster", "clusters");
        let patterns = plural(extraction.patterns, "pattern", "patterns");
        text += &format!("{clusters}, {patterns}\n");
        text += &left_aside(extraction, settings);
        for (what, lessons) in [
            ("proposed", &extraction.proposed),
            ("raised", &extraction.raised),
        ] {
            for one in lessons {
                text += &lesson(what, one);
            }
        }
        text.extend(extraction.waiting.iter().map(waiting_group));
    }
    let agents = || report.agents.iter().map(|one| one.extraction);
    let next = match agents().flat_map(|one| &one.waiting).next() {
        _ if asks && agents().any(|one| !one.proposed.is_empty()) => Some(decide_on_proposed()),
        group => group.map(word_group),
    };
    text + &next_steps(next.as_slice(), None)
}

/// The entries that led to no lesson, and why.
fn left_aside(extraction: &Extraction, settings: &Analysis) -> String {
    let LeftAside {
        unspecific,
        single,
        rare,
        rolled_back,
    } = extraction.left_aside;
    let least = settings.clustering.min_cluster_size;
    let share = 100.0 * settings.pattern_detection.frequency_threshold;
    let reasons = [
        (single, format!("in groups of fewer than {least}")),
        (rare, format!("in groups of {share:.0} % or less")),
        (unspecific, "without a cause".to_owned()),
        (rolled_back, "of versions that were rolled back".to_owned()),
    ];
    let reasons = reasons.into_iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<_> = reasons
        .map(|(count, why)| format!("{count} {why}"))
        .collect();
    match reasons.is_empty() {
        true => String::new(),
        false => format!(
            "  {FAINT}of {} left aside: {}{RESET}\n",
            plural(extraction.entries, "entry", "entries"),
            reasons.join(", ")
        ),
    }
}

/// Returns a group that waits for words, with its quotes.
#[must_use]
pub fn waiting_group(group: &WaitingGroup) -> String {
    let mut text = format!(
        "{STRONG}{}{RESET}  {WARNING}needs words{RESET}  {}  {}\n",
        short(group.id.as_str()),
        printable(group.agent.as_str()),
        plural(group.entries, "entry", "entries"),
    );
    for quote in &group.quotes {
        text += &format!("    \"{}\"\n", printable(quote));
    }
    text
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
