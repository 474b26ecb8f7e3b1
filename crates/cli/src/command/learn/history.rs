//! `ralph learn history` and `ralph learn diff`.

use review_learning::prompt::{Change, PromptVersion};
use review_types::{ExitCode, Timestamp, plural};
use serde::Serialize;

use super::Ended;
use super::scene::Scene;
use crate::args::{PlainFormat, PromptDiffArgs, PromptHistoryArgs};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::unreadable;
use crate::output::style::{FAINT, GOOD, RESET, STRONG};
use crate::output::{Version, coloured, printable, unified};

/// The result of `learn history --format json`.
#[derive(Serialize)]
struct History<'a> {
    v: Version,
    agent: &'a str,
    /// The version that is in use.
    active: u32,
    /// Since when; `null` where nothing else was in use.
    since: Option<Timestamp>,
    /// The version that was in use before.
    previous: Option<u32>,
    /// The versions, the first one first.
    versions: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    version: u32,
    active: bool,
    parent: Option<u32>,
    created_at: Timestamp,
    approved_by: Option<String>,
    applied_lessons: Vec<String>,
    changes: Vec<Change>,
}

/// The result of `learn diff --format json`.
#[derive(Serialize)]
struct Difference<'a> {
    v: Version,
    agent: &'a str,
    from: u32,
    to: u32,
    diff: &'a str,
}

/// Lists the versions of a prompt.
pub(super) fn history(context: &mut Context, args: &PromptHistoryArgs) -> Ended {
    let scene = Scene::open(context)?;
    let evolution = scene.evolution()?;
    let agent = &*args.agent;
    let current = evolution.current(agent)?;
    let files = evolution.prompts()?;
    let active = files.active(agent).map_err(unreadable)?;
    let mut kept = files.versions(agent).map_err(unreadable)?;
    kept.insert(current.version);
    let versions: Result<Vec<_>, CommandError> = kept
        .into_iter()
        .map(|version| Ok(Listed::of(evolution.version(agent, version)?, &current)))
        .collect();
    let history = History {
        v: Version,
        agent,
        active: current.version.get(),
        since: active.as_ref().map(|active| active.since),
        previous: active.and_then(|active| active.previous).map(Into::into),
        versions: versions?,
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&history)?,
        PlainFormat::Human => {
            let lines: String = history.versions.iter().map(Listed::line).collect();
            context.streams.print(&lines)?;
        }
    }
    Ok(ExitCode::Passed)
}

impl Listed {
    fn of(version: PromptVersion, current: &PromptVersion) -> Self {
        Self {
            version: version.version.get(),
            active: version.version == current.version,
            parent: version.parent.map(Into::into),
            created_at: version.created_at,
            approved_by: version.approved_by,
            applied_lessons: version.applied_lessons,
            changes: version.changes,
        }
    }

    fn line(&self) -> String {
        let active = if self.active {
            format!(" {GOOD}in use{RESET}")
        } else {
            String::new()
        };
        let mut facts = vec![plural(self.applied_lessons.len(), "lesson", "lessons")];
        if let Some(parent) = self.parent {
            facts.push(format!(
                "{} of v{parent}",
                plural(self.changes.len(), "change", "changes")
            ));
            facts.push(format!("made {}", self.created_at));
        }
        if let Some(by) = &self.approved_by {
            facts.push(format!("approved by {}", printable(by)));
        }
        let facts = facts.join(", ");
        format!(
            "{STRONG}v{}{RESET}{active}  {FAINT}{facts}{RESET}\n",
            self.version
        )
    }
}

/// Shows what differs between two versions of a prompt.
pub(super) fn diff(context: &mut Context, args: &PromptDiffArgs) -> Ended {
    let scene = Scene::open(context)?;
    let evolution = scene.evolution()?;
    let agent = &*args.agent;
    let to = match args.to {
        Some(version) => evolution.version(agent, version.0)?,
        None => evolution.current(agent)?,
    };
    let from = args
        .from
        .map(|version| version.0)
        .or(to.parent)
        .ok_or_else(|| {
            let message = format!(
                "version {} of the prompt of {agent} has none before it",
                to.version
            );
            CommandError::new(ErrorKind::Refused, message)
        })?;
    let from = evolution.version(agent, from)?;
    let name = |version: &PromptVersion| format!("{agent}/v{}", version.version);
    let diff = unified((&name(&from), &name(&to)), &from.content, &to.content);
    match args.format {
        PlainFormat::Json => context.streams.print_json(&Difference {
            v: Version,
            agent,
            from: from.version.get(),
            to: to.version.get(),
            diff: &diff,
        })?,
        PlainFormat::Human => context.streams.print(&coloured(&printable(&diff)))?,
    }
    Ok(ExitCode::Passed)
}
