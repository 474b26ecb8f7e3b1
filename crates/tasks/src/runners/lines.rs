//! Splits bytes into lines, in bounded memory.

use memchr::memchr2;
use review_process::redact::Escapes;

/// Maximum number of bytes of a line. No summary of a runner is longer.
pub(super) const LONGEST: usize = 8 * 1024;

/// The current line of one output. Escape sequences are removed; a
/// carriage return ends a line as well, because of progress bars.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    escapes: Escapes,
    /// The bytes that were added last, without escape sequences.
    plain: Vec<u8>,
}

impl Lines {
    /// Adds bytes and passes on the lines that they end, except blank ones.
    pub(super) fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(&str)) {
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        self.escapes.strip(bytes, &mut plain);
        let mut rest = &plain[..];
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            self.extend(&rest[..end]);
            rest = &rest[end + 1..];
            let line = String::from_utf8_lossy(&self.line);
            let line = line.trim_end();
            if !line.is_empty() {
                each(line);
            }
            self.line.clear();
        }
        self.extend(rest);
        self.plain = plain;
    }

    fn extend(&mut self, text: &[u8]) {
        let room = LONGEST - self.line.len();
        self.line.extend_from_slice(&text[..text.len().min(room)]);
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
                prop_oneof![Just(0x1b), Just(b'['), Just(b']'), Just(0x07), Just(b'\n'), Just(b'm'), any::<u8>()],
                0..200,
            ),
            cut in 0usize..200,
        ) {
            let (head, tail) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(lines(&[head, tail]), lines(&[&bytes]));
        }
    }
}
