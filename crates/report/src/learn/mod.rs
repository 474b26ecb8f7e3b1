//! What was learned: feedback, lessons, and the versions of prompts.

mod analysis;
mod comparison;
mod entries;
mod entry;
mod frame;
mod lesson;
mod list;
mod prompt;
mod proposal;
mod stats;
#[cfg(test)]
mod tests;

pub use analysis::{
    AgentAnalysis, AnalysisReport, MessagesReport, SortedMessage, analysis, sorted_messages,
    waiting_group,
};
pub use comparison::{PromptComparison, comparison};
pub use entries::{CollectionReport, LessonDecision, collection, entries, lesson_decision};
pub use entry::{entry, short};
pub use lesson::lesson;
pub(crate) use list::decide_on_proposed;
pub use list::{LearnStatus, LessonList, LessonState, ListedLesson, learn_status, lessons};
pub use prompt::{
    HistoryEntry, ListedPrompt, PromptHistory, PromptList, PromptRollback, PromptUpdate,
    ShownPrompt, prompt_history, prompt_rollback, prompt_update, prompts,
};
pub use proposal::{Conflict, Proposal, ProposalList, boxed, details};
pub use stats::stats;
