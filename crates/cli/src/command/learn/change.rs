//! `ralph learn apply` and `ralph learn rollback`.

use review_engine::learn::{Chooser, Target, Updated};
use review_learning::protocol::Trigger;
use review_report::learn::{PromptRollback, PromptUpdate, prompt_rollback, prompt_update};
use review_types::ExitCode;

use super::place::Place;
use crate::args::{ChangePromptArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// Puts what is approved into a prompt, or uses another version of it.
pub(super) fn apply(context: &mut Context, args: &ChangePromptArgs) -> Ended {
    let place = Place::or_default(context)?;
    place.needs_versions()?;
    if let Some(version) = args.to {
        return switch(context, &place, args, Target::Version(version.0));
    }
    let updated = place.change(
        context,
        Trigger::LessonApproved,
        async |evolution, log, notices| {
            let updated = evolution.update(&args.agent, notices)?;
            log.updated(evolution, &updated, notices).await?;
            Ok(updated)
        },
    )?;
    let update = report_of(&updated);
    match args.format {
        PlainFormat::Human => context.streams.print(&prompt_update(&update))?,
        PlainFormat::Json => context.streams.print_json(&update)?,
    }
    Ok(ExitCode::Passed)
}

/// Goes back to an earlier version of a prompt.
pub(super) fn rollback(context: &mut Context, args: &ChangePromptArgs) -> Ended {
    let place = Place::or_default(context)?;
    place.needs_versions()?;
    place.needs_rollback()?;
    let to = args
        .to
        .map_or(Target::Before, |version| Target::Earlier(version.0));
    switch(context, &place, args, to)
}

fn switch(context: &mut Context, place: &Place, args: &ChangePromptArgs, to: Target) -> Ended {
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
