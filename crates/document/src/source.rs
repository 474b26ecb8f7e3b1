//! Decodes the bytes of a file as text.

use std::borrow::Cow;

/// The content of a file, up to the first byte that is not UTF-8.
///
/// ```
/// use review_document::SourceText;
///
/// let source = SourceText::from(b"# A\n\xff# B\n");
/// assert_eq!(source.text, "# A\n");
/// assert_eq!(source.invalid_at, Some(4));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText<'a> {
    /// The content.
    pub text: Cow<'a, str>,
    /// The offset of that byte; `None` when the whole file is UTF-8.
    pub invalid_at: Option<usize>,
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for SourceText<'a> {
    fn from(source: &'a T) -> Self {
        let bytes = source.as_ref();
        let (text, invalid_at) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = error.valid_up_to();
                let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
                (text, Some(valid))
            }
        };
        Self {
            text: Cow::Borrowed(text),
            invalid_at,
        }
    }
}

impl From<String> for SourceText<'_> {
    fn from(text: String) -> Self {
        Self {
            text: Cow::Owned(text),
            invalid_at: None,
        }
    }
}

impl From<Vec<u8>> for SourceText<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(error) => {
                let SourceText { text, invalid_at } = error.as_bytes().into();
                Self {
                    text: Cow::Owned(text.into_owned()),
                    invalid_at,
                }
            }
        }
    }
}

impl<'a> From<&'a SourceText<'_>> for SourceText<'a> {
    fn from(source: &'a SourceText<'_>) -> Self {
        Self {
            text: Cow::Borrowed(&source.text),
            invalid_at: source.invalid_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_decoded_up_to_the_first_invalid_one() {
        for (bytes, text, invalid_at) in [
            (&b"ok"[..], "ok", None),
            (b"", "", None),
            (b"\xc3\xa9", "\u{e9}", None),
            (b"a\xc3", "a", Some(1)),
            (b"\xc3\xa9\xff\xff", "\u{e9}", Some(2)),
        ] {
            let expected = SourceText {
                text: Cow::Borrowed(text),
                invalid_at,
            };
            assert_eq!(SourceText::from(bytes), expected, "{bytes:?}");
            assert_eq!(SourceText::from(bytes.to_vec()), expected, "{bytes:?}");
            assert_eq!(SourceText::from(&expected), expected, "{bytes:?}");
        }
    }
}
