//! The names of activities.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// The name of an activity, which carries out a step or keeps lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ActivityId(pub(crate) String);

impl ActivityId {
    /// The name of what belongs to it.
    pub(crate) fn child(&self, name: impl Display) -> Self {
        Self(format!("{self}/{name}"))
    }
}

impl Display for ActivityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
