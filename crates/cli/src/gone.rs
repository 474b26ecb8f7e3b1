//! Names of earlier versions, and how they are answered.

use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use review_config::GoneKey;

use crate::args::Cli;

/// The rows of `gone.txt`.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    include_str!("gone.txt")
        .lines()
        .filter_map(Row::read)
        .collect()
});

static KEYS: LazyLock<Vec<GoneKey>> = LazyLock::new(|| {
    let keys = ROWS.iter().filter(|row| row.option.is_none());
    let keys = keys.filter(|row| row.command.is_empty());
    keys.map(|Row { was, now, .. }| GoneKey { name: was, now })
        .collect()
});

/// The answer to `ralph status RUN`, which no parser can tell from `ralph status SPEC`.
pub(crate) const STATUS_OF_RUN: &str = "`ralph status RUN` is `ralph report RUN`";

/// A name of an earlier version.
#[derive(Debug)]
struct Row {
    was: &'static str,
    now: &'static str,
    /// The words of its command; empty for an option of several, and for a key.
    command: Vec<&'static str>,
    /// The option, and its value where other values still exist.
    option: Option<(&'static str, Option<&'static str>)>,
}

impl Row {
    fn read(line: &'static str) -> Option<Self> {
        let (was, now) = line.split_once(" | ")?;
        if was.starts_with('#') {
            return None;
        }
        let is_literal = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        let mut words = was
            .split(' ')
            .skip_while(|word| *word == "ralph")
            .peekable();
        let mut command = Vec::new();
        if was.starts_with("ralph ") {
            while let Some(word) = words.next_if(|word| is_literal(word) && !word.starts_with('-'))
            {
                command.push(word);
            }
        }
        let option = words.next_if(|word| word.starts_with("--"));
        let value = words.next().filter(is_literal);
        Some(Self {
            was,
            now,
            command,
            option: option.map(|option| (option, value)),
        })
    }
}

/// The keys of earlier versions.
pub(crate) fn keys() -> &'static [GoneKey] {
    &KEYS
}

/// The words of the known command that arguments name.
fn known_words(arguments: &[String]) -> Vec<&str> {
    let all = Cli::whole();
    let (mut command, mut words) = (&all, Vec::new());
    for argument in arguments.iter().skip(1) {
        if let Some(below) = command.find_subcommand(argument) {
            command = below;
            words.push(argument.as_str());
        }
    }
    words
}

/// The answer to a command line that clap refused, where it names what is gone.
pub(crate) fn answer(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let command = known_words(arguments);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let is_command = |row: &Row| {
        let words = arguments.iter().skip(1).map(String::as_str);
        let words = words.filter(|word| !word.starts_with('-'));
        // The value of an option may stand before the command.
        let is_before = |word: &&str| !command.contains(word) && row.command.first() != Some(word);
        let mut words = words.skip_while(is_before);
        let mut expected = row.command.iter();
        let is_named = expected.all(|word| words.next() == Some(word));
        row.option.is_none() && !row.command.is_empty() && is_named
    };
    let is_option = |row: &Row, option: &str, value: Option<&str>| {
        let is_of_command = row.command.is_empty() || command == row.command;
        is_of_command && row.option == Some((option, value))
    };
    let find = |is_it: &dyn Fn(&Row) -> bool| ROWS.iter().find(|row| is_it(row));
    let row = match error.kind() {
        ErrorKind::UnknownArgument => {
            let name = text(ContextKind::InvalidArg)?;
            find(&|row| is_command(row) || is_option(row, name, None))
        }
        // A name may be an argument now.
        ErrorKind::InvalidSubcommand | ErrorKind::ValueValidation => find(&is_command),
        ErrorKind::InvalidValue => {
            let option = text(ContextKind::InvalidArg)?.split(' ').next()?;
            let value = text(ContextKind::InvalidValue)?;
            find(&|row| is_option(row, option, Some(value)))
        }
        _ => None,
    };
    row.map(|row| format!("`{}` is {}", row.was, row.now))
}
