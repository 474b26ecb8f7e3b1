//! `ralph doctor`: whether everything a run needs is here.

use std::path::Path;

use clap::Args;
use review_agents::{Backend, Chain};
use review_config::Setting;
use review_engine::doctor::Doctor;
use review_engine::location::state_folder;
use review_engine::{ListedRoot, importable};
use review_report::{NextStep, doctor, shown};
use review_types::ExitCode;

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::target::open_root;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Check this reviewer, or chain of reviewers, in place of the configured one.
    #[arg(long, value_name = "BACKEND")]
    reviewer: Option<Chain>,
    /// Check this applier in place of the configured one.
    #[arg(long, value_name = "BACKEND", value_parser = Backend::single)]
    applier: Option<Backend>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// The most commands that are suggested.
const MOST: usize = 3;

/// The commands that fit a folder.
fn next_steps(context: &mut Context, root: &Path) -> Result<Vec<NextStep>, CommandError> {
    let specs = context.specs(&[])?;
    let mut has_tasks = false;
    for of_root in specs.chunk_by(|one, other| context.root_of(one) == context.root_of(other)) {
        let listed = ListedRoot::list(open_root(&context.root_of(&of_root[0]))?)?;
        for spec in of_root {
            has_tasks = has_tasks || listed.target_of(spec)?.target.unit_dir().is_some();
        }
    }
    let folder = context.environment.folder().to_owned();
    let step = |words: &[&str], text: &str| {
        let words = words.iter().map(|word| (*word).to_owned());
        let command = shell_words::join(words.chain(context.given_options()));
        NextStep::by_command(text, command)
    };
    let gate = step(
        &["ralph", "gate"],
        "checks that what is complete is complete",
    );
    if context.environment.is_ci() && !specs.is_empty() {
        return Ok(vec![gate]);
    }
    if has_tasks {
        let mut steps = vec![step(&["ralph", "status"], "shows the tasks")];
        if let [spec] = &specs[..] {
            let spec = shown(&folder, spec);
            steps.push(step(&["ralph", "run", &spec], "reviews and runs them"));
        }
        steps.push(gate);
        return Ok(steps);
    }
    let most = if specs.is_empty() { MOST } else { 1 };
    let plans = importable(root).into_iter().take(most);
    let plans = plans.map(|plan| {
        let plan = shown(&folder, &plan);
        step(
            &["ralph", "import", &plan],
            "takes over what is planned there",
        )
    });
    let plans: Vec<_> = plans.collect();
    let others = match &specs[..] {
        [] if !plans.is_empty() => Vec::new(),
        [] => vec![
            step(&["ralph", "init"], "writes a first spec and task"),
            step(&["ralph", "demo"], "shows what it does, without a key"),
        ],
        [spec, ..] => {
            let spec = shown(&folder, spec);
            let run = &["ralph", "run", &spec, "--no-tasks"];
            vec![
                step(&["ralph", "lint"], "checks specs"),
                step(run, "reviews one"),
            ]
        }
    };
    Ok(plans.into_iter().chain(others).collect())
}

/// Looks at everything and prints what it found.
pub(crate) fn run(context: &mut Context, args: &DoctorArgs) -> CommandResult {
    let root = context.current_root();
    let reviewer = Setting::of_option("--reviewer", "reviewer", args.reviewer.as_ref());
    let applier = Setting::of_option("--applier", "applier", args.applier.as_ref());
    let overrides: Vec<_> = reviewer.into_iter().chain(applier).collect();
    let settings = context.settings(&root, &overrides);
    let nested = match context.nested_roots() {
        Ok(nested) => nested,
        // The check of the configuration reports it.
        Err(_) if settings.is_err() => Vec::new(),
        Err(error) => return Err(error),
    };
    let world = World::new(context)?;
    let environment = &context.environment;
    let folder = environment.folder();
    let config = settings.map(|settings| {
        let state = state_folder(&settings, folder, &root);
        (settings, state)
    });
    let config = config
        .as_ref()
        .map(|(settings, state)| (settings, &**state));
    let looked_at = Doctor {
        root: &root,
        nested: &nested,
        folder,
        env: environment.variables(),
        program: environment.program(),
        groups: world.groups(),
        stop: world.stop(),
    };
    let mut diagnosis = world.finish(looked_at.diagnose(config.map_err(|error| {
        let message = environment.redactor().redact(error.message().as_bytes());
        String::from_utf8_lossy(&message).into_owned()
    })));
    if diagnosis.usable {
        diagnosis.next = next_steps(context, &root)?;
    }
    match args.format {
        PlainFormat::Human if context.is_quiet() => {
            context.streams.print(&doctor::brief(&diagnosis))?;
        }
        PlainFormat::Human => context.streams.print(&doctor::human(&diagnosis))?,
        PlainFormat::Json => context.streams.print_json(&diagnosis)?,
    }
    Ok(match diagnosis.usable {
        true => ExitCode::Passed,
        false => ExitCode::NotPassed,
    })
}
