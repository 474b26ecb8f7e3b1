//! `ralph feedback`: actionable-feedback documents.

mod convert;
mod input;
mod show;
mod validate;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandResult;
use convert::FeedbackConvertArgs;
use show::FeedbackShowArgs;
use validate::FeedbackValidateArgs;

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

/// Carries out `feedback`.
pub(crate) fn run(context: &mut Context, command: &FeedbackCommand) -> CommandResult {
    match command {
        FeedbackCommand::Validate(args) => validate::run(context, args),
        FeedbackCommand::Show(args) => show::run(context, args),
        FeedbackCommand::Convert(args) => convert::run(context, args),
    }
}
