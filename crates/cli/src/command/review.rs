//! `ralph review`.

use review_engine::Stages;
use review_types::ExitCode;

use super::Ended;
use super::run::{carry_out, dry_run};
use crate::args::ReviewArgs;
use crate::context::Context;
use crate::target::{open_root, path_target, run_settings};

/// Carries out `review`: the loop, once per path. The worst exit code wins.
pub(crate) fn run(context: &mut Context, args: ReviewArgs) -> Ended {
    let mut worst = ExitCode::Passed;
    for path in &args.paths {
        let path = context.absolute(path);
        let root_path = context.root_of(&path);
        let settings = context.settings(&root_path, args.review.overrides())?;
        let root = open_root(&root_path)?;
        let mut run = run_settings(&settings, path_target(&root, &path)?);
        run.apply = !args.review.no_apply;
        run.stages = Stages::Review;
        let code = if args.dry_run {
            dry_run(context, &run)?
        } else {
            let state = context.state(&settings, run.apply)?;
            carry_out(context, &root_path, state, run, &args.review)?
        };
        worst = worst.max(code);
        if matches!(code, ExitCode::Interrupted | ExitCode::Terminated) {
            break;
        }
    }
    Ok(worst)
}
