//! Decides whether the text of a review was delivered to its reviewer.
//!
//! Delivery is evidence that the text arrived, not that anything was made of it.

use review_schema::EndMark;
use review_types::{PromptRead, PromptTokens, Reading, ReadingPolicy, ReadingState, Usage, plural};
use serde::{Deserialize, Serialize};

/// How a prompt was sent to a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptSent {
    /// Who received it.
    pub receiver: Receiver,
    /// Whether it contains the artifact.
    pub form: ArtifactForm,
    /// How much of it was read, if that is known.
    pub read: Option<PromptRead>,
    /// The number of its words, as [`word_count`] returns it.
    pub words: u64,
}

/// What receives a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receiver {
    /// A program of the user, which may read the artifact by itself.
    Program,
    /// A client of a language model.
    Client,
    /// A service, over HTTP.
    Service,
}

/// How a prompt shows an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactForm {
    /// It contains its files, byte for byte.
    Full,
    /// It names its files, which the agent reads.
    Paths,
}

/// What is known about the delivery of the text of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingSignals {
    receiver: Receiver,
    form: ArtifactForm,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<PromptRead>,
    ends: Ends,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<PromptTokens>,
}

/// What an answer repeats of the ends of its prompt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnsweredEnds<'a> {
    /// Whether it has the `review_id`, which only the start of a prompt names.
    pub(crate) has_review_id: bool,
    /// What it says about the mark at the end.
    pub(crate) end_mark: Option<&'a EndMark>,
}

impl AnsweredEnds<'_> {
    /// Compares them with the mark at the end of the prompt.
    pub(crate) fn compare(self, expected: &str) -> Ends {
        match self.end_mark {
            None => Ends::Absent,
            Some(EndMark::Missing) => Ends::Missing,
            Some(EndMark::Named(named)) => match (names(named, expected), self.has_review_id) {
                (Some(true), true) => Ends::Agree,
                (Some(true), false) => Ends::OnlyEnd,
                (Some(false), _) => Ends::Wrong,
                (None, _) => Ends::Absent,
            },
        }
    }
}

/// Returns whether what an answer names as the mark is the expected one, with or without
/// words and signs around it; `None` if it is no mark at all, but a placeholder or a word.
fn names(named: &str, expected: &str) -> Option<bool> {
    let letters = named.chars().filter(char::is_ascii_alphanumeric);
    let letters: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let is_mark = letters.len() == expected.len() && letters.bytes().all(|c| c.is_ascii_hexdigit());
    match letters.contains(&expected.to_ascii_lowercase()) {
        true => Some(true),
        false => is_mark.then_some(false),
    }
}

/// How the ids in an answer compare with those at the ends of its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ends {
    /// The answer says nothing about the end.
    Absent,
    /// The answer says that the end has no mark.
    Missing,
    /// The answer names another mark.
    Wrong,
    /// The answer names the mark at the end, but not the id at the start.
    OnlyEnd,
    /// The answer names both.
    Agree,
}

/// Why a text was not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDelivered {
    /// A client left a part of its prompt unread.
    Unread(PromptRead),
    /// The service counted fewer tokens than the prompt has words.
    TooFewTokens(PromptTokens),
    /// The answer says that the prompt has no mark at its end.
    EndMissing,
    /// The answer names another mark than that at the end of the prompt.
    EndWrong,
}

/// Why it is unknown whether a text was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// A program left a part of its prompt unread, and may have read the files itself.
    LeftBy(PromptRead),
    /// The prompt only names the files.
    OnlyPaths,
    /// It is not known how much of the prompt was read.
    NotMeasured,
    /// The service counted fewer tokens than the prompt has words, and the answer names
    /// both ends of the prompt.
    FewTokens(PromptTokens),
    /// The prompt was read, and nothing shows that the model received it.
    NothingAgrees,
}

/// Whether a text was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Nothing was sent.
    NotApplicable,
    /// It was delivered.
    Delivered,
    /// It was not.
    Contradicted(NotDelivered),
    /// Nothing shows that it was, or that it was not.
    Unknown(Undecided),
}

impl ReadingSignals {
    /// Returns what the prompt, the mark in the answer and the usage show.
    pub(crate) fn new(sent: PromptSent, ends: Ends, usage: Option<&Usage>) -> Self {
        let counted = usage.filter(|usage| usage.input_tokens > 0);
        Self {
            receiver: sent.receiver,
            form: sent.form,
            prompt: sent.read,
            ends,
            tokens: counted.map(|usage| PromptTokens {
                input: usage.input_tokens,
                at_least: sent.words,
            }),
        }
    }

