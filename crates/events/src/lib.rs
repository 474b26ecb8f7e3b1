//! What happened: the events of a run, their envelope, and the journal format.
//!
//! Events tell people and programs; they are derived from the journal and can
//! be derived again. The journal is what a run remembers; its records are read
//! back by nobody but the driver and those who replay a run.

mod envelope;
mod event;
mod journal;
mod must_pass;
mod payload;

pub use envelope::{Envelope, FORMAT_VERSION};
pub use event::{Event, EventType};
pub use journal::{
    Begin, Body, End, EndReason, JOURNAL_VERSION, JournalError, MachineName, PinnedPrompt, Record,
    Resumed, RunRecord, Seed, StepResult, TextRecord, Wait, Waited,
};
pub use must_pass::{ListedTest, MustPass, TestResult};
pub use payload::{
    AgentRole, AnswerRepaired, ArtifactUndone, BestRound, CallEnded, CallRetried, CheckReport,
    FeedbackDecided, FeedbackUnacknowledged, FindingsJoined, KeptText, PassContradicted,
    PassOverruled, RepeatedIssue, ReviewApproved, ReviewBlocked, ReviewFeedbackGiven,
    ReviewIteration, ReviewMalformed, ReviewPassed, ReviewStarted, ReviewerFailed,
    ReviewerReplaced, RunEnded, RunFinished, RunResumed, RunStarted, TaskFinished, TaskSkipped,
    TaskStarted, TaskState, TaskStatusKept, TaskStatusWritten, Text, UnprovedRounds,
};
