//! Patterns: corrections that recur, from any source.
//!
//! An [`Occurrence`] is one time that a pattern was seen, in a correction or in one of
//! the related files. A [`Registry`] groups occurrences by pattern; each [`Pattern`]
//! has a confidence, a trend and a promotion state.

mod confidence;
mod infer;
mod occurrence;
mod promotion;
mod published;
mod registry;
mod related_file;
mod trend;

pub use confidence::Factors;
pub use infer::{inferred, inferred_as};
pub use occurrence::{Occurrence, Origin};
pub use promotion::{MIN_CONFIDENCE, MIN_COUNT, PromotionState};
pub use published::{
    EntryType, PatternEntry, PatternsFile, PatternsMeta, PromotionEntry, TrendEntry, TrendsFile,
    Trigger,
};
pub use registry::{Pattern, Registry};
pub use related_file::{EntryError, RelatedFile};
pub use trend::{Trend, Windows};
