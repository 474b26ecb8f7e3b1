//! Which corrections are meant.

use super::{Correction, CorrectionType, Severity, Source};

/// What a correction must be; absent members leave it open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Its type.
    pub correction_type: Option<CorrectionType>,
    /// Its agent.
    pub agent: Option<String>,
    /// Its pattern.
    pub pattern: Option<String>,
    /// How much it matters; without a word of its own it is medium.
    pub severity: Option<Severity>,
    /// How it came to be known.
    pub source: Option<Source>,
}

impl Selection {
    /// Whether a correction is meant.
    #[must_use]
    pub fn accepts(&self, correction: &Correction) -> bool {
        let pattern = correction.pattern_inferred.as_ref();
        let pattern = pattern.map(super::PatternName::as_str);
        is_open_or(self.correction_type, correction.correction_type)
            && is_open_or(self.severity, correction.effective_severity())
            && is_open_or(self.source, correction.source)
            && is_open_or(self.agent.as_deref(), correction.agent.as_str())
            && (self.pattern.is_none() || self.pattern.as_deref() == pattern)
    }
}

fn is_open_or<T: PartialEq>(wanted: Option<T>, found: T) -> bool {
    wanted.is_none_or(|wanted| wanted == found)
}
