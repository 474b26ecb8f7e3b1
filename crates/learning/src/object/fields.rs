//! The fields of an object, read one by one.

use std::ops::RangeInclusive;
use std::str::FromStr;

use review_text::near_key;
use review_types::{Timestamp, Usd, excerpt};
use serde_json::{Map, Value as Json};

use super::{Code, ObjectCode};
use crate::corrections::OffsetTimestamp;
use crate::diagnostic::{Diagnostic, Severity};

/// The maximum number of characters that a message quotes from a value.
pub(crate) const MAX_QUOTED: usize = 60;

/// The treatment of unknown keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownKeys {
    /// Each is a warning, since it has no effect.
    Warn,
    /// Each is an error.
    Refuse,
    /// Only those similar to a known key are a warning; others may belong to other
    /// programs.
    WarnIfSimilar,
}

/// The fields of an object, with the diagnostics of those that were read.
pub(crate) struct Fields<'j, 'd, C: ObjectCode = Code> {
    members: &'j Map<String, Json>,
    pointer: String,
    taken: Vec<&'static str>,
    unknown: UnknownKeys,
    diagnostics: &'d mut Vec<Diagnostic<C>>,
}

impl<'j, 'd, C: ObjectCode> Fields<'j, 'd, C> {
    /// Starts reading a value; if it is not an object, adds an error and returns
    /// `None`.
    pub(super) fn root(
        value: &'j Json,
        unknown: UnknownKeys,
        diagnostics: &'d mut Vec<Diagnostic<C>>,
    ) -> Option<Self> {
        let Some(members) = value.as_object() else {
            let message = format!("expected an object, found {}", kind(value));
            diagnostics.push(error(String::new(), C::MEMBER_TYPE, message));
            return None;
        };
        Some(Self {
            members,
            pointer: String::new(),
            taken: Vec::new(),
            unknown,
            diagnostics,
        })
    }

    /// Adds an error for a field; the caller may set the suggested value.
    pub(crate) fn wrong(
        &mut self,
        key: &str,
        code: C,
        message: impl Into<String>,
    ) -> &mut Option<String> {
        let pointer = self.pointer_to(key);
        let wrong = error(pointer, code, message.into());
        &mut self.diagnostics.push_mut(wrong).fix
    }

    /// Adds a warning for a field.
    pub(crate) fn doubtful(
        &mut self,
        key: &str,
        code: C,
        message: impl Into<String>,
    ) -> &mut Option<String> {
        let pointer = self.pointer_to(key);
        let doubtful = Diagnostic {
            severity: Severity::Warning,
            ..error(pointer, code, message.into())
        };
        &mut self.diagnostics.push_mut(doubtful).fix
    }

    /// Whether the field is present, with any value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// Adds an error if a required field is missing.
    pub(crate) fn require(&mut self, key: &str) {
        if !self.has(key) {
            let message = format!("\"{key}\" is missing");
            self.wrong(key, C::MEMBER_MISSING, message);
        }
    }

