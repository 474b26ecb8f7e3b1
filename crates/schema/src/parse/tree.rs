//! Parses values with all their content.

use std::borrow::Cow;
use std::ops::Range;

use review_types::excerpt;
use serde_json::{Number, Value as Json};

use super::{Failure, MAX_DEPTH, Place, Reader, SyntaxFault};
use crate::RepairCode;
use crate::error::MAX_QUOTED;

/// A value and its position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node<'t> {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value<'t>,
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'t> {
    Null,
    Bool(bool),
    /// As written, finite or not.
    Number(&'t str),
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    Object(Vec<Property<'t>>),
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Property<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) key_at: usize,
    pub(crate) node: Node<'t>,
}

impl<'t> Node<'t> {
    /// Returns the value of a key, ignoring its case.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let mut members = self.members().iter();
        let found = members.find(|member| member.key.eq_ignore_ascii_case(key));
        found.map(|member| &member.node)
    }

    /// Returns the fields of an object; none of anything else.
    pub(crate) fn members(&self) -> &[Property<'t>] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// Returns the items, if it is an array.
    pub(crate) fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the string, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number, if it is one and finite.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(raw) => raw.parse().ok(),
            _ => None,
        }
        .filter(|number: &f64| number.is_finite())
    }

    pub(crate) fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Returns the input of the value.
    pub(crate) fn raw<'s>(&self, text: &'s str) -> &'s str {
        text.get(self.span.clone()).unwrap_or_default()
    }

    /// Returns the value as a message shows it: of an object and of an array the type.
    pub(crate) fn shown(&self, text: &str) -> String {
        match self.value {
            Value::Object(_) => "object".to_owned(),
            Value::List(_) => "array".to_owned(),
            _ => excerpt(self.raw(text), MAX_QUOTED),
        }
    }

    /// Returns the value as JSON: the last value of a duplicate key, and null for a number
    /// that is not finite.
    pub(crate) fn json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(is) => Json::Bool(*is),
            Value::Number(raw) => {
                let number: Option<Number> = raw.trim_start_matches('+').parse().ok();
                number.map_or(Json::Null, Json::Number)
            }
            Value::Text(text) => Json::String(text.to_string()),
            Value::List(items) => items.iter().map(Node::json).collect(),
            Value::Object(members) => {
                let json = |member: &Property<'_>| (member.key.to_string(), member.node.json());
                members.iter().map(json).collect()
            }
        }
    }

    /// Drops the item at which the array was cut off that the end of the input is in.
    pub(crate) fn drop_cut_item(&mut self, incomplete: &[usize]) {
        match &mut self.value {
            Value::List(items) => {
                items.pop_if(|item| incomplete.contains(&item.span.start));
            }
            Value::Object(members) => {
                if let Some(last) = members.last_mut() {
                    last.node.drop_cut_item(incomplete);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
        }
    }
}

/// Returns how `name` spells `key`, if it does: the repair that it needs, if any.
pub(crate) fn key_spelling(name: &str, key: &str) -> Option<Option<RepairCode>> {
    if name == key {
        Some(None)
    } else if name.eq_ignore_ascii_case(key) {
        Some(Some(RepairCode::KeyCase))
    } else if key == "score" && name.eq_ignore_ascii_case("scores") {
        Some(Some(RepairCode::ScoresKey))
    } else {
        None
    }
}

/// The error of an input that is not one value of exact JSON (RFC 8259).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inexact {
    /// The error message.
    pub(crate) what: String,
    /// The offset in bytes.
    pub(crate) at: usize,
}

