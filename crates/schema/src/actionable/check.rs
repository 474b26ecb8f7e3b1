//! Checks a document against its schema.

use crate::actionable::DocumentId;
use std::fmt::Display;

use review_text::near_key;
use review_text::wording::{Weight, Wording};
use review_types::{Timestamp, excerpt, is_uuid};

use super::diagnostic::Path;
use super::rules::Severities;
use super::shape::{DOCUMENT, Form, Limits, MAX_MEMBERS, Shape};
use super::{Code, Diagnostic, Mode, Severity};
use crate::parse::{Node, Value, is_invisible};

/// Maximum number of diagnostics of each severity.
const MAX_KEPT: usize = 1_000;

/// Maximum number of characters of a value in a message.
const MAX_QUOTED: usize = 60;

/// The check of one document.
pub(super) struct Check {
    pub(super) mode: Mode,
    /// The severities of the items so far.
    pub(super) severities: Severities,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// The known fields of an object; of a duplicate key the last one.
pub(super) struct FoundFields<'a> {
    pub(super) object: &'a Node<'a>,
    shape: &'static Shape,
    nodes: [Option<&'a Node<'a>>; MAX_MEMBERS],
}

impl<'a> FoundFields<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Node<'a>> {
        let at = self.shape.members.iter().position(|one| one.name == name)?;
        self.nodes[at]
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.text()
    }
}

