//! The output formats, as each command allows them.

use std::path::PathBuf;
use std::str::FromStr;

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

/// A report that a command writes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output<F> {
    /// Its format.
    pub(crate) format: F,
    /// The file.
    pub(crate) path: PathBuf,
}

impl<F: ValueEnum> FromStr for Output<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names: Vec<_> = F::value_variants()
            .iter()
            .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
            .collect();
        let (format, path) = text
            .split_once('=')
            .filter(|(_, path)| !path.is_empty())
            .ok_or_else(|| format!("write FORMAT=PATH, with one of {}", names.join(", ")))?;
        let format = F::from_str(format, false).map_err(|_| {
            format!(
                "\"{format}\" is not a valid format; use {}",
                names.join(", ")
            )
        })?;
        Ok(Self {
            format,
            path: path.into(),
        })
    }
}
