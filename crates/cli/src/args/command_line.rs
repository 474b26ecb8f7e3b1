//! What is near to a mistyped command line.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;
use super::manual::example;

/// The words of the known command that arguments name.
pub(crate) fn command_words(arguments: &[String]) -> Vec<String> {
    let mut command = Cli::whole();
    let mut words = Vec::new();
    for argument in arguments.iter().skip(1) {
        if let Some(below) = command.find_subcommand(argument) {
            command = below.clone();
            words.push(argument.clone());
        }
    }
    words
}

/// Adds to a missing RUN how to name one, and to each missing argument an example.
pub(crate) fn with_suggestions(mut error: Error, arguments: &[String]) -> Error {
    if let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::MissingRequiredArgument
    {
        let is_run = missing.iter().any(|argument| argument == "<RUN>");
        let run = is_run.then(|| "RUN is `latest` or what `ralph report` lists".to_owned());
        let options = arguments.iter().filter(|word| word.starts_with("--"));
        let example = example(&command_words(arguments), &options.collect::<Vec<_>>());
        let example = example.map(|example| format!("an example is `{example}`"));
        let tips = run.into_iter().chain(example).map(StyledStr::from);
        let tips = ContextValue::StyledStrs(tips.collect());
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::whole().debug_assert();
    }
}
