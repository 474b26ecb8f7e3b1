//! `ralph doctor`: whether everything a run needs is here.

use std::path::Path;

use clap::Args;
use review_agents::{Backend, BaseUrl, Chain};
use review_config::Setting;
use review_engine::doctor::Doctor;
use review_engine::location::state_folder;
use review_report::{NextStep, doctor, shown};

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
    /// Check this Temporal server and the workers of the project there; without an address
    /// the server of engine.url.
    #[arg(long, value_name = "URL")]
    engine: Option<Option<BaseUrl>>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// The commands that fit a folder.
fn next_steps(context: &mut Context, root: &Path) -> Result<Vec<NextStep>, CommandError> {
    let specs = context.specs(&[])?;
    let step = |words: &[&str], text: &str| NextStep::by_command(text, context.command(words));
    let [spec, others @ ..] = &specs[..] else {
        let mut steps = context.import_steps(root);
        if steps.is_empty() {
            steps.push(step(&["ralph", "init"], "write a first spec and task"));
            steps.push(step(
                &["ralph", "demo"],
                "see what ralph does, without a key",
            ));
        }
        return Ok(steps);
    };
    let mut steps = vec![step(&["ralph", "status"], "see the specs and tasks")];
    if others.is_empty() {
        let spec = shown(&context.environment.folder, spec);
        steps.push(step(&["ralph", "run", &spec], "review and run them"));
    }
    steps.push(step(
        &["ralph", "gate"],
        "check that what is complete is complete",
    ));
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
    let engine = match &settings {
        Ok(settings) => context.engine(args.engine.as_ref(), settings)?,
        Err(_) => None,
    };
    let nested = match context.nested_roots() {
        Ok(nested) => nested,
        // The check of the configuration reports it.
        Err(_) if settings.is_err() => Vec::new(),
        Err(error) => return Err(error),
    };
    let runtime = Runtime::new(context)?;
    let environment = &context.environment;
    let folder = &environment.folder;
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
        env: &environment.variables,
        program: environment.program.as_deref(),
        version: env!("RALPH_VERSION"),
        engine: engine.as_ref(),
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
