//! `ralph resume`.

use std::path::Path;

use review::Budget;
use review_config::Overrides;
use review_engine::Raised;
use review_store::RunDir;
use review_types::Outcome;

use super::Ended;
use super::report::Replayed;
use crate::args::{Format, LimitArgs, PlainFormat, ResumeArgs};
use crate::context::Context;
use crate::learning::learning_config;
use crate::session::{Session, new_report};

/// Carries out `resume`.
pub(crate) fn run(context: &mut Context, args: ResumeArgs) -> Ended {
    let settings = context.settings(&context.current_root(), Overrides::default())?;
    let state = context.state_for_reading(&settings);
    let dir = context.find_run(&state, &args.run)?;
    let replay = super::report::replay(&dir)?;
    let passed = matches!(replay.outcome, Some(Outcome::Passed | Outcome::Approved));
    if passed && !review_engine::is_notice_due(&dir, &replay.settings, &replay.events) {
        return super::report::show(context, &dir, PlainFormat::from(args.format));
    }
    go_on(context, dir, replay, raised(&args.limits), args.format)
}

/// Goes on with the run in `dir`, of which this was told so far.
///
/// # Errors
/// When the run could not be resumed or broke.
pub(super) fn go_on(
    context: &mut Context,
    dir: RunDir,
    mut replay: Replayed,
    raised: Raised,
    format: Format,
) -> Ended {
    let state = context.open_state(dir.state().path())?;
    replay.settings.max_calls = raised.max_calls.or(replay.settings.max_calls);
    replay.settings.budget = raised.budget.or(replay.settings.budget);
    replay.settings.max_time = raised.max_time.or(replay.settings.max_time);
    let mut report = new_report(&replay.settings);
    for event in &replay.events {
        report.take(event);
    }
    let root = Path::new(&replay.input.root).to_owned();
    let settings = context.settings(&root, Overrides::default())?;
    let learning = if replay.settings.apply {
        learning_config(&root, &settings)?
    } else {
        None
    };
    let session = Session {
        root: &root,
        state,
        format,
        command: replay.input.command,
        state_dir: context.given_state_dir(),
        learning,
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
