//! `ralph provide`.

use std::io::Read as _;

use review::NoSink;
use review_agents::provider::{MAX_REQUEST, Moments, messages};
use review_engine::learn::active_prompts;
use review_engine::{EngineError, Provided, RunSettings, Target};
use review_types::ExitCode;

use crate::args::ProvideArgs;
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::world::World;

/// Carries out `provide`: the request on standard input, its answer on standard
/// output.
pub(crate) fn run(context: &mut Context, args: ProvideArgs) -> Ended {
    let root = context.current_root();
    let settings = context.settings(&root, args.overrides())?;
    let request = read_request()?;
    let start = now();
    let state = context.state(&settings, &root, false)?;
    // What is reviewed is known when the request is read.
    let nothing = Target::File {
        path: String::new(),
    };
    let mut run = RunSettings::of(&settings, nothing);
    run.prompts = active_prompts(&root, &settings)?;
    let world = World::new(context)?;
    let provided = world.block_on(
        &context.environment,
        &root,
        state,
        &NoSink,
        async |project| {
            // Held on the stack, it would be larger than all else there.
            Box::pin(review_engine::provide(project, run, args.session, &request)).await
        },
    )?;
    let Provided {
        session,
        response,
        warnings,
    } = match provided {
        Ok(provided) => provided,
        Err(EngineError::Interrupted(_)) => return Ok(world.interrupted()),
        Err(error) => return Err(error.into()),
    };
    for warning in warnings {
        context.streams.warn(&warning);
    }
    if args.raw {
        context
            .streams
            .print_raw(format!("{response}\n").as_bytes())?;
        return Ok(ExitCode::Passed);
    }
    let end = now();
    for message in messages(&session, &request, &response, Moments { start, end }) {
        context.streams.print_json(&message)?;
    }
    Ok(ExitCode::Passed)
}

/// Reads standard input, and one byte more than a request may have.
fn read_request() -> Result<Vec<u8>, CommandError> {
    let mut request = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_REQUEST as u64 + 1)
        .read_to_end(&mut request);
    read.map_err(|error| {
        CommandError::new(ErrorKind::Input, "cannot read the request").source(error)
    })?;
    Ok(request)
}
