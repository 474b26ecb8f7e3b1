//! What an answer is read as, for users.

use review_schema::{Parsed, RepairClass, SchemaError};
use review_types::Verdict;

use super::{Reading, grave_item, is_beside_text};
use crate::style::{ERROR, FAINT, GOOD, HINT, RESET, STRONG, WARNING};
use crate::text::printable;

/// Returns a reading of an answer as users read it.
#[must_use]
pub fn human(reading: &Reading) -> String {
    match &reading.0 {
        Ok(parsed) => review(parsed),
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
    let mut text = match grave_item(parsed) {
        Some((at, severity)) => format!(
            "{ERROR}not a pass{RESET}: it accepts, but item {} is {severity}{scores}{escalated}\n",
            at + 1
        ),
        None => format!("{style}{verdict}{RESET}{scores}{escalated}\n"),
    };
    for (name, score) in review.score().iter() {
        text.push_str(&format!("  {} {score}\n", printable(name.as_str())));
    }
    for item in review.feedback() {
        let severity = match item.severity() {
            Some(severity) => format!("  severity: {severity}\n"),
            None => String::new(),
        };
        text.push_str(&format!(
            "{STRONG}{}{RESET}\n{severity}  issue: {}\n  suggestion: {}\n",
            printable(item.section()),
            printable(item.issue()),
            printable(item.suggestion())
        ));
    }
    if is_beside_text(parsed) {
        text.push_str(&format!(
            "{FAINT}not alone: a run asks a client for the object alone, and counts that of a program only with review_id and end_id{RESET}\n"
        ));
    }
    for repair in &parsed.repairs {
        let guessed = match repair.class {
            RepairClass::Lossless => "",
            RepairClass::Guess => " (guessed)",
        };
        text.push_str(&format!(
            "{FAINT}repaired {} at byte {}{guessed}{RESET}\n",
            repair.code, repair.at
        ));
    }
    text
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
