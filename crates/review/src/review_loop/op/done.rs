//! The end of a loop, and the changes with which it continues.

use review_types::BlockCode;
use serde::{Deserialize, Serialize};

use super::BaseState;
use crate::budget::Budget;
use crate::people::Cursor;

/// The end of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewDone {
    /// A review passed.
    Passed,
    /// Users approved the artifact.
    Approved {
        /// The users.
        by: String,
    },
    /// The loop cannot pass.
    Blocked {
        /// The reason as a stable code.
        code: BlockCode,
        /// The reason in words.
        reason: String,
    },
}

/// The changes with which an ended loop continues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewChanges {
    /// The artifact, if it is different from the one that the loop left.
    pub base: Option<BaseState>,
    /// The position of the comments, if there are new ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heard: Option<Cursor>,
    /// A new limit of rounds.
    pub max_iterations: Option<u32>,
    /// A new number of rounds that may close nothing; 0 for a loop that ends by its
    /// limits alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// A new limit of calls.
    pub max_calls: Option<u32>,
    /// New limits of what calls may consume.
    pub budget: Budget,
}
