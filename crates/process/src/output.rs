//! An output of a program on its way to memory and to the sink.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::capture::Capture;
use crate::redact::Redaction;
use crate::{Captured, Patience, Sink, Stream};

/// The initial buffer, enough for most outputs.
const FIRST_BUFFER: usize = 1024;

/// The capacity of a pipe on Linux.
const FULL_BUFFER: usize = 64 * 1024;

/// The sink, until it fails.
pub(crate) struct Spill<'a> {
    pub(crate) sink: Option<&'a mut dyn Sink>,
    pub(crate) error: Option<io::Error>,
}

impl Spill<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let written = self.sink.as_mut().map(|sink| sink.write(stream, bytes));
        if let Some(Err(error)) = written {
            self.sink = None;
            self.error = Some(error);
        }
    }

    /// Returns how long the program may continue. A failed sink sets no limit.
    pub(crate) fn patience(&self) -> Patience {
        let sink = self.sink.as_ref();
        sink.map_or(Patience::Limits, |sink| sink.patience())
    }

    /// Returns what a dialog goes on with; nothing after the sink failed.
    pub(crate) fn reply(&mut self) -> Vec<u8> {
        let sink = self.sink.as_mut();
        sink.map_or_else(Vec::new, |sink| sink.reply())
    }

    /// Returns what a dialog ends with.
    pub(crate) fn farewell(&mut self) -> Vec<u8> {
        let sink = self.sink.as_mut();
        sink.map_or_else(Vec::new, |sink| sink.farewell())
    }
}

/// A pipe and the bytes read from it.
pub(crate) struct Output<'a, Pipe> {
    stream: Stream,
    pipe: Option<Pipe>,
    buffer: Vec<u8>,
    redaction: Redaction<'a>,
    capture: Capture,
    kept: bool,
}

impl<'a, Pipe: AsyncRead + Unpin> Output<'a, Pipe> {
    pub(crate) fn new(
        stream: Stream,
        pipe: Option<Pipe>,
        redaction: Redaction<'a>,
        capture: Capture,
    ) -> Self {
        Self {
            stream,
            pipe,
            buffer: Vec::with_capacity(FIRST_BUFFER),
            redaction,
            capture,
            kept: true,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    pub(crate) fn overflows(&self) -> bool {
        self.capture.overflows()
    }

    /// From now on only drains the pipe: the bytes are neither captured nor passed on.
    pub(crate) fn stop_keeping(&mut self) {
        self.kept = false;
    }

    /// Waits for bytes and reads them; cancel safe. A closed output waits forever.
    pub(crate) async fn read(&mut self) -> io::Result<usize> {
        match &mut self.pipe {
            Some(pipe) => pipe.read_buf(&mut self.buffer).await,
            None => std::future::pending().await,
        }
    }

    /// Passes on the bytes that were read. No bytes or an error ends the stream: a pipe
    /// that cannot be read has no more output.
    pub(crate) fn take(&mut self, read: &io::Result<usize>, spill: &mut Spill<'_>) {
        match read {
            Ok(1..) if self.kept => {
                let (stream, capture) = (self.stream, &mut self.capture);
                self.redaction.push(&self.buffer, &mut |bytes| {
                    capture.push(bytes);
                    spill.write(stream, bytes);
                });
            }
            Ok(1..) => {}
            Ok(0) | Err(_) => self.pipe = None,
        }
        if self.buffer.len() >= FIRST_BUFFER && self.buffer.capacity() < FULL_BUFFER {
            self.buffer = Vec::with_capacity(FULL_BUFFER);
        }
        self.buffer.clear();
    }

    /// Passes on the bytes held back by the redactor, and closes the pipe.
    pub(crate) fn finish(mut self, spill: &mut Spill<'_>) -> Captured {
        let (stream, capture) = (self.stream, &mut self.capture);
        self.redaction.finish(&mut |bytes| {
            capture.push(bytes);
            spill.write(stream, bytes);
        });
        self.capture.finish()
    }
}
