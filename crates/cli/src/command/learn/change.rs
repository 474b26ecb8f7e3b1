//! `ralph learn apply` and `ralph learn rollback`.

use review_engine::learn::Updated;
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
    if args.to.is_some() {
        return restore(context, &place, args);
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
    place.needs_rollback()?;
    restore(context, &place, args)
}

fn restore(context: &mut Context, place: &Place, args: &ChangePromptArgs) -> Ended {
    let to = args.to.map(|version| version.0);
    let restored = place.change(
        context,
        Trigger::ManualRequest,
        async |evolution, log, notices| {
            let restored = evolution.roll_back(&args.agent, to, notices)?;
            log.rolled_back(&restored, notices).await?;
            Ok(restored)
        },
    )?;
    let rollback = PromptRollback {
        v: Version,
        agent: &restored.to.agent,
        from: restored.from.version.get(),
        to: restored.to.version.get(),
        lessons: &restored.lessons,
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
