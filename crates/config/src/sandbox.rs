//! What keeps the programs of a lane from other files.

use review_lane::SandboxMode;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::fault::ValueFault;
use crate::lists::Paths;
use crate::value::{Value, derived, derived_schema};

/// What keeps the programs of a lane from files outside of their checkouts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// The tool.
    pub mode: SandboxMode,
    /// What the programs may change besides, from the root.
    pub write: Paths,
    /// What they cannot read.
    pub hide: Paths,
}

impl Value for Sandbox {
    const EXPECTED: &'static str =
        "auto, bwrap, landlock, off or required, or a table with mode, write and hide";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        match value {
            Json::String(_) => Ok(Self {
                mode: derived(value)?,
                ..Self::default()
            }),
            Json::Object(_) => derived(value),
            _ => Err(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "anyOf": [derived_schema::<SandboxMode>(), derived_schema::<Self>()] })
    }
}
