//! What is to be run, and within which limits.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, access};

/// Bytes of standard error kept in memory: the first quarter and the last
/// three.
pub const STDERR_CAPTURE: usize = 256 * 1024;

/// One command: a program, its surroundings and its limits.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program: a name to be found on the `PATH` of `env`, or a path. A
    /// relative path starts at `cwd`.
    pub program: PathBuf,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The folder that the program runs in.
    pub cwd: PathBuf,
    /// The variables that the program sees.
    pub env: Environment,
    /// What the program reads on standard input.
    pub stdin: Stdin,
    /// When the program is ended before it ends by itself.
    pub limits: Limits,
}

impl Command {
    /// Describes a program without arguments that inherits the environment,
    /// reads nothing and has the default limits.
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: Environment::Inherit { set: Vec::new() },
            stdin: Stdin::Null,
            limits: Limits::default(),
        }
    }

    /// Appends arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item: Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
}

/// The variables that a program sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// Those of this process, with some set anew.
    Inherit {
        /// Names and values that are added or replaced.
        set: Vec<(OsString, OsString)>,
    },
    /// These and no others.
    Only(Vec<(OsString, OsString)>),
}

impl Environment {
    /// The value that this environment names itself, the last one winning.
    pub(crate) fn named(&self, name: &str) -> Option<&OsString> {
        let (Self::Inherit { set: variables } | Self::Only(variables)) = self;
        let found = variables.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }
}

/// What a program reads on standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing: `/dev/null`.
    Null,
    /// These bytes through a pipe, then the end. A program that does not read
    /// them is no error.
    Bytes(Vec<u8>),
}

/// When a program is ended before it ends by itself, and how much of its
/// standard output is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time of the whole call.
    pub wall: Option<Duration>,
    /// The time without a byte on either output.
    pub idle: Option<Duration>,
    /// The time between asking the group to end and killing it.
    pub grace: Duration,
    /// Bytes of standard output kept in memory.
    pub capture: usize,
    /// What happens to a program that writes more than that.
    pub overflow: Overflow,
}

impl Default for Limits {
    /// Returns the limits of a call to an agent: 10 minutes, 5 of them silent,
    /// 10 seconds of grace, and no answer over 16 MiB.
    fn default() -> Self {
        Self {
            wall: Some(Duration::from_mins(10)),
            idle: Some(Duration::from_mins(5)),
            grace: Duration::from_secs(10),
            capture: 16 * 1024 * 1024,
            overflow: Overflow::Stop,
        }
    }
}

/// What happens to a program that writes more to standard output than is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The program goes on; the first quarter and the last three of what is
    /// kept in memory stay, the middle is dropped and counted.
    KeepTail,
    /// The group is ended: nobody parses an answer that was cut.
    Stop,
}

/// Finds the file that `program` means: a name is looked up in the folders of
/// `path`, the value of the variable `PATH`; anything with a `/` is a file,
/// relative to `folder`. Relative folders of `path` start at `folder` as well.
///
/// `None` means that there is no such file that may be executed.
#[must_use]
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

/// Resolves the program of a command as far as this process has to: a bare
/// name without a `PATH` of its own is left to the system, which looks it up
/// while it spawns.
pub(crate) fn resolve(program: &Path, path: Option<&OsString>, cwd: &Path) -> Option<PathBuf> {
    match path {
        None if is_name(program) => Some(program.to_owned()),
        _ if !is_name(program) => Some(cwd.join(program)),
        path => find_program(program, path.map(OsString::as_os_str), cwd),
    }
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}