    /// Decides whether the text was delivered.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        let left = self.prompt.filter(|prompt| !prompt.is_whole());
        match (left, self.receiver) {
            (Some(read), Receiver::Client | Receiver::Service) => {
                return Delivery::Contradicted(NotDelivered::Unread(read));
            }
            (Some(_), Receiver::Program) | (None, _) => {}
        }
        if let Some(tokens) = self.tokens.filter(|tokens| !tokens.is_enough()) {
            // Some services leave out what they have in their cache.
            return match (self.receiver, self.ends) {
                (Receiver::Service, Ends::Agree) => Delivery::Unknown(Undecided::FewTokens(tokens)),
                _ => Delivery::Contradicted(NotDelivered::TooFewTokens(tokens)),
            };
        }
        let agrees = match self.ends {
            Ends::Missing => return Delivery::Contradicted(NotDelivered::EndMissing),
            Ends::Wrong => return Delivery::Contradicted(NotDelivered::EndWrong),
            Ends::Agree => true,
            Ends::Absent | Ends::OnlyEnd => self.tokens.is_some(),
        };
        let was_read = self.receiver == Receiver::Service || self.prompt.is_some();
        Delivery::Unknown(match (left, self.form) {
            (Some(read), _) => Undecided::LeftBy(read),
            (None, ArtifactForm::Paths) => Undecided::OnlyPaths,
            (None, ArtifactForm::Full) if !was_read => Undecided::NotMeasured,
            (None, ArtifactForm::Full) if !agrees => Undecided::NothingAgrees,
            (None, ArtifactForm::Full) => return Delivery::Delivered,
        })
    }

    fn why(&self, delivery: Delivery, reviewer: &str) -> String {
        match delivery {
            Delivery::NotApplicable => String::new(),
            Delivery::Delivered => self.arrived(),
            Delivery::Contradicted(why) => contradiction(why, reviewer),
            Delivery::Unknown(why) => self.undecided(why, reviewer),
        }
    }

    fn arrived(&self) -> String {
        let mut parts = vec![match self.prompt {
            Some(prompt) => format!(
                "all {} bytes of the prompt were read",
                grouped(prompt.bytes)
            ),
            None => "the service accepted the prompt".to_owned(),
        }];
        if self.ends == Ends::Agree {
            parts.push("its end was named".to_owned());
        }
        if let Some(tokens) = self.tokens {
            parts.push(format!("{} tokens were counted", grouped(tokens.input)));
        }
        parts.join(", ")
    }

    fn undecided(&self, why: Undecided, reviewer: &str) -> String {
        let counts = match self.tokens {
            Some(_) => "",
            None => " and counts no tokens",
        };
        let names = match self.ends {
            Ends::OnlyEnd => "does not repeat the review_id at its start",
            Ends::Absent | Ends::Missing | Ends::Wrong | Ends::Agree => "does not name its end_id",
        };
        match why {
            Undecided::LeftBy(prompt) => format!(
                "{reviewer} read {} of {} bytes of its prompt{counts}",
                grouped(prompt.read),
                grouped(prompt.bytes)
            ),
            Undecided::OnlyPaths => {
                format!("{reviewer} was given the paths of the files, which it reads by itself")
            }
            Undecided::NotMeasured => {
                format!("how much {reviewer} read of its prompt was not measured")
            }
            Undecided::FewTokens(tokens) => format!(
                "both ends of the prompt were named, but the service counted {} for {}: it leaves \
                 out what it has in its cache, or cut the prompt in the middle",
                counted(tokens.input, "token", "tokens"),
                counted(tokens.at_least, "word", "words"),
            ),
            Undecided::NothingAgrees if self.receiver == Receiver::Service => {
                format!("{reviewer} accepted its prompt, {names}{counts}")
            }
            Undecided::NothingAgrees => {
                format!("{reviewer} read all of its prompt, {names}{counts}")
            }
        }
    }
}

fn contradiction(why: NotDelivered, reviewer: &str) -> String {
    match why {
        NotDelivered::Unread(prompt) => format!(
            "{reviewer} read {} of {} bytes of its prompt",
            grouped(prompt.read),
            grouped(prompt.bytes)
        ),
        NotDelivered::TooFewTokens(tokens) => format!(
            "the service counted {} for a prompt of {}: it was cut off; give the model a larger \
             context (Ollama: num_ctx)",
            counted(tokens.input, "token", "tokens"),
            counted(tokens.at_least, "word", "words"),
        ),
        NotDelivered::EndMissing => {
            format!("{reviewer} answered that its prompt has no end_id: the end was cut off")
        }
        NotDelivered::EndWrong => format!(
            "{reviewer} answered another end_id than that of its prompt: the end was cut off"
        ),
    }
}