    /// A string field.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<String> {
        self.member(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// A string field that is parsed; a string that cannot be parsed is an error with
    /// `code`.
    pub(crate) fn parsed<T>(&mut self, key: &'static str, code: C) -> Option<T>
    where
        T: FromStr<Err: std::fmt::Display>,
    {
        let text = self.text(key)?;
        self.parse(key, &text, code)
    }

    pub(crate) fn parse<T>(&mut self, key: &str, text: &str, code: C) -> Option<T>
    where
        T: FromStr<Err: std::fmt::Display>,
    {
        if let Ok(parsed) = text.parse() {
            return Some(parsed);
        }
        // The message must not grow with the quoted value.
        if let Err(error) = excerpt(text, MAX_QUOTED).parse::<T>() {
            self.wrong(key, code, error.to_string());
        } else {
            self.wrong(key, code, "is too long");
        }
        None
    }

    /// A field with one of a fixed set of strings.
    pub(crate) fn word<W>(&mut self, key: &'static str) -> Option<W>
    where
        W: FromStr<Err: std::fmt::Display>,
    {
        self.parsed(key, C::WORD_UNKNOWN)
    }

    /// A boolean field.
    pub(crate) fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.member(key, "a boolean", Json::as_bool)
    }

    /// A number.
    pub(crate) fn number(&mut self, key: &'static str) -> Option<f64> {
        self.member(key, "a number", Json::as_f64)
    }

    /// A field that is an array of strings.
    pub(crate) fn strings(&mut self, key: &'static str) -> Option<Vec<String>> {
        let text = |item: &Json| item.as_str().map(str::to_owned);
        self.items(key, ("an array of strings", "a string"), text)
    }

    /// A field that is an array of integers from 0.
    pub(crate) fn wholes(&mut self, key: &'static str) -> Option<Vec<u32>> {
        let number = |item: &Json| whole(item).and_then(|number| u32::try_from(number).ok());
        let wanted = ("an array of integers", "an integer from 0");
        self.items(key, wanted, number)
    }

    /// A field that is an array of values of one type; `array` and `one` describe it.
    fn items<T>(
        &mut self,
        key: &'static str,
        (array, one): (&str, &str),
        read: impl Fn(&Json) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.member(key, array, Json::as_array)?;
        let mut values = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match read(item) {
                Some(value) => values.push(value),
                None => {
                    let message = format!("expected {one}, found {}", kind(item));
                    self.wrong(&format!("{key}/{at}"), C::MEMBER_TYPE, message);
                }
            }
        }
        Some(values)
    }

    /// A field that is an object, read by a function.
    pub(crate) fn object<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'j, '_, C>) -> T,
    ) -> Option<T> {
        let members = self.member(key, "an object", Json::as_object)?;
        Some(self.below(key, members, read))
    }

    /// A field that is an array of objects, each read by a function.
    pub(crate) fn objects<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Fields<'j, '_, C>) -> T,
    ) -> Option<Vec<T>> {
        let items = self.member(key, "an array of objects", Json::as_array)?;
        let mut objects = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let key = format!("{key}/{at}");
            match item.as_object() {
                Some(members) => objects.push(self.below(&key, members, &mut read)),
                None => {
                    let message = format!("expected an object, found {}", kind(item));
                    self.wrong(&key, C::MEMBER_TYPE, message);
                }
            }
        }
        Some(objects)
    }

    /// A field that is a map from names to objects, each read by a function.
    pub(crate) fn named_objects<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Fields<'j, '_, C>) -> T,
    ) -> Option<Vec<(String, T)>> {
        let members = self.member(key, "an object", Json::as_object)?;
        let mut objects = Vec::with_capacity(members.len());
        for (name, value) in members {
            let key = format!("{key}/{}", escaped(name));
            match value.as_object() {
                Some(members) => {
                    objects.push((name.clone(), self.below(&key, members, &mut read)));
                }
                None => {
                    let message = format!("expected an object, found {}", kind(value));
                    self.wrong(&key, C::MEMBER_TYPE, message);
                }
            }
        }
        Some(objects)
    }

    /// A field that is a map from names to numbers.
    pub(crate) fn numbers(&mut self, key: &'static str) -> Option<Vec<(String, f64)>> {
        let members = self.member(key, "an object", Json::as_object)?;
        let mut numbers = Vec::with_capacity(members.len());
        for (name, value) in members {
            match value.as_f64() {
                Some(number) => numbers.push((name.clone(), number)),
                None => {
                    let message = format!("expected a number, found {}", kind(value));
                    self.wrong(&format!("{key}/{}", escaped(name)), C::MEMBER_TYPE, message);
                }
            }
        }
        Some(numbers)
    }

    /// Adds a warning or an error for each field that was not read.
    pub(super) fn end(mut self) {
        for name in self.members.keys() {
            if self.taken.contains(&name.as_str()) {
                continue;
            }
            let near = near_key(name, self.taken.iter().copied());
            if near.is_none() && self.unknown == UnknownKeys::WarnIfSimilar {
                continue;
            }
            let mut message = format!("unknown key \"{}\"", excerpt(name, MAX_QUOTED));
            if let Some(near) = near {
                message.push_str(&format!("; did you mean \"{near}\"?"));
            }
            let key = escaped(name);
            let fix = match self.unknown {
                UnknownKeys::Refuse => self.wrong(&key, C::KEY_UNKNOWN, message),
                UnknownKeys::Warn | UnknownKeys::WarnIfSimilar => {
                    self.doubtful(&key, C::KEY_UNKNOWN, message)
                }
            };
            *fix = near.map(str::to_owned);
        }
    }

    fn below<T>(
        &mut self,
        key: &str,
        members: &'j Map<String, Json>,
        read: impl FnOnce(&mut Fields<'j, '_, C>) -> T,
    ) -> T {
        let mut fields = Fields {
            members,
            pointer: self.pointer_to(key),
            taken: Vec::new(),
            unknown: self.unknown,
            diagnostics: self.diagnostics,
        };
        let object = read(&mut fields);
        fields.end();
        object
    }

    fn member<T>(
        &mut self,
        key: &'static str,
        wanted: &str,
        read: impl FnOnce(&'j Json) -> Option<T>,
    ) -> Option<T> {
        self.taken.push(key);
        let value = self.members.get(key)?;
        let read = read(value);
        if read.is_none() {
            let message = format!("expected {wanted}, found {}", kind(value));
            self.wrong(key, C::MEMBER_TYPE, message);
        }
        read
    }

    fn pointer_to(&self, key: &str) -> String {
        format!("{}/{key}", self.pointer)
    }
}

