//! `ralph learn rollback`, and the report of an update.

use std::num::NonZeroU32;

use clap::Args;
use review_engine::learn::switched_off;
use review_learning::AgentName;
use review_learning::protocol::Trigger;
use review_report::learn::{PromptRollback, prompt_rollback};

use crate::args::{PlainFormat, version};
use crate::context::Context;
use crate::error::CommandResult;
use crate::learning::Place;

#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// Whose prompt: reviewer, applier, or another agent that learns.
    agent: AgentName,
    /// The version to use from now on, such as 2 or v2, also a later one [default: the
    /// one that the present one was made from].
    #[arg(long, value_name = "N", value_parser = version)]
    to: Option<NonZeroU32>,
    /// Who decides on a version [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Why, for `ralph learn show AGENT`.
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Uses another version of a prompt.
pub(super) fn run(context: &mut Context, args: &RollbackArgs) -> CommandResult {
    context.refuse_to_agents()?;
    let place = Place::current(context, &[])?;
    let prompts = &place.config.prompt_evolution;
    for (is_on, key) in [
        (
            prompts.versioning.enabled,
            "prompt_evolution.versioning.enabled",
        ),
        (
            prompts.rollback.enabled,
            "prompt_evolution.rollback.enabled",
        ),
    ] {
        if !is_on {
            return Err(switched_off(key).into());
        }
    }
    let by = context.decider(args.by.as_deref())?;
    let trigger = Trigger::ManualRequest;
    let switched = place.change(context, trigger, async |evolution| {
        evolution
            .switch(&args.agent, args.to, Some(&by), args.why.clone())
            .await
    })?;
    let rollback = PromptRollback {
        agent: &switched.to.agent,
        from: switched.from.version.get(),
        to: switched.to.version.get(),
        lessons: &switched.lessons,
    };
    context.show(args.format, &rollback, prompt_rollback)
}
