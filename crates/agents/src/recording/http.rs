//! The parts of a response over HTTP, as they are kept.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use reqwest::header::{HeaderMap, SET_COOKIE};
use review_process::Redactor;
use review_process::redact::Redaction;
use review_store::{FileError, LogFile};
use review_types::Failure;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::recorder::not_written;
use crate::deltas::{DeltaRedaction, Framing};

/// A line of `CASE.http.jsonl`. Times are milliseconds from the start of the
/// call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum HttpPart {
    /// The head of the response.
    Head {
        /// When it came.
        at_ms: u64,
        /// Its status.
        status: u16,
        /// Its headers by their names.
        headers: BTreeMap<String, String>,
    },
    /// Bytes of the body.
    Chunk {
        /// When they came.
        at_ms: u64,
        /// The bytes.
        text: String,
    },
    /// Bytes of the body that are no UTF-8.
    Bytes {
        /// When they came.
        at_ms: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The end of the connection, or of the attempt to make one.
    Cut {
        /// When it came.
        at_ms: u64,
        /// Why.
        message: String,
    },
    /// The service was not asked at all.
    NotAsked {
        /// What that came to.
        failure: Failure,
        /// Why.
        message: String,
    },
}

/// Where the parts of a response are kept while they arrive.
pub(crate) struct HttpTape<'a> {
    lines: Lines,
    redactor: &'a Redactor,
    body: Redaction<'a>,
    deltas: DeltaRedaction<'a>,
}

struct Lines {
    file: LogFile,
    begun: Instant,
    /// The first bytes of a character whose end has not arrived yet.
    held: Vec<u8>,
    error: Option<FileError>,
}

impl<'a> HttpTape<'a> {
    pub(super) fn new(file: LogFile, redactor: &'a Redactor) -> Self {
        Self {
            lines: Lines {
                file,
                begun: Instant::now(),
                held: Vec::new(),
                error: None,
            },
            body: redactor.start(),
            deltas: DeltaRedaction::new(Framing::Events, redactor),
            redactor,
        }
    }

    /// Keeps the head of a response; cookies are secrets.
    pub(crate) fn head(&mut self, status: u16, headers: &HeaderMap) {
        let headers = headers.iter().filter(|(name, _)| *name != SET_COOKIE);
        let headers = headers.map(|(name, value)| {
            let value = self.redactor.redact(value.as_bytes());
            let value = String::from_utf8_lossy(&value).into_owned();
            (name.to_string(), value)
        });
        let headers = headers.collect();
        let at_ms = self.lines.at_ms();
        self.lines.write(&HttpPart::Head {
            at_ms,
            status,
            headers,
        });
    }

    /// Keeps bytes of its body.
    pub(crate) fn chunk(&mut self, bytes: &[u8]) {
        let (deltas, lines) = (&mut self.deltas, &mut self.lines);
        self.body.push(bytes, &mut |bytes| {
            deltas.push(bytes, &mut |bytes| lines.chunk(bytes));
        });
    }

    /// Keeps why the exchange was cut, in words without secrets.
    pub(crate) fn cut(&mut self, message: &str) {
        self.flush();
        self.lines.write(&HttpPart::Cut {
            at_ms: self.lines.at_ms(),
            message: message.to_owned(),
        });
    }

    /// Keeps why nothing was asked.
    pub(crate) fn not_asked(&mut self, failure: &Failure, message: &str) {
        self.lines.write(&HttpPart::NotAsked {
            failure: failure.clone(),
            message: message.to_owned(),
        });
    }

    /// The time since the start of the call.
    pub(super) fn elapsed(&self) -> Duration {
        self.lines.begun.elapsed()
    }

    /// Keeps what is held back.
    ///
    /// # Errors
    /// The first failure to keep anything.
    pub(super) fn finish(mut self) -> Result<(), FileError> {
        self.flush();
        self.lines.error.map_or(Ok(()), Err)
    }

    fn flush(&mut self) {
        let (lines, redactor) = (&mut self.lines, self.redactor);
        let body = std::mem::replace(&mut self.body, redactor.start());
        let deltas = DeltaRedaction::new(Framing::Events, redactor);
        let mut deltas = std::mem::replace(&mut self.deltas, deltas);
        body.finish(&mut |bytes| deltas.push(bytes, &mut |bytes| lines.chunk(bytes)));
        deltas.finish(&mut |bytes| lines.chunk(bytes));
        lines.write_bytes();
    }
}

impl Lines {
    fn at_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Writes the bytes that are text as text, but for a character that is
    /// not complete.
    fn chunk(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        let (end, is_text) = match std::str::from_utf8(&self.held) {
            Ok(text) => (text.len(), true),
            Err(error) => (error.valid_up_to(), error.error_len().is_none()),
        };
        let rest = self.held.split_off(end);
        let whole = std::mem::replace(&mut self.held, rest);
        if let Ok(text) = String::from_utf8(whole)
            && !text.is_empty()
        {
            let at_ms = self.at_ms();
            self.write(&HttpPart::Chunk { at_ms, text });
        }
        if !is_text {
            self.write_bytes();
        }
    }

