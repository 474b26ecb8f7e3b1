//! Parses strings in any kind of quotes.

use std::borrow::Cow;

use memchr::memchr;

use super::{Failure, Node, Place, Reader, SyntaxFault, Value};
use crate::RepairCode;
use crate::repair::Notes;

/// The number of bytes that a guess inspects after a quote.
const LOOK_AHEAD: usize = 96;

/// The number of bytes of a string that are inspected at once.
const BLOCK: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    Double,
    Single,
    SmartDouble,
    SmartSingle,
}

impl Quote {
    /// Returns the quote at the start of `bytes`.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [b'"', ..] => Some(Self::Double),
            [b'\'', ..] => Some(Self::Single),
            [0xe2, 0x80, 0x9c..=0x9f, ..] => Some(Self::SmartDouble),
            [0xe2, 0x80, 0x98..=0x9b, ..] => Some(Self::SmartSingle),
            _ => None,
        }
    }

    fn lead(self) -> u8 {
        match self {
            Self::Double => b'"',
            Self::Single => b'\'',
            Self::SmartDouble | Self::SmartSingle => 0xe2,
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Double | Self::Single => 1,
            Self::SmartDouble | Self::SmartSingle => 3,
        }
    }

    fn note(self) -> Option<RepairCode> {
        match self {
            Self::Double => None,
            Self::Single => Some(RepairCode::SingleQuotes),
            Self::SmartDouble | Self::SmartSingle => Some(RepairCode::SmartQuotes),
        }
    }
}

/// The value of a backslash and what follows it, and its length in bytes.
enum Escape {
    Char(char, usize),
    /// A quote that JSON does not escape.
    Quote(usize),
    /// Half of a surrogate pair.
    Half,
    /// The backslash is literal.
    Kept,
}

impl Escape {
    /// Returns the escape at the start of `bytes`, which start with a backslash.
    fn of(bytes: &[u8]) -> Self {
        let plain = |c| Self::Char(c, 2);
        match bytes.get(1) {
            Some(b'"') => plain('"'),
            Some(b'\\') => plain('\\'),
            Some(b'/') => plain('/'),
            Some(b'b') => plain('\u{8}'),
            Some(b'f') => plain('\u{c}'),
            Some(b'n') => plain('\n'),
            Some(b'r') => plain('\r'),
            Some(b't') => plain('\t'),
            Some(b'u') => Self::unicode(bytes),
            _ => match bytes.get(1..).and_then(Quote::of) {
                Some(quote) => Self::Quote(1 + quote.len()),
                None => Self::Kept,
            },
        }
    }

    fn unicode(bytes: &[u8]) -> Self {
        let Some(first) = hex_unit(bytes, 2) else {
            return Self::Kept;
        };
        if let Some(c) = char::from_u32(first) {
            return Self::Char(c, 6);
        }
        let second = match bytes.get(6..8) {
            Some(b"\\u") => hex_unit(bytes, 8),
            _ => None,
        };
        match (first, second) {
            (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
                char::from_u32(code).map_or(Self::Half, |c| Self::Char(c, 12))
            }
            _ => Self::Half,
        }
    }
}

fn hex_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |value, digit| {
        Some(value * 16 + char::from(*digit).to_digit(16)?)
    })
}

impl<'t> Reader<'t> {
    /// Returns the string that an input is as a whole, with its repairs.
    pub(crate) fn whole_string(text: &'t str) -> Option<(Node<'t>, Notes)> {
        let end = text.trim_end().len();
        let start = text.len() - text.trim_start().len();
        let mut reader = Self::new(text, start, false);
        if reader.peek() != Some(b'"') {
            return None;
        }
        let string = reader.string(None).ok()??;
        let (span, value) = (start..end, Value::Text(string));
        (reader.pos == end).then_some((Node { span, value }, reader.notes))
    }

    pub(super) fn at_quote(&self) -> bool {
        Quote::of(self.rest().as_bytes()).is_some()
    }