/// Fields specific to the objects of the agent learning schema.
impl Fields<'_, '_> {
    /// A string field that is not blank.
    pub(crate) fn nonblank(&mut self, key: &'static str) -> Option<String> {
        let text = self.text(key)?;
        if text.trim().is_empty() {
            self.wrong(key, Code::TextBlank, "is blank");
        }
        Some(text)
    }

    /// An RFC 3339 time.
    pub(crate) fn instant(&mut self, key: &'static str) -> Option<Timestamp> {
        let moment = self.text(key)?;
        let found = OffsetTimestamp::new(&moment).map(|moment| moment.at());
        if found.is_none() {
            let message = format!(
                "expected an RFC 3339 time such as 2026-03-01T12:30:05Z, found \"{}\"",
                excerpt(&moment, MAX_QUOTED)
            );
            self.wrong(key, Code::NotInstant, message);
        }
        found
    }

    /// An integer in a range.
    pub(crate) fn whole(&mut self, key: &'static str, range: RangeInclusive<u32>) -> Option<u32> {
        let number = self.member(key, "an integer", whole)?;
        let found = u32::try_from(number).ok().filter(|it| range.contains(it));
        if found.is_none() {
            let (start, end) = range.into_inner();
            let wanted = if end == u32::MAX {
                format!("from {start}")
            } else {
                format!("from {start} to {end}")
            };
            let message = format!("expected an integer {wanted}, found {number}");
            self.wrong(key, Code::OutOfRange, message);
        }
        found
    }

    /// A number for which `accepts` is true; `wanted` describes the valid numbers.
    pub(crate) fn number_in(
        &mut self,
        key: &'static str,
        wanted: &str,
        accepts: impl FnOnce(f64) -> bool,
    ) -> Option<f64> {
        let number = self.number(key)?;
        if accepts(number) {
            return Some(number);
        }
        let message = format!("expected a number {wanted}, found {number}");
        self.wrong(key, Code::OutOfRange, message);
        None
    }

    /// An amount of US dollars above 0.
    pub(crate) fn amount(&mut self, key: &'static str) -> Option<Usd> {
        let number = self.number(key)?;
        let amount: Option<Usd> = number.to_string().parse().ok();
        let amount = amount.filter(|amount| amount.micro() > 0);
        if amount.is_none() {
            let message = format!(
                "expected an amount in US dollars above 0 with at most six decimals, found {number}"
            );
            self.wrong(key, Code::OutOfRange, message);
        }
        amount
    }
}

fn error<C: ObjectCode>(pointer: String, code: C, message: String) -> Diagnostic<C> {
    Diagnostic {
        line: 0,
        pointer,
        code,
        severity: Severity::Error,
        message,
        fix: None,
    }
}

/// Returns an integer, which may be written with a fraction of zero.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float of this size represents integers exactly"
)]
fn whole(value: &Json) -> Option<i64> {
    /// Integers below this are represented exactly by a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = || value.as_f64().filter(|number| number.fract() == 0.0);
    value
        .as_i64()
        .or_else(|| float().map(|number| number.clamp(-EXACT, EXACT) as i64))
}

const fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

/// Escapes a key for a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
