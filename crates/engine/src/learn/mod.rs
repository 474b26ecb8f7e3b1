//! What is learned from runs: feedback, lessons, and the versions of prompts.
//!
//! [`AfterRun`] does all of it when a run has ended. Its parts are for commands of users: a
//! [`Learner`] keeps feedback and makes lessons of it, and an [`Evolution`] puts lessons into
//! prompts and takes them out again. Files are those below the root of the project.

mod after_run;
mod analysis;
mod collect;
mod degraded;
mod learner;
mod measured;
mod observe;
mod prompts;
mod proposal;
mod words;
mod writer;

use std::path::Path;

use review_config::{Config, read_learning};
use review_learning::config::LearningConfig;
use review_learning::object::Diagnostic;
use review_store::Root;
use review_types::error_chain;

use crate::error::EngineError;
pub use after_run::{AfterRun, Learned};
pub use analysis::Analyzed;
pub use collect::{CORRECTIONS_FILE, Collected, Request, RootCorrections, drafts_of_run};
use degraded::Degraded;
pub use learner::Learner;
pub use prompts::{
    ClientLessons, Decided, Evolution, Operators, Switched, Updated, active_prompts, role,
    switched_off,
};
pub use proposal::propose;
pub use words::Words;
pub use writer::LessonWriter;
pub(crate) use writer::check_template;

/// The file of the configuration, relative to the root.
pub const CONFIG_FILE: &str = ".aiwg/agent-learning.yaml";

/// Returns the configuration of learning of a root: the table `[learning]` of the
/// configuration, else the file of the root; `None` where there is neither, and
/// nothing is learned.
///
/// # Errors
/// When the file cannot be read, or is not valid.
pub fn learning_config(
    root: &Path,
    config: &Config,
) -> Result<Option<LearningConfig>, EngineError> {
    if let Some(learning) = &config.learning {
        return Ok(Some(learning.clone()));
    }
    let read = Root::open(root)?.read(CONFIG_FILE);
    let failed = |why: String| EngineError::new(format!("cannot read {CONFIG_FILE}: {why}"));
    let Some(bytes) = read.map_err(|error| failed(error_chain(&error)))? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|error| failed(error.to_string()))?;
    let read = read_learning(&text).into_result();
    read.map(Some).map_err(|diagnostics| invalid(&diagnostics))
}

fn invalid(diagnostics: &[Diagnostic]) -> EngineError {
    let errors = diagnostics.iter().filter(|one| one.is_error());
    let errors: Vec<_> = errors
        .map(|one| {
            format!(
                "{CONFIG_FILE}:{}: {} {}",
                one.line, one.pointer, one.message
            )
        })
        .collect();
    EngineError::new(errors.join("\n"))
}

/// The most ids that a message lists.
const LISTED: usize = 5;

/// Returns the one of these whose id starts with `id`, if there is one.
///
/// # Errors
/// When several have such an id.
pub fn find_by_id<T>(
    id: &str,
    all: impl IntoIterator<Item = T>,
    id_of: impl Fn(&T) -> &str,
) -> Result<Option<T>, EngineError> {
    let wanted = id.to_ascii_lowercase();
    let is_meant = |one: &T| !wanted.is_empty() && id_of(one).starts_with(&wanted);
    let mut found: Vec<T> = all.into_iter().filter(is_meant).collect();
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let matching = found.iter().take(LISTED).map(&id_of);
    let matching = matching.collect::<Vec<_>>().join(", ");
    let message = format!("\"{id}\" is ambiguous; it matches {matching}");
    Err(EngineError::hinted(message, "give more of the id"))
}
