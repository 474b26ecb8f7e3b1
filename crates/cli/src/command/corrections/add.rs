//! `ralph corrections add`.

use std::path::Path;

use clap::Args;
use review_learning::corrections::{
    CorrectionType, Diagnostic, Line, Lines, Mode, Severity, Validation,
};
use review_report::shown;
use review_store::LineFile;
use review_types::plural;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{append, data_file};
use crate::args::PlainFormat;
use crate::clock::now;
use crate::command::input::Input;
use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot, passed_if};

#[derive(Debug, Args)]
pub(crate) struct AddCorrectionArgs {
    /// The correction; without it, standard input holds one or many, a JSON object a
    /// line, whose further fields are kept as well.
    #[command(flatten)]
    correction: CorrectionArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// A correction in options.
#[derive(Debug, Args)]
#[group(id = "correction", multiple = true)]
#[group(requires_all = ["agent", "correction_type", "ai_action", "user_correction"])]
#[command(next_help_heading = "The correction")]
struct CorrectionArgs {
    /// The agent that was corrected.
    #[arg(long)]
    agent: Option<String>,
    /// What kind of correction it is: `code_quality`, `code_completeness`,
    /// `approach_rejection`, `expectation_mismatch`, `communication_gap` or
    /// `preference_conflict`.
    #[arg(long, value_name = "TYPE")]
    correction_type: Option<CorrectionType>,
    /// What the agent did, in a sentence.
    #[arg(long, value_name = "SUMMARY")]
    ai_action: Option<String>,
    /// The file that it is about, with a line after a colon.
    #[arg(long, value_name = "PATH[:LINE]")]
    file: Option<String>,
    /// What the user changed or said, in a sentence.
    #[arg(long, value_name = "SUMMARY")]
    user_correction: Option<String>,
    /// What the user said, word for word.
    #[arg(long, value_name = "TEXT")]
    verbatim: Option<String>,
    /// The pattern that it is an example of, in kebab case.
    #[arg(long, value_name = "NAME")]
    pattern_inferred: Option<String>,
    /// What was being worked on.
    #[arg(long)]
    task: Option<String>,
    /// How much it matters: high, medium or low.
    #[arg(long)]
    severity: Option<Severity>,
}

/// The result of `corrections add --format json`.
#[derive(Serialize)]
struct Added {
    path: String,
    added: u64,
    diagnostics: Vec<Diagnostic>,
}

/// Appends what is valid.
pub(super) fn run(context: &mut Context, args: &AddCorrectionArgs) -> CommandResult {
    let file = data_file(context)?;
    let mut validation = Validation::new(Mode::Default);
    match &args.correction.agent {
        Some(_) => {
            let line = correction(&args.correction).to_string();
            if let Some(correction) = validation.line(1, Line::Whole(line.as_bytes())) {
                append(&file, &serde_json::to_string(&correction)?)?;
            }
        }
        None => add_lines(&file, &mut validation)?,
    }
    if validation.count() == 0 {
        let error = CommandError::new("no correction to add");
        return Err(error.hint("give one on standard input, or --agent and the other options"));
    }
    let is_valid = validation.is_valid();
    let added = Added {
        path: shown(&context.environment.folder, &file),
        added: validation.valid(),
        diagnostics: validation.into_diagnostics(),
    };
    if args.format == PlainFormat::Human {
        for diagnostic in &added.diagnostics {
            let told = review_report::diagnostic("input", diagnostic);
            context.streams.tell(&told);
        }
    }
    context.show(args.format, &added, |added| {
        let count = usize::try_from(added.added).unwrap_or(usize::MAX);
        let count = plural(count, "correction", "corrections");
        format!("added {count} to {}\n", added.path)
    })?;
    passed_if(is_valid)
}

/// Appends each valid line of standard input as it comes, with all that it holds.
fn add_lines(file: &Path, validation: &mut Validation) -> Result<(), CommandError> {
    let mut target: Option<LineFile> = None;
    let mut lines = Lines::new(Input::standard().lines()?);
    while let Some((number, line)) = lines.next().map_err(cannot("read standard input"))? {
        // The last line of an input needs no line end.
        let line = match line {
            Line::Unended(text) => Line::Whole(text),
            other => other,
        };
        if let (Some(_), Line::Whole(text)) = (validation.line(number, line), line) {
            let target = match &mut target {
                Some(target) => target,
                None => target.insert(LineFile::open(file)?),
            };
            target.append(text.trim_ascii())?;
        }
    }
    target.map_or(Ok(()), |target| Ok(target.sync()?))
}

/// The members that the options give, and the others that every correction has.
fn correction(args: &CorrectionArgs) -> Json {
    let timestamp = now().to_string();
    let mut line = json!({
        "date": timestamp.get(..10),
        "timestamp": timestamp,
        "agent": args.agent,
        "correction_type": args.correction_type,
        "ai_action": {"summary": args.ai_action, "file": args.file},
        "user_correction": {"summary": args.user_correction, "verbatim": args.verbatim},
        "pattern_inferred": args.pattern_inferred,
        "context": {"task": args.task},
        "severity": args.severity,
        "source": "explicit",
    });
    drop_absent(&mut line);
    line
}

/// Removes members that are null, and objects that have none left.
fn drop_absent(value: &mut Json) {
    if let Json::Object(members) = value {
        members.values_mut().for_each(drop_absent);
        members.retain(|_, member| {
            !member.is_null() && member.as_object().is_none_or(|object| !object.is_empty())
        });
    }
}
