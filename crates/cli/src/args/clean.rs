//! `clean`.

use std::time::Duration;

use clap::{ArgGroup, Args};
use review_document::parse_age;

use super::PlainFormat;

/// Remove runs and their checkouts, or list those that can be removed.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("selecting").args(["runs", "older_than"]).multiple(true))]
pub(crate) struct CleanArgs {
    /// The runs to remove: latest, latest~N, beginnings or ends of ids, or run folders.
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Remove the runs that were started longer ago than this, such as 30d or 12h; of one
    /// that stays, only the checkouts whose work has landed.
    #[arg(long, value_name = "D", value_parser = age)]
    pub(crate) older_than: Option<Duration>,
    /// Remove also runs that could be resumed, and what is left of those whose journals are
    /// lost.
    #[arg(long, requires = "selecting")]
    pub(crate) force: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

fn age(text: &str) -> Result<Duration, String> {
    parse_age(text).ok_or_else(|| "must be a time such as 30d or 12h".to_owned())
}
