//! Replaces secrets that are spread over the events of a stream.
//!
//! A model gives its answer in small pieces, each in an event of its own, and
//! joined they hold the whole secret. So the strings at the same place of
//! successive events are redacted as one, and the secret is removed from each
//! of them. An event without such a secret stays as it is, byte for byte.

mod frames;
mod strings;

use std::collections::{BTreeMap, VecDeque};

use review_process::Redactor;
use review_process::redact::{Piece, REPLACEMENT, Redaction};
use serde_json::Value as Json;

pub(crate) use frames::Framing;

use frames::{Frame, Frames};

/// The most bytes of events that wait for the decision about a string.
const HELD: usize = 256 * 1024;

/// The most bytes of a string that reveal nothing of a secret which starts there.
const HINT: usize = 3;

/// The most places whose strings are redacted as one.
const PLACES: usize = 1024;

/// The longest event that is read; one that is longer passes as it is.
const LONGEST: usize = 32 * 1024 * 1024;

/// The events of one stream on their way to a file. What goes in has no secret
/// in one piece any more.
pub(crate) struct DeltaRedaction<'a> {
    frames: Frames,
    events: Events<'a>,
}

impl<'a> DeltaRedaction<'a> {
    /// Redacts a stream of such events.
    pub(crate) fn new(framing: Framing, redactor: &'a Redactor) -> Self {
        Self {
            frames: Frames::new(framing, LONGEST),
            events: Events {
                framing,
                redactor,
                texts: BTreeMap::new(),
                waiting: VecDeque::new(),
                first: 0,
                held: 0,
            },
        }
    }

    /// Takes the next bytes and gives out the events that are decided.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        let events = &mut self.events;
        self.frames
            .push(bytes, &mut |frame| events.take(frame, out));
    }

    /// Ends the stream and gives out what was held back.
    pub(crate) fn finish(self, out: &mut dyn FnMut(&[u8])) {
        let Self {
            mut frames,
            mut events,
        } = self;
        frames.finish(&mut |frame| events.take(frame, out));
        events.finish(out);
    }
}

struct Events<'a> {
    framing: Framing,
    redactor: &'a Redactor,
    /// The strings that continue, by their places.
    texts: BTreeMap<u64, Text<'a>>,
    waiting: VecDeque<Event>,
    /// The number of the first event that waits.
    first: usize,
    /// The bytes of all that wait.
    held: usize,
}

/// A string that continues from event to event.
struct Text<'a> {
    redaction: Redaction<'a>,
    open: VecDeque<Open>,
}

/// A part of a string that is not decided to its end.
struct Open {
    event: usize,
    part: usize,
    left: usize,
}

struct Event {
    raw: Vec<u8>,
    json: Option<Json>,
    parts: Vec<Part>,
    undecided: usize,
}

/// One string of an event.
struct Part {
    clean: Vec<u8>,
    left: usize,
    is_changed: bool,
}

impl Events<'_> {
    fn take(&mut self, frame: Frame<'_>, out: &mut dyn FnMut(&[u8])) {
        let (raw, json) = match frame {
            Frame::Whole(raw) => (raw, self.framing.json(raw)),
            Frame::Piece(raw) => (raw, None),
        };
        let mut found = Vec::new();
        if let Some(json) = &json {
            strings::each(json, &mut |place, text| {
                found.push((place, text.to_owned()))
            });
        }
        let part = |(_, text): &(u64, String)| Part {
            clean: Vec::new(),
            left: text.len(),
            is_changed: false,
        };
        self.held += raw.len();
        self.waiting.push_back(Event {
            raw: raw.to_vec(),
            json,
            parts: found.iter().map(part).collect(),
            undecided: found.iter().filter(|(_, text)| !text.is_empty()).count(),
        });
        for (part, (place, text)) in found.into_iter().enumerate() {
            self.join(place, part, text.as_bytes());
        }
        self.release(out);
    }

    /// Appends a part of the last event to the string of its place.
    fn join(&mut self, place: u64, part: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let is_known = self.texts.len() < PLACES || self.texts.contains_key(&place);
        let redactor = self.redactor;
        let text = self.texts.entry(if is_known { place } else { 0 });
        let Text { redaction, open } = text.or_insert_with(|| Text {
            redaction: redactor.start(),
            open: VecDeque::new(),
        });
        open.push_back(Open {
            event: self.first + self.waiting.len() - 1,
            part,
            left: bytes.len(),
        });
        let (waiting, first) = (&mut self.waiting, self.first);
        redaction.push_to(bytes, &mut |piece| decide(piece, open, waiting, first));
    }

    fn release(&mut self, out: &mut dyn FnMut(&[u8])) {
        while let Some(event) = self.waiting.front()
            && (event.undecided == 0 || (self.held > HELD && self.waiting.len() > 1))
            && let Some(event) = self.waiting.pop_front()
        {
            self.first += 1;
            self.held -= event.raw.len();
            out(&event.clean(self.framing));
        }
    }

    fn finish(mut self, out: &mut dyn FnMut(&[u8])) {
        let (waiting, first) = (&mut self.waiting, self.first);
        for Text {
            redaction,
            mut open,
        } in std::mem::take(&mut self.texts).into_values()
        {
            redaction.finish_to(&mut |piece| decide(piece, &mut open, waiting, first));
        }
        for event in self.waiting {
            out(&event.clean(self.framing));
        }
    }
}

