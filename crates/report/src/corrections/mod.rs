//! What users corrected of the work of agents.

mod list;
mod patterns;
mod stats;
mod validation;

pub use list::{CorrectionList, ListedCorrection, ShownCorrection, correction};
pub use patterns::{ImportReport, ImportedFile, PatternReport, imported, patterns};
pub use stats::{CorrectionStats, stats};
pub use validation::{ValidatedFile, ValidationReport};
