//! Programs that may write only some files, by a sandbox of the system.
//!
//! A [`Sandbox`] is a tool and the [`FileRules`] that it holds a program to. Bubblewrap
//! gives the program a view of the files of its own, and ends what it leaves running.
//! Landlock has the kernel refuse what the rules do not allow; the launcher asks for it.

mod bwrap;
mod grants;
#[cfg(target_os = "linux")]
mod landlock;
mod rules;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use grants::{Grant, Grants};
pub use rules::{FileAccess, FileRules};

/// A sandbox for the programs of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    tool: SandboxTool,
    rules: FileRules,
    /// The folder that programs find as `/tmp`.
    tmp: Option<PathBuf>,
}

/// A tool that confines programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxTool {
    /// Bubblewrap, given as a path.
    Bwrap(PathBuf),
    /// Landlock, for commands whose groups have a launcher
    /// ([`Groups::with_launcher`](crate::Groups::with_launcher)).
    Landlock,
}

impl Sandbox {
    /// A sandbox by a tool.
    pub const fn new(tool: SandboxTool, rules: FileRules) -> Self {
        Self {
            tool,
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

    /// Adds a rule for a path, as [`FileRules::with`] does.
    #[must_use]
    pub fn with(self, path: &Path, access: FileAccess) -> Self {
        Self {
            rules: self.rules.with(path, access),
            ..self
        }
    }

    /// The program and the arguments that run a command in it; `None` for the command
    /// itself.
    pub(crate) fn wrapper(
        &self,
        file: &Path,
        args: &[OsString],
        cwd: &Path,
    ) -> Option<(PathBuf, Vec<OsString>)> {
        let SandboxTool::Bwrap(bwrap) = &self.tool else {
            return None;
        };
        let mut all = bwrap::arguments(&self.rules, self.tmp.as_deref(), cwd);
        all.push("--".into());
        all.push(file.into());
        all.extend_from_slice(args);
        Some((bwrap.clone(), all))
    }

    /// What the launcher grants a command in it; `None` for everything.
    pub(crate) fn grants(&self) -> Option<Grants> {
        matches!(self.tool, SandboxTool::Landlock).then(|| Grants::of(&self.rules))
    }
}

/// Why a launcher could not confine itself.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The kernel does not enforce the rules.
    #[error("the kernel does not enforce landlock")]
    NotEnforced,
    /// The rules were refused.
    #[error("landlock refused the rules: {0}")]
    Refused(String),
}

/// Confines this process, and all that it becomes and starts, to what is granted.
#[cfg(target_os = "linux")]
pub(crate) fn confine(grants: &Grants) -> Result<(), ConfineError> {
    landlock::confine(grants)
}

/// Fails: this system has no landlock.
#[cfg(not(target_os = "linux"))]
pub(crate) fn confine(_: &Grants) -> Result<(), ConfineError> {
    Err(ConfineError::NotEnforced)
}
