//! Errors that prevent a command from starting.

use std::io;
use std::path::PathBuf;

/// The reason why a command was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The program does not exist.
    #[error("program \"{}\" was not found; check its spelling and PATH", program.display())]
    NotFound {
        /// The program as requested.
        program: PathBuf,
    },
    /// The program is not executable.
    #[error("program \"{}\" is not executable; run `chmod +x` on it", program.display())]
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The interpreter of the script does not exist.
    #[error("the interpreter of program \"{}\" does not exist; check its first line", program.display())]
    NoInterpreter {
        /// The program.
        program: PathBuf,
    },
    /// The format of the file is unknown.
    #[error("program \"{}\" is neither a binary nor a script that starts with `#!`", program.display())]
    UnknownFormat {
        /// The program.
        program: PathBuf,
    },
    /// The working directory does not exist.
    #[error("program \"{}\" cannot run in \"{}\", which is not a folder", program.display(), cwd.display())]
    NoFolder {
        /// The program.
        program: PathBuf,
        /// The working directory.
        cwd: PathBuf,
    },
    /// The arguments and variables exceed the limit of the system.
    #[error("the arguments and variables of \"{}\" exceed the limit of the system; pass long text on standard input", program.display())]
    TooManyArguments {
        /// The program.
        program: PathBuf,
    },
    /// The run was stopped before the program was started.
    #[error("program \"{}\" was not started because the run is being stopped", program.display())]
    Stopped {
        /// The program.
        program: PathBuf,
    },
    /// The system reported another error.
    #[error("program \"{}\" cannot be run", program.display())]
    System {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl SpawnError {
    /// The program that was not started.
    pub fn program(&self) -> &PathBuf {
        match self {
            Self::NotFound { program }
            | Self::NotExecutable { program }
            | Self::NoInterpreter { program }
            | Self::UnknownFormat { program }
            | Self::NoFolder { program, .. }
            | Self::TooManyArguments { program }
            | Self::Stopped { program }
            | Self::System { program, .. } => program,
        }
    }
}
