//! What a run needs of the system, looked at before anything is paid for.

use std::ffi::OsStr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use review_process::open_files_limit;
use review_store::{FileError, LaneDir};
use review_types::error_chain;

use crate::error::EngineError;
use crate::project::Project;
use crate::settings::RunSettings;

/// The files that a run itself has open, and those for each job: the pipes of its program,
/// its log and its journal.
const OWN_FILES: u64 = 32;
const FILES_OF_JOB: u64 = 32;

/// Refuses a run that would break later, when agents were paid.
///
/// # Errors
/// [`EngineError::Refused`] with what to do about it.
pub(super) fn check(project: &Project<'_>, settings: &RunSettings) -> Result<(), EngineError> {
    check_open_files(settings.config.task.jobs)?;
    check_names([
        ("the root", project.root.path()),
        ("the state folder", project.state.path()),
        ("the current folder", &project.cwd),
    ])?;
    match settings.implementer() {
        Some(_) => check_temporary(&temporary_folder(project)),
        None => Ok(()),
    }
}

fn check_open_files(jobs: NonZeroU32) -> Result<(), EngineError> {
    let needed = OWN_FILES + FILES_OF_JOB * u64::from(jobs.get());
    match open_files_limit().filter(|limit| *limit < needed) {
        None => Ok(()),
        Some(limit) => Err(EngineError::hinted(
            format!(
                "a process may have {limit} files open, and a run with --jobs {jobs} needs {needed}"
            ),
            "raise the limit, as `ulimit -n 1024` does for this shell",
        )),
    }
}

/// Journals and events are UTF-8.
fn check_names<'a>(
    paths: impl IntoIterator<Item = (&'static str, &'a Path)>,
) -> Result<(), EngineError> {
    let mut paths = paths.into_iter();
    match paths.find(|(_, path)| path.to_str().is_none()) {
        None => Ok(()),
        Some((what, path)) => Err(EngineError::hinted(
            format!("the name of {what} is not UTF-8: {}", path.display()),
            "rename the folder",
        )),
    }
}

fn temporary_folder(project: &Project<'_>) -> PathBuf {
    let named = project.env.get(OsStr::new("TMPDIR"));
    let named = named.filter(|path| !path.is_empty());
    named.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
}

/// Programs get a folder of their own in it.
fn check_temporary(folder: &Path) -> Result<(), EngineError> {
    let try_out = || -> Result<(), FileError> {
        let above = LaneDir::at(folder.to_owned());
        let name = format!("r-{}", std::process::id());
        above.create_folder(&name)?;
        above.remove(&name)
    };
    try_out().map_err(|error| {
        EngineError::hinted(
            format!(
                "no folder can be made for temporary files: {}",
                error_chain(&error)
            ),
            "set TMPDIR to a folder that can be written",
        )
    })
}
