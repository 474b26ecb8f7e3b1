//! A document held against its shape.

use std::borrow::Cow;
use std::fmt::Display;

use review_text::near_key;
use review_text::wording::{Weight, Wording};
use review_types::Timestamp;
use review_types::actionable::{DocumentId, is_uuid};

use super::format::is_date_time;
use super::path::Path;
use super::rules::Severities;
use super::shape::{DOCUMENT, Form, Limits, MAX_MEMBERS, Shape};
use super::tape::{Cell, Kind};
use super::{Code, Diagnostic, Mode, Severity};

/// The most diagnostics of each severity that are kept.
const MAX_KEPT: usize = 1_000;

/// The most characters of a value that a message quotes.
const MAX_QUOTED: usize = 60;

/// The check of one document.
pub(super) struct Check {
    pub(super) mode: Mode,
    /// What the severities of the items come to so far.
    pub(super) severities: Severities,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// The known members of an object; of a key that stands twice the last one.
pub(super) struct Found<'a> {
    pub(super) object: Cell<'a>,
    shape: &'static Shape,
    cells: [Option<Cell<'a>>; MAX_MEMBERS],
}

impl<'a> Found<'a> {
    pub(super) fn get(&self, name: &str) -> Option<Cell<'a>> {
        let at = self.shape.members.iter().position(|one| one.name == name)?;
        self.cells[at]
    }

    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
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

    pub(super) fn document(&mut self, root: Cell<'_>) {
        self.value(Form::Object(&DOCUMENT), root, &Path::Root);
    }

    /// What was found, errors first.
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

    fn value(&mut self, form: Form, cell: Cell<'_>, path: &Path<'_>) {
        match (form, cell.kind()) {
            (Form::Object(shape), Kind::Object) => self.object(shape, cell, path),
            (Form::Items(shape), Kind::List) => self.items(shape, cell, path),
            (Form::Text, Kind::Text | Kind::EscapedText)
            | (Form::Boolean, Kind::True | Kind::False) => {}
            (
                Form::Bounded(_) | Form::Word(_) | Form::Uuid | Form::Instant,
                Kind::Text | Kind::EscapedText,
            ) => self.text(form, cell, path),
            (Form::Number | Form::Fraction | Form::Whole(_), Kind::Number) => {
                self.number(form, cell, path);
            }
            (Form::Pointers, _) => self.pointers(cell, path),
            (form, kind) => {
                let message = format!("must be {}, got {}", form.what(), kind.what());
                self.error(Code::FieldType, cell.start(), path, message);
            }
        }
    }

    fn text(&mut self, form: Form, cell: Cell<'_>, path: &Path<'_>) {
        let text = cell.text().unwrap_or_default();
        match form {
            Form::Bounded(limits) => self.bounded(limits, &text, cell, path),
            Form::Word(words) => self.word(words, &text, cell, path),
            Form::Uuid => self.id(&text, cell, path),
            Form::Instant => self.instant(&text, cell, path),
            Form::Object(_)
            | Form::Items(_)
            | Form::Text
            | Form::Number
            | Form::Fraction
            | Form::Whole(_)
            | Form::Boolean
            | Form::Pointers => {}
        }
    }

    fn object(&mut self, shape: &'static Shape, object: Cell<'_>, path: &Path<'_>) {
        let mut cells = [None; MAX_MEMBERS];
        let mut next = 0;
        for (key, cell) in object.members() {
            let name = &*key.text().unwrap_or_default();
            // Members mostly come in the order of the shape.
            let is_next = shape.members.get(next).is_some_and(|one| one.name == name);
            let known = match is_next {
                true => Some(next),
                false => shape.members.iter().position(|one| one.name == name),
            };
            let Some(known) = known else {
                self.unknown_key(shape, name, key, path);
                continue;
            };
            next = known + 1;
            if cells[known].replace(cell).is_some() {
                let message = format!("the key \"{name}\" stands twice");
                self.error(Code::KeyDuplicate, key.start(), &path.key(name), message);
            }
        }
        for (member, cell) in shape.members.iter().zip(cells) {
            let path = path.key(member.name);
            match cell {
                Some(cell) => self.value(member.form, cell, &path),
                None if member.required => self.missing(member.name, object, &path),
                None => {}
            }
        }
        if let Some(rule) = shape.rule {
            let found = Found {
                object,
                shape,
                cells,
            };
            rule(self, &found, path);
        }
    }

    fn missing(&mut self, name: &str, object: Cell<'_>, path: &Path<'_>) {
        let code = match name {
            "location" => Code::LocationMissing,
            _ => Code::FieldMissing,
        };
        self.error(code, object.start(), path, format!("\"{name}\" is missing"));
    }

    fn unknown_key(&mut self, shape: &Shape, name: &str, key: Cell<'_>, path: &Path<'_>) {
        let known = shape.members.iter().map(|member| member.name);
        if let Some(near) = near_key(name, known) {
            let message = format!("unknown key \"{name}\"; did you mean \"{near}\"?");
            self.warning(Code::KeyMisspelt, key.start(), &path.key(name), message);
        }
    }