/// Returns whether the text was delivered, and what shows it; `None` where nothing was
/// sent.
pub(crate) fn reading(signals: Option<&ReadingSignals>, reviewer: &str) -> Reading {
    let Some(signals) = signals else {
        return Reading::default();
    };
    let delivery = signals.delivery();
    Reading {
        state: delivery.state(),
        why: signals.why(delivery, reviewer),
        prompt: signals.prompt,
        ends: match signals.ends {
            Ends::Absent | Ends::OnlyEnd => None,
            Ends::Missing | Ends::Wrong => Some(false),
            Ends::Agree => Some(true),
        },
        tokens: signals.tokens,
    }
}

impl Delivery {
    /// Returns the state without its reason.
    #[must_use]
    pub const fn state(self) -> ReadingState {
        match self {
            Self::NotApplicable => ReadingState::NotApplicable,
            Self::Delivered => ReadingState::Delivered,
            Self::Contradicted(_) => ReadingState::Contradicted,
            Self::Unknown(_) => ReadingState::Unknown,
        }
    }
}

/// Returns whether a review in this state counts.
pub(crate) fn counts(policy: ReadingPolicy, state: ReadingState) -> bool {
    match (policy, state) {
        (ReadingPolicy::Off, _)
        | (_, ReadingState::NotApplicable | ReadingState::Delivered)
        | (ReadingPolicy::Ask, ReadingState::Unknown) => true,
        (ReadingPolicy::Ask | ReadingPolicy::Require, ReadingState::Contradicted)
        | (ReadingPolicy::Require, ReadingState::Unknown) => false,
    }
}

/// Returns the number of runs of letters or of digits in a text. A tokenizer that
/// respects words makes at least one token of each.
#[must_use]
pub fn word_count(text: &str) -> u64 {
    #[derive(PartialEq)]
    enum Class {
        Letter,
        Digit,
        Other,
    }
    let mut count = 0;
    let mut before = Class::Other;
    for char in text.chars() {
        let class = if char.is_alphabetic() {
            Class::Letter
        } else if char.is_numeric() {
            Class::Digit
        } else if char == '\'' || !char.is_ascii() && !char.is_whitespace() {
            // Marks and signs that some tokenizers take for a part of the word.
            continue;
        } else {
            Class::Other
        };
        count += u64::from(class != Class::Other && class != before);
        before = class;
    }
    count
}

fn counted(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => plural(1, one, many),
        _ => format!("{} {many}", grouped(count)),
    }
}

