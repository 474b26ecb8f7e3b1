//! Takes what an agent left in its checkout as a commit. The files count; what the
//! agent did with git does not.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use review_types::TaskNumber;

use crate::change::{ChangedPath, Entry, Mode};
use crate::checkout::lock_of;
use crate::error::LaneError;
use crate::git::{Git, path_of};
use crate::lane::Lane;
use crate::object::{CommitId, TreeId};
use crate::open::size_of;

/// Folders with the configuration of a CI, and files that configure a CI or ralph itself.
/// They are restored in every snapshot.
const FIXED_FOLDERS: [&str; 3] = [".github/workflows", ".circleci", ".buildkite"];
const FIXED_FILES: [&str; 5] = [
    "ralph.toml",
    ".worktreeinclude",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
];

/// The largest file that is taken, in bytes.
pub(crate) const MAX_FILE: u64 = 100 * 1024 * 1024;

/// The folder with the notes of conflicts, one for each task.
const CONFLICTS: &str = "conflicts";

/// The list of the submodules, in the top folder.
const SUBMODULES: &str = ".gitmodules";

/// How lines begin that mark a conflict.
const MARKS: [&[u8]; 3] = [b"<<<<<<< ", b"||||||| ", b">>>>>>> "];

/// Maximum number of nested repositories that are left out; with more, nothing is taken.
const MAX_NESTED: usize = 20;

/// What is to be taken.
#[derive(Clone, Copy)]
pub struct SnapshotOf<'a> {
    /// The task.
    pub task: TaskNumber,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The commit that the checkout started from.
    pub base: &'a CommitId,
    /// Files that the agent may not change, relative to the root of the project, beside
    /// those that no agent may change.
    pub fixed: &'a BTreeSet<PathBuf>,
    /// Files that it may add, but not change, relative to the root of the project: they
    /// judge other tasks.
    pub of_others: &'a BTreeSet<PathBuf>,
    /// Files of those that no agent may change that it may change.
    pub opens: Opens<'a>,
    /// Files that are hidden from it.
    pub hides: Opens<'a>,
}

/// What an agent left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit of the files.
    pub commit: CommitId,
    /// Its tree.
    pub tree: TreeId,
    /// The number of files that differ from the base.
    pub files: usize,
    /// The files that the agent may not change and that were restored.
    pub restored: Vec<PathBuf>,
    /// The first fault that keeps the change from being merged.
    pub fault: Option<ChangeFault>,
}

/// A fault of a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeFault {
    /// The agent made a repository, whose files git does not take.
    #[error("{} is a git repository of its own; its files are not part of the change", .0.display())]
    NestedRepository(PathBuf),
    /// The agent changed a submodule, the list of submodules, or put files in the folder
    /// of a submodule that is not fetched.
    #[error("changes of submodules are not taken, and {} was changed", .0.display())]
    SubmoduleChanged(PathBuf),
    /// A link leads out of the checkout.
    #[error("{} is a link to {}, which is outside of the project", path.display(), target.display())]
    EscapingLink {
        /// The link.
        path: PathBuf,
        /// Its target.
        target: PathBuf,
    },
    /// A file still has the marks of a conflict.
    #[error("{} still has the marks of a conflict", .0.display())]
    Markers(PathBuf),
    /// The agent removed its checkout.
    #[error("the agent removed its checkout")]
    CheckoutGone,
    /// A file cannot be read.
    #[error("a file cannot be read: {0}")]
    UnreadableFile(String),
    /// A file is too large.
    #[error("{} has {bytes} bytes; at most {MAX_FILE} are taken", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
}

