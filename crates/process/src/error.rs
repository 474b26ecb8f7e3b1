//! Why a command could not be run.

use std::io;
use std::path::PathBuf;

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The program does not exist.
    #[error("program \"{}\" was not found; check its spelling and PATH", program.display())]
    NotFound {
        /// The program as it was asked for.
        program: PathBuf,
    },
    /// The program may not be executed.
    #[error("program \"{}\" may not be executed; `chmod +x` it", program.display())]
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The program is a script whose interpreter does not exist.
    #[error("program \"{}\" names an interpreter that does not exist; see its first line", program.display())]
    NoInterpreter {
        /// The program.
        program: PathBuf,
    },
    /// The system cannot tell what kind of program it is.
    #[error("program \"{}\" is neither a binary nor a script that starts with `#!`", program.display())]
    UnknownFormat {
        /// The program.
        program: PathBuf,
    },
    /// The folder to run in does not exist.
    #[error("program \"{}\" cannot run in \"{}\", which is no folder", program.display(), cwd.display())]
    NoFolder {
        /// The program.
        program: PathBuf,
        /// The folder it was to run in.
        cwd: PathBuf,
    },
    /// Arguments and variables are larger than the system allows.
    #[error("the arguments and variables of \"{}\" are larger than the system allows; pass large texts by standard input", program.display())]
    TooManyArguments {
        /// The program.
        program: PathBuf,
    },
    /// The run was stopped before the program was started.
    #[error("program \"{}\" was not started, since the run is being stopped", program.display())]
    Stopped {
        /// The program.
        program: PathBuf,
    },
    /// The system refused for another reason.
    #[error("program \"{}\" cannot be run", program.display())]
    System {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SpawnError {
    /// The program that could not be run.
    #[must_use]
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
