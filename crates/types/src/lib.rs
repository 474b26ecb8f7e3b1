//! The types of a review loop.
//!
//! All crates of the workspace share these types: the result of a review
//! ([`Review`]), the outcome of a run ([`Outcome`], [`BlockCode`]), the error of a
//! call to an agent ([`AgentError`]). Their only behaviour is to keep themselves
//! valid: nothing here parses answers, reads files or clocks.

mod agent;
mod change;
mod config;
pub mod criteria;
pub mod diagnostic;
mod duration;
mod feedback;
mod finding;
mod hash;
mod id;
mod landing;
mod manifest;
mod memory_key;
mod outcome;
mod review;
mod round;
mod score;
mod session;
mod status;
mod test_file;
mod timestamp;
mod usd;
mod verdict;
mod word;

pub use agent::{
    AgentError, FailedBy, Failure, LimitKind, Missing, ModelId, PromptRead, QuestionUsage, Usage,
};
pub use change::{AllowedChange, ChangeCode};
pub use config::{ConfigError, ReviewConfig};
pub use duration::{DurationError, milliseconds, parse_age, parse_duration, write_duration};
pub use feedback::{
    AckDifference, AppliedFeedback, Aspect, BlankField, Decision, DecisionCounts, DecisionStatus,
    Decisions, Evidence, FeedbackId, FeedbackItem, FeedbackItems, ItemDetails, ReasonCode,
    RepeatedId, TakenDecision, Unexplained,
};
pub use finding::{
    Finding, FindingChange, FindingCounts, FindingEvidence, FindingId, FindingPlace, FindingStatus,
    Lines,
};
pub use hash::{Hash, HashParseError};
pub use id::{CriterionName, IdError, RunId, SessionId, TaskNumber, UnitId, is_uuid, random_uuid};
pub use landing::{LandCode, SandboxKind, StartCode};
pub use manifest::{FileEntry, Manifest};
pub use memory_key::MemoryKey;
pub use outcome::{BlockCode, ExitCode, Outcome};
pub use review::{NoFeedback, Review};
pub use round::{PastItem, PastRound};
pub use score::{Deduction, DeductionCause, Score, ScoreRange, Scores};
pub use session::{FinalVerdict, IterationHistory, ReviewSession};
pub use status::TaskStatus;
pub use test_file::{is_source_file, is_test_file};
pub use timestamp::{Timestamp, TimestampError};
pub use usd::{Usd, UsdError};
pub use verdict::{Severity, Verdict};
pub use word::{
    UnknownWord, causes, error_chain, excerpt, hex, listed, one_line, plural, pointer_part,
};
