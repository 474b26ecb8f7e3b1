//! What was learned: feedback, lessons, and the versions of prompts.

mod analysis;
mod cluster;
mod comparison;
mod config;
mod entries;
mod entry;
mod frame;
mod lesson;
mod list;
mod prompt;
mod proposal;
mod stats;

pub(crate) use analysis::proposed;
pub use analysis::{AgentAnalysis, AnalysisReport, analysis};
pub use cluster::{ClusterMember, ClusterReport, FeedbackCluster, clusters};
pub use comparison::{PromptComparison, comparison};
pub use config::{LearningConfigReport, LearningFile, learning_config};
pub use entries::{
    CollectionReport, EntryList, LessonDecision, PruneReport, collection, entries, lesson_decision,
    pruned,
};
pub use entry::{Versioned, entry, entry_line, short};
pub use frame::Frame;
pub use lesson::lesson;
pub use list::{LearnStatus, LessonList, LessonState, ListedLesson, learn_status, lessons};
pub use prompt::{
    HistoryEntry, ListedPrompt, PromptDiff, PromptHistories, PromptHistory, PromptList,
    PromptRollback, PromptUpdate, ShownPrompt, prompt_histories, prompt_history, prompt_rollback,
    prompt_update, prompts,
};
pub use proposal::{Conflict, Proposal, ProposalList, boxed, details};
pub use stats::{StatsReport, stats};
