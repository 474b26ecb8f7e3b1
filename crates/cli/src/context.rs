//! What every command works with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use review_config::{Config, ConfigError, ConfigFile, FILE_NAME, Overrides, Setting, Sources};
use review_engine::location::{Disk, SpecError, absolute, find_spec, root_of};
use review_report::shown;
use review_store::StateDir;

use crate::args::CommonArgs;
use crate::environment::Environment;
use crate::error::{CommandError, ErrorKind};
use crate::gone;
use crate::live::Detail;
use crate::output::{Streams, color, show_log};

/// The process around a command: environment, common options, outputs.
pub(crate) struct Context {
    /// What the process was started with.
    pub(crate) environment: Environment,
    /// Where everything is printed.
    pub(crate) streams: Streams,
    /// What stands in for the state folders of roots that cannot be written.
    pub(crate) makeshift: BTreeMap<PathBuf, StateDir>,
    /// The roots below the current one, once they were looked for.
    pub(crate) nested: Option<Vec<PathBuf>>,
    common: CommonArgs,
}

impl Context {
    /// The context of this process.
    pub(crate) fn new(environment: Environment, common: CommonArgs) -> Self {
        let mut streams = Streams::plain().quiet(common.quiet);
        streams.set_colors(color::asked(&environment), &environment);
        Self {
            environment,
            streams,
            makeshift: BTreeMap::new(),
            nested: None,
            common,
        }
    }

    /// Shows what libraries log, as much of it as the options ask for.
    pub(crate) fn show_log(&self) {
        show_log(self.common.quiet, self.common.verbose);
    }

    /// Whether less is printed than usual.
    pub(crate) fn is_quiet(&self) -> bool {
        self.common.quiet
    }

    /// How much is printed of a run.
    pub(crate) fn detail(&self) -> Detail {
        match (self.common.quiet, self.common.verbose) {
            (true, _) => Detail::Result,
            (false, 0) => Detail::Events,
            (false, _) => Detail::Answers,
        }
    }

    /// Whether progress is shown: to a user at a terminal who wants it.
    pub(crate) fn shows_progress(&self) -> bool {
        self.streams.err.is_terminal() && !self.common.quiet
    }

    /// A path of the command line, from the root of the file system.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        absolute(self.environment.folder(), path)
    }

    /// The root that was given, as it was.
    pub(crate) fn given_root(&self) -> Option<&Path> {
        self.common.root.as_deref()
    }

    /// The root that belongs to an absolute path: `--root`, or the nearest.
    pub(crate) fn root_of(&self, path: &Path) -> PathBuf {
        match &self.common.root {
            Some(root) => self.absolute(root),
            None => root_of(path, &Disk),
        }
    }

    /// The root that belongs to the current folder.
    pub(crate) fn current_root(&self) -> PathBuf {
        self.root_of(self.environment.folder())
    }

    /// The absolute path of the spec that an argument names;
    /// without one it is the only spec.
    ///
    /// # Errors
    /// When there is none, or more than one; the hints list them.
    pub(crate) fn spec(&mut self, name: Option<&str>) -> Result<PathBuf, CommandError> {
        match self.find_spec(name)? {
            // Of a root that is named it is the only spec.
            Err(SpecError::Folder { path, .. }) if root_of(&path, &Disk) == path => {
                let found = find_spec(None, &path, &path, &[], &Disk);
                found.map_err(|error| unknown_spec(&error))
            }
            found => found.map_err(|error| unknown_spec(&error)),
        }
    }

    /// The spec that an argument names, in the current root or in one below it.
    ///
    /// # Errors
    /// When the roots below the current one cannot be listed.
    pub(crate) fn find_spec(
        &mut self,
        name: Option<&str>,
    ) -> Result<Result<PathBuf, SpecError>, CommandError> {
        let root = self.current_root();
        let found = find_spec(name, self.environment.folder(), &root, &[], &Disk);
        if !found.as_ref().is_err_and(SpecError::is_missing) {
            return Ok(found);
        }
        let nested = self.nested_roots()?;
        let folder = self.environment.folder();
        Ok(find_spec(name, folder, &root, &nested, &Disk))
    }

    /// The configuration of a root, overridden by the command line.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(crate) fn settings(
        &mut self,
        root: &Path,
        overrides: Overrides,
    ) -> Result<Config, CommandError> {
        let folder = self.environment.folder();
        let file = match &self.common.config {
            Some(given) => {
                let path = folder.join(given);
                ConfigFile::read(&path, shown(folder, &path))?
            }
            None => {
                let path = root.join(FILE_NAME);
                ConfigFile::read_if_there(&path, shown(folder, &path))?
            }
        };
        let settings = self.resolve(&file, overrides)?;
        self.streams.set_colors(settings.color, &self.environment);
        Ok(settings)
    }

    /// The keys that `--set` names.
    pub(crate) fn set_keys(&self) -> impl Iterator<Item = String> {
        self.common.set.iter().map(Setting::key)
    }

    /// The configuration of a file, overridden by the command line.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(crate) fn resolve(
        &self,
        file: &ConfigFile,
        overrides: Overrides,
    ) -> Result<Config, ConfigError> {
        let common = Overrides {
            state_dir: self.common.state_dir.clone(),
            color: self.common.color,
            ..Overrides::default()
        };
        let sources = Sources {
            file,
            variables: self.environment.variables(),
            settings: &self.common.set,
            gone: gone::keys(),
        };
        Config::resolve(sources, common.or(overrides))
    }

    /// A folder, where it is not the current one.
    pub(crate) fn elsewhere(&self, folder: &Path) -> Option<String> {
        let is_here = folder == self.environment.folder();
        (!is_here).then(|| folder.display().to_string())
    }

    /// The common options that decide what a command works on, as they were
    /// given, for a command to copy.
    pub(crate) fn given_options(&self) -> Vec<String> {
        let given = [
            ("--root", &self.common.root),
            ("--config", &self.common.config),
            ("--state-dir", &self.common.state_dir),
        ];
        let given = given.into_iter().filter_map(|(option, path)| {
            let path = path.as_ref()?.display().to_string();
            Some([option.to_owned(), path])
        });
        given.flatten().collect()
    }
}

/// The error of an argument that names no spec, or several.
pub(crate) fn unknown_spec(error: &SpecError) -> CommandError {
    let hints = error.hints().into_iter();
    let error = CommandError::new(ErrorKind::Usage, error.to_string());
    hints.fold(error, CommandError::hint)
}
