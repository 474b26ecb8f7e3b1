//! Exact JSON (RFC 8259) as a flat list of where its values lie.
//!
//! Nothing is copied and nothing is decoded before it is asked for, so that the
//! checks and not the reading take the time.

use std::borrow::Cow;
use std::ops::Range;

/// The deepest nesting of objects and lists that is read.
const MAX_DEPTH: usize = 64;

/// Why a text is not one value of exact JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inexact {
    /// What does not belong there.
    pub(super) what: &'static str,
    /// The byte at which it shows.
    pub(super) at: usize,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    True,
    False,
    Number,
    Text,
    /// A text with a backslash in it.
    EscapedText,
    List,
    Object,
}

/// A value of the text. A key is one too; its value follows it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// Its first byte; of a text the quote.
    start: u32,
    /// Behind its last byte.
    end: u32,
    /// The entry behind all that is in it.
    next: u32,
}

/// The values of a text, from left to right.
#[derive(Debug)]
pub(super) struct Tape<'t> {
    text: &'t str,
    entries: Vec<Entry>,
}

/// One value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<'a> {
    tape: &'a Tape<'a>,
    at: usize,
}

impl<'t> Tape<'t> {
    /// Reads the one value that a text is.
    pub(super) fn read(text: &'t str) -> Result<Self, Inexact> {
        if u32::try_from(text.len()).is_err() {
            let what = "it is too large";
            return Err(Inexact { what, at: 0 });
        }
        let mut reader = Reader {
            bytes: text.as_bytes(),
            pos: 0,
            entries: Vec::with_capacity(text.len() / 12 + 1),
        };
        reader.skip_blanks();
        reader.value(0)?;
        reader.skip_blanks();
        if reader.pos < text.len() {
            return reader.fail("something follows it");
        }
        let entries = reader.entries;
        Ok(Self { text, entries })
    }

    /// The value itself.
    pub(super) fn root(&self) -> Cell<'_> {
        Cell { tape: self, at: 0 }
    }
}

impl<'a> Cell<'a> {
    fn entry(self) -> &'a Entry {
        const NOTHING: &Entry = &Entry {
            kind: Kind::Null,
            start: 0,
            end: 0,
            next: u32::MAX,
        };
        self.tape.entries.get(self.at).unwrap_or(NOTHING)
    }

    pub(super) fn kind(self) -> Kind {
        self.entry().kind
    }

    /// Its first byte.
    pub(super) fn start(self) -> usize {
        self.entry().start as usize
    }

    /// As it is written; of a text without its quotes.
    pub(super) fn raw(self) -> &'a str {
        let entry = self.entry();
        let (start, end) = (entry.start as usize, entry.end as usize);
        let range = match entry.kind {
            Kind::Text | Kind::EscapedText => start + 1..end - 1,
            _ => start..end,
        };
        self.tape.text.get(range).unwrap_or_default()
    }

    /// The text, if it is one.
    #[inline]
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self.kind() {
            Kind::Text => Some(Cow::Borrowed(self.raw())),
            Kind::EscapedText => Some(Cow::Owned(decode(self.raw()))),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub(super) fn number(self) -> Option<f64> {
        match self.kind() {
            Kind::Number => self.raw().parse().ok(),
            _ => None,
        }
    }

    fn inside(self) -> Range<usize> {
        match self.kind() {
            Kind::List | Kind::Object => self.at + 1..self.entry().next as usize,
            _ => 0..0,
        }
    }

    fn next(self) -> usize {
        self.entry().next as usize
    }

    /// The items of a list; none of anything else.
    pub(super) fn items(self) -> impl Iterator<Item = Self> {
        let Range { start, end } = match self.kind() {
            Kind::List => self.inside(),
            _ => 0..0,
        };
        let tape = self.tape;
        let mut at = start;
        std::iter::from_fn(move || {
            let cell = (at < end).then_some(Self { tape, at })?;
            at = cell.next();
            Some(cell)
        })
    }

    /// The keys and values of an object; none of anything else.
    pub(super) fn members(self) -> impl Iterator<Item = (Self, Self)> {
        let Range { start, end } = match self.kind() {
            Kind::Object => self.inside(),
            _ => 0..0,
        };
        let tape = self.tape;
        let mut at = start;
        std::iter::from_fn(move || {
            let key = (at < end).then_some(Self { tape, at })?;
            let value = Self { tape, at: at + 1 };
            at = value.next();
            Some((key, value))
        })
    }
}

