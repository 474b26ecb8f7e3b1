//! `ralph learn rollback`, and the report of an update.

use review_engine::learn::{Chooser, Target, Updated};
use review_learning::protocol::Trigger;
use review_report::learn::{PromptRollback, PromptUpdate, prompt_rollback};
use review_types::ExitCode;

use super::place::Place;
use crate::args::{PlainFormat, RollbackArgs};
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// Uses another version of a prompt.
pub(super) fn run(context: &mut Context, args: &RollbackArgs) -> Ended {
    let place = Place::or_default(context)?;
    place.needs_versions()?;
    place.needs_rollback()?;
    let to = args
        .to
        .map_or(Target::Before, |version| Target::Version(version.0));
    let by = Chooser::User {
        by: context.decider(args.by.as_deref())?,
        reason: args.why.clone(),
    };
    let switched = place.change(
        context,
        Trigger::ManualRequest,
        async |evolution, log, notices| {
            let switched = evolution.switch(&args.agent, to, by, notices)?;
            log.switched(evolution, &switched, notices).await?;
            Ok(switched)
        },
    )?;
    let rollback = PromptRollback {
        v: Version,
        agent: &switched.to.agent,
        from: switched.from.version.get(),
        to: switched.to.version.get(),
        lessons: &switched.lessons,
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&prompt_rollback(&rollback))?,
        PlainFormat::Json => context.streams.print_json(&rollback)?,
    }
    Ok(ExitCode::Passed)
}

/// The report of an update.
pub(super) fn report_of(updated: &Updated) -> PromptUpdate<'_> {
    let before = &updated.before;
    let now = updated.version.as_ref().unwrap_or(before);
    PromptUpdate {
        v: Version,
        agent: &before.agent,
        version: now.version.get(),
        previous: before.version.get(),
        changed: updated.version.is_some(),
        changes: updated
            .version
            .as_ref()
            .map_or(&[], |version| &version.changes),
        lessons: &updated.lessons,
        unasked: updated.unasked,
    }
}
