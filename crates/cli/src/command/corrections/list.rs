//! `ralph corrections list`.

use clap::{Args, ValueEnum};
use review_learning::corrections::{
    CorrectionType, Line, Lines, Mode, Selection, Severity, Source, Stats, read,
};
use review_report::corrections::{
    CorrectionList, CorrectionStats, ListedCorrection, ShownCorrection, correction, stats,
};
use review_types::ExitCode;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

use super::{data_file, each, input, patterns};
use crate::args::Format;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::{Version, to_json};

/// Which corrections are meant.
#[derive(Debug, Args)]
struct SelectionArgs {
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
    fn selection(&self) -> Selection {
        Selection {
            correction_type: self.correction_type,
            agent: self.agent.clone(),
            pattern: self.pattern.clone(),
            severity: self.severity,
            source: self.source,
        }
    }
}

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
    /// Which corrections are meant.
    #[command(flatten)]
    selection: SelectionArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
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
    let selection = args.selection.selection();
    let mut listed = Vec::new();
    let mut text = Vec::new();
    let mut failed = None;
    let mut count = 0;
    each(context, args.file(), |line, correction| {
        if !selection.accepts(&correction) {
            return;
        }
        count += 1;
        let is_line = args.format == Format::Jsonl;
        let item = ListedCorrection {
            v: is_line.then_some(Version),
            line,
            impact: correction.impact(),
            correction,
        };
        if args.format == Format::Human {
            text.extend_from_slice(item.human().as_bytes());
            return;
        }
        match (is_line, serde_json::to_value(&item)) {
            (false, Ok(value)) => listed.push(value),
            _ => match to_json(&item) {
                Ok(line) => text.extend(line),
                Err(error) => failed = Some(error),
            },
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    match args.format {
        Format::Human => context.streams.print(&String::from_utf8_lossy(&text))?,
        Format::Jsonl => context.streams.print_raw(&text)?,
        Format::Json => context.streams.print_json(&CorrectionList {
            v: Version,
            corrections: listed,
        })?,
    }
    Ok(if count == 0 && selection != Selection::default() {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}

/// Shows the line of a number.
fn show(context: &mut Context, line: u64, args: &ListCorrectionsArgs) -> CommandResult {
    let file = match args.file() {
        Some(path) if path == Path::new(input::STDIN) => path.to_owned(),
        named => data_file(context, named)?,
    };
    let no_line = || {
        let message = format!("line {line} has no correction");
        let error = CommandError::nothing(message);
        error.hint("`ralph corrections list` shows the lines")
    };
    if args.file().is_none() && !file.exists() {
        return Err(no_line());
    }
    let mut lines = Lines::new(input::open(context, &file)?);
    let cannot_read =
        |error| CommandError::new(format!("cannot read {}", file.display())).source(error);
    while let Some((number, found)) = lines.next().map_err(cannot_read)? {
        if number == line
            && let Line::Whole(text) | Line::Unended(text) = found
        {
            return print_line(context, line, text, args.format);
        }
    }
    Err(no_line())
}

fn print_line(context: &mut Context, line: u64, text: &[u8], format: Format) -> CommandResult {
    let reading = read(text, line, Mode::Import);
    let value: Json = serde_json::from_slice(text).unwrap_or(Json::Null);
    for diagnostic in &reading.diagnostics {
        context
            .streams
            .tell(&review_report::diagnostic("line", diagnostic));
    }
    let shown = ShownCorrection {
        v: Version,
        line,
        impact: reading.object.map(|correction| correction.impact()),
        correction: value,
    };
    match format {
        Format::Human => context.streams.print(&correction(&shown))?,
        Format::Json | Format::Jsonl => context.streams.print_json(&shown)?,
    }
    Ok(ExitCode::Passed)
}

/// Counts what is selected.
fn grouped(context: &mut Context, by: By, args: &ListCorrectionsArgs) -> CommandResult {
    let selection = args.selection.selection();
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
    let is_empty = counted.total.count == 0 && selection != Selection::default();
    let report = CorrectionStats {
        v: Version,
        stats: counted,
    };
    match args.format {
        Format::Human => context.streams.print(&stats(&report))?,
        Format::Json | Format::Jsonl => context.streams.print_json(&report)?,
    }
    Ok(if is_empty {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}
