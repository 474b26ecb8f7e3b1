//! `ralph run`.

use std::path::Path;

use review_config::{Config, Overrides};
use review_engine::{Recording, RunSettings, Stages};
use review_learning::config::LearningConfig;

use super::Ended;
use super::dry_run::dry_run;
use crate::args::{LoopArgs, RecordingArgs, RunArgs};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::{active_prompts, learning_config};
use crate::session::{Session, new_report};
use crate::target::{open_root, unit_target};

/// Carries out `run`.
pub(crate) fn run(context: &mut Context, args: RunArgs) -> Ended {
    let spec = context.spec(args.spec.as_deref())?;
    let root_path = context.root_of(&spec);
    let overrides = Overrides {
        task_jobs: args.jobs,
        ..args.review.overrides()
    };
    let settings = context.settings(&root_path, overrides)?;
    let root = open_root(&root_path)?;
    let mut run = RunSettings::of(&settings, unit_target(context, &root, &spec)?);
    run.apply = !args.review.no_apply;
    run.stages = stages(&args);
    run.since = base(&run, &args.review)?;
    run.prompts = active_prompts(&root_path, &settings)?;
    if args.dry_run {
        return dry_run(context, &run, args.review.format);
    }
    let learning = learned(&root_path, &settings, &run, &args.review)?;
    let state = context.state(&settings, run.apply)?;
    carry_out(context, &root_path, state, run, learning, &args.review)
}

/// The commit since which changes count.
///
/// # Errors
/// When findings are not followed.
pub(super) fn base(run: &RunSettings, args: &LoopArgs) -> Result<Option<String>, CommandError> {
    if args.base.is_some() && run.convergence.is_none() {
        let message = "--base needs a loop with convergence, which follows findings";
        return Err(CommandError::new(ErrorKind::Usage, message)
            .hint("leave out --base, or set review.convergence to true"));
    }
    Ok(args.base.clone())
}

fn stages(args: &RunArgs) -> Stages {
    match (args.no_tasks, args.tasks_only, args.keep_going) {
        (true, _, _) => Stages::Review,
        (_, true, _) => Stages::Tasks,
        (_, _, true) => Stages::ReviewAndTasks,
        (false, false, false) => Stages::ReviewThenTasks,
    }
}

/// What is learned from a run: nothing from one that touches no file of the user
/// or plays a recording.
///
/// # Errors
/// When the configuration of learning cannot be used.
pub(super) fn learned(
    root: &Path,
    settings: &Config,
    run: &RunSettings,
    args: &LoopArgs,
) -> Result<Option<LearningConfig>, CommandError> {
    if run.apply && args.recording.replay.is_none() {
        learning_config(root, settings)
    } else {
        Ok(None)
    }
}

/// Runs what the settings say and prints it.
///
/// # Errors
/// When the run could not be started or broke.
pub(super) fn carry_out(
    context: &mut Context,
    root: &Path,
    state: review_store::StateDir,
    run: RunSettings,
    learning: Option<LearningConfig>,
    args: &LoopArgs,
) -> Ended {
    let report = new_report(&run);
    let recording = recording(context, &args.recording);
    let session = Session {
        root,
        state,
        format: args.format,
        command: context.environment.arguments().to_vec(),
        state_dir: context.given_state_dir(),
        learning,
    };
    session.run(context, report, async |project| {
        review_engine::start(project, run, recording).await
    })
}

pub(super) fn recording(context: &Context, args: &RecordingArgs) -> Recording {
    match (&args.record, &args.replay) {
        (Some(folder), _) => Recording::Record(context.absolute(folder)),
        (None, Some(folder)) => Recording::Replay(context.absolute(folder)),
        (None, None) => Recording::None,
    }
}
