//! `ralph gate`: what claims to be complete is proven, or it is not.

use std::path::Path;

use review::NoSink;
use review_config::Overrides;
use review_engine::gate::{Gate, GateMode};
use review_engine::learn::active_prompts;
use review_engine::{EngineError, RunSettings};
use review_report::Styling;
use review_report::gate::{self, GateReport, SpecGate};
use review_store::StateDir;

use crate::args::{GateArgs, GateFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::runs::replay;
use crate::target::{open_root, unit_target};
use crate::world::World;
use review_report::shown;

/// What to do about a check that was cut off.
const AGAIN: &str = "run the gate again";

/// Carries out `gate`.
pub(crate) fn run(context: &mut Context, args: GateArgs) -> Ended {
    let overrides = Overrides {
        task_jobs: args.jobs,
        reviewer: args.reviewer.clone(),
        ..args.limits.overrides()
    };
    let report = match &args.from_run {
        Some(run) => from_run(context, run, &args)?,
        None => check_specs(context, &args, overrides)?,
    };
    let checkout = context.environment.checkout();
    let render = |format, styling| render(&report, format, styling, checkout);
    let printed = match args.format {
        GateFormat::Human if context.is_quiet() => gate::brief(&report, Styling::Ansi),
        format => render(format, Styling::Ansi),
    };
    let written: Vec<_> = args
        .output
        .iter()
        .map(|output| (&output.path, render(output.format, Styling::Plain)))
        .collect();
    let annotations = gate::github(&report, checkout);
    context.streams.print(&printed)?;
    for (path, text) in written {
        let path = context.absolute(path);
        review_store::replace_file(&path, text.as_bytes())
            .map_err(|error| CommandError::new(ErrorKind::Output, error.to_string()))?;
    }
    if context.environment.in_github_actions() && args.format != GateFormat::Github {
        context.streams.say(&annotations);
    }
    Ok(report.exit_code())
}

/// Checks the specs that were named, or all that there are.
fn check_specs(
    context: &mut Context,
    args: &GateArgs,
    overrides: Overrides,
) -> Result<GateReport, CommandError> {
    let mode = mode(args);
    let world = World::new(context)?;
    let mut report = GateReport::new(&context.given_options());
    for spec in context.specs(&args.specs)? {
        let root_path = context.root_of(&spec);
        let settings = context.settings(&root_path, overrides.clone())?;
        let root = open_root(&root_path)?;
        let mut run = RunSettings::of(&settings, unit_target(context, &root, &spec)?);
        run.prompts = active_prompts(&root_path, &settings)?;
        let state = match mode {
            GateMode::Verify => context.state(&settings, &root_path, false)?,
            GateMode::Offline => context.existing_state(&settings, &root_path)?,
        };
        let gate = Checked {
            world: &world,
            root: &root_path,
            state,
            mode,
            require_all: args.require_all,
        };
        let checked = gate.check(context, &run)?;
        let run = run_command(context, args, &checked);
        report.push(checked, run);
    }
    Ok(report)
}

/// The command that reviews a spec and runs its tasks where the gate looked,
/// with the agents that the gate was given.
fn run_command(context: &Context, args: &GateArgs, checked: &SpecGate) -> String {
    let spec = if checked.folder == context.current_root() {
        checked.spec.clone()
    } else {
        let path = checked.folder.join(&checked.spec);
        shown(context.environment.folder(), &path)
    };
    let mut words = ["ralph", "run", "--spec", &spec]
        .map(str::to_owned)
        .to_vec();
    if let Some(reviewer) = &args.reviewer {
        words.extend(["--reviewer".to_owned(), reviewer.to_string()]);
    }
    words.extend(context.given_options());
    shell_words::join(words)
}

fn mode(args: &GateArgs) -> GateMode {
    if args.offline || args.from_run.is_some() {
        GateMode::Offline
    } else {
        GateMode::Verify
    }
}

/// Where and how a spec is checked.
struct Checked<'a> {
    world: &'a World,
    root: &'a Path,
    state: StateDir,
    mode: GateMode,
    require_all: bool,
}

impl Checked<'_> {
    fn check(self, context: &Context, run: &RunSettings) -> Result<SpecGate, CommandError> {
        let (mode, require_all) = (self.mode, self.require_all);
        let environment = &context.environment;
        let root = context.root_name(self.root);
        let checked = self.world.block_on(
            environment,
            self.root,
            self.state,
            &NoSink,
            async |project| {
                let gate = Gate {
                    project,
                    mode,
                    require_all,
                    root,
                };
                gate.check(run).await
            },
        )?;
        checked.map_err(|error| match error {
            EngineError::Interrupted(_) => self.world.interruption().hint(AGAIN),
            error @ EngineError::Broken { .. } => CommandError::from(error).hint(AGAIN),
            error => error.into(),
        })
    }
}

/// Checks what one run left: its own outcome, and that records still prove it.
fn from_run(context: &mut Context, run: &str, args: &GateArgs) -> Result<GateReport, CommandError> {
    let dir = context.find_run(run)?;
    let replayed = replay(&dir)?;
    let root = Path::new(&replayed.input.root);
    let world = World::new(context)?;
    let gate = Checked {
        world: &world,
        root,
        state: dir.state(),
        mode: mode(args),
        require_all: args.require_all,
    };
    let outcome = replayed.outcome();
    let mut checked = gate.check(context, &replayed.settings)?;
    checked.hold_to(dir.id(), outcome);
    let run = run_command(context, args, &checked);
    let mut report = GateReport::new(&context.given_options());
    report.push(checked, run);
    Ok(report)
}

/// The report in a format. Annotations show paths as seen from `checkout`.
fn render(report: &GateReport, format: GateFormat, styling: Styling, checkout: &Path) -> String {
    match format {
        GateFormat::Human => gate::human(report, styling),
        GateFormat::Junit => gate::junit(report),
        GateFormat::Json => gate::json(report),
        GateFormat::Github => gate::github(report, checkout),
        GateFormat::Markdown => gate::markdown(report),
    }
}
