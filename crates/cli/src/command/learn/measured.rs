//! What is known of the versions of prompts from the runs that used them.

use std::num::NonZeroU32;

use review_learning::config::PromptEvolutionConfig;
use review_learning::measure::Performance;
use review_store::{PerformanceFiles, Root};

use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::target::open_root;

/// The agents whose first version is part of the program.
const OWN_ROLES: [&str; 2] = ["reviewer", "applier"];

/// The versions of the prompts of a root.
pub(super) struct Measured {
    root: Root,
    config: PromptEvolutionConfig,
}

impl Measured {
    /// Those of the root of the current folder.
    ///
    /// # Errors
    /// When the root cannot be opened.
    pub(super) fn open(context: &Context) -> Result<Self, CommandError> {
        Ok(Self {
            root: open_root(&context.current_root())?,
            config: PromptEvolutionConfig::default(),
        })
    }

    /// What runs showed of a version; nothing for one that no run used.
    ///
    /// # Errors
    /// When there is no such version, or its file cannot be read.
    pub(super) fn performance(
        &self,
        agent: &str,
        version: NonZeroU32,
    ) -> Result<Performance, CommandError> {
        let folder = &self.config.storage_path;
        let files = PerformanceFiles::new(&self.root, folder);
        let files = files.map_err(|error| CommandError::input(&error))?;
        let known = files.find(agent, version.get());
        if let Some(known) = known.map_err(|error| CommandError::input(&error))? {
            return Ok(known);
        }
        if version == NonZeroU32::MIN && OWN_ROLES.contains(&agent) {
            return Ok(Performance::new(agent, version.get()));
        }
        let message = format!("no run used version {version} of {agent}");
        let error = CommandError::new(ErrorKind::Usage, message);
        Err(error.hint("`ralph learn stats` lists the agents and their versions"))
    }
}
