//! Roots of the base that are no longer checked where they were, so that no comparison of
//! their own shows what they lose. Such a root is one line with its complete tasks, also
//! where it moved.

use std::collections::BTreeMap;
use std::path::PathBuf;

use review_config::{Config, ConfigError, ConfigFile, FILE_NAME, Folders};
use review_process::git::{ChangedFiles, Commit};
use review_report::gate::Change;
use review_store::RootPath;
use review_tasks::{PlannedTask, TaskPlan};
use review_types::{ChangeCode, TaskStatus, listed, plural};

use super::base::{plans, task_files};
use super::compare::{Found, level, titled};
use crate::location::roots_among;
use crate::project::Project;

/// The most tasks that a line names.
const MAX_NAMED: usize = 10;

/// Looks for roots that are no longer checked, below the root of the project.
pub(super) struct GoneRoots<'a> {
    pub(super) project: &'a Project<'a>,
    /// The base as it was named, and its commit.
    pub(super) base: (&'a str, &'a Commit),
    /// The files of the base.
    pub(super) listed: &'a [String],
    pub(super) files: &'a ChangedFiles,
    pub(super) resolve: &'a dyn Fn(&ConfigFile) -> Result<Config, ConfigError>,
    /// The roots that are checked.
    pub(super) present: &'a BTreeMap<PathBuf, Config>,
}

impl GoneRoots<'_> {
    /// Returns what the roots of the base lose that are not present, but those in the
    /// folders that the base excludes.
    pub(super) async fn changes(&self, excluded: &Folders) -> Vec<Change> {
        let top = self.project.root.given();
        let roots = roots_among(self.listed, excluded);
        let mut found = Found::default();
        for root in &roots {
            let is_present = self.present.contains_key(&top.join(root.as_str()));
            if !is_present && !self.is_left_out(root, &roots).await {
                self.lost(root, &mut found).await;
            }
        }
        found.0
    }

    /// Whether a root was left out at the base as well: git ignores it, or a root above
    /// it excludes it.
    async fn is_left_out(&self, root: &RootPath, roots: &[RootPath]) -> bool {
        let is_rule = |path: &String| path.ends_with(".gitignore");
        if !self.files.all().any(is_rule) && self.project.git().ignores(root.as_str()).await {
            return true;
        }
        for above in roots {
            let below = root
                .as_str()
                .strip_prefix(above.as_str())
                .and_then(|below| below.strip_prefix('/'));
            let Some(below) = below else { continue };
            let config = self.config(above).await;
            if config.is_ok_and(|config| config.workspace.exclude.hold(below)) {
                return true;
            }
        }
        false
    }

    /// Adds what a root loses.
    async fn lost(&self, root: &RootPath, found: &mut Found) {
        let mut gone = Vec::new();
        for plan in self.plans(root).await.values() {
            let complete = plan.tasks().iter();
            let complete = complete.filter(|task| task.claims == TaskStatus::Complete);
            let named = |was: &PlannedTask| format!("{}/{}{}", plan.unit, was.number, titled(was));
            gone.extend(complete.map(named));
        }
        let code = match gone.len() {
            0 => ChangeCode::GateDefinitionChanged,
            _ => ChangeCode::TaskRemoved,
        };
        let mut message = format!("the root {root} is no longer checked at this path");
        if !gone.is_empty() {
            let tasks = plural(gone.len(), "complete task", "complete tasks");
            let names = listed(&gone, MAX_NAMED);
            message += &format!(", with {tasks}: {names}");
        }
        let place = (self.file_of(root), 1);
        found.add(code, root.as_str(), place, message).level = level(!gone.is_empty());
    }

    /// The tasks of a root of the base.
    async fn plans(&self, root: &RootPath) -> BTreeMap<String, TaskPlan> {
        let inside = self.listed.iter().filter_map(|path| {
            let path = path.strip_prefix(root.as_str())?.strip_prefix('/')?;
            review_store::is_listed(path).then(|| path.to_owned())
        });
        let inside: Vec<_> = inside.collect();
        let mut texts = BTreeMap::new();
        for path in task_files(&inside) {
            let text = self.text(&format!("{root}/{path}")).await;
            texts.insert(path, text);
        }
        plans(&inside, &texts)
    }

    async fn config(&self, root: &RootPath) -> Result<Config, ConfigError> {
        let path = format!("{root}/{FILE_NAME}");
        let text = self.text(&path).await;
        (self.resolve)(&ConfigFile::earlier(
            format!("{path} of {}", self.base.0),
            text,
        ))
    }

    async fn text(&self, path: &str) -> String {
        let bytes = self.project.git().file_at(self.base.1, path).await;
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    /// A file of a root that shows it.
    fn file_of(&self, root: &RootPath) -> String {
        let inside = format!("{root}/");
        let config = format!("{inside}{FILE_NAME}");
        let mut files = self.listed.iter();
        match self.listed.contains(&config) {
            true => config,
            false => files
                .find(|path| path.starts_with(&inside))
                .map_or_else(|| root.to_string(), Clone::clone),
        }
    }
}