    /// Parses a string; `None` if a guess finds it cut off. A string without a place ends at
    /// its first quote.
    pub(super) fn string(&mut self, place: Option<Place>) -> Result<Option<Cow<'t, str>>, Failure> {
        let start = self.pos;
        let bytes = self.text.as_bytes();
        let Some(quote) = Quote::of(self.rest().as_bytes()) else {
            return self.fail(SyntaxFault::Value);
        };
        if let Some(code) = quote.note() {
            self.notes.add(code, start);
        }
        self.pos += quote.len();
        let (mut raw_control, mut inner_quote) = (false, false);
        loop {
            match self.next_special(quote.lead()) {
                None if self.guessing => return Ok(None),
                None => return self.fail(SyntaxFault::End),
                Some(b'\\') => self.skip_escape(),
                Some(0) => return self.fail(SyntaxFault::Nul),
                // Code before an answer looks like this, not a string.
                Some(b'\n') if inner_quote => return self.fail(SyntaxFault::Separator),
                Some(0x01..=0x1f) => {
                    if !raw_control {
                        self.notes.add(RepairCode::RawControl, self.pos);
                        raw_control = true;
                    }
                    self.pos += 1;
                }
                Some(_) if Quote::of(self.rest().as_bytes()) != Some(quote) => self.pos += 3,
                Some(_) => {
                    let behind = self.pos + quote.len();
                    let inner = self.guessing
                        && place
                            .is_some_and(|place| !Window::behind(bytes, behind).ends_value(place));
                    if inner {
                        self.notes.add(RepairCode::InnerQuote, self.pos);
                        inner_quote = true;
                    }
                    self.pos = behind;
                    if !inner {
                        break;
                    }
                }
            }
        }
        self.last_string = Some((start, self.pos));
        Ok(Some(decode(self.text, start, self.pos)))
    }

    /// Moves to the next special byte inside a string.
    fn next_special(&mut self, lead: u8) -> Option<u8> {
        let is_special = |byte: &u8| *byte < 0x20 || *byte == b'\\' || *byte == lead;
        let rest = self.text.as_bytes().get(self.pos..)?;
        // A block is inspected as a whole, without a branch for each byte.
        let some_special = |block: &&[u8]| {
            block
                .iter()
                .fold(false, |some, byte| some | is_special(byte))
        };
        let dull = rest
            .chunks(BLOCK)
            .take_while(|block| !some_special(block))
            .count();
        let from = (dull * BLOCK).min(rest.len());
        let found = rest.get(from..)?.iter().position(is_special);
        self.pos += found.map_or(rest.len(), |at| from + at);
        self.peek()
    }

    fn skip_escape(&mut self) {
        let (code, length) = match Escape::of(self.rest().as_bytes()) {
            Escape::Char(_, length) => (None, length),
            Escape::Quote(length) => (Some(RepairCode::InvalidEscape), length),
            Escape::Half => (Some(RepairCode::LoneSurrogate), 6),
            Escape::Kept => (Some(RepairCode::InvalidEscape), 1),
        };
        if let Some(code) = code {
            self.notes.add(code, self.pos);
        }
        self.pos += length;
    }
}

/// Returns the content of a string token.
pub(crate) fn decode(text: &str, start: usize, end: usize) -> Cow<'_, str> {
    let token = text.get(start..end).unwrap_or_default();
    let quote = Quote::of(token.as_bytes()).map_or(0, Quote::len);
    let last = token.len().saturating_sub(quote);
    let inner = token.get(quote..last).unwrap_or_default();
    let Some(first) = memchr(b'\\', inner.as_bytes()) else {
        return Cow::Borrowed(inner);
    };
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    let mut next = Some(first);
    while let Some(at) = next {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match Escape::of(escape.as_bytes()) {
            Escape::Char(c, length) => {
                out.push(c);
                length
            }
            Escape::Quote(_) => 1,
            Escape::Half => {
                out.push(char::REPLACEMENT_CHARACTER);
                6
            }
            Escape::Kept => {
                out.push('\\');
                1
            }
        };
        rest = escape.get(length..).unwrap_or_default();
        // A quote after a dropped backslash is content, never an escape.
        next = memchr(b'\\', rest.as_bytes());
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The bytes after a quote that a guess inspects.
#[derive(Clone, Copy)]
struct Window<'b> {
    bytes: &'b [u8],
    /// Nothing follows.
    is_last: bool,
}

