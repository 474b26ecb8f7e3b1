//! How much of its prompt an agent took in.

use serde::{Deserialize, Serialize};

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
