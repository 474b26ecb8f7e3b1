//! What a gate is compared with: the configuration, the tasks and the files of a commit.

use std::collections::BTreeMap;
use std::path::PathBuf;

use review_config::{Config, ConfigError, ConfigFile, FILE_NAME};
use review_document::Catalog;
use review_process::git::{ChangedFiles, Commit, NoBase};
use review_report::gate::{BaseComparison, Change, ChangeLevel};
use review_store::Reader;
use review_tasks::TaskPlan;
use review_types::{AllowedChange, ChangeCode};

use super::as_it_was::{AsItWas, HeldTask};
use super::compare::{Deciding, differences};
use super::roots::GoneRoots;
use crate::error::EngineError;
use crate::lane::runner_files::{Reach, ReadBefore, RunnerEffect, RunnerFile};
use crate::project::Project;
use crate::settings::RunSettings;

/// A request to compare what decides with a commit.
pub struct Base<'a> {
    /// The commit, as it was named.
    pub name: &'a str,
    /// The configuration of the root as it is now.
    pub config: &'a Config,
    /// Resolves a configuration file as that of the root is resolved.
    pub resolve: &'a dyn Fn(&ConfigFile) -> Result<Config, ConfigError>,
    /// How reports name the root of the project.
    pub root: String,
    /// How a run of the project is set up; `None` where nothing may be run.
    pub settings: Option<&'a RunSettings>,
    /// The roots that are checked, this one and all below it, with their
    /// configurations; `None` where others than these may be left out.
    pub roots: Option<&'a BTreeMap<PathBuf, Config>>,
    /// The tasks whose claims hold.
    pub held: Vec<HeldTask>,
    /// The differences that may pass beside those that the base allows.
    pub allow: &'a [AllowedChange],
}

impl Base<'_> {
    /// Compares the project with the commit that the base and `HEAD` have last had in
    /// common.
    ///
    /// # Errors
    /// When git has no such commit, or what decides cannot be read.
    pub async fn compare(&self, project: &Project<'_>) -> Result<BaseComparison, EngineError> {
        let git = project.git();
        let no_base = |reason| EngineError::of_base(self.name, &reason);
        let commit = git.base_commit(self.name).await.map_err(no_base)?;
        let unlisted = || no_base(NoBase::Unknown);
        let changed = git.changed_files(&commit).await;
        let files = changed.ok_or_else(unlisted)?;
        let listed = git.files_at(&commit).await;
        let listed = listed.ok_or_else(unlisted)?;
        let of_root = listed.iter().filter(|path| review_store::is_listed(path));
        let of_root: Vec<_> = of_root.cloned().collect();
        let mut texts = BTreeMap::new();
        let tasks = task_files(&of_root);
        for path in tasks
            .iter()
            .chain(of_root.iter().filter(|path| *path == FILE_NAME))
        {
            let bytes = git.file_at(&commit, path).await;
            texts.insert(
                path.clone(),
                String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
            );
        }
        let mut changes = Vec::new();
        let file = texts.remove(FILE_NAME).unwrap_or_default();
        let file = ConfigFile::earlier(format!("{FILE_NAME} of {}", self.name), file);
        let mut allow = self.allow.to_vec();
        let config = match (self.resolve)(&file) {
            // A root that is new has no configuration to be compared with.
            _ if listed.is_empty() => self.config.clone(),
            Ok(config) => {
                allow.extend(config.gate.allow.iter().cloned());
                config
            }
            Err(error) => {
                changes.push(unreadable(FILE_NAME, &error));
                self.config.clone()
            }
        };
        if let Some(present) = self.roots {
            let gone = GoneRoots {
                project,
                base: (self.name, &commit),
                listed: &listed,
                files: &files,
                resolve: self.resolve,
                present,
            };
            changes.extend(gone.changes(&config.workspace.exclude).await);
        }
        let base = Deciding::new(config, &of_root, texts);
        let head = self.head(project)?;
        changes.extend(differences(&base, &head, &files));
        changes.extend(runner_changes(project, &commit, &head, &files).await);
        if let Some(settings) = self.settings {
            let tests = AsItWas {
                project,
                settings,
                commit: &commit,
                base: &base,
                head: &head,
                files: &files,
            };
            changes.extend(tests.check(&self.held).await?);
        }
        for change in &mut changes {
            change.allowed = change.level == ChangeLevel::Error && allow.contains(&change.name());
        }
        changes.sort_by_key(|change| (!change.fails(), change.level));
        Ok(BaseComparison {
            folder: project.root.given().to_owned(),
            root: self.root.clone(),
            base: self.name.to_owned(),
            commit: commit.to_string(),
            changes,
        })
    }

    /// What decides in the files as they are.
    fn head(&self, project: &Project<'_>) -> Result<Deciding, EngineError> {
        let listed = review_store::paths(&project.root)?;
        let mut reader = Reader::new(&project.root);
        let mut texts = BTreeMap::new();
        for path in task_files(&listed) {
            let bytes = reader.read(&path)?;
            texts.insert(path, String::from_utf8_lossy(&bytes).into_owned());
        }
        Ok(Deciding::new(self.config.clone(), &listed, texts))
    }
}