impl<'b> Window<'b> {
    fn behind(bytes: &'b [u8], at: usize) -> Self {
        let end = bytes.len().min(at + LOOK_AHEAD);
        let window = Self {
            bytes: bytes.get(at..end).unwrap_or_default(),
            is_last: end == bytes.len(),
        };
        window.skip(0)
    }

    /// Returns what follows after `count` bytes and white space.
    fn skip(self, count: usize) -> Self {
        let rest = self.bytes.get(count..).unwrap_or_default();
        Self {
            bytes: rest.trim_ascii_start(),
            ..self
        }
    }

    /// Returns whether a value may end before this.
    fn ends_value(self, place: Place) -> bool {
        match (self.bytes, place) {
            ([], _) => self.is_last,
            ([b'}' | b']', ..], _) => true,
            ([b',', ..], _) => self.skip(1).follows_comma(place),
            (_, Place::Field) => self.is_key(),
            (next, Place::Item) => next.starts_with(b"{"),
        }
    }

    fn follows_comma(self, place: Place) -> bool {
        match (self.bytes, place) {
            ([], _) => self.is_last,
            ([b'}' | b']', ..] | [b'/', b'/' | b'*', ..] | [b'.', b'.', b'.', ..], _) => true,
            (_, Place::Field) => self.is_key(),
            ([b'{' | b'[' | b'-' | b'0'..=b'9', ..], Place::Item) => true,
            (next, Place::Item) => Quote::of(next).is_some(),
        }
    }

