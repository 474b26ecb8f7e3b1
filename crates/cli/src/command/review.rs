//! `ralph review`.

use std::path::PathBuf;

use clap::Args;
use review_engine::{ReviewTarget, RunSettings, Stages};
use review_store::Root;
use review_types::ExitCode;

use crate::args::LoopArgs;
use crate::context::Context;
use crate::error::CommandResult;
use crate::session::start_run;

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Files, or folders whose *.md files are one artifact.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Say what would be done and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// How the loop runs.
    #[command(flatten)]
    review: LoopArgs,
}

/// Carries out `review`: the loop, once per path. The worst exit code wins. A
/// path that cannot be reviewed is reported before the first loop starts.
pub(crate) fn run(context: &mut Context, args: &ReviewArgs) -> CommandResult {
    let overrides: Vec<_> = args.review.overrides().collect();
    let mut asked = Vec::new();
    for path in &args.paths {
        let path = context.absolute(path);
        let root = context.root_of(&path);
        let settings = context.settings(&root, &overrides)?;
        let target = ReviewTarget::of_path(&Root::open(&root)?, &path)?;
        let mut run = RunSettings::of(&settings, target);
        run.apply = !args.review.no_apply;
        run.stages = Stages::Review;
        run.records_pass = false;
        asked.push((root, settings, run));
    }
    let mut worst = ExitCode::Passed;
    for (root, settings, run) in asked {
        let code = start_run(context, &root, &settings, run, args.dry_run, &args.review)?;
        worst = worst.max(code);
        if code.is_interrupt() {
            break;
        }
    }
    Ok(worst)
}
