//! Programs that may write only some files, by a sandbox of the system.
//!
//! A [`Sandbox`] is a tool and the [`FileRules`] that it holds a program to. Bubblewrap
//! gives the program a view of the files of its own, and ends what it leaves running.
//! Landlock has the kernel refuse what the rules do not allow; the program that asks for
//! it is this one, called by the command line of [`Sandbox::landlock`].

mod bwrap;
mod grants;
#[cfg(target_os = "linux")]
mod landlock;
mod rules;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

pub use grants::{Grant, Grants};
pub use rules::{FileAccess, FileRules};

/// A sandbox for the programs of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    tool: Tool,
    rules: FileRules,
    /// The folder that programs find as `/tmp`.
    tmp: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Tool {
    Bwrap(PathBuf),
    Landlock(PathBuf),
}

impl Sandbox {
    /// A sandbox by bubblewrap, given as a path.
    #[must_use]
    pub const fn bwrap(bwrap: PathBuf, rules: FileRules) -> Self {
        Self {
            tool: Tool::Bwrap(bwrap),
            rules,
            tmp: None,
        }
    }

    /// A sandbox by landlock. The program is called with `confine`, the options of
    /// [`Grant::option`] with a path each, `--` and a command, and must become that
    /// command by [`become_confined`].
    #[must_use]
    pub const fn landlock(program: PathBuf, rules: FileRules) -> Self {
        Self {
            tool: Tool::Landlock(program),
            rules,
            tmp: None,
        }
    }

    /// Has programs find a folder as `/tmp`, where the tool can do that.
    #[must_use]
    pub fn with_tmp(self, folder: PathBuf) -> Self {
        Self {
            tmp: Some(folder),
            ..self
        }
    }

    /// The program and the arguments that run a command in it.
    pub(crate) fn command(
        &self,
        file: &Path,
        args: &[OsString],
        cwd: &Path,
    ) -> (PathBuf, Vec<OsString>) {
        let (program, mut all) = match &self.tool {
            Tool::Bwrap(bwrap) => {
                let tmp = self.tmp.as_deref();
                (bwrap, bwrap::arguments(&self.rules, tmp, cwd))
            }
            Tool::Landlock(program) => {
                let confine = std::iter::once(OsString::from("confine"));
                let grants = Grants::of(&self.rules);
                (program, confine.chain(grants.arguments()).collect())
            }
        };
        all.push("--".into());
        all.push(file.into());
        all.extend_from_slice(args);
        (program.clone(), all)
    }
}

/// Why a program could not confine itself and become another one.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The kernel does not enforce the rules.
    #[error("the kernel does not enforce landlock")]
    NotEnforced,
    /// The rules were refused.
    #[error("landlock refused the rules: {0}")]
    Refused(String),
    /// The program could not be started.
    #[error("{} could not be started: {source}", program.display())]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Confines this process to what is granted, and becomes a program. It returns only if
/// that failed.
#[cfg(target_os = "linux")]
#[must_use]
pub fn become_confined(grants: &Grants, program: &Path, args: &[OsString]) -> ConfineError {
    landlock::become_confined(grants, program, args)
}

/// Fails: there is no landlock.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn become_confined(_: &Grants, _: &Path, _: &[OsString]) -> ConfineError {
    ConfineError::NotEnforced
}
