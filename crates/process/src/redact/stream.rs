//! Redacts a stream by line.
//!
//! A shape of a key never spans lines, so a line is decided once it has ended. A value may
//! span lines: what could be the start of one waits for the rest of it. The content of a
//! private key is hidden until its last line. A line without an end is decided in parts.

use memchr::memrchr;

use super::escapes::Escapes;
use super::shape::CONTEXT;
use super::shape::{More, private_key};
use super::{REPLACEMENT, Redactor};

/// The part of a line that is decided before its end is known.
const PART: usize = 64 * 1024;

/// Receives redacted bytes.
type Out<'a> = dyn FnMut(&[u8]) + 'a;

/// A stream that is being redacted.
#[derive(Clone, Debug)]
pub struct Redaction<'a> {
    redactor: &'a Redactor,
    escapes: Escapes,
    /// Decided bytes for context, then those that are not decided.
    buffer: Vec<u8>,
    done: usize,
    /// The end of the last line that has ended.
    line_end: usize,
    more: More,
}

impl<'a> Redaction<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> Self {
        Self {
            redactor,
            escapes: Escapes::default(),
            buffer: Vec::new(),
            done: 0,
            line_end: 0,
            more: More::Nothing,
        }
    }

    /// Adds bytes and outputs what is decided.
    pub fn push(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if self.redactor.is_off() {
            out(bytes);
            return;
        }
        let known = self.buffer.len();
        self.escapes.strip(bytes, &mut self.buffer);
        if let Some(at) = memrchr(b'\n', &self.buffer[known..]) {
            self.line_end = known + at + 1;
        }
        while let Some(certain) = self.certain() {
            self.advance(certain, out);
        }
        let kept = self.done.saturating_sub(CONTEXT);
        self.buffer.drain(..kept);
        self.done -= kept;
        self.line_end = self.line_end.saturating_sub(kept);
    }

    /// Ends the stream and outputs what was not decided.
    pub fn finish(mut self, out: &mut Out<'_>) {
        self.advance(self.buffer.len(), out);
    }

    /// The position up to which everything is decided, if that is more than before.
    fn certain(&self) -> Option<usize> {
        let is_long = self.buffer.len() - self.done >= PART + self.redactor.longest;
        let certain = match self.line_end > self.done {
            true => self.line_end,
            false if is_long => self.done + PART,
            false => return None,
        };
        let certain = certain.min(self.redactor.first_open(&self.buffer, self.done));
        (certain > self.done).then_some(certain)
    }

    /// Hides and outputs what is before `certain`, and the rest of a secret that starts
    /// there.
    fn advance(&mut self, certain: usize, out: &mut Out<'_>) {
        while self.done < certain {
            match self.more {
                More::Nothing => self.search(certain, out),
                More::Run(class) => {
                    self.done += class.run(&self.buffer[self.done..]);
                    if self.done < self.buffer.len() {
                        self.more = More::Nothing;
                    }
                }
                More::PrivateKey => {
                    let (length, has_ended) = private_key(&self.buffer[self.done..certain]);
                    self.done += length;
                    if has_ended {
                        self.more = More::Nothing;
                    }
                }
            }
        }
    }

    /// Outputs what is before `certain`, or before the first secret, and its replacement.
    fn search(&mut self, certain: usize, out: &mut Out<'_>) {
        let found = self.redactor.find(&self.buffer, self.done..certain);
        let end = found.map_or(certain, |secret| secret.start);
        if end > self.done {
            out(&self.buffer[self.done..end]);
            self.done = end;
        }
        if let Some(secret) = found {
            out(REPLACEMENT.as_bytes());
            self.done += secret.length;
            self.more = secret.more;
        }
    }
}
