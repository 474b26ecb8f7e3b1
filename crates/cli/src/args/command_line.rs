//! The command line as clap knows it: its commands, and what is near to a mistyped one.

use clap::builder::{PossibleValuesParser, StyledStr};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory as _, Error};
use review_document::near::nearest;

use super::Cli;

/// The values of arguments that a shell may complete, though others are also accepted.
#[derive(Clone, Debug)]
pub(crate) struct KnownValues {
    /// The words that can be explained.
    pub(crate) explained: Vec<String>,
    /// The formats that have schemas.
    pub(crate) schemas: Vec<String>,
    /// The backends that can review.
    pub(crate) reviewers: Vec<String>,
    /// The backends that can apply.
    pub(crate) appliers: Vec<String>,
    /// The backends that can implement.
    pub(crate) implementers: Vec<String>,
}

/// Returns the command line with known values, for the completions of a shell.
pub(crate) fn with_values(known: &KnownValues) -> Command {
    with_values_below(Cli::command(), known)
}

fn with_values_below(command: Command, known: &KnownValues) -> Command {
    let of_command = command.get_name().to_owned();
    let command = command.mut_args(|argument| {
        let values = match (of_command.as_str(), argument.get_id().as_str()) {
            ("explain", "code") => &known.explained,
            ("schema", "name") => &known.schemas,
            (_, "reviewer") => &known.reviewers,
            (_, "applier") => &known.appliers,
            (_, "implementer") => &known.implementers,
            _ => return argument,
        };
        with_possible(argument, values)
    });
    command.mut_subcommands(|command| with_values_below(command, known))
}

fn with_possible(argument: Arg, values: &[String]) -> Arg {
    // clap takes only what lives as long as the process, which ends after this.
    let values = values.iter().map(|value| &*value.clone().leak());
    argument.value_parser(PossibleValuesParser::new(values))
}

/// The words of the command that arguments name, as far as it is known.
pub(crate) fn command_words(arguments: &[String]) -> Vec<String> {
    let mut command = Cli::command();
    let mut words = Vec::new();
    for argument in arguments.iter().skip(1) {
        if let Some(below) = command.find_subcommand(argument) {
            command = below.clone();
            words.push(argument.clone());
        }
    }
    words
}

/// Adds to an unknown command those that it may mean, and to a missing RUN how to name one.
pub(crate) fn with_suggestions(mut error: Error, arguments: &[String]) -> Error {
    if let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::MissingRequiredArgument
        && missing.iter().any(|argument| argument == "<RUN>")
    {
        let latest = StyledStr::from("RUN is `latest` or what `ralph report` lists");
        let suggested = ContextValue::StyledStrs(vec![latest]);
        error.insert(ContextKind::Suggested, suggested);
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    if error.kind() != ErrorKind::InvalidSubcommand
        || error.get(ContextKind::SuggestedSubcommand).is_some()
    {
        return error;
    }
    let mut command = Cli::command();
    for argument in arguments {
        if let Some(below) = command.find_subcommand(argument) {
            command = below.clone();
        }
    }
    let names = command.get_subcommands().map(Command::get_name);
    let near: Vec<_> = nearest(unknown, names, 3)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if !near.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(near),
        );
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
