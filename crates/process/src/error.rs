//! Errors that prevent a command from starting.

use std::io;
use std::path::PathBuf;

/// A command that was not started.
#[derive(Debug, thiserror::Error)]
#[error("program \"{}\" {cause}", program.display())]
pub struct SpawnError {
    /// The program as requested.
    pub program: PathBuf,
    /// The reason.
    pub cause: SpawnFault,
}

/// The reason why a command was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnFault {
    /// The program does not exist.
    #[error("was not found; check its spelling and PATH")]
    NotFound,
    /// The program is not executable.
    #[error("is not executable; run `chmod +x` on it")]
    NotExecutable,
    /// The interpreter of the script does not exist.
    #[error("has an interpreter that does not exist; check its first line")]
    NoInterpreter,
    /// The format of the file is unknown.
    #[error("is neither a binary nor a script that starts with `#!`")]
    UnknownFormat,
    /// The working directory does not exist.
    #[error("cannot run in \"{}\", which is not a folder", .0.display())]
    NoFolder(PathBuf),
    /// The arguments and variables exceed the limit of the system.
    #[error(
        "has arguments and variables that exceed the limit of the system; pass long text on \
         standard input"
    )]
    TooManyArguments,
    /// The run was stopped before the program was started.
    #[error("was not started because the run is being stopped")]
    Stopped,
    /// The system reported another error.
    #[error("cannot be run: {0}")]
    System(io::Error),
}
