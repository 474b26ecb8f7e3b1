//! Feedback entries from corrections.

use review_text::wording::is_instruction;

use super::Draft;
use super::text::{tag, text};
use crate::corrections::{self, Correction};
use crate::feedback::{Context, Details, FeedbackType, Severity};
use crate::patterns::pattern_of;

/// An instruction that is part of a message has as many characters or more, as that of a
/// lesson has.
const MIN_INSTRUCTION: usize = 20;

impl Draft {
    /// The feedback for a correction. Two corrections are the same if they have the
    /// same agent, text and timestamp.
    pub fn of_correction(correction: &Correction) -> Self {
        let feedback_type = FeedbackType::HumanCorrection;
        let user = &correction.user_correction;
        let pattern = pattern_of(correction);
        let pattern = pattern.as_ref().map(|name| name.as_str());
        let words = [
            Some(feedback_type.as_str()),
            Some(correction.correction_type.as_str()),
            Some(correction.source.as_str()),
            pattern,
        ];
        let task = correction
            .context
            .as_ref()
            .and_then(|context| context.task.as_deref());
        let file = correction
            .ai_action
            .place()
            .map(|(path, _)| path.to_owned());
        let said = user.verbatim.as_deref().unwrap_or(&user.summary);
        Self {
            key: format!(
                "correction/{}/{}/{}/{said}",
                correction.timestamp.at(),
                correction.agent,
                correction.ai_action.summary,
            ),
            agent: correction.agent.clone(),
            timestamp: correction.timestamp.at(),
            feedback_type,
            severity: correction.severity.map(severity),
            context: Context {
                task: task.and_then(text),
                artifact_path: file,
                iteration: None,
                session: correction.session_id.as_deref().and_then(text),
                pattern: pattern.map(str::to_owned),
            },
            details: details_of(correction),
            tags: words.into_iter().flatten().filter_map(tag).collect(),
        }
    }
}

/// What the agent did and what the user wants instead; of a captured correction, what
/// the user said or did about the file.
fn details_of(correction: &Correction) -> Details {
    let (action, user) = (&correction.ai_action, &correction.user_correction);
    let verbatim = user.verbatim.as_deref();
    if !action.is_captured() {
        return Details {
            error_message: text(&action.summary),
            expected: verbatim.and_then(text),
            correction: text(&user.summary),
            ..Details::default()
        };
    }
    let said = verbatim.map_or_else(
        || user.summary.clone(),
        |words| match &action.file {
            Some(file) => format!("the user said about {file}: {words}"),
            None => format!("the user said: {words}"),
        },
    );
    Details {
        error_message: text(&said),
        actual: text(&action.summary),
        correction: verbatim.and_then(instruction_in).and_then(text),
        ..Details::default()
    }
}

/// The part of a message that is an instruction: all of it, or the first sentence, or the
/// rest of one after a comma, that is.
fn instruction_in(words: &str) -> Option<&str> {
    if is_instruction(words) {
        return Some(words);
    }
    let sentences = words.split(['!', '?', ';', '\n']);
    let sentences = sentences.flat_map(|part| part.split(". ")).map(str::trim);
    let parts = sentences.flat_map(|sentence| {
        let commas = sentence
            .match_indices(", ")
            .map(|(at, comma)| at + comma.len());
        std::iter::once(0)
            .chain(commas)
            .map(|from| &sentence[from..])
    });
    let long_enough = |part: &&str| part.chars().count() >= MIN_INSTRUCTION;
    parts.filter(long_enough).find(|part| is_instruction(part))
}

const fn severity(severity: corrections::Severity) -> Severity {
    match severity {
        corrections::Severity::High => Severity::High,
        corrections::Severity::Medium => Severity::Medium,
        corrections::Severity::Low => Severity::Low,
    }
}
