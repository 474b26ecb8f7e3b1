//! `learn compare` and `learn stats`.

use std::num::NonZeroU32;

use clap::Args;

use super::PlainFormat;

/// Hold two versions of an agent's prompt against each other, by the runs that
/// used them.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_HELP)]
pub(crate) struct CompareArgs {
    /// The agent, such as reviewer or applier.
    pub(crate) agent: String,
    /// The version that the other one is held against, such as v1.
    #[arg(value_name = "vA", value_parser = version)]
    pub(crate) before: NonZeroU32,
    /// The version that may be better, such as v2.
    #[arg(value_name = "vB", value_parser = version)]
    pub(crate) after: NonZeroU32,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const COMPARE_HELP: &str = "\
The latest runs of each task under both versions are paired; where fewer than 10
tasks are common, the runs themselves are compared, which is weak evidence. There
are three looks, at 10, 15 and 20 pairs. The quality decides, by an exact
sign-flip test at .05 for all looks together; the rates of errors and of completed
runs must not worsen.

Examples:
  ralph learn compare reviewer v1 v2
  ralph learn compare applier 2 3 --format json

Exit codes: 0 better, or no evidence either way, 1 worse, 2 there is no such
version, or what is known of it cannot be read.";

/// Show how agents do under the versions of their prompts.
#[derive(Debug, Args)]
#[command(after_help = STATS_HELP)]
pub(crate) struct LearnStatsArgs {
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const STATS_HELP: &str = "\
A version is watched for its first 100 runs where the version before it had 20
runs or more: it is taken back by itself when it fails more often.

Examples:
  ralph learn stats
  ralph learn stats --format json";

/// Reads the number of a version, with or without the `v`.
fn version(text: &str) -> Result<NonZeroU32, String> {
    let number = text.strip_prefix('v').unwrap_or(text);
    let number = number.parse().ok().filter(|_| !number.starts_with('+'));
    number.ok_or_else(|| "must be a version such as v2".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_number_with_or_without_v() {
        for (text, expected) in [("v2", Some(2)), ("12", Some(12)), ("v1", Some(1))] {
            assert_eq!(version(text).ok().map(NonZeroU32::get), expected);
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
            assert!(version(text).is_err(), "{text}");
        }
    }
}
