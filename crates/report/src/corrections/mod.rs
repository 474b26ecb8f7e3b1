//! What users corrected of the work of agents.

mod list;
mod patterns;
mod stats;

pub use list::{
    CorrectionList, ListedCorrection, RemovedCorrection, correction, removed_correction,
};
pub use patterns::{ImportReport, ImportedFile, PatternReport, imported, patterns};
pub use stats::{CorrectionStats, stats};

#[cfg(test)]
mod tests;
