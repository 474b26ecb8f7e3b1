//! What is checked together: each unit with its spec, and all other documents
//! of a root.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use review_document::workspace::Workspace;
use review_document::{Catalog, FileRole, UnitFiles};
use review_report::shown;
use review_store::{
    ConfineError, FileArtifact, Lookup, Overlay, Reader, Root, RootPath, Surroundings,
};
use review_types::{ExitCode, error_chain};

use crate::error::EngineError;
use crate::location::{Disk, Probe, absolute, linked_specs, root_of};

/// The most files that are looked at below a folder.
const MAX_FILES: usize = 200_000;
/// Folders that hold no documents of the project.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// The files of one root that are to be checked.
#[derive(Debug)]
pub struct Selection {
    /// The root.
    pub root: Root,
    /// What is checked together.
    pub batches: Vec<Batch>,
}

/// What is checked together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Batch {
    /// A unit, with its spec if that is to be checked.
    Unit {
        /// The unit.
        unit: UnitFiles,
        /// The spec.
        spec: Option<RootPath>,
    },
    /// All documents that belong to no unit.
    Documents(Vec<RootPath>),
}

impl Batch {
    /// Its files, relative to the root.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::Unit { unit, spec } => {
                let files = unit.files.iter().map(String::as_str);
                files.chain(spec.iter().map(RootPath::as_str)).collect()
            }
            Self::Documents(files) => files.iter().map(RootPath::as_str).collect(),
        }
    }

    /// Returns what can be checked of it; a unit is checked as a whole. Why a file cannot be
    /// read is added to `unreadable`.
    pub(super) fn readable(
        mut self,
        root: &Root,
        overlay: &Overlay,
        unreadable: &mut Vec<String>,
    ) -> Option<Self> {
        let mut reader = Reader::new(root).over(overlay);
        let mut is_readable = |path: &str| match reader.read(path) {
            Ok(_) => true,
            Err(error) => {
                unreadable.push(error_chain(&error));
                false
            }
        };
        match &mut self {
            Self::Unit { unit, spec } => {
                let files = unit.files.iter().map(String::as_str);
                let files: Vec<_> = files.chain(spec.iter().map(RootPath::as_str)).collect();
                let bad = files.iter().filter(|path| !is_readable(path)).count();
                (bad == 0).then_some(self)
            }
            Self::Documents(files) => {
                files.retain(|path| is_readable(path.as_str()));
                Some(self)
            }
        }
    }

    /// What the rules see of it.
    ///
    /// # Errors
    /// When a file cannot be read or leads out of the root.
    pub(super) fn workspace(
        &self,
        root: &Root,
        around: &Surroundings,
        lookup: Lookup<'_>,
    ) -> Result<Workspace, ConfineError> {
        match self {
            Self::Unit { unit, spec } => {
                let (id, dir) = (unit.id.clone(), RootPath::new(&unit.dir)?);
                let artifact = FileArtifact::unit(root.clone(), id, dir, spec.clone());
                around.workspace(&artifact, lookup)
            }
            Self::Documents(files) => around.of_files(root, files, lookup),
        }
    }
}

/// Sorts out paths by root, as a user in `folder` names them; without paths these
/// are `specs` and `tasks` of the root of `folder` and of the `nested` roots below it,
/// with the specs elsewhere that plans name. A `root` is the one of all.
///
/// # Errors
/// When a path does not exist or cannot be used, or there is nothing to check.
pub fn selections(
    paths: &[PathBuf],
    folder: &Path,
    root: Option<&Path>,
    nested: &[PathBuf],
) -> Result<Vec<Selection>, EngineError> {
    let root_of = |path: &Path| match root {
        Some(root) => absolute(folder, root),
        None => root_of(path, &Disk),
    };
    let mut by_root: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
    if paths.is_empty() {
        for root in std::iter::once(root_of(folder)).chain(nested.iter().cloned()) {
            let both = ["specs", "tasks"].map(|name| root.join(name));
            let there = both.into_iter().filter(|path| Disk.exists(path));
            let linked = linked_specs(&Root::open(&root)?)?.into_iter();
            let there = there.chain(linked.map(|(_, spec)| spec)).collect();
            by_root.push((root, there));
        }
    }
    for path in paths {
        let path = absolute(folder, path);
        if !Disk.exists(&path) {
            let path = shown(folder, &path);
            return Err(EngineError::new(format!("{path} does not exist")));
        }
        let root = root_of(&path);
        match by_root.iter_mut().find(|(known, _)| *known == root) {
            Some((_, of_root)) => of_root.push(path),
            None => by_root.push((root, vec![path])),
        }
    }
    let selections: Vec<Selection> = by_root
        .into_iter()
        .map(|(root, paths)| Selection::new(&root, &paths, &Overlay::default()))
        .collect::<Result<_, _>>()?;
    if selections.iter().all(Selection::is_empty) {
        let hint = "name files or folders; `ralph doctor` says how to begin here";
        let nothing = EngineError::of_code(ExitCode::Nothing, "no Markdown file to check");
        return Err(nothing.hint(hint));
    }
    Ok(selections)
}

