//! Bounded capture of an output.

use std::borrow::Cow;

use crate::Overflow;

/// Keeps the head of a stream and, in a ring buffer, its tail.
///
/// One allocation holds both and never grows above the limit, so a response at the
/// limit is in memory once.
#[derive(Debug)]
pub(crate) struct Capture {
    bytes: Vec<u8>,
    limit: usize,
    head: usize,
    oldest: usize,
    total: u64,
}

const FIRST_ALLOCATION: usize = 8 * 1024;

impl Capture {
    pub(crate) fn new(limit: usize, overflow: Overflow) -> Self {
        let head = match overflow {
            Overflow::KeepTail => limit / 4,
            Overflow::Stop => limit,
        };
        Self {
            bytes: Vec::new(),
            limit,
            head,
            oldest: head,
            total: 0,
        }
    }

    pub(crate) fn overflows(&self) -> bool {
        self.total > self.limit as u64
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.limit - self.bytes.len();
        let (fits, rest) = bytes.split_at(room.min(bytes.len()));
        self.reserve(fits.len());
        self.bytes.extend_from_slice(fits);
        self.overwrite_oldest(rest);
    }

    fn reserve(&mut self, more: usize) {
        let needed = self.bytes.len() + more;
        if needed > self.bytes.capacity() {
            let doubled = self.bytes.capacity().saturating_mul(2);
            let capacity = doubled.max(FIRST_ALLOCATION).max(needed).min(self.limit);
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
    }

    fn overwrite_oldest(&mut self, bytes: &[u8]) {
        let ring = self.limit - self.head;
        if ring == 0 || bytes.is_empty() {
            return;
        }
        let bytes = &bytes[bytes.len().saturating_sub(ring)..];
        let (before_end, from_start) = bytes.split_at(bytes.len().min(self.limit - self.oldest));
        self.bytes[self.oldest..][..before_end.len()].copy_from_slice(before_end);
        self.bytes[self.head..][..from_start.len()].copy_from_slice(from_start);
        self.oldest = self.head + (self.oldest - self.head + bytes.len()) % ring;
    }

    pub(crate) fn finish(mut self) -> Captured {
        let dropped = self.total - self.bytes.len() as u64;
        if dropped > 0 && self.oldest < self.limit {
            self.bytes[self.head..].rotate_left(self.oldest - self.head);
        }
        Captured {
            bytes: self.bytes,
            head: self.head,
            dropped,
        }
    }
}

/// The captured output: all of it, or its head and its tail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    bytes: Vec<u8>,
    head: usize,
    dropped: u64,
}

impl Captured {
    /// Returns the output, if nothing was dropped.
    pub fn complete(&self) -> Option<&[u8]> {
        (self.dropped == 0).then_some(&self.bytes)
    }

    /// Returns the output by value, if nothing was dropped.
    pub fn into_complete(self) -> Option<Vec<u8>> {
        (self.dropped == 0).then_some(self.bytes)
    }

    /// The number of bytes written, including dropped ones.
    pub fn total(&self) -> u64 {
        self.bytes.len() as u64 + self.dropped
    }

    /// The number of bytes dropped between head and tail.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the captured bytes before and after the gap; the second part is empty if
    /// nothing was dropped.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        if self.dropped == 0 {
            (&self.bytes, &[])
        } else {
            self.bytes.split_at(self.head)
        }
    }

    /// Returns the output as readable text: bytes that are not UTF-8 are replaced, and
    /// a line marks the dropped part.
    pub fn text(&self) -> Cow<'_, str> {
        if self.dropped == 0 {
            return String::from_utf8_lossy(&self.bytes);
        }
        let (head, tail) = self.parts();
        let mut text = String::from_utf8_lossy(head).into_owned();
        text.push_str(&format!("\n[{} bytes left out]\n", self.dropped));
        text.push_str(&String::from_utf8_lossy(tail));
        Cow::Owned(text)
    }

    /// Returns the last bytes as text, at most `limit` of them, starting with a
    /// complete line if there is one.
    pub fn tail(&self, limit: usize) -> Cow<'_, str> {
        let (head, tail) = self.parts();
        let last = if self.dropped == 0 { head } else { tail };
        let start = last.len().saturating_sub(limit);
        let cut = &last[start..];
        let whole = start == 0 && self.dropped == 0 || start > 0 && last[start - 1] == b'\n';
        let line = cut.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        match line {
            Some(line) if !whole && line < cut.len() => String::from_utf8_lossy(&cut[line..]),
            _ => String::from_utf8_lossy(skip_partial_character(cut, whole)),
        }
    }
}

fn skip_partial_character(bytes: &[u8], whole: bool) -> &[u8] {
    let continuation = |&&byte: &&u8| byte & 0b1100_0000 == 0b1000_0000;
    let partial = bytes.iter().take(3).take_while(continuation).count();
    if whole { bytes } else { &bytes[partial..] }
}

#[cfg(test)]
mod tests {
    use super::{Capture, Overflow};

    #[test]
    fn an_output_is_in_memory_once_whatever_its_length() {
        for overflow in [Overflow::KeepTail, Overflow::Stop] {
            let mut capture = Capture::new(100_000, overflow);
            for _ in 0..1_000 {
                capture.push(&[b'x'; 1_234]);
            }
            let captured = capture.finish();
            assert_eq!(captured.bytes.capacity(), 100_000);
            assert_eq!(captured.total(), 1_234_000);
        }
    }
}
