//! `ralph doctor`: whether everything a run needs is here.

use std::path::Path;

use clap::Args;
use review_agents::{Backend, Chain};
use review_config::Setting;
use review_engine::ListedRoot;
use review_engine::doctor::Doctor;
use review_engine::location::state_folder;
use review_report::{NextStep, doctor, shown};
use review_store::Root;

use crate::args::{Implementer, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, CommandResult, passed_if};
use crate::runtime::Runtime;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Check this reviewer, or chain of reviewers, in place of the configured one.
    #[arg(long, value_name = "BACKEND")]
    reviewer: Option<Chain>,
    /// Check this applier in place of the configured one.
    #[arg(long, value_name = "BACKEND", value_parser = Backend::single)]
    applier: Option<Backend>,
    /// Check this implementer in place of the configured one.
    #[arg(long, value_name = "BACKEND")]
    implementer: Option<Implementer>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// The most commands that are suggested.
const MOST: usize = 3;

/// The commands that fit a folder.
fn next_steps(context: &mut Context, root: &Path) -> Result<Vec<NextStep>, CommandError> {
    let specs = context.specs(&[])?;
    let folder = context.environment.folder().to_owned();
    let step = |words: &[&str], text: &str| NextStep::by_command(text, context.command(words));
    let gate = step(
        &["ralph", "gate"],
        "check that what is complete is complete",
    );
    let mut has_tasks = false;
    for of_root in specs.chunk_by(|one, other| context.root_of(one) == context.root_of(other)) {
        let listed = ListedRoot::list(Root::open(&context.root_of(&of_root[0]))?)?;
        for spec in of_root {
            has_tasks = has_tasks || listed.target_of(spec)?.target.unit_dir().is_some();
        }
    }
    let spec = specs.first().map(|spec| shown(&folder, spec));
    let mut steps = Vec::new();
    match &spec {
        Some(_) if context.environment.is_ci() => steps.push(gate),
        Some(spec) if has_tasks => {
            steps.push(step(&["ralph", "status"], "see the tasks"));
            if specs.len() == 1 {
                steps.push(step(&["ralph", "run", spec], "review and run them"));
            }
            steps.push(gate);
        }
        _ => {
            let plans = context.import_steps(root, root).into_iter();
            steps.extend(plans.take(if spec.is_none() { MOST } else { 1 }));
            if let Some(spec) = &spec {
                steps.push(step(&["ralph", "lint"], "check the specs"));
                steps.push(step(&["ralph", "run", spec, "--no-tasks"], "review one"));
            } else if steps.is_empty() {
                steps.push(step(&["ralph", "init"], "write a first spec and task"));
                let demo = "see what ralph does, without a key";
                steps.push(step(&["ralph", "demo"], demo));
            }
        }
    }
    Ok(steps)
}

/// Looks at everything and prints what it found.
pub(crate) fn run(context: &mut Context, args: &DoctorArgs) -> CommandResult {
    let root = context.current_root();
    let reviewer = Setting::of_option("--reviewer", "reviewer", args.reviewer.as_ref());
    let applier = Setting::of_option("--applier", "applier", args.applier.as_ref());
    let implementer = args.implementer.as_ref();
    let implementer = Setting::of_option("--implementer", "task.implementer", implementer);
    let overrides: Vec<_> = [reviewer, applier, implementer]
        .into_iter()
        .flatten()
        .collect();
    let settings = context.settings(&root, &overrides);
    let nested = match context.nested_roots() {
        Ok(nested) => nested,
        // The check of the configuration reports it.
        Err(_) if settings.is_err() => Vec::new(),
        Err(error) => return Err(error),
    };
    let runtime = Runtime::new(context)?;
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
        groups: runtime.groups(),
        stop: runtime.stop(),
    };
    let mut diagnosis = runtime.finish(looked_at.diagnose(config.map_err(|error| {
        let message = environment.redactor().redact(error.message().as_bytes());
        String::from_utf8_lossy(&message).into_owned()
    })));
    if diagnosis.usable {
        diagnosis.next = next_steps(context, &root)?;
    }
    let human = match context.is_quiet() {
        true => doctor::brief,
        false => doctor::human,
    };
    context.show(args.format, &diagnosis, human)?;
    passed_if(diagnosis.usable)
}
