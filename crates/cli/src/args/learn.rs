//! `learn` and `prompts`.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand};
use review_agents::Chain;
use review_config::Setting;
use review_document::parse_age;
use review_types::{Timestamp, Usd};

use super::PlainFormat;
use super::values::{amount, count};

/// What is learned from what went wrong; alone, the state and the next command.
#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<LearnCommand>,
}

/// What is done with feedback, lessons and prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// Collect feedback, propose lessons, and put what is approved into prompts.
    Run(LearnRunArgs),
    /// Look at the lessons that are proposed, and decide on them.
    Review(LearnReviewArgs),
    /// Decide on a lesson.
    Decide(DecideArgs),
    /// Show the lessons, one lesson or entry of feedback, or an agent's prompt.
    Show(LearnShowArgs),
    /// Show how agents do under the versions of their prompts.
    Stats(LearnStatsArgs),
    /// Go back to an earlier version of a prompt.
    Rollback(RollbackArgs),
}

/// Collect feedback, propose lessons, and put what is approved into prompts.
#[derive(Debug, Args)]
pub(crate) struct LearnRunArgs {
    /// The agent that is to learn [default: each of which there is feedback].
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Say in the events that the analysis was scheduled, as by cron.
    #[arg(long)]
    pub(crate) scheduled: bool,
    /// Who puts lessons into words: a backend as `run` takes it; several with
    /// commas between them are asked in turn [default: the
    /// reviewer of ralph.toml].
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    pub(crate) reviewer: Option<Chain>,
    /// Calls of it [default: that of lesson_extraction.max_calls].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_calls: Option<NonZeroU32>,
    /// Tokens that these calls read and write together [default: that of
    /// lesson_extraction.max_tokens].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_tokens: Option<NonZeroU32>,
    /// US dollars that these calls cost together, by the prices in [models.NAME]
    /// of ralph.toml [default: that of lesson_extraction.max_cost].
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub(crate) max_cost: Option<Usd>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

impl LearnRunArgs {
    /// What the options say in place of the configuration.
    pub(crate) fn overrides(&self) -> Option<Setting> {
        Setting::of_option("--reviewer", "reviewer", self.reviewer.as_ref())
    }
}

/// Look at what is proposed, and decide on it.
#[derive(Debug, Args)]
pub(crate) struct LearnReviewArgs {
    /// The agent [default: all].
    pub(crate) agent: Option<String>,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// How to print; only human asks for decisions, and only on a terminal.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Decide on a lesson.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("decision").required(true).args(["approve", "reject", "text", "until"]))]
pub(crate) struct DecideArgs {
    /// The lesson or the group that needs words: its id, or the beginning of it.
    pub(crate) id: String,
    /// Put it into the prompt of its agent, as a new version.
    #[arg(long)]
    pub(crate) approve: bool,
    /// Reject it for good; what stands in a prompt already is taken out of it.
    #[arg(long)]
    pub(crate) reject: bool,
    /// Word it; it stays proposed.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Put it off until then: a date, an RFC 3339 instant, or a time from now such
    /// as 7d.
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<Until>,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Show the lessons, one lesson or entry of feedback, or an agent's prompt.
#[derive(Debug, Args)]
pub(crate) struct LearnShowArgs {
    /// An agent, or the id of a lesson or of an entry, or the beginning of it [default:
    /// all lessons].
    #[arg(value_name = "AGENT|ID")]
    pub(crate) of: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Show how agents do under the versions of their prompts.
#[derive(Debug, Args)]
pub(crate) struct LearnStatsArgs {
    /// The agent, such as reviewer or applier [default: all].
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// The version that another one is compared with, such as v1.
    #[arg(value_name = "V1", requires = "after")]
    pub(crate) before: Option<VersionNumber>,
    /// The version that may be better, such as v2.
    #[arg(value_name = "V2")]
    pub(crate) after: Option<VersionNumber>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Go back to an earlier version of a prompt.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// Whose prompt: reviewer, applier, or another agent that learns.
    pub(crate) agent: String,
    /// The version to use from now on, such as 2 or v2, also a later one [default: the
    /// one that the present one was made from].
    #[arg(long, value_name = "N")]
    pub(crate) to: Option<VersionNumber>,
    /// Who decides on a version [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Why, for `ralph learn show AGENT`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// The number of a version, as `2` or `v2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VersionNumber(pub(crate) NonZeroU32);

impl FromStr for VersionNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix('v').unwrap_or(text);
        let number = number.parse().ok().filter(|_| !number.starts_with('+'));
        number
            .map(Self)
            .ok_or_else(|| "must be the number of a version, such as 2 or v2".to_owned())
    }
}

/// A time until which something is put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    At(Timestamp),
    /// So long from now.
    In(Duration),
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let midnight = || format!("{text}T00:00:00Z").parse().ok();
        if let Some(at) = text.parse().ok().or_else(midnight) {
            return Ok(Self::At(at));
        }
        parse_age(text).map(Self::In).ok_or_else(|| {
            "must be a date such as 2026-03-01, an RFC 3339 instant, or a time such as 7d or 12h"
                .to_owned()
        })
    }
}

impl Until {
    /// The time, seen from `now`.
    pub(crate) fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::In(time) => now.after(time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_a_timestamp_or_a_duration_from_now() {
        let now = Timestamp::from_unix_ms(86_400_000);
        for (text, ms) in [
            ("1970-01-02", 86_400_000),
            ("1970-01-02T00:00:01Z", 86_401_000),
            ("9d", 10 * 86_400_000),
            ("1w", 8 * 86_400_000),
            ("12h", 86_400_000 + 43_200_000),
            ("90s", 86_400_000 + 90_000),
        ] {
            let until: Until = text.parse().unwrap();
            assert_eq!(until.from(now).unix_ms(), ms, "{text}");
        }
        for text in ["", "d", "-1d", "yesterday", "1970-02-30", "7"] {
            assert!(text.parse::<Until>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_version_is_a_number_with_or_without_v() {
        for (text, expected) in [("v2", 2), ("12", 12), ("v1", 1)] {
            let version: VersionNumber = text.parse().unwrap();
            assert_eq!(version.0.get(), expected);
        }
        for text in [
            "",
            "v",
            "v0",
            "0",
            "-1",
            "+1",
            "vv1",
            "V1",
            "1.0",
            "4294967296",
        ] {
            assert!(text.parse::<VersionNumber>().is_err(), "{text}");
        }
    }
}
