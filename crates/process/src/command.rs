//! Commands and their limits.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, access};

use crate::Sandbox;

/// A command: a program, its environment and its limits.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program: a name to look up in the `PATH` of `env`, or a path. A relative
    /// path is relative to `cwd`.
    pub program: PathBuf,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The environment variables.
    pub env: Environment,
    /// The content of standard input.
    pub stdin: Stdin,
    /// The limits.
    pub limits: Limits,
    /// The sandbox that it runs in, if there is one.
    pub sandbox: Option<Sandbox>,
    /// Whether it may finish its work, which is short, if this process is
    /// killed: cut off it would leave half of it.
    pub finishes: bool,
}

impl Command {
    /// Creates a command without arguments that inherits the environment, has no input,
    /// and has the default limits.
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: Environment::Inherit { set: Vec::new() },
            stdin: Stdin::Null,
            limits: Limits::default(),
            sandbox: None,
            finishes: false,
        }
    }

    /// Appends arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item: Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
}

/// The environment variables of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// The variables of this process, without those that lead git to one repository
    /// ([`git::is_local`](crate::git::is_local)), with changes.
    Inherit {
        /// Variables that are added or replaced.
        set: Vec<(OsString, OsString)>,
    },
    /// Only these variables.
    Only(Vec<(OsString, OsString)>),
}

impl Environment {
    /// Returns this environment with variables added or replaced.
    pub fn with(&self, more: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut environment = self.clone();
        let (Self::Inherit { set: variables } | Self::Only(variables)) = &mut environment;
        variables.extend(more);
        environment
    }

    /// Returns the value that this environment sets for a variable; the last one takes
    /// precedence.
    pub fn named(&self, name: &str) -> Option<&OsString> {
        let (Self::Inherit { set: variables } | Self::Only(variables)) = self;
        let found = variables.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }
}

/// The standard input of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// No input: `/dev/null`.
    Null,
    /// These bytes through a pipe. It is not an error if the program does not read
    /// them.
    Bytes(Vec<u8>),
    /// These bytes through a pipe, and then what the sink [replies](crate::Sink::reply)
    /// to the output, until the sink has what it needs.
    Dialog(Vec<u8>),
}

/// The limits of a program: the time until it is terminated, and the size of its
/// captured output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum duration.
    pub wall: Option<Duration>,
    /// The maximum time without output.
    pub idle: Option<Duration>,
    /// The maximum time in which the program only writes that it waits for the network,
    /// as the sink says. It applies in place of `idle`.
    pub connect: Option<Duration>,
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// The number of bytes of standard output that are captured.
    pub capture: usize,
    /// The reaction to a larger output.
    pub overflow: Overflow,
}

impl Default for Limits {
    /// Returns the limits of an agent call: 10 minutes in total, 5 minutes without
    /// output, 1 minute to connect, 10 seconds of grace, and no response above 16 MiB.
    fn default() -> Self {
        Self {
            wall: Some(Duration::from_mins(10)),
            idle: Some(Duration::from_mins(5)),
            connect: Some(Duration::from_mins(1)),
            grace: Duration::from_secs(10),
            capture: 16 * 1024 * 1024,
            overflow: Overflow::Stop,
        }
    }
}

/// The reaction to an output that exceeds its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The program continues; the first quarter and the last three quarters of the
    /// limit are captured, and the bytes in between are counted and dropped.
    KeepTail,
    /// The group is terminated: a truncated response cannot be parsed.
    Stop,
}

/// Returns the file of a program: a name is looked up in the folders of `path`, the
/// value of the variable `PATH`; anything with a `/` is a path relative to `folder`.
/// Relative folders in `path` are relative to `folder` as well.
///
/// `None` if no such executable file exists.
pub fn find_program(program: &Path, path: Option<&OsStr>, folder: &Path) -> Option<PathBuf> {
    if !is_name(program) {
        return Some(folder.join(program)).filter(|file| is_executable(file));
    }
    std::env::split_paths(path?)
        .map(|entry| folder.join(entry).join(program))
        .find(|file| is_executable(file))
}

pub(crate) fn is_name(program: &Path) -> bool {
    !program.as_os_str().as_encoded_bytes().contains(&b'/')
}

/// Resolves the program of a command if this process has to: a bare name without
/// an own `PATH` is left to the system, which resolves it when it spawns the program.
pub(crate) fn resolve(program: &Path, path: Option<&OsString>, cwd: &Path) -> Option<PathBuf> {
    match path {
        None if is_name(program) => Some(program.to_owned()),
        _ if !is_name(program) => Some(cwd.join(program)),
        path => find_program(program, path.map(OsString::as_os_str), cwd),
    }
}

pub(crate) fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}
