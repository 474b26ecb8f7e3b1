//! `ralph resume`.

use review::Budget;
use review_engine::Raised;
use review_types::Outcome;

use crate::args::{LimitArgs, PlainFormat, ResumeArgs};
use crate::context::Context;
use crate::error::Ended;
use crate::runs::run_of;
use crate::session::go_on;

/// Carries out `resume`.
pub(crate) fn run(context: &mut Context, args: ResumeArgs) -> Ended {
    let (dir, replay) = run_of(context, &args.run)?;
    let passed = matches!(replay.outcome(), Some(Outcome::Passed | Outcome::Approved));
    if passed && !review_engine::is_notice_due(&dir, &replay.settings, &replay.events) {
        return super::report::show(context, &dir, PlainFormat::from(args.format));
    }
    go_on(context, dir, replay, raised(&args.limits), args.format)
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
