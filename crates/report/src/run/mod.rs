//! What a run did.

mod decisions;
mod event;
mod intent;
mod json;
mod list;
mod next;
mod rates;
mod report;
mod summary;
mod tasks;
mod usage;

pub use event::{human_event, human_points};
pub use intent::{IntendedReview, IntendedTasks, Intent, intent};
pub use json::{json, jsonl_event};
pub use list::{ListedRun, RunList, list};
pub use next::{RunLimits, Started};
pub use rates::FeedbackRates;
pub use report::{IterationReport, RunReport, RunRequest};
pub use summary::human_summary;
pub use tasks::TaskReport;
pub use usage::UsageReport;
