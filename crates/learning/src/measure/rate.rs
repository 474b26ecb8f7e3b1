//! Rates of events in runs.

use serde::Serialize;

/// The number of runs with an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Rate {
    /// The number of runs with the event.
    pub events: u32,
    /// The number of all runs.
    pub runs: u32,
}

impl Rate {
    /// Counts events.
    pub(crate) fn of(events: impl IntoIterator<Item = bool>) -> Self {
        events
            .into_iter()
            .fold(Self::default(), |rate, event| Self {
                events: rate.events + u32::from(event),
                runs: rate.runs + 1,
            })
    }

    /// The share of runs with the event, from 0 to 1; `None` without runs.
    pub fn share(self) -> Option<f64> {
        (self.runs > 0).then(|| f64::from(self.events) / f64::from(self.runs))
    }

    /// Whether a run was without the event.
    pub(crate) const fn has_others(self) -> bool {
        self.events < self.runs
    }
}
