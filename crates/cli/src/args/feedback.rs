//! `feedback`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use review_report::feedback::{DocumentForm, FeedbackFormat};
use review_schema::actionable::Mode;

use super::PlainFormat;

/// Check, show and convert actionable-feedback documents.
#[derive(Debug, Subcommand)]
pub(crate) enum FeedbackCommand {
    /// Check documents against the schema and its rules.
    Validate(FeedbackValidateArgs),
    /// Show documents, the gravest items first.
    Show(FeedbackShowArgs),
    /// Convert feedback from one format to another.
    Convert(FeedbackConvertArgs),
}

/// Check documents against the schema and its rules.
#[derive(Debug, Args)]
pub(crate) struct FeedbackValidateArgs {
    /// What is read.
    #[command(flatten)]
    pub(crate) input: FeedbackInputArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// Show documents, the gravest items first.
#[derive(Debug, Args)]
pub(crate) struct FeedbackShowArgs {
    /// What is read.
    #[command(flatten)]
    pub(crate) input: FeedbackInputArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// What the documents are read from.
#[derive(Debug, Args)]
pub(crate) struct FeedbackInputArgs {
    /// The files; - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<PathBuf>,
    /// How severe to be.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: FeedbackMode,
    /// The form of the input [default: by the name of the file, else by its
    /// text].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<DocumentFormat>,
}

/// How severe documents are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FeedbackMode {
    /// The published schema with its formats, and further rules of ralph, such as on
    /// line numbers. Vague or advisory words inside a sentence are warnings.
    #[default]
    Default,
    /// Every vague or advisory wording is an error.
    Strict,
}

impl From<FeedbackMode> for Mode {
    fn from(mode: FeedbackMode) -> Self {
        match mode {
            FeedbackMode::Default => Self::Default,
            FeedbackMode::Strict => Self::Strict,
        }
    }
}

/// The form of a file with documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentFormat {
    /// One YAML document.
    Yaml,
    /// One JSON object.
    Json,
    /// One JSON object a line.
    Jsonl,
}

impl From<DocumentFormat> for DocumentForm {
    fn from(format: DocumentFormat) -> Self {
        match format {
            DocumentFormat::Yaml => Self::Yaml,
            DocumentFormat::Json => Self::Json,
            DocumentFormat::Jsonl => Self::Jsonl,
        }
    }
}

/// Convert feedback from one format to another: standard input to standard
/// output. What the other format has no place for is reported on standard error.
#[derive(Debug, Args)]
pub(crate) struct FeedbackConvertArgs {
    /// The format of the input [default: detected].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<ExchangeFormat>,
    /// The format of the output.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: ExchangeFormat,
}

/// A format that feedback travels in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExchangeFormat {
    /// An actionable-feedback document.
    Actionable,
    /// A response of the Agent Feedback Protocol 1.2.
    Afp,
    /// A reviewer's answer: verdict, score, feedback.
    Review,
}

impl From<ExchangeFormat> for FeedbackFormat {
    fn from(format: ExchangeFormat) -> Self {
        match format {
            ExchangeFormat::Actionable => Self::Actionable,
            ExchangeFormat::Afp => Self::Afp,
            ExchangeFormat::Review => Self::Review,
        }
    }
}
