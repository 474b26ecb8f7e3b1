//! Text of others on the outputs of a step of CI, which looks for commands in them.

use std::io::{self, Write};

/// Breaks up what a CI service would take for a command: `::` at the start of a line,
/// `##[` and `##vso[` anywhere. A blank is put before the last character of each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CommandBreaker(Position);

/// What was written of a line so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    /// Nothing, or what a service trims.
    #[default]
    Start,
    /// One colon at its start.
    Colon,
    /// One `#`.
    Hash,
    /// Two, and letters.
    Hashes,
    /// Anything else.
    Inside,
}

impl CommandBreaker {
    /// Writes output without commands. It continues what was written before.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub(crate) fn write(&mut self, text: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let mut from = 0;
        for (at, &byte) in text.iter().enumerate() {
            let before = self.0;
            self.0 = before.after(byte);
            let is_command = matches!(
                (before, byte),
                (Position::Colon, b':') | (Position::Hashes, b'[')
            );
            if is_command {
                out.write_all(&text[from..at])?;
                out.write_all(b" ")?;
                from = at;
            }
        }
        out.write_all(&text[from..])
    }
}

impl Position {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (_, b'\n' | b'\r') => Self::Start,
            (Self::Hash | Self::Hashes, b'#') => Self::Hashes,
            (_, b'#') => Self::Hash,
            (Self::Hashes, byte) if byte.is_ascii_alphabetic() => Self::Hashes,
            (Self::Start, b':') => Self::Colon,
            // Blanks of any alphabet are not ASCII or at most a blank.
            (Self::Start, 0..=b' ' | 0x7f..) => Self::Start,
            _ => Self::Inside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(pieces: &[&str]) -> String {
        let (mut breaker, mut out) = (CommandBreaker::default(), Vec::new());
        for piece in pieces {
            breaker.write(piece.as_bytes(), &mut out).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_a_service_takes_for_a_command_is_broken_up() {
        for (text, expected) in [
            ("::error::x", ": :error::x"),
            (" \t::set-output name=a::b", " \t: :set-output name=a::b"),
            ("\u{a0}\u{feff}::x", "\u{a0}\u{feff}: :x"),
            ("a\n::x\r::y\n", "a\n: :x\r: :y\n"),
            ("##[error]x", "## [error]x"),
            (
                "a ##vso[task.complete]###[b]",
                "a ##vso [task.complete]### [b]",
            ),
            (":::x", ": ::x"),
        ] {
            assert_eq!(broken(&[text]), expected);
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<_> = letters.iter().map(String::as_str).collect();
            assert_eq!(broken(&letters), expected);
        }
    }

    #[test]
    fn other_text_is_written_as_it_is() {
        for text in [
            "a::b",
            "std::io\n - ::x",
            ": :x",
            "# Heading\n## Part [1]\n#[test]\n## [x]",
            "##\n[x]",
            "",
        ] {
            assert_eq!(broken(&[text]), text);
        }
    }
}
