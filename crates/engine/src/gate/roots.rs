//! Roots of the base that are checked no more, so that no comparison of their own shows
//! what they lose. Such a root is one line with its tasks; a root that moved is compared
//! with where its tasks are now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use review_config::{Config, ConfigError, ConfigFile, FILE_NAME, Folders};
use review_report::gate::Change;
use review_store::{Reader, Root};
use review_types::{ChangeCode, TaskStatus, listed, plural};

use super::base::{task_files, unreadable};
use super::compare::{Deciding, FileChanges, Found, counterpart, level, titled};
use crate::error::EngineError;
use crate::location::roots_among;
use crate::project::Project;

/// The most tasks that a line names.
const MAX_NAMED: usize = 10;

/// Looks for roots that are checked no more, below the root of the project.
pub(super) struct GoneRoots<'a> {
    pub(super) project: &'a Project<'a>,
    /// The base as it was named, and its commit.
    pub(super) base: (&'a str, &'a str),
    /// The files of the base.
    pub(super) listed: &'a [String],
    pub(super) files: &'a FileChanges,
    pub(super) resolve: &'a dyn Fn(&ConfigFile) -> Result<Config, ConfigError>,
    /// The configuration of the root of the project as it is now.
    pub(super) config: &'a Config,
    /// The roots that are checked.
    pub(super) present: &'a BTreeMap<PathBuf, Config>,
}