impl Selection {
    /// The file at `path`, whose text is in `overlay`, with the unit that it is
    /// of.
    ///
    /// # Errors
    /// When the path leads out of the root.
    pub fn of_text(root: &Path, path: PathBuf, overlay: &Overlay) -> Result<Self, EngineError> {
        Self::new(root, &[path], overlay)
    }

    fn new(root: &Path, paths: &[PathBuf], overlay: &Overlay) -> Result<Self, EngineError> {
        let root = Root::open(root)?;
        let mut wanted = BTreeSet::new();
        for path in paths {
            let named = root.relative(path)?;
            if Disk.is_folder(path) {
                let below = markdown_below(Path::new(named.as_str()), path);
                wanted.extend(below?);
            } else {
                wanted.insert(named.as_str().to_owned());
            }
        }
        let mut wanted = without_second_names(&root, wanted);
        let known = review_store::paths(&root)?;
        let catalog = Catalog::new(known.into_iter().chain(wanted.iter().cloned()));
        let mut units = Vec::new();
        let mut reader = Reader::new(&root).over(overlay);
        for unit in catalog.units() {
            if !unit.files.iter().any(|file| wanted.contains(file)) {
                continue;
            }
            // A file that cannot be read names no spec; checking it says why.
            let loaded = unit.load(|path| reader.read(path).ok());
            let is_task = |file: &String| loaded.tasks.iter().any(|task| task.path == *file);
            let mut unit = unit.clone();
            let dir = Path::new(&unit.dir);
            unit.files
                .retain(|file| Path::new(file).parent() == Some(dir) || is_task(file));
            for file in &unit.files {
                wanted.remove(file);
            }
            let spec = catalog.spec_of_unit(&loaded).map(str::to_owned);
            let spec = spec.filter(|spec| wanted.contains(spec));
            units.push((unit, spec));
        }
        // Several units may share a spec, which is then checked with each.
        for spec in units.iter().filter_map(|(_, spec)| spec.as_ref()) {
            wanted.remove(spec);
        }
        let path = |name: String| RootPath::new(&name);
        let mut batches = Vec::new();
        for (unit, spec) in units {
            let spec = spec.map(path).transpose()?;
            batches.push(Batch::Unit { unit, spec });
        }
        let documents: Vec<_> = wanted.into_iter().map(path).collect::<Result<_, _>>()?;
        if !documents.is_empty() {
            batches.push(Batch::Documents(documents));
        }
        drop(reader);
        Ok(Self { root, batches })
    }

    fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The files that are checked.
    pub fn files(&self) -> Vec<String> {
        let files = self.batches.iter().flat_map(Batch::files);
        files.map(str::to_owned).collect()
    }
}

/// The files without links to others of them, and of links to one file the
/// first: a file is checked, and fixed, once.
fn without_second_names(root: &Root, mut names: BTreeSet<String>) -> BTreeSet<String> {
    let is_link = |name: &String| root.path().join(name).is_symlink();
    let links: Vec<_> = names.iter().filter(|name| is_link(name)).cloned().collect();
    let mut seen = BTreeSet::new();
    for link in links {
        // What leads nowhere stays; checking it says why.
        let target = RootPath::new(&link).and_then(|path| root.resolve(&path));
        let Ok(target) = target.and_then(|target| root.relative(&target)) else {
            continue;
        };
        if names.contains(target.as_str()) || !seen.insert(target) {
            names.remove(&link);
        }
    }
    names
}

/// The Markdown files below a folder that is `named` so from the root, as paths
/// from there.
///
/// # Errors
/// [`ConfineError::NotUtf8`] for one whose name is not UTF-8.
fn markdown_below(named: &Path, folder: &Path) -> Result<Vec<String>, ConfineError> {
    let mut found = Vec::new();
    let mut folders = vec![(named.to_owned(), folder.to_owned())];
    let mut left = MAX_FILES;
    while let Some((named, folder)) = folders.pop() {
        // What cannot be listed holds nothing that could be checked.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") || left == 0 {
                continue;
            }
            left -= 1;
            let named = named.join(&name);
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if !SKIPPED.iter().any(|skipped| name == *skipped) {
                    folders.push((named, entry.path()));
                }
            } else if is_markdown(&name) && !entry.path().is_dir() {
                let named = named.into_os_string().into_string();
                found.push(named.map_err(|path| ConfineError::NotUtf8 { path: path.into() })?);
            }
        }
    }
    Ok(found)
}

fn is_markdown(name: &OsStr) -> bool {
    FileRole::of(&name.to_string_lossy()) != FileRole::Other
}
