//! What a lesson says, without a model: the words of the feedback itself.

use review_text::wording::{Wording, is_concrete};
use review_text::{Fingerprint, Leaders, Lexicon};

use super::FeedbackPattern;
use crate::cluster::medoid;
use crate::feedback::{FeedbackEntry, FeedbackType};

/// So many characters of what somebody said go into a lesson.
const MAX_TEXT: usize = 400;

/// What a lesson says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What was learned.
    pub lesson_text: String,
    /// What the agent is to be told, if that is known.
    pub constraint_update: Option<String>,
    /// The ids of the entries that it names for itself; none where those that
    /// stand for all do.
    pub cites: Vec<String>,
    /// Who put it into words: backend, model and prompt; `None` where they are
    /// those of the feedback.
    pub written_by: Option<String>,
}

impl Draft {
    /// A lesson in the words of the feedback: the issue that is the most like all
    /// others, and of the correction that is given most the one that is the most
    /// like the others. Where that gives no instruction, what a person said does.
    #[must_use]
    pub fn of(pattern: &FeedbackPattern<'_>, lexicon: &Lexicon) -> Self {
        let issues = said(pattern, |entry| entry.details.error_message.as_deref());
        let corrections = said(pattern, |entry| entry.details.correction.as_deref());
        let by_persons = said(pattern, |entry| {
            let is_theirs = entry.feedback_type == FeedbackType::HumanCorrection;
            let correction = entry.details.correction.as_deref();
            correction.filter(|_| is_theirs)
        });
        let instructs = |text: &String| is_concrete(text) && Wording::Vague.find(text).is_none();
        let instruction = most_given(&corrections, lexicon).filter(instructs);
        let instruction = instruction.or_else(|| most_like(&by_persons, lexicon));
        let subject = most_like(&issues, lexicon).or_else(|| most_like(&corrections, lexicon));
        Self {
            lesson_text: subject.unwrap_or_else(|| pattern.keywords.join(", ")),
            constraint_update: instruction,
            cites: Vec::new(),
            written_by: None,
        }
    }

    /// All that it says, as one text.
    #[must_use]
    pub fn text(&self) -> String {
        let constraint = self.constraint_update.as_deref().unwrap_or_default();
        format!("{}\n{constraint}", self.lesson_text)
    }
}

fn said<'e>(
    pattern: &FeedbackPattern<'e>,
    of: impl Fn(&'e FeedbackEntry) -> Option<&'e str>,
) -> Vec<String> {
    let texts = pattern.entries.iter().filter_map(|entry| of(entry));
    texts
        .map(one_line)
        .filter(|text| !text.is_empty())
        .collect()
}

/// A text on one line, cut where it is long, without what is not printed.
fn one_line(text: &str) -> String {
    unbroken(text).chars().take(MAX_TEXT).collect()
}

/// A text on one line, without what is not printed.
pub(super) fn unbroken(text: &str) -> String {
    let printed = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let text: String = printed.collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn fingerprints(texts: &[String], lexicon: &Lexicon) -> Vec<Fingerprint> {
    let texts = texts.iter();
    texts.map(|text| Fingerprint::of(text, lexicon)).collect()
}

/// The text that is the most like all others.
fn most_like(texts: &[String], lexicon: &Lexicon) -> Option<String> {
    let (at, _) = medoid(&fingerprints(texts, lexicon))?;
    Some(texts[at].clone())
}

/// Of the largest group of texts about the same the one that is the most like the
/// others; of equally large ones the first.
fn most_given(texts: &[String], lexicon: &Lexicon) -> Option<String> {
    let mut leaders = Leaders::default();
    let mut groups: Vec<Vec<String>> = Vec::new();
    for (text, vector) in texts.iter().zip(fingerprints(texts, lexicon)) {
        let group = leaders.nearest(&vector, |_| true).unwrap_or_else(|| {
            groups.push(Vec::new());
            leaders.push(&vector)
        });
        groups[group].push(text.clone());
    }
    let largest = groups.iter().enumerate();
    let largest = largest.max_by_key(|(at, group)| (group.len(), std::cmp::Reverse(*at)));
    largest.and_then(|(_, group)| most_like(group, lexicon))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entry, timeouts};
    use super::*;

    fn draft(entries: &[FeedbackEntry]) -> Draft {
        let pattern = FeedbackPattern {
            cluster: 0,
            entries: entries.iter().collect(),
            frequency: 1.0,
            keywords: vec!["a".to_owned(), "b".to_owned()],
            by_likeness: Vec::new(),
            likeness: 1.0,
        };
        Draft::of(&pattern, Lexicon::embedded())
    }

    #[test]
    fn a_lesson_says_what_feedback_says_most() {
        let entries = timeouts();
        let about: Vec<_> = [0, 1, 3, 5, 7].map(|at| entries[at].clone()).into();
        let draft = draft(&about);
        assert_eq!(draft.lesson_text, "The upload in src/a.rs has no timeout");
        let constraint = draft.constraint_update.as_deref();
        assert_eq!(constraint, Some("Set a timeout on the upload"));
        let text = "The upload in src/a.rs has no timeout\nSet a timeout on the upload";
        assert_eq!(draft.text(), text);
    }

    #[test]
    fn what_is_no_instruction_gives_way_to_what_a_person_said() {
        let review =
            |correction| entry(1, FeedbackType::ReviewRejection, "s", "Zebras", correction);
        let person = entry(
            2,
            FeedbackType::HumanCorrection,
            "s",
            "",
            "no zebras at all, please",
        );
        let found = draft(&[review("it is all rather pale")]);
        assert_eq!(found.constraint_update, None);
        let found = draft(&[review("it is all rather pale"), person.clone()]);
        let constraint = found.constraint_update.as_deref();
        assert_eq!(constraint, Some("no zebras at all, please"));
        let found = draft(&[review("Remove the zebras"), review("Remove zebras"), person]);
        assert_eq!(
            found.constraint_update.as_deref(),
            Some("Remove the zebras")
        );
    }

    #[test]
    fn a_lesson_is_one_line_of_what_can_be_printed() {
        let issue = format!("a\u{1b}[31m\n  zebra {}", "x".repeat(500));
        let found = draft(&[entry(1, FeedbackType::TestFailure, "s", &issue, "")]);
        assert!(found.lesson_text.starts_with("a [31m zebra xxx"));
        assert_eq!(found.lesson_text.chars().count(), 400);
    }

    #[test]
    fn without_an_issue_a_lesson_says_what_is_to_be_done_or_its_keywords() {
        let of = |correction| draft(&[entry(1, FeedbackType::TestFailure, "s", "", correction)]);
        assert_eq!(of("Remove the zebras").lesson_text, "Remove the zebras");
        assert_eq!(of("").lesson_text, "a, b");
    }
}
