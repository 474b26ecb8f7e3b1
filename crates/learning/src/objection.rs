//! What users say when they object to the work of an agent: phrases are data.
//!
//! A message is split into sentences, and the first row of `data/objections.txt` that
//! matches a sentence decides about it.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::corrections::{CommonPattern, CorrectionType};

/// The number of bytes of a message that are read: an objection comes at its start.
const MAX_READ: usize = 1_000;

/// The maximum number of words that a gap in a phrase stands for.
const MAX_GAP: usize = 6;

/// The rows, and the words that are passed over at the beginning of a sentence.
static PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::parse(include_str!("../data/objections.txt")));

/// The attitude of a message to the work of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// It objects.
    Objection(CorrectionType),
    /// It is a question, a request, praise, a report, or empty.
    Other,
    /// No phrase matches a part of it.
    Unknown,
}

/// Classifies a message by its attitude to the work of the agent. `after_work` says whether the
/// agent wrote a file just before: then it need not say so clearly.
///
/// ```
/// use review_learning::capture::{MessageKind, message_kind};
/// use review_learning::corrections::CorrectionType;
///
/// let found = message_kind("You forgot the limit of the upload.", false);
/// assert_eq!(found, MessageKind::Objection(CorrectionType::CodeCompleteness));
/// assert_eq!(message_kind("Add a limit to the upload.", true), MessageKind::Other);
/// assert_eq!(message_kind("Don't rename the parser.", false), MessageKind::Unknown);
/// assert!(matches!(message_kind("Don't rename the parser.", true), MessageKind::Objection(_)));
/// ```
pub fn message_kind(message: &str, after_work: bool) -> MessageKind {
    let mut found = MessageKind::Other;
    for sentence in sentences(message) {
        let counts = |row: &&Row| row.is_strong || after_work;
        let mut rows = PHRASES.rows.iter().filter(counts);
        match rows
            .find(|row| row.matches(&sentence))
            .map(|row| row.meaning)
        {
            Some(Meaning::Type(correction_type)) => return MessageKind::Objection(correction_type),
            Some(Meaning::Pattern(pattern)) => {
                return MessageKind::Objection(pattern.correction_type);
            }
            Some(Meaning::NoObjection) => {}
            None if sentence.is_question => {}
            None => found = MessageKind::Unknown,
        }
    }
    found
}

/// Returns the common pattern that a string names.
pub(crate) fn named_pattern(text: &str) -> Option<&'static CommonPattern> {
    let named = |sentence: Sentence| {
        PHRASES.rows.iter().find_map(|row| match row.meaning {
            Meaning::Pattern(pattern) if row.matches(&sentence) => Some(pattern),
            Meaning::Pattern(_) | Meaning::Type(_) | Meaning::NoObjection => None,
        })
    };
    sentences(text).into_iter().find_map(named)
}

struct Phrases {
    rows: Vec<Row>,
    leads: HashSet<&'static str>,
}

/// A phrase and its meaning.
struct Row {
    meaning: Meaning,
    /// Whether it counts without an edit of the agent just before.
    is_strong: bool,
    is_question: bool,
    /// Whether it matches only at the beginning of a sentence.
    is_start: bool,
    words: Vec<Word>,
}

#[derive(Clone, Copy)]
enum Meaning {
    NoObjection,
    Type(CorrectionType),
    Pattern(&'static CommonPattern),
}

enum Word {
    OneOf(Vec<&'static str>),
    Gap,
}

impl Phrases {
    fn parse(text: &'static str) -> Self {
        let mut phrases = Self {
            rows: Vec::new(),
            leads: HashSet::new(),
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["lead", _, _, words] => phrases.leads.extend(words.split('|')),
                [says, strength, _, phrase] => {
                    phrases.rows.extend(Row::parse(says, strength, phrase));
                }
                _ => {}
            }
        }
        phrases
    }
}

impl Row {
    /// Reads a row; `None` if it names no type and no pattern.
    fn parse(says: &'static str, strength: &str, phrase: &'static str) -> Option<Self> {
        let meaning = match (says.parse(), CommonPattern::named(says)) {
            (Ok(correction_type), _) => Meaning::Type(correction_type),
            (Err(_), Some(pattern)) => Meaning::Pattern(pattern),
            (Err(_), None) if says == "none" => Meaning::NoObjection,
            (Err(_), None) => return None,
        };
        let (start, question) = (phrase.strip_prefix('^'), phrase.strip_suffix('?'));
        let words = phrase.trim_start_matches('^').trim_end_matches('?');
        let words = words.split_whitespace().map(|word| match word {
            "..." => Word::Gap,
            _ => Word::OneOf(word.split('|').collect()),
        });
        Some(Self {
            meaning,
            is_strong: strength == "strong",
            is_question: question.is_some(),
            is_start: start.is_some(),
            words: words.collect(),
        })
    }

