//! The launcher: a program that is called in place of another one, and becomes it.
//!
//! A program that this process starts shares its terminal and whatever descriptors it
//! inherited, and outlives it. No safe function changes that between `fork` and `exec`,
//! so a binary calls itself: with [`LAUNCH`] as its first argument it hands the others to
//! [`launch`], which leaves the session of the parent, closes all descriptors but the
//! first three, has the system end it when its parent ends, and executes the program.
//! The process id stays, and so does the parent.
//!
//! [`Guard`] is a process of the same binary that outlives this one. It ends what programs
//! have started in turn, which no signal of the system reaches.

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::sandbox::Grants;

mod child;
mod guard;

pub use child::{LaunchError, launch};
pub(crate) use guard::Guard;

/// The first argument of a call of the launcher.
pub const LAUNCH: &str = "confine";

const PARENT: &str = "--parent";
const STATUS: &str = "--status";
const GUARD: &str = "--guard";

/// What the launcher writes once it is the leader of a session.
const READY: u8 = b'+';
/// What it writes before the number of the error with which the program was not executed.
const NOT_EXECUTED: u8 = b'e';
/// What it writes before the words in which it failed.
const NOT_CONFINED: u8 = b'f';

/// A program that a launcher becomes.
pub(crate) struct Launched<'a> {
    pub(crate) program: &'a Path,
    pub(crate) args: &'a [OsString],
    pub(crate) grants: Option<&'a Grants>,
    pub(crate) finishes: bool,
}

impl Launched<'_> {
    /// The arguments of the launcher, whose result is read from `status`.
    pub(crate) fn arguments(&self, status: &Status) -> Vec<OsString> {
        let descriptor = status.writer.as_raw_fd().to_string();
        let mut all: Vec<OsString> = vec![LAUNCH.into(), STATUS.into(), descriptor.into()];
        if !self.finishes {
            let parent = std::process::id().to_string();
            all.extend([PARENT.into(), parent.into()]);
        }
        all.extend(self.grants.into_iter().flat_map(Grants::arguments));
        all.push("--".into());
        all.push(self.program.into());
        all.extend_from_slice(self.args);
        all
    }
}

/// Receives from a launcher whether it became the program.
pub(crate) struct Status {
    reader: PipeReader,
    writer: PipeWriter,
}

/// Why a program, or a launcher in its place, did not start.
#[derive(Debug)]
pub(crate) enum NotLaunched {
    /// The program could not be executed.
    Program(io::Error),
    /// The launcher failed.
    Launcher(io::Error),
    /// No further program starts, or the launcher was ended by a signal or found that its
    /// parent had ended.
    Ended,
}

impl From<io::Error> for NotLaunched {
    fn from(error: io::Error) -> Self {
        Self::Program(error)
    }
}

impl Status {
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self { reader, writer })
    }

    /// Lets the next program that is started inherit it.
    pub(crate) fn share(&self) -> io::Result<()> {
        Ok(fcntl_setfd(&self.writer, FdFlags::empty())?)
    }

    /// Waits until the launcher has become the program.
    pub(crate) fn wait(mut self) -> Result<(), NotLaunched> {
        drop(self.writer);
        let mut said = Vec::new();
        let read = self.reader.read_to_end(&mut said);
        read.map_err(NotLaunched::Launcher)?;
        let said = said.strip_prefix(&[READY]).ok_or(&*said);
        match said {
            Ok([]) => Ok(()),
            Ok([NOT_EXECUTED, number @ ..]) => {
                let number = str::from_utf8(number)
                    .ok()
                    .and_then(|text| text.parse().ok());
                let error =
                    number.map_or_else(io::Error::last_os_error, io::Error::from_raw_os_error);
                Err(NotLaunched::Program(error))
            }
            Ok([_, why @ ..]) | Err([_, why @ ..]) => {
                let why = String::from_utf8_lossy(why).into_owned();
                Err(NotLaunched::Launcher(io::Error::other(why)))
            }
            Err([]) => Err(NotLaunched::Ended),
        }
    }
}
