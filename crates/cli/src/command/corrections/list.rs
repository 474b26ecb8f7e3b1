//! `ralph corrections list`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use review_learning::corrections::{
    CorrectionType, Line, Lines, Mode, Selection, Severity, Stats, read,
};
use review_report::corrections::{
    CorrectionList, CorrectionStats, ListedCorrection, ShownCorrection, correction, stats,
};
use review_types::ExitCode;
use serde_json::Value as Json;

use super::{data_file, each, patterns};
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot};

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
    by: Option<By>,
    /// List corrections of this type alone.
    #[arg(long = "type", value_name = "TYPE")]
    correction_type: Option<CorrectionType>,
    /// List corrections of this agent alone.
    #[arg(long)]
    agent: Option<String>,
    /// List corrections of this pattern alone.
    #[arg(long)]
    pattern: Option<String>,
    /// List corrections of this severity alone: high, medium or low.
    #[arg(long)]
    severity: Option<Severity>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: PlainFormat,
}

/// What corrections are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Pattern,
    Agent,
    Type,
}

impl ListCorrectionsArgs {
    /// The line that is named; a file of such a name is given with its folder.
    fn line(&self) -> Option<u64> {
        self.line.as_ref()?.parse().ok()
    }

    pub(super) fn file(&self) -> Option<&Path> {
        match (&self.file, self.line()) {
            (Some(file), _) => Some(file),
            (None, Some(_)) => None,
            (None, None) => self.line.as_deref().map(Path::new),
        }
    }

    fn selection(&self) -> Selection {
        Selection {
            correction_type: self.correction_type,
            agent: self.agent.clone(),
            pattern: self.pattern.clone(),
            severity: self.severity,
        }
    }

    /// The end of a list: one without an entry is an error only where some were selected.
    fn ended(&self, is_empty: bool) -> CommandResult {
        Ok(match is_empty && self.selection() != Selection::default() {
            true => ExitCode::Nothing,
            false => ExitCode::Passed,
        })
    }
}

/// Shows a line, groups what is selected, or lists it line by line.
pub(super) fn run(context: &mut Context, args: &ListCorrectionsArgs) -> CommandResult {
    match (args.line(), args.by) {
        (Some(line), _) => show(context, line, args),
        (None, Some(By::Pattern)) => patterns::run(context, args),
        (None, Some(by @ (By::Agent | By::Type))) => grouped(context, by, args),
        (None, None) => list(context, args),
    }
}

fn list(context: &mut Context, args: &ListCorrectionsArgs) -> CommandResult {
    let selection = args.selection();
    let mut corrections = Vec::new();
    each(context, args.file(), |line, correction| {
        if selection.accepts(&correction) {
            corrections.push(ListedCorrection {
                line,
                impact: correction.impact(),
                correction,
            });
        }
    })?;
    let list = CorrectionList { corrections };
    context.show(args.format, &list, |list| {
        let lines = list.corrections.iter();
        lines.map(ListedCorrection::human).collect()
    })?;
    args.ended(list.corrections.is_empty())
}

/// Shows the line of a number.
fn show(context: &mut Context, line: u64, args: &ListCorrectionsArgs) -> CommandResult {
    let file = data_file(context, args.file())?;
    let no_line = || {
        let error = CommandError::nothing(format!("line {line} has no correction"));
        error.hint("`ralph corrections list` shows the lines")
    };
    if args.file().is_none() && !file.exists() {
        return Err(no_line());
    }
    let mut lines = Lines::new(context.input(&file)?.lines()?);
    loop {
        let next = lines.next();
        let next = next.map_err(cannot(format!("read {}", file.display())))?;
        let (number, found) = next.ok_or_else(no_line)?;
        if let (true, Line::Whole(text) | Line::Unended(text)) = (number == line, found) {
            return print_line(context, line, text, args.format);
        }
    }
}

fn print_line(context: &mut Context, line: u64, text: &[u8], format: PlainFormat) -> CommandResult {
    let reading = read(text, line, Mode::Import);
    for diagnostic in &reading.diagnostics {
        let told = review_report::diagnostic("line", diagnostic);
        context.streams.tell(&told);
    }
    let shown = ShownCorrection {
        line,
        impact: reading.object.map(|correction| correction.impact()),
        correction: serde_json::from_slice(text).unwrap_or(Json::Null),
    };
    context.show(format, &shown, correction)
}

/// Counts what is selected.
fn grouped(context: &mut Context, by: By, args: &ListCorrectionsArgs) -> CommandResult {
    let selection = args.selection();
    let mut counted = Stats::default();
    each(context, args.file(), |_, correction| {
        if selection.accepts(&correction) {
            let name = match by {
                By::Agent | By::Pattern => &correction.agent,
                By::Type => correction.correction_type.as_str(),
            };
            counted.add(name, &correction);
        }
    })?;
    let report = CorrectionStats { stats: counted };
    context.show(args.format, &report, stats)?;
    args.ended(report.stats.total.count == 0)
}
