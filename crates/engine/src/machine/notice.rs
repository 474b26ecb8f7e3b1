//! What the machine of a run reports.

use review::events::{Event, RunEvent, RunFinished, RunResumed, RunStarted};
use review::machine::ReviewNotice;
use review_flow::{ContentStore, MissingContent, Notice};
use review_tasks::TaskNotice;

/// What the machine of a run reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunNotice {
    /// The run started.
    Started(RunStarted),
    /// The run had ended and goes on.
    Resumed(RunResumed),
    /// The review reports.
    Review(Box<ReviewNotice>),
    /// A task reports.
    Task(TaskNotice),
    /// The run ended.
    Finished(RunFinished),
}

impl Notice for RunNotice {
    type Event = RunEvent;

    fn event(self, texts: &ContentStore) -> Result<RunEvent, MissingContent> {
        Ok(match self {
            Self::Started(started) => Event::RunStarted(started).into(),
            Self::Resumed(resumed) => Event::RunResumed(resumed).into(),
            Self::Review(notice) => return notice.event(texts),
            Self::Task(notice) => return notice.event(texts),
            Self::Finished(finished) => Event::RunFinished(finished).into(),
        })
    }
}
