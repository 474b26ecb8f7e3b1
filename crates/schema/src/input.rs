//! Decodes an answer.

use std::borrow::Cow;

use crate::{Mode, RepairCode, SchemaError};

/// Maximum length of an answer in bytes.
const MAX_LEN: usize = 16 * 1024 * 1024;

/// Decodes UTF-8, UTF-16LE with a byte order mark, and anything else lossily. Returns the
/// repair as well, which all offsets leave out: they are in the decoded text.
pub(crate) fn decode(
    bytes: &[u8],
    mode: Mode,
) -> Result<(Cow<'_, str>, Option<(RepairCode, usize)>), SchemaError> {
    if bytes.len() > MAX_LEN {
        return Err(SchemaError::json("the answer is larger than 16 MiB").at(MAX_LEN));
    }
    let (text, code, at) = match std::str::from_utf8(bytes) {
        Ok(text) => {
            let is_marked = mode == Mode::Tolerant && text.starts_with('\u{feff}');
            let repair = is_marked.then_some((RepairCode::UnicodeBlank, 0));
            return Ok((Cow::Borrowed(text), repair));
        }
        Err(_) if bytes.starts_with(b"\xff\xfe") => {
            (Cow::Owned(decode_utf16(bytes)), RepairCode::Utf16, 0)
        }
        Err(error) => (
            String::from_utf8_lossy(bytes),
            RepairCode::InvalidUtf8,
            error.valid_up_to(),
        ),
    };
    if mode == Mode::Strict {
        let message = match code {
            RepairCode::Utf16 => "the answer is UTF-16, not UTF-8",
            _ => "the answer is not UTF-8",
        };
        return Err(SchemaError::json(message).at(at));
    }
    Ok((text, Some((code, at))))
}

fn decode_utf16(bytes: &[u8]) -> String {
    let body = bytes.get(2..).unwrap_or_default();
    let units = body.chunks(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        // Half of a code unit is not a character.
        _ => 0xfffd,
    });
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn utf8_is_not_changed() {
        let (text, repair) = decode("né".as_bytes(), Mode::Strict).unwrap();
        assert!(matches!(text, Cow::Borrowed("né")));
        assert_eq!(repair, None);
    }

    #[test]
    fn a_byte_order_mark_is_reported_where_it_is_accepted() {
        let marked = "\u{feff}{}".as_bytes();
        let (_, repair) = decode(marked, Mode::Tolerant).unwrap();
        assert_eq!(repair, Some((RepairCode::UnicodeBlank, 0)));
        let (_, repair) = decode(marked, Mode::Strict).unwrap();
        assert_eq!(repair, None);
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        let mut half_a_pair_and_half_a_unit = utf16("a😀");
        half_a_pair_and_half_a_unit.extend([0x00, 0xd8, 0x62, 0x00, 0x63]);
        for (bytes, text, repair) in [
            (
                b"a\xffb\xc3".to_vec(),
                "a\u{fffd}b\u{fffd}",
                (RepairCode::InvalidUtf8, 1),
            ),
            (
                half_a_pair_and_half_a_unit,
                "a😀\u{fffd}b\u{fffd}",
                (RepairCode::Utf16, 0),
            ),
        ] {
            let decoded = decode(&bytes, Mode::Tolerant).unwrap();
            assert_eq!(decoded, (text.into(), Some(repair)), "{bytes:?}");
        }
    }

    #[test]
    fn strict_mode_accepts_only_utf8() {
        for (bytes, message, at) in [
            (b"ab\xff".to_vec(), "the answer is not UTF-8", 2),
            (utf16("a"), "the answer is UTF-16, not UTF-8", 0),
        ] {
            let error = decode(&bytes, Mode::Strict).unwrap_err();
            assert_eq!(error, SchemaError::json(message).at(at));
        }
    }

    #[test]
    fn an_answer_may_be_16_mib_long() {
        let limit = 16_777_216;
        let bytes = vec![b' '; limit + 1];
        assert!(decode(&bytes[..limit], Mode::Tolerant).is_ok());
        let error = decode(&bytes, Mode::Tolerant).unwrap_err();
        assert_eq!(
            error,
            SchemaError::json("the answer is larger than 16 MiB").at(limit)
        );
    }
}
