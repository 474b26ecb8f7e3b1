//! `ralph resume`.

use std::path::Path;

use review::Budget;
use review_engine::Raised;
use review_types::Outcome;

use super::Ended;
use crate::args::{LimitArgs, PlainFormat, ResumeArgs};
use crate::config::Overrides;
use crate::context::Context;
use crate::report::RunReport;
use crate::session::Session;

/// Carries out `resume`.
pub(crate) fn run(context: &mut Context, args: ResumeArgs) -> Ended {
    let settings = context.settings(&context.current_root(), Overrides::default())?;
    let state = context.state_for_reading(&settings);
    let dir = context.find_run(&state, &args.run)?;
    let mut replay = super::report::replay(&dir)?;
    if replay.outcome == Some(Outcome::Passed) {
        return super::report::show(context, &dir, PlainFormat::from(args.format));
    }
    let state = context.open_state(dir.state().path())?;
    let raised = raised(&args.limits);
    replay.settings.max_calls = raised.max_calls.or(replay.settings.max_calls);
    replay.settings.budget = raised.budget.or(replay.settings.budget);
    replay.settings.max_time = raised.max_time.or(replay.settings.max_time);
    let mut report = RunReport::new(&replay.settings);
    for event in &replay.events {
        report.take(event);
    }
    let root = Path::new(&replay.record.root).to_owned();
    let session = Session {
        root: &root,
        state,
        format: args.format,
        state_dir: context.given_state_dir(),
    };
    session.run(context, report, async |project| {
        review_engine::resume(project, dir, raised).await
    })
}

fn raised(limits: &LimitArgs) -> Raised {
    Raised {
        max_iterations: limits.max_iterations.map(std::num::NonZeroU32::get),
        max_calls: limits.max_calls.map(std::num::NonZeroU32::get),
        budget: Budget {
            max_tokens: limits.max_tokens.map(Into::into),
            max_cost: limits.max_cost,
        },
        max_time: limits.max_time,
        call_timeout: limits.call_timeout,
        idle_timeout: limits.idle_timeout,
    }
}
