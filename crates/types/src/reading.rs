//! Whether the text of a review was delivered to its reviewer.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::closed_list;

closed_list! {
    /// What is done about a review whose text was not delivered, as far as is known.
    #[derive(Default)]
    ReadingPolicy {
        /// It counts; a text that was not delivered is a warning.
        Off => "off",
        /// It does not count if the text was not delivered.
        #[default]
        Ask => "ask",
        /// It counts only if the text was delivered.
        Require => "require",
    }
}

closed_list! {
    /// Whether the text was delivered.
    #[derive(Default)]
    ReadingState {
        /// Nothing was sent: the review was made by rules, or by the caller.
        #[default]
        NotApplicable => "not_applicable",
        /// It was, and the reviewer answered questions about it.
        Answered => "answered",
        /// It was.
        Delivered => "delivered",
        /// It was not.
        Contradicted => "contradicted",
        /// Nothing shows that it was, or that it was not.
        Unknown => "unknown",
    }
}

impl ReadingState {
    /// Returns whether it is known that the text reached its reviewer.
    #[must_use]
    pub const fn is_known(self) -> bool {
        match self {
            Self::NotApplicable | Self::Answered | Self::Delivered => true,
            Self::Contradicted | Self::Unknown => false,
        }
    }
}

/// Whether the text of a review was delivered, and what shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Reading {
    /// The state.
    pub state: ReadingState,
    /// What shows the state, in words.
    pub why: String,
    /// How much of its standard input a program or client read; absent over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub prompt: Option<PromptRead>,
    /// Whether the answer names the mark at the end of the prompt; absent if it says
    /// nothing about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub ends: Option<bool>,
    /// The tokens of the prompt; absent where they are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub tokens: Option<PromptTokens>,
    /// The answers to questions about the text; absent where none were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub answers: Option<AnswerCounts>,
    /// What the reviewer opened of the files; absent where the prompt contains them, or
    /// nothing reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub opened: Option<Opened>,
}

impl Reading {
    /// Returns whether nothing was sent.
    #[must_use]
    pub fn is_not_applicable(&self) -> bool {
        self.state == ReadingState::NotApplicable
    }

    /// Returns whether the reviewer left a part of its prompt unread, and nothing else
    /// shows that the text was delivered.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        let is_known = matches!(
            self.state,
            ReadingState::Answered | ReadingState::Delivered | ReadingState::NotApplicable
        );
        !is_known && self.prompt.is_some_and(|prompt| !prompt.is_whole())
    }
}

/// The number of questions about a text, and of right answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnswerCounts {
    /// The number of questions.
    pub asked: u32,
    /// The number of right answers.
    pub right: u32,
}

/// How much of a prompt was read from standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PromptRead {
    /// The length of the prompt in bytes.
    pub bytes: u64,
    /// The number of bytes that were read.
    pub read: u64,
}

impl PromptRead {
    /// Returns whether all of it was read.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.read >= self.bytes
    }
}

/// The tokens that a service counted for a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PromptTokens {
    /// The number of tokens that the model read, from a cache or not.
    pub input: u64,
    /// The number of words and numbers in the prompt: no prompt has fewer tokens.
    pub at_least: u64,
}

impl PromptTokens {
    /// Returns whether a prompt can have so few tokens.
    #[must_use]
    pub const fn is_enough(self) -> bool {
        self.input >= self.at_least
    }
}

/// What an agent opened of files of which its prompt gives the paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Opened {
    /// The share of their bytes that its tools showed, from 0 to 1.
    pub share: Share,
    /// The lines that were not opened, at most 64 ranges.
    pub missing: Vec<LineRange>,
}

impl Opened {
    /// Maximum number of ranges in `missing`.
    pub const MAX_MISSING: usize = 64;
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LineRange {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// Returns a line as `specs/S.md line 4`, and lines as `specs/S.md lines 4-9`.
impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, first, last } = self;
        match first == last {
            true => write!(f, "{path} line {first}"),
            false => write!(f, "{path} lines {first}-{last}"),
        }
    }
}

/// A part of a whole in thousandths; as JSON, a number from 0 to 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[schemars(with = "f64")]
#[serde(from = "f64", into = "f64")]
pub struct Share(u16);

impl Share {
    const WHOLE: u16 = 1000;

    /// Returns the share of `part` in `whole`, rounded down; all of it where the whole
    /// is nothing.
    #[must_use]
    pub fn of(part: usize, whole: usize) -> Self {
        let thousandths = part.saturating_mul(Self::WHOLE.into()).checked_div(whole);
        let thousandths = thousandths.and_then(|share| u16::try_from(share).ok());
        Self(thousandths.unwrap_or(Self::WHOLE).min(Self::WHOLE))
    }

    /// Returns the share in percent, rounded down.
    #[must_use]
    pub const fn percent(self) -> u16 {
        self.0 / 10
    }
}

impl From<f64> for Share {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is clamped to 0 to 1000"
    )]
    fn from(share: f64) -> Self {
        let thousandths = (share * f64::from(Self::WHOLE)).round();
        Self(thousandths.clamp(0.0, f64::from(Self::WHOLE)) as u16)
    }
}

impl From<Share> for f64 {
    fn from(Share(thousandths): Share) -> Self {
        Self::from(thousandths) / Self::from(Share::WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_down_and_read_back_as_it_was() {
        for (part, whole, json, percent) in [
            (0, 0, "1.0", 100),
            (0, 7, "0.0", 0),
            (1, 3, "0.333", 33),
            (949_999, 1_000_000, "0.949", 94),
            (7, 7, "1.0", 100),
        ] {
            let share = Share::of(part, whole);
            assert_eq!(serde_json::to_string(&share).unwrap(), json);
            assert_eq!(serde_json::from_str::<Share>(json).unwrap(), share);
            assert_eq!(share.percent(), percent);
        }
    }

    #[test]
    fn lines_are_named_with_their_file() {
        let range = |first, last| LineRange {
            path: "specs/S.md".to_owned(),
            first,
            last,
        };
        assert_eq!(range(4, 4).to_string(), "specs/S.md line 4");
        assert_eq!(range(4, 9).to_string(), "specs/S.md lines 4-9");
    }
}
