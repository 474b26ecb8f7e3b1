//! A line held against the tables of the format.

use super::json::LineJson;
use super::moment::is_date;
use super::pattern::SHORT;
use super::{
    AiAction, Code, Confidence, Context, Correction, CorrectionType, DiagnosticSeverity, Mode,
    Moment, PatternName, PatternNameError, Reading, Severity, Source, UserCorrection,
};
use crate::diagnostic::Diagnostic;
use crate::object::{self, UnknownKeys, escaped, quoted, reading};

type Fields<'j, 'd> = object::Fields<'j, 'd, Code>;

/// The objects that are members of a correction.
const OBJECTS: [&str; 3] = ["ai_action", "user_correction", "context"];

/// Checks what a line holds and makes a correction of it.
pub(super) fn checked(line: &LineJson, number: u64, mode: Mode) -> Reading {
    let mut read = reading(&line.value, UnknownKeys::ToldIfNear, |fields| {
        if line.value.is_object() {
            keys(fields, &line.twice);
        }
        correction(fields, mode)
    });
    for diagnostic in &mut read.diagnostics {
        diagnostic.line = number;
        if mode == Mode::Strict {
            diagnostic.severity = DiagnosticSeverity::Error;
        }
    }
    let is_valid = !read.diagnostics.iter().any(Diagnostic::is_error);
    read.object = read.object.filter(|_| is_valid);
    read
}

fn keys(fields: &mut Fields<'_, '_>, twice: &[Vec<String>]) {
    for path in twice {
        let name = match &path[..] {
            [name] => name,
            [object, name] if OBJECTS.contains(&object.as_str()) => name,
            _ => continue,
        };
        let message = format!("the key \"{}\" stands twice", quoted(name));
        let path: Vec<_> = path.iter().map(|name| escaped(name)).collect();
        fields.wrong(&path.join("/"), Code::KeyTwice, message);
    }
}

/// The correction that the members make, as far as they can make one.
fn correction(fields: &mut Fields<'_, '_>, mode: Mode) -> Option<Correction> {
    if mode != Mode::Import {
        fields.require("date");
    }
    let timestamp = timestamp(fields, mode);
    let date = date(fields, timestamp.as_ref());
    let agent = named(fields, "agent");
    let session_id = fields.text("session_id");
    fields.require("correction_type");
    let correction_type = fields.word("correction_type");
    fields.require("source");
    let source = fields.word("source");
    fields.require("ai_action");
    let ai_action = fields.object("ai_action", |fields| {
        Some(AiAction {
            summary: named(fields, "summary")?,
            tool_used: fields.text("tool_used"),
            file: fields.text("file"),
        })
    });
    fields.require("user_correction");
    let user_correction = fields.object("user_correction", |fields| user_said(fields, source));
    let pattern_inferred = pattern(fields, correction_type, mode);
    let pattern_confidence = fields.word::<Confidence>("pattern_confidence");
    let context = fields.object("context", context);
    let severity = severity(fields, mode);
    Some(Correction {
        date: date?,
        timestamp: timestamp?,
        agent: agent?,
        session_id,
        correction_type: correction_type?,
        ai_action: ai_action??,
        user_correction: user_correction??,
        pattern_inferred,
        pattern_confidence,
        context,
        severity,
        source: source?,
    })
}

