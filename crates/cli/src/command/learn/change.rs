//! `ralph learn apply` and `ralph learn rollback`.

use review_learning::lesson::Lesson;
use review_learning::prompt::Change;
use review_learning::protocol::Trigger;
use review_types::{ExitCode, plural};
use serde::Serialize;

use super::Ended;
use super::scene::Scene;
use crate::args::{ChangePromptArgs, PlainFormat};
use crate::context::Context;
use crate::error::CommandError;
use crate::learning::{RolledBack, Updated};
use crate::output::style::{FAINT, GOOD, RESET, STRONG};
use crate::output::{Version, printable};

/// The result of `learn apply --format json`.
#[derive(Serialize)]
struct Applied<'a> {
    v: Version,
    agent: &'a str,
    /// The version that is in use now.
    version: u32,
    /// The version that was in use before.
    previous: u32,
    /// Whether a version was made.
    changed: bool,
    changes: &'a [Change],
    lessons: &'a [Lesson],
}

/// The result of `learn rollback --format json`.
#[derive(Serialize)]
struct Restored<'a> {
    v: Version,
    agent: &'a str,
    from: u32,
    to: u32,
    /// The lessons that are otherwise than before.
    lessons: &'a [Lesson],
}

/// Puts what is approved into a prompt, or uses another version of it.
pub(super) fn apply(context: &mut Context, args: &ChangePromptArgs) -> Ended {
    let scene = Scene::open(context)?;
    scene.needs_versions()?;
    if args.to.is_some() {
        return restore(context, &scene, args);
    }
    let updated = update(context, &scene, &args.agent)?;
    match args.format {
        PlainFormat::Human => context.streams.print(&updated_line(&updated))?,
        PlainFormat::Json => {
            let before = &updated.before;
            let now = updated.version.as_ref().unwrap_or(before);
            let report = Applied {
                v: Version,
                agent: &args.agent,
                version: now.version.get(),
                previous: before.version.get(),
                changed: updated.version.is_some(),
                changes: updated
                    .version
                    .as_ref()
                    .map_or(&[], |version| &version.changes),
                lessons: &updated.lessons,
            };
            context.streams.print_json(&report)?;
        }
    }
    Ok(ExitCode::Passed)
}

/// Goes back to an earlier version of a prompt.
pub(super) fn rollback(context: &mut Context, args: &ChangePromptArgs) -> Ended {
    let scene = Scene::open(context)?;
    scene.needs_rollback()?;
    restore(context, &scene, args)
}

/// Makes a new version with what is approved, and tells its steps.
///
/// # Errors
/// When the agent has no prompt, or a file cannot be used.
pub(super) fn update(
    context: &mut Context,
    scene: &Scene,
    agent: &str,
) -> Result<Updated, CommandError> {
    let evolution = scene.evolution()?;
    let updated = evolution.update(context, agent)?;
    let teller = scene.teller(context, Trigger::LessonApproved)?;
    teller.updated(context, &evolution, &updated)?;
    Ok(updated)
}

fn restore(context: &mut Context, scene: &Scene, args: &ChangePromptArgs) -> Ended {
    let evolution = scene.evolution()?;
    let to = args.to.map(|version| version.0);
    let restored = evolution.roll_back(context, &args.agent, to)?;
    let teller = scene.teller(context, Trigger::ManualRequest)?;
    teller.rolled_back(context, &restored)?;
    match args.format {
        PlainFormat::Human => context.streams.print(&restored_line(&restored))?,
        PlainFormat::Json => context.streams.print_json(&Restored {
            v: Version,
            agent: &args.agent,
            from: restored.from.version.get(),
            to: restored.to.version.get(),
            lessons: &restored.lessons,
        })?,
    }
    Ok(ExitCode::Passed)
}

/// What an update did, as a person reads it.
pub(super) fn updated_line(updated: &Updated) -> String {
    let (agent, before) = (printable(&updated.before.agent), updated.before.version);
    let Some(version) = &updated.version else {
        return format!(
            "{STRONG}{agent}{RESET} stays at version {before}: nothing is approved that is not in it\n"
        );
    };
    let changes = plural(version.changes.len(), "change", "changes");
    let unasked = match updated.unasked {
        true => format!(" {FAINT}without asking: approval is not required{RESET}"),
        false => String::new(),
    };
    format!(
        "{STRONG}{agent}{RESET} {GOOD}version {before} → {}{RESET}, {changes}{unasked}\n",
        version.version
    )
}

fn restored_line(restored: &RolledBack) -> String {
    let (from, to) = (restored.from.version, restored.to.version);
    let agent = printable(&restored.to.agent);
    if from == to {
        return format!("{STRONG}{agent}{RESET} stays at version {to}\n");
    }
    let lessons = match restored.lessons.len() {
        0 => String::new(),
        count => format!(", {} changed", plural(count, "lesson", "lessons")),
    };
    format!("{STRONG}{agent}{RESET} {GOOD}version {from} → {to}{RESET}{lessons}\n")
}
