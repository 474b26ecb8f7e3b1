//! The configuration of learning, from whichever of its two homes.

mod after_run;
mod analysis;
mod collect;
mod evolution;
mod lexicon;
mod observe;
mod speech;
mod take_back;
mod unasked;
mod words;
mod writer;

use std::error::Error;
use std::path::Path;

use review_config::{Config, LearningDocument};
use review_learning::config::LearningConfig;
use review_learning::object::Diagnostic;

pub(crate) use after_run::after_run;
pub(crate) use analysis::{Analyst, Analyzed};
pub(crate) use collect::{Asked, Collected, Collector, drafts_of_run};
pub(crate) use evolution::{Evolution, RolledBack, Teller, Updated, active_prompts, role};
pub(crate) use lexicon::lexicon;
pub(crate) use speech::hear;
pub(crate) use unasked::OpenGate;
pub(crate) use words::Words;
pub(crate) use writer::LessonWriter;

use crate::error::{CommandError, ErrorKind, chain};

/// The file of the configuration, seen from the root.
pub(crate) const FILE: &str = ".aiwg/agent-learning.yaml";

/// The configuration of learning of a root: the table `[learning]` of the
/// settings, else the file of the root; `None` where there is neither, and
/// nothing is learned.
///
/// # Errors
/// When the file cannot be read, or is not valid.
pub(crate) fn learning_config(
    root: &Path,
    settings: &Config,
) -> Result<Option<LearningConfig>, CommandError> {
    if let Some(config) = &settings.learning {
        return Ok(Some(config.clone()));
    }
    let text = match std::fs::read_to_string(root.join(FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let message = format!("cannot read {FILE}");
            return Err(CommandError::new(ErrorKind::Config, message).source(error));
        }
    };
    let document = LearningDocument::of_yaml(&text);
    match document.config {
        Some(config) => Ok(Some(config)),
        None => Err(refused(&document.diagnostics)),
    }
}

/// The configuration of learning of a root, for a command that needs one.
///
/// # Errors
/// When there is none, or it cannot be used.
pub(crate) fn needed_config(
    root: &Path,
    settings: &Config,
) -> Result<LearningConfig, CommandError> {
    learning_config(root, settings)?.ok_or_else(|| {
        let message = format!(
            "nothing is learned here: there is no {FILE}, and no table [learning] in ralph.toml"
        );
        CommandError::new(ErrorKind::Config, message)
            .hint("an empty table [learning] in ralph.toml switches it on")
    })
}

fn refused(diagnostics: &[Diagnostic]) -> CommandError {
    let first = diagnostics.iter().find(|one| one.is_error());
    let message = first.map_or_else(
        || format!("{FILE} cannot be used"),
        |one| format!("{FILE}:{}: {} {}", one.line, one.pointer, one.message),
    );
    CommandError::new(ErrorKind::Config, message).hint("`ralph learn config check` tells all of it")
}

/// An error of reading.
pub(crate) fn unreadable(error: impl Error + 'static) -> CommandError {
    CommandError::new(ErrorKind::Input, chain(&error))
}

/// An error of writing.
pub(crate) fn unwritable(error: impl Error + 'static) -> CommandError {
    CommandError::new(ErrorKind::Output, chain(&error))
}
