//! What every command works with.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use review::NoSink;
use review_agents::BaseUrl;
use review_config::{Config, ConfigError, ConfigFile, FILE_NAME, Origin, Setting, Sources};
use review_engine::Project;
use review_engine::location::{Disk, SpecError, absolute, find_spec, linked_specs, root_of};
use review_process::signals::{Interrupt, Signals};
use review_report::shown;
use review_store::{ConfineError, Root, StateDir, read_named};
use review_types::{ExitCode, UnitId};
use serde::Serialize;

use crate::args::{CommonArgs, PlainFormat};
use crate::environment::Environment;
use crate::error::{CommandError, CommandResult};
use crate::gone;
use crate::live::Detail;
use crate::output::{Streams, color, show_log};
use crate::runtime::Runtime;

/// The variables that agents set for the commands that they run.
const AGENTS: [&str; 6] = [
    "RALPH_RUN",
    "CLAUDECODE",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "OPENCODE",
];

/// The process around a command: environment, common options, outputs.
pub(crate) struct Context {
    /// What the process was started with.
    pub(crate) environment: Environment,
    /// Where everything is printed.
    pub(crate) streams: Streams,
    /// The temporary state folders of roots whose own cannot be written.
    pub(crate) temporary_states: BTreeMap<PathBuf, StateDir>,
    /// The roots below the current one, once they were looked for.
    pub(crate) nested: Option<Vec<PathBuf>>,
    /// Whether a signal came, since a runtime of this process listens.
    signals: RefCell<Vec<Signals>>,
    common: CommonArgs,
    /// The content of the configuration file that the command line names, or why it cannot
    /// be read. It may be a pipe: it is read once, before signals are handled, so that
    /// they end the wait for it.
    named_config: Option<Result<String, String>>,
}

impl Context {
    /// The context of this process.
    pub(crate) fn new(environment: Environment, common: CommonArgs) -> Self {
        let mut streams = Streams::plain().quiet(common.quiet);
        let color = common.color;
        let color = color.unwrap_or_else(|| color::of_variable(&environment));
        streams.set_colors(color, &environment);
        streams.break_commands(environment.is_ci());
        let named = common.config.as_ref();
        let named_config = named.map(|given| {
            let read = read_named(&environment.folder.join(given)).and_then(utf8);
            read.map_err(|error| error.to_string())
        });
        Self {
            environment,
            streams,
            temporary_states: BTreeMap::new(),
            nested: None,
            named_config,
            signals: RefCell::default(),
            common,
        }
    }

    /// Ends with the exit code of a signal, where one of these came.
    pub(crate) fn heed(&self, signals: Signals) {
        self.signals.borrow_mut().push(signals);
    }

    /// The signal that interrupted the command, if one did.
    pub(crate) fn interrupt(&self) -> Option<Interrupt> {
        self.signals.borrow().iter().find_map(Signals::interrupt)
    }

    /// Shows what libraries log, as much of it as the options ask for.
    pub(crate) fn show_log(&self) {
        let is_ci = self.environment.is_ci();
        show_log(self.common.quiet, self.common.verbose, is_ci);
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

    /// Prints a result: as text, or as one JSON object.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn show<R: Serialize>(
        &mut self,
        format: impl Into<PlainFormat>,
        result: &R,
        human: impl FnOnce(&R) -> String,
    ) -> CommandResult {
        match format.into() {
            PlainFormat::Human => self.streams.print(&human(result))?,
            PlainFormat::Json => self.streams.print_report(result)?,
        }
        Ok(ExitCode::Passed)
    }

    /// Does work in the project at `root`, until it ends or a signal comes.
    ///
    /// # Errors
    /// When `root` is not a folder, or the system refuses a thread or a runtime.
    pub(crate) fn in_project<T>(
        &self,
        root: &Path,
        state: StateDir,
        work: impl AsyncFnOnce(&Project<'_>) -> T,
    ) -> Result<T, CommandError> {
        let runtime = Runtime::new(self)?;
        runtime.block_on(&self.environment, root, state, &NoSink, work)
    }

    /// A command for the user to copy, with the options that decide what it works on.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        let words = words.iter().map(|word| (*word).to_owned());
        shell_words::join(words.chain(self.given_options()))
    }

    /// Whether progress is shown: to a user at a terminal who wants it.
    pub(crate) fn shows_progress(&self) -> bool {
        self.streams.err.is_terminal() && !self.common.quiet
    }