    fn matches(&self, sentence: &Sentence) -> bool {
        let places = match self.is_start {
            true => sentence.leads + 1,
            false => sentence.words.len(),
        };
        self.is_question == sentence.is_question
            && (0..places).any(|at| follow(&self.words, &sentence.words[at..]))
    }
}

/// Whether words start with those of a phrase.
fn follow(phrase: &[Word], words: &[String]) -> bool {
    match phrase.split_first() {
        None => true,
        Some((Word::OneOf(any), rest)) => words
            .split_first()
            .is_some_and(|(word, words)| any.contains(&word.as_str()) && follow(rest, words)),
        Some((Word::Gap, rest)) => {
            (0..=MAX_GAP.min(words.len())).any(|passed| follow(rest, &words[passed..]))
        }
    }
}

/// A sentence, in lower case; a comma is a word.
struct Sentence {
    words: Vec<String>,
    is_question: bool,
    /// The number of words at its beginning that are passed over.
    leads: usize,
}

/// The sentences of a string, without quotations and code.
fn sentences(text: &str) -> Vec<Sentence> {
    let text = &text[..text.floor_char_boundary(MAX_READ.min(text.len()))];
    let text = outside(&outside(text, '`'), '"').to_lowercase();
    let text = text.replace('\u{2019}', "'");
    let mut sentences = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let is_end = |(at, mark): (usize, char)| match mark {
            '.' => !rest[at + 1..].starts_with(|next: char| !next.is_whitespace()),
            _ => "!?;:\n()\u{2014}".contains(mark),
        };
        let end = rest.char_indices().find(|found| is_end(*found));
        let (at, mark) = end.unwrap_or((rest.len(), ' '));
        sentences.extend(Sentence::of(&rest[..at], mark == '?'));
        rest = rest.get(at + mark.len_utf8()..).unwrap_or_default();
    }
    sentences
}

impl Sentence {
    /// A sentence; `None` if it has no words.
    fn of(text: &str, is_question: bool) -> Option<Self> {
        let text = text.replace(',', " , ");
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-' | '_' | ',');
        let words = text.split(|c| !is_part(c));
        let words = words.map(|word| word.trim_matches(['\'', '-', '_']).to_owned());
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        let is_lead = |word: &&String| *word == "," || PHRASES.leads.contains(word.as_str());
        let leads = words.iter().take_while(is_lead).count();
        (!words.is_empty()).then(|| Self {
            leads: leads.min(words.len() - 1),
            is_question,
            words,
        })
    }
}