impl Check {
    pub(super) fn new(mode: Mode) -> Self {
        Self {
            mode,
            severities: Severities::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn document(&mut self, root: &Node<'_>) {
        self.value(Form::Object(&DOCUMENT), root, &Path::Root);
    }

    /// Returns the diagnostics, errors first.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.errors.append(&mut self.warnings);
        self.errors
    }

    pub(super) fn error(&mut self, code: Code, at: usize, path: &Path<'_>, message: impl Display) {
        self.tell(Severity::Error, code, at, path, message);
    }

    pub(super) fn warning(
        &mut self,
        code: Code,
        at: usize,
        path: &Path<'_>,
        message: impl Display,
    ) {
        self.tell(Severity::Warning, code, at, path, message);
    }

    fn tell(
        &mut self,
        severity: Severity,
        code: Code,
        at: usize,
        path: &Path<'_>,
        message: impl Display,
    ) {
        let list = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        if list.len() < MAX_KEPT {
            list.push(Diagnostic {
                code,
                severity,
                pointer: path.to_string(),
                at,
                line: 1,
                message: message.to_string(),
            });
        }
    }

    fn value(&mut self, form: Form, node: &Node<'_>, path: &Path<'_>) {
        match (form, &node.value) {
            (Form::Object(shape), Value::Object(_)) => self.object(shape, node, path),
            (Form::Items(shape), Value::List(items)) => self.items(shape, node, items, path),
            (Form::Text, Value::Text(_)) | (Form::Boolean, Value::Bool(_)) => {}
            (Form::Bounded(limits), Value::Text(text)) => self.bounded(limits, text, node, path),
            (Form::Word(words), Value::Text(text)) => self.word(words, text, node, path),
            (Form::Uuid, Value::Text(text)) => self.id(text, node, path),
            (Form::Instant, Value::Text(text)) => self.instant(text, node, path),
            (Form::Number | Form::Fraction | Form::Whole(_), Value::Number(raw)) => {
                self.number(form, raw, node, path);
            }
            (Form::Pointers, _) => self.pointers(node, path),
            (form, value) => {
                let message = format!("expected {}, found {}", form.what(), what(value));
                self.error(Code::FieldType, node.span.start, path, message);
            }
        }
    }

    fn object(&mut self, shape: &'static Shape, object: &Node<'_>, path: &Path<'_>) {
        let mut nodes = [None; MAX_MEMBERS];
        for member in object.members() {
            let name = &*member.key;
            let Some(known) = shape.members.iter().position(|one| one.name == name) else {
                self.unknown_key(shape, name, member.key_at, path);
                continue;
            };
            if nodes[known].replace(&member.node).is_some() {
                let message = format!("duplicate key \"{name}\"");
                self.error(Code::KeyDuplicate, member.key_at, &path.key(name), message);
            }
        }
        for (member, node) in shape.members.iter().zip(nodes) {
            let path = path.key(member.name);
            match node {
                Some(node) => self.value(member.form, node, &path),
                None if member.required => self.missing(member.name, object, &path),
                None => {}
            }
        }
        if let Some(rule) = shape.rule {
            let found = FoundFields {
                object,
                shape,
                nodes,
            };
            rule(self, &found, path);
        }
    }

    fn missing(&mut self, name: &str, object: &Node<'_>, path: &Path<'_>) {
        let code = match name {
            "location" => Code::LocationMissing,
            _ => Code::FieldMissing,
        };
        self.error(
            code,
            object.span.start,
            path,
            format!("missing field \"{name}\""),
        );
    }

    fn unknown_key(&mut self, shape: &Shape, name: &str, key_at: usize, path: &Path<'_>) {
        let known = shape.members.iter().map(|member| member.name);
        if let Some(near) = near_key(name, known) {
            let message = format!("unknown key \"{name}\"; did you mean \"{near}\"?");
            self.warning(Code::KeyMisspelt, key_at, &path.key(name), message);
        }
    }

    fn items(
        &mut self,
        shape: &'static Shape,
        list: &Node<'_>,
        items: &[Node<'_>],
        path: &Path<'_>,
    ) {
        for (index, item) in items.iter().enumerate() {
            self.value(Form::Object(shape), item, &path.index(index));
        }
        if items.is_empty() {
            let message = "expected at least one item, found none";
            self.error(Code::ItemsEmpty, list.span.start, path, message);
        }
    }

    fn bounded(&mut self, limits: Limits, text: &str, node: &Node<'_>, path: &Path<'_>) {
        let at = node.span.start;
        let Limits { min, max, .. } = limits;
        // A string has at least a fourth and at most all of its bytes as characters.
        if text.len() < min * 4 || text.len() > max {
            let count = text.chars().count();
            let message = || format!("expected {min} to {max} characters, found {count}");
            if count < min {
                self.error(limits.short, at, path, message());
            } else if count > max {
                self.error(limits.long, at, path, message());
            }
        }
        if text.chars().all(is_invisible) {
            let message = "has no visible character";
            self.error(Code::TextInvisible, at, path, message);
        }
        if let Some((wording, code)) = limits.wording {
            self.wording(wording, code, text, node, path);
        }
    }

    fn wording(
        &mut self,
        wording: Wording,
        code: Code,
        text: &str,
        node: &Node<'_>,
        path: &Path<'_>,
    ) {
        let Some(hit) = wording.find(text) else {
            return;
        };
        let message = format!("\"{}\" {}", hit.phrase, wording.objection());
        let severity = match (hit.weight, self.mode) {
            (Weight::Leading, _) | (Weight::Inside, Mode::Strict) => Severity::Error,
            (Weight::Inside, Mode::Default | Mode::Import) => Severity::Warning,
        };
        self.tell(severity, code, node.span.start, path, message);
    }

    fn word(&mut self, words: &[&str], text: &str, node: &Node<'_>, path: &Path<'_>) {
        if !words.contains(&text) {
            let message = format!(
                "expected one of [{}], found \"{}\"",
                words.join(" "),
                excerpt(text, MAX_QUOTED)
            );
            self.error(Code::FieldUnknownWord, node.span.start, path, message);
        }
    }

    fn id(&mut self, text: &str, node: &Node<'_>, path: &Path<'_>) {
        if is_uuid(text) {
            return;
        }
        let (code, at) = (Code::IdNotUuid, node.span.start);
        let message = format!("expected UUID, found \"{}\"", excerpt(text, MAX_QUOTED));
        match self.mode {
            Mode::Import if DocumentId::new(text).is_ok() => self.warning(code, at, path, message),
            Mode::Import | Mode::Default | Mode::Strict => self.error(code, at, path, message),
        }
    }

    fn instant(&mut self, text: &str, node: &Node<'_>, path: &Path<'_>) {
        let at = node.span.start;
        if !is_date_time(text) {
            let message = format!(
                "expected RFC 3339 timestamp, found \"{}\"",
                excerpt(text, MAX_QUOTED)
            );
            self.error(Code::TimestampNotDateTime, at, path, message);
        } else if text.parse::<Timestamp>().is_err() {
            let message = format!("\"{text}\" is not in the years 0000 to 9999 in UTC");
            self.error(Code::TimestampOutOfRange, at, path, message);
        }
    }

    fn number(&mut self, form: Form, raw: &str, node: &Node<'_>, path: &Path<'_>) {
        let (code, expected) = match (form, node.number()) {
            (_, None) => (Code::FieldType, form.what()),
            (Form::Whole(_), Some(number)) if number.fract() != 0.0 => {
                (Code::FieldType, "integer".to_owned())
            }
            (Form::Fraction, Some(number)) if !(0.0..=1.0).contains(&number) => {
                (Code::NumberOutOfRange, form.what())
            }
            (Form::Whole(max), Some(number)) if !(1.0..=max).contains(&number) => {
                (Code::NumberOutOfRange, form.what())
            }
            _ => return,
        };
        let got = excerpt(raw, MAX_QUOTED);
        let message = format!("expected {expected}, found {got}");
        self.error(code, node.span.start, path, message);
    }

    fn pointers(&mut self, node: &Node<'_>, path: &Path<'_>) {
        let is_list = matches!(&node.value, Value::List(items)
            if items.iter().all(|item| item.text().is_some()));
        if !is_list {
            let got = what(&node.value);
            let message = format!("expected array of JSON pointers, found {got}");
            self.error(Code::DerivedNotPointers, node.span.start, path, message);
        }
    }
}

/// Returns whether a string is an RFC 3339 timestamp with an offset, in any UTC year.
/// A leap second is valid only at the end of a day in UTC.
fn is_date_time(text: &str) -> bool {
    let Some((year, rest)) = text.split_at_checked(4) else {
        return false;
    };
    // With its offset, the time may be before the first or after the last year, so
    // other years with the same leap days are used.
    let year = match year {
        "0000" => "0004",
        "9999" => "9995",
        year => year,
    };
    let Ok(at) = format!("{year}{rest}").parse::<Timestamp>() else {
        return false;
    };
    let is_leap_second = rest.get(13..15) == Some("60");
    let ends_day = at.unix_ms().div_euclid(60_000).rem_euclid(24 * 60) == 24 * 60 - 1;
    rest.as_bytes()
        .get(6)
        .is_some_and(|separator| separator.eq_ignore_ascii_case(&b't'))
        && (ends_day || !is_leap_second)
}

impl Form {
    /// Describes a value of this form.
    fn what(self) -> String {
        match self {
            Self::Object(_) => "object".to_owned(),
            Self::Items(_) => "array of objects".to_owned(),
            Self::Text | Self::Bounded(_) | Self::Word(_) | Self::Uuid | Self::Instant => {
                "string".to_owned()
            }
            Self::Number => "number".to_owned(),
            Self::Fraction => "number from 0 to 1".to_owned(),
            Self::Whole(max) if max < f64::MAX => format!("integer from 1 to {max}"),
            Self::Whole(_) => "integer from 1".to_owned(),
            Self::Boolean => "boolean".to_owned(),
            Self::Pointers => "array of JSON pointers".to_owned(),
        }
    }
}

/// Describes a value by its type.
const fn what(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::Text(_) => "string",
        Value::List(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_those_of_the_standard() {
        for text in [
            "2026-03-01T12:30:05Z",
            "2026-03-01t12:30:05.123456789z",
            "2024-02-29T00:00:00-00:00",
            "2000-02-29T23:59:59+23:59",
            "2016-12-31T23:59:60Z",
            "2017-01-01T05:29:60.5+05:30",
            "2016-12-31T15:59:60-08:00",
            "0000-01-01T00:00:00+00:01",
        ] {
            assert!(is_date_time(text), "{text}");
        }
        for text in [
            "",
            "2026-03-01",
            "2026-03-01T12:30:05",
            "2026-03-01 12:30:05Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z",
            "2026-01-01T00:00:60Z",
            "2016-12-31T23:59:60+01:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.5",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+00:60",
            "2026-01-01T00:00:00+0000",
            "2026-01-01T00:00:00Zz",
            "2026-1-01T00:00:00Z",
            "202x-01-01T00:00:00Z",
            "2026-01-01T0x:00:00Z",
            "２026-01-01T00:00:00Z",
        ] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
