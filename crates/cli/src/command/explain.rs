//! `ralph explain`: what the codes of reports mean.

use clap::Args;
use review_report::explain::{
    Explanations, UnknownWord, entries, find, group, listing, overview, pages,
};
use review_types::ExitCode;

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What to explain: a code, a group such as block-codes, a group of rules such
    /// as B, or ALL for all rules [default: an overview].
    code: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Prints what a code means, or lists all codes.
pub(crate) fn run(context: &mut Context, args: &ExplainArgs) -> CommandResult {
    let of_group = args.code.as_deref().and_then(group);
    let is_group = of_group.is_some();
    let found = match (of_group, &args.code) {
        (Some(found), _) => found,
        (None, None) => entries(),
        (None, Some(word)) => find(word).map_err(unknown)?,
    };
    match args.format {
        PlainFormat::Human if args.code.is_none() => context.streams.print(&overview())?,
        PlainFormat::Human if is_group => context.streams.print(&listing(&found))?,
        PlainFormat::Human => context.streams.print(&pages(&found))?,
        PlainFormat::Json => context.streams.print_json(&Explanations::new(found))?,
    }
    Ok(ExitCode::Passed)
}

fn unknown(unknown: UnknownWord) -> CommandError {
    let error = CommandError::new(unknown.to_string());
    match unknown.near.as_slice() {
        [] => error.hint("`ralph explain` lists what there is"),
        near => error.hint(format!("did you mean {}?", near.join(" or "))),
    }
}
