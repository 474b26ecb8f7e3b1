//! Standard input of a program, written while its outputs are read.

use std::io::{self, ErrorKind, Write};
use std::process::ChildStdin as SystemStdin;

use rustix::io::ioctl_fionbio;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;

/// The bytes that are still to be written.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pipe: Option<ChildStdin>,
    bytes: Vec<u8>,
    written: usize,
}

impl Input {
    /// Fills the pipe immediately: most prompts fit into it and need no waiting.
    pub(crate) fn start(pipe: Option<SystemStdin>, bytes: Vec<u8>) -> io::Result<Self> {
        let Some(mut pipe) = pipe else {
            return Ok(Self::default());
        };
        ioctl_fionbio(&pipe, true)?;
        let written = match pipe.write(&bytes) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Ok(written) if written < bytes.len() => written,
            Ok(_) | Err(_) => return Ok(Self::default()),
        };
        Ok(Self {
            pipe: Some(ChildStdin::from_std(pipe)?),
            bytes,
            written,
        })
    }

    /// Waits until the program reads; cancel safe. A closed input waits forever.
    pub(crate) async fn write(&mut self) -> io::Result<usize> {
        match &mut self.pipe {
            Some(pipe) => pipe.write(&self.bytes[self.written..]).await,
            None => std::future::pending().await,
        }
    }

    /// Records the written bytes; after the last byte or an error the input is closed.
    /// A program may stop reading at any time.
    pub(crate) fn wrote(&mut self, wrote: &io::Result<usize>) {
        self.written += wrote.as_ref().unwrap_or(&0);
        if wrote.is_err() || self.written == self.bytes.len() {
            self.pipe = None;
            self.bytes = Vec::new();
        }
    }
}
