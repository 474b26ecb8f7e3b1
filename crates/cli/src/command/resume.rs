//! `ralph resume`.

use review::Budget;
use review_engine::Raised;
use review_types::Outcome;

use crate::args::{PlainFormat, ResumeArgs};
use crate::context::Context;
use crate::error::Ended;
use crate::runs::run_of;
use crate::session::go_on;

/// Carries out `resume`.
pub(crate) fn run(context: &mut Context, args: ResumeArgs) -> Ended {
    let run = run_of(context, &args.run)?;
    let replay = &run.replay;
    let passed = matches!(replay.outcome(), Some(Outcome::Passed | Outcome::Approved));
    if passed && !review_engine::is_notice_due(&run.dir, &replay.settings, &replay.events) {
        return super::report::show(context, &run, PlainFormat::from(args.format));
    }
    go_on(context, run, raised(&args), args.format)
}

fn raised(args: &ResumeArgs) -> Raised {
    let limits = &args.limits;
    Raised {
        max_iterations: limits.max_iterations.map(std::num::NonZeroU32::get),
        patience: None,
        max_calls: limits.max_calls.map(std::num::NonZeroU32::get),
        budget: Budget {
            max_tokens: limits.max_tokens.map(Into::into),
            max_cost: limits.max_cost,
        },
        max_time: limits.max_time,
        call_timeout: limits.call_timeout,
        idle_timeout: limits.idle_timeout,
        land: None,
        approved: None,
    }
}
