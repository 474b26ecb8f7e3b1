//! Gathers what the embedded reviewer sees, anew each time.

mod cargo;
mod node;
mod programs;
mod resolver;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use review_document::command::Script;
use review_document::workspace::{Document, DocumentRole, OtherUnit, PathSet, Workspace};
use review_document::{Catalog, FileRole, Plan, TaskFile, Unit};

use crate::artifact::Scope;
use crate::{ConfineError, FileArtifact, Reader, RootPath, StateDir, walk};

pub use resolver::paths;

/// So many files of a folder that a command names are looked at, even when git
/// ignores them.
const MAX_NAMED: usize = 1_000;

/// Where to look for what is around an artifact.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// The state folder, which is no part of the workspace.
    pub state: &'a StateDir,
    /// The value of the variable `PATH`.
    pub path: Option<&'a OsStr>,
    /// Files that are known to exist although `.gitignore` names them.
    pub tracked: &'a [String],
}

/// Gathers the workspace of an artifact: its documents, the unit, the units
/// beside it, the files that exist, the programs that its commands name, and
/// the packages that these are about.
///
/// A tree with too many files is not listed: the rules that need the list are
/// silent then.
///
/// # Errors
/// When a file of the artifact cannot be read or leads out of the root.
pub fn workspace(artifact: &FileArtifact, lookup: Lookup<'_>) -> Result<Workspace, ConfineError> {
    let mut reader = Reader::new(artifact.root());
    let sources = sources(artifact, &mut reader)?;
    let unit = unit(artifact.scope(), &sources);
    let documents = documents(artifact.scope(), unit.as_ref(), &sources);
    let mut workspace = Workspace {
        documents,
        unit,
        ..Workspace::default()
    };
    let root = artifact.root().path();
    let asked = workspace.asked_programs();
    workspace.programs = programs::look_up(asked, lookup.path, root);
    if let Ok(found) = walk::files(root, lookup.state.path()) {
        let listed = found.into_iter().filter_map(|path| text(&path));
        let known = lookup.tracked.iter().cloned();
        let reviewed = sources.iter().map(|(path, _)| path.to_string());
        let named = named_by_commands(&workspace, root);
        let paths: PathSet = listed.chain(known).chain(reviewed).chain(named).collect();
        workspace.others = others(&paths, workspace.unit.as_ref(), &mut reader);
        workspace.cargo = cargo::packages(&paths, &mut reader);
        workspace.node = node::packages(&paths, &mut reader);
        workspace.paths = paths;
    }
    Ok(workspace)
}

type Source = (RootPath, Vec<u8>);

fn sources(artifact: &FileArtifact, reader: &mut Reader<'_>) -> Result<Vec<Source>, ConfineError> {
    let mut sources = Vec::new();
    for path in artifact.paths()? {
        if let Some(content) = reader.content(&path)? {
            sources.push((path, content.bytes));
        }
    }
    Ok(sources)
}

fn unit(scope: &Scope, sources: &[Source]) -> Option<Unit> {
    let Scope::Unit { id, dir, spec } = scope else {
        return None;
    };
    let files = sources.iter().map(|(path, bytes)| (path.as_str(), bytes));
    let mut unit = Unit::load(id.clone(), dir.as_str(), files);
    unit.spec = spec.as_ref().map(RootPath::to_string);
    Some(unit)
}

fn documents(scope: &Scope, unit: Option<&Unit>, sources: &[Source]) -> Vec<Document> {
    let document = |(path, bytes): &Source| {
        Document::parse(path.as_str(), role(scope, unit, path, bytes), bytes)
    };
    sources.iter().map(document).collect()
}

fn role(scope: &Scope, unit: Option<&Unit>, path: &RootPath, bytes: &[u8]) -> DocumentRole {
    let is_spec = match scope {
        Scope::Unit { spec, .. } => spec.as_ref() == Some(path),
        Scope::Spec(_) => true,
        Scope::File(_) | Scope::Folder(_) => Catalog::new([path.as_str()]).specs().next().is_some(),
    };
    let is_task = || match unit {
        Some(unit) => unit.tasks.iter().any(|task| task.path == path.as_str()),
        None => TaskFile::parse(path.as_str(), bytes).number.is_some(),
    };
    match FileRole::of(path.as_str()) {
        _ if is_spec => DocumentRole::Spec,
        FileRole::Plan => DocumentRole::Plan,
        FileRole::Task | FileRole::Text if is_task() => DocumentRole::Task,
        FileRole::Task | FileRole::Text | FileRole::Other => DocumentRole::Text,
    }
}

/// The other units with their plans. A plan that cannot be read is left out:
/// it is not what is reviewed.
fn others(paths: &PathSet, own: Option<&Unit>, reader: &mut Reader<'_>) -> Vec<OtherUnit> {
    let catalog = Catalog::new(paths.files().iter().cloned());
    let is_other = |dir: &str| own.is_none_or(|unit| unit.dir != dir);
    let units = catalog.units().iter().filter(|unit| is_other(&unit.dir));
    units
        .map(|unit| OtherUnit {
            id: unit.id.clone(),
            plan: unit.plan.as_deref().and_then(|path| {
                let bytes = reader.read(path).ok()?;
                Some(Plan::parse(path, bytes))
            }),
        })
        .collect()
}

/// The files at the paths that commands name. They exist even if git ignores
/// them.
fn named_by_commands(workspace: &Workspace, root: &Path) -> BTreeSet<String> {
    let tasks = workspace.unit.iter().flat_map(|unit| &unit.tasks);
    let mut named = BTreeSet::new();
    for step in tasks.flat_map(|task| &task.backpressure) {
        for used in Script::parse(&step.value).paths() {
            let Ok(path) = RootPath::new(&used.path) else {
                continue;
            };
            let on_disk = root.join(path.as_str());
            if on_disk.is_file() {
                named.insert(path.to_string());
            } else if on_disk.is_dir() && !path.as_str().is_empty() {
                let below = resolver::below(&on_disk, MAX_NAMED);
                named.extend(below.into_iter().map(|name| path.child(&name).to_string()));
            }
        }
    }
    named
}

/// A path with `/` between its parts; `None` for one that is not UTF-8.
fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}