impl Deciding {
    pub(super) fn new(config: Config, listed: &[String], texts: BTreeMap<String, String>) -> Self {
        Self {
            config,
            units: plans(listed, &texts),
            texts,
        }
    }
}

/// The tasks of each unit among the files of a root, by its folder.
pub(super) fn plans(
    listed: &[String],
    texts: &BTreeMap<String, String>,
) -> BTreeMap<String, TaskPlan> {
    let catalog = Catalog::new(listed.iter().cloned());
    let units = catalog.units().iter().map(|unit| {
        let files = unit.files.iter();
        let files = files.filter_map(|path| Some((path.clone(), texts.get(path)?.as_str())));
        let files: Vec<_> = files.collect();
        let plan = TaskPlan::load(unit.id.clone(), &unit.dir, &files);
        (unit.dir.clone(), plan)
    });
    units.collect()
}

/// Reads files of the base.
struct AtBase<'a> {
    project: &'a Project<'a>,
    commit: &'a Commit,
}

impl AtBase<'_> {
    async fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.project.git().file_at(self.commit, path).await
    }
}

impl ReadBefore for AtBase<'_> {
    async fn read(&self, path: &str) -> Option<String> {
        String::from_utf8(self.bytes(path).await?).ok()
    }
}

/// The files that configure or replace a test runner and are others than at the base.
async fn runner_changes(
    project: &Project<'_>,
    commit: &Commit,
    head: &Deciding,
    files: &ChangedFiles,
) -> Vec<Change> {
    let base = AtBase { project, commit };
    let tasks = head.units.values().flat_map(TaskPlan::tasks);
    let commands: Vec<_> = tasks.flat_map(|task| task.commands.clone()).collect();
    let reach = Reach::of(&commands, &base).await;
    let mut reader = Reader::new(&project.root);
    let mut changes = Vec::new();
    for path in files.all() {
        let Some(file) = RunnerFile::find(path, &reach) else {
            continue;
        };
        let (before, after) = (base.bytes(path).await, reader.read(path).ok());
        let contents = [before.as_deref(), after.as_deref()];
        if file.effect(path, contents, &reach) == RunnerEffect::None {
            continue;
        }
        let message = "what configures or replaces a test runner is another";
        let place = (path.clone(), 1);
        changes.push(Change::new(ChangeCode::RunnerChanged, path, place, message));
    }
    changes
}

/// The files of all units among these.
pub(super) fn task_files(listed: &[String]) -> Vec<String> {
    let catalog = Catalog::new(listed.iter().cloned());
    let units = catalog.units().iter();
    units.flat_map(|unit| unit.files.iter().cloned()).collect()
}

/// The configuration of the base cannot be used, so nothing of it can be compared.
fn unreadable(file: &str, error: &ConfigError) -> Change {
    let message = format!("the configuration of the base cannot be compared: {error}");
    let code = ChangeCode::GateDefinitionChanged;
    Change::new(code, file, (file.to_owned(), 1), message)
}
