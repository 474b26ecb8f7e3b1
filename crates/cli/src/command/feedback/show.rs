//! `ralph feedback show`.

use review_schema::actionable::{Diagnostic, Mode, read};
use review_types::actionable::{ActionableFeedback, FeedbackItem, Severity};
use review_types::{ExitCode, plural};
use serde::Serialize;

use super::input::files;
use crate::args::{FeedbackShowArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::style::{ERROR, FAINT, RESET, STRONG, WARNING};
use crate::output::{Version, printable};

/// The documents as they were read.
#[derive(Serialize)]
struct Shown {
    v: Version,
    documents: Vec<ActionableFeedback>,
}

/// Shows all documents that are valid, and tells of the others.
pub(crate) fn run(context: &mut Context, args: &FeedbackShowArgs) -> Ended {
    let files = files(context, &args.input)?;
    let mode: Mode = args.input.mode.into();
    let mut documents = Vec::new();
    let mut invalid = 0;
    for document in files.iter().flat_map(|file| &file.documents) {
        match read(&document.text, mode) {
            Ok((feedback, _)) => documents.push(feedback),
            Err(_) => {
                invalid += 1;
                let first = document.diagnostics.iter().find(|one| one.is_error());
                context.streams.warn(&invalid_document(first));
            }
        }
    }
    match args.format {
        PlainFormat::Human => {
            let texts: Vec<_> = documents.iter().map(human).collect();
            context.streams.print(&texts.join("\n"))?;
        }
        PlainFormat::Json => context.streams.print_json(&Shown {
            v: Version,
            documents,
        })?,
    }
    Ok(if invalid == 0 {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn invalid_document(first: Option<&Diagnostic>) -> String {
    let why = first.map_or(String::new(), |one| {
        format!(" (line {}: {}, {})", one.line, one.code, one.message)
    });
    format!("a document is not valid{why}; `ralph feedback validate` tells more")
}

fn human(feedback: &ActionableFeedback) -> String {
    let assessment = &feedback.overall_assessment;
    let iteration = feedback.iteration;
    let items = feedback.feedback_items.in_order();
    let mut text = format!(
        "{STRONG}{}{RESET} {FAINT}iteration {} of {} ({}), {}{RESET}\n{}, score {:.2}, {}\n  {}\n",
        printable(&feedback.target.path),
        iteration.number.get(),
        iteration.max.get(),
        iteration.phase,
        feedback.timestamp,
        assessment.verdict,
        assessment.score.get(),
        plural(items.len(), "item", "items"),
        printable(assessment.summary.as_str()),
    );
    for item in items {
        text.push_str(&human_item(item));
    }
    text
}

fn human_item(item: &FeedbackItem) -> String {
    let style = match item.severity {
        Severity::Critical | Severity::Major => ERROR,
        Severity::Minor | Severity::Suggestion => WARNING,
    };
    let mut text = format!(
        "\n{style}{}{RESET} {} {FAINT}{} {}{RESET}\n  issue: {}\n  action: {}\n  rationale: {}\n",
        item.severity,
        item.aspect,
        item.location.kind,
        printable(&item.location.reference),
        printable(item.issue.as_str()),
        printable(item.suggestion.action.as_str()),
        printable(item.suggestion.rationale.as_str()),
    );
    if let Some(example) = &item.suggestion.example {
        for line in example.lines() {
            text.push_str(&format!("    {FAINT}{}{RESET}\n", printable(line)));
        }
    }
    text
}
