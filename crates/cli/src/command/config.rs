//! `ralph config`: every key with its value and origin.

use clap::Args;
use review_report::config::{ConfigReport, ShownKey, human};

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Prints the configuration of the current folder's root.
pub(crate) fn run(context: &mut Context, args: &ConfigArgs) -> CommandResult {
    let root = context.current_root();
    let settings = context.settings(&root, &[])?;
    let keys = settings.entries().map(|(key, value, origin)| ShownKey {
        key: &key.name,
        value,
        origin: origin.to_string(),
    });
    let report = ConfigReport {
        keys: keys.collect(),
    };
    context.show(args.format, &report, human)
}
