//! The input of a run.

use std::num::NonZeroU32;

use review_types::{Hash, Manifest, UnitId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AgentRole;

/// The input of a run, in the first record of its journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunInput {
    /// Absolute path of the root.
    pub root: String,
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The unit, if the spec has one.
    pub unit: Option<UnitId>,
    /// The artifact's files at the start. Their contents are stored with the record.
    #[schemars(with = "Vec<Value>")]
    pub manifest: Manifest,
    /// The instructions of the roles, which a resume uses again. Their contents are
    /// stored like the artifact's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<PinnedPrompt>,
    /// The resolved configuration. Variables appear by name, never by value.
    pub config: Value,
    /// The command line.
    pub command: Vec<String>,
}

/// The version of a role's instructions that a run uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PinnedPrompt {
    /// The role.
    pub role: AgentRole,
    /// Number of the version, from 1.
    pub version: NonZeroU32,
    /// Hash of the instructions.
    pub hash: Hash,
}
