//! `ralph corrections list`.

use clap::{Args, ValueEnum};
use review_learning::corrections::Stats;
use review_report::corrections::{
    CorrectionList, CorrectionStats, ListedCorrection, correction, stats,
};

use super::{each, patterns};
use crate::args::{PlainFormat, whole};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};

#[derive(Debug, Args)]
pub(crate) struct ListCorrectionsArgs {
    /// The line to show with all that it holds.
    #[arg(value_parser = whole::<u64>)]
    line: Option<u64>,
    /// Group them: what is corrected again and again, how sure that is and whether it
    /// is enough for a lesson (pattern), or numbers and what they weigh.
    #[arg(long, value_enum, conflicts_with = "line")]
    by: Option<By>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// What corrections are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Pattern,
    Agent,
    Type,
}

/// Groups the corrections, shows one, or lists them line by line.
pub(super) fn run(context: &mut Context, args: &ListCorrectionsArgs) -> CommandResult {
    let mut counted = Stats::default();
    match args.by {
        Some(By::Pattern) => return patterns::run(context, args.format),
        Some(By::Agent) => each(context, |_, one| counted.add(one.agent.as_str(), &one))?,
        Some(By::Type) => each(context, |_, one| {
            counted.add(one.correction_type.as_str(), &one);
        })?,
        None => return list(context, args),
    }
    context.show(args.format, &CorrectionStats { stats: counted }, stats)
}

fn list(context: &mut Context, args: &ListCorrectionsArgs) -> CommandResult {
    let mut corrections = Vec::new();
    each(context, |line, correction| {
        if args.line.is_none_or(|meant| meant == line) {
            corrections.push(ListedCorrection {
                line,
                impact: correction.impact(),
                correction,
            });
        }
    })?;
    let Some(line) = args.line else {
        let list = CorrectionList { corrections };
        return context.show(args.format, &list, |list| {
            let lines = list.corrections.iter();
            lines.map(ListedCorrection::human).collect()
        });
    };
    let found = corrections.first().ok_or_else(|| {
        let error = CommandError::nothing(format!("line {line} has no correction"));
        error.hint("`ralph corrections list` shows the lines")
    })?;
    context.show(args.format, found, correction)
}
