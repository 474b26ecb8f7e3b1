//! Questions about places in texts: which words follow these?
//!
//! Only somebody who has the texts can answer them. A right answer shows that its author
//! found its way in the texts, not that anything was made of them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use strsim::osa_distance;

use crate::quote::{Word, is_decisive, words};
use crate::stem::is_stop_word;

/// The number of words that a question quotes.
const CUE: usize = 6;
/// The number of words that answer it.
const ANSWER: usize = 3;
/// The number of parts of the texts, in each of which there is one place.
const PARTS: usize = 6;
/// The minimum number of letters of the words that answer a question.
const MIN_LETTERS: usize = 8;
/// The maximum number of stop words among them.
const MAX_STOP_WORDS: usize = 1;
/// The minimum length of a word in which a letter may be wrong.
const MIN_SLIPPED: usize = 5;

/// A question about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The words before the place, on one line, otherwise as they stand there.
    pub cue: String,
    /// Whether the words that answer it are new in this version of the texts.
    pub is_new: bool,
    before: Vec<String>,
    after: Vec<String>,
}

/// What questions are about.
#[derive(Clone, Debug, Default)]
pub struct QuestionSource<'t> {
    /// The texts.
    pub texts: Vec<&'t str>,
    /// The parts of each text that are asked nothing about, such as headings, in order.
    pub left_out: Vec<Vec<Range<usize>>>,
    /// The previous version of the texts; `None` if there is none.
    pub previous: Option<Vec<&'t str>>,
    /// What else those who are asked have in front of them.
    pub elsewhere: Vec<&'t str>,
}

/// Returns one question about each sixth of the texts that has a place for one, but the
/// first question is about words that are new since the previous version, if any are.
/// `random` gives a number for each question, so that the same numbers choose the same
/// places.
#[must_use]
pub fn questions(source: &QuestionSource<'_>, random: impl Fn(usize) -> u64) -> Vec<Question> {
    let candidates = candidates(source);
    let pick = |number: usize, among: &[usize]| {
        let count = u64::try_from(among.len()).unwrap_or(u64::MAX);
        let at = random(number).checked_rem(count)?;
        among.get(usize::try_from(at).ok()?).copied()
    };
    let all = 0..candidates.len();
    let new: Vec<_> = all.clone().filter(|at| candidates[*at].is_new).collect();
    let first = pick(0, &new);
    let mut chosen: Vec<_> = first.into_iter().collect();
    let asked = first.map(|at| candidates[at].part);
    for part in (0..PARTS).filter(|part| Some(*part) != asked) {
        let is_apart = |at: &usize| {
            let mut others = chosen.iter();
            others.all(|other| !candidates[*at].overlaps(&candidates[*other]))
        };
        let fitting = all.clone().filter(|at| candidates[*at].part == part);
        let fitting: Vec<_> = fitting.filter(is_apart).collect();
        chosen.extend(pick(part + 1, &fitting));
    }
    let ask = |at: usize| candidates[at].question(source, Some(at) == first);
    chosen.into_iter().map(ask).collect()
}

impl Question {
    /// Returns whether an answer begins with the words that follow the cue, also after a
    /// repetition of its end. One letter of a longer word may be wrong.
    #[must_use]
    pub fn is_answered_by(&self, answer: &str) -> bool {
        let said: Vec<_> = words(answer).map(|word| word.text).collect();
        (0..=self.before.len()).any(|repeated| {
            let repeated = &self.before[self.before.len() - repeated..];
            let rest = said.strip_prefix(repeated);
            rest.is_some_and(|rest| is_right(&self.after, rest))
        })
    }
}

fn is_right(expected: &[String], said: &[String]) -> bool {
    let Some(said) = said.get(..expected.len()) else {
        return false;
    };
    let differing = expected
        .iter()
        .zip(said)
        .filter(|(one, other)| one != other);
    let mut differing = differing.map(|(one, other)| is_slip(one, other));
    differing.next().unwrap_or(true) && differing.next().is_none()
}

fn is_slip(expected: &str, said: &str) -> bool {
    let is_long = expected.chars().count() >= MIN_SLIPPED;
    is_long && !is_decisive(expected) && !is_decisive(said) && osa_distance(expected, said) <= 1
}

/// A place that can be asked about.
struct Candidate {
    text: usize,
    /// The bytes of all its words.
    span: Range<usize>,
    /// The bytes of the words before the place.
    cue: Range<usize>,
    before: Vec<String>,
    after: Vec<String>,
    part: usize,
    is_new: bool,
}

impl Candidate {
    fn overlaps(&self, other: &Self) -> bool {
        self.text == other.text
            && self.span.start < other.span.end
            && other.span.start < self.span.end
    }

