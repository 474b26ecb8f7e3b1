//! `ralph explain`: what the codes of reports mean.

use clap::Args;
use review_report::explain::{Explanations, entries, find, overview, pages};

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
    let Some(word) = &args.code else {
        let all = Explanations { entries: entries() };
        return context.show(args.format, &all, |_| overview());
    };
    let found = find(word).map_err(|near| unknown(word, &near))?;
    let text = pages(&found);
    context.show(args.format, &Explanations { entries: found }, |_| text)
}

fn unknown(word: &str, near: &[String]) -> CommandError {
    let error = CommandError::new(format!("nothing is called \"{word}\""));
    match near {
        [] => error.hint("`ralph explain` lists what there is"),
        near => error.hint(format!("did you mean {}?", near.join(" or "))),
    }
}