/// The input without what is between pairs of `mark`.
fn outside(text: &str, mark: char) -> String {
    let mut outside = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (_, after))) = rest
        .split_once(mark)
        .and_then(|(before, behind)| Some((before, behind.split_once(mark)?)))
    {
        outside.push_str(before);
        outside.push(' ');
        rest = after;
    }
    outside.push_str(rest);
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that the rows were written for.
    const TUNED: &str = include_str!("../tests/support/objections-tuned.tsv");
    /// Those that no row was written for.
    const HELD_OUT: &str = include_str!("../tests/support/objections-held-out.tsv");
    const TYPED: &str = include_str!("../../../tests/fixtures/corrections/capture.txt");

    /// The numbers of messages that were taken for objections, of those that were rightly
    /// taken for them, and of those that object.
    fn counted(messages: &str) -> [u32; 3] {
        let mut counts = [0; 3];
        for (label, text) in messages.lines().filter_map(|line| line.split_once('\t')) {
            let (objects, is_heard) = (
                label == "yes",
                matches!(message_kind(text, true), MessageKind::Objection(_)),
            );
            counts[0] += u32::from(is_heard);
            counts[1] += u32::from(is_heard && objects);
            counts[2] += u32::from(objects);
        }
        counts
    }

    #[test]
    fn the_guide_has_the_figures_of_messages_that_no_phrase_was_written_for() {
        assert_eq!(counted(HELD_OUT), [31, 30, 43]);
        assert_eq!(HELD_OUT.lines().count(), 79);
        assert_eq!(counted(TUNED), [128, 127, 127]);
    }

    #[test]
    fn a_message_has_the_type_that_its_user_means() {
        let (mut right, mut all) = (0, 0);
        for (label, text) in TYPED.lines().filter_map(|line| line.split_once('\t')) {
            match message_kind(text, true) {
                MessageKind::Objection(found) => right += u32::from(found.as_str() == label),
                MessageKind::Other | MessageKind::Unknown => right += u32::from(label == "none"),
            }
            all += 1;
        }
        assert!(right * 10 >= all * 9, "{right} of {all}");
    }

    #[test]
    fn there_are_at_most_200_rows_and_each_is_read() {
        let lines = include_str!("../data/objections.txt").lines();
        let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (leads, rows): (Vec<_>, Vec<_>) = rows.partition(|row| row.starts_with("lead\t"));
        assert_eq!(PHRASES.rows.len(), rows.len());
        assert!(leads.len() + rows.len() <= 200);
        for row in rows {
            let columns: Vec<_> = row.split('\t').collect();
            assert!(["strong", "weak"].contains(&columns[1]), "{row}");
            assert!(["en", "de"].contains(&columns[2]), "{row}");
        }
    }

    #[test]
    fn what_is_neither_an_objection_nor_another_matter_is_unknown() {
        for (text, after_work, expected) in [
            (
                "The counter skips every second customer",
                true,
                MessageKind::Unknown,
            ),
            (
                "Is it true that you forgot the limit?",
                true,
                MessageKind::Other,
            ),
            ("Add what you forgot.", true, MessageKind::Other),
            (
                "Oops, that's wrong, I mistyped the path.",
                true,
                MessageKind::Other,
            ),
            (
                "The log says `that's wrong` here",
                true,
                MessageKind::Unknown,
            ),
            ("The old names were fine", false, MessageKind::Unknown),
            (" ...?! ", true, MessageKind::Other),
            ("", true, MessageKind::Other),
        ] {
            assert_eq!(message_kind(text, after_work), expected, "{text}");
        }
        let long = format!("{}. You forgot the limit.", "word ".repeat(250));
        assert_eq!(message_kind(&long, true), MessageKind::Unknown);
    }

    /// Written down before the phrases.
    #[test]
    fn what_users_say_names_the_pattern_that_they_mean() {
        for (text, name) in [
            (
                "You forgot the error handling in the upload",
                "missing-error-handling",
            ),
            (
                "No, the exceptions should be caught and logged",
                "missing-error-handling",
            ),
            (
                "too complex, keep it simple please",
                "overly-complex-solution",
            ),
            (
                "This is overkill, one function is enough",
                "overly-complex-solution",
            ),
            (
                "That's wrong, you call the wrong endpoint",
                "wrong-api-usage",
            ),
            ("you used the wrong function for this", "wrong-api-usage"),
            ("You forgot to validate the input", "missing-validation"),
            (
                "No, the arguments should be checked first",
                "missing-validation",
            ),
            ("I prefer tabs over spaces", "style-mismatch"),
            (
                "Our convention is a blank line between functions",
                "style-mismatch",
            ),
            ("You did more than I asked", "scope-creep"),
            ("Don\u{2019}t touch the lock file", "scope-creep"),
            (
                "You stopped halfway, finish the implementation",
                "incomplete-implementation",
            ),
            ("you left a TODO in the parser", "incomplete-implementation"),
            ("That is not what I meant", "misunderstood-requirement"),
            ("you solved the wrong problem", "misunderstood-requirement"),
        ] {
            let found = named_pattern(text).map(|pattern| pattern.name);
            assert_eq!(found, Some(name), "{text}");
        }
        for text in [
            "No, the limit should be ten",
            "Undo that, it breaks the import",
            "The complex numbers are rounded wrong",
            "I prefer Postgres over Redis",
            "You missed the German translation",
            "",
        ] {
            let found = named_pattern(text).map(|pattern| pattern.name);
            assert_eq!(found, None, "{text}");
        }
    }
}