    fn question(&self, source: &QuestionSource<'_>, is_new: bool) -> Question {
        let text = source.texts.get(self.text).copied().unwrap_or_default();
        let cue = text.get(self.cue.clone()).unwrap_or_default();
        let cue: Vec<_> = cue.split_whitespace().collect();
        Question {
            cue: cue.join(" "),
            is_new,
            before: self.before.clone(),
            after: self.after.clone(),
        }
    }
}

fn candidates(source: &QuestionSource<'_>) -> Vec<Candidate> {
    let texts: Vec<Vec<Word>> = source
        .texts
        .iter()
        .map(|text| words(text).collect())
        .collect();
    let mut cues: HashMap<String, u32> = HashMap::new();
    let mut answers: HashMap<String, u32> = HashMap::new();
    for text in &texts {
        for cue in text.windows(CUE) {
            *cues.entry(joined(cue)).or_default() += 1;
        }
        for answer in text.windows(ANSWER) {
            *answers.entry(joined(answer)).or_default() += 1;
        }
    }
    let elsewhere = answers_in(&source.elsewhere);
    let previous = source.previous.as_deref().map(answers_in);
    let size: usize = source.texts.iter().map(|text| text.len()).sum();
    let mut candidates = Vec::new();
    let mut start = 0;
    for (text, found) in texts.iter().enumerate() {
        let left_out = source.left_out.get(text).map_or(&[][..], Vec::as_slice);
        for window in found.windows(CUE + ANSWER) {
            let (before, after) = window.split_at(CUE);
            let [first, .., last] = before else { continue };
            let [answer, .., end] = after else { continue };
            let span = first.span.start..end.span.end;
            let key = joined(after);
            let is_outside = |part: &Range<usize>| part.end <= span.start || span.end <= part.start;
            let is_fit = window.iter().all(|word| word.is_seen)
                && is_telling(after)
                && answers.get(&key) == Some(&1)
                && cues.get(&joined(before)) == Some(&1)
                && !elsewhere.contains(&key)
                && left_out.iter().all(is_outside);
            if is_fit {
                candidates.push(Candidate {
                    text,
                    cue: span.start..last.span.end,
                    part: (start + answer.span.start) * PARTS / size,
                    is_new: previous.as_ref().is_some_and(|known| !known.contains(&key)),
                    before: before.iter().map(|word| word.text.clone()).collect(),
                    after: after.iter().map(|word| word.text.clone()).collect(),
                    span,
                });
            }
        }
        start += source.texts.get(text).map_or(0, |text| text.len());
    }
    candidates
}

/// Returns all words that could answer a question about these texts.
fn answers_in(texts: &[&str]) -> HashSet<String> {
    let mut answers = HashSet::new();
    for text in texts {
        let words: Vec<_> = words(text).collect();
        answers.extend(words.windows(ANSWER).map(joined));
    }
    answers
}

/// Whether words say enough of a place that they are not guessed.
fn is_telling(words: &[Word]) -> bool {
    let letters = words.iter().flat_map(|word| word.text.chars());
    let letters = letters.filter(|char| char.is_alphabetic()).count();
    let stop_words = words.iter().filter(|word| is_stop_word(&word.text));
    letters >= MIN_LETTERS && stop_words.count() <= MAX_STOP_WORDS
}

