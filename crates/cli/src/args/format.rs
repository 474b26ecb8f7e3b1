//! The output formats, as each command allows them.

use clap::ValueEnum;

/// Formats of a command that also tells what happens as it happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object at the end.
    Json,
    /// One JSON object a line, as things happen.
    Jsonl,
}

/// Formats of a command that has one result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
}

impl From<Format> for PlainFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Human => Self::Human,
            Format::Json | Format::Jsonl => Self::Json,
        }
    }
}
