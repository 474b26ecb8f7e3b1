//! `ralph learn approve`, `reject` and `defer`.

use review_engine::learn::{Decided, decide, find_lesson};
use review_learning::lesson::Decision;
use review_learning::protocol::Trigger;
use review_report::learn::{LessonDecision, lesson_decision, prompt_update};
use review_types::ExitCode;

use super::change::report_of;
use super::place::Place;
use crate::args::{DecideArgs, DeferArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::learning::notices;
use crate::output::Version;

/// Approves a lesson, which starts the update of its prompt.
pub(super) fn approve(context: &mut Context, args: &DecideArgs) -> Ended {
    run(context, args, |_| Decision::Approve)
}

/// Rejects a lesson for good.
pub(super) fn reject(context: &mut Context, args: &DecideArgs) -> Ended {
    run(context, args, |_| Decision::Reject)
}

/// Puts a lesson off.
pub(super) fn defer(context: &mut Context, args: &DeferArgs) -> Ended {
    run(context, &args.decide, |place| {
        Decision::Defer(args.until.ahead_of(place.now))
    })
}

fn run(context: &mut Context, args: &DecideArgs, decision: impl Fn(&Place) -> Decision) -> Ended {
    let place = Place::or_default(context)?;
    let lessons = place.evolution()?;
    let lessons = lessons.lessons(None, &mut notices(&mut context.streams))?;
    let lesson = find_lesson(lessons, &args.id)?;
    let (decision, by) = (decision(&place), context.decider(args.by.as_deref())?);
    let trigger = Trigger::LessonApproved;
    let Decided { lesson, updated } =
        place.change(context, trigger, async |evolution, log, notices| {
            decide(evolution, log, &lesson, decision, &by, notices).await
        })?;
    let version = updated
        .as_ref()
        .and_then(|updated| updated.version.as_ref());
    let decided = LessonDecision {
        v: Version,
        lesson: &lesson,
        version: version.map(|version| version.version.get()),
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&decided)?,
        PlainFormat::Human => {
            let updated = updated
                .as_ref()
                .map(|updated| prompt_update(&report_of(updated)));
            let text = lesson_decision(&decided) + &updated.unwrap_or_default();
            context.streams.print(&text)?;
        }
    }
    Ok(ExitCode::Passed)
}
