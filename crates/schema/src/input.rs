//! Decodes an answer, and converts offsets in the content back to offsets in the bytes.

use std::borrow::Cow;

use crate::{Mode, Repair, RepairCode, SchemaError};

/// Maximum length of an answer in bytes.
pub(crate) const MAX_LEN: usize = 16 * 1024 * 1024;

/// A decoded answer.
#[derive(Debug)]
pub(crate) struct Input<'b> {
    pub(crate) text: Cow<'b, str>,
    /// The repairs during decoding.
    pub(crate) repair: Option<Repair>,
    bytes: &'b [u8],
}

impl<'b> Input<'b> {
    /// Decodes UTF-8, UTF-16LE with a byte order mark, and anything else lossily.
    pub(crate) fn decode(bytes: &'b [u8], mode: Mode) -> Result<Self, SchemaError> {
        if bytes.len() > MAX_LEN {
            return Err(SchemaError::json("the answer is larger than 16 MiB").at(MAX_LEN));
        }
        let (text, code, at) = match std::str::from_utf8(bytes) {
            Ok(text) => {
                let is_marked = mode == Mode::Tolerant && text.starts_with('\u{feff}');
                let code = is_marked.then_some(RepairCode::UnicodeBlank);
                (Cow::Borrowed(text), code, 0)
            }
            Err(_) if bytes.starts_with(b"\xff\xfe") => {
                (Cow::Owned(decode_utf16(bytes)), Some(RepairCode::Utf16), 0)
            }
            Err(error) => (
                String::from_utf8_lossy(bytes),
                Some(RepairCode::InvalidUtf8),
                error.valid_up_to(),
            ),
        };
        match code {
            Some(code) if mode == Mode::Strict => {
                let message = match code {
                    RepairCode::Utf16 => "the answer is UTF-16, not UTF-8",
                    _ => "the answer is not UTF-8",
                };
                Err(SchemaError::json(message).at(at))
            }
            _ => Ok(Self {
                text,
                repair: code.map(|code| Repair::new(code, at)),
                bytes,
            }),
        }
    }

    /// Returns the work after which no attempt may start: including one more over the
    /// whole text, all work is at most 17 times the length in bytes.
    pub(crate) fn fuel(&self) -> usize {
        (17 * self.bytes.len()).saturating_sub(self.text.len())
    }

    /// Converts offsets in the content to offsets in the bytes.
    pub(crate) fn locate(&self, mut places: Vec<&mut usize>) {
        let (Some(repair), Cow::Owned(_)) = (self.repair, &self.text) else {
            return;
        };
        places.sort_unstable();
        let mut pieces = Pieces::new(self.bytes, repair.code);
        let mut piece = pieces.next();
        for place in places {
            while let Some((text_end, _)) = piece.filter(|(text_end, _)| text_end <= place) {
                debug_assert!(text_end <= *place);
                piece = pieces.next();
            }
            *place = match piece {
                Some((_, byte)) => byte,
                None => self.bytes.len(),
            };
        }
    }
}

fn units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    let body = bytes.get(2..).unwrap_or_default();
    body.chunks(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        // Half of a code unit is not a character.
        _ => 0xfffd,
    })
}

fn decode_utf16(bytes: &[u8]) -> String {
    char::decode_utf16(units(bytes))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Iterates over the characters of a decoded string: the end of each in it, and its
/// start in the bytes.
struct Pieces<'b> {
    characters: Box<dyn Iterator<Item = (usize, usize)> + 'b>,
    text_end: usize,
    byte: usize,
}

impl<'b> Pieces<'b> {
    fn new(bytes: &'b [u8], code: RepairCode) -> Self {
        let utf16 = code == RepairCode::Utf16;
        let characters: Box<dyn Iterator<Item = (usize, usize)> + 'b> = if utf16 {
            Box::new(char::decode_utf16(units(bytes)).map(|unit| match unit {
                Ok(c) => (c.len_utf8(), c.len_utf16() * 2),
                Err(_) => (char::REPLACEMENT_CHARACTER.len_utf8(), 2),
            }))
        } else {
            Box::new(bytes.utf8_chunks().flat_map(|chunk| {
                let lost = chunk.invalid().len();
                let valid = chunk.valid().chars().map(|c| (c.len_utf8(), c.len_utf8()));
                let replaced = (lost > 0).then_some((char::REPLACEMENT_CHARACTER.len_utf8(), lost));
                valid.chain(replaced)
            }))
        };
        Self {
            characters,
            text_end: 0,
            byte: if utf16 { 2 } else { 0 },
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let (in_text, in_bytes) = self.characters.next()?;
        let byte = self.byte;
        self.text_end += in_text;
        self.byte += in_bytes;
        Some((self.text_end, byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }

    fn located(bytes: &[u8]) -> (String, Vec<usize>) {
        let input = Input::decode(bytes, Mode::Tolerant).unwrap();
        let mut places: Vec<usize> = (0..=input.text.len()).collect();
        input.locate(places.iter_mut().collect());
        (input.text.into_owned(), places)
    }

    #[test]
    fn utf8_is_not_changed() {
        let input = Input::decode("né".as_bytes(), Mode::Strict).unwrap();
        assert!(matches!(input.text, Cow::Borrowed("né")));
        assert_eq!(input.repair, None);
    }

    #[test]
    fn a_byte_order_mark_is_reported_where_it_is_accepted() {
        let marked = "\u{feff}{}".as_bytes();
        let input = Input::decode(marked, Mode::Tolerant).unwrap();
        assert_eq!(input.repair, Some(Repair::new(RepairCode::UnicodeBlank, 0)));
        let mut place = 3;
        input.locate(vec![&mut place]);
        assert_eq!(place, 3);
        let strict = Input::decode(marked, Mode::Strict).unwrap();
        assert_eq!(strict.repair, None);
    }

    #[test]
    fn offsets_are_converted_back_to_the_bytes() {
        assert_eq!(
            located(b"a\xffb\xc3"),
            (
                "a\u{fffd}b\u{fffd}".to_owned(),
                vec![0, 1, 1, 1, 2, 3, 3, 3, 4]
            ),
        );
        assert_eq!(
            located(&utf16("a😀b")),
            ("a😀b".to_owned(), vec![2, 4, 4, 4, 4, 8, 10]),
        );
    }

    #[test]
    fn half_a_unit_and_half_a_pair_are_replaced() {
        let mut bytes = utf16("a");
        bytes.extend([0x00, 0xd8, 0x62, 0x00, 0x63]);
        assert_eq!(located(&bytes).0, "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn strict_mode_accepts_only_utf8() {
        for (bytes, message, at) in [
            (b"ab\xff".to_vec(), "the answer is not UTF-8", 2),
            (utf16("a"), "the answer is UTF-16, not UTF-8", 0),
        ] {
            let error = Input::decode(&bytes, Mode::Strict).unwrap_err();
            assert_eq!(error, SchemaError::json(message).at(at));
        }
    }

    #[test]
    fn an_answer_may_be_16_mib_long() {
        let limit = 16_777_216;
        let bytes = vec![b' '; limit + 1];
        assert!(Input::decode(&bytes[..limit], Mode::Tolerant).is_ok());
        let error = Input::decode(&bytes, Mode::Tolerant).unwrap_err();
        assert_eq!(
            error,
            SchemaError::json("the answer is larger than 16 MiB").at(limit)
        );
    }
}
