//! What a command line means by a spec or a path, for the engine.

use std::path::Path;

use review::Budget;
use review::{Convergence, FeedbackMemory};
use review_agents::RolePrompts;
use review_config::Config;
use review_document::{Catalog, UnitError};
use review_engine::{CallLimits, Notify, RunSettings, Stages, Target, Tracking};
use review_store::{ConfineError, FileArtifact, Reader, Root};

use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// The unit that belongs to a spec, or the spec alone.
///
/// # Errors
/// When the spec leads out of the root, or several units could belong to it.
pub(crate) fn unit_target(
    context: &mut Context,
    root: &Root,
    spec: &Path,
) -> Result<Target, CommandError> {
    let spec = root.relative(spec).map_err(outside)?;
    let catalog = Catalog::new(review_store::paths(root).map_err(outside)?);
    let mut reader = Reader::new(root);
    let read = |path: &str| {
        let bytes = reader.read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    match catalog.unit_of_spec(spec.as_str(), read) {
        Ok(unit) => Ok(Target::Unit {
            spec: spec.to_string(),
            id: unit.id.clone(),
            dir: unit.dir.clone(),
        }),
        Err(UnitError::Unknown { nearest, .. }) => {
            if !nearest.is_empty() {
                let near: Vec<_> = nearest.iter().map(ToString::to_string).collect();
                context.streams.note(&format!(
                    "no unit belongs to {spec}, so it is reviewed alone; near names: {}",
                    near.join(", ")
                ));
            }
            Ok(Target::File {
                path: spec.to_string(),
            })
        }
        Err(error) => Err(CommandError::new(ErrorKind::Usage, error.to_string())),
    }
}

/// A file or folder as one artifact, without tasks.
///
/// # Errors
/// When there is nothing at the path, no Markdown file in the folder, or it
/// leads out of the root.
pub(crate) fn path_target(root: &Root, path: &Path) -> Result<Target, CommandError> {
    let relative = root.relative(path).map_err(outside)?;
    let real = root.resolve(&relative).map_err(outside)?;
    let path = relative.to_string();
    if real.is_dir() {
        let folder = FileArtifact::folder(root.clone(), relative);
        if folder.paths().map_err(outside)?.is_empty() {
            let message = format!("there is no *.md file in {}", real.display());
            return Err(CommandError::new(ErrorKind::Nothing, message));
        }
        Ok(Target::Folder { path })
    } else if real.is_file() {
        Ok(Target::File { path })
    } else {
        let message = format!("there is no file or folder {}", real.display());
        Err(CommandError::new(ErrorKind::Input, message))
    }
}

/// Opens a root.
///
/// # Errors
/// When it is no folder.
pub(crate) fn open_root(root: &Path) -> Result<Root, CommandError> {
    Root::open(root).map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))
}

/// What a run is to do, by the configuration.
pub(crate) fn run_settings(settings: &Config, target: Target) -> RunSettings {
    RunSettings {
        target,
        stages: Stages::default(),
        only: None,
        apply: true,
        records_pass: true,
        reviewer: settings.reviewer.clone(),
        allow_builtin_pass: settings.allow_builtin_pass,
        max_wait: settings.max_wait,
        applier: settings.applier.clone(),
        http: settings.http.clone(),
        prompts: RolePrompts::default(),
        criteria: settings.criteria.clone(),
        max_iterations: settings.max_iterations.get(),
        retry_on_malformed: settings.retry_on_malformed,
        below_minimum: settings.below_minimum,
        fail_level: settings.review_fail_level,
        below_fail_level: settings.below_fail_level,
        require_scores: settings.require_scores,
        convergence: settings.convergence.then_some(Convergence {
            patience: settings.patience,
            keep: settings.keep,
            free_rounds: settings.free_rounds,
            unproved_rounds: settings.unproved_rounds.map(std::num::NonZeroU32::get),
        }),
        memory: FeedbackMemory {
            key: settings.memory_key.clone(),
            window: settings.window_size,
            threshold: settings.alert_threshold,
            alerts: settings.alert_on_repeated_issues,
        },
        since: None,
        scope: None,
        tracking: Tracking {
            follow_rate: settings.track_follow_rate,
            improvement_rate: settings.track_improvement_rate,
        },
        pass_env: settings.pass_env.as_slice().to_vec(),
        watch_programs: settings.read_only_proof,
        apply_scope: settings.apply_scope,
        max_inline: settings.max_inline,
        call: CallLimits {
            wall: settings.call_timeout,
            idle: settings.idle_timeout,
            grace: settings.grace,
        },
        max_time: Some(settings.max_time),
        max_calls: settings.max_calls.map(std::num::NonZeroU32::get),
        budget: Budget {
            max_tokens: settings.max_tokens.map(Into::into),
            max_cost: settings.max_cost,
        },
        models: settings.models.clone(),
        task_timeout: settings.task_timeout,
        notify: notify(settings),
        history: Vec::new(),
        lint: settings.lint(&[]),
        builtin_facts: settings.builtin_facts,
        dialect: settings.dialect,
        check: settings.check.as_ref().map(ToString::to_string),
    }
}

/// The program that is told what happens.
pub(crate) fn notify(settings: &Config) -> Option<Notify> {
    let command = settings.notify_command.clone()?;
    Some(Notify {
        command,
        timeout: settings.notify_timeout,
        pass_env: settings.notify_pass_env.as_slice().to_vec(),
    })
}

fn outside(error: ConfineError) -> CommandError {
    let told = CommandError::new(ErrorKind::Input, error.to_string());
    match error {
        ConfineError::Outside { .. } | ConfineError::LinkOut { .. } => {
            told.hint("name a root that holds it with --root")
        }
        ConfineError::DeadLink { .. } | ConfineError::NotUtf8 { .. } | ConfineError::File(_) => {
            told
        }
    }
}
