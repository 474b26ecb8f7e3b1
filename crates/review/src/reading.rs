//! Decides whether the text of a review was delivered to its reviewer.
//!
//! Delivery is evidence that the text arrived, not that anything was made of it.

use std::collections::BTreeMap;

use review_schema::EndMark;
use review_text::Question;
use review_types::{
    AnswerCounts, Hash, LineRange, Opened, PromptRead, PromptTokens, Reading, ReadingPolicy,
    ReadingState, Usage, plural,
};
use serde::{Deserialize, Serialize};

use crate::opened::OpenedText;

/// The share of the files in percent below which a reviewer did not open them.
const OPENED_TOO_LITTLE: u16 = 50;

/// The share of the files in percent from which a reviewer has opened them.
const OPENED_ENOUGH: u16 = 95;

/// Maximum number of ranges in a reason.
const MAX_NAMED: usize = 3;

/// How a prompt was sent to a reviewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptSent {
    /// Who received it.
    pub receiver: Receiver,
    /// Whether it contains the artifact.
    pub form: ArtifactForm,
    /// How much of it was read, if that is known.
    pub read: Option<PromptRead>,
    /// The number of its words, as [`word_count`] returns it.
    pub words: u64,
    /// Whether the tokens of the call are the difference of two counts of its session.
    pub is_difference: bool,
    /// What was opened of the files that it only names, if that is known.
    pub opened: Option<OpenedText>,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingSignals {
    receiver: Receiver,
    form: ArtifactForm,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<PromptRead>,
    ends: Ends,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<PromptTokens>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answers: Option<QuestionAnswers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opened: Option<Box<OpenedSignal>>,
}

/// The answers to the questions of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QuestionAnswers {
    counts: AnswerCounts,
    /// Whether the answer to the question about new text is missing or wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    misses_new: bool,
    /// Whether the answer has no place for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_absent: bool,
}

impl QuestionAnswers {
    /// Returns how many questions were answered right, if any were asked; `said` are the
    /// answers by the number of the question, from 1.
    pub(crate) fn of(
        questions: &[Question],
        said: Option<&BTreeMap<usize, String>>,
    ) -> Option<Self> {
        let is_right = |number: usize, question: &Question| {
            let answer = said.and_then(|said| said.get(&number));
            answer.is_some_and(|answer| question.is_answered_by(answer))
        };
        let numbered = || (1..).zip(questions);
        let right = numbered().filter(|(number, question)| is_right(*number, question));
        let mut new = numbered().filter(|(_, question)| question.is_new);
        let count = |many| u32::try_from(many).unwrap_or(u32::MAX);
        (!questions.is_empty()).then(|| Self {
            counts: AnswerCounts {
                asked: count(questions.len()),
                right: count(right.count()),
            },
            misses_new: new.any(|(number, question)| !is_right(number, question)),
            is_absent: said.is_none(),
        })
    }

    /// Returns whether they show that the text was received: at least five of six are
    /// right, and that about new text.
    const fn is_enough(self) -> bool {
        self.counts.right * 6 >= self.counts.asked * 5 && !self.misses_new
    }

    /// Returns whether they show that it was not.
    const fn is_nothing(self) -> bool {
        self.counts.right == 0 && !self.is_absent
    }

    fn words(self) -> String {
        let AnswerCounts { asked, right } = self.counts;
        let questions = plural(asked as usize, "question", "questions");
        match (self.is_absent, self.misses_new) {
            (true, _) => format!("the {questions} about the text got no answer"),
            (false, true) => format!(
                "{right} of {questions} about the text got the right answer, and the one about what \
                 changed since the last review did not"
            ),
            (false, false) => {
                format!("{right} of {questions} about the text got the right answer")
            }
        }
    }
}

/// What was opened of the files that a prompt only names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OpenedSignal {
    text: Opened,
    /// Hash of the lines that were opened, file by file; `None` if it is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Hash>,
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
    /// No question about the text got the right answer; so many were asked.
    NoRightAnswer(u32),
    /// A client opened less than half of the files that the prompt names.
    NotOpened,
}

/// Why it is unknown whether a text was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// A program left a part of its prompt unread, and may have read the files itself.
    LeftBy(PromptRead),
    /// The prompt only names the files, and nothing reports what was opened of them.
    OnlyPaths,
    /// A client opened a part of the files that the prompt names.
    PartlyOpened,
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
    /// It was delivered, and questions about it were answered.
    Answered,
    /// It was delivered.
    Delivered,
    /// It was not.
    Contradicted(NotDelivered),
    /// Nothing shows that it was, or that it was not.
    Unknown(Undecided),
}