/// Parses an input that is one value without any need for repairs.
pub(crate) fn exact(text: &str) -> Result<Node<'_>, Inexact> {
    const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];
    let inexact = |what: String, at| Inexact { what, at };
    let start = text.len() - text.trim_start_matches(BLANKS).len();
    let mut reader = Reader::new(text, start, false);
    let (node, _) = reader.value(0, Place::Field);
    if let Some(failure) = reader.failure {
        let what = match failure.fault {
            SyntaxFault::End => "unexpected end of input".to_owned(),
            SyntaxFault::Depth => format!("nested deeper than {MAX_DEPTH} levels"),
            other => other.expected().to_owned(),
        };
        return Err(inexact(what, failure.at));
    }
    if let Some(first) = reader.notes.repairs().next() {
        return Err(inexact(first.code.words(), first.at));
    }
    let rest = text.get(reader.pos..).unwrap_or_default();
    let rest = rest.trim_start_matches(BLANKS);
    if !rest.is_empty() {
        let at = text.len() - rest.len();
        return Err(inexact("unexpected input after the value".to_owned(), at));
    }
    Ok(node)
}

/// The progress in an object or an array.
#[derive(Debug, Default)]
struct Level {
    needs_comma: bool,
    trailing: Option<usize>,
}

/// The next step in an object or an array.
#[derive(Debug, PartialEq, Eq)]
enum Step<T> {
    Next(T),
    Closed,
    /// A guess reached the end of the input.
    Cut,
}

/// Whether nothing was cut off.
type Whole = bool;

impl<'t> Reader<'t> {
    /// Parses the value that starts here. `depth` is the number of objects and arrays around
    /// it. A value that is not whole has what was read of it; only where the reader has no
    /// failure was it cut off in a guess.
    pub(crate) fn value(&mut self, depth: usize, place: Place) -> (Node<'t>, Whole) {
        let blanks = self.skip_blanks();
        let start = self.pos;
        let mut value = Value::Null;
        let read = blanks.and_then(|()| self.content(depth, place, &mut value));
        let whole = read.unwrap_or_else(|failure| {
            self.failure.get_or_insert(failure);
            false
        });
        if !whole {
            self.incomplete.push(start);
        }
        let span = start..self.pos;
        (Node { span, value }, whole)
    }

    fn content(
        &mut self,
        depth: usize,
        place: Place,
        value: &mut Value<'t>,
    ) -> Result<Whole, Failure> {
        let scalar = match self.peek() {
            None if self.guessing => None,
            None => return self.fail(SyntaxFault::End),
            Some(b'{') => {
                let mut members = Vec::new();
                let read = self.members(depth, &mut members);
                *value = Value::Object(members);
                return read;
            }
            Some(b'[') => {
                let mut items = Vec::new();
                let read = self.items(depth, &mut items);
                *value = Value::List(items);
                return read;
            }
            Some(b'0'..=b'9' | b'-' | b'+') => self.number()?,
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.literal()?,
            Some(_) if self.at_quote() => self.string(Some(place))?.map(Value::Text),
            Some(0) => return self.fail(SyntaxFault::Nul),
            Some(_) => return self.fail(SyntaxFault::Value),
        };
        let whole = scalar.is_some();
        *value = scalar.unwrap_or(Value::Null);
        Ok(whole)
    }

    fn members(&mut self, depth: usize, members: &mut Vec<Property<'t>>) -> Result<Whole, Failure> {
        let mut level = self.enter(depth)?;
        loop {
            let (key, key_at) = match self.next_key(&mut level)? {
                Step::Next(found) => found,
                Step::Closed => return Ok(true),
                Step::Cut => return Ok(false),
            };
            let (node, whole) = self.value(depth + 1, Place::Field);
            if whole || self.keeps(&node) {
                members.push(Property { key, key_at, node });
            }
            if !whole {
                return Ok(self.end_early());
            }
        }
    }

    fn items(&mut self, depth: usize, items: &mut Vec<Node<'t>>) -> Result<Whole, Failure> {
        let mut level = self.enter(depth)?;
        loop {
            match self.separate(&mut level, b']')? {
                Step::Next(()) => {}
                Step::Closed => return Ok(true),
                Step::Cut => return Ok(false),
            }
            let (node, whole) = self.value(depth + 1, Place::Item);
            if whole || self.keeps(&node) {
                items.push(node);
            }
            if !whole {
                return Ok(self.end_early());
            }
        }
    }