impl Lane {
    /// Takes the files in the checkout of a task as a commit.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn snapshot(&self, of: SnapshotOf<'_>) -> Result<Snapshot, LaneError> {
        let index = self.index(of.task);
        self.dir.remove(lock_of(&index))?;
        let place = self.task_place(of.task);
        let is_there = place
            .top
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir());
        let unreadable = match is_there {
            true => add_all(&self.git, &self.repository(), &place.top, &index).await?,
            false => Some(ChangeFault::CheckoutGone),
        };
        let mut tree: TreeId = self.indexed(&index).args(["write-tree"]).read().await?;
        let mut changed = self.changed_paths(of.base.as_str(), tree.as_str()).await?;
        let (restored, kept): (Vec<_>, Vec<_>) = changed
            .into_iter()
            .partition(|change| self.is_restored(change, of));
        changed = kept;
        if !restored.is_empty() {
            let entries = restored
                .iter()
                .map(|change| (&*change.path, &change.before));
            self.put_entries(&index, entries).await?;
            tree = self.indexed(&index).args(["write-tree"]).read().await?;
        }
        // What is hidden from an agent is missing in its checkout.
        let is_missing =
            |change: &ChangedPath| !change.after.exists() && self.is_below(&change.path, of.hides);
        let restored = restored.into_iter().filter(|change| !is_missing(change));
        let restored = restored.map(|change| change.path).collect();
        let fault = match unreadable {
            Some(fault) => Some(fault),
            None => match self.left_markers(of.task, &changed).await? {
                Some(path) => Some(ChangeFault::Markers(path)),
                None => match self.filled_submodule(&place.top, &index, &changed).await? {
                    Some(path) => Some(ChangeFault::SubmoduleChanged(path)),
                    None => self.fault_of(Some(&place.top), &changed).await?,
                },
            },
        };
        let message = format!("Task {}, attempt {}", of.task, of.attempt);
        let commit = self.commit(&tree, of.base, &message).await?;
        self.name_snapshot(&commit, of).await?;
        Ok(Snapshot {
            commit,
            tree,
            files: changed.len(),
            restored,
            fault,
        })
    }

    /// Keeps the commit of an attempt.
    pub(crate) async fn name_snapshot(
        &self,
        commit: &CommitId,
        of: SnapshotOf<'_>,
    ) -> Result<(), LaneError> {
        let name = format!("refs/ralph/task/{}/{}", of.task, of.attempt);
        self.set_ref(&name, commit).await
    }

    /// Whether a file is one that agents may not change, or that is hidden from them.
    pub(crate) fn is_restored(&self, change: &ChangedPath, of: SnapshotOf<'_>) -> bool {
        let is_kept = |path: &Path| {
            let is_fixed = is_fixed(path) && !(of.opens)(path);
            let is_of_others = change.before.exists() && of.of_others.contains(path);
            is_fixed || is_of_others || of.fixed.contains(path) || (of.hides)(path)
        };
        self.is_below(&change.path, &is_kept)
    }

    /// Whether a path of the repository is one of these of the project.
    pub(crate) fn is_below(&self, path: &Path, is: Opens<'_>) -> bool {
        path.strip_prefix(&self.note.source.prefix).is_ok_and(is)
    }

    /// Puts entries in an index; an absent one is removed.
    pub(crate) async fn put_entries<'a>(
        &self,
        index: &Path,
        entries: impl Iterator<Item = (&'a Path, &'a Entry)>,
    ) -> Result<(), LaneError> {
        let mut list = Vec::new();
        for (path, entry) in entries {
            // The object of an absent entry is all zeros, as git expects.
            list.extend_from_slice(
                format!("{} {}\t", entry.mode.as_str(), entry.object).as_bytes(),
            );
            list.extend_from_slice(path.as_os_str().as_encoded_bytes());
            list.push(0);
        }
        if list.is_empty() {
            return Ok(());
        }
        let put = self
            .indexed(index)
            .args(["update-index", "-z", "--index-info"]);
        put.stdin(list).done().await?;
        Ok(())
    }

    /// Notes the files in which conflicts were marked for a task, beside those that were
    /// noted before: a later attempt starts from them.
    ///
    /// # Errors
    /// [`LaneError`] when the note cannot be written.
    pub fn note_conflicts(&self, task: TaskNumber, paths: &[PathBuf]) -> Result<(), LaneError> {
        if paths.is_empty() {
            return Ok(());
        }
        let mut noted = self.conflicts(task)?;
        noted.extend(paths.iter().cloned());
        let names = noted.iter().map(|path| path.as_os_str().as_encoded_bytes());
        let names: Vec<_> = names.collect();
        self.dir.create_folder(CONFLICTS)?;
        let note = Path::new(CONFLICTS).join(task.to_string());
        Ok(self.dir.write(note, &names.join(&0))?)
    }

    fn conflicts(&self, task: TaskNumber) -> Result<BTreeSet<PathBuf>, LaneError> {
        let note = self.dir.read(Path::new(CONFLICTS).join(task.to_string()))?;
        let names = note.unwrap_or_default();
        let names = names
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty());
        Ok(names.map(path_of).collect())
    }

    /// The first file of a checkout that still has the marks of a conflict.
    async fn left_markers(
        &self,
        task: TaskNumber,
        changed: &[ChangedPath],
    ) -> Result<Option<PathBuf>, LaneError> {
        let noted = self.conflicts(task)?;
        let conflicts = changed.iter().filter(|change| noted.contains(&change.path));
        for change in conflicts.filter(|change| change.after.is_file()) {
            let blob = ["cat-file", "blob", &change.after.object];
            let text = self.call().args(blob).done().await?.stdout;
            let mut lines = text.split(|byte| *byte == b'\n');
            if lines.any(|line| MARKS.iter().any(|mark| line.starts_with(mark))) {
                return Ok(Some(change.path.clone()));
            }
        }
        Ok(None)
    }

    /// The first submodule with files of which none is its repository: git sees none of
    /// them.
    async fn filled_submodule(
        &self,
        top: &Path,
        index: &Path,
        changed: &[ChangedPath],
    ) -> Result<Option<PathBuf>, LaneError> {
        let is_new = |change: &ChangedPath| change.after.mode == Mode::Repository;
        if self.known().has_no_repository && !changed.iter().any(is_new) {
            return Ok(None);
        }
        let entries = self.indexed(index).args(["ls-files", "-s", "-z"]);
        let entries = entries.done().await?;
        let submodules: Vec<_> = entries.strings().filter_map(repository_at).collect();
        // A change that removes one is refused, and the next has it again.
        let removes = |change: &ChangedPath| change.before.mode == Mode::Repository;
        let has_none = submodules.is_empty() && !changed.iter().any(removes);
        self.known().has_no_repository = has_none;
        let is_filled = |path: &PathBuf| {
            let folder = top.join(path);
            let is_empty = std::fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_none());
            folder.is_dir() && !is_empty && folder.join(".git").symlink_metadata().is_err()
        };
        Ok(submodules.into_iter().find(is_filled))
    }

    /// The first fault of a change, whose files are in the folder `top`, if they are here.
    pub(crate) async fn fault_of(
        &self,
        top: Option<&Path>,
        changed: &[ChangedPath],
    ) -> Result<Option<ChangeFault>, LaneError> {
        for change in changed {
            let path = || change.path.clone();
            match (change.before.mode, change.after.mode) {
                (before, _) if before != Mode::Absent && change.path == Path::new(SUBMODULES) => {
                    return Ok(Some(ChangeFault::SubmoduleChanged(path())));
                }
                (Mode::Repository, _) => return Ok(Some(ChangeFault::SubmoduleChanged(path()))),
                (_, Mode::Repository) => return Ok(Some(ChangeFault::NestedRepository(path()))),
                (_, Mode::Link) => {
                    let target = self.call().args(["cat-file", "blob", &change.after.object]);
                    let target = path_of(&target.done().await?.stdout);
                    if leaves(&change.path, &target) {
                        let path = path();
                        return Ok(Some(ChangeFault::EscapingLink { path, target }));
                    }
                }
                (_, Mode::File | Mode::Executable | Mode::Absent) => {}
            }
        }
        self.too_large(top, changed).await
    }

    async fn too_large(
        &self,
        top: Option<&Path>,
        changed: &[ChangedPath],
    ) -> Result<Option<ChangeFault>, LaneError> {
        let files = changed.iter().filter(|change| change.after.is_file());
        // A filter may store less than there is, so that git is asked about those.
        let is_large = |change: &&ChangedPath| {
            top.is_none_or(|top| size_of(&top.join(&change.path)) > MAX_FILE)
        };
        let files: Vec<_> = files.filter(is_large).collect();
        if files.is_empty() {
            return Ok(None);
        }
        let objects = files
            .iter()
            .map(|change| format!("{}\n", change.after.object));
        let objects: String = objects.collect();
        let sizes = self
            .call()
            .args(["cat-file", "--batch-check=%(objectsize)"]);
        let sizes = sizes.stdin(objects.into()).done().await?;
        let sizes = String::from_utf8_lossy(&sizes.stdout).into_owned();
        let mut sized = files
            .iter()
            .zip(sizes.lines().map(|size| size.parse().unwrap_or(0)));
        Ok(sized
            .find(|(_, bytes)| *bytes > MAX_FILE)
            .map(|(change, bytes)| ChangeFault::TooLarge {
                path: change.path.clone(),
                bytes,
            }))
    }
}

