//! The names of agents that learn.

use std::fmt;

use review_events::AgentRole;
use serde::{Deserialize, Serialize};

/// The name of an agent that learns: any string, as its files and users write it. A
/// blank one is refused where a file is read.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct AgentName(String);

impl AgentName {
    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<AgentRole> for AgentName {
    fn from(role: AgentRole) -> Self {
        role.as_str().into()
    }
}

impl From<&str> for AgentName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<String> for AgentName {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
