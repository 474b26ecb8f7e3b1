//! A line as it is written: the members of a correction, whatever they hold.
//!
//! Texts are borrowed from the line where they have no escapes. Everything that
//! is not known is read as well, so that a line is JSON as a whole or not at all.

mod any;
mod plain;

use std::borrow::Cow;

use super::key::{Key, Scope};

/// Keys that are not known are remembered up to this many.
const MAX_UNKNOWN: usize = 64;

/// The type of a value that should have been another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

impl Kind {
    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// What a member holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Value<'t> {
    #[default]
    Absent,
    Text(Cow<'t, str>),
    /// Anything else; an object where one belongs is one of these, too.
    Other(Kind),
}

impl Value<'_> {
    /// The type of the value; `None` if there is none.
    pub(super) const fn kind(&self) -> Option<Kind> {
        match self {
            Self::Absent => None,
            Self::Text(_) => Some(Kind::Text),
            Self::Other(kind) => Some(*kind),
        }
    }
}

/// The members of a line. Of a key that stands twice the last value counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RawCorrection<'t> {
    values: [Value<'t>; Key::COUNT],
    /// What the line is, if it is no object.
    pub(super) no_object: Option<Kind>,
    pub(super) twice: Vec<(Scope, Cow<'t, str>)>,
    pub(super) unknown: Vec<(Scope, Cow<'t, str>)>,
}

/// A line that is no JSON.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoJson {
    #[error("not UTF-8 at byte {0}")]
    Encoding(usize),
    #[error("no JSON: {what} at byte {at}")]
    Syntax { what: String, at: usize },
}

impl<'t> RawCorrection<'t> {
    /// Reads a line without its end.
    pub(super) fn read(line: &'t [u8]) -> Result<Self, NoJson> {
        let text =
            std::str::from_utf8(line).map_err(|error| NoJson::Encoding(error.valid_up_to()))?;
        match plain::read(text) {
            Some(raw) => Ok(raw),
            None => any::read(text),
        }
    }

    /// The value of a member.
    pub(super) fn get(&self, key: Key) -> &Value<'t> {
        &self.values[key as usize]
    }

    /// The text of a member, if it is one.
    pub(super) fn text(&self, key: Key) -> Option<&str> {
        match self.get(key) {
            Value::Text(text) => Some(text),
            Value::Absent | Value::Other(_) => None,
        }
    }

    /// Takes the text of a member, if it is one.
    pub(super) fn take(&mut self, key: Key) -> Option<Cow<'t, str>> {
        match std::mem::take(&mut self.values[key as usize]) {
            Value::Text(text) => Some(text),
            Value::Absent | Value::Other(_) => None,
        }
    }

    /// Forgets the members of an object that comes a second time.
    fn clear(&mut self, scope: Scope) {
        for key in Key::ALL.iter().filter(|key| key.scope() == scope) {
            self.values[*key as usize] = Value::Absent;
        }
    }

    fn note_unknown(&mut self, scope: Scope, name: Cow<'t, str>) {
        if self.unknown.len() >= MAX_UNKNOWN {
            return;
        }
        let key = (scope, name);
        if self.unknown.contains(&key) {
            self.twice.push(key);
        } else {
            self.unknown.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> RawCorrection<'_> {
        RawCorrection::read(line.as_bytes()).unwrap()
    }

    #[test]
    fn members_go_to_their_places_and_other_keys_are_noted() {
        let raw = read(
            r#"{"agent":"a\u0062","summary":[{"x":1.5}],"ai_action":{"summary":"s","more":{}},"context":7}"#,
        );
        assert_eq!(raw.text(Key::Agent), Some("ab"));
        assert_eq!(raw.text(Key::ActionSummary), Some("s"));
        assert_eq!(raw.text(Key::UserSummary), None);
        assert_eq!(raw.get(Key::AiAction), &Value::Other(Kind::Object));
        assert_eq!(raw.get(Key::Context), &Value::Other(Kind::Number));
        let unknown = [
            (Scope::Top, "summary".into()),
            (Scope::AiAction, "more".into()),
        ];
        assert_eq!(raw.unknown, unknown);
        assert_eq!(raw.twice, []);
    }

    #[test]
    fn of_a_key_that_stands_twice_the_last_value_counts() {
        let raw = read(
            r#"{"agent":"a","x":1,"ai_action":{"summary":"s"},"agent":null,"ai_action":{"file":"f"},"x":2}"#,
        );
        assert_eq!(raw.get(Key::Agent), &Value::Other(Kind::Null));
        assert_eq!(raw.get(Key::ActionSummary), &Value::Absent);
        assert_eq!(raw.text(Key::File), Some("f"));
        let twice = ["agent", "ai_action", "x"].map(|name| (Scope::Top, name.into()));
        assert_eq!(raw.twice, twice);
    }

    #[test]
    fn a_line_that_is_no_object_says_what_it_is() {
        for (line, kind) in [
            ("null", Kind::Null),
            ("true", Kind::Bool),
            ("-7", Kind::Number),
            ("7", Kind::Number),
            ("7.5", Kind::Number),
            ("[[]]", Kind::List),
            ("\"a\"", Kind::Text),
        ] {
            assert_eq!(read(line).no_object, Some(kind), "{line}");
        }
        assert_eq!(read("{}").no_object, None);
    }

    #[test]
    fn a_fault_says_where_it_is() {
        let fault = |line: &[u8]| RawCorrection::read(line).unwrap_err().to_string();
        assert_eq!(
            fault(b"{\"agent\": x}"),
            "no JSON: expected value at byte 11"
        );
        assert_eq!(
            fault(b"{\n\n\"a\": 1,}"),
            "no JSON: trailing comma at byte 11"
        );
        assert_eq!(fault(b"{} {}"), "no JSON: trailing characters at byte 4");
        assert_eq!(fault(b"{\"a\xff\": 1}"), "not UTF-8 at byte 3");
        assert_eq!(
            fault(b"{\"x\": \"\\ud800\"}"),
            "no JSON: unexpected end of hex escape at byte 14"
        );
        assert_eq!(
            fault(b"{\"x\": 1e999}"),
            "no JSON: number out of range at byte 11"
        );
    }

    #[test]
    fn unknown_keys_are_remembered_up_to_a_number() {
        let keys: Vec<_> = (0..100).map(|at| format!("\"k{at}\":0")).collect();
        let line = format!("{{{}}}", keys.join(","));
        assert_eq!(read(&line).unknown.len(), MAX_UNKNOWN);
    }
}
