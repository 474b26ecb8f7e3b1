//! Gathers the workspace of the embedded reviewer.

mod cargo;
mod node;
mod recipes;
mod resolver;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use review_document::command::Script;
use review_document::markdown::LinkTarget;
use review_document::workspace::{Document, DocumentRole, ListedUnit, PathSet, Workspace};
use review_document::{Catalog, FileRole, Plan, SourceText, TaskFile, Unit};
use rustix::fs::{Access, access};

use crate::artifact::Scope;
use crate::{ConfineError, FileArtifact, Overlay, Reader, Root, RootPath, StateDir, walk};

pub use resolver::{is_listed, paths};

/// The maximum number of files in a folder that are listed because a command names
/// them, even if git ignores them.
const MAX_NAMED: usize = 1_000;

/// The maximum number of links to unlisted files that are checked.
const MAX_LINKED: usize = 1_000;

/// Where the surroundings of an artifact are looked up.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// The state folder, which is not part of the workspace.
    pub state: &'a StateDir,
    /// The value of the variable `PATH`.
    pub path: Option<&'a OsStr>,
    /// Files that are known to exist although `.gitignore` excludes them.
    pub tracked: &'a [String],
    /// Content that replaces files.
    pub overlay: &'a Overlay,
}

/// Gathers the workspace of one artifact; use [`Surroundings`] for several artifacts of
/// the same root.
///
/// # Errors
/// Returns an error when a file of the artifact cannot be read or is outside of the
/// root.
pub fn workspace(artifact: &FileArtifact, lookup: Lookup<'_>) -> Result<Workspace, ConfineError> {
    Surroundings::gather(artifact.root(), lookup).workspace(artifact, lookup)
}

/// The surroundings of the artifacts of a root, gathered once for all of them: the
/// existing files, the units with their plans, and the packages.
///
/// A tree with too many files is not listed, and the rules that need the list report
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// A workspace without documents.
    listed: Option<Workspace>,
}

impl Surroundings {
    /// Reads the surroundings of the artifacts of `root`.
    pub fn gather(root: &Root, lookup: Lookup<'_>) -> Self {
        let listed = walk::all(root.path(), lookup.state.path()).ok();
        let listed = listed.map(|found| {
            let listed = found.into_iter().filter_map(|path| text(&path));
            let tracked = lookup.tracked.iter().cloned();
            let overlaid = lookup.overlay.iter().map(|(path, _)| path.to_string());
            let paths = listed.chain(tracked).chain(overlaid).collect();
            around(paths, &mut Reader::new(root).over(lookup.overlay))
        });
        Self { listed }
    }

    /// The existing files; empty if there are too many to list.
    pub fn paths(&self) -> PathSet {
        let listed = self.listed.as_ref();
        listed.map_or_else(PathSet::default, |listed| listed.paths.clone())
    }

    /// The workspace of an artifact of the root: its documents, the unit, other units,
    /// the existing files, the programs that its commands name, and the packages that
    /// these refer to.
    ///
    /// # Errors
    /// Returns an error when a file of the artifact cannot be read or is outside of the
    /// root.
    pub fn workspace(
        &self,
        artifact: &FileArtifact,
        lookup: Lookup<'_>,
    ) -> Result<Workspace, ConfineError> {
        let mut reader = Reader::new(artifact.root()).over(lookup.overlay);
        let sources = sources(artifact.scope(), &mut reader)?;
        Ok(self.around(artifact.scope(), sources, artifact.root(), lookup))
    }

    /// The workspace of single files of `root`, in their order.
    ///
    /// # Errors
    /// Returns an error when a file does not exist, cannot be read or is outside of the
    /// root.
    pub fn of_files(
        &self,
        root: &Root,
        files: &[RootPath],
        lookup: Lookup<'_>,
    ) -> Result<Workspace, ConfineError> {
        let mut reader = Reader::new(root).over(lookup.overlay);
        let mut source = |path: &RootPath| Ok((path.clone(), reader.read(path.as_str())?.into()));
        let sources: Vec<_> = files
            .iter()
            .map(&mut source)
            .collect::<Result<_, ConfineError>>()?;
        let scope = Scope::File(RootPath::default());
        Ok(self.around(&scope, sources, root, lookup))
    }

    fn around(
        &self,
        scope: &Scope,
        sources: Vec<Source>,
        root: &Root,
        lookup: Lookup<'_>,
    ) -> Workspace {
        let mut reader = Reader::new(root).over(lookup.overlay);
        let unit = unit(scope, &sources);
        let documents = documents(scope, unit.as_ref(), sources);
        let mut workspace = Workspace {
            documents,
            unit,
            ..self.listed.clone().unwrap_or_default()
        };
        let root = root.path();
        let asked = workspace.asked_programs();
        workspace.programs = look_up(asked, lookup.path, root);
        if self.listed.is_some() {
            let documents = workspace.documents.iter();
            let reviewed = documents.map(|document| document.path.clone());
            let more = reviewed.chain(named(&workspace, root));
            let new: Vec<_> = more.filter(|path| !workspace.paths.is_file(path)).collect();
            if !new.is_empty() {
                let all = workspace.paths.files().iter().cloned().chain(new);
                let Workspace {
                    documents,
                    unit,
                    programs,
                    ..
                } = workspace;
                workspace = Workspace {
                    documents,
                    unit,
                    programs,
                    ..around(all.collect(), &mut reader)
                };
            }
        }
        workspace
    }
}

