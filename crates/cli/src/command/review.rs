//! `ralph review`.

use std::path::{Path, PathBuf};

use clap::Args;
use review_config::Config;
use review_engine::learn::active_prompts;
use review_engine::{RunSettings, Stages, Target};
use review_types::ExitCode;

use crate::args::LoopArgs;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::session::{base, carry_out, dry_run, learned};
use crate::target::open_root;

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
pub(crate) fn run(context: &mut Context, args: ReviewArgs) -> CommandResult {
    let asked = args.paths.iter().map(|path| asked(context, path, &args));
    let asked: Vec<_> = asked.collect::<Result<_, _>>()?;
    let mut worst = ExitCode::Passed;
    for Asked {
        root,
        settings,
        run,
    } in asked
    {
        let code = if args.dry_run {
            dry_run(context, &run, args.review.format)?
        } else {
            let learning = learned(&root, &settings, &run)?;
            let state = context.state(&settings, &root, run.apply)?;
            carry_out(context, &root, state, run, learning, &args.review)?
        };
        worst = worst.max(code);
        if code.is_interrupt() {
            break;
        }
    }
    Ok(worst)
}

/// One path of the command line, as it is to be reviewed.
struct Asked {
    root: PathBuf,
    settings: Config,
    run: RunSettings,
}

fn asked(context: &mut Context, path: &Path, args: &ReviewArgs) -> Result<Asked, CommandError> {
    let path = context.absolute(path);
    let root = context.root_of(&path);
    let settings = context.settings(&root, &args.review.overrides().collect::<Vec<_>>())?;
    let target = Target::of_path(&open_root(&root)?, &path)?;
    let mut run = RunSettings::of(&settings, target);
    run.apply = !args.review.no_apply;
    run.stages = Stages::Review;
    run.since = base(&run, &args.review)?;
    run.records_pass = false;
    run.prompts = active_prompts(&root, &settings)?;
    Ok(Asked {
        root,
        settings,
        run,
    })
}
