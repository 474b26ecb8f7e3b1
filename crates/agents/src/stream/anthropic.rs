//! What messages of Anthropic say, over HTTP and through its client.

use serde::Deserialize;

use super::StopReason;
use super::wire::nullable;

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MessageStop {
    /// The answer is as long as it may be.
    MaxTokens,
    /// The conversation is.
    ModelContextWindowExceeded,
    /// It declined.
    Refusal,
    /// It is done, or pauses.
    #[serde(other)]
    Other,
}

impl From<MessageStop> for StopReason {
    fn from(stop: MessageStop) -> Self {
        match stop {
            MessageStop::MaxTokens | MessageStop::ModelContextWindowExceeded => Self::Length,
            MessageStop::Refusal => Self::Refusal,
            MessageStop::Other => Self::Stop,
        }
    }
}

/// The tokens of a message; what is served from the cache, or put there, is not
/// in `input_tokens`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct MessageUsage {
    #[serde(default, deserialize_with = "nullable")]
    input_tokens: u64,
    #[serde(default, deserialize_with = "nullable")]
    pub(crate) cache_creation_input_tokens: u64,
    #[serde(default, deserialize_with = "nullable")]
    pub(crate) cache_read_input_tokens: u64,
    #[serde(default, deserialize_with = "nullable")]
    pub(crate) output_tokens: u64,
}

impl MessageUsage {
    /// All that the model read.
    pub(crate) fn input(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_input_tokens)
            .saturating_add(self.cache_read_input_tokens)
    }
}
