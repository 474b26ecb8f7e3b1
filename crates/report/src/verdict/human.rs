//! What an answer is read as, for users.

use review_schema::{Parsed, SchemaError};
use review_types::Verdict;

use super::{Reading, grave_item};
use crate::json::value;
use crate::style::{ERROR, GOOD, HINT, RESET, WARNING};
use crate::text::{fields, printable};

/// Returns a reading of an answer as users read it.
#[must_use]
pub fn human(reading: &Reading) -> String {
    match &reading.0 {
        Ok(parsed) => review(parsed) + &fields(&value(reading), "  "),
        Err(error) => no_verdict(error),
    }
}

fn review(parsed: &Parsed) -> String {
    let review = &parsed.review;
    let style = match review.verdict() {
        Verdict::Pass => GOOD,
        Verdict::NeedsRevision => WARNING,
    };
    let scores = match &parsed.document {
        Some(document) if review.score().is_empty() => {
            let overall = document.overall_assessment.score.get();
            format!(", overall score {overall}, no criterion scored")
        }
        None if review.score().is_empty() => ", without scores".to_owned(),
        Some(_) | None => String::new(),
    };
    let escalated = if parsed.is_escalated() {
        ", left to a user"
    } else {
        ""
    };
    let verdict = review.verdict();
    match grave_item(parsed) {
        Some((at, severity)) => format!(
            "{ERROR}not a pass{RESET}: it accepts, but item {} is {severity}{scores}{escalated}\n",
            at + 1
        ),
        None => format!("{style}{verdict}{RESET}{scores}{escalated}\n"),
    }
}

fn no_verdict(error: &SchemaError) -> String {
    let place = error.at.map_or(String::new(), |at| format!(" (byte {at})"));
    let mut text = format!(
        "{ERROR}no verdict{RESET}: {}: {}{place}\n",
        printable(error.field.as_str()),
        printable(&error.message)
    );
    if let Some(hint) = &error.hint {
        text.push_str(&format!("  {HINT}hint{RESET}: {}\n", printable(hint)));
    }
    text
}
