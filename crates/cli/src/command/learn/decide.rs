//! `ralph learn approve`, `reject` and `defer`.

use review_learning::lesson::{Decision, Lesson, LessonStatus};
use review_types::ExitCode;
use serde::Serialize;

use super::Ended;
use super::change::{update, updated_line};
use super::scene::Scene;
use crate::args::{DecideArgs, DeferArgs, PlainFormat};
use crate::command::approve::said;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::Updated;
use crate::output::style::{RESET, STRONG};
use crate::output::{Version, printable};

/// The result of the commands with `--format json`.
#[derive(Serialize)]
struct Decided<'a> {
    v: Version,
    lesson: &'a Lesson,
    /// The version of the prompt that was made; `null` where none was.
    version: Option<u32>,
}

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
    run(context, &args.decide, |scene| {
        Decision::Defer(args.until.ahead_of(scene.now))
    })
}

fn run(context: &mut Context, args: &DecideArgs, decision: impl Fn(&Scene) -> Decision) -> Ended {
    let scene = Scene::open(context)?;
    let lesson = scene.evolution()?.lesson(context, &args.id)?;
    let decision = decision(&scene);
    let (lesson, updated) = decide(context, &scene, &lesson, decision, &said("--by", &args.by)?)?;
    let version = updated
        .as_ref()
        .and_then(|updated| updated.version.as_ref());
    match args.format {
        PlainFormat::Json => context.streams.print_json(&Decided {
            v: Version,
            lesson: &lesson,
            version: version.map(|version| version.version.get()),
        })?,
        PlainFormat::Human => {
            let (id, status) = (&lesson.id, lesson.status);
            let note = lesson
                .note
                .as_deref()
                .map(|note| format!(", {}", printable(note)));
            let note = note.unwrap_or_default();
            let updated = updated.as_ref().map(updated_line).unwrap_or_default();
            context
                .streams
                .print(&format!("{STRONG}{id}{RESET} {status}{note}\n{updated}"))?;
        }
    }
    Ok(ExitCode::Passed)
}

/// Carries out what a person decided on a lesson. Returns it as it is then, and
/// what became of the prompt where that concerns it.
///
/// # Errors
/// When it cannot be decided so, or not by this person, or a file cannot be
/// used.
pub(super) fn decide(
    context: &mut Context,
    scene: &Scene,
    lesson: &Lesson,
    decision: Decision,
    by: &str,
) -> Result<(Lesson, Option<Updated>), CommandError> {
    let evolution_config = &scene.config.prompt_evolution;
    let gate = &evolution_config.approval_gate;
    if !gate.accepts(by) {
        let who = gate.approvers.join(", ");
        let message = format!("{by} may not decide on lessons; those who may are: {who}");
        return Err(CommandError::new(ErrorKind::Refused, message)
            .hint("prompt_evolution.approval_gate.approvers lists them"));
    }
    let evolution = scene.evolution()?;
    let decided = lesson.decided(decision, by);
    let decided =
        decided.map_err(|settled| CommandError::new(ErrorKind::Refused, settled.to_string()))?;
    let was_applied = lesson.status == LessonStatus::Applied;
    let concerns_prompt = decision == Decision::Approve || was_applied;
    if concerns_prompt {
        // What cannot be applied stays proposed.
        evolution.current(&lesson.agent)?;
    }
    evolution.put(&decided)?;
    if !concerns_prompt || !evolution_config.versioning.enabled {
        return Ok((decided, None));
    }
    let updated = update(context, scene, &lesson.agent)?;
    let mut changed = updated.lessons.iter();
    let now = changed.find(|changed| changed.id == decided.id).cloned();
    Ok((now.unwrap_or(decided), Some(updated)))
}
