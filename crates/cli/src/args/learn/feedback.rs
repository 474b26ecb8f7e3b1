//! `learn collect`, `list`, `show` and `prune`.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use review_document::parse_age;
use review_learning::feedback::{FeedbackType, Severity};
use review_types::Timestamp;

use crate::args::{Format, PlainFormat};

/// Collect the feedback of runs and corrections that is not there yet.
#[derive(Debug, Args)]
#[command(after_help = COLLECT_EXAMPLES)]
pub(crate) struct CollectArgs {
    /// The run: its id, the beginning of it, a run folder, or latest [default:
    /// all runs, and the corrections of the root].
    pub(crate) run: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

const COLLECT_EXAMPLES: &str = "\
Examples:
  ralph learn collect
  ralph learn collect latest --format jsonl

Runs are collected by themselves when they end. What was collected is not
collected again.

Exit codes: 0 collected, also if nothing is new, 2 nothing is learned here, or an
input cannot be read.";

/// List the feedback that was collected.
#[derive(Debug, Args)]
#[command(after_help = ENTRIES_EXAMPLES)]
pub(crate) struct LearnEntriesArgs {
    /// Feedback of this agent alone.
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Feedback of this type alone.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) feedback_type: Option<FeedbackType>,
    /// Feedback of this severity alone: low, medium, high or critical.
    #[arg(long)]
    pub(crate) severity: Option<Severity>,
    /// Feedback since then alone: a date, an RFC 3339 instant, or a time before
    /// now such as 7d.
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// List the lessons with their state.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct LearnListArgs {
    /// The agent [default: all].
    pub(crate) agent: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const LIST_EXAMPLES: &str = "\
Examples:
  ralph learn list
  ralph learn list applier --format json

The states: proposed (waits for a decision), needs_words (waits for an instruction),
deferred, approved, applied (in a prompt), rejected.";

const ENTRIES_EXAMPLES: &str = "\
Examples:
  ralph learn entries --agent applier --since 7d
  ralph learn entries --type test_failure --severity high --format jsonl";

/// A time from which on something is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// This time.
    At(Timestamp),
    /// So long before now.
    Ago(Duration),
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let midnight = || format!("{text}T00:00:00Z").parse().ok();
        if let Some(at) = text.parse().ok().or_else(midnight) {
            return Ok(Self::At(at));
        }
        parse_age(text).map(Self::Ago).ok_or_else(|| {
            "must be a date such as 2026-03-01, an RFC 3339 instant, or a time such as 7d or 12h"
                .to_owned()
        })
    }
}

impl Since {
    /// The time, seen from `now`, where a duration is one from then on.
    pub(crate) fn ahead_of(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::Ago(ahead) => now.after(ahead),
        }
    }

    /// The time, seen from `now`.
    pub(crate) fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::Ago(ago) => now.before(ago),
        }
    }
}

/// Show an entry or a lesson with all that it holds.
#[derive(Debug, Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct LearnShowArgs {
    /// The id of the entry or the lesson, or the beginning of it.
    pub(crate) id: String,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  ralph learn show 0192f0c1
  ralph learn show 0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3 --format json";

/// Remove the entries that are too old or too many.
#[derive(Debug, Args)]
#[command(after_help = PRUNE_EXAMPLES)]
pub(crate) struct LearnPruneArgs {
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const PRUNE_EXAMPLES: &str = "\
Examples:
  ralph learn prune
  ralph learn prune --format json

How many entries of an agent are kept, and for how long, is said by
feedback_collection.retention; whatever collects prunes, too.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_a_timestamp_or_a_duration_before_now() {
        let now = Timestamp::from_unix_ms(10 * 86_400_000);
        for (text, ms) in [
            ("1970-01-02", 86_400_000),
            ("1970-01-02T00:00:01Z", 86_401_000),
            ("9d", 86_400_000),
            ("1w", 3 * 86_400_000),
            ("12h", 10 * 86_400_000 - 43_200_000),
            ("90s", 10 * 86_400_000 - 90_000),
        ] {
            let since: Since = text.parse().unwrap();
            assert_eq!(since.before(now).unix_ms(), ms, "{text}");
        }
        for text in ["", "d", "-1d", "yesterday", "1970-02-30", "7"] {
            assert!(text.parse::<Since>().is_err(), "{text}");
        }
    }
}
