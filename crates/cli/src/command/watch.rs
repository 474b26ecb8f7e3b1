//! `ralph watch`.

use std::path::Path;

use clap::Args;
use review::EventSink;
use review::events::{Envelope, Event};
use review_engine::{EngineError, Follower, Replay};
use review_types::{ExitCode, Outcome};

use crate::args::Format;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::live::{LiveSink, summary};
use crate::runs::{FoundRun, run_of};
use crate::runtime::Runtime;

/// Show a run while another process carries it out.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder [default:
    /// the newest that a process is at work on].
    run: Option<String>,
}

/// Carries out `watch`.
pub(crate) fn run(context: &mut Context, args: &WatchArgs) -> CommandResult {
    let name = match &args.run {
        Some(run) => run.clone(),
        None => live_run(context)?,
    };
    let found = run_of(context, &name)?;
    context.note_root(Path::new(&found.replay.input.root));
    let runtime = Runtime::new(context)?;
    let (detail, width) = (context.detail(), context.streams.out_width());
    let (report, progress) = (found.replay.settings.report(), context.shows_progress());
    let sink = LiveSink::new(
        &mut context.streams,
        Format::Human,
        detail,
        report,
        progress,
    );
    let mut follower = Follower::new(found.dir.clone());
    let last = runtime.wait(follow(&mut follower, &sink));
    sink.into_report()?;
    // The user who ends the watching knows that the run goes on without it.
    let Some(last) = last else {
        return Ok(runtime.interrupted().unwrap_or(ExitCode::Interrupted));
    };
    let found = FoundRun {
        replay: last?,
        ..found
    };
    let report = found.report(context);
    let text = summary(&report, detail, width);
    context.streams.print(&text)?;
    let outcome = report.outcome;
    Ok(outcome.map_or(ExitCode::Interrupted, Outcome::exit_code))
}

/// Passes on what happens in a run until no process is at work on it.
async fn follow(follower: &mut Follower, sink: &impl EventSink) -> Result<Replay, EngineError> {
    let (mut passed, mut live) = (0, Vec::<Envelope>::new());
    loop {
        let now = follower.next().await?;
        for event in now.replay.events.iter().skip(passed) {
            match event.event {
                Event::StepStarted(_) | Event::StepFinished(_) => sink.progress(event),
                _ => sink.emit(event),
            }
        }
        passed = now.replay.events.len();
        let is_new = |event: &&Envelope| !live.contains(event);
        let new = now.live.iter().filter(is_new);
        new.for_each(|event| sink.progress(event));
        live = now.live;
        if !now.is_live {
            return Ok(now.replay);
        }
    }
}

/// The newest run that a process is at work on, by its id; the others are named.
fn live_run(context: &mut Context) -> Result<String, CommandError> {
    let runs = context.runs()?.into_iter();
    let mut live = runs.filter(|(_, dir)| dir.is_live());
    let Some((_, newest)) = live.next() else {
        let error = CommandError::nothing("no run is going on");
        return Err(error.hint("`ralph report` lists the runs"));
    };
    Ok(newest.id().to_string())
}
