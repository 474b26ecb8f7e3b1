//! What a run did.

mod calls;
mod decisions;
mod event;
mod family;
mod intent;
mod item;
mod lane;
mod list;
mod live;
mod next;
mod rates;
mod report;
mod summary;
mod tasks;
mod timeline;
mod usage;

pub(crate) use calls::{agent, turn_of};
pub(crate) use decisions::reason;
pub use event::{human_event, human_points};
pub use intent::{IntendedReview, IntendedTasks, Intent, intent};
pub use item::{ItemReport, RaisedFinding, with_places_joined};
pub(crate) use lane::{landed, not_landed, short};
pub(crate) use list::minute;
pub use list::{ListedRun, RunList, UsageSum, list, time_line};
pub use live::LiveView;
pub use next::{RunLimits, Started};
pub use rates::FeedbackRates;
pub use report::{IterationReport, RunReport, RunRequest};
pub use summary::{human_summary, result_line};
pub(crate) use summary::{kept_round, outcome_word, shared_family, summary_facts};
pub use tasks::{TaskReport, named_tasks};
pub use timeline::Timeline;
pub(crate) use timeline::{Span, SpanGroup, SpanKind, SpanState};
pub use usage::UsageReport;
