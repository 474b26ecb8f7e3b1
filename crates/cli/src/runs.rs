//! Runs that are on disk, as commands read them and speak to them.

use std::path::Path;

use review::people::Comment;
use review_engine::Replay;
use review_report::run::{RunReport, Started};
use review_store::RunDir;

use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;
use crate::runtime::wait_for;

/// The largest comment of a user on a run, in bytes.
const MAX_TEXT: usize = 16 * 1024;

/// Replays the journal of a run.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn replay(dir: &RunDir) -> Result<Replay, CommandError> {
    wait_for(review_engine::replay(dir))?.map_err(|error| {
        let folder = dir.path().display();
        CommandError::from(error).hint(format!(
            "the journal is in {folder}; `ralph run` starts a new run"
        ))
    })
}

/// A run that an argument names.
pub(crate) struct FoundRun {
    /// Its folder.
    pub(crate) dir: RunDir,
    /// Its journal so far.
    pub(crate) replay: Replay,
    /// How commands name it, where its id is not enough.
    pub(crate) name: Option<String>,
}

impl FoundRun {
    /// Its report, with what to do next from where the user is.
    pub(crate) fn report(&self, context: &Context) -> RunReport {
        let mut report = self.replay.report(&self.dir);
        report.suggest(Started {
            command: &self.replay.input.command,
            folder: context.elsewhere(&self.replay.cwd).as_deref(),
            run: self.name.as_deref(),
            root: &context.root_name(Path::new(&self.replay.input.root)),
            options: &context.given_options(),
            is_kept: true,
        });
        report
    }

    /// The run in a folder.
    ///
    /// # Errors
    /// When its journal cannot be read.
    pub(crate) fn at(context: &mut Context, dir: RunDir) -> Result<Self, CommandError> {
        Ok(Self {
            replay: replay(&dir)?,
            name: context.run_name(&dir),
            dir,
        })
    }

    /// The command line that goes on with it.
    pub(crate) fn resume(&self, context: &Context) -> String {
        let name = self.name.as_deref().unwrap_or(self.dir.id().short());
        context.command(&["ralph", "resume", name])
    }
}

/// The run that an argument names, and its journal so far.
///
/// # Errors
/// When the run does not exist, or its journal cannot be read.
pub(crate) fn run_of(context: &mut Context, run: &str) -> Result<FoundRun, CommandError> {
    let dir = context.find_run(run)?;
    let found = FoundRun::at(context, dir)?;
    Ok(FoundRun {
        name: found.name.map(|_| run.to_owned()),
        ..found
    })
}

/// What a user gives as the argument `name`, without the blanks around it.
///
/// # Errors
/// When it is empty or too long.
pub(crate) fn text_of(name: &str, text: &str) -> Result<String, CommandError> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_TEXT {
        let message = format!("{name} must have from 1 to {MAX_TEXT} bytes");
        return Err(CommandError::new(message));
    }
    Ok(text.to_owned())
}

impl Context {
    /// The user who decides: the one that `--by` names, else the user of this
    /// computer.
    ///
    /// # Errors
    /// When the name is empty or too long, or none is known.
    pub(crate) fn decider(&self, by: Option<&str>) -> Result<String, CommandError> {
        let user = || {
            let user = self.environment.variable("USER")?.to_str();
            user.filter(|name| !name.is_empty())
        };
        match by.or_else(user) {
            Some(name) => text_of("--by", name),
            None => {
                let message = "the user who decides is not known: USER is not set";
                let error = CommandError::new(message);
                Err(error.hint("say who you are with --by NAME"))
            }
        }
    }
}

/// Passes a comment of a user on to a run.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn say(dir: &RunDir, replay: &Replay, said: &Comment) -> Result<(), CommandError> {
    Ok(review_engine::say(
        dir,
        &replay.settings.target,
        said,
        now(),
    )?)
}