struct Reader<'t> {
    bytes: &'t [u8],
    pos: usize,
    entries: Vec<Entry>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, Inexact> {
        let what = if self.pos >= self.bytes.len() {
            "it ends too early"
        } else {
            what
        };
        Err(Inexact { what, at: self.pos })
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.pos += 1;
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the length of the text is held below 2^32, and there are fewer entries"
    )]
    fn add(&mut self, kind: Kind, start: usize) {
        let next = self.entries.len() as u32 + 1;
        let (start, end) = (start as u32, self.pos as u32);
        self.entries.push(Entry {
            kind,
            start,
            end,
            next,
        });
    }

    /// Ends the object or list of entry `at`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the length of the text is held below 2^32, and there are fewer entries"
    )]
    fn close(&mut self, at: usize) {
        let next = self.entries.len() as u32;
        if let Some(entry) = self.entries.get_mut(at) {
            entry.end = self.pos as u32;
            entry.next = next;
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), Inexact> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Kind::True),
            Some(b'f') => self.word("false", Kind::False),
            Some(b'n') => self.word("null", Kind::Null),
            _ => self.fail("expected a value"),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Inexact> {
        let at = self.enter(depth, Kind::Object)?;
        if self.peek() != Some(b'}') {
            loop {
                if self.peek() != Some(b'"') {
                    return self.fail("expected a key in double quotes");
                }
                self.string()?;
                self.skip_blanks();
                self.expect(b':', "expected a colon")?;
                self.value(depth + 1)?;
                if self.closes(b'}')? {
                    break;
                }
            }
        }
        self.pos += 1;
        self.close(at);
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Result<(), Inexact> {
        let at = self.enter(depth, Kind::List)?;
        if self.peek() != Some(b']') {
            loop {
                self.value(depth + 1)?;
                if self.closes(b']')? {
                    break;
                }
            }
        }
        self.pos += 1;
        self.close(at);
        Ok(())
    }

    fn enter(&mut self, depth: usize, kind: Kind) -> Result<usize, Inexact> {
        if depth >= MAX_DEPTH {
            return self.fail("it is nested deeper than 64 levels");
        }
        let at = self.entries.len();
        self.add(kind, self.pos);
        self.pos += 1;
        self.skip_blanks();
        Ok(at)
    }

    /// Whether the object or list ends here; else the comma is passed over.
    fn closes(&mut self, closer: u8) -> Result<bool, Inexact> {
        self.skip_blanks();
        if self.peek() == Some(closer) {
            return Ok(true);
        }
        self.expect(b',', "expected a comma or a closing bracket")?;
        Ok(false)
    }

    /// Passes over a byte and the blanks behind it.
    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Inexact> {
        if self.peek() != Some(byte) {
            return self.fail(what);
        }
        self.pos += 1;
        self.skip_blanks();
        Ok(())
    }

    fn string(&mut self) -> Result<(), Inexact> {
        let (start, mut kind) = (self.pos, Kind::Text);
        self.pos += 1;
        loop {
            self.pos += plain_bytes(self.bytes.get(self.pos..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    kind = Kind::EscapedText;
                    self.escape()?;
                }
                _ => return self.fail("a control character in a text"),
            }
        }
        self.pos += 1;
        self.add(kind, start);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Inexact> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let length = match rest {
            [
                b'\\',
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                ..,
            ] => Some(2),
            [b'\\', b'u', ..] => unicode_escape(rest).map(|(_, length)| length),
            _ => None,
        };
        match length {
            Some(length) => {
                self.pos += length;
                Ok(())
            }
            None => self.fail("an invalid escape"),
        }
    }

    fn number(&mut self) -> Result<(), Inexact> {
        let start = self.pos;
        if self.peek() == Some(b'-') {
            self.pos += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        let mut complete = whole > 0 && !(leading_zero && whole > 1);
        if self.peek() == Some(b'.') {
            self.pos += 1;
            complete &= self.digits() > 0;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.pos += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.pos += 1;
            }
            complete &= self.digits() > 0;
        }
        self.add(Kind::Number, start);
        let raw = self.bytes.get(start..self.pos).unwrap_or_default();
        let is_long = raw.len() > 17 || raw.iter().any(|byte| matches!(byte, b'e' | b'E'));
        let overflows = is_long
            && std::str::from_utf8(raw)
                .ok()
                .and_then(|raw| raw.parse::<f64>().ok())
                .is_none_or(f64::is_infinite);
        if complete && !overflows {
            return Ok(());
        }
        self.fail(if complete {
            "a number that is too large"
        } else {
            "expected a number"
        })
    }

    fn digits(&mut self) -> usize {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.pos += count;
        count
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<(), Inexact> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return self.fail("expected a value");
        }
        let start = self.pos;
        self.pos += word.len();
        self.add(kind, start);
        Ok(())
    }
}

