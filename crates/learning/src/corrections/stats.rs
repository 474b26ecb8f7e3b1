//! Counts and weights of corrections.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Correction;

/// The number of names that are counted separately; the rest is counted together.
const MAX_NAMES: usize = 10_000;

/// The number of corrections and their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sum {
    /// The number of corrections.
    pub count: u64,
    /// The sum of the weights of their sources.
    pub weight: f64,
    /// The sum of their impacts: the weight of the source times the score of the
    /// severity.
    pub impact: f64,
}

impl Sum {
    fn add(&mut self, correction: &Correction) {
        self.count += 1;
        self.weight += correction.source.weight();
        self.impact += correction.impact();
    }
}

/// Corrections counted by type, agent, pattern, severity and source.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// All corrections.
    pub total: Sum,
    /// By their type.
    pub correction_type: BTreeMap<String, Sum>,
    /// By agent; the empty name holds those after the first 10,000.
    pub agent: BTreeMap<String, Sum>,
    /// By pattern, if one is given.
    pub pattern: BTreeMap<String, Sum>,
    /// By severity.
    pub severity: BTreeMap<String, Sum>,
    /// By source.
    pub source: BTreeMap<String, Sum>,
}

impl Stats {
    /// Counts a correction.
    pub fn add(&mut self, correction: &Correction) {
        self.total.add(correction);
        let severity = correction.effective_severity();
        count(
            &mut self.correction_type,
            correction.correction_type.as_str(),
            correction,
        );
        count(&mut self.agent, &correction.agent, correction);
        count(&mut self.severity, severity.as_str(), correction);
        count(&mut self.source, correction.source.as_str(), correction);
        if let Some(name) = &correction.pattern_inferred {
            count(&mut self.pattern, name.as_str(), correction);
        }
    }
}

fn count(sums: &mut BTreeMap<String, Sum>, name: &str, correction: &Correction) {
    if let Some(sum) = sums.get_mut(name) {
        sum.add(correction);
        return;
    }
    let name = if sums.len() < MAX_NAMES { name } else { "" };
    sums.entry(name.to_owned()).or_default().add(correction);
}
