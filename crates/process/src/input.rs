//! Standard input of a program, fed while its outputs are drained.

use std::io;

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;

/// The bytes that a program is still to be given.
pub(crate) struct Input {
    pipe: Option<ChildStdin>,
    bytes: Vec<u8>,
    written: usize,
}

impl Input {
    pub(crate) fn new(pipe: Option<ChildStdin>, bytes: Vec<u8>) -> Self {
        let pipe = pipe.filter(|_| !bytes.is_empty());
        Self {
            pipe,
            bytes,
            written: 0,
        }
    }

    /// Waits until the program takes bytes; nothing is lost if it is
    /// cancelled. A closed input waits for ever.
    pub(crate) async fn write(&mut self) -> io::Result<usize> {
        match &mut self.pipe {
            Some(pipe) => pipe.write(&self.bytes[self.written..]).await,
            None => std::future::pending().await,
        }
    }

    /// Notes what was written; after the last byte or an error the program
    /// sees the end of its input. A program may stop reading when it likes.
    pub(crate) fn wrote(&mut self, wrote: &io::Result<usize>) {
        self.written += wrote.as_ref().unwrap_or(&0);
        if wrote.is_err() || self.written == self.bytes.len() {
            self.close();
        }
    }

    pub(crate) fn close(&mut self) {
        self.pipe = None;
        self.bytes = Vec::new();
    }
}