/// What these files say of the project around a document.
fn around(paths: PathSet, reader: &mut Reader<'_>) -> Workspace {
    Workspace {
        units: units(&paths, reader),
        cargo: cargo::packages(&paths, reader),
        node: node::packages(&paths, reader),
        recipes: recipes::files(&paths, reader),
        paths,
        ..Workspace::default()
    }
}

type Source = (RootPath, SourceText<'static>);

fn sources(scope: &Scope, reader: &mut Reader<'_>) -> Result<Vec<Source>, ConfineError> {
    let mut sources = Vec::new();
    for path in scope.paths(reader)? {
        if let Some(bytes) = reader.bytes(&path)? {
            sources.push((path, bytes.into()));
        }
    }
    Ok(sources)
}

fn unit(scope: &Scope, sources: &[Source]) -> Option<Unit> {
    let Scope::Unit { id, dir, spec } = scope else {
        return None;
    };
    let files = sources.iter().map(|(path, text)| (path.as_str(), text));
    let mut unit = Unit::load(id.clone(), dir.as_str(), files);
    unit.spec = spec.as_ref().map(RootPath::to_string);
    Some(unit)
}

fn documents(scope: &Scope, unit: Option<&Unit>, sources: Vec<Source>) -> Vec<Document> {
    let document = |(path, text): Source| {
        let role = role(scope, unit, &path, &text);
        Document::parse(path.to_string(), role, text)
    };
    sources.into_iter().map(document).collect()
}

fn role(
    scope: &Scope,
    unit: Option<&Unit>,
    path: &RootPath,
    text: &SourceText<'_>,
) -> DocumentRole {
    let is_spec = match scope {
        Scope::Unit { spec, .. } => spec.as_ref() == Some(path),
        Scope::File(_) | Scope::Folder(_) => Catalog::new([path.as_str()]).specs().next().is_some(),
    };
    let is_task = || match unit {
        Some(unit) => unit.tasks.iter().any(|task| task.path == path.as_str()),
        None => TaskFile::parse(path.as_str(), text).number.is_some(),
    };
    match FileRole::of(path.as_str()) {
        _ if is_spec => DocumentRole::Spec,
        FileRole::Plan => DocumentRole::Plan,
        FileRole::Task | FileRole::Text if is_task() => DocumentRole::Task,
        FileRole::Task | FileRole::Text | FileRole::Other => DocumentRole::Text,
    }
}

/// The units with their plans. An invalid plan is skipped, since the check of its own
/// unit reports it.
fn units(paths: &PathSet, reader: &mut Reader<'_>) -> Arc<[ListedUnit]> {
    let catalog = Catalog::new(paths.files().iter().cloned());
    let units = catalog.units().iter();
    units
        .map(|unit| ListedUnit {
            dir: unit.dir.clone(),
            id: unit.id.clone(),
            plan: unit.plan.as_deref().and_then(|path| {
                let bytes = reader.read(path).ok()?;
                Some(Plan::parse(path, bytes))
            }),
        })
        .collect()
}

/// The files at unlisted paths that commands or links name. They exist even if git
/// ignores them.
fn named(workspace: &Workspace, root: &Path) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let links = linked(workspace).filter(|path| !workspace.paths.contains(path));
    // One file is enough for a folder to exist.
    let links = links.take(MAX_LINKED).map(|path| (path, 1));
    let commands = commanded(workspace).map(|path| (path, MAX_NAMED));
    for (path, limit) in commands.chain(links) {
        let Ok(path) = RootPath::new(&path) else {
            continue;
        };
        let on_disk = root.join(path.as_str());
        if on_disk.is_file() {
            named.insert(path.to_string());
        } else if on_disk.is_dir() && !path.as_str().is_empty() {
            let below = resolver::below(&on_disk, limit).into_iter();
            let below = below.filter_map(|name| text(&name));
            named.extend(below.map(|name| path.child(&name).to_string()));
        }
    }
    named
}

/// The paths that the commands of the unit name.
fn commanded(workspace: &Workspace) -> impl Iterator<Item = String> {
    let tasks = workspace.unit.iter().flat_map(|unit| &unit.tasks);
    let steps = tasks.flat_map(|task| &task.backpressure);
    steps.flat_map(|step| {
        let script = Script::parse(&step.value);
        let used = script.paths().into_iter();
        used.map(|used| used.path).collect::<Vec<_>>()
    })
}

/// The targets of the links in the documents.
fn linked(workspace: &Workspace) -> impl Iterator<Item = String> {
    workspace.documents.iter().flat_map(|document| {
        let links = document.outline.links.iter();
        let targets = links.filter_map(|link| LinkTarget::of(link, &document.source));
        targets.filter_map(|target| target.resolve(&document.path))
    })
}

/// A path with `/` as the separator; `None` if it is not UTF-8.
fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

/// Whether each program is found in a folder of `path`; relative folders are relative
/// to `root`.
fn look_up(asked: BTreeSet<String>, path: Option<&OsStr>, root: &Path) -> BTreeMap<String, bool> {
    let Some(path) = path else {
        return BTreeMap::new();
    };
    let folders: Vec<_> = std::env::split_paths(path)
        .map(|folder| root.join(folder))
        .collect();
    let is_there = |name: &str| folders.iter().any(|folder| can_run(&folder.join(name)));
    asked
        .into_iter()
        .map(|name| {
            let found = is_there(&name);
            (name, found)
        })
        .collect()
}

fn can_run(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}
