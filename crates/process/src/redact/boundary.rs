//! Detection of word boundaries before a key.

/// The number of bytes that [`is_boundary`] reads.
pub(super) const CONTEXT: usize = 16;

/// Whether a word can start after `before`. The letters at the end of an escape (`
/// `, `\u003d`, `%3D`, the end of a terminal colour) are not part of the word.
pub(super) fn is_boundary(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(CONTEXT)..];
    match before.last() {
        Some(last) if last.is_ascii_alphanumeric() || *last == b'_' => ends_escape(before),
        _ => true,
    }
}

fn ends_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'\\', b'u', a, b, c, d] if all_hex(&[*a, *b, *c, *d]) => true,
        [.., b'\\', b'x', a, b] | [.., b'%', a, b] if all_hex(&[*a, *b]) => true,
        [parameters @ .., b'm'] => {
            let is_parameter = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let length = parameters.iter().rev().take_while(is_parameter).count();
            parameters[..parameters.len() - length].ends_with(b"[")
        }
        _ => false,
    }
}

fn all_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::is_boundary;

    #[test]
    fn a_key_starts_at_a_word_boundary() {
        let cases: [(&[u8], bool); 16] = [
            (b"", true),
            (b" ", true),
            (b"KEY=", true),
            (b"\"", true),
            (b"-", true),
            (b"\xff", true),
            (b"ta", false),
            (b"7", false),
            (b"_", false),
            (b"line\\n", true),
            (b"line n", false),
            (b"a\\u003d", true),
            (b"a\\u00zz", false),
            (b"a%3D", true),
            (b"\x1b[1;31m", true),
            (b"1;31m", false),
        ];
        for (before, expected) in cases {
            assert_eq!(is_boundary(before), expected, "{before:?}");
        }
    }
}
