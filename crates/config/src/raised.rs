//! The keys that may change in a run that exists.

use std::collections::BTreeMap;

use serde_json::{Error as JsonError, Value as Json};

use crate::key::{Origin, pointer};
use crate::tables::Config;

/// The keys that a resume may set again.
pub const RAISED: [&str; 9] = [
    "review.max_iterations",
    "review.patience",
    "run.max_time",
    "run.max_calls",
    "run.max_tokens",
    "run.max_cost",
    "agent.call_timeout",
    "agent.idle_timeout",
    "task.jobs",
];

/// The keys that a resume sets again, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaisedKeys(pub BTreeMap<&'static str, Json>);

impl Config {
    /// The keys of [`RAISED`] that options of the command line set.
    pub fn raised(&self) -> RaisedKeys {
        let set = self.entries().filter_map(|(key, value, origin)| {
            let name = RAISED.iter().find(|name| **name == key.name)?;
            matches!(origin, Origin::Flag(_)).then_some((*name, value))
        });
        RaisedKeys(set.collect())
    }

    /// Gives keys other values.
    ///
    /// # Errors
    /// When it is not a configuration with them.
    pub fn raise(&mut self, raised: &RaisedKeys) -> Result<(), JsonError> {
        let mut values = serde_json::to_value(&*self)?;
        for (name, value) in &raised.0 {
            if let Some(before) = values.pointer_mut(&pointer(name)) {
                before.clone_from(value);
            }
        }
        *self = Self {
            origins: std::mem::take(&mut self.origins),
            ..serde_json::from_value(values)?
        };
        Ok(())
    }
}
