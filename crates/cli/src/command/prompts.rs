//! `ralph prompts`: the instructions that agents are given.

use std::num::NonZeroU32;

use review::events::AgentRole;
use review_flow::hash_bytes;
use review_learning::prompt::PromptVersion;
use review_types::{ExitCode, Hash, plural};
use serde::Serialize;

use super::Ended;
use super::learn::Scene;
use crate::args::{PlainFormat, PromptsCommand, ShowPromptArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::learning::{role, unreadable};
use crate::output::style::{FAINT, RESET, STRONG};
use crate::output::{Version, printable};

/// The result of `prompts list --format json`.
#[derive(Serialize)]
struct List {
    v: Version,
    prompts: Vec<Listed>,
}

/// A prompt with the version that is in use.
#[derive(Serialize)]
struct Listed {
    name: String,
    /// The version that is part of the program; `null` for an agent that is
    /// none of our roles.
    embedded: Option<NonZeroU32>,
    /// The version that is in use.
    active: NonZeroU32,
    /// Hash of its text.
    hash: Hash,
    /// Lessons that stand in it.
    lessons: usize,
}

/// The result of `prompts show --format json`.
#[derive(Serialize)]
struct Shown<'a> {
    v: Version,
    name: &'a str,
    version: NonZeroU32,
    /// Whether it is in use.
    active: bool,
    hash: Hash,
    applied_lessons: &'a [String],
    text: &'a str,
}

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, command: PromptsCommand) -> Ended {
    match command {
        PromptsCommand::List { format } => list(context, format),
        PromptsCommand::Show(args) => show(context, &args),
    }
}

fn list(context: &mut Context, format: PlainFormat) -> Ended {
    let scene = Scene::open(context)?;
    let evolution = scene.evolution()?;
    let mut names = [AgentRole::Reviewer, AgentRole::Applier]
        .map(|role| role.as_str().to_owned())
        .to_vec();
    let others = evolution.prompts()?.agents().map_err(unreadable)?;
    names.extend(others.into_iter().filter(|name| role(name).is_none()));
    let prompts = names.into_iter().map(|name| {
        let current = evolution.current(&name)?;
        Ok(Listed::of(name, &current))
    });
    let prompts: Vec<_> = prompts.collect::<Result<_, CommandError>>()?;
    match format {
        PlainFormat::Json => context.streams.print_json(&List {
            v: Version,
            prompts,
        })?,
        PlainFormat::Human => {
            let lines: String = prompts.iter().map(Listed::line).collect();
            context.streams.print(&lines)?;
        }
    }
    Ok(ExitCode::Passed)
}

impl Listed {
    fn of(name: String, current: &PromptVersion) -> Self {
        Self {
            embedded: role(&name).map(|_| NonZeroU32::MIN),
            name,
            active: current.version,
            hash: hash_bytes(current.content.as_bytes()),
            lessons: current.applied_lessons.len(),
        }
    }

    fn line(&self) -> String {
        let embedded = match self.embedded {
            Some(version) if version == self.active => ", as it is in the program",
            Some(_) | None => "",
        };
        let lessons = plural(self.lessons, "lesson", "lessons");
        format!(
            "{STRONG}{}{RESET}  v{} {FAINT}{}{RESET}  {lessons}{embedded}\n",
            printable(&self.name),
            self.active,
            self.hash.short()
        )
    }
}

fn show(context: &mut Context, args: &ShowPromptArgs) -> Ended {
    let scene = Scene::open(context)?;
    let evolution = scene.evolution()?;
    let current = evolution.current(&args.name)?;
    let version = match args.version {
        Some(version) => evolution.version(&args.name, version.0)?,
        None => current.clone(),
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&Shown {
            v: Version,
            name: &args.name,
            version: version.version,
            active: version.version == current.version,
            hash: hash_bytes(version.content.as_bytes()),
            applied_lessons: &version.applied_lessons,
            text: &version.content,
        })?,
        PlainFormat::Human => context.streams.print(&printable(&version.content))?,
    }
    Ok(ExitCode::Passed)
}
