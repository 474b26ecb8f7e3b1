//! Patterns: what is corrected again and again, whoever noticed it.
//!
//! An [`Occurrence`] is one time that a pattern was seen, in a correction or in
//! one of the files that lie beside it. A [`Registry`] groups occurrences by
//! pattern; each [`Pattern`] says how sure it is, where it is going, and whether
//! it is to become a lesson.

mod confidence;
mod infer;
mod neighbour;
mod occurrence;
mod promotion;
mod published;
mod registry;
mod trend;

pub use confidence::Factors;
pub use infer::inferred;
pub use neighbour::{Neighbour, NotAnEntry};
pub use occurrence::{Occurrence, Origin};
pub use promotion::{MIN_CONFIDENCE, MIN_COUNT, PromotionState};
pub use published::{
    EntryType, PatternEntry, PatternsFile, PatternsMeta, PromotionEntry, TrendEntry, TrendsFile,
    Trigger,
};
pub use registry::{Pattern, Registry};
pub use trend::{Trend, Windows};
