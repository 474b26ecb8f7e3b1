//! `ralph corrections list`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use review_learning::corrections::{Line, Lines, Mode, Stats, read};
use review_report::corrections::{
    CorrectionList, CorrectionStats, ListedCorrection, ShownCorrection, correction, stats,
};
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
}

/// Shows a line, groups the corrections, or lists them line by line.
pub(super) fn run(context: &mut Context, args: &ListCorrectionsArgs) -> CommandResult {
    match (args.line(), args.by) {
        (Some(line), _) => show(context, line, args),
        (None, Some(By::Pattern)) => patterns::run(context, args),
        (None, Some(by @ (By::Agent | By::Type))) => grouped(context, by, args),
        (None, None) => list(context, args),
    }
}

fn list(context: &mut Context, args: &ListCorrectionsArgs) -> CommandResult {
    let mut corrections = Vec::new();
    each(context, args.file(), |line, correction| {
        corrections.push(ListedCorrection {
            line,
            impact: correction.impact(),
            correction,
        });
    })?;
    let list = CorrectionList { corrections };
    context.show(args.format, &list, |list| {
        let lines = list.corrections.iter();
        lines.map(ListedCorrection::human).collect()
    })
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

/// Counts the corrections.
fn grouped(context: &mut Context, by: By, args: &ListCorrectionsArgs) -> CommandResult {
    let mut counted = Stats::default();
    each(context, args.file(), |_, correction| {
        let name = match by {
            By::Agent | By::Pattern => correction.agent.as_str(),
            By::Type => correction.correction_type.as_str(),
        };
        counted.add(name, &correction);
    })?;
    context.show(args.format, &CorrectionStats { stats: counted }, stats)
}
