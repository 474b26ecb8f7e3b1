//! What is learned from runs: feedback, lessons, and the versions of prompts.
//!
//! [`AfterRun`] does all of it when a run has ended. Its parts are for commands
//! of users: a [`Collector`] keeps feedback, an [`Analyst`] makes lessons of it,
//! and [`Evolution`] puts lessons into prompts and takes them out again. What is
//! reported on the way goes to a closure as [`LearnNotice`]; files are those
//! below the root of the project.

mod after_run;
mod analysis;
mod collect;
mod decide;
mod error;
mod measured;
mod notice;
mod observe;
mod prompts;
mod proposal;
mod record;
mod words;
mod writer;

use std::path::Path;

use review_config::{Config, LearningDocument};
use review_learning::config::LearningConfig;
use review_learning::object::Diagnostic;
use review_store::Root;
use review_types::error_chain;

pub use after_run::{AfterRun, Learned};
pub use analysis::{Analyst, Analyzed};
pub use collect::{
    CORRECTIONS_FILE, Collected, Collector, Request, RootCorrections, drafts_of_run,
};
pub use decide::{AutomaticUpdates, Decided, decide};
pub use error::LearnError;
pub use notice::{Degraded, LearnNotice, Notices};
pub use prompts::{
    Chooser, ClientLessons, Evolution, Operators, PromptLog, Switched, Target, Updated,
    active_prompts, role,
};
pub use proposal::propose;
pub use record::{Record, find_lesson, find_record};
pub use words::Words;
pub use writer::{LessonWriter, check_template};

/// The file of the configuration, relative to the root.
pub const CONFIG_FILE: &str = ".aiwg/agent-learning.yaml";

/// Returns the configuration of learning of a root: the table `[learning]` of the
/// configuration, else the file of the root; `None` where there is neither, and
/// nothing is learned.
///
/// # Errors
/// When the file cannot be read, or is not valid.
pub fn learning_config(root: &Path, config: &Config) -> Result<Option<LearningConfig>, LearnError> {
    if let Some(learning) = &config.learning {
        return Ok(Some(learning.clone()));
    }
    let read = open_root(root)?.read(CONFIG_FILE);
    let failed = |why: String| LearnError::failed(format!("cannot read {CONFIG_FILE}: {why}"));
    let Some(bytes) = read.map_err(|error| failed(error_chain(&error)))? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|error| failed(error.to_string()))?;
    let document = LearningDocument::of_yaml(&text);
    match document.config {
        Some(learning) => Ok(Some(learning)),
        None => Err(invalid(&document.diagnostics)),
    }
}

fn invalid(diagnostics: &[Diagnostic]) -> LearnError {
    let errors = diagnostics.iter().filter(|one| one.is_error());
    let errors: Vec<_> = errors
        .map(|one| {
            format!(
                "{CONFIG_FILE}:{}: {} {}",
                one.line, one.pointer, one.message
            )
        })
        .collect();
    LearnError::failed(errors.join("\n"))
}

fn open_root(root: &Path) -> Result<Root, LearnError> {
    Ok(Root::open(root)?)
}
