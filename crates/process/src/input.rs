//! Standard input of a program, written while its outputs are read.
//!
//! A copy of the pipe's read end stays here, so that what the program did not take can
//! be counted when it has ended. While the copy is open, no write fails because the
//! program closed its input: such a write waits, and ends with the program.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Write};
use std::os::fd::OwnedFd;

use rustix::io::{ioctl_fionbio, ioctl_fionread};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;

use crate::InputRead;

/// The pipe of a standard input. Both ends are closed in every program that is started.
pub(crate) struct Pipe {
    writer: PipeWriter,
    unread: PipeReader,
}

impl Pipe {
    /// Returns a new pipe, and the read end for the program.
    pub(crate) fn new() -> io::Result<(Self, PipeReader)> {
        let (reader, writer) = io::pipe()?;
        let unread = reader.try_clone()?;
        Ok((Self { writer, unread }, reader))
    }
}

/// The bytes that are still to be written.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pipe: Option<Sender>,
    /// What was written and not read is counted here.
    unread: Option<PipeReader>,
    bytes: Vec<u8>,
    /// Where in `bytes` the next write starts.
    next: usize,
    /// Whether more bytes may follow.
    goes_on: bool,
    written: u64,
    length: u64,
}

impl Input {
    /// Fills the pipe immediately: most prompts fit into it and need no waiting.
    pub(crate) fn start(pipe: Option<Pipe>, bytes: Vec<u8>, goes_on: bool) -> io::Result<Self> {
        let Some(Pipe { mut writer, unread }) = pipe else {
            return Ok(Self::default());
        };
        ioctl_fionbio(&writer, true)?;
        let written = match writer.write(&bytes) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error),
            Ok(written) => written,
        };
        let length = bytes.len();
        let is_open = written < length || goes_on;
        Ok(Self {
            pipe: match is_open {
                true => Some(Sender::from_owned_fd(OwnedFd::from(writer))?),
                false => None,
            },
            unread: Some(unread),
            bytes: if is_open { bytes } else { Vec::new() },
            next: written,
            goes_on,
            written: written as u64,
            length: length as u64,
        })
    }

    /// Waits until the program reads; cancel safe. A closed input waits forever, and so
    /// does one with nothing to write.
    pub(crate) async fn write(&mut self) -> io::Result<usize> {
        match &mut self.pipe {
            Some(pipe) if self.next < self.bytes.len() => {
                pipe.write(&self.bytes[self.next..]).await
            }
            Some(_) | None => std::future::pending().await,
        }
    }

    /// Records the written bytes; after the last byte or an error the input is closed.
    pub(crate) fn wrote(&mut self, wrote: &io::Result<usize>) {
        match wrote {
            Ok(wrote) => {
                self.written += *wrote as u64;
                self.next += wrote;
                self.close_at_end();
            }
            Err(_) => self.close(),
        }
    }

    /// Appends bytes to an input that goes on.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        if self.pipe.is_none() || !self.goes_on || bytes.is_empty() {
            return;
        }
        self.bytes.drain(..std::mem::take(&mut self.next));
        self.bytes.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
    }

    /// Closes the input after the bytes that it has.
    pub(crate) fn finish(&mut self) {
        self.goes_on = false;
        self.close_at_end();
    }

    /// Stops writing, and returns how much of the input was read until now; `None` if
    /// it has no input, or the system does not say.
    pub(crate) fn end(&mut self) -> Option<InputRead> {
        self.close();
        let unread = ioctl_fionread(self.unread.take()?).ok()?;
        Some(InputRead {
            bytes: self.length,
            read: self.written.saturating_sub(unread),
        })
    }

    fn close_at_end(&mut self) {
        if self.next >= self.bytes.len() && !self.goes_on {
            self.close();
        }
    }

    fn close(&mut self) {
        self.pipe = None;
        self.bytes = Vec::new();
        self.next = 0;
    }
}
