//! Whether the text of a review was delivered to its reviewer.

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
        /// It was.
        Delivered => "delivered",
        /// It was not.
        Contradicted => "contradicted",
        /// Nothing shows that it was, or that it was not.
        Unknown => "unknown",
    }
}

/// Whether the text of a review was delivered, and what shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reading {
    /// The state.
    pub state: ReadingState,
    /// What shows the state, in words.
    pub why: String,
    /// How much of its standard input a program or client read; absent over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub prompt: Option<PromptRead>,
    /// Whether the answer names the mark at the end of the prompt; absent if it says
    /// nothing about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub ends: Option<bool>,
    /// The tokens of the prompt; absent where they are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub tokens: Option<PromptTokens>,
}

impl Reading {
    /// Returns whether nothing was sent.
    #[must_use]
    pub fn is_not_applicable(&self) -> bool {
        self.state == ReadingState::NotApplicable
    }
}

/// How much of a prompt was read from standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
