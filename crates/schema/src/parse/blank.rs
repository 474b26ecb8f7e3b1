//! Skips white space and comments between tokens.

use memchr::{memchr, memmem};

use super::{Failure, Reader, SyntaxFault};
use crate::RepairCode;

/// Returns whether a character is white space or has no width.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}')
}

/// Returns whether a character shows nothing: it is blank, controls something, or is
/// ignored where it cannot be displayed.
pub(crate) fn is_invisible(c: char) -> bool {
    is_blank(c)
        || c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2061}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

impl Reader<'_> {
    pub(super) fn skip_blanks(&mut self) -> Result<(), Failure> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.pos += 1,
                b'/' | b'#' => {
                    if !self.skip_comment()? {
                        return Ok(());
                    }
                }
                0x0b | 0x0c | 0x80.. => {
                    let Some(c) = self.rest().chars().next().filter(|c| is_blank(*c)) else {
                        return Ok(());
                    };
                    self.notes.add(RepairCode::UnicodeBlank, self.pos);
                    self.pos += c.len_utf8();
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn skip_comment(&mut self) -> Result<bool, Failure> {
        let rest = self.rest().as_bytes();
        let length = match rest {
            [b'#', ..] | [b'/', b'/', ..] => memchr(b'\n', rest),
            [b'/', b'*', inner @ ..] => match memmem::find(inner, b"*/") {
                Some(end) => Some(end + 4),
                None if self.guessing => None,
                None => {
                    self.pos = self.text.len();
                    return self.fail(SyntaxFault::End);
                }
            },
            _ => return Ok(false),
        };
        self.notes.add(RepairCode::Comment, self.pos);
        self.pos += length.unwrap_or(rest.len());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &str) -> (Result<(), Failure>, usize, usize) {
        let mut reader = Reader::new(text, 0, false);
        let result = reader.skip_blanks();
        (result, reader.pos, reader.notes.repairs().count())
    }

    #[test]
    fn blanks_and_comments_end_at_the_next_token() {
        for (text, pos, notes) in [
            (" \t\r\n1", 4, 0),
            ("// a\n 1", 6, 1),
            ("# a\n1", 4, 1),
            ("/* a */1", 7, 1),
            ("/**/1", 4, 1),
            ("/* a */ // b\n1", 13, 2),
            ("\u{feff}\u{a0}1", 5, 2),
            ("\u{200b}1", 3, 1),
            ("\u{c}1", 1, 1),
            ("/1", 0, 0),
            ("\u{1}", 0, 0),
            ("é", 0, 0),
            ("// to the end", 13, 1),
        ] {
            assert_eq!(skipped(text), (Ok(()), pos, notes), "{text:?}");
        }
    }

    #[test]
    fn an_unclosed_comment_fails_at_the_end() {
        let failure = Failure {
            at: 4,
            fault: SyntaxFault::End,
        };
        assert_eq!(skipped("/* a").0, Err(failure));
    }
}
