//! The root that commands about feedback, lessons and prompts work on.

use std::path::PathBuf;

use review_config::{Config, Setting};
use review_engine::learn::{
    CONFIG_FILE, Collector, Evolution, LearnError, Notices, PromptLog, learning_config,
};
use review_learning::config::LearningConfig;
use review_learning::protocol::Trigger;
use review_process::Redactor;
use review_types::Timestamp;

use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;
use crate::learning::with_operators;

/// The current root, with its configuration of learning.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) settings: Config,
    pub(crate) config: LearningConfig,
    pub(crate) now: Timestamp,
}

impl Place {
    /// Reads the configuration, or takes the defaults where there is none.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) fn or_default(context: &mut Context) -> Result<Self, CommandError> {
        let (root, settings) = root_of(context, &[])?;
        let config = learning_config(&root, &settings)?.unwrap_or_default();
        Ok(Self {
            root,
            settings,
            config,
            now: now(),
        })
    }

    /// Collects feedback.
    pub(crate) fn collector<'a>(&'a self, redactor: &'a Redactor) -> Collector<'a> {
        Collector {
            root: &self.root,
            config: &self.config,
            redactor,
            now: self.now,
        }
    }

    /// The prompts and lessons.
    ///
    /// # Errors
    /// When the root is not a folder.
    pub(crate) fn evolution(&self) -> Result<Evolution<'_>, CommandError> {
        Ok(Evolution::new(&self.root, &self.config, self.now)?)
    }

    /// Changes prompts and lessons: the steps are journaled, and operators are
    /// notified.
    ///
    /// # Errors
    /// When the state folder cannot be written, or the work fails.
    pub(super) fn change<T>(
        &self,
        context: &mut Context,
        trigger: Trigger,
        work: impl AsyncFnOnce(
            &Evolution<'_>,
            &PromptLog<'_>,
            &mut Notices<'_>,
        ) -> Result<T, LearnError>,
    ) -> Result<T, CommandError> {
        let state = context.state(&self.settings, &self.root, true)?;
        let (evolution, notify) = (self.evolution()?, self.settings.notify.command.clone());
        let done = with_operators(
            context,
            &self.root,
            &state,
            notify,
            async |operators, notices| {
                let log = PromptLog {
                    state: state.clone(),
                    trigger,
                    run: None,
                    now: self.now,
                    operators,
                };
                work(&evolution, &log, notices).await
            },
        )?;
        Ok(done?)
    }

    /// Refuses to make a version where there are none.
    ///
    /// # Errors
    /// When versions are switched off.
    pub(super) fn needs_versions(&self) -> Result<(), LearnError> {
        match self.config.prompt_evolution.versioning.enabled {
            true => Ok(()),
            false => Err(LearnError::switched_off(
                "prompt_evolution.versioning.enabled",
            )),
        }
    }

    /// Refuses to go back to an earlier version where that is forbidden.
    ///
    /// # Errors
    /// When rollbacks are switched off.
    pub(super) fn needs_rollback(&self) -> Result<(), LearnError> {
        match self.config.prompt_evolution.rollback.enabled {
            true => Ok(()),
            false => Err(LearnError::switched_off(
                "prompt_evolution.rollback.enabled",
            )),
        }
    }
}

/// The current root, where something is learned, and where options replace keys of the
/// configuration.
///
/// # Errors
/// When nothing is, or the configuration cannot be used.
pub(super) fn place_with(
    context: &mut Context,
    overrides: &[Setting],
) -> Result<Place, CommandError> {
    let (root, settings) = root_of(context, overrides)?;
    let config = learning_config(&root, &settings)?.ok_or_else(|| {
        CommandError::new(format!(
            "nothing is learned here: there is no {CONFIG_FILE}, and no table [learning] in \
             ralph.toml"
        ))
        .hint("an empty table [learning] in ralph.toml switches it on")
    })?;
    Ok(Place {
        root,
        settings,
        config,
        now: now(),
    })
}

fn root_of(
    context: &mut Context,
    overrides: &[Setting],
) -> Result<(PathBuf, Config), CommandError> {
    let root = context.current_root();
    let settings = context.settings(&root, overrides)?;
    Ok((root, settings))
}
