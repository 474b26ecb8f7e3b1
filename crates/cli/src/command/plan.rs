//! `ralph plan`.

use clap::Args;
use review_config::Setting;
use review_engine::{NewUnit, ReviewTarget, RunSettings, plan, write_plan};
use review_report::plan::{PlanOutcome, human};
use review_report::shown;
use review_store::Root;

use crate::args::{Implementer, PlainFormat};
use crate::context::Context;
use crate::error::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The spec: a path, or a name in specs/ or specs/completed/ [default: the
    /// only spec].
    #[arg(value_name = "SPEC", conflicts_with = "named")]
    spec: Option<String>,
    /// Same as SPEC.
    #[arg(long = "spec", value_name = "SPEC")]
    named: Option<String>,
    /// The agent that plans: cmd:PROGRAM ARGS, a client with or without a model
    /// (opencode, claude, codex, gemini, claude:opus), acp:COMMAND, or http:PROFILE [default: that
    /// of task.implementer].
    #[arg(long, value_name = "BACKEND")]
    implementer: Option<Implementer>,
    /// Ask the agent, print the files that would be written, and write none.
    #[arg(long)]
    dry_run: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Carries out `plan`.
pub(crate) fn run(context: &mut Context, args: &PlanArgs) -> CommandResult {
    let spec = context.spec(args.spec.as_deref().or(args.named.as_deref()))?;
    let root_path = context.root_of(&spec);
    let implementer = args.implementer.as_ref();
    let overrides = Setting::of_option("--implementer", "task.implementer", implementer);
    let config = context.settings(&root_path, overrides.as_slice())?;
    let root = Root::open(&root_path)?;
    let state = match args.dry_run {
        true => context.state_of_look(&config, &root_path)?,
        false => context.state(&config, &root_path)?,
    };
    let unit = NewUnit::of_spec(&root, &spec)?;
    let target = ReviewTarget::File {
        path: unit.spec.clone(),
    };
    let mut settings = RunSettings::of(&config, target);
    settings.config.task.implementer = config.task.implementer;
    let agent = settings.planner()?.to_string();
    if args.format == PlainFormat::Human {
        let spec = shown(&context.environment.folder, &spec);
        let note = format!("asking {agent} to plan {spec}");
        context.streams.note(&note);
    }
    let report = context.in_project(&root_path, state, async |project| {
        Box::pin(plan(project, settings, &unit)).await
    })?;
    let mut report = report?;
    if report.outcome == PlanOutcome::Proposed && !args.dry_run {
        report = write_plan(&root, report)?;
    }
    let command = |name: &str| {
        let path = shown(&context.environment.folder, &root_path.join(&report.spec));
        match implementer {
            Some(implementer @ Implementer(Some(_))) => {
                let implementer = implementer.to_string();
                context.command(&["ralph", name, &path, "--implementer", &implementer])
            }
            _ => context.command(&["ralph", name, &path]),
        }
    };
    let (plan, run) = (command("plan"), command("run"));
    let report = report.suggest(&plan, &run);
    context.show(args.format, &report, human)?;
    Ok(report.outcome.exit_code())
}
