//! `corrections`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use review_learning::corrections::{CorrectionType, Mode, Selection, Severity, Source};

use super::values::whole;
use super::{Format, PlainFormat};

/// What users corrected of the work of agents.
#[derive(Debug, Subcommand)]
pub(crate) enum CorrectionsCommand {
    /// Check files of corrections; a bad line hides no other.
    Validate(ValidateCorrectionsArgs),
    /// Append a correction: from the options, or from JSON on standard input.
    Add(Box<AddCorrectionArgs>),
    /// List corrections with their impact, show one, or group them.
    List(ListCorrectionsArgs),
    /// Remove one correction that is wrong.
    Remove(RemoveCorrectionArgs),
    /// Gather the corrections, findings and learnings of a folder into
    /// patterns.json, trends.json and promotion-log.jsonl.
    Import(ImportArgs),
    /// Read what a client's hook reports, and append a correction if it is one.
    Capture(CaptureArgs),
}

/// Which corrections are meant.
#[derive(Debug, Args)]
pub(crate) struct SelectionArgs {
    /// Corrections of this type alone.
    #[arg(long = "type", value_name = "TYPE")]
    correction_type: Option<CorrectionType>,
    /// Corrections of this agent alone.
    #[arg(long)]
    agent: Option<String>,
    /// Corrections of this pattern alone.
    #[arg(long)]
    pattern: Option<String>,
    /// Corrections of this severity alone: high, medium or low.
    #[arg(long)]
    severity: Option<Severity>,
    /// Explicit or implicit corrections alone.
    #[arg(long)]
    source: Option<Source>,
}

impl SelectionArgs {
    /// What they say.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            correction_type: self.correction_type,
            agent: self.agent.clone(),
            pattern: self.pattern.clone(),
            severity: self.severity,
            source: self.source,
        }
    }
}

/// List corrections with their impact, show one, or group them.
#[derive(Debug, Args)]
pub(crate) struct ListCorrectionsArgs {
    /// The line to show with all that it holds; or the file.
    #[arg(value_name = "LINE")]
    line: Option<String>,
    /// The file; - for standard input [default: .claude/user-corrections.jsonl
    /// of the root]. By pattern: the folder of the corrections and of the files beside
    /// them [default: .claude of the root].
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Group them: what is corrected again and again, how sure that is and whether it
    /// is enough for a lesson (pattern), or numbers and what they weigh.
    #[arg(long, value_enum)]
    pub(crate) by: Option<By>,
    /// Which corrections are meant.
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// What corrections are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Pattern,
    Agent,
    Type,
}

impl ListCorrectionsArgs {
    /// The line that is named; a file of such a name is given with its folder.
    pub(crate) fn line(&self) -> Option<u64> {
        self.line.as_ref()?.parse().ok()
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        match (&self.file, self.line()) {
            (Some(file), _) => Some(file),
            (None, Some(_)) => None,
            (None, None) => self.line.as_deref().map(Path::new),
        }
    }
}

/// Remove one correction that is wrong.
#[derive(Debug, Args)]
pub(crate) struct RemoveCorrectionArgs {
    /// The line, as `ralph corrections list` shows it.
    #[arg(value_parser = whole::<u64>)]
    pub(crate) line: u64,
    /// The file [default: .claude/user-corrections.jsonl of the root].
    pub(crate) file: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Gather the corrections, findings and learnings of a folder into
/// patterns.json, trends.json and promotion-log.jsonl.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The folder of the corrections and of the files beside them [default:
    /// .claude of the root].
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Read what a client's hook reports, and append a correction if it is one.
#[derive(Debug, Args)]
pub(crate) struct CaptureArgs {
    /// The agent that is corrected [default: the one that the hook names, else
    /// claude].
    #[arg(long)]
    pub(crate) agent: Option<String>,
}

/// Check files of corrections; a bad line hides no other.
#[derive(Debug, Args)]
pub(crate) struct ValidateCorrectionsArgs {
    /// The files; - for standard input [default: .claude/user-corrections.jsonl
    /// of the root].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How severe lines are read.
    #[arg(long, value_name = "MODE", default_value = "default", value_parser = mode)]
    pub(crate) mode: Mode,
    /// Write names of patterns in kebab case and the dates of timestamps, then
    /// check what is left.
    #[arg(long)]
    pub(crate) fix: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

fn mode(word: &str) -> Result<Mode, String> {
    let known = Mode::ALL.iter().find(|mode| mode.as_str() == word);
    known.copied().ok_or_else(|| {
        let words = Mode::ALL.map(Mode::as_str).join(" ");
        format!("must be one of [{words}]")
    })
}

/// Append a correction: from the options, or from JSON on standard input.
#[derive(Debug, Args)]
pub(crate) struct AddCorrectionArgs {
    /// The correction; without it, standard input holds one or many, a JSON object a
    /// line or one over several lines, whose further fields are kept as well.
    #[command(flatten)]
    pub(crate) correction: CorrectionArgs,
    /// The file to append to [default: .claude/user-corrections.jsonl of the
    /// root].
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// A correction in options.
#[derive(Debug, Args)]
#[group(id = "correction", multiple = true)]
#[group(requires_all = ["agent", "correction_type", "ai_action", "user_correction"])]
#[command(next_help_heading = "The correction")]
pub(crate) struct CorrectionArgs {
    /// The agent that was corrected.
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// What kind of correction it is: `code_quality`, `code_completeness`,
    /// `approach_rejection`, `expectation_mismatch`, `communication_gap` or
    /// `preference_conflict`.
    #[arg(long, value_name = "TYPE")]
    pub(crate) correction_type: Option<CorrectionType>,
    /// What the agent did, in a sentence.
    #[arg(long, value_name = "SUMMARY")]
    pub(crate) ai_action: Option<String>,
    /// The tool that the agent used.
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool_used: Option<String>,
    /// The file that it is about, with a line after a colon.
    #[arg(long, value_name = "PATH[:LINE]")]
    pub(crate) file: Option<String>,
    /// What the user changed or said, in a sentence.
    #[arg(long, value_name = "SUMMARY")]
    pub(crate) user_correction: Option<String>,
    /// What the user said, word for word.
    #[arg(long, value_name = "TEXT")]
    pub(crate) verbatim: Option<String>,
    /// The pattern that it is an example of, in kebab case.
    #[arg(long, value_name = "NAME")]
    pub(crate) pattern_inferred: Option<String>,
    /// What was being worked on.
    #[arg(long)]
    pub(crate) task: Option<String>,
    /// The feature, such as feat-042.
    #[arg(long, value_name = "ID")]
    pub(crate) feature_id: Option<String>,
    /// How much it matters: high, medium or low.
    #[arg(long)]
    pub(crate) severity: Option<Severity>,
    /// How it came to be known: explicit or implicit [default: explicit].
    #[arg(long)]
    pub(crate) source: Option<Source>,
}
