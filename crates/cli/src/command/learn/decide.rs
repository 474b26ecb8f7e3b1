//! `ralph learn approve`, `reject` and `defer`.

use review_engine::learn::{Decided, LearnError, decide, find_lesson};
use review_learning::lesson::Decision;
use review_learning::protocol::Trigger;
use review_report::learn::{LessonDecision, lesson_decision, prompt_update, short};
use review_types::ExitCode;

use super::change::report_of;
use super::place::Place;
use crate::args::{DecideArgs, DeferArgs, EditLessonArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::learning::notices;
use crate::output::{Version, printable};

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

/// Puts a lesson into the words of a user.
pub(super) fn edit(context: &mut Context, args: &EditLessonArgs) -> Ended {
    let place = Place::or_default(context)?;
    let evolution = place.evolution()?;
    let lessons = evolution.lessons(None, &mut notices(&mut context.streams))?;
    let lesson = find_lesson(lessons, &args.decide.id)?;
    let by = context.decider(args.decide.by.as_deref())?;
    let worded = lesson.worded(&args.text, args.lesson.as_deref(), &by);
    let worded = worded.map_err(LearnError::from)?;
    evolution.put(&worded)?;
    let decided = LessonDecision {
        v: Version,
        lesson: &worded,
        version: None,
    };
    match args.decide.format {
        PlainFormat::Json => context.streams.print_json(&decided)?,
        PlainFormat::Human => {
            let text =
                lesson_decision(&decided) + &format!("  -> {}\n", printable(worded.constraint()));
            context.streams.print(&text)?;
            let id = short(worded.id.as_str());
            let note = format!("`ralph learn approve {id}` puts it into the prompt");
            context.streams.note(&note);
        }
    }
    Ok(ExitCode::Passed)
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
