//! A value with all its content.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Number, Value as Json};

use super::text::decode;
use super::{
    Failure, KeyForm, Kind, MAX_DEPTH, ParsedValue, Place, Reader, Slot, Step, SyntaxFault,
};

/// A value and its position.
#[derive(Clone, Debug)]
pub(crate) struct Node<'t> {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value<'t>,
}

impl<'t> Node<'t> {
    /// Returns the value of a key, ignoring its case.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let mut members = self.members().iter();
        let found = members.find(|member| KeyForm::of(&member.key, key).is_some());
        found.map(|member| &member.node)
    }

    /// Returns its kind and position.
    pub(crate) fn slot(&self) -> Slot {
        let kind = match &self.value {
            Value::Null => Kind::Null,
            Value::Bool(true) => Kind::True,
            Value::Bool(false) => Kind::False,
            Value::Number(_) if self.number().is_none() => Kind::NonFinite,
            Value::Number(_) => Kind::Number,
            Value::Text(_) => Kind::Text,
            Value::List(_) => Kind::List,
            Value::Object(_) => Kind::Object,
        };
        let Range { start, end } = self.span;
        Slot { kind, start, end }
    }

    /// Returns the fields of an object; none of anything else.
    pub(crate) fn members(&self) -> &[Property<'t>] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
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
            Value::Number(raw) => raw.trim_start_matches('+').parse().ok(),
            _ => None,
        }
        .filter(|number: &f64| number.is_finite())
    }

    /// Returns the value as JSON: the last value of a duplicate key, and null
    /// for a number that is not finite.
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
    let node = reader.node().map_err(|failure| {
        let what = match failure.fault {
            SyntaxFault::End => "unexpected end of input".to_owned(),
            SyntaxFault::Depth => format!("nested deeper than {MAX_DEPTH} levels"),
            other => other.expected().to_owned(),
        };
        inexact(what, failure.at)
    })?;
    if let Some(first) = reader.notes.list().first() {
        return Err(inexact(first.code.words(), first.at));
    }
    let rest = text.get(reader.pos..).unwrap_or_default();
    let rest = rest.trim_start_matches(BLANKS);
    if !rest.is_empty() {
        let at = text.len() - rest.len();
        return Err(inexact("unexpected input after the value".to_owned(), at));
    }
    node.ok_or_else(|| inexact("unexpected end of input".to_owned(), text.len()))
}

/// The content of a value.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub(crate) struct Property<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) key_at: usize,
    pub(crate) node: Node<'t>,
}

impl<'t> Reader<'t> {
    /// Parses the value that starts here with all its content. If the end of the input
    /// cuts it off, this keeps the complete items and what is left
    /// of the last field.
    pub(crate) fn node(&mut self) -> Result<Option<Node<'t>>, Failure> {
        self.node_at(0, Place::Field).map(|(node, _)| node)
    }

    pub(super) fn node_at(
        &mut self,
        depth: usize,
        place: Place,
    ) -> Result<(Option<Node<'t>>, Whole), Failure> {
        match self.peek() {
            Some(b'{') => self.object_node(depth),
            Some(b'[') => self.list_node(depth),
            _ => Ok(match self.value(depth, place)? {
                ParsedValue::Whole(slot) => {
                    let raw = self.text.get(slot.start..slot.end).unwrap_or_default();
                    let value = match slot.kind {
                        Kind::Null | Kind::List | Kind::Object => Value::Null,
                        Kind::True => Value::Bool(true),
                        Kind::False => Value::Bool(false),
                        Kind::Number | Kind::NonFinite => Value::Number(raw),
                        Kind::Text => Value::Text(decode(self.text, slot.start, slot.end)),
                    };
                    let span = slot.start..slot.end;
                    (Some(Node { span, value }), true)
                }
                ParsedValue::Part(_) | ParsedValue::Lost => (None, false),
            }),
        }
    }

    fn object_node(&mut self, depth: usize) -> Result<(Option<Node<'t>>, Whole), Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        let mut entries = Vec::new();
        let whole = loop {
            let key = match self.next_key(&mut level)? {
                Step::Next(key) => key,
                Step::Closed => break true,
                Step::Cut => break false,
            };
            let (node, whole) = self.node_at(depth + 1, Place::Field)?;
            entries.extend(node.map(|node| Property {
                key: key.name,
                key_at: key.at,
                node,
            }));
            if !whole {
                break false;
            }
        };
        let span = start..self.pos;
        let value = Value::Object(entries);
        Ok((Some(Node { span, value }), whole))
    }

    fn list_node(&mut self, depth: usize) -> Result<(Option<Node<'t>>, Whole), Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        let mut items = Vec::new();
        let whole = loop {
            match self.next_item(&mut level)? {
                Step::Next(()) => {}
                Step::Closed => break true,
                Step::Cut => break false,
            }
            let (node, whole) = self.node_at(depth + 1, Place::Item)?;
            if !whole {
                break false;
            }
            items.extend(node);
        };
        let span = start..self.pos;
        let value = Value::List(items);
        Ok((Some(Node { span, value }), whole))
    }
}

/// Whether nothing was cut off.
type Whole = bool;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    proptest! {
        #[test]
        fn exact_json_of_any_input_is_what_another_parser_accepts(text in r#"[\[\]{},: ]{0,3}("[a-z\\u0-9é]{0,12}"|[0-9.eE+-]{0,6}|true|null|[\[\]{}:, ]|\n){0,9}[\]}]{0,3}"#) {
            agrees(&text);
        }
    }
}