    /// A path of the command line, from the root of the file system.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        absolute(&self.environment.folder, path)
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
        self.root_of(&self.environment.folder)
    }

    /// The absolute path of the spec that an argument names;
    /// without one it is the only spec.
    ///
    /// # Errors
    /// When no spec or more than one is found; the hints list them.
    pub(crate) fn spec(&mut self, name: Option<&str>) -> Result<PathBuf, CommandError> {
        match self.find_spec(name)? {
            // Of a root that is named it is the only spec.
            Err(SpecError::Folder { path, .. }) if root_of(&path, &Disk) == path => {
                let found = find_spec(None, &path, &path, &[], &Disk);
                found.map_err(|error| unknown_spec(&error))
            }
            found => found.map_err(|error| {
                let root = self.current_root();
                let inside = match &error {
                    SpecError::Nothing { .. } => &root,
                    SpecError::Folder { path, .. } => path,
                    SpecError::Name { .. } | SpecError::Unnamed { .. } => {
                        return unknown_spec(&error);
                    }
                };
                match self.import_hints(&root, inside) {
                    hints if hints.is_empty() => unknown_spec(&error),
                    hints => CommandError::new(error.to_string()).hints(hints),
                }
            }),
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
        let mut found = find_spec(name, &self.environment.folder, &root, &[], &Disk);
        if found.as_ref().is_err_and(SpecError::is_missing) {
            let nested = self.nested_roots()?;
            found = find_spec(name, &self.environment.folder, &root, &nested, &Disk);
        }
        let Ok(opened) = Root::open(&root) else {
            return Ok(found);
        };
        let is_missing = found.as_ref().is_err_and(SpecError::is_missing);
        let is_named = name.is_some() && !is_missing;
        if is_named || !is_missing && !matches!(found, Ok(_) | Err(SpecError::Unnamed { .. })) {
            return Ok(found);
        }
        let linked = linked_specs(&opened)?;
        if let (Ok(spec), [_, ..]) = (&found, &linked[..]) {
            let paths = vec![shown(&root, spec)];
            found = Err(SpecError::Unnamed { paths });
        }
        let meant = is_missing
            .then(|| self.linked_spec(name, &root, &linked))
            .flatten();
        Ok(meant.unwrap_or_else(|| found.map_err(|error| error.with_linked(&root, &linked))))
    }

    /// The spec outside of the folders of specs that a name means: that of a unit, or of
    /// the folder that it is in. Without a name it is the only one.
    fn linked_spec(
        &self,
        name: Option<&str>,
        root: &Path,
        linked: &[(UnitId, PathBuf)],
    ) -> Option<Result<PathBuf, SpecError>> {
        let is_named = |unit: &UnitId, spec: &Path| {
            name.is_none_or(|name| {
                unit.as_str().eq_ignore_ascii_case(name)
                    || spec.parent() == Some(&self.absolute(Path::new(name)))
            })
        };
        let specs = linked.iter().filter(|(unit, spec)| is_named(unit, spec));
        let specs: Vec<_> = specs.map(|(_, spec)| spec).collect();
        match specs[..] {
            [] => None,
            [one] => Some(Ok(one.clone())),
            _ => Some(Err(SpecError::Unnamed {
                paths: specs.into_iter().map(|spec| shown(root, spec)).collect(),
            })),
        }
    }

    /// The configuration of a root, where options of the command line set `overrides`.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(crate) fn settings(
        &mut self,
        root: &Path,
        overrides: &[Setting],
    ) -> Result<Config, CommandError> {
        let file = match &self.common.config {
            Some(given) => self.named_config(given)?,
            None => self.own_config(root)?,
        };
        let mut settings = self.resolve(&file, overrides)?;
        self.move_programs(&mut settings, root);
        self.streams.set_colors(settings.color, &self.environment);
        Ok(settings)
    }

    /// Makes paths of programs that start in the current folder start in the root, as
    /// those of a configuration file do.
    fn move_programs(&self, settings: &mut Config, root: &Path) {
        let folder = &self.environment.folder;
        let is_given_here = |settings: &Config, key: &str| {
            matches!(settings.origin(key), Origin::Variable(_) | Origin::Flag(_))
        };
        if is_given_here(settings, "reviewer") {
            settings.reviewer = settings.reviewer.clone().moved(folder, root);
        }
        if is_given_here(settings, "applier") {
            settings.applier = settings.applier.clone().moved(folder, root);
        }
        if is_given_here(settings, "task.implementer") {
            let implementer = settings.task.implementer.take();
            settings.task.implementer = implementer.map(|chain| chain.moved(folder, root));
        }
    }

    /// The keys that `--set` names.
    pub(crate) fn set_keys(&self) -> impl Iterator<Item = String> {
        self.common.set.iter().map(Setting::key)
    }

    /// The configuration of a file, where options of the command line set `overrides`.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(crate) fn resolve(
        &self,
        file: &ConfigFile,
        overrides: &[Setting],
    ) -> Result<Config, ConfigError> {
        let state = self.common.state_dir.as_ref();
        let mut settings = self.common.set.clone();
        settings.extend(Setting::of_option("--state-dir", "state_dir", state));
        settings.extend(Setting::of_option("--color", "color", self.common.color));
        settings.extend_from_slice(overrides);
        Config::resolve(Sources {
            file,
            variables: &self.environment.variables,
            settings: &settings,
            gone: gone::keys(),
        })
    }

    /// The engine that is given, by an option or RALPH_ENGINE.
    ///
    /// # Errors
    /// When it has no address.
    pub(crate) fn engine(
        &self,
        given: Option<&Option<BaseUrl>>,
        config: &Config,
    ) -> Result<Option<BaseUrl>, CommandError> {
        match (given, self.environment.variable("RALPH_ENGINE")) {
            (Some(given), _) => {
                let url = given.clone().or_else(|| config.engine.url.clone());
                let error = || CommandError::new("--engine needs an address");
                let url = url.ok_or_else(|| error().hint("name it, or set engine.url"))?;
                Ok(Some(url))
            }
            (None, Some(url)) if !url.is_empty() => {
                let url = url.to_string_lossy().parse();
                let wrong = |error| CommandError::new(format!("RALPH_ENGINE {error}"));
                url.map(Some).map_err(wrong)
            }
            (None, _) => Ok(None),
        }
    }

    /// The configuration file that was named.
    fn named_config(&self, given: &Path) -> Result<ConfigFile, CommandError> {
        let folder = &self.environment.folder;
        let name = shown(folder, &folder.join(given));
        match &self.named_config {
            Some(Ok(text)) => Ok(ConfigFile::new(name, text.clone())),
            Some(Err(why)) => Err(cannot_read_config(&name).source(io::Error::other(why.clone()))),
            None => Ok(ConfigFile::new(name, "")),
        }
    }

    /// The configuration file of a root; one that does not exist holds nothing.
    fn own_config(&self, root: &Path) -> Result<ConfigFile, CommandError> {
        let name = shown(&self.environment.folder, &root.join(FILE_NAME));
        let found = match Root::open(root) {
            Ok(root) => root.read(FILE_NAME),
            Err(_) => Ok(None),
        };
        let bytes = found.map_err(|error| match &error {
            ConfineError::LinkOut { .. } => cannot_read_config(&name)
                .source(error)
                .hint("name a configuration outside of the root with --config"),
            _ => cannot_read_config(&name).source(error),
        })?;
        let text = utf8(bytes.unwrap_or_default());
        let text = text.map_err(|error| cannot_read_config(&name).source(error))?;
        Ok(ConfigFile::new(name, text))
    }

    /// Refuses what only a user decides inside a call of an agent. It is not a fence: an
    /// agent that has a shell can unset a variable.
    ///
    /// # Errors
    /// When a variable says that an agent calls.
    pub(crate) fn refuse_to_agents(&self) -> Result<(), CommandError> {
        let of_agent = AGENTS.iter().find(|name| self.environment.is_set(name));
        match of_agent {
            None => Ok(()),
            Some(name) => {
                let message = "a person decides this, not an agent";
                let hint = format!("run it in a terminal of your own, in which {name} is not set");
                Err(CommandError::refused(message).hint(hint))
            }
        }
    }

    /// Ends a command: prints its error, without the secrets of the environment, and
    /// flushes what is buffered.
    pub(crate) fn finish(mut self, ended: Result<ExitCode, CommandError>) -> ExitCode {
        self.streams.finish(ended, || self.environment.redactor())
    }

    /// A folder, where it is not the current one.
    pub(crate) fn elsewhere(&self, folder: &Path) -> Option<String> {
        let is_here = folder == self.environment.folder;
        (!is_here).then(|| folder.display().to_string())
    }

    /// The common options that decide what a command works on, as they were
    /// given, for a command to copy.
    pub(crate) fn given_options(&self) -> Vec<String> {
        let path = |path: &Option<PathBuf>| Some(path.as_ref()?.display().to_string());
        let given = [
            ("--root", path(&self.common.root)),
            ("--config", path(&self.common.config)),
            ("--state-dir", self.common.state_dir.clone()),
        ];
        let given = given
            .into_iter()
            .filter_map(|(option, value)| Some([option.to_owned(), value?]));
        given.flatten().collect()
    }
}

fn cannot_read_config(name: &str) -> CommandError {
    CommandError::new(format!("cannot read {name}"))
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("it is not UTF-8 (byte {at})");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// The error of an argument that names no spec, or several.
pub(crate) fn unknown_spec(error: &SpecError) -> CommandError {
    CommandError::new(error.to_string()).hints(error.hints())
}