impl ReadingSignals {
    /// Returns what the prompt, the mark in the answer, the usage and the opened files
    /// show; `opened_files` is the hash of the lines that were opened.
    pub(crate) fn new(
        sent: PromptSent,
        ends: Ends,
        usage: Option<&Usage>,
        opened_files: Option<Hash>,
    ) -> Self {
        let is_enough = |usage: &&Usage| usage.input_tokens >= sent.words;
        let counted = usage.filter(|usage| usage.input_tokens > 0);
        // A session whose first count is too large leaves too little for a later call.
        let counted = counted.filter(|usage| !sent.is_difference || is_enough(usage));
        Self {
            receiver: sent.receiver,
            form: sent.form,
            prompt: sent.read,
            ends,
            tokens: counted.map(|usage| PromptTokens {
                input: usage.input_tokens,
                at_least: sent.words,
            }),
            answers: None,
            opened: sent.opened.map(|opened| {
                Box::new(OpenedSignal {
                    text: opened.opened,
                    files: opened_files,
                })
            }),
        }
    }

    /// Adds the answers to the questions of the prompt.
    pub(crate) fn with_answers(self, answers: Option<QuestionAnswers>) -> Self {
        Self { answers, ..self }
    }

    /// Returns the hash of the lines that were opened up to the answer, if they are
    /// known.
    pub(crate) fn opened_files(&self) -> Option<Hash> {
        self.opened.as_ref()?.files
    }

    fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref().map(|opened| &opened.text)
    }

    /// Decides whether the text was delivered.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        if self.answers.is_some_and(QuestionAnswers::is_enough) {
            return Delivery::Answered;
        }
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
        if let Some(answers) = self.answers.filter(|answers| answers.is_nothing()) {
            return Delivery::Contradicted(NotDelivered::NoRightAnswer(answers.counts.asked));
        }
        let was_read = self.receiver == Receiver::Service || self.prompt.is_some();
        let opened = self.opened().map(|opened| opened.share.percent());
        Delivery::Unknown(match (left, self.form) {
            (Some(read), _) => Undecided::LeftBy(read),
            (None, ArtifactForm::Paths) => match opened {
                None => Undecided::OnlyPaths,
                Some(..OPENED_TOO_LITTLE) => {
                    return Delivery::Contradicted(NotDelivered::NotOpened);
                }
                Some(OPENED_TOO_LITTLE..OPENED_ENOUGH) => Undecided::PartlyOpened,
                Some(OPENED_ENOUGH..) => return Delivery::Delivered,
            },
            (None, ArtifactForm::Full) if !was_read => Undecided::NotMeasured,
            (None, ArtifactForm::Full) if !agrees => Undecided::NothingAgrees,
            (None, ArtifactForm::Full) => return Delivery::Delivered,
        })
    }

    fn why(&self, delivery: Delivery, reviewer: &str) -> String {
        let mut parts = match delivery {
            Delivery::NotApplicable | Delivery::Answered => Vec::new(),
            Delivery::Delivered => self.arrived(),
            Delivery::Contradicted(why) => return self.contradiction(why, reviewer),
            Delivery::Unknown(why) => vec![self.undecided(why, reviewer)],
        };
        parts.extend(self.answers.map(QuestionAnswers::words));
        parts.join(", ")
    }

    fn arrived(&self) -> Vec<String> {
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
        if let Some(opened) = self.opened() {
            let percent = opened.share.percent();
            parts.push(format!("{percent} % of the artifact was opened"));
        }
        parts
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
                format!("{reviewer} was given the paths of the files, which it reads on its own")
            }
            Undecided::PartlyOpened => self.opened_by(reviewer),
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

    /// Returns how much a reviewer opened, with the first lines that are missing.
    fn opened_by(&self, reviewer: &str) -> String {
        let Some(Opened { share, missing }) = self.opened() else {
            return format!("{reviewer} opened nothing of the artifact");
        };
        let percent = share.percent();
        let named = missing.iter().take(MAX_NAMED).map(LineRange::to_string);
        let mut named: Vec<_> = named.collect();
        match missing.len().saturating_sub(MAX_NAMED) {
            0 => {}
            more => named.push(plural(more, "other part", "other parts")),
        }
        let missing = named.join(", ");
        format!("{reviewer} opened {percent} % of the artifact, not {missing}")
    }

    fn contradiction(&self, why: NotDelivered, reviewer: &str) -> String {
        match why {
            NotDelivered::Unread(prompt) => format!(
                "{reviewer} read {} of {} bytes of its prompt",
                grouped(prompt.read),
                grouped(prompt.bytes)
            ),
            NotDelivered::TooFewTokens(tokens) => format!(
                "{} counted {} for a prompt of {}: it was cut off; give the model a larger \
                 context{}",
                match self.receiver {
                    Receiver::Service => "the service",
                    Receiver::Client | Receiver::Program => reviewer,
                },
                counted(tokens.input, "token", "tokens"),
                counted(tokens.at_least, "word", "words"),
                match self.receiver {
                    Receiver::Service => " (Ollama: num_ctx)",
                    Receiver::Client | Receiver::Program => "",
                },
            ),
            NotDelivered::EndMissing => {
                format!("{reviewer} answered that its prompt has no end_id: the end was cut off")
            }
            NotDelivered::EndWrong => format!(
                "{reviewer} answered another end_id than that of its prompt: the end was cut off"
            ),
            NotDelivered::NoRightAnswer(asked) => {
                let questions = plural(asked as usize, "question", "questions");
                format!("{reviewer} gave the right answer to none of {questions} about the text")
            }
            NotDelivered::NotOpened => self.opened_by(reviewer),
        }
    }
}