/// Writes a number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(receiver: Receiver, read: Option<(u64, u64)>) -> PromptSent {
        PromptSent {
            receiver,
            form: ArtifactForm::Full,
            read: read.map(|(read, bytes)| PromptRead { bytes, read }),
            words: 90,
        }
    }

    fn used(input_tokens: u64) -> Option<Usage> {
        let usage = Usage::NOTHING;
        Some(Usage {
            input_tokens,
            ..usage
        })
    }

    fn delivery(sent: PromptSent, mark: Option<EndMark>, usage: Option<Usage>) -> Delivery {
        ReadingSignals::new(sent, ends(mark.as_ref(), true), usage.as_ref()).delivery()
    }

    fn ends(end_mark: Option<&EndMark>, has_review_id: bool) -> Ends {
        let answered = AnsweredEnds {
            has_review_id,
            end_mark,
        };
        answered.compare("e7d1")
    }

    fn named(mark: &str) -> Option<EndMark> {
        Some(EndMark::Named(mark.to_owned()))
    }

    #[test]
    fn a_text_is_delivered_if_it_was_read_whole_and_the_end_or_the_tokens_agree() {
        use Receiver::{Client, Program, Service};
        let (whole, none) = (Some((500, 500)), None);
        let (half, nothing) = (Some((250, 500)), Some((0, 500)));
        let unread =
            |read| Delivery::Contradicted(NotDelivered::Unread(PromptRead { bytes: 500, read }));
        let left = |read| Delivery::Unknown(Undecided::LeftBy(PromptRead { bytes: 500, read }));
        let tokens = |input| {
            let at_least = 90;
            Delivery::Contradicted(NotDelivered::TooFewTokens(PromptTokens { input, at_least }))
        };
        let missing = Delivery::Contradicted(NotDelivered::EndMissing);
        let wrong = Delivery::Contradicted(NotDelivered::EndWrong);
        let silent = Delivery::Unknown(Undecided::NothingAgrees);
        let few = Delivery::Unknown(Undecided::FewTokens(PromptTokens {
            input: 89,
            at_least: 90,
        }));
        let unmeasured = Delivery::Unknown(Undecided::NotMeasured);
        let delivered = Delivery::Delivered;
        for (receiver, read, mark, usage, expected) in [
            (Program, whole, named("e7d1"), None, delivered),
            (Program, whole, named(" E7D1 "), None, delivered),
            (Program, whole, None, None, silent),
            (Program, whole, None, used(0), silent),
            (Program, nothing, None, None, left(0)),
            (Program, half, named("e7d1"), None, left(250)),
            (Program, whole, named("e7d2"), None, wrong),
            (Program, whole, named("end_id: \"E7d1\"."), None, delivered),
            (Program, whole, named("\"e7d2\""), None, wrong),
            (Program, whole, named("..."), None, silent),
            (Program, whole, named(""), None, silent),
            (Program, whole, named("none"), None, silent),
            (Program, whole, named("the mark at the end"), None, silent),
            (Program, nothing, Some(EndMark::Missing), None, missing),
            (Client, whole, None, used(90), delivered),
            (Client, whole, None, used(89), tokens(89)),
            (Client, whole, named("e7d1"), used(89), tokens(89)),
            (Client, half, named("e7d1"), used(90), unread(250)),
            (Client, nothing, None, None, unread(0)),
            (Client, none, named("e7d1"), used(90), unmeasured),
            (Service, none, None, used(90), delivered),
            (Service, none, None, used(89), tokens(89)),
            (Service, none, named("e7d1"), used(89), few),
            (Service, none, named("e7d1"), None, delivered),
            (Service, none, None, None, silent),
            (Service, none, Some(EndMark::Missing), used(900), missing),
        ] {
            let came = delivery(sent(receiver, read), mark.clone(), usage);
            assert_eq!(came, expected, "{receiver:?} {read:?} {mark:?} {usage:?}");
        }
    }

    #[test]
    fn an_answer_without_the_id_at_the_start_is_no_sign_that_the_start_arrived() {
        let program = sent(Receiver::Program, Some((500, 500)));
        let only_end = ends(named("e7d1").as_ref(), false);
        let came = ReadingSignals::new(program, only_end, None).delivery();
        assert_eq!(came, Delivery::Unknown(Undecided::NothingAgrees));
    }

    #[test]
    fn it_is_unknown_which_files_were_read_where_only_paths_are_given() {
        let paths = PromptSent {
            form: ArtifactForm::Paths,
            ..sent(Receiver::Client, Some((500, 500)))
        };
        let came = delivery(paths, named("e7d1"), used(90));
        assert_eq!(came, Delivery::Unknown(Undecided::OnlyPaths));
        let cut = delivery(paths, named("e7d1"), used(9));
        assert_eq!(cut.state(), ReadingState::Contradicted);
    }

    #[test]
    fn a_review_counts_by_its_state_and_the_policy() {
        use ReadingState::{Contradicted, Delivered, NotApplicable, Unknown};
        for (policy, expected) in [
            (ReadingPolicy::Off, [true, true, true, true]),
            (ReadingPolicy::Ask, [true, true, true, false]),
            (ReadingPolicy::Require, [true, true, false, false]),
        ] {
            let states = [NotApplicable, Delivered, Unknown, Contradicted];
            assert_eq!(
                states.map(|state| counts(policy, state)),
                expected,
                "{policy}"
            );
        }
    }

    #[test]
    fn the_reason_says_what_was_seen() {
        let why = |sent: PromptSent, mark: Option<EndMark>, usage: Option<Usage>| {
            let signals = ReadingSignals::new(sent, ends(mark.as_ref(), true), usage.as_ref());
            reading(Some(&signals), "cmd:./judge.sh").why
        };
        let program = |read| sent(Receiver::Program, Some((read, 8_312)));
        for (came, expected) in [
            (
                why(program(0), None, None),
                "cmd:./judge.sh read 0 of 8,312 bytes of its prompt and counts no tokens",
            ),
            (
                why(program(8_312), named("e7d1"), used(3_120)),
                "all 8,312 bytes of the prompt were read, its end was named, 3,120 tokens were counted",
            ),
            (
                why(program(8_312), None, None),
                "cmd:./judge.sh read all of its prompt, does not name its end_id and counts no tokens",
            ),
            (
                why(sent(Receiver::Service, None), None, used(51)),
                "the service counted 51 tokens for a prompt of 90 words: it was cut off; give the \
                 model a larger context (Ollama: num_ctx)",
            ),
            (
                why(program(8_312), Some(EndMark::Missing), None),
                "cmd:./judge.sh answered that its prompt has no end_id: the end was cut off",
            ),
        ] {
            assert_eq!(came, expected);
        }
    }

    #[test]
    fn words_and_numbers_are_counted() {
        for (text, count) in [
            ("", 0),
            ("p99 latency below 50 ms.", 6),
            ("don't", 1),
            ("don’t", 1),
            ("हिन्दी भाषा", 2),
            ("größe_3.5", 3),
            ("— …", 0),
        ] {
            assert_eq!(word_count(text), count, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_in_groups() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345_678, "12,345,678"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
