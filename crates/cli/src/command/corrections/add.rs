//! `ralph corrections add`.

use clap::Args;
use review_learning::corrections::{CorrectionType, Severity};
use std::path::Path;
use std::path::PathBuf;

use review_learning::corrections::{Line, Lines, Mode, Source, Validation};
use review_store::LineFile;
use review_types::{ExitCode, Timestamp, plural};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::data_file;
use crate::args::PlainFormat;
use crate::clock::now;
use crate::command::input::{self, STDIN};
use crate::context::Context;
use crate::error::{CommandError, CommandResult, OrContext};
use crate::output::Version;
use review_report::shown;

#[derive(Debug, Args)]
pub(crate) struct AddCorrectionArgs {
    /// The correction; without it, standard input holds one or many, a JSON object a
    /// line or one over several lines, whose further fields are kept as well.
    #[command(flatten)]
    correction: CorrectionArgs,
    /// The file to append to [default: .claude/user-corrections.jsonl of the
    /// root].
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
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
    /// The tool that the agent used.
    #[arg(long, value_name = "TOOL")]
    tool_used: Option<String>,
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
    /// The feature, such as feat-042.
    #[arg(long, value_name = "ID")]
    feature_id: Option<String>,
    /// How much it matters: high, medium or low.
    #[arg(long)]
    severity: Option<Severity>,
    /// How it came to be known: explicit or implicit [default: explicit].
    #[arg(long)]
    source: Option<Source>,
}

/// The result of `corrections add --format json`.
#[derive(Serialize)]
struct Added {
    v: Version,
    path: String,
    added: u64,
    diagnostics: Vec<review_learning::corrections::Diagnostic>,
}

/// Appends what is valid.
pub(super) fn run(context: &mut Context, args: &AddCorrectionArgs) -> CommandResult {
    let file = data_file(context, args.to.as_deref())?;
    let mut validation = Validation::new(Mode::Default);
    match &args.correction.agent {
        Some(_) => add_one(&file, &args.correction, &mut validation)?,
        None => {
            let input = input::open(context, Path::new(STDIN))?;
            add_lines(&file, input, &mut validation)?;
        }
    }
    if validation.count() == 0 {
        let error = CommandError::new("no correction to add");
        return Err(error.hint("give one on standard input, or --agent and the other options"));
    }
    let code = if validation.is_valid() {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    };
    let added = Added {
        v: Version,
        path: shown(context.environment.folder(), &file),
        added: validation.valid(),
        diagnostics: validation.into_diagnostics(),
    };
    match args.format {
        PlainFormat::Human => tell(context, &added)?,
        PlainFormat::Json => context.streams.print_json(&added)?,
    }
    Ok(code)
}

fn tell(context: &mut Context, added: &Added) -> Result<(), CommandError> {
    for diagnostic in &added.diagnostics {
        context
            .streams
            .tell(&review_report::diagnostic("input", diagnostic));
    }
    let count = usize::try_from(added.added).unwrap_or(usize::MAX);
    let count = plural(count, "correction", "corrections");
    context
        .streams
        .print(&format!("added {count} to {}\n", added.path))
}

/// Appends the correction that the options make.
fn add_one(
    file: &Path,
    args: &CorrectionArgs,
    validation: &mut Validation,
) -> Result<(), CommandError> {
    let text = object(args, now()).to_string();
    if let Some(correction) = validation.line(1, Line::Whole(text.as_bytes())) {
        let line = serde_json::to_vec(&correction).context("cannot write the correction")?;
        let mut lines = LineFile::open(file).map_err(cannot_append)?;
        lines.append(&line).map_err(cannot_append)?;
        lines.sync().map_err(cannot_append)?;
    }
    Ok(())
}

/// Appends each valid line of an input as it comes, with all that it holds.
fn add_lines(
    file: &Path,
    input: input::Input,
    validation: &mut Validation,
) -> Result<(), CommandError> {
    let mut target: Option<LineFile> = None;
    let mut lines = Lines::new(input);
    loop {
        let next = lines.next().context("cannot read standard input")?;
        let Some((number, line)) = next else {
            break;
        };
        // The last line of an input needs no line end.
        let line = match line {
            Line::Unended(text) => Line::Whole(text),
            other => other,
        };
        if validation.line(number, line).is_none() {
            continue;
        }
        let Line::Whole(text) = line else {
            continue;
        };
        let target = match &mut target {
            Some(target) => target,
            None => target.insert(LineFile::open(file).map_err(cannot_append)?),
        };
        target.append(text.trim_ascii()).map_err(cannot_append)?;
    }
    target.map_or(Ok(()), |target| target.sync().map_err(cannot_append))
}

/// The members that the options give, and the others that every correction has.
fn object(args: &CorrectionArgs, now: Timestamp) -> Json {
    let timestamp = now.to_string();
    let mut line = json!({
        "date": timestamp.get(..10),
        "timestamp": timestamp,
        "agent": args.agent,
        "correction_type": args.correction_type,
        "ai_action": {
            "summary": args.ai_action,
            "tool_used": args.tool_used,
            "file": args.file,
        },
        "user_correction": {
            "summary": args.user_correction,
            "verbatim": args.verbatim,
        },
        "pattern_inferred": args.pattern_inferred,
        "context": {
            "task": args.task,
            "feature_id": args.feature_id,
        },
        "severity": args.severity,
        "source": args.source.unwrap_or(Source::Explicit),
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

fn cannot_append(error: review_store::FileError) -> CommandError {
    CommandError::new(error.to_string())
}
