//! One answer a line.

use std::io::{BufRead, BufReader, Read};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use review_report::verdict::{LineReading, Reading};
use review_schema::{Options, parse_and_validate_with};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::error::{CommandError, cannot};
use crate::output::Streams;

/// The largest answer that is read, and one byte more, so that the reader
/// refuses it by its size.
pub(super) const MAX_ANSWER: u64 = 16 * 1024 * 1024 + 1;

/// The longest line that is read: the largest answer with every byte escaped.
const MAX_LINE: u64 = 6 * MAX_ANSWER + 1024;

/// Base64 without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// A line of the input.
#[derive(Deserialize)]
struct Wire {
    id: Json,
    text: Option<String>,
    text_b64: Option<String>,
}

/// An answer with the id that comes back with its reading.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    id: Json,
    text: Vec<u8>,
}

impl Answer {
    /// Reads a line; `None` for a line without an answer.
    fn parse(line: &[u8]) -> Option<Self> {
        let wire: Wire = serde_json::from_slice(line).ok()?;
        let text = match (wire.text, wire.text_b64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => decoded(&text)?,
            _ => return None,
        };
        Some(Self { id: wire.id, text })
    }
}

/// The bytes of a string in base64, whose padding may be missing or too long by
/// one mark.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    BASE64.decode(body).ok().filter(|_| padding <= 2)
}

/// Reads each line and prints what it becomes.
///
/// # Errors
/// When input or output fails.
pub(super) fn run(
    streams: &mut Streams,
    input: impl Read,
    options: &Options,
) -> Result<(), CommandError> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    while read_line(&mut input, &mut line, MAX_LINE).map_err(cannot("read the next line"))? {
        let read = Answer::parse(&line).map(|answer| {
            let result = parse_and_validate_with(&answer.text, options);
            (answer.id, Reading(result))
        });
        streams.print_report(&LineReading { read })?;
    }
    Ok(())
}

/// Reads the next line without its end; of a longer line only `max` bytes are
/// kept, so that it is not valid JSON. False at the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, max: u64) -> std::io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(max).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if read as u64 == max {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_id_with_a_text_in_one_of_two_forms() {
        let answer = |id, text: &str| {
            Some(Answer {
                id,
                text: text.into(),
            })
        };
        for (line, expected) in [
            (r#"{"id":7,"text":"a\n"}"#, answer(7.into(), "a\n")),
            (
                r#"{"text_b64":"YQ==","id":"x","more":1}"#,
                answer("x".into(), "a"),
            ),
            (r#"{"id":null,"text":""}"#, answer(Json::Null, "")),
            (r#"{"text":"a"}"#, None),
            (r#"{"id":1}"#, None),
            (r#"{"id":1,"text":"a","text_b64":"YQ=="}"#, None),
            (r#"{"id":1,"text_b64":"e30=="}"#, answer(1.into(), "{}")),
            (r#"{"id":1,"text_b64":"e30==="}"#, None),
            (r#"{"id":1,"text_b64":"?"}"#, None),
            (r#"{"id":1,"text_b64":"Y"}"#, None),
            (r#"{"id":1,"text_b64":"YQ\n"}"#, None),
            (r#"{"id":1,"text_b64":"Zm-_"}"#, None),
            (r#"{"id":1,"text":2}"#, None),
            ("", None),
            ("[]", None),
        ] {
            assert_eq!(Answer::parse(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(Answer::parse(b"{\"id\":1,\"text\":\"\xff\"}"), None);
    }

    #[test]
    fn lines_end_where_they_end_and_long_ones_are_cut() {
        let mut input = BufReader::new(&b"ab\n\nlonger than ten\nlast"[..]);
        let mut line = Vec::new();
        let mut lines = Vec::new();
        while read_line(&mut input, &mut line, 10).unwrap() {
            lines.push(String::from_utf8(line.clone()).unwrap());
        }
        assert_eq!(lines, ["ab", "", "longer tha", "last"]);
    }
}
