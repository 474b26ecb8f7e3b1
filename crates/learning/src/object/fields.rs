//! The members of an object, taken one by one.

use std::ops::RangeInclusive;
use std::str::FromStr;

use review_text::near_key;
use review_types::{Timestamp, Usd};
use serde_json::{Map, Value as Json};

use super::{Code, ObjectCode};
use crate::corrections::Moment;
use crate::diagnostic::{Diagnostic, Severity};

/// The most characters of a value that a message quotes.
const MAX_QUOTED: usize = 60;

/// What is said of keys that are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownKeys {
    /// Each of them is told: it has no effect.
    Told,
    /// Only those near to a known key are told; others are somebody's own.
    ToldIfNear,
}

/// The members of an object, with what is wrong with those that were taken.
pub(crate) struct Fields<'j, 'd, C: ObjectCode = Code> {
    members: &'j Map<String, Json>,
    pointer: String,
    taken: Vec<&'static str>,
    unknown: UnknownKeys,
    diagnostics: &'d mut Vec<Diagnostic<C>>,
}

impl<'j, 'd, C: ObjectCode> Fields<'j, 'd, C> {
    /// The members of a whole value; `None`, and told, if it is no object.
    pub(super) fn root(
        value: &'j Json,
        unknown: UnknownKeys,
        diagnostics: &'d mut Vec<Diagnostic<C>>,
    ) -> Option<Self> {
        let Some(members) = value.as_object() else {
            let message = format!("must be an object, got {}", kind(value));
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

    /// Tells of a member that it is wrong; what to write instead is set by the
    /// caller who knows it.
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

    /// The same as a warning.
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

    /// Whether there is a member of this name, whatever it holds.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// Tells of a required member that is missing.
    pub(crate) fn require(&mut self, key: &str) {
        if !self.has(key) {
            let message = format!("\"{key}\" is missing");
            self.wrong(key, C::MEMBER_MISSING, message);
        }
    }

    /// A text.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<String> {
        self.member(key, "a text", |value| value.as_str().map(str::to_owned))
    }

    /// A text that its type reads; another one is told with `code`.
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
        // The words of a message end where a quotation does.
        if let Err(error) = quoted(text).parse::<T>() {
            self.wrong(key, code, error.to_string());
        } else {
            self.wrong(key, code, "is too long");
        }
        None
    }

    /// A word of a closed list.
    pub(crate) fn word<W>(&mut self, key: &'static str) -> Option<W>
    where
        W: FromStr<Err: std::fmt::Display>,
    {
        self.parsed(key, C::WORD_UNKNOWN)
    }

    /// True or false.
    pub(crate) fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.member(key, "true or false", Json::as_bool)
    }