    fn items(&mut self, shape: &'static Shape, list: Cell<'_>, path: &Path<'_>) {
        let mut count = 0;
        for (index, item) in list.items().enumerate() {
            self.value(Form::Object(shape), item, &path.index(index));
            count = index + 1;
        }
        if count == 0 {
            let message = "must have at least one item";
            self.error(Code::ItemsEmpty, list.start(), path, message);
        }
    }

    fn bounded(&mut self, limits: Limits, text: &str, cell: Cell<'_>, path: &Path<'_>) {
        let at = cell.start();
        let Limits { min, max, .. } = limits;
        // A text has at least a fourth and at most all of its bytes as characters.
        if text.len() < min * 4 || text.len() > max {
            let count = text.chars().count();
            let message = || format!("must have {min} to {max} characters, got {count}");
            if count < min {
                self.error(limits.short, at, path, message());
            } else if count > max {
                self.error(limits.long, at, path, message());
            }
        }
        if let Some((wording, code)) = limits.wording {
            self.wording(wording, code, text, cell, path);
        }
    }

    fn wording(
        &mut self,
        wording: Wording,
        code: Code,
        text: &str,
        cell: Cell<'_>,
        path: &Path<'_>,
    ) {
        let Some(hit) = wording.find(text) else {
            return;
        };
        let what = match wording {
            Wording::Vague => "says nothing specific",
            Wording::Advisory => "advises",
        };
        let message = format!("\"{}\" {what}", hit.phrase);
        let severity = match (hit.weight, self.mode) {
            (Weight::Leading, _) | (Weight::Inside, Mode::Strict) => Severity::Error,
            (Weight::Inside, Mode::Default | Mode::Import) => Severity::Warning,
        };
        self.tell(severity, code, cell.start(), path, message);
    }

    fn word(&mut self, words: &[&str], text: &str, cell: Cell<'_>, path: &Path<'_>) {
        if !words.contains(&text) {
            let message = format!(
                "must be one of [{}], got \"{}\"",
                words.join(" "),
                quoted(text)
            );
            self.error(Code::FieldUnknownWord, cell.start(), path, message);
        }
    }

    fn id(&mut self, text: &str, cell: Cell<'_>, path: &Path<'_>) {
        if is_uuid(text) {
            return;
        }
        let (code, at) = (Code::IdNotUuid, cell.start());
        let message = format!("must be a UUID, got \"{}\"", quoted(text));
        match self.mode {
            Mode::Import if DocumentId::new(text).is_ok() => self.warning(code, at, path, message),
            Mode::Import | Mode::Default | Mode::Strict => self.error(code, at, path, message),
        }
    }

    fn instant(&mut self, text: &str, cell: Cell<'_>, path: &Path<'_>) {
        let at = cell.start();
        if !is_date_time(text) {
            let message = format!("must be an RFC 3339 instant, got \"{}\"", quoted(text));
            self.error(Code::TimestampNotDateTime, at, path, message);
        } else if text.parse::<Timestamp>().is_err() {
            let message = format!("\"{text}\" is not of the years 0000 to 9999 in UTC");
            self.error(Code::TimestampOutOfRange, at, path, message);
        }
    }

    fn number(&mut self, form: Form, cell: Cell<'_>, path: &Path<'_>) {
        let at = cell.start();
        let number = cell.number().unwrap_or(f64::NAN);
        let in_range = match form {
            Form::Fraction => (0.0..=1.0).contains(&number),
            Form::Whole(_) if number.fract() != 0.0 => {
                let message = format!("must be a whole number, got {}", quoted(cell.raw()));
                return self.error(Code::FieldType, at, path, message);
            }
            Form::Whole(max) => (1.0..=max).contains(&number),
            _ => true,
        };
        if !in_range {
            let message = format!("must be {}, got {}", form.what(), quoted(cell.raw()));
            self.error(Code::NumberOutOfRange, at, path, message);
        }
    }

    fn pointers(&mut self, cell: Cell<'_>, path: &Path<'_>) {
        let is_list = cell.kind() == Kind::List && cell.items().all(|item| item.text().is_some());
        if !is_list {
            let got = cell.kind().what();
            let message = format!("must be a list of JSON pointers, got {got}");
            self.error(Code::DerivedNotPointers, cell.start(), path, message);
        }
    }
}

impl Form {
    /// What a value of this form is.
    fn what(self) -> String {
        match self {
            Self::Object(_) => "an object".to_owned(),
            Self::Items(_) => "a list of objects".to_owned(),
            Self::Text | Self::Bounded(_) | Self::Word(_) | Self::Uuid | Self::Instant => {
                "a text".to_owned()
            }
            Self::Number => "a number".to_owned(),
            Self::Fraction => "a number from 0 to 1".to_owned(),
            Self::Whole(max) if max < f64::MAX => format!("a whole number from 1 to {max}"),
            Self::Whole(_) => "a whole number from 1 on".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Pointers => "a list of JSON pointers".to_owned(),
        }
    }
}

impl Kind {
    /// What a value of this kind is, in words.
    const fn what(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "true or false",
            Self::Number => "a number",
            Self::Text | Self::EscapedText => "a text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// The beginning of a text, for a message.
fn quoted(text: &str) -> String {
    let mut quoted: String = text.chars().take(MAX_QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
