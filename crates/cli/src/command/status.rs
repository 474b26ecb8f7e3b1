//! `ralph status`.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Args, ValueEnum};
use review::NoSink;
use review_engine::{RunSettings, WaitingWork, inspect, unreadable_status, waiting_work};
use review_report::shown;
use review_report::status::{SpecStatus, StatusReport, human, mermaid};
use review_types::ExitCode;

use crate::context::Context;
use crate::error::{CommandError, CommandResult, passed_if};
use crate::gone;
use crate::runtime::Runtime;
use crate::target::SpecRoot;

/// Formats of `status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// A Mermaid flowchart of the tasks of one spec.
    Mermaid,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The spec: a path, or a name in specs/ or specs/completed/; or a folder of roots
    /// [default: all specs].
    spec: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: StatusFormat,
}

/// Carries out `status`.
pub(crate) fn run(context: &mut Context, args: &StatusArgs) -> CommandResult {
    let specs = match args.format {
        StatusFormat::Mermaid => context.spec(args.spec.as_deref()).map(|spec| vec![spec]),
        StatusFormat::Human | StatusFormat::Json => context.specs(args.spec.as_slice()),
    };
    let specs = specs.map_err(|error| match &args.spec {
        Some(name) if context.find_run(name).is_ok() => CommandError::new(gone::STATUS_OF_RUN),
        _ => error,
    })?;
    let runtime = Runtime::new(context)?;
    let mut report = StatusReport { specs: Vec::new() };
    let mut roots = BTreeMap::new();
    for spec in &specs {
        let root = SpecRoot::open(&mut roots, context, spec, &[], false)?;
        report
            .specs
            .push(spec_status(context, &runtime, root, spec)?);
    }
    match (args.format, &report.specs[..]) {
        (StatusFormat::Json, _) => context.streams.print_report(&report)?,
        (StatusFormat::Mermaid, specs) => {
            specs.iter().try_for_each(|spec| draw(context, spec))?;
            return Ok(ExitCode::Passed);
        }
        (StatusFormat::Human, []) => {
            let root = context.current_root();
            let mut hints = context.import_hints(&root, &root);
            if hints.is_empty() {
                hints.push("`ralph init` writes a first one".to_owned());
            }
            let text = format!("no specs; {}", hints.join("; "));
            context.streams.note(&text);
        }
        (StatusFormat::Human, specs) => {
            let text: String = specs.iter().map(human).collect();
            context.streams.print(&text)?;
        }
    }
    match report.specs.is_empty() {
        true => Ok(ExitCode::Nothing),
        false => passed_if(report.specs.iter().all(|spec| spec.faults.is_empty())),
    }
}

/// Prints the tasks of a spec as a flowchart, and warns of what is wrong with them.
fn draw(context: &mut Context, spec: &SpecStatus) -> Result<(), CommandError> {
    for fault in &spec.faults {
        context.streams.warn(fault);
    }
    match spec.tasks.is_empty() {
        true => Err(CommandError::nothing(format!("{} has no tasks", spec.spec))),
        false => context.streams.print_raw(mermaid(spec).as_bytes()),
    }
}

fn spec_status(
    context: &mut Context,
    runtime: &Runtime,
    root: &SpecRoot,
    spec: &Path,
) -> Result<SpecStatus, CommandError> {
    let run = RunSettings::of(&root.settings, root.target(context, spec)?);
    let (environment, state) = (&context.environment, root.state.clone());
    let name = context.root_name(&root.path);
    let inspected = runtime.block_on(environment, &root.path, state, &NoSink, async |project| {
        let inspection = inspect(project, &run).await?;
        let waiting = match &inspection.plan {
            Some(plan) => waiting_work(project, &run.target, plan).await?,
            None => None,
        };
        Ok((inspection, waiting))
    })?;
    let mut status = match inspected {
        Ok((inspection, waiting)) => {
            let mut status = inspection.status(&name, &run.target);
            let options = context.given_options();
            if let Some(run) = &inspection.live {
                status.is_worked_at(run, &options);
                return Ok(status);
            }
            if let Some(WaitingWork { run, tasks }) = waiting {
                status.has_waiting_work(&run, &tasks, &options);
                return Ok(status);
            }
            status
        }
        Err(error) => unreadable_status(&name, &run.target, error)?,
    };
    let path = shown(&context.environment.folder, &root.path.join(&status.spec));
    status.suggest(&context.command(&["ralph", "run", &path]));
    Ok(status)
}
