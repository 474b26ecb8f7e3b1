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

/// Formats of `lint`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    /// Text for people, with the lines in question.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// One JSON object a finding, then one with all the rest.
    Jsonl,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
    /// A report of code quality, as GitLab reads it.
    Gitlab,
}

/// Formats of `findings list`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0 with all that are not fixed, as code scanning reads it.
    Sarif,
    /// A report of code quality with all that are neither fixed nor waived, as GitLab
    /// reads it.
    Gitlab,
}

/// Formats of `status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// A Mermaid flowchart of the tasks of one spec.
    Mermaid,
}

/// Formats of `gate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GateFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// JUnit XML.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
    /// Markdown, for the summary of a job or a comment.
    Markdown,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
    /// A report of code quality, as GitLab reads it.
    Gitlab,
}
