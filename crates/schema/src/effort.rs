//! How much work one answer may cost.

use crate::Options;
use crate::trace::Trace;

/// The most attempts at guessing in one answer.
const MAX_GUESSES: u8 = 4;

/// What all parts of a reading share.
pub(crate) struct Effort<'o> {
    pub(crate) options: &'o Options,
    pub(crate) trace: Trace,
    /// The bytes that all attempts went over.
    pub(crate) work: usize,
    fuel: usize,
    guesses: u8,
}

impl<'o> Effort<'o> {
    /// `fuel` is the number of bytes after which no further attempt begins.
    pub(crate) fn new(options: &'o Options, fuel: usize, trace: Trace) -> Self {
        Self {
            options,
            trace,
            work: 0,
            fuel,
            guesses: MAX_GUESSES,
        }
    }

    pub(crate) fn spend(&mut self, bytes: usize) {
        self.work += bytes;
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.work >= self.fuel
    }

    /// Takes one of the guesses that are left.
    pub(crate) fn may_guess(&mut self) -> bool {
        let left = self.guesses.checked_sub(1);
        self.guesses = left.unwrap_or(0);
        left.is_some()
    }
}
