//! `ralph status`.

use review::NoSink;
use review_config::Overrides;
use review_engine::{RunSettings, inspect};
use review_report::run::human_status;
use review_report::status::{SpecStatus, StatusReport, human};
use review_report::{Styling, shown};
use review_types::ExitCode;

use crate::args::{PlainFormat, StatusArgs};
use crate::context::{Context, unknown_spec};
use crate::error::{CommandError, Ended};
use crate::output::Version;
use crate::runs::{FoundRun, run_of};
use crate::target::{open_root, unit_target};
use crate::world::World;

/// Carries out `status`.
pub(crate) fn run(context: &mut Context, args: StatusArgs) -> Ended {
    if let Some(name) = &args.subject
        && let Some(run) = run_named(context, name)?
    {
        return of_run(context, &run, args.format);
    }
    let named: Vec<String> = args.subject.into_iter().collect();
    let specs = context.specs(&named)?;
    let world = World::new(context)?;
    let mut report = StatusReport {
        v: Version,
        specs: Vec::new(),
    };
    for spec in &specs {
        report.specs.push(spec_status(context, &world, spec)?);
    }
    match args.format {
        PlainFormat::Json => context.streams.print_json(&report)?,
        PlainFormat::Human => {
            for spec in &report.specs {
                context.streams.print(&human(spec))?;
            }
            if report.specs.is_empty() {
                context
                    .streams
                    .note("no specs; `ralph init` writes a first one");
            }
        }
    }
    Ok(if report.specs.is_empty() {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}

/// The run that a name means, where it is not that of a spec.
fn run_named(context: &mut Context, name: &str) -> Result<Option<FoundRun>, CommandError> {
    match context.find_spec(Some(name))? {
        Err(error) if error.is_missing() => match context.find_run(name) {
            Ok(_) => run_of(context, name).map(Some),
            Err(_) => {
                Err(unknown_spec(&error).hint("it is no run either; `ralph report` lists the runs"))
            }
        },
        Ok(_) | Err(_) => Ok(None),
    }
}

fn of_run(context: &mut Context, run: &FoundRun, format: PlainFormat) -> Ended {
    let report = run.report(context);
    let status = run.replay.status(report, context.environment.variables());
    let status = status.map_err(CommandError::from)?;
    match format {
        PlainFormat::Json => context.streams.print_json(&status)?,
        PlainFormat::Human => {
            let width = context.streams.out_width();
            let text = human_status(&status, width, Styling::Ansi);
            context.streams.print(&text)?;
        }
    }
    Ok(ExitCode::Passed)
}

fn spec_status(
    context: &mut Context,
    world: &World,
    spec: &std::path::Path,
) -> Result<SpecStatus, CommandError> {
    let root_path = context.root_of(spec);
    let settings = context.settings(&root_path, Overrides::default())?;
    let root = open_root(&root_path)?;
    let run = RunSettings::of(&settings, unit_target(context, &root, spec)?);
    let state = context.existing_state(&settings, &root_path)?;
    let environment = &context.environment;
    let inspected = world.block_on(environment, &root_path, state, &NoSink, async |project| {
        inspect(project, &run).await
    })?;
    let inspection = inspected.map_err(CommandError::from)?;
    let mut status = inspection.status(&context.root_name(&root_path), &run.target);
    let path = shown(context.environment.folder(), &root_path.join(&status.spec));
    let mut words = vec!["ralph".to_owned(), "run".to_owned(), path];
    words.extend(context.given_options());
    status.suggest(&shell_words::join(words));
    Ok(status)
}
