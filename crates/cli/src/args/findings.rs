//! `findings`, `approve` and `guide`.

use std::fmt;
use std::str::FromStr;

use clap::{Args, Subcommand};
use review_types::{FindingId, TaskNumber};

use super::{FindingsFormat, Format, PlainFormat};

/// What is done with findings.
#[derive(Debug, Subcommand)]
pub(crate) enum FindingsCommand {
    /// List the findings of a run, those that were raised last first.
    List(ListFindingsArgs),
    /// Show a finding with its history.
    Show(ShowFindingArgs),
    /// Decide that a finding does not count, in the words that are shown and as
    /// long as the text that it is about stays as it is.
    Waive(SettleArgs),
    /// Decide that a finding counts, against the applier or an earlier waiver.
    Uphold(SettleArgs),
}

/// List the findings of a run, those that were raised last first.
#[derive(Debug, Args)]
pub(crate) struct ListFindingsArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    #[arg(default_value = "latest")]
    pub(crate) run: String,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: FindingsFormat,
}

/// The id of a finding, or the beginning of it, with or without `f-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingPrefix(String);

impl FindingPrefix {
    /// Whether the id starts so.
    pub(crate) fn matches(&self, id: &FindingId) -> bool {
        id.as_str().starts_with(&self.0)
    }
}

impl fmt::Display for FindingPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for FindingPrefix {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("f-").unwrap_or(text).to_ascii_lowercase();
        let is_short = (1..=12).contains(&digits.len());
        match is_short && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Self(format!("f-{digits}"))),
            false => Err("must be the id of a finding, such as f-0123456789ab, or its beginning"),
        }
    }
}

/// Show a finding with its history.
#[derive(Debug, Args)]
pub(crate) struct ShowFindingArgs {
    /// The finding: its id, or the beginning of it; the newest run that has it is
    /// shown.
    #[arg(value_name = "ID")]
    pub(crate) id: FindingPrefix,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Decide whether a finding counts.
#[derive(Debug, Args)]
pub(crate) struct SettleArgs {
    /// The finding: its id, or the beginning of it.
    #[arg(value_name = "ID")]
    pub(crate) id: FindingPrefix,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
}

/// Approve a run despite its review, or accept the change of a held task.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    pub(crate) run: String,
    /// The held task whose change goes on as it is.
    #[arg(long, value_name = "ID", requires = "why", value_parser = task_number)]
    pub(crate) task: Option<TaskNumber>,
    /// Who approves [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Why the change of the task is accepted.
    #[arg(long, value_name = "TEXT", requires = "task")]
    pub(crate) why: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

pub(super) fn task_number(text: &str) -> Result<TaskNumber, &'static str> {
    let number = text.parse().ok().and_then(TaskNumber::new);
    number.ok_or("must be the number of a task")
}

/// Give guidance to the reviewer and the applier of a run.
#[derive(Debug, Args)]
pub(crate) struct GuideArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    pub(crate) run: String,
    /// The guidance; it is given from the next round on.
    pub(crate) text: String,
}
