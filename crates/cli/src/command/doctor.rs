//! `ralph doctor`: whether everything a run needs is here.

use review_config::Overrides;
use review_engine::doctor::Doctor;
use review_engine::location::state_folder;
use review_report::doctor;
use review_types::ExitCode;

use crate::args::{DoctorArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::world::World;

/// Looks at everything and prints what it found.
pub(crate) fn run(context: &mut Context, args: &DoctorArgs) -> Ended {
    let root = context.current_root();
    let settings = context.settings(
        &root,
        Overrides {
            reviewer: args.reviewer.clone(),
            applier: args.applier.clone(),
            ..Overrides::default()
        },
    );
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
    let diagnosis = world.finish(looked_at.diagnose(config.map_err(|error| {
        let message = environment.redactor().redact(error.message().as_bytes());
        String::from_utf8_lossy(&message).into_owned()
    })));
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
