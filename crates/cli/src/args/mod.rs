//! The command line.

mod check;
mod clean;
mod command_line;
mod common;
mod corrections;
mod feedback;
mod findings;
mod format;
mod import;
mod land;
mod learn;
mod manual;
mod plan;
mod provide;
mod reviewing;
mod setup;
mod show;
#[cfg(test)]
mod tests;
mod values;

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub(crate) use check::{GateArgs, LintArgs, VerdictArgs};
pub(crate) use clean::CleanArgs;
pub(crate) use command_line::{KnownValues, command_words, with_suggestions, with_values};
pub(crate) use common::CommonArgs;
pub(crate) use corrections::{
    AddCorrectionArgs, By, CaptureArgs, CorrectionArgs, CorrectionsCommand, ImportArgs,
    ListCorrectionsArgs, RemoveCorrectionArgs, ValidateCorrectionsArgs,
};
pub(crate) use feedback::{
    FeedbackCommand, FeedbackConvertArgs, FeedbackInputArgs, FeedbackShowArgs, FeedbackValidateArgs,
};
pub(crate) use findings::{
    ApproveArgs, FindingPrefix, FindingsCommand, GuideArgs, ListFindingsArgs, SettleArgs,
    ShowFindingArgs,
};
pub(crate) use format::{
    FindingsFormat, Format, GateFormat, LintFormat, PlainFormat, StatusFormat,
};
pub(crate) use import::ImportTasksArgs;
pub(crate) use land::LandArgs;
pub(crate) use learn::{
    DecideArgs, LearnArgs, LearnCommand, LearnReviewArgs, LearnRunArgs, LearnShowArgs,
    LearnStatsArgs, PromptsArgs, RollbackArgs, VersionNumber,
};
pub(crate) use plan::PlanArgs;
pub(crate) use provide::ProvideArgs;
pub(crate) use reviewing::{ImplementArgs, LimitArgs, LoopArgs, ResumeArgs, ReviewArgs, RunArgs};
pub(crate) use setup::{
    CompletionsArgs, ConfigArgs, DefinedAgents, DoctorArgs, HookedClient, InitArgs, SchemaArgs,
};
pub(crate) use show::{DiffArgs, ExplainArgs, ReportArgs, StatusArgs};

/// Review loops that cannot be fooled: specs and tasks, reviewed until they pass.
#[derive(Debug, Parser)]
#[command(name = "ralph", version = env!("RALPH_VERSION"), propagate_version = false, after_help = EXAMPLES)]
#[command(disable_help_flag = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Options that every command takes.
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// The command line as clap knows it, with the manual in its help.
    pub(crate) fn described() -> clap::Command {
        manual::with_sections(Self::command())
    }

    /// Reads arguments, of which the first is the name of the program.
    ///
    /// # Errors
    ///
    /// When they are not those of a command, or ask for help or the version.
    pub(crate) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::described();
        let matches = command.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

const EXAMPLES: &str = "\
Examples:
  ralph demo                         see what an agent that lies and cheats gets
  ralph init                         write a first spec and its task
  ralph plan SEARCH --implementer claude
                                     have an agent write the tasks of a spec
  ralph run SEARCH                   review a spec with its tasks, then run the tasks
  ralph review docs/DESIGN.md        review one document
  ralph lint                         what the rules of the embedded reviewer find
  ralph explain B3                   what a code means and how to fix it
  ralph help run                     all about one command

Exit codes: 0 passed, 1 not passed, 2 usage or configuration, 3 no verdict,
4 nothing selected, 5 limit, 6 tamper, 129, 130 and 143 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show in a minute what an agent that lies and cheats gets; needs no key.
    Demo,
    /// Have an agent split a spec into tasks.
    Plan(PlanArgs),
    /// Review a spec with its plan and tasks, then run the tasks.
    Run(RunArgs),
    /// Review documents that have no tasks.
    Review(ReviewArgs),
    /// Resume a run that did not pass.
    Resume(ResumeArgs),
    /// Bring finished work of agents to your branch.
    Land(LandArgs),
    /// Show what a run did, or list the runs.
    Report(ReportArgs),
    /// Show what a run changed.
    Diff(DiffArgs),
    /// Show what reviewers found in a run, or decide whether it counts.
    #[command(subcommand)]
    Findings(FindingsCommand),
    /// Approve a run despite its review, or accept the change of a held task.
    Approve(ApproveArgs),
    /// Give guidance to the reviewer and the applier of a run.
    Guide(GuideArgs),
    /// Remove runs and their checkouts, or list those that can be removed.
    Clean(CleanArgs),
    /// Show the tasks of specs with their records.
    Status(StatusArgs),
    /// Check that completed tasks are complete.
    Gate(GateArgs),
    /// Check specs and tasks with the rules of the embedded reviewer.
    Lint(LintArgs),
    /// Read a reviewer's answer.
    Verdict(VerdictArgs),
    /// Check, show and convert actionable-feedback documents.
    #[command(subcommand)]
    Feedback(FeedbackCommand),
    /// Review an artifact for another agent, over the Agent Feedback Protocol.
    Provide(ProvideArgs),
    /// Explain a rule, an exit code, a block code or another code of a report.
    Explain(ExplainArgs),
    /// Write a first spec and its task; nothing is overwritten.
    ///
    /// The task asks for a test, by the kind of project that is found, or for a small
    /// script; its command fails until that is written. Next to specs of the project no
    /// example is written.
    Init(InitArgs),
    /// Take over tasks that were planned with another tool; nothing is overwritten.
    Import(ImportTasksArgs),
    /// Check that everything a run needs is here.
    Doctor(DoctorArgs),
    /// Print the JSON schema of a format, or list the formats.
    Schema(SchemaArgs),
    /// Keep what users corrected of the work of agents.
    #[command(subcommand)]
    Corrections(CorrectionsCommand),
    /// Learn from what went wrong: feedback, lessons and versions of prompts.
    Learn(LearnArgs),
    /// List the prompts that agents are given, or show one.
    Prompts(PromptsArgs),
    /// Show every key of the configuration with its value and where that comes from.
    Config(ConfigArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
}
