//! What commands about lessons and prompts work on.

use std::path::PathBuf;

use review_config::{Config, Overrides};
use review_learning::config::LearningConfig;
use review_learning::protocol::Trigger;
use review_types::Timestamp;

use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::{Evolution, Teller, learning_config};

/// The current root, with the configuration of learning: that of the root, or
/// the defaults.
pub(crate) struct Scene {
    pub(crate) root: PathBuf,
    pub(crate) settings: Config,
    pub(crate) config: LearningConfig,
    pub(crate) now: Timestamp,
}

impl Scene {
    /// Reads the configuration.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) fn open(context: &mut Context) -> Result<Self, CommandError> {
        let root = context.current_root();
        let settings = context.settings(&root, Overrides::default())?;
        let config = learning_config(&root, &settings)?.unwrap_or_default();
        let now = now();
        Ok(Self {
            root,
            settings,
            config,
            now,
        })
    }

    /// The prompts and lessons.
    ///
    /// # Errors
    /// When the root is no folder.
    pub(crate) fn evolution(&self) -> Result<Evolution<'_>, CommandError> {
        Evolution::new(&self.root, &self.config, self.now)
    }

    /// Who tells what was done.
    ///
    /// # Errors
    /// When the state folder cannot be written.
    pub(crate) fn teller(
        &self,
        context: &mut Context,
        trigger: Trigger,
    ) -> Result<Teller<'_>, CommandError> {
        Ok(Teller {
            root: &self.root,
            settings: &self.settings,
            state: context.state(&self.settings, true)?,
            trigger,
            run: None,
            now: self.now,
        })
    }

    /// Refuses to make a version where there are none.
    ///
    /// # Errors
    /// When versions are switched off.
    pub(crate) fn needs_versions(&self) -> Result<(), CommandError> {
        match self.config.prompt_evolution.versioning.enabled {
            true => Ok(()),
            false => Err(switched_off("prompt_evolution.versioning.enabled")),
        }
    }

    /// Refuses to go back where nobody may.
    ///
    /// # Errors
    /// When rollbacks are switched off.
    pub(crate) fn needs_rollback(&self) -> Result<(), CommandError> {
        match self.config.prompt_evolution.rollback.enabled {
            true => Ok(()),
            false => Err(switched_off("prompt_evolution.rollback.enabled")),
        }
    }
}

fn switched_off(key: &str) -> CommandError {
    CommandError::new(
        ErrorKind::Refused,
        format!("this is switched off by {key} = false"),
    )
}
