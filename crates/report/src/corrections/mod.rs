//! What users corrected of the work of agents.

mod list;
mod patterns;
mod stats;
mod validation;

pub use list::{
    CorrectionList, ListedCorrection, RemovedCorrection, ShownCorrection, correction,
    removed_correction,
};
pub use patterns::{ImportReport, ImportedFile, PatternReport, imported, patterns};
pub use stats::{CorrectionStats, stats};
pub use validation::{ValidatedFile, ValidationReport};

#[cfg(test)]
mod tests;