/// The path of an entry of `git ls-files -s` or `git ls-tree`, if it is another repository.
pub(crate) fn repository_at(entry: &[u8]) -> Option<PathBuf> {
    let entry = entry.strip_prefix(b"160000 ")?;
    let end = entry.iter().position(|byte| *byte == b'\t')?;
    Some(path_of(&entry[end + 1..]))
}

/// The fault that made `git add` fail.
fn fault_of_add(message: &str) -> ChangeFault {
    const EMPTY: &str = "does not have a commit checked out";
    let line = message.lines().find(|line| line.contains(EMPTY));
    let path = line.and_then(|line| line.split('\'').nth(1));
    match path {
        Some(path) => ChangeFault::NestedRepository(PathBuf::from(path)),
        None => ChangeFault::UnreadableFile(message.to_owned()),
    }
}

/// Whether a link at `path` leads out of the tree.
fn leaves(path: &Path, target: &Path) -> bool {
    let above = path.parent().into_iter().flat_map(Path::components).count();
    let mut depth = above;
    for part in target.components() {
        match part {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::ParentDir => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return true,
            },
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
        }
    }
    false
}

/// Takes all files of a folder into an index, but those in repositories of their own;
/// returns the first fault.
pub(crate) async fn add_all(
    git: &Git,
    repository: &Path,
    top: &Path,
    index: &Path,
) -> Result<Option<ChangeFault>, LaneError> {
    let mut nested: Vec<PathBuf> = Vec::new();
    loop {
        let excluded = nested.iter().map(|path| {
            let mut pattern = std::ffi::OsString::from(":(exclude,top,literal)");
            pattern.push(path);
            pattern
        });
        let add = git.at(top).on(repository, top, index);
        let add = add.args(["add", "-A", "--", "."]).args(excluded);
        let added = add.answer().await?;
        let first = nested.first().cloned().map(ChangeFault::NestedRepository);
        if added.succeeded() {
            return Ok(first);
        }
        match fault_of_add(&added.message()) {
            ChangeFault::NestedRepository(path)
                if nested.len() < MAX_NESTED && !nested.contains(&path) =>
            {
                nested.push(path);
            }
            fault => return Ok(first.or(Some(fault))),
        }
    }
}

