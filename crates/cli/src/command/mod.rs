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
mod guide;
mod import;
mod init;
mod input;
mod land;
mod learn;
mod lint;
mod mcp;
mod plan;
mod prompts;
mod provide;
mod report;
mod resume;
mod review;
mod run;
mod schema;
mod serve;
mod status;
mod step;
mod verdict;
mod watch;

use clap::Subcommand;

use crate::args::Lazy;
use crate::context::Context;
use crate::error::CommandResult;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show in seconds what an agent that lies and cheats gets; needs no key.
    Demo,
    /// Have an agent split a spec into tasks.
    Plan(Lazy<plan::PlanArgs>),
    /// Review a spec with its plan and tasks, then run the tasks.
    Run(Lazy<Box<run::RunArgs>>),
    /// Review documents that have no tasks.
    Review(Lazy<review::ReviewArgs>),
    /// Resume a run that did not pass.
    Resume(Lazy<resume::ResumeArgs>),
    /// Bring finished work of agents to your branch.
    Land(Lazy<land::LandArgs>),
    /// Show what a run did, or list the runs.
    Report(Lazy<report::ReportArgs>),
    /// Show a run while another process carries it out.
    Watch(Lazy<watch::WatchArgs>),
    /// Show what a run changed.
    Diff(Lazy<diff::DiffArgs>),
    /// Show runs in a browser of this computer.
    Serve(Lazy<serve::ServeArgs>),
    /// Show what reviewers found in a run, or decide whether it counts.
    #[command(subcommand)]
    Findings(Lazy<findings::FindingsCommand>),
    /// Approve a run despite its review, or accept the change of a held task.
    Approve(Lazy<approve::ApproveArgs>),
    /// Give guidance to the reviewer and the applier of a run.
    Guide(Lazy<guide::GuideArgs>),
    /// Remove runs and their checkouts, or list those that can be removed.
    Clean(Lazy<clean::CleanArgs>),
    /// Show the tasks of specs with their records.
    Status(Lazy<status::StatusArgs>),
    /// Check that completed tasks are complete.
    Gate(Lazy<gate::GateArgs>),
    /// Check specs and tasks with the rules of the embedded reviewer.
    Lint(Lazy<lint::LintArgs>),
    /// Read a reviewer's answer.
    Verdict(Lazy<verdict::VerdictArgs>),
    /// Check, show and convert actionable-feedback documents.
    #[command(subcommand)]
    Feedback(Lazy<feedback::FeedbackCommand>),
    /// Review an artifact for another agent, over the Agent Feedback Protocol.
    Provide(Lazy<provide::ProvideArgs>),
    /// Serve a coding agent over the Model Context Protocol.
    Mcp(Lazy<mcp::McpArgs>),
    /// Explain a rule, an exit code, a block code or another code of a report.
    Explain(Lazy<explain::ExplainArgs>),
    /// Write a first spec and its task; nothing is overwritten.
    ///
    /// The task asks for a test, by the kind of project that is found, or for a small
    /// script; its command fails until that is written. Next to specs of the project no
    /// example is written.
    Init(Lazy<init::InitArgs>),
    /// Take over tasks that were planned with another tool; nothing is overwritten.
    Import(Lazy<import::ImportTasksArgs>),
    /// Check that everything a run needs is here.
    Doctor(Lazy<doctor::DoctorArgs>),
    /// Print the JSON schema of a format, or list the formats.
    Schema(Lazy<schema::SchemaArgs>),
    /// Keep what users corrected of the work of agents.
    #[command(subcommand)]
    Corrections(Lazy<corrections::CorrectionsCommand>),
    /// Learn from what went wrong: feedback, lessons and versions of prompts.
    Learn(Lazy<learn::LearnArgs>),
    /// List the prompts that agents are given, or show one.
    Prompts(Lazy<prompts::PromptsArgs>),
    /// Show every key of the configuration with its value and where that comes from.
    Config(Lazy<config::ConfigArgs>),
    /// Print the completions of a shell.
    Completions(Lazy<completions::CompletionsArgs>),
    /// Carry out a step of a run that another computer leads.
    #[command(hide = true)]
    Step(Lazy<step::StepArgs>),
}

/// Carries out a command.
pub(crate) fn dispatch(context: &mut Context, command: Command) -> CommandResult {
    match command {
        Command::Demo => demo::run(context),
        Command::Plan(args) => plan::run(context, &args),
        Command::Run(args) => run::run(context, &args),
        Command::Review(args) => review::run(context, &args),
        Command::Resume(args) => resume::run(context, &args),
        Command::Land(args) => land::run(context, args.0),
        Command::Report(args) => report::run(context, &args),
        Command::Watch(args) => watch::run(context, &args),
        Command::Diff(args) => diff::run(context, &args),
        Command::Serve(args) => serve::run(context, &args),
        Command::Findings(command) => findings::run(context, command.0),
        Command::Approve(args) => approve::run(context, &args),
        Command::Guide(args) => guide::run(context, &args),
        Command::Clean(args) => clean::run(context, &args),
        Command::Status(args) => status::run(context, &args),
        Command::Gate(args) => gate::run(context, args.0),
        Command::Lint(args) => lint::run(context, &args),
        Command::Verdict(args) => verdict::run(context, &args),
        Command::Feedback(command) => feedback::run(context, &command),
        Command::Provide(args) => provide::run(context, &args),
        Command::Mcp(args) => mcp::run(context, &args),
        Command::Explain(args) => explain::run(context, &args),
        Command::Init(args) => init::run(context, &args),
        Command::Import(args) => import::run(context, &args),
        Command::Doctor(args) => doctor::run(context, &args),
        Command::Schema(args) => schema::run(context, &args),
        Command::Corrections(command) => corrections::run(context, command.0),
        Command::Learn(command) => learn::run(context, command.0),
        Command::Prompts(args) => prompts::run(context, &args),
        Command::Config(args) => config::run(context, &args),
        Command::Completions(args) => completions::run(context, &args),
        Command::Step(args) => step::run(context, args.0),
    }
}
