//! The process that becomes the program.
#![expect(
    clippy::disallowed_methods,
    reason = "this process becomes another program"
)]

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Pid, getppid, setsid};

use super::{GUARD, NOT_CONFINED, NOT_EXECUTED, PARENT, READY, STATUS, guard};
use crate::sandbox::{self, ConfineError, Grant, Grants};

/// Where the system lists the descriptors of a process.
const DESCRIPTORS: &str = if cfg!(target_os = "linux") {
    "/proc/self/fd"
} else {
    "/dev/fd"
};

/// Why a launcher did not become a program.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// It was called in another way than by this library.
    #[error("`confine` starts the programs of a run, and is not for people")]
    Usage,
    /// What belongs to the parent cannot be left.
    #[error("a program cannot be kept apart from ralph: {0}")]
    Apart(#[from] io::Error),
    /// The parent has ended.
    #[error("ralph has ended")]
    Orphaned,
    /// The sandbox cannot be entered.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// The program cannot be executed.
    #[error("{} could not be started: {source}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Becomes the program that `arguments`, those after [`LAUNCH`](super::LAUNCH), name. It
/// returns when that failed, or when it was called as the guard of a process that has
/// ended.
///
/// # Errors
/// [`LaunchError`] when this process does not become the program.
pub fn launch(arguments: impl IntoIterator<Item = OsString>) -> Result<(), LaunchError> {
    match Call::of(arguments.into_iter()).ok_or(LaunchError::Usage)? {
        Call::Guard => {
            close_descriptors(None)?;
            guard::guard();
            Ok(())
        }
        Call::Program(program) => {
            let status = program.status;
            close_descriptors(status)?;
            let mut status = status.map(Reply::open).transpose()?;
            let error = program.execute(status.as_mut());
            if let Some(status) = &mut status {
                status.failed(&error);
            }
            Err(error)
        }
    }
}

/// What a launcher is called for.
enum Call {
    Program(Program),
    Guard,
}

#[derive(Default)]
struct Program {
    parent: Option<Pid>,
    status: Option<i32>,
    grants: Vec<(PathBuf, Grant)>,
    file: PathBuf,
    args: Vec<OsString>,
}

impl Call {
    fn of(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut program = Program::default();
        loop {
            let option = arguments.next()?.into_string().ok()?;
            match &*option {
                "--" => break,
                GUARD => return Some(Self::Guard),
                PARENT => program.parent = Some(Pid::from_raw(number(&arguments.next()?)?)?),
                STATUS => program.status = Some(number(&arguments.next()?)?),
                option => {
                    let grant = Grant::of_option(option)?;
                    program.grants.push((arguments.next()?.into(), grant));
                }
            }
        }
        program.file = arguments.next()?.into();
        program.args = arguments.collect();
        Some(Self::Program(program))
    }
}

fn number(argument: &OsStr) -> Option<i32> {
    argument.to_str()?.parse().ok()
}

impl Program {
    /// Leaves what belongs to the parent, and becomes the program.
    fn execute(self, status: Option<&mut Reply>) -> LaunchError {
        if let Err(error) = setsid() {
            return io::Error::from(error).into();
        }
        if self.parent.is_some() {
            if let Err(error) = end_with_parent() {
                return error.into();
            }
            // It may have ended before the system was asked.
            if getppid() != self.parent {
                return LaunchError::Orphaned;
            }
        }
        if let Some(status) = status {
            status.write(&[READY]);
        }
        if !self.grants.is_empty()
            && let Err(error) = sandbox::confine(&Grants::new(self.grants))
        {
            return error.into();
        }
        let source = Command::new(&self.file).args(self.args).exec();
        LaunchError::Program {
            program: self.file,
            source,
        }
    }
}

/// Has the system send SIGTERM to the program when the thread that started it ends.
#[cfg(target_os = "linux")]
fn end_with_parent() -> io::Result<()> {
    let signal = rustix::process::Signal::TERM;
    Ok(rustix::process::set_parent_process_death_signal(Some(
        signal,
    ))?)
}

/// The guard alone ends the program.
#[cfg(not(target_os = "linux"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "it can fail where it does something"
)]
fn end_with_parent() -> io::Result<()> {
    Ok(())
}

/// Reports the state of the launcher to the parent, up to the execution of the program.
struct Reply(File);

impl Reply {
    /// Opens the inherited pipe again, so that the program does not inherit it.
    fn open(inherited: i32) -> io::Result<Self> {
        let path = Path::new(DESCRIPTORS).join(inherited.to_string());
        let pipe = OpenOptions::new().write(true).open(path)?;
        nix::unistd::close(inherited)?;
        Ok(Self(pipe))
    }

    fn failed(&mut self, error: &LaunchError) {
        match error {
            LaunchError::Program { source, .. } => {
                let number = source.raw_os_error().unwrap_or_default();
                self.write(&[&[NOT_EXECUTED], number.to_string().as_bytes()].concat());
            }
            LaunchError::Orphaned => {}
            error => self.write(&[&[NOT_CONFINED], error.to_string().as_bytes()].concat()),
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        // A parent that does not read it has ended.
        let _ = self.0.write_all(bytes);
    }
}

/// Closes what the program must not inherit: all but the first three and `kept`.
fn close_descriptors(kept: Option<i32>) -> io::Result<()> {
    let mut open = Vec::new();
    for entry in fs::read_dir(DESCRIPTORS)? {
        let name = entry?.file_name();
        open.extend(number(&name).filter(|open| *open > 2 && Some(*open) != kept));
    }
    for descriptor in open {
        // An error means that it is closed already: one of them was that of the list.
        let _ = nix::unistd::close(descriptor);
    }
    Ok(())
}
