//! What the process was started with, read once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use review_process::redact::{Sensitivity, secret_values};
use review_process::{Redactor, git};

use crate::error::CommandError;

/// Variables, working folder and own path of this process.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// All variables.
    pub(crate) variables: BTreeMap<OsString, OsString>,
    /// The folder that the process was started in.
    pub(crate) folder: PathBuf,
    /// The path of the program, where the system knows it.
    pub(crate) program: Option<PathBuf>,
    /// The command line, the program first.
    pub(crate) arguments: Vec<String>,
}

impl Environment {
    /// Reads them from the system.
    ///
    /// # Errors
    /// When the working folder is gone.
    pub(crate) fn capture() -> Result<Self, CommandError> {
        let folder = std::env::current_dir().map_err(|error| {
            CommandError::new("cannot find the current folder")
                .source(error)
                .hint("change to a folder that exists")
        })?;
        Ok(Self {
            variables: std::env::vars_os().collect(),
            folder,
            program: std::env::current_exe().ok(),
            arguments: std::env::args_os()
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect(),
        })
    }

    /// What replaces the secrets of these variables, and what looks like a key.
    pub(crate) fn redactor(&self) -> Redactor {
        let variables = self.variables.iter();
        let variables = variables.map(|(name, value)| (&**name, &**value));
        Redactor::new(secret_values(variables, |_| Sensitivity::Unknown))
    }

    /// The value of a variable.
    pub(crate) fn variable(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.variables.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Whether a variable has a value that is not empty.
    pub(crate) fn is_set(&self, name: impl AsRef<OsStr>) -> bool {
        self.variable(name).is_some_and(|value| !value.is_empty())
    }

    /// Whether this is a step of CI, of which most services set `CI`.
    pub(crate) fn is_ci(&self) -> bool {
        ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD"]
            .iter()
            .any(|name| self.is_set(name))
    }

    /// Whether this is a step of GitHub Actions.
    pub(crate) fn in_github_actions(&self) -> bool {
        self.variable("GITHUB_ACTIONS")
            .is_some_and(|value| value == "true")
    }

    /// The folder that paths for code hosts are relative to: the checkout of
    /// GitHub Actions or of GitLab if the working folder is in it, else the working folder.
    pub(crate) fn checkout(&self) -> &Path {
        ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"]
            .into_iter()
            .filter_map(|name| self.variable(name).map(Path::new))
            .find(|checkout| checkout.is_absolute() && self.folder.starts_with(checkout))
            .unwrap_or(&self.folder)
    }

    /// The same process without the settings of its user: no variable of ralph, and none that
    /// leads git to one repository.
    pub(crate) fn without_settings(&self) -> Self {
        let is_kept =
            |name: &OsStr| !name.as_encoded_bytes().starts_with(b"RALPH_") && !git::is_local(name);
        let variables = self.variables.iter().filter(|(name, _)| is_kept(name));
        Self {
            variables: variables
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            ..self.clone()
        }
    }

    /// This binary as the launcher of programs, where the system lists what is open in a
    /// process, by a path that also leads to it once its file was replaced.
    pub(crate) fn launcher(&self) -> Option<PathBuf> {
        match cfg!(target_os = "linux") {
            true => Some(PathBuf::from("/proc/self/exe")).filter(|own| own.exists()),
            false => self.program.clone(),
        }
    }

    /// An environment of these variables alone, in the root folder.
    #[cfg(test)]
    pub(crate) fn of<'t>(variables: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        Self {
            variables: variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            folder: PathBuf::from("/"),
            program: None,
            arguments: Vec::new(),
        }
    }
}