    /// A number.
    pub(crate) fn number(&mut self, key: &'static str) -> Option<f64> {
        self.member(key, "a number", Json::as_f64)
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let items = self.member(key, "a list of texts", Json::as_array)?;
        let mut texts = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => {
                    let message = format!("must be a text, got {}", kind(item));
                    self.wrong(&format!("{key}/{at}"), C::MEMBER_TYPE, message);
                }
            }
        }
        Some(texts)
    }

    /// An object, read by what reads its members.
    pub(crate) fn object<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'j, '_, C>) -> T,
    ) -> Option<T> {
        let members = self.member(key, "an object", Json::as_object)?;
        Some(self.below(key, members, read))
    }

    /// A list of objects, each read by what reads its members.
    pub(crate) fn objects<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Fields<'j, '_, C>) -> T,
    ) -> Option<Vec<T>> {
        let items = self.member(key, "a list of objects", Json::as_array)?;
        let mut objects = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let key = format!("{key}/{at}");
            match item.as_object() {
                Some(members) => objects.push(self.below(&key, members, &mut read)),
                None => {
                    let message = format!("must be an object, got {}", kind(item));
                    self.wrong(&key, C::MEMBER_TYPE, message);
                }
            }
        }
        Some(objects)
    }

    /// The members by name, each of them an object that is read by what reads
    /// its members.
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
                    let message = format!("must be an object, got {}", kind(value));
                    self.wrong(&key, C::MEMBER_TYPE, message);
                }
            }
        }
        Some(objects)
    }

    /// The members by name, each of them a number.
    pub(crate) fn numbers(&mut self, key: &'static str) -> Option<Vec<(String, f64)>> {
        let members = self.member(key, "an object", Json::as_object)?;
        let mut numbers = Vec::with_capacity(members.len());
        for (name, value) in members {
            match value.as_f64() {
                Some(number) => numbers.push((name.clone(), number)),
                None => {
                    let message = format!("must be a number, got {}", kind(value));
                    self.wrong(&format!("{key}/{}", escaped(name)), C::MEMBER_TYPE, message);
                }
            }
        }
        Some(numbers)
    }

    /// Tells of the members that nobody took.
    pub(super) fn end(mut self) {
        for name in self.members.keys() {
            if self.taken.contains(&name.as_str()) {
                continue;
            }
            let near = near_key(name, self.taken.iter().copied());
            if near.is_none() && self.unknown == UnknownKeys::ToldIfNear {
                continue;
            }
            let mut message = format!("unknown key \"{}\"", quoted(name));
            if let Some(near) = near {
                message.push_str(&format!("; did you mean \"{near}\"?"));
            }
            *self.doubtful(&escaped(name), C::KEY_UNKNOWN, message) = near.map(str::to_owned);
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
            let message = format!("must be {wanted}, got {}", kind(value));
            self.wrong(key, C::MEMBER_TYPE, message);
        }
        read
    }

    fn pointer_to(&self, key: &str) -> String {
        format!("{}/{key}", self.pointer)
    }
}

/// What the objects of the agent learning schema hold beyond that.
impl Fields<'_, '_> {
    /// A text that says something.
    pub(crate) fn said_text(&mut self, key: &'static str) -> Option<String> {
        let text = self.text(key)?;
        if text.trim().is_empty() {
            self.wrong(key, Code::TextBlank, "says nothing");
        }
        Some(text)
    }

    /// An RFC 3339 instant.
    pub(crate) fn instant(&mut self, key: &'static str) -> Option<Timestamp> {
        let moment = self.text(key)?;
        let found = Moment::new(&moment).map(|moment| moment.at());
        if found.is_none() {
            let message = format!(
                "must be an RFC 3339 instant such as 2026-03-01T12:30:05Z, got \"{}\"",
                quoted(&moment)
            );
            self.wrong(key, Code::NotInstant, message);
        }
        found
    }

    /// A whole number of a range.
    pub(crate) fn whole(&mut self, key: &'static str, range: RangeInclusive<u32>) -> Option<u32> {
        let number = self.member(key, "a whole number", whole)?;
        let found = u32::try_from(number).ok().filter(|it| range.contains(it));
        if found.is_none() {
            let (start, end) = range.into_inner();
            let wanted = if end == u32::MAX {
                format!("from {start}")
            } else {
                format!("from {start} to {end}")
            };
            let message = format!("must be a whole number {wanted}, got {number}");
            self.wrong(key, Code::OutOfRange, message);
        }
        found
    }

    /// A number that `accepts`; `wanted` says which those are.
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
        let message = format!("must be {wanted}, got {number}");
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
                "must be a number of US dollars above 0 with at most six decimals, got {number}"
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

/// A whole number, which may be written with a fraction of zero.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float of this size holds its whole numbers exactly"
)]
fn whole(value: &Json) -> Option<i64> {
    /// The largest number below which every whole one is a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = || value.as_f64().filter(|number| number.fract() == 0.0);
    value
        .as_i64()
        .or_else(|| float().map(|number| number.clamp(-EXACT, EXACT) as i64))
}

const fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// A key as a part of a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The beginning of a text, for a message.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
