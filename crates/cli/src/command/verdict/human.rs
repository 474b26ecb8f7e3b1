//! What became of an answer, for people.

use std::fmt::Write as _;

use review_schema::{Parsed, RepairClass, SchemaError};
use review_types::{Verdict, plural};

use super::reading::{Explained, Reading};
use crate::output::printable;
use crate::output::style::{ERROR, FAINT, GOOD, HINT, RESET, STRONG, WARNING};

/// The reading as a person reads it, with styles.
pub(super) fn render(reading: &Reading) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match &reading.result {
        Ok(parsed) => review(&mut text, parsed),
        Err(error) => no_verdict(&mut text, error),
    };
    if let Some(explained) = &reading.explained {
        let _ = candidates(&mut text, explained);
    }
    text
}

fn review(text: &mut String, parsed: &Parsed) -> std::fmt::Result {
    let review = &parsed.review;
    let style = match review.verdict() {
        Verdict::Pass => GOOD,
        Verdict::NeedsRevision => WARNING,
    };
    writeln!(text, "{style}{}{RESET}", review.verdict())?;
    for (name, score) in review.score().iter() {
        writeln!(text, "  {} {score}", printable(name.as_str()))?;
    }
    for item in review.feedback() {
        writeln!(text, "{STRONG}{}{RESET}", printable(item.section()))?;
        writeln!(text, "  issue: {}", printable(item.issue()))?;
        writeln!(text, "  suggestion: {}", printable(item.suggestion()))?;
    }
    for repair in &parsed.repairs {
        let guessed = match repair.class {
            RepairClass::Lossless => "",
            RepairClass::Guess => " (guessed)",
        };
        writeln!(
            text,
            "{FAINT}repaired {} at byte {}{guessed}{RESET}",
            repair.code, repair.at
        )?;
    }
    Ok(())
}

fn no_verdict(text: &mut String, error: &SchemaError) -> std::fmt::Result {
    let SchemaError {
        field,
        message,
        at,
        hint,
    } = error;
    let place = at.map_or(String::new(), |at| format!(" (byte {at})"));
    let message = printable(message);
    writeln!(
        text,
        "{ERROR}no verdict{RESET}: {}: {message}{place}",
        printable(&field.to_string())
    )?;
    if let Some(hint) = hint {
        writeln!(text, "  {HINT}hint{RESET}: {}", printable(hint))?;
    }
    Ok(())
}

fn candidates(text: &mut String, explained: &Explained) -> std::fmt::Result {
    let count = explained.candidates.len() + explained.left_off;
    writeln!(
        text,
        "{STRONG}{}{RESET}",
        plural(count, "object", "objects")
    )?;
    for candidate in &explained.candidates {
        let fate = printable(&candidate.fate);
        writeln!(
            text,
            "  bytes {}..{}: {fate}",
            candidate.start, candidate.end
        )?;
    }
    if explained.left_off > 0 {
        writeln!(text, "  and {} more", explained.left_off)?;
    }
    Ok(())
}