/// Gives the redacted form of the next bytes of a string to the parts that they are of.
/// A part whose event is gone takes nothing any more.
fn decide(
    piece: Piece<'_>,
    open: &mut VecDeque<Open>,
    waiting: &mut VecDeque<Event>,
    first: usize,
) {
    let (mut length, mut plain) = match piece {
        Piece::Plain(bytes) => (bytes.len(), Some(bytes)),
        Piece::Hidden(length) => (length, None),
        Piece::Secret => {
            let event = open.front().and_then(|open| open.event(waiting, first));
            if let Some((event, part)) = event {
                event.parts[part]
                    .clean
                    .extend_from_slice(REPLACEMENT.as_bytes());
            }
            return;
        }
    };
    while length > 0
        && let Some(next) = open.front_mut()
    {
        let now = next.left.min(length);
        let bytes = plain.map(|plain| plain.split_at(now));
        plain = bytes.map(|(_, rest)| rest);
        length -= now;
        next.left -= now;
        if let Some((event, part)) = next.event(waiting, first) {
            event.decided(part, now, bytes.map(|(bytes, _)| bytes));
        }
        if next.left == 0 {
            open.pop_front();
        }
    }
}

impl Open {
    fn event<'e>(
        &self,
        waiting: &'e mut VecDeque<Event>,
        first: usize,
    ) -> Option<(&'e mut Event, usize)> {
        let at = self.event.checked_sub(first)?;
        Some((waiting.get_mut(at)?, self.part))
    }
}

impl Event {
    /// Takes the decision about the next bytes of a part: those that stay, or
    /// `None` where they are of a secret.
    fn decided(&mut self, part: usize, length: usize, plain: Option<&[u8]>) {
        let part = &mut self.parts[part];
        match plain {
            Some(bytes) => part.clean.extend_from_slice(bytes),
            None => part.is_changed = true,
        }
        part.left -= length;
        if part.left == 0 {
            self.undecided -= 1;
        }
    }

    /// The event without secrets. What is not decided of it goes, unless it is
    /// too short to tell anything.
    fn clean(mut self, framing: Framing) -> Vec<u8> {
        let Some(mut json) = self.json.take() else {
            return self.raw;
        };
        let mut parts = self.parts.into_iter();
        let mut is_changed = false;
        strings::each_mut(&mut json, &mut |text| {
            let Some(mut part) = parts.next() else { return };
            match part.left {
                0 => {}
                1..=HINT => part
                    .clean
                    .extend(&text.as_bytes()[text.len() - part.left..]),
                _ => {
                    part.clean.extend_from_slice(REPLACEMENT.as_bytes());
                    part.is_changed = true;
                }
            }
            if part.is_changed {
                *text = String::from_utf8_lossy(&part.clean).into_owned();
                is_changed = true;
            }
        });
        match is_changed {
            true => framing.with_json(&self.raw, &json),
            false => self.raw,
        }
    }
}

#[cfg(test)]
mod tests;
