//! Checks of a line against the tables of the format.

use review_types::excerpt;

use super::json::LineJson;
use super::offset_timestamp::is_date;
use super::pattern::SHORT;
use super::{
    AiAction, Code, Confidence, Context, Correction, CorrectionType, DiagnosticSeverity, Mode,
    OffsetTimestamp, PatternName, PatternNameError, Reading, Severity, Source, UserCorrection,
};
use crate::diagnostic::Diagnostic;
use crate::object::{self, MAX_QUOTED, UnknownKeys, escaped, reading};

type Fields<'j, 'd> = object::Fields<'j, 'd, Code>;

/// The fields of a correction that are objects.
const OBJECTS: [&str; 3] = ["ai_action", "user_correction", "context"];

/// Checks a parsed line and builds a correction from it.
pub(super) fn checked(line: &LineJson, number: u64, mode: Mode) -> Reading {
    let mut read = reading(&line.value, UnknownKeys::WarnIfSimilar, |fields| {
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
        let message = format!("duplicate key \"{}\"", excerpt(name, MAX_QUOTED));
        let path: Vec<_> = path.iter().map(|name| escaped(name)).collect();
        fields.wrong(&path.join("/"), Code::KeyTwice, message);
    }
}

/// The correction with all fields that could be read.
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
    let user_correction =
        fields.object("user_correction", |fields| user_correction(fields, source));
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

/// A required string, with a warning if it is blank.
fn named(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<String> {
    fields.require(key);
    let text = fields.text(key)?;
    if text.trim().is_empty() {
        fields.doubtful(key, Code::TextBlank, "is blank");
    }
    Some(text)
}

fn timestamp(fields: &mut Fields<'_, '_>, mode: Mode) -> Option<OffsetTimestamp> {
    fields.require("timestamp");
    let text = fields.text("timestamp")?;
    if let Some(moment) = OffsetTimestamp::new(&text) {
        return Some(moment);
    }
    let naive = OffsetTimestamp::naive(&text);
    let fix = naive.as_ref().map(|moment| moment.as_str().to_owned());
    match naive.filter(|_| mode == Mode::Import) {
        Some(moment) => {
            let message = "has no offset; read as UTC";
            *fields.doubtful("timestamp", Code::TimestampNaive, message) = fix;
            Some(moment)
        }
        None => {
            let text = excerpt(&text, MAX_QUOTED);
            let message = format!("expected an RFC 3339 time with an offset, found \"{text}\"");
            *fields.wrong("timestamp", Code::TimestampNotInstant, message) = fix;
            None
        }
    }
}

fn date(fields: &mut Fields<'_, '_>, timestamp: Option<&OffsetTimestamp>) -> Option<String> {
    let of_timestamp = timestamp.map(|moment| moment.date().to_owned());
    let Some(date) = fields.text("date") else {
        // Only import mode accepts a line without a date.
        return of_timestamp;
    };
    if !is_date(&date) {
        let message = format!(
            "expected a date such as 2026-03-01, found \"{}\"",
            excerpt(&date, MAX_QUOTED)
        );
        *fields.wrong("date", Code::DateNotDate, message) = of_timestamp;
        return None;
    }
    if let Some(of_timestamp) = of_timestamp.filter(|of_timestamp| *of_timestamp != date) {
        let message =
            format!("does not match the timestamp: expected {of_timestamp}, found {date}");
        *fields.wrong("date", Code::DateMismatch, message) = Some(of_timestamp);
    }
    Some(date)
}

fn user_correction(fields: &mut Fields<'_, '_>, source: Option<Source>) -> Option<UserCorrection> {
    let summary = named(fields, "summary");
    let verbatim = fields.text("verbatim");
    if source == Some(Source::Explicit) && !fields.has("verbatim") {
        let message = "an explicit correction must quote the user's own words";
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
        let message = format!(
            "expected an id that starts with feat-, found \"{}\"",
            excerpt(id, MAX_QUOTED)
        );
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
            let message = format!("\"{text}\" is a severity of reviews; read as {severity}");
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
        let message = format!("\"{}\" is too short to describe a pattern", name.as_str());
        fields.doubtful(KEY, Code::PatternShort, message);
    }
    if let (Some(common), Some(found)) = (name.common(), correction_type)
        && common.correction_type != found
    {
        let message = format!(
            "\"{}\" belongs to the type {}, found {found}",
            common.name, common.correction_type
        );
        fields.doubtful(KEY, Code::PatternOtherType, message);
    }
    Some(name)
}

/// The converted name for a string in another case, if import mode accepts it.
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
            format!(
                "{error}, found \"{}\"{}",
                excerpt(text, MAX_QUOTED),
                match fix {
                    Some(_) => "; `ralph corrections validate --fix` converts it",
                    None => "",
                }
            ),
        ),
        PatternNameError::TooLong => (Code::PatternTooLong, error.to_string()),
    };
    *fields.wrong(KEY, code, message) = fix;
    None
}
