//! `lint`, `verdict` and `gate`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgGroup, Args, ValueEnum as _};
use review_agents::Chain;
use review_config::FailLevel;
use review_lint::{RuleChoice, Selection, Selector, UnknownRule};
use review_schema::{Dialect, Mode};
use review_types::AllowedChange;

use super::values::{FAIL_LEVEL, count, one_of};
use super::{GateFormat, LimitArgs, LintFormat, PlainFormat};

/// Check specs and tasks with the rules of the embedded reviewer.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("fixing").args(["fix", "diff"]).multiple(true))]
pub(crate) struct LintArgs {
    /// Files and folders [default: specs and tasks of the root and of those below
    /// it].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The lowest severity that makes the exit code 1 [default: error]; the
    /// verdict alone never does, so needs_revision by scores without such a
    /// finding exits 0.
    #[arg(long, value_name = "LEVEL", value_parser = one_of(FAIL_LEVEL))]
    pub(crate) fail_level: Option<FailLevel>,
    /// Which rules are on.
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    /// Apply the safe fixes.
    #[arg(long)]
    pub(crate) fix: bool,
    /// Print as a unified diff what --fix would change, and change nothing; the
    /// exit code is 1 if there is anything to change. Allows no --format.
    #[arg(long)]
    pub(crate) diff: bool,
    /// With --fix or --diff, apply also fixes that touch commands,
    /// dependencies or ids, or that delete text.
    #[arg(long, requires = "fixing")]
    pub(crate) unsafe_fixes: bool,
    /// Check standard input as if it were the file PATH; with --fix, print it
    /// fixed.
    #[arg(long, value_name = "PATH", conflicts_with = "paths")]
    pub(crate) stdin_path: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: LintFormat,
}

/// Which rules are on.
#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// Rules that are on, in place of what the configuration says: codes,
    /// names, groups such as B, or ALL; separated by commas. +B adds to them.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = selector::<Selection>)]
    select: Option<Vec<Selection>>,
    /// Rules that are off.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = selector::<Selector>)]
    ignore: Vec<Selector>,
}

impl RuleArgs {
    /// What they say.
    pub(crate) fn choice(&self) -> RuleChoice {
        RuleChoice {
            select: self.select.clone(),
            ignore: self.ignore.clone(),
        }
    }
}

fn selector<S: FromStr<Err = UnknownRule>>(word: &str) -> Result<S, String> {
    word.parse().map_err(|unknown: UnknownRule| {
        let hint = match unknown.nearest.first() {
            Some(name) => format!("did you mean {name}?"),
            None => "`ralph explain` lists the rules".to_owned(),
        };
        format!("{unknown}; {hint}")
    })
}

/// Read a reviewer's answer.
#[derive(Debug, Args)]
pub(crate) struct VerdictArgs {
    /// The file with the answer; - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// How much is repaired: tolerant or strict.
    #[arg(long, default_value_t)]
    pub(crate) mode: Mode,
    /// The form of the answer: verdict, afp or actionable.
    #[arg(long, default_value_t)]
    pub(crate) dialect: Dialect,
    /// The id that the prompt asked the answer to carry.
    #[arg(long, value_name = "ID")]
    pub(crate) review_id: Option<String>,
    /// Read lines {"id","text"} or {"id","text_b64"} and print one line each.
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Check that completed tasks are complete.
#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    /// The specs, or folders of roots [default: all].
    #[arg(value_name = "SPEC")]
    pub(crate) specs: Vec<String>,
    /// Use records only; run and review nothing.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Check what this run left.
    #[arg(long, value_name = "RUN")]
    pub(crate) from_run: Option<String>,
    /// Fail also where a task does not claim to be complete.
    #[arg(long)]
    pub(crate) require_all: bool,
    /// Compare what decides, such as commands, listed tests and thresholds, with the
    /// commit that REF and HEAD have last had in common.
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// Let a difference from the base pass; may be given several times.
    #[arg(long, value_name = "CODE:SUBJECT", requires = "base")]
    pub(crate) allow: Vec<AllowedChange>,
    /// How many commands of independent tasks run at a time [default: 1].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) jobs: Option<NonZeroU32>,
    /// Who reviews what has no record, as for `ralph run`.
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    pub(crate) reviewer: Option<Chain>,
    /// What the check may use up.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: GateFormat,
    /// Write a report to a file as well; may be given several times.
    #[arg(long, value_name = "FORMAT=PATH")]
    pub(crate) output: Vec<GateOutput>,
}

/// A report that `gate` writes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GateOutput {
    /// Its format.
    pub(crate) format: GateFormat,
    /// The file.
    pub(crate) path: PathBuf,
}

impl FromStr for GateOutput {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, path) = text
            .split_once('=')
            .filter(|(_, path)| !path.is_empty())
            .ok_or("write FORMAT=PATH, such as junit=gate.xml")?;
        let format = GateFormat::from_str(format, false).map_err(|_| {
            format!(
                "\"{format}\" is not a valid format; use human, json, junit, github, markdown, sarif or gitlab"
            )
        })?;
        Ok(Self {
            format,
            path: path.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_a_format_and_a_path() {
        assert_eq!(
            "junit=a=b.xml".parse(),
            Ok(GateOutput {
                format: GateFormat::Junit,
                path: "a=b.xml".into()
            })
        );
        for (text, message) in [
            ("junit", "write FORMAT=PATH, such as junit=gate.xml"),
            ("junit=", "write FORMAT=PATH, such as junit=gate.xml"),
            (
                "xml=a",
                "\"xml\" is not a valid format; use human, json, junit, github, markdown, sarif or gitlab",
            ),
        ] {
            assert_eq!(text.parse::<GateOutput>(), Err(message.to_owned()));
        }
    }
}