    /// Returns whether a value that is not whole stays in the tree: in a guess, too little is
    /// left of a string or a number.
    fn keeps(&self, node: &Node<'_>) -> bool {
        self.failure.is_some() || matches!(node.value, Value::Object(_) | Value::List(_))
    }

    /// Leaves an object or an array whose last value is not whole.
    fn end_early(&mut self) -> Whole {
        if self.failure.is_none() {
            let _: Step<()> = self.cut_off();
        }
        false
    }

    fn enter(&mut self, depth: usize) -> Result<Level, Failure> {
        if depth >= MAX_DEPTH {
            return self.fail(SyntaxFault::Depth);
        }
        self.pos += 1;
        Ok(Level::default())
    }

    /// Moves over the next key and its colon.
    fn next_key(&mut self, level: &mut Level) -> Result<Step<(Cow<'t, str>, usize)>, Failure> {
        match self.separate(level, b'}')? {
            Step::Next(()) => {}
            Step::Closed => return Ok(Step::Closed),
            Step::Cut => return Ok(Step::Cut),
        }
        let at = self.pos;
        let Some(key) = self.key()? else {
            return Ok(self.cut_off());
        };
        self.skip_blanks()?;
        match self.peek() {
            Some(b':') => self.pos += 1,
            None if self.guessing => return Ok(self.cut_off()),
            None => return self.fail(SyntaxFault::End),
            Some(_) => return self.fail(SyntaxFault::Colon),
        }
        Ok(Step::Next((key, at)))
    }

    fn separate(&mut self, level: &mut Level, closer: u8) -> Result<Step<()>, Failure> {
        loop {
            self.skip_blanks()?;
            match self.peek() {
                None if self.guessing => return Ok(self.cut_off()),
                None => return self.fail(SyntaxFault::End),
                Some(byte) if byte == closer => {
                    if let Some(at) = level.trailing {
                        self.notes.add(RepairCode::TrailingComma, at);
                    }
                    self.pos += 1;
                    return Ok(Step::Closed);
                }
                Some(b',') if level.needs_comma => {
                    level.needs_comma = false;
                    level.trailing = Some(self.pos);
                    self.pos += 1;
                }
                Some(_) if self.guessing && self.skip_dots() => {
                    level.needs_comma = true;
                    level.trailing = None;
                }
                Some(_) if level.needs_comma => {
                    if !(self.guessing && self.starts_element(closer)) {
                        return self.fail(SyntaxFault::Separator);
                    }
                    self.notes.add(RepairCode::MissingComma, self.pos);
                    level.needs_comma = false;
                }
                Some(_) => {
                    level.needs_comma = true;
                    level.trailing = None;
                    return Ok(Step::Next(()));
                }
            }
        }
    }

    fn cut_off<T>(&mut self) -> Step<T> {
        if !self.cut {
            self.cut = true;
            self.notes.add(RepairCode::CutOff, self.text.len());
        }
        self.pos = self.text.len();
        Step::Cut
    }

    fn skip_dots(&mut self) -> bool {
        let rest = self.rest();
        if !(rest.starts_with("...") || rest.starts_with('…')) {
            return false;
        }
        self.notes.add(RepairCode::Ellipsis, self.pos);
        // Both forms are three bytes long.
        self.pos += 3;
        true
    }

    fn starts_element(&self, closer: u8) -> bool {
        let in_list = closer == b']';
        self.at_quote() || in_list && matches!(self.peek(), Some(b'{' | b'[' | b'-' | b'0'..=b'9'))
    }

