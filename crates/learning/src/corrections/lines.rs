//! The lines of a file, read in constant memory.

use std::io::{self, BufRead, Read};

/// The maximum length of a line that is read, in bytes.
pub const MAX_LINE: usize = 1024 * 1024;

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'b> {
    /// A line without its line end.
    Whole(&'b [u8]),
    /// The rest of the file after the last line end.
    Unended(&'b [u8]),
    /// A line that exceeds [`MAX_LINE`].
    TooLong,
}

/// The mark with which some editors start a file, which is not a part of its first line.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file that are not blank, with their numbers.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads the lines of an input.
    pub fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// Returns the next line and its number, from 1; `None` at the end.
    ///
    /// # Errors
    /// Returns an error when the input cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "a line is borrowed from the buffer of the next one"
    )]
    pub fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        loop {
            self.buffer.clear();
            let most = MAX_LINE as u64 + 1;
            let mut part = Read::take(&mut self.input, most);
            part.read_until(b'\n', &mut self.buffer)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            self.number += 1;
            let is_ended = self.buffer.last() == Some(&b'\n');
            if is_ended {
                self.buffer.pop();
            } else if self.buffer.len() > MAX_LINE {
                self.input.skip_until(b'\n')?;
                return Ok(Some((self.number, Line::TooLong)));
            }
            let is_marked = self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK);
            let start = if is_marked { BYTE_ORDER_MARK.len() } else { 0 };
            if self.buffer[start..].iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let text = &self.buffer[start..];
            let line = if is_ended {
                Line::Whole(text)
            } else {
                Line::Unended(text)
            };
            return Ok(Some((self.number, line)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &[u8]) -> Vec<(u64, String)> {
        let mut lines = Lines::new(text);
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            let text = match line {
                Line::Whole(line) => format!("whole {}", line.len()),
                Line::Unended(line) => format!("unended {}", line.len()),
                Line::TooLong => "too long".to_owned(),
            };
            found.push((number, text));
        }
        found
    }

    #[test]
    fn lines_are_numbered_and_blank_ones_are_skipped() {
        let expected = [(1, "whole 2"), (4, "whole 3"), (5, "unended 1")];
        let expected = expected.map(|(number, text)| (number, text.to_owned()));
        assert_eq!(numbers(b"{}\n\n \t\r\n{}\r\nx"), expected);
        assert_eq!(numbers(b""), []);
        assert_eq!(numbers(b"\n"), []);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        assert_eq!(numbers(b"\xef\xbb\xbf{}\n"), [(1, "whole 2".to_owned())]);
        assert_eq!(numbers(b"\xef\xbb\xbf\n{}"), [(2, "unended 2".to_owned())]);
        assert_eq!(numbers(b"\n\xef\xbb\xbf{}"), [(2, "unended 5".to_owned())]);
    }

    #[test]
    fn a_line_has_at_most_one_mebibyte() {
        let mut text = vec![b'a'; MAX_LINE];
        text.push(b'\n');
        text.extend(vec![b'a'; MAX_LINE + 1]);
        text.extend(b"\nb\n");
        text.extend(vec![b'a'; 3 * MAX_LINE]);
        let expected = [
            (1, format!("whole {MAX_LINE}")),
            (2, "too long".to_owned()),
            (3, "whole 1".to_owned()),
            (4, "too long".to_owned()),
        ];
        assert_eq!(numbers(&text), expected);
        assert_eq!(
            numbers(&text[..MAX_LINE]),
            [(1, format!("unended {MAX_LINE}"))]
        );
    }
}
