//! Checks a document against its published schema, which is that of its types, and by further
//! rules.

use std::fmt::Display;
use std::sync::LazyLock;

use review_text::near::mistyped;
use review_text::wording::{Weight, Wording};
use review_types::{Timestamp, excerpt, is_uuid};
use serde_json::Value as Json;

use super::path::Path;
use super::rules::{self, Severities};
use super::{Code, Diagnostic, DocumentId, Mode, Severity};
use crate::parse::{Node, Value, is_invisible};

/// Maximum number of diagnostics of each severity.
const MAX_KEPT: usize = 1_000;

/// Maximum number of characters of a value in a message.
const MAX_QUOTED: usize = 60;

/// The published schema.
static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
    let text = include_str!("../../../../schemas/actionable-feedback.schema.json");
    serde_json::from_str(text).unwrap_or_default()
});

/// A string of a limited length: its key, its codes where it is too short or too long, and the
/// phrases that are not allowed in it.
type LimitedText = (&'static str, [Code; 2], Option<(Wording, Code)>);

const LIMITED: [LimitedText; 4] = [
    (
        "issue",
        [Code::IssueTooShort, Code::IssueTooLong],
        Some((Wording::Vague, Code::IssueVague)),
    ),
    (
        "action",
        [Code::ActionTooShort, Code::ActionTooLong],
        Some((Wording::Advisory, Code::ActionAdvisory)),
    ),
    (
        "rationale",
        [Code::RationaleTooShort, Code::RationaleTooLong],
        None,
    ),
    (
        "summary",
        [Code::SummaryTooShort, Code::SummaryTooLong],
        None,
    ),
];

/// A rule about the fields of one object.
type Rule = fn(&mut Check, &FoundFields<'_>, &Path<'_>);

/// The rules of objects, by their names in the schema.
const RULES: [(&str, Rule); 5] = [
    ("Iteration", rules::iteration),
    ("FeedbackItem", rules::item),
    ("Location", rules::location),
    ("Suggestion", rules::suggestion),
    ("OverallAssessment", rules::assessment),
];

/// The check of one document.
pub(super) struct Check {
    pub(super) mode: Mode,
    /// The severities of the items so far.
    pub(super) severities: Severities,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// The fields of an object; of a duplicate key the last one.
#[derive(Clone, Copy)]
pub(super) struct FoundFields<'a> {
    pub(super) object: &'a Node<'a>,
}

impl<'a> FoundFields<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Node<'a>> {
        let mut members = self.object.members().iter().rev();
        let found = members.find(|member| member.key == name);
        found.map(|member| &member.node)
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
        self.value(&SCHEMA, root, &Path::Root);
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
                fix: None,
            });
        }
    }

    /// Checks a value against its part of the schema.
    fn value(&mut self, schema: &Json, node: &Node<'_>, path: &Path<'_>) {
        let (name, form) = resolved(schema);
        match (type_of(form), &node.value) {
            ("object", Value::Object(_)) => self.object(form, name, node, path),
            ("array", Value::List(items)) if !holds_pointers(form) => {
                self.items(form, node, items, path);
            }
            ("array", Value::List(items)) if items.iter().all(|item| item.text().is_some()) => {}
            ("string", Value::Text(text)) => self.text(schema, form, text, node, path),
            ("boolean", Value::Bool(_)) => {}
            ("number" | "integer", Value::Number(raw)) => self.number(form, raw, node, path),
            (_, value) => {
                let code = match holds_pointers(form) {
                    true => Code::DerivedNotPointers,
                    false => Code::FieldType,
                };
                let message = format!("expected {}, found {}", expected(form), what(value));
                self.error(code, node.span.start, path, message);
            }
        }
    }

    fn object(&mut self, form: &Json, name: &str, object: &Node<'_>, path: &Path<'_>) {
        let found = FoundFields { object };
        let Some(properties) = form["properties"].as_object() else {
            return;
        };
        let mut seen = Vec::new();
        for member in object.members() {
            let key = &*member.key;
            if !properties.contains_key(key) {
                self.unknown_key(properties.keys(), key, member.key_at, path);
            } else if seen.contains(&key) {
                let message = format!("duplicate key \"{key}\"");
                self.error(Code::KeyDuplicate, member.key_at, &path.key(key), message);
            } else {
                seen.push(key);
            }
        }
        // The items come before the assessment, which depends on them.
        let required = form["required"].as_array().into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Json::as_str).collect();
        let optional = properties.keys().map(String::as_str);
        let optional = optional.filter(|name| !required.contains(name));
        for name in required.iter().copied().chain(optional) {
            let path = path.key(name);
            match found.get(name) {
                Some(node) => self.value(&properties[name], node, &path),
                None if required.contains(&name) => self.missing(name, object, &path),
                None => {}
            }
        }
        if let Some((_, rule)) = RULES.iter().find(|(of, _)| *of == name) {
            rule(self, &found, path);
        }
    }

    fn missing(&mut self, name: &str, object: &Node<'_>, path: &Path<'_>) {
        let code = match name {
            "location" => Code::LocationMissing,
            _ => Code::FieldMissing,
        };
        let message = format!("missing field \"{name}\"");
        self.error(code, object.span.start, path, message);
    }

    fn unknown_key<'k>(
        &mut self,
        known: impl Iterator<Item = &'k String>,
        name: &str,
        key_at: usize,
        path: &Path<'_>,
    ) {
        if let Some(near) = mistyped(name, known.map(String::as_str)) {
            let message = format!("unknown key \"{name}\"; did you mean \"{near}\"?");
            self.warning(Code::KeyMisspelt, key_at, &path.key(name), message);
        }
    }

    fn items(&mut self, form: &Json, list: &Node<'_>, items: &[Node<'_>], path: &Path<'_>) {
        for (index, item) in items.iter().enumerate() {
            self.value(&form["items"], item, &path.index(index));
        }
        if items.is_empty() {
            let message = "expected at least one item, found none";
            self.error(Code::ItemsEmpty, list.span.start, path, message);
        }
    }

    fn text(&mut self, schema: &Json, form: &Json, text: &str, node: &Node<'_>, path: &Path<'_>) {
        let words = words(form);
        if !words.is_empty() && !words.contains(&text) {
            let message = format!(
                "expected one of [{}], found \"{}\"",
                words.join(" "),
                excerpt(text, MAX_QUOTED)
            );
            self.error(Code::FieldUnknownWord, node.span.start, path, message);
        }
        match schema["format"].as_str() {
            Some("uuid") => self.id(text, node, path),
            Some("date-time") => self.instant(text, node, path),
            _ => {}
        }
        if let (Some(min), Some(max)) = (form["minLength"].as_u64(), form["maxLength"].as_u64()) {
            self.limited([min, max], text, node, path);
        }
    }

    /// Checks a string of a limited length and its wording.
    fn limited(&mut self, [min, max]: [u64; 2], text: &str, node: &Node<'_>, path: &Path<'_>) {
        let mut known = LIMITED.iter();
        let Some((_, [short, long], wording)) = known.find(|(name, ..)| path.is_key(name)) else {
            return;
        };
        let (at, count) = (node.span.start, text.chars().count() as u64);
        let message = || format!("expected {min} to {max} characters, found {count}");
        if count < min {
            self.error(*short, at, path, message());
        } else if count > max {
            self.error(*long, at, path, message());
        }
        if text.chars().all(is_invisible) {
            let message = "has no visible character";
            self.error(Code::TextInvisible, at, path, message);
        }
        if let Some((wording, code)) = *wording {
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

    fn number(&mut self, form: &Json, raw: &str, node: &Node<'_>, path: &Path<'_>) {
        let is_whole = type_of(form) == "integer";
        let is_outside = |number: f64| {
            form["minimum"].as_f64().is_some_and(|min| number < min)
                || form["maximum"].as_f64().is_some_and(|max| number > max)
        };
        let (code, expected) = match node.number() {
            None => (Code::FieldType, expected(form)),
            Some(number) if is_whole && number.fract() != 0.0 => {
                (Code::FieldType, "integer".to_owned())
            }
            Some(number) if is_outside(number) => (Code::NumberOutOfRange, expected(form)),
            Some(_) => return,
        };
        let got = excerpt(raw, MAX_QUOTED);
        let message = format!("expected {expected}, found {got}");
        self.error(code, node.span.start, path, message);
    }
}

/// Returns the definition that a part of the schema refers to, with its name.
fn resolved(schema: &Json) -> (&str, &Json) {
    let named = schema["$ref"].as_str();
    let named = named.and_then(|path| path.strip_prefix("#/$defs/"));
    named.map_or(("", schema), |name| (name, &SCHEMA["$defs"][name]))
}

/// Returns the type of the values of a part of the schema; a closed list is one of strings.
fn type_of(form: &Json) -> &str {
    form["type"].as_str().unwrap_or("string")
}

/// Returns the words of a closed list.
fn words(form: &Json) -> Vec<&str> {
    let words = form["oneOf"].as_array().into_iter().flatten();
    words.filter_map(|word| word["const"].as_str()).collect()
}

/// Returns whether it is an array of JSON pointers.
fn holds_pointers(form: &Json) -> bool {
    form["items"]["type"] == "string"
}

/// Describes the values of a part of the schema.
fn expected(form: &Json) -> String {
    let kind = match type_of(form) {
        "array" if holds_pointers(form) => "array of JSON pointers",
        "array" => "array of objects",
        kind => kind,
    };
    match (&form["minimum"], &form["maximum"]) {
        (Json::Null, _) => kind.to_owned(),
        (min, Json::Null) => format!("{kind} from {min}"),
        (min, max) => format!("{kind} from {min} to {max}"),
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

    /// The keywords of a part of the schema that are not checked, and the strings of a
    /// limited length without codes.
    fn unchecked(name: &str, form: &Json) -> Vec<String> {
        const CHECKED: [&str; 14] = [
            "$ref",
            "const",
            "description",
            "format",
            "items",
            "maxLength",
            "maximum",
            "minItems",
            "minLength",
            "minimum",
            "oneOf",
            "properties",
            "required",
            "type",
        ];
        let mut found = Vec::new();
        for (keyword, value) in form.as_object().into_iter().flatten() {
            let is_limited = LIMITED.iter().any(|(key, ..)| *key == name);
            let is_checked = match &**keyword {
                "minLength" => is_limited && form.get("maxLength").is_some(),
                "minItems" => *value == 1,
                "format" => ["uuid", "date-time"].contains(&value.as_str().unwrap()),
                keyword => CHECKED.contains(&keyword),
            };
            if !is_checked {
                found.push(format!("{name}: {keyword}"));
            }
            match (&**keyword, value) {
                ("properties", Json::Object(parts)) => {
                    found.extend(parts.iter().flat_map(|(name, part)| unchecked(name, part)));
                }
                ("oneOf", Json::Array(parts)) => {
                    found.extend(parts.iter().flat_map(|part| unchecked(name, part)));
                }
                ("items", part) => found.extend(unchecked(name, part)),
                _ => {}
            }
        }
        found
    }

    #[test]
    fn every_keyword_of_the_schema_is_checked() {
        let parts = SCHEMA["$defs"].as_object().unwrap().iter();
        let mut found: Vec<_> = parts
            .flat_map(|(name, part)| unchecked(name, part))
            .collect();
        let root =
            ["properties", "required", "type"].map(|key| (key.to_owned(), SCHEMA[key].clone()));
        found.extend(unchecked("", &Json::Object(root.into_iter().collect())));
        assert_eq!(found, [""; 0]);
    }

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
