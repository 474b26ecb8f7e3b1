//! Splits bytes into lines, in bounded memory.

use memchr::memchr3;

/// Maximum number of bytes of a line. No summary of a runner is longer.
pub(super) const LONGEST: usize = 8 * 1024;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// The position within a terminal's escape sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sequence {
    /// Outside of one.
    #[default]
    None,
    /// After the escape byte.
    Begun,
    /// Within `ESC [`, up to a letter.
    Control,
    /// Within `ESC ]`, up to a bell or `ESC \`.
    Text,
}

/// The current line of one output. Escape sequences are removed; a
/// carriage return ends a line as well, because of progress bars.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    sequence: Sequence,
}

impl Lines {
    /// Adds bytes and passes on the lines that they end, except blank ones.
    pub(super) fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(&str)) {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            rest = match self.sequence {
                Sequence::None => self.plain(rest, each),
                _ if first == b'\n' => {
                    self.sequence = Sequence::None;
                    rest
                }
                _ => {
                    self.sequence = self.sequence.after(first);
                    &rest[1..]
                }
            };
        }
    }

    /// Adds bytes up to the next one with a special meaning.
    fn plain<'a>(&mut self, bytes: &'a [u8], each: &mut dyn FnMut(&str)) -> &'a [u8] {
        let end = memchr3(b'\n', b'\r', ESCAPE, bytes).unwrap_or(bytes.len());
        let (text, rest) = bytes.split_at(end);
        let room = LONGEST - self.line.len();
        self.line.extend_from_slice(&text[..text.len().min(room)]);
        match rest.split_first() {
            None => rest,
            Some((&ESCAPE, after)) => {
                self.sequence = Sequence::Begun;
                after
            }
            Some((_, after)) => {
                let line = String::from_utf8_lossy(&self.line);
                let line = line.trim_end();
                if !line.is_empty() {
                    each(line);
                }
                self.line.clear();
                after
            }
        }
    }
}

impl Sequence {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Begun, b'[') => Self::Control,
            (Self::Begun, b']') => Self::Text,
            // Bytes that select a character set, such as `ESC ( B`.
            (Self::Begun, 0x20..=0x2f) => Self::Begun,
            (Self::Control, 0x40..=0x7e) | (Self::Text, BELL) => Self::None,
            (Self::Text, ESCAPE) => Self::Begun,
            (Self::Control | Self::Text, _) => self,
            (Self::Begun | Self::None, _) => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut reader = Lines::default();
        let mut lines = Vec::new();
        for chunk in chunks {
            reader.push(chunk, &mut |line| lines.push(line.to_owned()));
        }
        lines
    }

    #[test]
    fn lines_end_at_line_feeds_and_carriage_returns() {
        let read = lines(&[b"one\r\ntw", b"o  \n\n 10%\r 20%\rlast"]);
        assert_eq!(read, ["one", "two", " 10%", " 20%"]);
    }

    #[test]
    fn escape_sequences_are_removed() {
        for (bytes, line) in [
            (&b"\x1b[1;32mok\x1b[0m.\n"[..], "ok."),
            (b"\x1b(Bok\x1b7\n", "ok"),
            (b"\x1b]0;title\x07ok\n", "ok"),
            (b"\x1b]8;;http://x\x1b\\ok\n", "ok"),
            (b"ok\x1b[1;\n", "ok"),
            (b"ok\x1b]0;never closed\n", "ok"),
        ] {
            assert_eq!(lines(&[bytes]), [line], "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn only_the_start_of_a_line_without_end_is_kept() {
        let mut reader = Lines::default();
        let mut lengths = Vec::new();
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..16 {
            reader.push(&chunk, &mut |line| lengths.push(line.len()));
            assert!(reader.line.capacity() <= 2 * LONGEST);
        }
        reader.push(b"\nshort\n", &mut |line| lengths.push(line.len()));
        assert_eq!(lengths, [LONGEST, 5]);
    }

    proptest! {
        #[test]
        fn the_cuts_between_chunks_do_not_matter(
            bytes in proptest::collection::vec(
                prop_oneof![Just(ESCAPE), Just(b'['), Just(b']'), Just(BELL), Just(b'\n'), Just(b'm'), any::<u8>()],
                0..200,
            ),
            cut in 0usize..200,
        ) {
            let (head, tail) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(lines(&[head, tail]), lines(&[&bytes]));
        }
    }
}
