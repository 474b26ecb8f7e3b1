//! Inputs of one JSON object a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use review_learning::corrections::MAX_LINE;

use crate::args::InputFormat;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Standard input by the name that means it.
pub(crate) const STDIN: &str = "-";

/// An input, ready to be read line by line.
pub(crate) type Input = Box<dyn BufRead>;

/// Opens a file or, by its name, standard input. An object over several lines
/// becomes one line.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn open(
    context: &Context,
    path: &Path,
    format: Option<InputFormat>,
) -> Result<Input, CommandError> {
    let cannot_read = |error: io::Error| {
        let name = if path == Path::new(STDIN) {
            "standard input".to_owned()
        } else {
            path.display().to_string()
        };
        CommandError::new(ErrorKind::Input, format!("cannot read {name}")).source(error)
    };
    let raw: Box<dyn Read> = if path == Path::new(STDIN) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(context.absolute(path)).map_err(cannot_read)?)
    };
    as_lines(BufReader::with_capacity(64 * 1024, raw), format).map_err(cannot_read)
}

fn as_lines(mut input: BufReader<Box<dyn Read>>, format: Option<InputFormat>) -> io::Result<Input> {
    let format = match format {
        Some(format) => format,
        None => detected(input.fill_buf()?),
    };
    match format {
        InputFormat::Jsonl => Ok(Box::new(input)),
        InputFormat::Json => {
            let mut text = Vec::new();
            // What is longer than a line may be stays so.
            input.take(MAX_LINE as u64 + 1).read_to_end(&mut text)?;
            let line = one_line(text);
            Ok(Box::new(io::Cursor::new(line)))
        }
    }
}

/// What an input is that begins so: a lone brace begins an object over several
/// lines.
fn detected(start: &[u8]) -> InputFormat {
    let mut lines = start.split_inclusive(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    match first {
        Some(line) if line.trim_ascii() == b"{" && line.ends_with(b"\n") => InputFormat::Json,
        Some(_) | None => InputFormat::Jsonl,
    }
}

/// A JSON text without line breaks, which its strings cannot hold.
fn one_line(mut text: Vec<u8>) -> Vec<u8> {
    for byte in &mut text {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    text.trim_ascii().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static str, format: Option<InputFormat>) -> String {
        let raw: Box<dyn Read> = Box::new(text.as_bytes());
        let mut read = String::new();
        let mut input = as_lines(BufReader::new(raw), format).unwrap();
        input.read_to_string(&mut read).unwrap();
        read
    }

    #[test]
    fn an_object_over_several_lines_becomes_one() {
        let text = "\n {\r\n  \"a\": 1\n}\n";
        assert_eq!(lines(text, None), "{    \"a\": 1 }");
        assert_eq!(lines(text, Some(InputFormat::Jsonl)), text);
        for text in ["{\"a\":\n1}", "{", "", "\n", "{}\n{}\n"] {
            assert_eq!(lines(text, None), text);
        }
        assert_eq!(lines("{\"a\":\n1}", Some(InputFormat::Json)), "{\"a\": 1}");
    }
}
