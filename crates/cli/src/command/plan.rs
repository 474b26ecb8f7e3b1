//! `ralph plan`.

use clap::Args;
use review::NoSink;
use review_config::Setting;
use review_engine::{EngineError, NewUnit, RunSettings, Target, plan, write_plan};
use review_report::plan::{PlanOutcome, human};
use review_report::shown;

use crate::args::{Implementer, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::target::open_root;
use crate::world::World;

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
    /// (opencode, claude, codex, gemini, claude:opus), or http:PROFILE [default: that
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

impl PlanArgs {
    /// The spec, where one is given.
    pub(crate) fn spec(&self) -> Option<&str> {
        self.spec.as_deref().or(self.named.as_deref())
    }

    /// What the options say in place of the configuration.
    pub(crate) fn overrides(&self) -> Option<Setting> {
        Setting::of_option(
            "--implementer",
            "task.implementer",
            self.implementer.as_ref(),
        )
    }

    /// The agent as it was given.
    pub(crate) fn implementer(&self) -> Option<String> {
        let Implementer(chain) = self.implementer.as_ref()?;
        Some(chain.as_ref()?.to_string())
    }
}

/// Carries out `plan`.
pub(crate) fn run(context: &mut Context, args: &PlanArgs) -> CommandResult {
    let spec = context.spec(args.spec())?;
    let root_path = context.root_of(&spec);
    let config = context.settings(&root_path, args.overrides().as_slice())?;
    let root = open_root(&root_path)?;
    let state = context.state(&config, &root_path, !args.dry_run)?;
    let unit = NewUnit::of_spec(&root, &spec)?;
    let target = Target::File {
        path: unit.spec.clone(),
    };
    let mut settings = RunSettings::of(&config, target);
    settings.config.task.implementer = config.task.implementer;
    let agent = settings.planner()?.to_string();
    let world = World::new(context)?;
    if args.format == PlainFormat::Human {
        let spec = shown(context.environment.folder(), &spec);
        context
            .streams
            .note(&format!("asking {agent} to plan {spec}"));
    }
    let planned = world.block_on(
        &context.environment,
        &root_path,
        state,
        &NoSink,
        async |project| plan(project, settings, &unit).await,
    )?;
    let report = planned.map_err(|error| match error {
        EngineError::PlanInterrupted => world.interruption(),
        error => CommandError::from(error),
    })?;
    let report = match report.outcome {
        PlanOutcome::Proposed if !args.dry_run => write_plan(&root, report)?,
        _ => report,
    };
    let command = |name: &str| {
        let path = shown(context.environment.folder(), &root_path.join(&report.spec));
        let mut words = vec!["ralph".to_owned(), name.to_owned(), path];
        if let Some(implementer) = args.implementer() {
            words.extend(["--implementer".to_owned(), implementer]);
        }
        words.extend(context.given_options());
        shell_words::join(words)
    };
    let (plan, run) = (command("plan"), command("run"));
    let report = report.suggest(&plan, &run);
    match args.format {
        PlainFormat::Json => context.streams.print_json(&report)?,
        PlainFormat::Human => context.streams.print(&human(&report))?,
    }
    Ok(report.outcome.exit_code())
}
