//! The words of a lesson without a model: the words of the feedback itself.

use review_text::{Fingerprint, Leaders, Lexicon};

use super::FeedbackPattern;
use super::written::{instruction, lesson_text};
use crate::cluster::medoid;
use crate::feedback::{FeedbackEntry, FeedbackType};

/// The maximum number of characters that are quoted from feedback.
const MAX_TEXT: usize = 400;

/// The words of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The lesson learned.
    pub lesson_text: String,
    /// The instruction for the agent, if there is one.
    pub constraint_update: Option<String>,
    /// The ids of the entries that the author cites; empty if the exemplars of the
    /// pattern are cited.
    pub cites: Vec<String>,
    /// The author: backend, model and prompt; `None` if the words are quoted from the
    /// feedback.
    pub written_by: Option<String>,
    /// Whether the feedback has no words that an agent could follow.
    pub needs_words: bool,
}

impl Draft {
    /// Returns a lesson in the words of the feedback about the main issue: the most
    /// representative of them, and the most representative of its most frequent
    /// correction. Where that is not an instruction, and no user gave one, the lesson
    /// needs words. An issue that is too short or vague to tell what happened gives way to
    /// the instruction.
    #[must_use]
    pub fn of(pattern: &FeedbackPattern<'_>, lexicon: &Lexicon) -> Self {
        let issues = said(pattern, |entry| entry.details.error_message.as_deref());
        let corrections = said(pattern, |entry| entry.details.correction.as_deref());
        let by_users = said(pattern, |entry| {
            let is_theirs = entry.feedback_type == FeedbackType::HumanCorrection;
            let correction = entry.details.correction.as_deref();
            correction.filter(|_| is_theirs)
        });
        let most_given = most_given(&corrections, lexicon);
        let mut given = most_given.into_iter().chain(most_like(&by_users, lexicon));
        let constraint_update = given.find_map(|text| instruction(&text).ok());
        let constraint_update = constraint_update.as_deref().map(capitalized);
        let subject = most_like(&issues, lexicon).or_else(|| most_like(&corrections, lexicon));
        let subject = subject.unwrap_or_else(|| pattern.keywords.join(", "));
        let lesson_text = match &constraint_update {
            Some(instruction) if lesson_text(&subject).is_err() => instruction.clone(),
            Some(_) | None => subject,
        };
        Self {
            needs_words: constraint_update.is_none(),
            lesson_text,
            constraint_update,
            cites: Vec::new(),
            written_by: None,
        }
    }

    /// The lesson and the instruction as one string.
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
    let texts = pattern.main_issue.iter().filter_map(|entry| of(entry));
    texts
        .map(one_line)
        .filter(|text| !text.is_empty())
        .collect()
}

/// Returns a string as one line, truncated when it is long, without unprintable
/// characters.
fn one_line(text: &str) -> String {
    unbroken(text).chars().take(MAX_TEXT).collect()
}

/// Returns a string as one line, without unprintable characters.
pub(super) fn unbroken(text: &str) -> String {
    let printed = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let text: String = printed.collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// A sentence, which may have been a part of another one.
fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

fn fingerprints(texts: &[String], lexicon: &Lexicon) -> Vec<Fingerprint> {
    let texts = texts.iter();
    texts.map(|text| Fingerprint::of(text, lexicon)).collect()
}

/// Returns the most representative string.
fn most_like(texts: &[String], lexicon: &Lexicon) -> Option<String> {
    let (at, _) = medoid(&fingerprints(texts, lexicon))?;
    Some(texts[at].clone())
}

/// Returns the most representative string of the largest group of similar ones; the
/// first group in case of a tie.
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
            name: None,
            entries: entries.iter().collect(),
            frequency: 1.0,
            keywords: vec!["a".to_owned(), "b".to_owned()],
            by_likeness: Vec::new(),
            main_issue: entries.iter().collect(),
            likeness: 1.0,
        };
        Draft::of(&pattern, Lexicon::embedded())
    }

    #[test]
    fn a_lesson_quotes_the_most_frequent_feedback() {
        let entries = timeouts();
        let about: Vec<_> = [0, 1, 3, 5, 7].map(|at| entries[at].clone()).into();
        let draft = draft(&about);
        assert_eq!(draft.lesson_text, "The upload in src/a.rs has no timeout");
        let constraint = draft.constraint_update.as_deref();
        assert_eq!(constraint, Some("Set a timeout on the upload"));
        assert!(!draft.needs_words);
        let text = "The upload in src/a.rs has no timeout\nSet a timeout on the upload";
        assert_eq!(draft.text(), text);
    }

    #[test]
    fn a_correction_that_is_not_an_instruction_yields_to_a_users_words() {
        let review =
            |correction| entry(1, FeedbackType::ReviewRejection, "s", "Zebras", correction);
        let found = draft(&[review("it is all rather pale")]);
        assert_eq!(found.constraint_update, None);
        let person = |words: &str| entry(2, FeedbackType::HumanCorrection, "s", "", words);
        let found = draft(&[
            review("it is all rather pale"),
            person("no zebras at all, please"),
        ]);
        assert_eq!((found.constraint_update, found.needs_words), (None, true));
        let user = person("Never paint zebras in colour.");
        let found = draft(&[review("it is all rather pale"), user.clone()]);
        let constraint = found.constraint_update.as_deref();
        assert_eq!(constraint, Some("Never paint zebras in colour."));
        let remove = [
            review("Remove the zebras from the page"),
            review("Remove the zebras from page"),
        ];
        let found = draft(&[&remove[..], &[user]].concat());
        let constraint = found.constraint_update.as_deref();
        assert_eq!(constraint, Some("Remove the zebras from the page"));
    }

    #[test]
    fn an_issue_that_tells_too_little_gives_way_to_the_instruction() {
        let instruction = "Close each file after the upload";
        for (issue, expected) in [
            ("Wrote the upload", instruction),
            (
                "The upload leaves its file open",
                "The upload leaves its file open",
            ),
        ] {
            let found = draft(&[entry(
                1,
                FeedbackType::HumanCorrection,
                "s",
                issue,
                instruction,
            )]);
            assert_eq!((&*found.lesson_text, found.needs_words), (expected, false));
        }
    }

    #[test]
    fn a_lesson_is_one_line_of_printable_text() {
        let issue = format!("a\u{1b}[31m\n  zebra {}", "x".repeat(500));
        let found = draft(&[entry(1, FeedbackType::TestFailure, "s", &issue, "")]);
        assert!(found.lesson_text.starts_with("a [31m zebra xxx"));
        assert_eq!(found.lesson_text.chars().count(), 400);
    }

    #[test]
    fn without_an_issue_a_lesson_is_the_correction_or_the_keywords() {
        let of = |correction| draft(&[entry(1, FeedbackType::TestFailure, "s", "", correction)]);
        assert_eq!(of("Remove the zebras").lesson_text, "Remove the zebras");
        assert_eq!(of("").lesson_text, "a, b");
    }
}
