//! `ralph learn history` and `ralph learn diff`.

use review_engine::learn::{Evolution, LearnError};
use review_learning::prompt::PromptVersion;
use review_report::learn::{
    HistoryEntry, PromptDiff, PromptHistories, PromptHistory, prompt_histories, prompt_history,
};
use review_types::ExitCode;

use super::place::Place;
use crate::args::{PlainFormat, PromptDiffArgs, PromptHistoryArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::learning::notices;
use crate::output::{Version, coloured, printable, unified};

/// Lists the versions of the prompt of an agent, or of all agents.
pub(super) fn history(context: &mut Context, args: &PromptHistoryArgs) -> Ended {
    let place = Place::or_default(context)?;
    let evolution = place.evolution()?;
    if let Some(agent) = &args.agent {
        let history = of_agent(context, &evolution, agent)?;
        match args.format {
            PlainFormat::Json => context.streams.print_json(&history)?,
            PlainFormat::Human => context.streams.print(&prompt_history(&history))?,
        }
        return Ok(ExitCode::Passed);
    }
    let agents = evolution.agents()?;
    let histories = agents.iter();
    let histories = histories.map(|agent| of_agent(context, &evolution, agent));
    let histories = PromptHistories {
        v: Version,
        histories: histories.collect::<Result<_, CommandError>>()?,
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&histories)?,
        PlainFormat::Human => context.streams.print(&prompt_histories(&histories))?,
    }
    Ok(ExitCode::Passed)
}

fn of_agent<'a>(
    context: &mut Context,
    evolution: &Evolution<'_>,
    agent: &'a str,
) -> Result<PromptHistory<'a>, CommandError> {
    let current = evolution.current(agent)?;
    let files = evolution.prompts()?;
    let active = files.active(agent).map_err(LearnError::read)?;
    let mut kept = files.versions(agent).map_err(LearnError::read)?;
    kept.insert(current.version);
    let versions: Result<Vec<_>, LearnError> = kept
        .into_iter()
        .map(|version| {
            let mut version = evolution.version(agent, version)?;
            version.performance = evolution.measured(&version)?;
            Ok(HistoryEntry::new(version, &current, active.as_ref()))
        })
        .collect();
    let versions = versions?;
    let mut lessons = evolution.lessons(Some(agent), &mut notices(&mut context.streams))?;
    lessons.retain(|lesson| {
        let id = lesson.id.as_str();
        versions.iter().any(|version| version.holds(id))
    });
    let changes = active
        .as_ref()
        .map_or_else(Vec::new, |active| active.changes.clone());
    Ok(PromptHistory {
        v: Version,
        agent,
        active: current.version.get(),
        since: active.as_ref().map(|active| active.since),
        previous: active.and_then(|active| active.previous).map(Into::into),
        versions,
        changes,
        lessons,
    })
}

/// Shows what differs between two versions of a prompt.
pub(super) fn diff(context: &mut Context, args: &PromptDiffArgs) -> Ended {
    let place = Place::or_default(context)?;
    let evolution = place.evolution()?;
    let agent = &*args.agent;
    let to = match args.to {
        Some(version) => evolution.version(agent, version.0)?,
        None => evolution.current(agent)?,
    };
    let from = args
        .from
        .map(|version| version.0)
        .or(to.parent)
        .ok_or_else(|| LearnError::FirstVersion {
            agent: agent.to_owned(),
            version: to.version,
        })?;
    let from = evolution.version(agent, from)?;
    let name = |version: &PromptVersion| format!("{agent}/v{}", version.version);
    let diff = unified((&name(&from), &name(&to)), &from.content, &to.content);
    match args.format {
        PlainFormat::Json => context.streams.print_json(&PromptDiff {
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
