//! One call of git, apart from the hooks, the configuration and the environment that
//! could change what it does.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use review_process::{
    Command, Context, Environment, Exit, Groups, Limits, Overflow, Redactor, SpawnError,
    SpawnFault, Stdin, Stop, run,
};
use tokio::sync::watch;

/// The settings of every call: no hook, filter daemon, or maintenance of the user's runs,
/// indexes are one file, and refs are files.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "diff.autoRefreshIndex=true",
    "init.defaultRefFormat=files",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "merge.conflictStyle=diff3",
    "merge.renames=true",
    "merge.directoryRenames=conflict",
];

/// The variables of git that a call inherits; all others could point it to another
/// repository.
const INHERITED: [&str; 12] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH",
    "GIT_ASKPASS",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
];

/// The maximum size of an output.
const MAX_OUTPUT: usize = 256 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_mins(10);

/// Returns whether a variable may be passed on to git and to programs in a checkout.
pub fn passes(name: &OsStr) -> bool {
    let is_of_git = name.as_encoded_bytes().starts_with(b"GIT_");
    !is_of_git || INHERITED.iter().any(|inherited| name == *inherited)
}

/// The git of the user.
#[derive(Clone, Debug)]
pub struct Git {
    env: Vec<(OsString, OsString)>,
    stop: watch::Receiver<Stop>,
    groups: Groups,
}

/// Why git did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// It failed, or printed what its command does not print.
    #[error("git {0}")]
    Failed(String),
    /// It was terminated since the run is being stopped.
    #[error("git was stopped")]
    Stopped,
    /// It took too long or printed too much.
    #[error("git {command} took longer or printed more than ralph allows")]
    Exceeded {
        /// Its command.
        command: String,
    },
}

impl GitError {
    /// Returns whether the run is being stopped.
    pub fn is_stop(&self) -> bool {
        match self {
            Self::Stopped => true,
            Self::Spawn(error) => matches!(error.cause, SpawnFault::Stopped),
            _ => false,
        }
    }
}

/// A call that has ended on its own.
pub(crate) struct Answer {
    command: String,
    pub(crate) exit: Exit,
    pub(crate) stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// A call of git.
pub(crate) struct Call<'a> {
    git: &'a Git,
    folder: &'a Path,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    stdin: Stdin,
}

impl Git {
    /// Returns the git that `env`, the environment of this process, finds.
    pub fn new(
        env: &BTreeMap<OsString, OsString>,
        stop: watch::Receiver<Stop>,
        groups: Groups,
    ) -> Self {
        let own = [
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
        ];
        let inherited = env.iter().filter(|(name, _)| passes(name));
        let inherited = inherited.map(|(name, value)| (name.clone(), value.clone()));
        let own = own.map(|(name, value)| (name.into(), value.into()));
        Self {
            env: inherited.chain(own).collect(),
            stop,
            groups,
        }
    }

    /// Has calls see a variable, by which they can be found.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Prepares a call in a folder.
    pub(crate) fn at<'a>(&'a self, folder: &'a Path) -> Call<'a> {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
        Call {
            git: self,
            folder,
            args: settings.map(Into::into).collect(),
            env: Vec::new(),
            stdin: Stdin::Null,
        }
    }
}

impl<'a> Call<'a> {
    pub(crate) fn args(mut self, args: impl IntoIterator<Item: Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Works on a repository with the files of a folder and an index of its own.
    pub(crate) fn on(self, repository: &Path, files: &Path, index: &Path) -> Self {
        self.env("GIT_DIR", repository)
            .env("GIT_WORK_TREE", files)
            .env("GIT_INDEX_FILE", index)
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = Stdin::Bytes(bytes);
        self
    }

    /// Makes the call, whatever its exit.
    pub(crate) async fn answer(self) -> Result<Answer, GitError> {
        let words = self.args.iter().skip(2 * SETTINGS.len());
        let words: Vec<_> = words.take(3).map(|word| word.to_string_lossy()).collect();
        let called = words.join(" ");
        let mut env = self.git.env.clone();
        env.extend(self.env);
        let mut command = Command::new("git", self.folder).args(self.args);
        command.env = Environment::Only(env);
        command.stdin = self.stdin;
        command.finishes = true;
        command.limits = Limits {
            wall: Some(TIMEOUT),
            idle: None,
            capture: MAX_OUTPUT,
            overflow: Overflow::Stop,
            ..Limits::default()
        };
        let redactor = Redactor::none();
        let context = Context::new(self.git.stop.clone(), &self.git.groups, &redactor);
        let ended = run(command, context).await?;
        match ended.cut {
            None => {}
            Some(review_process::EndedBy::Stopped) => return Err(GitError::Stopped),
            Some(_) => return Err(GitError::Exceeded { command: called }),
        }
        let (head, tail) = ended.stderr.parts();
        let stderr = [head, tail].concat();
        let Some(stdout) = ended.stdout.into_complete() else {
            return Err(GitError::Exceeded { command: called });
        };
        Ok(Answer {
            command: called,
            exit: ended.exit,
            stdout,
            stderr,
        })
    }

    /// Makes the call, which must succeed.
    pub(crate) async fn done(self) -> Result<Answer, GitError> {
        let answer = self.answer().await?;
        match answer.succeeded() {
            true => Ok(answer),
            false => Err(answer.failed()),
        }
    }

    /// Makes the call and returns the one line that it prints.
    pub(crate) async fn line(self) -> Result<String, GitError> {
        self.done().await?.line()
    }

    /// Makes the call and reads the one line that it prints.
    pub(crate) async fn read<T: FromStr>(self) -> Result<T, GitError> {
        let answer = self.done().await?;
        let line = answer.line()?;
        line.parse().map_err(|_| answer.unexpected())
    }
}

impl Answer {
    pub(crate) fn succeeded(&self) -> bool {
        self.exit == Exit::Code(0)
    }

    pub(crate) fn line(&self) -> Result<String, GitError> {
        let text = std::str::from_utf8(&self.stdout).map_err(|_| self.unexpected())?;
        Ok(text.strip_suffix('\n').unwrap_or(text).to_owned())
    }

    /// The strings of an output with NUL after each.
    pub(crate) fn strings(&self) -> impl Iterator<Item = &[u8]> {
        let strings = self.stdout.split(|byte| *byte == 0);
        strings.filter(|string| !string.is_empty())
    }

    pub(crate) fn message(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }

    pub(crate) fn failed(&self) -> GitError {
        let (command, exit, message) = (&self.command, self.exit, self.message());
        GitError::Failed(format!("{command} failed with {exit}: {message}"))
    }

    pub(crate) fn unexpected(&self) -> GitError {
        let start = &self.stdout[..self.stdout.len().min(200)];
        let (command, start) = (&self.command, String::from_utf8_lossy(start));
        GitError::Failed(format!(
            "{command} printed what ralph does not expect: {start:?}"
        ))
    }
}

/// The path of bytes that git printed.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(bytes))
}
