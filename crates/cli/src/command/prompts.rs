//! `ralph prompts`: the instructions that agents are given.

use std::num::NonZeroU32;

use clap::Args;
use review_engine::EngineError;
use review_engine::learn::role;
use review_flow::hash_bytes;
use review_learning::AgentName;
use review_learning::prompt::PromptVersion;
use review_report::learn::{ListedPrompt, PromptList, ShownPrompt, prompts};

use crate::args::{PlainFormat, version};
use crate::context::Context;
use crate::error::CommandResult;
use crate::learning::Place;
use crate::output::printable;

#[derive(Debug, Args)]
pub(crate) struct PromptsArgs {
    /// Whose prompt: reviewer, applier, or another agent that learns [default: list
    /// all].
    #[arg(value_parser = prompt_name)]
    name: Option<AgentName>,
    /// The version, such as 2 or v2 [default: the one in use].
    #[arg(long, value_name = "N", requires = "name", value_parser = version)]
    version: Option<NonZeroU32>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// No agent is called as the commands were that `ralph prompts` had.
fn prompt_name(name: &str) -> Result<AgentName, String> {
    match name {
        "list" | "show" => Err("must be the name of an agent, such as reviewer".to_owned()),
        name => Ok(AgentName::from(name)),
    }
}

/// Lists the prompts, or shows the one that is named.
pub(crate) fn run(context: &mut Context, args: &PromptsArgs) -> CommandResult {
    let place = Place::current(context, &[])?;
    let learner = place.learner()?;
    let Some(name) = &args.name else {
        let listed = learner.agents()?.into_iter().map(|name| {
            let current = learner.current(&name)?;
            Ok(listed(name, &current))
        });
        let list = PromptList {
            prompts: listed.collect::<Result<_, EngineError>>()?,
        };
        return context.show(args.format, &list, prompts);
    };
    let current = learner.current(name)?;
    let version = match args.version {
        Some(version) => learner.version(name, version)?,
        None => current.clone(),
    };
    let shown = ShownPrompt {
        name,
        version: version.version,
        active: version.version == current.version,
        hash: hash_bytes(version.content.as_bytes()),
        applied_lessons: &version.applied_lessons,
        performance: learner.measured(&version)?,
        text: &version.content,
    };
    context.show(args.format, &shown, |shown| {
        printable(shown.text).into_owned()
    })
}

fn listed(name: AgentName, current: &PromptVersion) -> ListedPrompt {
    ListedPrompt {
        embedded: role(&name).map(|_| NonZeroU32::MIN),
        name,
        active: current.version,
        hash: hash_bytes(current.content.as_bytes()),
        lessons: current.applied_lessons.len(),
    }
}