/// Returns what a reviewer is asked to do whose text was not delivered.
pub(crate) fn advice(reading: &Reading) -> String {
    let missing = reading.opened.as_ref().map(|opened| &*opened.missing);
    match missing.unwrap_or_default() {
        [] => "read all of it, to its last line, before you judge".to_owned(),
        missing => {
            let lines: Vec<_> = missing.iter().map(LineRange::to_string).collect();
            format!("open these lines before you judge: {}", lines.join(", "))
        }
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
        answers: signals.answers.map(|answers| answers.counts),
        opened: signals.opened().cloned(),
    }
}

impl Delivery {
    /// Returns the state without its reason.
    #[must_use]
    pub const fn state(self) -> ReadingState {
        match self {
            Self::NotApplicable => ReadingState::NotApplicable,
            Self::Answered => ReadingState::Answered,
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
        | (_, ReadingState::NotApplicable | ReadingState::Answered | ReadingState::Delivered)
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
    use review_text::{QuestionSource, questions};
    use review_types::Share;

    use super::*;

    fn sent(receiver: Receiver, read: Option<(u64, u64)>) -> PromptSent {
        PromptSent {
            receiver,
            form: ArtifactForm::Full,
            read: read.map(|(read, bytes)| PromptRead { bytes, read }),
            words: 90,
            is_difference: false,
            opened: None,
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
        ReadingSignals::new(sent, ends(mark.as_ref(), true), usage.as_ref(), None).delivery()
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

    /// Questions about six places, of which the first may be about new text, with so many
    /// right answers from the last on; `None` is an answer without any.
    fn answers(asked: usize, has_new: bool, right: Option<usize>) -> Option<QuestionAnswers> {
        let words = "the slow brown worms eat quite seldom hours of seventh garden leaves";
        let text: Vec<_> = (0..asked)
            .map(|number| {
                words.replace(' ', &format!("{} ", ["a", "e", "i", "o", "u", "y"][number]))
            })
            .collect();
        let asked: Vec<_> = (text.iter())
            .map(|text| {
                let source = QuestionSource {
                    texts: vec![text],
                    previous: has_new.then(Vec::new),
                    ..QuestionSource::default()
                };
                let question = questions(&source, |_| 0).remove(0);
                (question, text)
            })
            .collect();
        let said = right.map(|right| {
            let wrong = asked.len() - right;
            let numbered = (1..).zip(&asked).skip(wrong);
            let answer = |text: &str, question: &Question| {
                text.split_once(&question.cue).unwrap().1.to_owned()
            };
            let said = numbered.map(|(number, (question, text))| (number, answer(text, question)));
            said.collect::<BTreeMap<_, _>>()
        });
        let asked = asked.into_iter().enumerate();
        let asked: Vec<_> = asked
            .map(|(at, (mut question, _))| {
                question.is_new = has_new && at == 0;
                question
            })
            .collect();
        QuestionAnswers::of(&asked, said.as_ref())
    }

    #[test]
    fn five_of_six_right_answers_with_that_about_new_text_outweigh_all_other_signals() {
        use Receiver::{Program, Service};
        let lost = Delivery::Contradicted(NotDelivered::EndMissing);
        let none = |asked| Delivery::Contradicted(NotDelivered::NoRightAnswer(asked));
        let silent = Delivery::Unknown(Undecided::NothingAgrees);
        for (receiver, answers, mark, expected) in [
            (
                Program,
                answers(6, false, Some(6)),
                None,
                Delivery::Answered,
            ),
            (
                Program,
                answers(6, false, Some(5)),
                None,
                Delivery::Answered,
            ),
            (
                Program,
                answers(6, false, Some(5)),
                Some(EndMark::Missing),
                Delivery::Answered,
            ),
            (
                Service,
                answers(6, true, Some(6)),
                Some(EndMark::Missing),
                Delivery::Answered,
            ),
            (Program, answers(6, true, Some(5)), None, silent),
            (Program, answers(6, false, Some(4)), None, silent),
            (
                Program,
                answers(6, false, Some(4)),
                Some(EndMark::Missing),
                lost,
            ),
            (
                Program,
                answers(6, false, Some(4)),
                named("e7d1"),
                Delivery::Delivered,
            ),
            (
                Program,
                answers(5, false, Some(5)),
                None,
                Delivery::Answered,
            ),
            (Program, answers(5, false, Some(4)), None, silent),
            (
                Program,
                answers(1, false, Some(1)),
                None,
                Delivery::Answered,
            ),
            (Program, answers(6, false, Some(0)), None, none(6)),
            (Program, answers(1, false, Some(0)), named("e7d1"), none(1)),
            (Program, answers(6, false, None), None, silent),
            (
                Program,
                answers(6, false, None),
                named("e7d1"),
                Delivery::Delivered,
            ),
            (Program, answers(0, false, Some(0)), None, silent),
        ] {
            let sent = sent(receiver, Some((500, 500)));
            let signals = ReadingSignals::new(sent, ends(mark.as_ref(), true), None, None);
            let came = signals.with_answers(answers).delivery();
            assert_eq!(came, expected, "{answers:?} {mark:?}");
        }
        assert_eq!(answers(0, false, None), None);
    }

    #[test]
    fn the_difference_of_two_counts_says_nothing_where_it_is_too_small() {
        let later = || PromptSent {
            is_difference: true,
            ..sent(Receiver::Client, Some((500, 500)))
        };
        for (mark, tokens, expected) in [
            (None, 90, Delivery::Delivered),
            (None, 89, Delivery::Unknown(Undecided::NothingAgrees)),
            (named("e7d1"), 89, Delivery::Delivered),
            (
                named("e7d2"),
                89,
                Delivery::Contradicted(NotDelivered::EndWrong),
            ),
        ] {
            assert_eq!(
                delivery(later(), mark.clone(), used(tokens)),
                expected,
                "{mark:?}"
            );
        }
    }

    #[test]
    fn an_answer_without_the_id_at_the_start_is_no_sign_that_the_start_arrived() {
        let program = sent(Receiver::Program, Some((500, 500)));
        let only_end = ends(named("e7d1").as_ref(), false);
        let came = ReadingSignals::new(program, only_end, None, None).delivery();
        assert_eq!(came, Delivery::Unknown(Undecided::NothingAgrees));
    }

    /// A prompt with paths of files, of which this much was opened.
    fn paths(opened: Option<(usize, Vec<LineRange>)>) -> PromptSent {
        PromptSent {
            form: ArtifactForm::Paths,
            opened: opened.map(|(part, missing)| OpenedText {
                opened: Opened {
                    share: Share::of(part, 1000),
                    missing,
                },
                files: Vec::new(),
            }),
            ..sent(Receiver::Client, Some((500, 500)))
        }
    }

    #[test]
    fn files_of_which_only_paths_are_given_are_delivered_if_they_were_opened() {
        let end = || named("e7d1");
        let not_opened = Delivery::Contradicted(NotDelivered::NotOpened);
        let partly = Delivery::Unknown(Undecided::PartlyOpened);
        for (opened, expected) in [
            (None, Delivery::Unknown(Undecided::OnlyPaths)),
            (Some(0), not_opened),
            (Some(499), not_opened),
            (Some(500), partly),
            (Some(949), partly),
            (Some(950), Delivery::Delivered),
            (Some(1000), Delivery::Delivered),
        ] {
            let prompt = paths(opened.map(|part| (part, Vec::new())));
            assert_eq!(delivery(prompt, end(), used(90)), expected, "{opened:?}");
        }
        let cut = delivery(paths(Some((1000, Vec::new()))), end(), used(9));
        assert_eq!(cut.state(), ReadingState::Contradicted);
    }

    #[test]
    fn the_lines_that_were_not_opened_are_named() {
        let missing = |ranges: &[(u32, u32)]| {
            let ranges = ranges.iter().map(|(first, last)| LineRange {
                path: "specs/S.md".to_owned(),
                first: *first,
                last: *last,
            });
            ranges.collect::<Vec<_>>()
        };
        for (part, ranges, why, advised) in [
            (
                380,
                missing(&[(401, 1180)]),
                "claude opened 38 % of the artifact, not specs/S.md lines 401-1180",
                "open these lines before you judge: specs/S.md lines 401-1180",
            ),
            (
                700,
                missing(&[(1, 2), (4, 4), (6, 7), (9, 10), (12, 13)]),
                "claude opened 70 % of the artifact, not specs/S.md lines 1-2, specs/S.md line 4, \
                 specs/S.md lines 6-7, 2 other parts",
                "open these lines before you judge: specs/S.md lines 1-2, specs/S.md line 4, \
                 specs/S.md lines 6-7, specs/S.md lines 9-10, specs/S.md lines 12-13",
            ),
            (
                990,
                missing(&[(9, 9)]),
                "all 500 bytes of the prompt were read, 99 % of the artifact was opened",
                "open these lines before you judge: specs/S.md line 9",
            ),
        ] {
            let signals =
                ReadingSignals::new(paths(Some((part, ranges))), Ends::Absent, None, None);
            let reading = reading(Some(&signals), "claude");
            assert_eq!((&*reading.why, &*advice(&reading)), (why, advised));
        }
    }

    #[test]
    fn a_review_counts_by_its_state_and_the_policy() {
        use ReadingState::{Answered, Contradicted, Delivered, NotApplicable, Unknown};
        for (policy, expected) in [
            (ReadingPolicy::Off, [true, true, true, true, true]),
            (ReadingPolicy::Ask, [true, true, true, true, false]),
            (ReadingPolicy::Require, [true, true, true, false, false]),
        ] {
            let states = [NotApplicable, Answered, Delivered, Unknown, Contradicted];
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
            let signals =
                ReadingSignals::new(sent, ends(mark.as_ref(), true), usage.as_ref(), None);
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
                why(sent(Receiver::Client, Some((90, 90))), None, used(51)),
                "cmd:./judge.sh counted 51 tokens for a prompt of 90 words: it was cut off; give \
                 the model a larger context",
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
    fn the_reason_says_which_questions_were_answered() {
        let why = |answers, mark: Option<EndMark>| {
            let sent = sent(Receiver::Program, Some((500, 500)));
            let signals = ReadingSignals::new(sent, ends(mark.as_ref(), true), None, None);
            reading(Some(&signals.with_answers(answers)), "cmd:judge").why
        };
        let unknown =
            "cmd:judge read all of its prompt, does not name its end_id and counts no tokens";
        for (came, expected) in [
            (
                why(answers(6, false, Some(5)), None),
                "5 of 6 questions about the text got the right answer".to_owned(),
            ),
            (
                why(answers(6, true, Some(5)), None),
                format!(
                    "{unknown}, 5 of 6 questions about the text got the right answer, and the one \
                     about what changed since the last review did not"
                ),
            ),
            (
                why(answers(6, false, None), None),
                format!("{unknown}, the 6 questions about the text got no answer"),
            ),
            (
                why(answers(6, false, Some(3)), named("e7d1")),
                "all 500 bytes of the prompt were read, its end was named, 3 of 6 questions about \
                 the text got the right answer"
                    .to_owned(),
            ),
            (
                why(answers(6, false, Some(0)), None),
                "cmd:judge gave the right answer to none of 6 questions about the text".to_owned(),
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
