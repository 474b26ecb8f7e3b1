//! Confidence as users read it, of lessons and of patterns alike.

use std::collections::BTreeMap;

/// Returns a confidence with its factors: `confidence 0.63 (count 0.50, recency 1.00)`.
pub(crate) fn confidence(value: f64, factors: &BTreeMap<String, f64>) -> String {
    match factors.is_empty() {
        true => format!("confidence {value:.2}"),
        false => format!("confidence {value:.2} ({})", listed(factors)),
    }
}

/// Returns the factors in one line.
pub(crate) fn listed(factors: &BTreeMap<String, f64>) -> String {
    let factors = factors.iter();
    let factors: Vec<String> = factors
        .map(|(name, of)| format!("{name} {of:.2}"))
        .collect();
    factors.join(", ")
}
