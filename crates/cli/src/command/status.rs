//! `ralph status`.

use review::NoSink;
use review_config::Overrides;
use review_engine::{RunSettings, inspect};
use review_report::shown;
use review_report::status::{SpecStatus, StatusReport, human};
use review_types::ExitCode;

use crate::args::{PlainFormat, StatusArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::gone;
use crate::output::Version;
use crate::target::{open_root, unit_target};
use crate::world::World;

/// Carries out `status`.
pub(crate) fn run(context: &mut Context, args: StatusArgs) -> Ended {
    let named: Vec<String> = args.spec.into_iter().collect();
    let specs = context.specs(&named).map_err(|error| match &named[..] {
        [name] if context.find_run(name).is_ok() => gone_status(),
        _ => error,
    })?;
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

/// The answer where the status of a run is asked for.
fn gone_status() -> CommandError {
    CommandError::new(ErrorKind::Usage, gone::STATUS_OF_RUN)
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
