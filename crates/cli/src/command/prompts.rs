//! `ralph prompts`: the instructions that agents are given.

use std::num::NonZeroU32;

use review_engine::learn::{LearnError, role};
use review_flow::hash_bytes;
use review_learning::prompt::PromptVersion;
use review_report::learn::{ListedPrompt, PromptList, ShownPrompt, prompts};
use review_types::ExitCode;

use super::learn::Place;
use crate::args::{PlainFormat, PromptsArgs};
use crate::context::Context;
use crate::error::Ended;
use crate::output::{Version, printable};

/// Lists the prompts, or shows the one that is named.
pub(crate) fn run(context: &mut Context, args: &PromptsArgs) -> Ended {
    match &args.name {
        None => list(context, args.format),
        Some(name) => show(context, name, args),
    }
}

fn list(context: &mut Context, format: PlainFormat) -> Ended {
    let place = Place::or_default(context)?;
    let evolution = place.evolution()?;
    let listed = evolution.agents()?.into_iter().map(|name| {
        let current = evolution.current(&name)?;
        Ok(listed(name, &current))
    });
    let list = PromptList {
        v: Version,
        prompts: listed.collect::<Result<_, LearnError>>()?,
    };
    match format {
        PlainFormat::Json => context.streams.print_json(&list)?,
        PlainFormat::Human => context.streams.print(&prompts(&list))?,
    }
    Ok(ExitCode::Passed)
}

fn listed(name: String, current: &PromptVersion) -> ListedPrompt {
    ListedPrompt {
        embedded: role(&name).map(|_| NonZeroU32::MIN),
        name,
        active: current.version,
        hash: hash_bytes(current.content.as_bytes()),
        lessons: current.applied_lessons.len(),
    }
}

fn show(context: &mut Context, name: &str, args: &PromptsArgs) -> Ended {
    let place = Place::or_default(context)?;
    let evolution = place.evolution()?;
    let current = evolution.current(name)?;
    let version = match args.version {
        Some(version) => evolution.version(name, version.0)?,
        None => current.clone(),
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&ShownPrompt {
            v: Version,
            name,
            version: version.version,
            active: version.version == current.version,
            hash: hash_bytes(version.content.as_bytes()),
            applied_lessons: &version.applied_lessons,
            performance: evolution.measured(&version)?,
            text: &version.content,
        })?,
        PlainFormat::Human => context.streams.print(&printable(&version.content))?,
    }
    Ok(ExitCode::Passed)
}
