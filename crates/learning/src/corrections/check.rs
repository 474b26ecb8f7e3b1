//! Checks of a line: conversions of import mode, then the shape, then the rules.

use std::sync::LazyLock;

use review_types::excerpt;
use serde_json::{Map, Value as Json};

use super::offset_timestamp::is_date;
use super::pattern::SHORT;
use super::{
    Code, Correction, DiagnosticSeverity, Mode, OffsetTimestamp, PatternName, PatternNameError,
    Reading, Severity, Source,
};
use crate::diagnostic::Diagnostic;
use crate::object::{Faults, MAX_QUOTED, Shape, UnknownKeys, reading, repeated_keys};

static SHAPE: LazyLock<Shape> = LazyLock::new(Shape::of::<Correction>);

/// Checks a line, whose value is given as well, and builds a correction from it.
pub(super) fn checked(line: &[u8], mut value: Json, number: u64, mode: Mode) -> Reading {
    let mut faults = Faults::default();
    faults.repeated(repeated_keys(line));
    if let Some(members) = value.as_object_mut() {
        if mode == Mode::Import {
            convert(members, &mut faults);
        }
        date(members, &mut faults);
        pattern(members, &mut faults);
    }
    let mut read = reading(value, &SHAPE, UnknownKeys::WarnIfSimilar, faults, rules);
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

/// Converts values of other programs to those of the format.
fn convert(members: &mut Map<String, Json>, faults: &mut Faults) {
    let converted = |members: &mut Map<String, Json>, key: &str, value: String| {
        members.insert(key.to_owned(), Json::from(value.clone()));
        Some(value)
    };
    if let Some(time) = text(members, "timestamp").and_then(OffsetTimestamp::naive) {
        let fix = converted(members, "timestamp", time.as_str().to_owned());
        let message = "has no offset; read as UTC";
        *faults.warning("/timestamp", Code::TimestampNaive, message) = fix;
    }
    if !members.contains_key("date")
        && let Some(date) = date_of_timestamp(members)
    {
        converted(members, "date", date);
    }
    if let Some(name) = text(members, "pattern_inferred")
        && PatternName::new(name).is_err()
        && let Some(name) = PatternName::converted(name)
    {
        let message = format!("read as \"{}\"", name.as_str());
        let fix = converted(members, "pattern_inferred", name.as_str().to_owned());
        *faults.warning("/pattern_inferred", Code::PatternConverted, message) = fix;
    }
    if let Some(word) = text(members, "severity")
        && let Some(severity) = Severity::of_review(word)
    {
        let message = format!("\"{word}\" is a severity of reviews; read as {severity}");
        let fix = converted(members, "severity", severity.to_string());
        *faults.warning("/severity", Code::SeverityOfReview, message) = fix;
    }
}

fn text<'j>(members: &'j Map<String, Json>, key: &str) -> Option<&'j str> {
    members.get(key)?.as_str()
}

fn date_of_timestamp(members: &Map<String, Json>) -> Option<String> {
    let time = OffsetTimestamp::new(text(members, "timestamp")?)?;
    Some(time.date().to_owned())
}

fn date(members: &Map<String, Json>, faults: &mut Faults) {
    let Some(date) = text(members, "date") else {
        return;
    };
    let of_timestamp = date_of_timestamp(members);
    if !is_date(date) {
        let date = excerpt(date, MAX_QUOTED);
        let message = format!("expected a date such as 2026-03-01, found \"{date}\"");
        *faults.error("/date", Code::DateNotDate, message) = of_timestamp;
    } else if let Some(expected) = of_timestamp.filter(|expected| expected != date) {
        let message = format!("does not match the timestamp: expected {expected}, found {date}");
        *faults.error("/date", Code::DateMismatch, message) = Some(expected);
    }
}

fn pattern(members: &Map<String, Json>, faults: &mut Faults) {
    let Some(text) = text(members, "pattern_inferred") else {
        return;
    };
    let Err(error) = PatternName::new(text) else {
        return;
    };
    let fix = PatternName::converted(text).map(|name| name.as_str().to_owned());
    let (code, message) = match error {
        PatternNameError::TooLong => (Code::PatternTooLong, error.to_string()),
        PatternNameError::NotKebab => {
            let hint = match fix {
                Some(_) => "; `ralph corrections validate --fix` converts it",
                None => "",
            };
            let text = excerpt(text, MAX_QUOTED);
            let message = format!("{error}, found \"{text}\"{hint}");
            (Code::PatternNotKebab, message)
        }
    };
    *faults.error("/pattern_inferred", code, message) = fix;
}

fn rules(correction: &Correction, faults: &mut Faults) {
    for (pointer, text) in [
        ("/agent", correction.agent.as_str()),
        ("/ai_action/summary", &correction.ai_action.summary),
        (
            "/user_correction/summary",
            &correction.user_correction.summary,
        ),
    ] {
        if text.trim().is_empty() {
            faults.warning(pointer, Code::TextBlank, "is blank");
        }
    }
    if correction.source == Source::Explicit && correction.user_correction.verbatim.is_none() {
        let message = "an explicit correction must quote the user's own words";
        faults.warning("/user_correction/verbatim", Code::VerbatimMissing, message);
    }
    let feature = correction
        .context
        .as_ref()
        .and_then(|it| it.feature_id.as_ref());
    if let Some(id) = feature.filter(|id| !id.starts_with("feat-")) {
        let id = excerpt(id, MAX_QUOTED);
        let message = format!("expected an id that starts with feat-, found \"{id}\"");
        faults.warning("/context/feature_id", Code::FeatureIdForm, message);
    }
    let Some(name) = &correction.pattern_inferred else {
        return;
    };
    if name.as_str().len() < SHORT {
        let message = format!("\"{}\" is too short to describe a pattern", name.as_str());
        faults.warning("/pattern_inferred", Code::PatternShort, message);
    }
    let found = correction.correction_type;
    if let Some(common) = name
        .common()
        .filter(|common| common.correction_type != found)
    {
        let message = format!(
            "\"{}\" belongs to the type {}, found {found}",
            common.name, common.correction_type
        );
        faults.warning("/pattern_inferred", Code::PatternOtherType, message);
    }
}
