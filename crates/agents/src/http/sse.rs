//! The data of server-sent events, out of bytes as they arrive.

use crate::stream::{Line, Lines};

/// What a stream may start with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Joins the `data` lines of each event and holds at most one event, never
/// more than the limit. Comments, which keep a connection alive, and all other
/// fields are left out.
#[derive(Debug)]
pub(super) struct SseReader {
    lines: Lines,
    event: Event,
}

#[derive(Debug)]
struct Event {
    data: Vec<u8>,
    limit: usize,
    is_begun: bool,
    is_open: bool,
    is_too_long: bool,
}

/// What came out of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sse<'a> {
    /// The data of an event.
    Data(&'a [u8]),
    /// A line that is not a field of an event.
    Foreign(&'a [u8]),
    /// A line or an event longer than the limit.
    TooLong,
}

impl SseReader {
    /// Reads events of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            lines: Lines::new(limit),
            event: Event {
                data: Vec::new(),
                limit,
                is_begun: false,
                is_open: false,
                is_too_long: false,
            },
        }
    }

    /// Takes bytes and passes on every event that they end.
    pub(super) fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(Sse<'_>)) {
        let event = &mut self.event;
        self.lines.push(bytes, &mut |line| event.line(line, each));
    }

    /// Passes on an event that the end of the stream ends.
    pub(super) fn finish(&mut self, each: &mut dyn FnMut(Sse<'_>)) {
        let event = &mut self.event;
        self.lines.finish(&mut |line| event.line(line, each));
        event.end(each);
    }
}

impl Event {
    fn line(&mut self, line: Line<'_>, each: &mut dyn FnMut(Sse<'_>)) {
        let Line::Whole(line) = line else {
            each(Sse::TooLong);
            return;
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = match std::mem::replace(&mut self.is_begun, true) {
            true => line,
            false => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
        };
        if line.is_empty() {
            self.end(each);
            return;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        match field {
            b"data" => self.hold(value.strip_prefix(b" ").unwrap_or(value), each),
            b"" | b"event" | b"id" | b"retry" => {}
            _ => each(Sse::Foreign(line)),
        }
    }

    fn hold(&mut self, value: &[u8], each: &mut dyn FnMut(Sse<'_>)) {
        if self.is_too_long {
            return;
        }
        if self.data.len() + value.len() >= self.limit {
            self.is_too_long = true;
            self.data = Vec::new();
            each(Sse::TooLong);
            return;
        }
        if std::mem::replace(&mut self.is_open, true) {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
    }

    fn end(&mut self, each: &mut dyn FnMut(Sse<'_>)) {
        let is_whole = !std::mem::take(&mut self.is_too_long);
        if std::mem::take(&mut self.is_open) && is_whole {
            each(Sse::Data(&self.data));
        }
        self.data.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(limit: usize, parts: &[&str]) -> Vec<String> {
        let mut reader = SseReader::new(limit);
        let mut seen = Vec::new();
        let mut each = |event: Sse<'_>| {
            seen.push(match event {
                Sse::Data(data) => String::from_utf8(data.to_vec()).unwrap(),
                Sse::Foreign(_) => "FOREIGN".to_owned(),
                Sse::TooLong => "TOO LONG".to_owned(),
            });
        };
        for part in parts {
            reader.push(part.as_bytes(), &mut each);
        }
        reader.finish(&mut each);
        seen
    }

    #[test]
    fn data_is_joined_up_to_a_blank_line_however_it_arrives() {
        let text = ": ping\r\n\r\nevent: a\nid: 1\nretry: 5\ndata: {\"x\":\r\ndata:1}\r\n\n\ndata\n\ndata:  b";
        let whole = ["{\"x\":\n1}", "", " b"];
        assert_eq!(read(64, &[text]), whole);
        let bytes: Vec<_> = text.split_inclusive(|_| true).collect();
        assert_eq!(read(64, &bytes), whole);
    }

    #[test]
    fn a_byte_order_mark_belongs_to_no_event() {
        let event = "\u{feff}data: a\n\n";
        assert_eq!(read(64, &[event, event]), ["a", "FOREIGN"]);
    }

    #[test]
    fn a_line_that_is_not_a_field_is_foreign() {
        let html = "<html>\n: a\n<p>x: y</p>\n\ndatax: 1\n";
        assert_eq!(read(64, &[html]), ["FOREIGN", "FOREIGN", "FOREIGN"]);
    }

    #[test]
    fn an_event_over_the_limit_is_reported_once_and_the_next_one_is_complete() {
        let event = "data: 12345\ndata: 6789\ndata: x\n\ndata: y\n\n";
        assert_eq!(read(11, &[event]), ["TOO LONG", "y"]);
        let line = format!("data: {}\n\ndata: y\n\n", "z".repeat(20));
        assert_eq!(read(12, &[&line]), ["TOO LONG", "y"]);
        assert_eq!(read(12, &["data: 12345\ndata: 6789\n\n"]), ["12345\n6789"]);
    }
}