    /// Parses a key; `None` if a guess finds it cut off.
    fn key(&mut self) -> Result<Option<Cow<'t, str>>, Failure> {
        if self.at_quote() {
            return self.string(None);
        }
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|(i, c)| !is_identifier(*c, *i == 0))
            .map_or(rest.len(), |(i, _)| i);
        if end == 0 {
            let is_nul = self.peek() == Some(0);
            return self.fail(if is_nul {
                SyntaxFault::Nul
            } else {
                SyntaxFault::Key
            });
        }
        self.notes.add(RepairCode::UnquotedKey, self.pos);
        self.pos += end;
        Ok(rest.get(..end).map(Cow::Borrowed))
    }
}

fn is_identifier(c: char, first: bool) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$') || !first && (c.is_numeric() || c == '-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Repair;

    /// Compares the parser with another one. The input is wrapped in an array, since a
    /// number at the end of an input may be cut off.
    fn agrees(text: &str) {
        let text = format!("[{text}]");
        let ours = exact(&text).map(|node| node.json());
        let theirs = serde_json::from_str::<Json>(&text);
        assert_eq!(ours.ok(), theirs.ok(), "{text:?}");
    }

    #[test]
    fn exact_json_is_what_another_parser_accepts() {
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
    fn a_fault_is_reported_with_its_place() {
        for (text, what, at) in [
            ("", "unexpected end of input", 0),
            ("[1,", "unexpected end of input", 3),
            ("[1 2]", "expected a comma or a closing bracket", 3),
            ("{a: 1}", "unquoted key", 1),
            ("{\"a\" 1}", "expected a colon", 5),
            ("[x]", "expected a value", 1),
            ("[01]", "expected a value", 3),
            ("[1e999]", "number that is not finite", 1),
            ("[\"\t\"]", "control character in a string", 2),
            ("[\"\\x\"]", "invalid escape", 2),
            ("{} x", "unexpected input after the value", 3),
            ("{}\u{c}", "unexpected input after the value", 2),
        ] {
            let what = what.to_owned();
            assert_eq!(exact(text).unwrap_err(), Inexact { what, at }, "{text}");
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(exact(&nested(64)).is_ok());
        let what = "nested deeper than 64 levels".to_owned();
        assert_eq!(exact(&nested(65)).unwrap_err(), Inexact { what, at: 64 });
    }

    fn read(text: &str, guessing: bool) -> Result<(bool, Vec<Repair>), Failure> {
        let mut reader = Reader::new(text, 0, guessing);
        let (node, whole) = reader.value(0, Place::Field);
        let whole = whole && node.span.end == text.len();
        match reader.failure {
            Some(failure) => Err(failure),
            None => Ok((whole, reader.notes.repairs().collect())),
        }
    }

    #[test]
    fn an_early_end_is_cut_off_for_a_guess_and_fails_otherwise() {
        let text = r#"{"a": [1, {"b": "c", d: 2.5}, [ ] ], 'e': {} }"#;
        for end in 1..text.len() {
            let cut = &text[..end];
            let fault = read(cut, false).unwrap_err().fault;
            assert_eq!(fault, SyntaxFault::End, "{cut}");
            let (whole, repairs) = read(cut, true).unwrap();
            let cuts = repairs.iter().filter(|one| one.code == RepairCode::CutOff);
            let places: Vec<_> = cuts.map(|one| one.at).collect();
            assert_eq!((whole, places), (false, vec![end]), "{cut}");
        }
        assert!(read(text, false).unwrap().0);
    }

    #[test]
    fn commas_separate_and_may_trail_once() {
        for (text, repairs) in [
            ("[]", vec![]),
            ("[1, 2]", vec![]),
            ("[1, 2 ,]", vec![Repair::new(RepairCode::TrailingComma, 6)]),
            (
                "{\"a\": 1,}",
                vec![Repair::new(RepairCode::TrailingComma, 7)],
            ),
            ("{a-1: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
            ("{_: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
            ("{$a: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
            ("{é: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
        ] {
            for guessing in [false, true] {
                assert_eq!(read(text, guessing), Ok((true, repairs.clone())), "{text}");
            }
        }
        for (text, at, fault) in [
            ("[,]", 1, SyntaxFault::Value),
            ("[1,,2]", 3, SyntaxFault::Value),
            ("[1}", 2, SyntaxFault::Separator),
            ("[1 a]", 3, SyntaxFault::Separator),
            ("{,}", 1, SyntaxFault::Key),
            ("{\"a\": 1,,}", 8, SyntaxFault::Key),
            ("{\"a\": 1 b: 2}", 8, SyntaxFault::Separator),
            ("{\"a\": 1 2}", 8, SyntaxFault::Separator),
            ("{\"a\": 1 {}}", 8, SyntaxFault::Separator),
            ("{\"a\" 1}", 5, SyntaxFault::Colon),
            ("{1a: 1}", 1, SyntaxFault::Key),
            ("{-a: 1}", 1, SyntaxFault::Key),
            ("{\0}", 1, SyntaxFault::Nul),
            ("[\0]", 1, SyntaxFault::Nul),
        ] {
            for guessing in [false, true] {
                assert_eq!(read(text, guessing), Err(Failure { at, fault }), "{text}");
            }
        }
    }

    #[test]
    fn a_guess_adds_commas_and_skips_dots() {
        use RepairCode::{Ellipsis, MissingComma, TrailingComma};
        for (text, repairs) in [
            ("[1 2]", vec![(MissingComma, 3)]),
            ("[1 -2]", vec![(MissingComma, 3)]),
            ("[1 [2]]", vec![(MissingComma, 3)]),
            ("[1 {}]", vec![(MissingComma, 3)]),
            ("[1 \"a\"]", vec![(MissingComma, 3)]),
            ("{\"a\": 1 \"b\": 2}", vec![(MissingComma, 8)]),
            ("[1, ...]", vec![(Ellipsis, 4)]),
            ("[1, …]", vec![(Ellipsis, 4)]),
            ("[1 ...]", vec![(Ellipsis, 3)]),
            ("[..., 1]", vec![(Ellipsis, 1)]),
            ("[... 1]", vec![(Ellipsis, 1), (MissingComma, 5)]),
            ("[1, ...,]", vec![(Ellipsis, 4), (TrailingComma, 7)]),
            ("{...}", vec![(Ellipsis, 1)]),
        ] {
            let repairs = repairs.iter().map(|(code, at)| Repair::new(*code, *at));
            assert_eq!(read(text, true), Ok((true, repairs.collect())), "{text}");
            assert!(read(text, false).is_err(), "{text}");
        }
        assert!(read("[..]", true).is_err());
    }

    #[test]
    fn what_was_read_before_an_error_or_the_end_is_kept() {
        let json = |text: &str, guessing| {
            let mut reader = Reader::new(text, 0, guessing);
            let (mut node, _) = reader.value(0, Place::Field);
            if guessing {
                node.drop_cut_item(&reader.incomplete);
            }
            node.json().to_string()
        };
        for (text, plain, guess) in [
            (
                r#"{"a": [1, {"b": 2, "c": "d"#,
                r#"{"a":[1,{"b":2,"c":null}]}"#,
                r#"{"a":[1]}"#,
            ),
            (
                r#"{"a": {"b": 2, "c": 3"#,
                r#"{"a":{"b":2,"c":null}}"#,
                r#"{"a":{"b":2}}"#,
            ),
            (r#"{"a": [1, [2], "#, r#"{"a":[1,[2]]}"#, r#"{"a":[1,[2]]}"#),
        ] {
            assert_eq!(json(text, false), plain, "{text}");
            assert_eq!(json(text, true), guess, "{text}");
        }
    }

    proptest! {
        #[test]
        fn exact_json_of_any_input_is_what_another_parser_accepts(text in r#"[\[\]{},: ]{0,3}("[a-z\\u0-9é]{0,12}"|[0-9.eE+-]{0,6}|true|null|[\[\]{}:, ]|\n){0,9}[\]}]{0,3}"#) {
            agrees(&text);
        }
    }
}