/// The words of a sequence, which contain no space.
fn joined(words: &[Word]) -> String {
    let mut key = String::new();
    for word in words {
        key.push_str(&word.text);
        key.push(' ');
    }
    key
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "The gateway keeps every session in a ring of twelve shards. A shard holds at most \
        nine thousand sessions, ordered by the moment of their latest request. Expired sessions \
        leave their shard within four seconds, and the freed memory returns to the shared pool. \
        A request without a session receives a fresh one, unless its client exceeded the quota of \
        seventy requests a minute. Counters of clients decay by half each quarter of an hour. The \
        audit trail records every refusal together with the address of its client and the quota.";

    fn source(texts: &[&'static str]) -> QuestionSource<'static> {
        QuestionSource {
            texts: texts.to_vec(),
            ..QuestionSource::default()
        }
    }

    /// Numbers that differ by question and by `seed`.
    fn random(seed: u64) -> impl Fn(usize) -> u64 {
        move |number| {
            seed.wrapping_add(number as u64)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                >> 7
        }
    }

    fn expected(question: &Question) -> String {
        question.after.join(" ")
    }

    fn question(before: &str, after: &str) -> Question {
        let words = |text: &str| words(text).map(|word| word.text).collect();
        Question {
            cue: before.to_owned(),
            is_new: false,
            before: words(before),
            after: words(after),
        }
    }

    #[test]
    fn each_sixth_of_a_text_has_a_question_and_the_same_numbers_ask_the_same() {
        let asked = questions(&source(&[TEXT]), random(7));
        assert_eq!(asked.len(), PARTS);
        assert_eq!(asked, questions(&source(&[TEXT]), random(7)));
        assert_ne!(asked, questions(&source(&[TEXT]), random(8)));
        let places = asked
            .iter()
            .map(|question| TEXT.find(&question.cue).unwrap());
        assert!(places.is_sorted(), "{asked:#?}");
        assert!(asked.iter().all(|question| !question.is_new));
    }

    #[test]
    fn no_question_is_asked_about_what_is_not_unique_or_says_little() {
        for text in [
            "",
            "one two three four five six seven",
            "a b c d e f g h i j k l m n o p",
            "one two three four five six it is the one of them that it is and of the if",
            "red green blue grey pink teal lime plum rust red green blue grey pink teal lime plum rust",
        ] {
            let text: &'static str = text;
            assert_eq!(questions(&source(&[text]), random(1)), [], "{text}");
        }
        let long: QuestionSource<'_> = QuestionSource {
            left_out: vec![vec![0..TEXT.len()]],
            ..source(&[TEXT])
        };
        assert_eq!(questions(&long, random(1)), []);
        let told = QuestionSource {
            elsewhere: vec![TEXT],
            ..source(&[TEXT])
        };
        assert_eq!(questions(&told, random(1)), []);
        assert_eq!(questions(&source(&[TEXT, TEXT]), random(1)), []);
    }

    #[test]
    fn the_first_question_is_about_words_that_are_new() {
        let before: &'static str = Box::leak(
            TEXT.replace("four seconds", "nine seconds")
                .into_boxed_str(),
        );
        let source = QuestionSource {
            previous: Some(vec![before]),
            ..source(&[TEXT])
        };
        for seed in 0..50 {
            let asked = questions(&source, random(seed));
            let [first, others @ ..] = &*asked else {
                panic!("no question");
            };
            assert!(first.is_new && others.iter().all(|other| !other.is_new));
            assert!(others.len() >= 3, "{asked:#?}");
            assert!(expected(first).contains("four"), "{asked:#?}");
        }
        let same = QuestionSource {
            previous: Some(vec![TEXT]),
            ..source.clone()
        };
        assert_eq!(
            questions(&same, random(1)),
            questions(&self::source(&[TEXT]), random(1))
        );
    }

    #[test]
    fn an_answer_begins_with_the_words_or_with_the_end_of_the_question() {
        let asked = question("sessions leave their shard within", "four seconds and");
        for (answer, is_right) in [
            ("four seconds, and the", true),
            ("\u{2026} Four  SECONDS\nand", true),
            ("their shard within four seconds, and", true),
            (
                "sessions leave their shard within **four seconds**, and",
                true,
            ),
            ("four secnods and", true),
            ("four secondss and the freed memory", true),
            ("nine seconds and", false),
            ("for seconds and", false),
            ("four moments and", false),
            ("four seconds", false),
            ("leave within four seconds and", false),
            ("after four seconds and", false),
            ("", false),
        ] {
            assert_eq!(asked.is_answered_by(answer), is_right, "{answer}");
        }
        let number = question("the ring has room for", "12000 sessions each");
        assert!(number.is_answered_by("12000 sesions each"));
        assert!(!number.is_answered_by("12001 sessions each"));
        assert!(!number.is_answered_by("12000 sesions eahc"));
    }

    #[test]
    fn a_cue_is_on_one_line_as_it_stands_there() {
        let text =
            "Limits: at\n> most **fifty** `parallel`\n uploads, else refusals follow immediately.";
        let asked = questions(&source(&[text]), random(3));
        let cues: Vec<_> = asked.iter().map(|question| &*question.cue).collect();
        assert!(cues.iter().all(|cue| !cue.contains('\n')), "{cues:?}");
        assert!(!cues.is_empty());
    }

    proptest! {
        #[test]
        fn every_place_is_unique_apart_and_answered_by_its_text(
            words in prop::collection::vec("[a-e]{1,2}[f-h]{3}|the|of|[0-9]{2}", 0..300),
            seed: u64,
        ) {
            let text = words.join(" ");
            let source = QuestionSource { texts: vec![&*text], ..QuestionSource::default() };
            let asked = questions(&source, random(seed));
            prop_assert!(asked.len() <= PARTS);
            let padded = format!(" {text} ");
            let mut ends = 0;
            for question in &asked {
                let cue = format!(" {} ", question.cue);
                let answer = expected(question);
                prop_assert_eq!(padded.matches(&cue).count(), 1);
                prop_assert_eq!(padded.matches(&format!(" {answer} ")).count(), 1);
                let at = padded.find(&cue).unwrap();
                prop_assert!(at >= ends, "places overlap");
                let rest = &padded[at + cue.len()..];
                prop_assert!(rest.starts_with(&answer));
                ends = at + cue.len() + answer.len();
                prop_assert!(question.is_answered_by(rest));
                let whole = format!("{} {rest}", question.cue);
                prop_assert!(question.is_answered_by(&whole));
            }
        }
    }
}
