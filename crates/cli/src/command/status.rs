//! `ralph status`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use clap::{Args, ValueEnum};
use review::NoSink;
use review_engine::{RunSettings, WaitingWork, inspect, unreadable_status, waiting_work};
use review_report::shown;
use review_report::status::{SpecStatus, StatusReport, human, mermaid};
use review_types::ExitCode;

use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::gone;
use crate::output::Version;
use crate::target::SpecRoot;
use crate::world::World;

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
pub(crate) fn run(context: &mut Context, args: StatusArgs) -> CommandResult {
    let named: Vec<String> = args.spec.into_iter().collect();
    let specs = match args.format {
        StatusFormat::Mermaid => context
            .spec(named.first().map(String::as_str))
            .map(|spec| vec![spec]),
        StatusFormat::Human | StatusFormat::Json => context.specs(&named),
    };
    let specs = specs.map_err(|error| match &named[..] {
        [name] if context.find_run(name).is_ok() => gone_status(),
        _ => error,
    })?;
    let world = World::new(context)?;
    let mut report = StatusReport {
        v: Version,
        specs: Vec::new(),
    };
    let mut roots = BTreeMap::new();
    for spec in &specs {
        let root = match roots.entry(context.root_of(spec)) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(place) => {
                let path = place.key().clone();
                place.insert(SpecRoot::open(context, path, &[], false)?)
            }
        };
        report.specs.push(spec_status(context, &world, root, spec)?);
    }
    match args.format {
        StatusFormat::Json => context.streams.print_json(&report)?,
        StatusFormat::Mermaid => {
            for spec in &report.specs {
                draw(context, spec)?;
            }
        }
        StatusFormat::Human => {
            for spec in &report.specs {
                context.streams.print(&human(spec))?;
            }
            if report.specs.is_empty() {
                let root = context.current_root();
                let mut hints = context.import_hints(&root, &root);
                if hints.is_empty() {
                    hints.push("`ralph init` writes a first one".to_owned());
                }
                let text = format!("no specs; {}", hints.join("; "));
                context.streams.note(&text);
            }
        }
    }
    let has_faults = |spec: &SpecStatus| !spec.faults.is_empty();
    Ok(match &report.specs[..] {
        [] => ExitCode::Nothing,
        specs if args.format != StatusFormat::Mermaid && specs.iter().any(has_faults) => {
            ExitCode::NotPassed
        }
        _ => ExitCode::Passed,
    })
}

/// Prints the tasks of a spec as a flowchart, and warns of what is wrong with them.
fn draw(context: &mut Context, spec: &SpecStatus) -> Result<(), CommandError> {
    for fault in &spec.faults {
        context.streams.warn(fault);
    }
    if spec.tasks.is_empty() {
        let error = format!("{} has no tasks", spec.spec);
        return Err(CommandError::nothing(error));
    }
    context.streams.print_raw(mermaid(spec).as_bytes())?;
    Ok(())
}

/// The answer where the status of a run is asked for.
fn gone_status() -> CommandError {
    CommandError::new(gone::STATUS_OF_RUN)
}

fn spec_status(
    context: &mut Context,
    world: &World,
    root: &SpecRoot,
    spec: &Path,
) -> Result<SpecStatus, CommandError> {
    let run = RunSettings::of(&root.settings, root.target(context, spec)?);
    let (environment, state) = (&context.environment, root.state.clone());
    let inspected = world.block_on(environment, &root.path, state, &NoSink, async |project| {
        let inspection = inspect(project, &run).await?;
        let waiting = match &inspection.plan {
            Some(plan) => waiting_work(project, &run.target, plan).await?,
            None => None,
        };
        Ok((inspection, waiting))
    })?;
    let mut status = match inspected {
        Ok((inspection, waiting)) => {
            let mut status = inspection.status(&root.name, &run.target);
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
        Err(error) => unreadable_status(&root.name, &run.target, error)?,
    };
    let path = shown(context.environment.folder(), &root.path.join(&status.spec));
    let mut words = vec!["ralph".to_owned(), "run".to_owned(), path];
    words.extend(context.given_options());
    status.suggest(&shell_words::join(words));
    Ok(status)
}
