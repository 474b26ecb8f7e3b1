//! Events out of bytes as they arrive, with every byte of theirs.

use std::borrow::Cow;

use serde_json::Value as Json;

/// How a stream is cut into events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Each line is one.
    Lines,
    /// Server-sent events: a blank line ends each.
    Events,
}

impl Framing {
    /// Whether a line is whole and ends an event.
    fn is_end(self, line: &[u8]) -> bool {
        let is_whole = line.ends_with(b"\n");
        match self {
            Self::Lines => is_whole,
            Self::Events => is_whole && line.trim_ascii().is_empty(),
        }
    }

    /// The content of an event, where that is JSON.
    pub(super) fn json(self, raw: &[u8]) -> Option<Json> {
        let text = match self {
            Self::Lines => Cow::Borrowed(raw),
            Self::Events => Cow::Owned(data(raw)),
        };
        let is_json = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        serde_json::from_slice(&text).ok().filter(|_| is_json)
    }

    /// The event that says `json` instead.
    pub(super) fn with_json(self, raw: &[u8], json: &Json) -> Vec<u8> {
        let text = json.to_string();
        match self {
            Self::Lines => {
                let end = if raw.ends_with(b"\n") { "\n" } else { "" };
                (text + end).into_bytes()
            }
            Self::Events => with_data(raw, &text),
        }
    }
}

fn is_data(line: &[u8]) -> bool {
    line.starts_with(b"data:")
}

/// The data of an event, its lines joined.
fn data(raw: &[u8]) -> Vec<u8> {
    let lines = raw.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.filter(|line| is_data(line));
    lines
        .flat_map(|line| &line[b"data:".len()..])
        .copied()
        .collect()
}

/// The event with `text` as its data, and all other fields as they were.
fn with_data(raw: &[u8], text: &str) -> Vec<u8> {
    let mut event = Vec::with_capacity(raw.len());
    let mut text = Some(text);
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        if !is_data(line) {
            event.extend_from_slice(line);
        } else if let Some(text) = text.take() {
            event.extend_from_slice(format!("data: {text}\n").as_bytes());
        }
    }
    event
}

/// What comes out of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    /// An event.
    Whole(&'a [u8]),
    /// A part of one that is too long to be read.
    Piece(&'a [u8]),
}

/// Cuts bytes into events and holds at most one, never more than the limit and
/// what comes at once.
#[derive(Debug)]
pub(super) struct Frames {
    framing: Framing,
    held: Vec<u8>,
    /// Where the last line begins.
    line: usize,
    limit: usize,
    is_too_long: bool,
}

impl Frames {
    pub(super) fn new(framing: Framing, limit: usize) -> Self {
        Self {
            framing,
            held: Vec::new(),
            line: 0,
            limit,
            is_too_long: false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(Frame<'_>)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.held.extend_from_slice(part);
            let is_end = self.framing.is_end(&self.held[self.line..]);
            if part.ends_with(b"\n") {
                self.line = self.held.len();
            }
            if is_end {
                self.end(each);
            }
            if self.held.len() > self.limit {
                self.is_too_long = true;
                self.give(each);
            }
        }
    }

    pub(super) fn finish(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if !self.held.is_empty() {
            self.end(each);
        }
    }

    fn end(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        self.give(each);
        self.is_too_long = false;
    }

    fn give(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        each(match self.is_too_long {
            true => Frame::Piece(&self.held),
            false => Frame::Whole(&self.held),
        });
        self.held.clear();
        self.line = 0;
    }
}