/// A text that must be there and should say something.
fn named(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<String> {
    fields.require(key);
    let text = fields.text(key)?;
    if text.trim().is_empty() {
        fields.doubtful(key, Code::TextBlank, "says nothing");
    }
    Some(text)
}

fn timestamp(fields: &mut Fields<'_, '_>, mode: Mode) -> Option<Moment> {
    fields.require("timestamp");
    let text = fields.text("timestamp")?;
    if let Some(moment) = Moment::new(&text) {
        return Some(moment);
    }
    let naive = Moment::naive(&text);
    let fix = naive.as_ref().map(|moment| moment.as_str().to_owned());
    match naive.filter(|_| mode == Mode::Import) {
        Some(moment) => {
            let message = "has no offset: read as UTC";
            *fields.doubtful("timestamp", Code::TimestampNaive, message) = fix;
            Some(moment)
        }
        None => {
            let text = quoted(&text);
            let message = format!("must be an RFC 3339 instant with an offset, got \"{text}\"");
            *fields.wrong("timestamp", Code::TimestampNotInstant, message) = fix;
            None
        }
    }
}

fn date(fields: &mut Fields<'_, '_>, timestamp: Option<&Moment>) -> Option<String> {
    let of_timestamp = timestamp.map(|moment| moment.date().to_owned());
    let Some(date) = fields.text("date") else {
        // Mode import alone goes on without a date.
        return of_timestamp;
    };
    if !is_date(&date) {
        let message = format!(
            "must be a date such as 2026-03-01, got \"{}\"",
            quoted(&date)
        );
        *fields.wrong("date", Code::DateNotDate, message) = of_timestamp;
        return None;
    }
    if let Some(of_timestamp) = of_timestamp.filter(|of_timestamp| *of_timestamp != date) {
        let message = format!("is {date}, and the timestamp begins with {of_timestamp}");
        *fields.wrong("date", Code::DateMismatch, message) = Some(of_timestamp);
    }
    Some(date)
}

fn user_said(fields: &mut Fields<'_, '_>, source: Option<Source>) -> Option<UserCorrection> {
    let summary = named(fields, "summary");
    let verbatim = fields.text("verbatim");
    if source == Some(Source::Explicit) && !fields.has("verbatim") {
        let message = "an explicit correction without the user's own words";
        fields.doubtful("verbatim", Code::VerbatimMissing, message);
    }
    Some(UserCorrection {
        summary: summary?,
        verbatim,
    })
}

fn context(fields: &mut Fields<'_, '_>) -> Context {
    let task = fields.text("task");
    let feature_id = fields.text("feature_id");
    if let Some(id) = &feature_id
        && !id.starts_with("feat-")
    {
        let message = format!("must begin with feat-, got \"{}\"", quoted(id));
        fields.doubtful("feature_id", Code::FeatureIdForm, message);
    }
    Context {
        task,
        feature_id,
        service: fields.text("service"),
    }
}

fn severity(fields: &mut Fields<'_, '_>, mode: Mode) -> Option<Severity> {
    let text = fields.text("severity")?;
    match Severity::of_review(&text).filter(|_| mode == Mode::Import) {
        Some(severity) => {
            let message = format!("\"{text}\" is a word of reviews: read as {severity}");
            let fix = fields.doubtful("severity", Code::SeverityOfReview, message);
            *fix = Some(severity.to_string());
            Some(severity)
        }
        None => fields.parse("severity", &text, Code::WordUnknown),
    }
}

fn pattern(
    fields: &mut Fields<'_, '_>,
    correction_type: Option<CorrectionType>,
    mode: Mode,
) -> Option<PatternName> {
    const KEY: &str = "pattern_inferred";
    let text = fields.text(KEY)?;
    let name = match PatternName::new(&text) {
        Ok(name) => name,
        Err(error) => other_name(fields, &text, error, mode)?,
    };
    if name.as_str().len() < SHORT {
        let message = format!("\"{}\" describes nothing", name.as_str());
        fields.doubtful(KEY, Code::PatternShort, message);
    }
    if let (Some(common), Some(found)) = (name.common(), correction_type)
        && common.correction_type != found
    {
        let message = format!(
            "\"{}\" goes with {}, and the type is {found}",
            common.name, common.correction_type
        );
        fields.doubtful(KEY, Code::PatternOtherType, message);
    }
    Some(name)
}

/// The name that a text in another case stands for, where that is taken.
fn other_name(
    fields: &mut Fields<'_, '_>,
    text: &str,
    error: PatternNameError,
    mode: Mode,
) -> Option<PatternName> {
    const KEY: &str = "pattern_inferred";
    let converted = PatternName::converted(text);
    let fix = converted.as_ref().map(|name| name.as_str().to_owned());
    if let Some(name) = converted.filter(|_| mode == Mode::Import) {
        let message = format!("read as \"{}\"", name.as_str());
        *fields.doubtful(KEY, Code::PatternConverted, message) = fix;
        return Some(name);
    }
    let (code, message) = match error {
        PatternNameError::NotKebab => (
            Code::PatternNotKebab,
            format!("{error}, got \"{}\"", quoted(text)),
        ),
        PatternNameError::TooLong => (Code::PatternTooLong, error.to_string()),
    };
    *fields.wrong(KEY, code, message) = fix;
    None
}
