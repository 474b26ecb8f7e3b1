//! The lines that corrections are written as: members that are texts, and objects
//! of them. Whatever else a line holds is left to the reader of any JSON, which
//! makes the same of what both read.

use std::borrow::Cow;

use memchr::memchr2;

use super::super::key::{Key, Scope};
use super::{Kind, RawCorrection, Value};

/// Reads a line; `None` if it may be anything else.
pub(super) fn read(text: &str) -> Option<RawCorrection<'_>> {
    let text = text.trim_end_matches([' ', '\t', '\n', '\r']);
    let least = text.bytes().fold(u8::MAX, u8::min);
    if least < b' ' {
        return None;
    }
    let mut raw = RawCorrection::default();
    let mut reader = Reader { text, at: 0 };
    reader.object(Scope::Top, &mut raw)?;
    (reader.at == text.len()).then_some(raw)
}

/// A line without control characters, and how much of it is read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// Passes over blanks and the byte behind them.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            self.at += 1;
            if byte != b' ' {
                return Some(byte);
            }
        }
    }

    #[inline]
    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn object(&mut self, scope: Scope, raw: &mut RawCorrection<'t>) -> Option<()> {
        self.pass(b'{')?;
        match self.next()? {
            b'}' => return Some(()),
            b'"' => {}
            _ => return None,
        }
        loop {
            self.member(scope, raw)?;
            match self.next()? {
                b'}' => return Some(()),
                b',' => self.pass(b'"')?,
                _ => return None,
            }
        }
    }

    /// Reads a member that does not stand twice, from behind its first quote.
    #[inline]
    fn member(&mut self, scope: Scope, raw: &mut RawCorrection<'t>) -> Option<()> {
        let name = self.text()?;
        self.pass(b':')?;
        let Some(key) = Key::find(scope, &name) else {
            self.pass(b'"')?;
            self.text()?;
            raw.note_unknown(scope, name);
            return raw.twice.is_empty().then_some(());
        };
        let value = match key.object() {
            Some(inner) => {
                self.object(inner, raw)?;
                Value::Other(Kind::Object)
            }
            None => {
                self.pass(b'"')?;
                Value::Text(self.text()?)
            }
        };
        let before = std::mem::replace(&mut raw.values[key as usize], value);
        matches!(before, Value::Absent).then_some(())
    }

    /// Reads a text from behind its quote.
    #[inline]
    fn text(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..)?;
        let end = start + memchr2(b'"', b'\\', rest)?;
        if self.text.as_bytes().get(end) == Some(&b'\\') {
            return self.escaped(start, end).map(Cow::Owned);
        }
        self.at = end + 1;
        self.text.get(start..end).map(Cow::Borrowed)
    }

    /// Reads a text from behind its quote, whose first escape is known.
    #[cold]
    fn escaped(&mut self, start: usize, first: usize) -> Option<String> {
        let bytes = self.text.as_bytes();
        let mut end = first;
        while *bytes.get(end)? == b'\\' {
            end += 2;
            end += memchr2(b'"', b'\\', bytes.get(end..)?)?;
        }
        self.at = end + 1;
        serde_json::from_str(self.text.get(start - 1..self.at)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::any;
    use super::*;

    /// Whether it reads the line, and as the reader of any JSON does.
    fn reads(line: &str) -> bool {
        let plain = read(line);
        let is_read = plain.is_some();
        if is_read {
            assert_eq!(plain, any::read(line).ok(), "{line}");
        }
        is_read
    }

    #[test]
    fn texts_and_objects_of_them_are_read() {
        for line in [
            "{}",
            " { } ",
            r#"{"agent":"a","context":{},"source":"explicit"}"#,
            r#" { "agent" : "a" , "ai_action" : { "summary" : "s" , "file" : "" } } "#,
            r#"{"agent":"\"a\" \\\\ \u00e9 \ud83e\udd80","user_correction":{"summary":"\\"}}"#,
            r#"{"a\u0067ent":"a","agen\t":"é"}"#,
            r#"{"more":"m","summary":"s","context":{"more":"m"}}"#,
            "{\"agent\":\"\u{e4}\u{1f980}\"}\r",
        ] {
            assert!(reads(line), "{line}");
        }
        let raw = read(r#"{"agent":"a\"","x":"y","context":{"task":"t"}}"#).unwrap();
        assert_eq!(raw.text(Key::Agent), Some("a\""));
        assert_eq!(raw.text(Key::Task), Some("t"));
        assert_eq!(raw.unknown, [(Scope::Top, "x".into())]);
    }

    #[test]
    fn whatever_else_a_line_holds_is_left_to_another_reader() {
        for line in [
            "",
            " ",
            "\"a\"",
            "{",
            r#"{"agent":7}"#,
            r#"{"context":"c"}"#,
            r#"{"agent":{}}"#,
            r#"{"more":{}}"#,
            r#"{"agent":"a","agent":"b"}"#,
            r#"{"context":{},"context":{}}"#,
            r#"{"x":"a","x":"b"}"#,
            r#"{"agent":"a",}"#,
            r#"{"agent":"a" "source":"b"}"#,
            r#"{"agent":"a";"source":"b"}"#,
            r#"{"agent" "a"}"#,
            r#"{agent:"a"}"#,
            r#"{"agent":"a"}}"#,
            r#"{"agent":"a"} x"#,
            r#"{"agent":"a"#,
            r#"{"agent":"a\"}"#,
            r#"{"agent":"a\""#,
            r#"{"agent":"a\"#,
            r#"{"agent":"\d"}"#,
            r#"{"agent":"\ud800"}"#,
            "{\"agent\":\"\t\"}",
            "{\"agent\":\"\u{1f}\"}",
            "{\t}",
            "{}\u{c}",
        ] {
            assert!(!reads(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_it_reads_it_reads_as_the_other_reader_does(line in r#" ?\{("(agent|summary|context|ai_action|x|a\\u0067ent)" ?: ?("[a\\"nué ]{0,4}"|\{("(summary|file|task|x)":"[a\\"]{0,2}",?){0,2}\}|7),?){0,4}\}? ?"#) {
            reads(&line);
        }
    }
}