    /// Returns whether this is a quoted key and a colon, within the window.
    fn is_key(self) -> bool {
        let Some(quote) = Quote::of(self.bytes) else {
            return false;
        };
        let closes = |at: &usize| self.bytes.get(*at..).and_then(Quote::of) == Some(quote);
        let Some(end) = (quote.len()..self.bytes.len()).find(closes) else {
            return self.is_last;
        };
        let after = self.skip(end + quote.len());
        match after.bytes {
            [] => after.is_last,
            [first, ..] => end > quote.len() && *first == b':',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, guessing: bool) -> Option<(usize, String, Vec<RepairCode>)> {
        let mut reader = Reader::new(text, 0, guessing);
        let text = reader.string(Some(Place::Field)).ok()??.into_owned();
        let codes = reader.notes.repairs().map(|repair| repair.code);
        Some((reader.pos, text, codes.collect()))
    }

    #[test]
    fn strings_may_have_any_quotes() {
        use RepairCode::{InvalidEscape, LoneSurrogate, RawControl, SingleQuotes, SmartQuotes};
        for (text, end, inner, codes) in [
            (
                r#""a\"b\\\/\b\f\n\r\tc" x"#,
                21,
                "a\"b\\/\u{8}\u{c}\n\r\tc",
                &[][..],
            ),
            (r#""\u00e9\ud83d\ude00""#, 20, "é😀", &[]),
            (r#""\ud83dx""#, 9, "\u{fffd}x", &[LoneSurrogate]),
            (
                r#""\ude00\ud83d""#,
                14,
                "\u{fffd}\u{fffd}",
                &[LoneSurrogate, LoneSurrogate],
            ),
            (r#""\ud83d\n""#, 10, "\u{fffd}\n", &[LoneSurrogate]),
            (
                r#""\d+ \u12""#,
                10,
                r"\d+ \u12",
                &[InvalidEscape, InvalidEscape],
            ),
            (r#""it\'s""#, 7, "it's", &[InvalidEscape]),
            (r"'it\'s' x", 7, "it's", &[SingleQuotes, InvalidEscape]),
            ("'it \"is\"'", 9, "it \"is\"", &[SingleQuotes]),
            ("“a ‘b’ \"c\"”", 19, "a ‘b’ \"c\"", &[SmartQuotes]),
            ("‘a\\’b’ x", 12, "a’b", &[SmartQuotes, InvalidEscape]),
            ("\"a\nb\tc\"", 7, "a\nb\tc", &[RawControl]),
            ("\"é “x”\"", 12, "é “x”", &[]),
            ("“…”", 9, "…", &[SmartQuotes]),
        ] {
            let expected = Some((end, inner.to_owned(), codes.to_vec()));
            assert_eq!(read(text, false), expected, "{text}");
        }
    }

    #[test]
    fn an_unclosed_string_or_a_nul_is_not_a_string() {
        for text in ["\"a", "'a\"", "\"a\\", "\"a\\\"", "\"a\0\"", "“a\""] {
            assert_eq!(read(text, false), None, "{text:?}");
            assert_eq!(read(text, true), None, "{text:?}");
        }
    }

    #[test]
    fn a_guess_ends_a_string_where_a_value_may_end() {
        for (text, end, inner) in [
            (r#""a "b" c", "k": 1"#, 9, r#"a "b" c"#),
            (r#""a "b" c"}"#, 9, r#"a "b" c"#),
            (r#""a "b", c" ]"#, 10, r#"a "b", c"#),
            (r#""a" "k": 1"#, 3, "a"),
            (r#""a", }"#, 3, "a"),
            (r#""a", // b"#, 3, "a"),
            (r#""a", ..."#, 3, "a"),
            (r#""a"  "#, 3, "a"),
            (r#""a","#, 3, "a"),
            (r#""a", "ke"#, 3, "a"),
            (r#""a", "key" "#, 3, "a"),
            (r#""a "": b" }"#, 9, r#"a "": b"#),
            (r#""a """: b" }"#, 10, r#"a """: b"#),
        ] {
            let (found_end, found, _) = read(text, true).unwrap();
            assert_eq!((found_end, found.as_str()), (end, inner), "{text}");
        }
    }

    #[test]
    fn a_guess_ends_an_item_where_an_item_may_end() {
        for (text, end) in [
            (r#""a "b" c" ]"#, 9),
            (r#""a "b", c" ]"#, 10),
            (r#""a" {"k": 1}"#, 3),
            (r#""a", {"k": 1}"#, 3),
            (r#""a", [1]"#, 3),
            (r#""a", -1]"#, 3),
            (r#""a", 5]"#, 3),
            (r#""a", "b"]"#, 3),
            (r#""a", 'b']"#, 3),
            (r#""a", ]"#, 3),
            (r#""a", /* b */]"#, 3),
            (r#""a", ...]"#, 3),
            (r#""a" [1" ]"#, 7),
            (r#""a" "b" ]"#, 7),
            (r#""a", /b" ]"#, 8),
            (r#""a", ..b" ]"#, 9),
            (r#""a" "#, 3),
            (r#""a", "#, 3),
        ] {
            let mut reader = Reader::new(text, 0, true);
            assert!(
                reader.string(Some(Place::Item)).unwrap().is_some(),
                "{text}"
            );
            assert_eq!(reader.pos, end, "{text}");
        }
    }

    #[test]
    fn a_guess_allows_no_line_break_after_an_inner_quote() {
        assert_eq!(read("\"a \"b\" c\n\"}", true), None);
        assert_eq!(read("\"a\nb \"c\" d\"}", true).unwrap().0, 11);
    }

    #[test]
    fn a_guess_inspects_only_its_window() {
        let near = format!("\"a\",{}\"k\":1 \"}}", " ".repeat(LOOK_AHEAD - 6));
        let far = format!("\"a\",{}\"k\":1 \"}}", " ".repeat(LOOK_AHEAD - 4));
        assert_eq!(read(&near, true).unwrap().0, 3);
        assert_eq!(read(&far, true).unwrap().0, far.len() - 1);
    }
}