    /// Writes what is held as it is.
    fn write_bytes(&mut self) {
        if !self.held.is_empty() {
            let (at_ms, bytes) = (self.at_ms(), std::mem::take(&mut self.held));
            self.write(&HttpPart::Bytes { at_ms, bytes });
        }
    }

    /// Writes a line; after the first failure no more.
    fn write(&mut self, part: &HttpPart) {
        if self.error.is_some() {
            return;
        }
        let line = serde_json::to_vec(part).map_err(std::io::Error::from);
        let written = line.and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)
        });
        self.error = written
            .err()
            .map(|error| not_written(self.file.path(), error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "k3y-of-the-eels";

    /// What a tape keeps, with all times 0.
    #[expect(clippy::disallowed_methods, reason = "a tape needs a folder")]
    fn kept(keep: impl FnOnce(&mut HttpTape<'_>)) -> Vec<HttpPart> {
        let folder = tempfile::tempdir().unwrap();
        let dir = review_store::RecordingDir::create(&folder.path().join("kept")).unwrap();
        let redactor = Redactor::new([KEY]);
        let mut tape = HttpTape::new(dir.growing("case.http.jsonl").unwrap(), &redactor);
        keep(&mut tape);
        tape.finish().unwrap();
        let text = std::fs::read_to_string(dir.path().join("case.http.jsonl")).unwrap();
        let parts = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .map(|mut part| {
                if let HttpPart::Head { at_ms, .. }
                | HttpPart::Chunk { at_ms, .. }
                | HttpPart::Bytes { at_ms, .. }
                | HttpPart::Cut { at_ms, .. } = &mut part
                {
                    *at_ms = 0;
                }
                part
            });
        parts.collect()
    }

    fn chunk(text: &str) -> HttpPart {
        let text = text.to_owned();
        HttpPart::Chunk { at_ms: 0, text }
    }

    fn bytes(bytes: &[u8]) -> HttpPart {
        let bytes = bytes.to_vec();
        HttpPart::Bytes { at_ms: 0, bytes }
    }

    #[test]
    fn a_character_in_two_pieces_stays_text_and_other_bytes_stay_bytes() {
        let parts = kept(|tape| {
            for piece in [
                &b"a\xc3"[..],
                b"\xa9b\n\n",
                b"\xff\n\n",
                b"c\n\n",
                b"\xe2\x82",
            ] {
                tape.chunk(piece);
            }
        });
        let text: Vec<_> = parts
            .iter()
            .filter(|part| matches!(part, HttpPart::Bytes { .. }))
            .collect();
        assert_eq!(text, [&bytes(b"\xff\n\n"), &bytes(b"\xe2\x82")]);
        let whole: Vec<u8> = parts
            .into_iter()
            .flat_map(|part| match part {
                HttpPart::Chunk { text, .. } => text.into_bytes(),
                HttpPart::Bytes { bytes, .. } => bytes,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(whole, b"a\xc3\xa9b\n\n\xff\n\nc\n\n\xe2\x82");
    }

    #[test]
    fn secrets_and_cookies_are_not_kept() {
        let parts = kept(|tape| {
            let headers: [(&str, &str); 3] =
                [("x-a", KEY), ("set-cookie", "me=1"), ("retry-after", "7")];
            let pair = |(name, value): (&str, &str)| {
                let name: reqwest::header::HeaderName = name.parse().unwrap();
                (name, value.parse().unwrap())
            };
            tape.head(429, &headers.into_iter().map(pair).collect());
            let half = KEY.split_at(5);
            tape.chunk(half.0.as_bytes());
            tape.chunk(half.1.as_bytes());
            tape.chunk(b" z");
            tape.cut("gone");
        });
        let headers = [("retry-after", "7"), ("x-a", "[redacted]")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let head = HttpPart::Head {
            at_ms: 0,
            status: 429,
            headers: headers.into(),
        };
        let cut = HttpPart::Cut {
            at_ms: 0,
            message: "gone".to_owned(),
        };
        assert_eq!((&parts[0], parts.last()), (&head, Some(&cut)));
        let text: String = parts
            .iter()
            .filter_map(|part| match part {
                HttpPart::Chunk { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(text, "[redacted] z");
    }

    #[test]
    fn a_secret_in_two_events_is_not_kept() {
        let event = |text: &str| format!("data: {{\"delta\":\"{text}\"}}\n\n");
        let (begin, end) = KEY.split_at(5);
        let parts = kept(|tape| {
            tape.chunk(event(begin).as_bytes());
            tape.chunk(event(end).as_bytes());
        });
        let (first, second) = (event("[redacted]"), event(""));
        assert_eq!(parts, [chunk(&first), chunk(&second)]);
    }

    #[test]
    fn a_line_is_read_by_its_type() {
        let line = r#"{"type":"head","at_ms":12,"status":200,"headers":{}}"#;
        let head = HttpPart::Head {
            at_ms: 12,
            status: 200,
            headers: BTreeMap::new(),
        };
        assert_eq!(serde_json::from_str::<HttpPart>(line).unwrap(), head);
        assert_eq!(serde_json::to_string(&head).unwrap(), line);
        assert_eq!(
            serde_json::to_string(&chunk("a")).unwrap(),
            r#"{"type":"chunk","at_ms":0,"text":"a"}"#
        );
    }
}
