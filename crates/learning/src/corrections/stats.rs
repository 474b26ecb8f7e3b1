//! Counts and weights of corrections.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Correction;

/// The number of corrections and their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CorrectionTotals {
    /// The number of corrections.
    pub count: u64,
    /// The sum of the weights of their sources.
    pub weight: f64,
    /// The sum of their impacts: the weight of the source times the score of the
    /// severity.
    pub impact: f64,
}

impl CorrectionTotals {
    fn add(&mut self, correction: &Correction) {
        self.count += 1;
        self.weight += correction.source.weight();
        self.impact += correction.impact();
    }
}

/// Corrections counted by one of their properties.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// All corrections.
    pub total: CorrectionTotals,
    /// By their agent or type.
    pub groups: BTreeMap<String, CorrectionTotals>,
}

impl Stats {
    /// Counts a correction in the group of this name.
    pub fn add(&mut self, name: &str, correction: &Correction) {
        self.total.add(correction);
        self.groups
            .entry(name.to_owned())
            .or_default()
            .add(correction);
    }
}
