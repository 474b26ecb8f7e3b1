//! What a run was asked to do.

use std::num::NonZeroU32;

use review_types::{Hash, Manifest, UnitId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AgentRole;

/// What a run was asked to do: the input in the first record of its journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunInput {
    /// Absolute path of the root.
    pub root: String,
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The unit, if the spec has one.
    pub unit: Option<UnitId>,
    /// The artifact's files at the start. Their texts are kept with the record.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Value>"))]
    pub manifest: Manifest,
    /// The instructions of the roles, which a resume gives again. Their texts
    /// are kept like the artifact's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<PinnedPrompt>,
    /// The resolved configuration. Variables appear by name, never by value.
    pub config: Value,
    /// The command line.
    pub command: Vec<String>,
}

/// The version of a role's instructions that a run gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PinnedPrompt {
    /// Whose instructions they are.
    pub role: AgentRole,
    /// Number of the version, from 1.
    pub version: NonZeroU32,
    /// Hash of their text.
    pub hash: Hash,
}