/// How many bytes stand before the next quote, backslash or control character.
fn plain_bytes(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let mut plain = 0;
    for block in bytes.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*block);
        let quote = zero(word ^ (ONES * u64::from(b'"')));
        let backslash = zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        // A borrow may mark a byte above the first special one, never below it.
        let special = (quote | backslash | control) & HIGHS;
        if special != 0 {
            return plain + (special.trailing_zeros() / 8) as usize;
        }
        plain += 8;
    }
    let rest = bytes.get(plain..).unwrap_or_default();
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    plain + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// What an escape such as `\u00e9`, or a pair of them, stands for, and its length.
fn unicode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let [b'\\', b'u', digits @ ..] = bytes.get(from..from + 6)? else {
            return None;
        };
        digits.iter().try_fold(0, |value, digit| {
            Some(value * 16 + char::from(*digit).to_digit(16)?)
        })
    };
    let first = unit(0)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    match (first, unit(6)?) {
        (0xd800..=0xdbff, low @ 0xdc00..=0xdfff) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
            Some((char::from_u32(code)?, 12))
        }
        _ => None,
    }
}

/// The text of a string whose escapes are sound.
fn decode(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, escape)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        let (c, length) = match escape.as_bytes().get(1) {
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'u') => unicode_escape(escape.as_bytes()).unwrap_or(('\u{fffd}', 6)),
            Some(byte) => (char::from(*byte), 2),
            None => ('\\', 1),
        };
        out.push(c);
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value as Json;

    use super::*;

    /// The same value as `serde_json` has it; of a key that stands twice the
    /// last value.
    fn json(cell: Cell<'_>) -> Json {
        match cell.kind() {
            Kind::Null => Json::Null,
            Kind::True => Json::Bool(true),
            Kind::False => Json::Bool(false),
            Kind::Number => serde_json::from_str(cell.raw()).unwrap(),
            Kind::Text | Kind::EscapedText => Json::String(cell.text().unwrap().into_owned()),
            Kind::List => cell.items().map(json).collect(),
            Kind::Object => cell
                .members()
                .map(|(key, value)| (key.text().unwrap().into_owned(), json(value)))
                .collect(),
        }
    }

    fn agrees(text: &str) {
        let ours = Tape::read(text).map(|tape| json(tape.root()));
        let theirs = serde_json::from_str::<Json>(text);
        assert_eq!(ours.ok(), theirs.ok(), "{text:?}");
    }

    #[test]
    fn it_reads_what_another_reader_reads() {
        for text in [
            "{}",
            "[]",
            " [ ] ",
            r#"{"a": [1, -2.5e+3, {"b": "c", "d": [[]]}, true, false, null], "a": "x"}"#,
            r#"" \" \\ \/ \b \f \n \r \t \u00e9 \ud83d\ude00 é 😀""#,
            r#"["\ud83d", 1]"#,
            r#"["\ude00"]"#,
            r#"["\ud83d\u0041"]"#,
            r#"["\u12g4"]"#,
            r#"["\u+123"]"#,
            r#"["\d"]"#,
            "[\"a\nb\"]",
            "[\"\u{1f}\"]",
            "[\"\u{7f}\"]",
            "[01]",
            "[-]",
            "[-0]",
            "[1.]",
            "[.5]",
            "[1e]",
            "[1e5]",
            "[1E-5]",
            "[+1]",
            "[1e400]",
            "[123456789012345678901234567890]",
            "[1,]",
            "[,]",
            "[1 2]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":}",
            "{1:1}",
            "[1}",
            "[tru]",
            "truex",
            "true",
            "nul",
            "",
            " ",
            "[1] 2",
            "[\"a",
            "[\"a\\",
            "{\"a\":1",
            "{",
            "[",
            "\u{feff}{}",
            "[1]\u{c}",
        ] {
            agrees(text);
        }
    }

    #[test]
    fn a_fault_is_told_with_its_place() {
        for (text, what, at) in [
            ("", "it ends too early", 0),
            ("[1,", "it ends too early", 3),
            ("[1 2]", "expected a comma or a closing bracket", 3),
            ("{a: 1}", "expected a key in double quotes", 1),
            ("{\"a\" 1}", "expected a colon", 5),
            ("[x]", "expected a value", 1),
            ("[01]", "expected a number", 3),
            ("[1e999]", "a number that is too large", 6),
            ("[\"\t\"]", "a control character in a text", 2),
            ("[\"\\x\"]", "an invalid escape", 2),
            ("{} x", "something follows it", 3),
        ] {
            assert_eq!(
                Tape::read(text).unwrap_err(),
                Inexact { what, at },
                "{text}"
            );
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Tape::read(&nested(64)).is_ok());
        let what = "it is nested deeper than 64 levels";
        assert_eq!(
            Tape::read(&nested(65)).unwrap_err(),
            Inexact { what, at: 64 }
        );
    }

    #[test]
    fn special_bytes_are_found_at_every_place() {
        for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
            for at in 0..40 {
                let mut bytes = vec![b'!'; 40];
                bytes[at] = special;
                assert_eq!(plain_bytes(&bytes), at);
                bytes.fill(0x80 | b'"');
                bytes[at] = special;
                assert_eq!(plain_bytes(&bytes), at);
            }
        }
        let plain: Vec<u8> = (0x20..=0xff)
            .filter(|byte| !matches!(byte, b'"' | b'\\'))
            .collect();
        assert_eq!(plain_bytes(&plain), plain.len());
    }

    proptest! {
        #[test]
        fn it_agrees_on_any_text(text in r#"[\[\]{},: ]{0,3}("[a-z\\u0-9é]{0,12}"|[0-9.eE+-]{0,6}|true|null|[\[\]{}:, ]|\n){0,9}[\]}]{0,3}"#) {
            agrees(&text);
        }

        #[test]
        fn it_reads_what_another_writer_writes(text in "\\PC{0,80}") {
            let json = serde_json::to_string(&vec![&text, "x"]).unwrap();
            let tape = Tape::read(&json).unwrap();
            let first = tape.root().items().next().unwrap();
            prop_assert_eq!(first.text().unwrap(), text);
        }
    }
}
