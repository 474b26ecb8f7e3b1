//! Removal of terminal escape sequences.

use memchr::memchr;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// The position within the escape sequences of a stream. A line end ends any of them, so
/// that one that is never closed hides no more than its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escapes {
    /// Outside of one.
    #[default]
    None,
    /// After the escape byte.
    Begun,
    /// Within `ESC [`, up to a letter.
    Control,
    /// Within `ESC ]`, `ESC P` and their like, up to a bell or `ESC \`.
    Text,
}

impl Escapes {
    /// Appends the bytes that are part of no sequence.
    pub fn strip(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            match self {
                Self::None => {
                    let end = memchr(ESCAPE, rest).unwrap_or(rest.len());
                    out.extend_from_slice(&rest[..end]);
                    rest = &rest[end..];
                    if !rest.is_empty() {
                        *self = Self::Begun;
                        rest = &rest[1..];
                    }
                }
                // It is broken off.
                Self::Begun | Self::Control if !matches!(first, ESCAPE | 0x20..=0x7e) => {
                    *self = Self::None;
                }
                Self::Text if first == b'\n' => *self = Self::None,
                _ => {
                    *self = self.after(first);
                    rest = &rest[1..];
                }
            }
        }
    }

    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (_, ESCAPE) => Self::Begun,
            (Self::Begun, b'[') => Self::Control,
            (Self::Begun, b']' | b'P' | b'X' | b'^' | b'_') => Self::Text,
            // Bytes that select a character set, such as `ESC ( B`.
            (Self::Begun, 0x20..=0x2f) => Self::Begun,
            (Self::Control, 0x40..=0x7e) | (Self::Text, BELL) => Self::None,
            (Self::Control | Self::Text, _) => self,
            (Self::Begun | Self::None, _) => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_removed() {
        for (bytes, plain) in [
            (&b"\x1b[1;32mok\x1b[0m.\n"[..], &b"ok.\n"[..]),
            (b"\x1b(Bok\x1b7\n", b"ok\n"),
            (b"\x1b]0;title\x07ok\n", b"ok\n"),
            (b"\x1b]8;;http://x\x1b\\ok\n", b"ok\n"),
            (b"\x1bPq#0\x1b\\ok\n", b"ok\n"),
            (b"ok\x1b[1;\n", b"ok\n"),
            (b"ok\x1b]0;never closed\nnext", b"ok\nnext"),
            (b"\x1b[\x1b[1mok", b"ok"),
            (b"a\0\x07\rb\xff", b"a\0\x07\rb\xff"),
            (b"ok\x1b", b"ok"),
            (
                "\x1b\u{e4}\x1b[1\u{e4}".as_bytes(),
                "\u{e4}\u{e4}".as_bytes(),
            ),
        ] {
            let mut out = Vec::new();
            Escapes::default().strip(bytes, &mut out);
            assert_eq!(out, plain, "{}", bytes.escape_ascii());
            let (mut escapes, mut out) = (Escapes::default(), Vec::new());
            for byte in bytes {
                escapes.strip(&[*byte], &mut out);
            }
            assert_eq!(out, plain, "{}", bytes.escape_ascii());
        }
    }
}
