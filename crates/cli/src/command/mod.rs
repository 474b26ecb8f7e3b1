//! One module a command.

mod approve;
mod clean;
mod completions;
mod config;
mod corrections;
mod demo;
mod diff;
mod doctor;
mod explain;
mod feedback;
mod findings;
mod gate;
mod import;
mod init;
mod input;
mod land;
mod learn;
mod lint;
mod plan;
mod prompts;
mod provide;
mod report;
mod resume;
mod review;
mod run;
mod schema;
mod status;
mod verdict;

use crate::args::{Command, FeedbackCommand};
use crate::context::Context;
use crate::error::Ended;

/// Carries out a command.
pub(crate) fn dispatch(context: &mut Context, command: Command) -> Ended {
    match command {
        Command::Demo => demo::run(context),
        Command::Plan(args) => plan::run(context, &args),
        Command::Run(args) => run::run(context, args),
        Command::Review(args) => review::run(context, args),
        Command::Resume(args) => resume::run(context, args),
        Command::Land(args) => land::run(context, args),
        Command::Report(args) => report::run(context, args),
        Command::Diff(args) => diff::run(context, &args),
        Command::Findings(command) => findings::run(context, command),
        Command::Approve(args) => approve::approve(context, &args),
        Command::Guide(args) => approve::guide(context, &args),
        Command::Clean(args) => clean::run(context, &args),
        Command::Status(args) => status::run(context, args),
        Command::Gate(args) => gate::run(context, args),
        Command::Lint(args) => lint::run(context, &args),
        Command::Verdict(args) => verdict::run(context, &args),
        Command::Feedback(FeedbackCommand::Validate(args)) => feedback::validate(context, &args),
        Command::Feedback(FeedbackCommand::Show(args)) => feedback::show(context, &args),
        Command::Feedback(FeedbackCommand::Convert(args)) => feedback::convert(context, &args),
        Command::Provide(args) => provide::run(context, args),
        Command::Explain(args) => explain::run(context, &args),
        Command::Init(args) => init::run(context, &args),
        Command::Import(args) => import::run(context, &args),
        Command::Doctor(args) => doctor::run(context, &args),
        Command::Schema(args) => schema::run(context, &args),
        Command::Corrections(command) => corrections::run(context, command),
        Command::Learn(command) => learn::run(context, command),
        Command::Prompts(args) => prompts::run(context, &args),
        Command::Config(args) => config::run(context, args.format),
        Command::Completions(args) => completions::run(context, &args),
    }
}