/// Tells whether a task may change a protected file: relative to the root of the project.
pub type Opens<'a> = &'a (dyn Fn(&Path) -> bool + Send + Sync);

/// Returns whether agents may not change a file: relative to the root of the project.
pub(crate) fn is_fixed(path: &Path) -> bool {
    FIXED_FOLDERS.iter().any(|folder| path.starts_with(folder))
        || FIXED_FILES.iter().any(|file| path == Path::new(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_leave_the_tree_are_recognized() {
        for (path, target, out) in [
            ("a", "b", false),
            ("x/a", "../b", false),
            ("a", "../b", true),
            ("x/y/a", "../../../b", true),
            ("x/a", "y/../../b", false),
            ("a", "/etc/passwd", true),
        ] {
            assert_eq!(
                leaves(Path::new(path), Path::new(target)),
                out,
                "{path} -> {target}"
            );
        }
    }

    #[test]
    fn an_empty_repository_is_named() {
        let message =
            "error: 'sub/' does not have a commit checked out\nfatal: adding files failed";
        assert_eq!(
            fault_of_add(message),
            ChangeFault::NestedRepository("sub/".into())
        );
        assert_eq!(
            fault_of_add("error: open(\"x\"): Permission denied"),
            ChangeFault::UnreadableFile("error: open(\"x\"): Permission denied".to_owned())
        );
    }

    #[test]
    fn the_configuration_of_ci_and_of_ralph_is_fixed() {
        for (path, expected) in [
            (".github/workflows/ci.yml", true),
            ("ralph.toml", true),
            ("pytest.ini", false),
            (".github/CODEOWNERS", false),
            ("docs/ralph.toml", false),
            ("src/main.rs", false),
        ] {
            assert_eq!(is_fixed(Path::new(path)), expected, "{path}");
        }
    }
}
