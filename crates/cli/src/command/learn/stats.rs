//! `ralph learn stats`: how agents do under the versions of their prompts.

use std::num::NonZeroU32;

use clap::Args;
use review_engine::learn::Learner;
use review_learning::AgentName;
use review_learning::measure::{Outcome, compare};
use review_report::learn::{PromptComparison, comparison, stats};

use crate::args::{PlainFormat, version};
use crate::context::Context;
use crate::error::{CommandResult, passed_if};
use crate::learning::Place;

#[derive(Debug, Args)]
pub(crate) struct LearnStatsArgs {
    /// The agent, such as reviewer or applier [default: all].
    #[arg(value_name = "AGENT")]
    agent: Option<AgentName>,
    /// The version that another one is compared with, such as v1.
    #[arg(value_name = "V1", requires = "after", value_parser = version)]
    before: Option<NonZeroU32>,
    /// The version that may be better, such as v2.
    #[arg(value_name = "V2", value_parser = version)]
    after: Option<NonZeroU32>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Counts what is known, or compares two versions.
pub(super) fn run(context: &mut Context, args: &LearnStatsArgs) -> CommandResult {
    let place = Place::current(context, &[])?;
    let state = context.state_for_reading(&place.settings, &place.root);
    let learner = place.learner()?;
    if let (Some(agent), Some(before), Some(after)) = (&args.agent, args.before, args.after) {
        return compared(context, &learner, (agent, before, after), args.format);
    }
    let mut report = learner.stats(&state)?;
    if let Some(agent) = &args.agent {
        report.agents.retain(|stats| stats.agent == *agent);
    }
    context.show(args.format, &report, stats)
}

/// Compares two versions by the runs that used them.
fn compared(
    context: &mut Context,
    learner: &Learner<'_>,
    (agent, before, after): (&AgentName, NonZeroU32, NonZeroU32),
    format: PlainFormat,
) -> CommandResult {
    let (old, new) = (
        learner.performance_of(agent, before)?,
        learner.performance_of(agent, after)?,
    );
    let found = compare(old.observations(), new.observations());
    let active = learner.prompts()?.active(agent)?;
    let rolled_back = active.and_then(|active| active.rolled_back(after).cloned());
    let report = PromptComparison {
        agent,
        before,
        after,
        rolled_back,
        found: &found,
    };
    context.show(format, &report, comparison)?;
    passed_if(found.outcome != Outcome::Worse)
}