impl GoneRoots<'_> {
    /// Returns what the roots of the base lose that are not present, but those in the
    /// folders that the base excludes.
    pub(super) async fn changes(&self, excluded: &Folders) -> Result<Vec<Change>, EngineError> {
        let top = self.project.root.given();
        let roots = roots_among(self.listed, excluded);
        let mut gone = Vec::new();
        for root in &roots {
            let is_present = self.present.contains_key(&top.join(root));
            if !is_present && !self.is_left_out(root, &roots).await {
                gone.push(root.as_str());
            }
        }
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let head = self.head()?;
        let mut changes = Vec::new();
        let mut taken = BTreeSet::new();
        for root in gone {
            changes.extend(self.lost(root, &head, &mut taken).await);
        }
        Ok(changes)
    }

    /// Whether a root was left out at the base as well: git ignores it, or a root above
    /// it excludes it.
    async fn is_left_out(&self, root: &str, roots: &[String]) -> bool {
        let is_rule = |path: &String| path.ends_with(".gitignore");
        if !self.files.all().any(is_rule) && self.project.git().ignores(root).await {
            return true;
        }
        for above in roots {
            let below = root
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

    /// What a root loses; `taken` are the tasks that those of other roots have become.
    async fn lost<'h>(
        &self,
        root: &str,
        head: &'h Deciding,
        taken: &mut BTreeSet<&'h str>,
    ) -> Vec<Change> {
        let config = self.config(root).await;
        let mut found = Found::default();
        let base = self.tasks(root).await;
        let (mut all, mut gone, mut places) = (0, Vec::new(), BTreeSet::new());
        for (folder, plan) in &base.units {
            let complete = plan.tasks().iter();
            for was in complete.filter(|task| task.claims == TaskStatus::Complete) {
                all += 1;
                let now = counterpart(was, folder, head, self.files);
                match now.filter(|now| taken.insert(&now.path)) {
                    Some(now) => {
                        found.task(plan, was, head, (folder, self.files));
                        places.insert(self.root_of(&now.path));
                    }
                    None => gone.push(format!("{}/{}{}", plan.unit, was.number, titled(was))),
                }
            }
        }
        for place in &places {
            let folder = self.project.root.given().join(place);
            let now = self.present.get(&folder).unwrap_or(self.config);
            let start = found.0.len();
            match &config {
                Ok(was) => found.config(was, now, &FileChanges::default()),
                Err(error) => found.0.push(unreadable(FILE_NAME, error)),
            }
            for change in &mut found.0[start..] {
                if !place.is_empty() {
                    change.path = format!("{place}/{}", change.path);
                }
            }
        }
        for change in &mut found.0 {
            change.subject = format!("{root}/{}", change.subject);
        }
        let code = match all {
            0 => ChangeCode::GateDefinitionChanged,
            _ => ChangeCode::TaskRemoved,
        };
        let change = found.add(code, root, (self.file_of(root), 1));
        change.level = level(!gone.is_empty());
        change.message = message(root, all, &gone, &places);
        found.0
    }

    /// The tasks of a root of the base, with the paths that they have from the top.
    async fn tasks(&self, root: &str) -> Deciding {
        let inside = self.listed.iter().filter_map(|path| {
            let path = path.strip_prefix(root)?.strip_prefix('/')?;
            review_store::is_listed(path).then(|| path.to_owned())
        });
        let inside: Vec<_> = inside.collect();
        let mut texts = BTreeMap::new();
        for path in task_files(&inside) {
            let text = self.text(&format!("{root}/{path}")).await;
            texts.insert(path, text);
        }
        let mut tasks = Deciding::new(self.config.clone(), &[], BTreeMap::new());
        tasks.add(root, &inside, texts);
        tasks
    }

    /// The tasks of all present roots that the base does not have, so that a task which
    /// another root always had is not taken for one that moved.
    fn head(&self) -> Result<Deciding, EngineError> {
        let top = self.project.root.given();
        let mut head = Deciding::new(self.config.clone(), &[], BTreeMap::new());
        for folder in self.present.keys() {
            let Some(at) = folder.strip_prefix(top).ok().and_then(|at| at.to_str()) else {
                continue;
            };
            let root = Root::open(folder)?;
            let listed = review_store::paths(&root)?;
            let mut reader = Reader::new(&root);
            let mut texts = BTreeMap::new();
            for path in task_files(&listed) {
                let seen = match at {
                    "" => path.clone(),
                    at => format!("{at}/{path}"),
                };
                if !self.listed.contains(&seen) {
                    let bytes = reader.read(&path)?;
                    texts.insert(path, String::from_utf8_lossy(&bytes).into_owned());
                }
            }
            head.add(at, &listed, texts);
        }
        Ok(head)
    }

    /// The present root of a file, seen from the top; empty for the top itself.
    fn root_of(&self, path: &str) -> String {
        let top = self.project.root.given();
        let file = top.join(path);
        let nearest = file
            .ancestors()
            .find(|folder| self.present.contains_key(*folder));
        nearest
            .and_then(|folder| folder.strip_prefix(top).ok()?.to_str())
            .unwrap_or_default()
            .to_owned()
    }

    async fn config(&self, root: &str) -> Result<Config, ConfigError> {
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
    fn file_of(&self, root: &str) -> String {
        let inside = format!("{root}/");
        let config = format!("{inside}{FILE_NAME}");
        let mut files = self.listed.iter();
        match self.listed.contains(&config) {
            true => config,
            false => files
                .find(|path| path.starts_with(&inside))
                .map_or_else(|| root.to_owned(), Clone::clone),
        }
    }
}

fn message(root: &str, all: usize, gone: &[String], places: &BTreeSet<String>) -> String {
    let tasks = |count| plural(count, "complete task", "complete tasks");
    let no_more = format!("the root {root} is checked no more");
    match (all, gone.len()) {
        (0, _) => no_more,
        (_, 0) => {
            let places = places.iter().map(|place| match place.as_str() {
                "" => ".",
                place => place,
            });
            format!(
                "{no_more}; its {} moved to {}, and nothing is run with the tests as they were",
                tasks(all),
                places.collect::<Vec<_>>().join(", ")
            )
        }
        (_, count) => {
            let of_it = tasks(count);
            format!("{no_more}, with {of_it}: {}", listed(gone, MAX_NAMED))
        }
    }
}
