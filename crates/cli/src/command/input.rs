//! Inputs of one JSON object a line.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use review_learning::corrections::{BYTE_ORDER_MARK, MAX_LINE};
use review_store::open_named;
use serde::de::IgnoredAny;

use crate::context::Context;
use crate::error::CommandError;

/// The maximum number of bytes of an input that is not read line by line.
const MAX_JSON: u64 = 16 * MAX_LINE as u64;

/// Standard input by the name that means it.
pub(crate) const STDIN: &str = "-";

/// An input, ready to be read line by line.
pub(crate) type Input = Box<dyn BufRead>;

/// Opens a file or, by its name, standard input. Objects over several lines become
/// one line each.
///
/// # Errors
/// When it cannot be read, or holds an array.
pub(crate) fn open(context: &Context, path: &Path) -> Result<Input, CommandError> {
    let name = if path == Path::new(STDIN) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let cannot_read =
        |error: io::Error| CommandError::new(format!("cannot read {name}")).source(error);
    let raw: Box<dyn Read> = if path == Path::new(STDIN) {
        Box::new(io::stdin())
    } else {
        Box::new(open_named(&context.absolute(path)).map_err(cannot_read)?)
    };
    let mut input = BufReader::with_capacity(64 * 1024, raw);
    if first_line(input.fill_buf().map_err(cannot_read)?).starts_with(b"[") {
        let message = format!("{name} holds a JSON array; expected one JSON object per line");
        let error = CommandError::new(message);
        return Err(error.hint("`jq -c '.[]'` writes each element on a line"));
    }
    as_lines(input).map_err(cannot_read)
}

/// A lone brace starts objects over several lines.
fn as_lines(mut input: BufReader<Box<dyn Read>>) -> io::Result<Input> {
    if !matches!(first_line(input.fill_buf()?), b"{\n" | b"{\r\n") {
        return Ok(Box::new(input));
    }
    let mut text = Vec::new();
    input.take(MAX_JSON).read_to_end(&mut text)?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    Ok(Box::new(io::Cursor::new(objects(text))))
}

/// The first line that is not blank, from its first character on.
fn first_line(start: &[u8]) -> &[u8] {
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let mut lines = start.split_inclusive(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    first.unwrap_or_default().trim_ascii_start()
}

/// JSON values with one line for each. What follows the last valid one is a line, too.
fn objects(text: &[u8]) -> Vec<u8> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    let mut lines = Vec::with_capacity(text.len());
    let mut start = 0;
    while let Some(Ok(_)) = values.next() {
        lines.extend(one_line(&text[start..values.byte_offset()]));
        lines.push(b'\n');
        start = values.byte_offset();
    }
    lines.extend(one_line(&text[start..]));
    lines
}

/// A JSON text without line breaks, which its strings cannot hold.
fn one_line(text: &[u8]) -> impl Iterator<Item = u8> {
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let text = text.trim_ascii().iter();
    text.map(move |byte| if is_break(byte) { b' ' } else { *byte })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static str) -> String {
        let raw: Box<dyn Read> = Box::new(text.as_bytes());
        let mut read = String::new();
        let mut input = as_lines(BufReader::new(raw)).unwrap();
        input.read_to_string(&mut read).unwrap();
        read
    }

    #[test]
    fn an_object_over_several_lines_becomes_one() {
        let text = "\n {\r\n  \"a\": 1\n}\n";
        assert_eq!(lines(text), "{    \"a\": 1 }\n");
        for text in ["{\"a\":\n1}", "{", "", "\n", "{}\n{}\n"] {
            assert_eq!(lines(text), text);
        }
        assert_eq!(lines("\u{feff}{\n}\n{\n}\n["), "{ }\n{ }\n[");
    }
}
