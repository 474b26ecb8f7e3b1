//! `ralph diff`.

use std::path::Path;

use review::NoSink;
use review_engine::{ChangeOf, NoDiff};
use review_report::DiffReport;
use review_types::ExitCode;

use crate::args::{DiffArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::{coloured, printable};
use crate::runs::run_of;
use crate::world::World;

/// Carries out `diff`.
pub(crate) fn run(context: &mut Context, args: &DiffArgs) -> Ended {
    let run = run_of(context, &args.run)?;
    let of = match (args.round, args.task) {
        (Some(round), _) => ChangeOf::Round(round),
        (None, Some(task)) => ChangeOf::Task(task),
        (None, None) => ChangeOf::Run,
    };
    let state = context.open_state(run.dir.state().path())?;
    let world = World::new(context)?;
    let root = Path::new(&run.replay.input.root);
    let diff = world.block_on(
        &context.environment,
        root,
        state,
        &NoSink,
        async |project| run.replay.diff(project, of).await,
    )?;
    let report = DiffReport::new(run.dir.id().clone(), diff?);
    match args.format {
        PlainFormat::Json => context.streams.print_json(&report)?,
        PlainFormat::Human if report.diff.is_empty() => context.streams.note("nothing was changed"),
        PlainFormat::Human if args.stat => context.streams.print(&report.stat())?,
        PlainFormat::Human if context.streams.out.is_plain() => {
            context.streams.print_raw(report.diff.as_bytes())?;
        }
        PlainFormat::Human => context.streams.print(&coloured(&printable(&report.diff)))?,
    }
    Ok(ExitCode::Passed)
}

impl From<NoDiff> for CommandError {
    fn from(error: NoDiff) -> Self {
        let (kind, hint) = match error {
            NoDiff::Engine(error) => return error.into(),
            NoDiff::NoRound { .. } | NoDiff::NoAttempt(_) => (
                ErrorKind::Usage,
                "`ralph report RUN -v` shows the rounds and attempts of a run",
            ),
            NoDiff::LaneGone(_) => (
                ErrorKind::Input,
                "what landed is in the commits of your branch: `git log`",
            ),
            NoDiff::NotKept(_) => (
                ErrorKind::Input,
                "texts are in the state folder as long as their run is",
            ),
        };
        Self::new(kind, error.to_string()).hint(hint)
    }
}
