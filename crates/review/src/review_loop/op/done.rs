//! How a loop ends, and what may differ when it goes on.

use review_types::BlockCode;
use serde::{Deserialize, Serialize};

use super::BaseState;
use crate::budget::Budget;
use crate::people::Heard;

/// How the loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewDone {
    /// A review passed.
    Passed,
    /// Persons let it pass.
    Approved {
        /// Who.
        by: String,
    },
    /// It cannot pass.
    Blocked {
        /// Why, as a closed code.
        code: BlockCode,
        /// Why, in words.
        reason: String,
    },
}

/// What may differ when an ended loop goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewChanges {
    /// The artifact, if it is another than the loop left.
    pub base: Option<BaseState>,
    /// How far what persons said reaches, if they said anything since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heard: Option<Heard>,
    /// A new limit of rounds.
    pub max_iterations: Option<u32>,
    /// A new limit of calls.
    pub max_calls: Option<u32>,
    /// New limits of what calls may consume.
    pub budget: Budget,
}
