//! A document as a reviewer wrote it, written anew as exact JSON.

use crate::parse::{Node, Value};

/// The JSON of a value, whose places are known in the text that it was read from.
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// The bytes at which keys and values begin, here and there.
    places: Vec<(usize, usize)>,
}

impl Rewritten {
    /// Writes a value with all that is in it. A number that is none becomes null.
    pub(crate) fn of(node: &Node<'_>) -> Self {
        let mut rewritten = Self {
            text: String::new(),
            places: Vec::new(),
        };
        rewritten.node(node);
        rewritten
    }

    /// The place in the original text of a byte of this one.
    pub(crate) fn origin(&self, at: usize) -> usize {
        let before = self.places.partition_point(|(here, _)| *here <= at);
        let last = before.checked_sub(1).and_then(|last| self.places.get(last));
        last.map_or(0, |(_, there)| *there)
    }

    fn node(&mut self, node: &Node<'_>) {
        self.places.push((self.text.len(), node.span.start));
        match &node.value {
            Value::Null => self.text.push_str("null"),
            Value::Bool(true) => self.text.push_str("true"),
            Value::Bool(false) => self.text.push_str("false"),
            Value::Number(raw) => self.number(raw),
            Value::Text(text) => self.string(text),
            Value::List(items) => {
                self.text.push('[');
                for (number, item) in items.iter().enumerate() {
                    self.comma(number);
                    self.node(item);
                }
                self.text.push(']');
            }
            Value::Object(members) => {
                self.text.push('{');
                for (number, member) in members.iter().enumerate() {
                    self.comma(number);
                    self.places.push((self.text.len(), member.key_at));
                    self.string(&member.key);
                    self.text.push(':');
                    self.node(&member.node);
                }
                self.text.push('}');
            }
        }
    }

    fn comma(&mut self, number: usize) {
        if number > 0 {
            self.text.push(',');
        }
    }

    fn number(&mut self, raw: &str) {
        let raw = raw.trim_start_matches('+');
        let is_finite = raw.parse().is_ok_and(f64::is_finite);
        let is_number = raw.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        self.text
            .push_str(if is_finite && is_number { raw } else { "null" });
    }

    fn string(&mut self, text: &str) {
        let json = serde_json::Value::from(text);
        self.text.push_str(&json.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Reader;

    #[test]
    fn values_stay_and_their_places_are_known() {
        let text = "{ a: [1, +2.5, NaN, 'x\"', True, None], }";
        let node = Reader::new(text, 0, false).node().unwrap().unwrap();
        let rewritten = Rewritten::of(&node);
        assert_eq!(rewritten.text, r#"{"a":[1,2.5,null,"x\"",true,null]}"#);
        for (here, there) in [
            ("\"a\"", "a:"),
            ("2.5", "+2.5"),
            ("\"x", "'x"),
            ("true", "True"),
        ] {
            let at = rewritten.text.find(here).unwrap();
            assert_eq!(rewritten.origin(at), text.find(there).unwrap(), "{here}");
        }
        assert_eq!(rewritten.origin(0), 0);
    }
}
