//! Patterns: corrections that recur, from any source.
//!
//! An [`Occurrence`] is one time that a pattern was seen, in a correction or in one of
//! the related files. A [`Registry`] groups occurrences by pattern; each [`Pattern`]
//! has a confidence, a trend and a status.

mod occurrence;
mod published;
mod registry;
mod related_file;
mod status;
mod trend;

pub(crate) use occurrence::pattern_of;
pub use occurrence::{Occurrence, Origin};
pub use published::{PatternsFile, PatternsMeta, PromotionEntry, TrendEntry, TrendsFile};
pub use registry::{Pattern, Registry};
pub use related_file::{EntryError, RelatedFile};
pub use status::PatternStatus;
pub use trend::{Trend, Windows};
