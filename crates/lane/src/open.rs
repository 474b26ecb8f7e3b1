//! Opens the lane of a run: makes its repository from that of the user, which stays as
//! it is.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use review_store::{LaneDir, read_file};
use review_types::{RunId, StartCode, plural};

use crate::error::{LaneError, Refusal};
use crate::git::{Git, path_of};
use crate::land::named;
use crate::lane::{BASE_REF, LANE_REF, Lane, Note, REPOSITORY};
use crate::object::{CommitId, TreeId};
use crate::options::Dirty;
use crate::snapshot::MAX_FILE;
use crate::source::Source;

/// The repository while it is made.
const UNFINISHED: &str = "lane.tmp";
/// The settings of the user that every checkout has as well, below the repository.
pub(crate) const CHECKOUT_CONFIG: &str = "checkout.config";
/// The commit with changes that the user had not committed.
pub(crate) const DIRTY_REF: &str = "refs/ralph/dirty";

/// The message of that commit.
pub(crate) const CHANGES: &str = "Changes that were not committed when the run started";

/// How often a clone is tried while the user's repository is being packed.
const CLONES: u32 = 3;

/// The setting that names a file with patterns of files that git ignores.
const EXCLUDES: &str = "core.excludesFile";

/// The settings of a repository that decide what its files look like.
const FILE_SETTINGS: &str = r"^(core\.(autocrlf|eol|safecrlf|filemode|symlinks|precomposeunicode|longpaths)|filter\..*|diff\..*|merge\..*\.driver)$";

/// The files of a repository, in no commit, that decide which files there are and what
/// they look like.
pub(crate) const INFO_FILES: [&str; 2] = ["info/exclude", "info/attributes"];

/// What a lane is made of.
#[derive(Clone, Debug)]
pub struct NewLane {
    /// The run.
    pub run: RunId,
    /// The root of the project.
    pub root: PathBuf,
    /// The user's repository.
    pub source: Source,
    /// What becomes of changes that are not committed.
    pub dirty: Dirty,
    /// The files of the unit, relative to the root: agents always see them as they are.
    pub unit_files: Vec<PathBuf>,
}

/// What the user has not committed, relative to the top folder.
#[derive(Clone, Debug, Default)]
pub struct Uncommitted {
    /// The files that agents see as they are.
    pub seen: Vec<PathBuf>,
    /// The untracked files that they do not see, unless the user asked for that.
    pub left_out: Vec<PathBuf>,
}

impl NewLane {
    /// Returns what is not committed.
    ///
    /// # Errors
    /// [`LaneError`] when git fails, or tracked files beside those of the unit have changes, and these are
    /// refused, or are too large to be included.
    pub async fn uncommitted(&self, git: &Git) -> Result<Uncommitted, LaneError> {
        let source = &self.source;
        let unit = self.unit_files.iter().map(|file| source.prefix.join(file));
        let unit: BTreeSet<_> = unit.collect();
        let is_of_unit = |path: &PathBuf| unit.contains(path);
        let files = source.changed_files(git).await?.map(|files| {
            let (of_unit, others): (Vec<_>, Vec<_>) = files.into_iter().partition(is_of_unit);
            (of_unit, others)
        });
        let [(mut seen, changed), (untracked_seen, untracked)] = files;
        seen.extend(untracked_seen);
        let left_out = match self.dirty {
            Dirty::Refuse if !changed.is_empty() => {
                let files = plural(changed.len(), "file has", "files have");
                let changed: Vec<_> = changed.into_iter().collect();
                return Err(Refusal::new(
                    StartCode::Dirty,
                    format!(
                        "{files} changes that are not committed: {}",
                        named(&changed)
                    ),
                    "commit or stash them, or choose --dirty include (agents work on them) or \
                     --dirty ignore (agents do not see them)",
                )
                .into());
            }
            Dirty::Refuse => untracked,
            Dirty::Include => {
                let others: Vec<_> = changed.into_iter().chain(untracked).collect();
                let sizes = others
                    .iter()
                    .map(|path| (size_of(&source.top.join(path)), path));
                if let Some((bytes, path)) = sizes.max().filter(|(bytes, _)| *bytes > MAX_FILE) {
                    return Err(Refusal::new(
                        StartCode::Dirty,
                        format!(
                            "{} is not committed and has {bytes} bytes; at most {MAX_FILE} are \
                             included",
                            path.display()
                        ),
                        "commit it, name it in .gitignore, or choose --dirty ignore (agents do \
                         not see it)",
                    )
                    .into());
                }
                seen.extend(others);
                Vec::new()
            }
            Dirty::Ignore => Vec::new(),
        };
        Ok(Uncommitted { seen, left_out })
    }
}

/// The size of a file; 0 if it was deleted.
pub(crate) fn size_of(path: &Path) -> u64 {
    let found = path.symlink_metadata();
    found.map_or(0, |found| if found.is_file() { found.len() } else { 0 })
}

impl Lane {
    /// Makes the lane in a folder, with the files in `seen` as the user has them, or returns
    /// the one that is there. A lane that was not finished is made again.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be made.
    pub async fn open(
        git: &Git,
        dir: &LaneDir,
        new: &NewLane,
        seen: &[PathBuf],
    ) -> Result<Self, LaneError> {
        if let Some(lane) = Self::reopen(git.clone(), dir.clone())? {
            return Ok(lane);
        }
        dir.create_folder("index")?;
        dir.remove(REPOSITORY)?;
        clone(git, dir, &new.source).await?;
        dir.rename(UNFINISHED, REPOSITORY)?;
        let mut lane = Self::new(git.clone(), dir.clone(), Note::of(new));
        lane.copy_settings().await?;
        lane.take_lfs_objects().await?;
        lane.prepare_git_folder().await?;
        lane.write_hook()?;
        if let Some(with_changes) = lane.capture(seen).await? {
            lane.set_ref(DIRTY_REF, &with_changes).await?;
            lane.note.base = with_changes;
        }
        let base = lane.note.base.clone();
        lane.set_refs(&[BASE_REF, LANE_REF], &base).await?;
        lane.write_note()?;
        Ok(lane)
    }

    /// Opens the lane of a run that goes on, and removes the locks that a killed process
    /// left; `None` if it has none. No other process may work on it.
    ///
    /// # Errors
    /// [`LaneError`] when its note cannot be read, or a file cannot be written.
    pub fn reopen(git: Git, dir: LaneDir) -> Result<Option<Self>, LaneError> {
        let lane = Self::find(git, dir)?;
        if let Some(lane) = &lane {
            lane.remove_locks()?;
            lane.write_hook()?;
        }
        Ok(lane)
    }

    pub(crate) async fn set_ref(&self, name: &str, commit: &CommitId) -> Result<(), LaneError> {
        self.set_refs(&[name], commit).await
    }

    /// Sets all of these refs, or none.
    pub(crate) async fn set_refs(
        &self,
        names: &[&str],
        commit: &CommitId,
    ) -> Result<(), LaneError> {
        let updates = names.iter().map(|name| format!("update {name} {commit}\n"));
        let set = self.call().args(["update-ref", "--stdin"]);
        set.stdin(updates.collect::<String>().into()).done().await?;
        if names.contains(&LANE_REF) {
            self.known().tip = Some(commit.clone());
        }
        if names.contains(&BASE_REF) {
            self.known().has_no_repository = false;
        }
        Ok(())
    }

    /// Copies what decides in the user's repository how files look and who commits.
    async fn copy_settings(&self) -> Result<(), LaneError> {
        let source = &self.note.source;
        let mut settings = Vec::new();
        let identity = self.user().args(["var", "GIT_AUTHOR_IDENT"]);
        let identity = identity.line().await?;
        if let Some((name, email)) = name_and_email(&identity) {
            settings.push(written(b"user.name", name.as_bytes()));
            settings.push(written(b"user.email", email.as_bytes()));
        }
        let list = self.user();
        let list = list.args(["config", "--includes", "-z", "--get-regexp", FILE_SETTINGS]);
        // Without such a setting git ends with 1.
        for setting in list.answer().await?.strings() {
            let mut parts = setting.splitn(2, |byte| *byte == b'\n');
            let key = parts.next().unwrap_or_default();
            settings.push(written(key, parts.next().unwrap_or(b"true")));
        }
        let query = ["config", "--includes", "--type=path", EXCLUDES];
        let excludes = self.user().args(query).answer().await?;
        if excludes.succeeded() {
            let excludes = source.top.join(path_of(excludes.stdout.trim_ascii_end()));
            let excludes = excludes.as_os_str().as_bytes();
            settings.push(written(EXCLUDES.as_bytes(), excludes));
        }
        let file = Path::new(REPOSITORY).join(CHECKOUT_CONFIG);
        self.dir.write(file, &settings.concat())?;
        for name in INFO_FILES {
            // What cannot be read decides nothing.
            if let Ok(patterns) = read_file(&source.common_dir().join(name)) {
                let copy = Path::new(REPOSITORY).join(name);
                self.dir.create_folder(Path::new(REPOSITORY).join("info"))?;
                self.dir.write(copy, &patterns)?;
            }
        }
        Ok(())
    }

    /// Makes a commit of the base with the user's changes to some files; `None` if it
    /// would be the base. The user's repository stays as it is.
    async fn capture(&self, files: &[PathBuf]) -> Result<Option<CommitId>, LaneError> {
        if files.is_empty() {
            return Ok(None);
        }
        let source = &self.note.source;
        let index = self.index("dirty");
        self.dir.remove("index/dirty")?;
        let base = source.base.as_str();
        let repository = self.repository();
        self.git
            .at(&source.top)
            .on(&repository, &source.top, &index)
            .args(["read-tree", base])
            .done()
            .await?;
        let mut list = Vec::new();
        for file in files {
            list.extend_from_slice(file.as_os_str().as_bytes());
            list.push(0);
        }
        self.git
            .at(&source.top)
            .on(&repository, &source.top, &index)
            .args(["--literal-pathspecs", "add", "-A", "--force"])
            .args(["--pathspec-from-file=-", "--pathspec-file-nul"])
            .stdin(list)
            .done()
            .await?;
        let tree: TreeId = self.indexed(&index).args(["write-tree"]).read().await?;
        if tree == self.tree_of(&source.base).await? {
            return Ok(None);
        }
        let commit = self.commit(&tree, &source.base, CHANGES).await?;
        Ok(Some(commit))
    }

    /// Makes a commit of a tree with one parent, a commit or a ref.
    pub(crate) async fn commit(
        &self,
        tree: &TreeId,
        parent: impl AsRef<str>,
        message: &str,
    ) -> Result<CommitId, LaneError> {
        let args = [
            "commit-tree",
            tree.as_str(),
            "-p",
            parent.as_ref(),
            "-F",
            "-",
        ];
        let commit = self.call().args(args).stdin(message.into());
        let commit = commit.read().await?;
        self.known().add_commit(&commit, tree, parent.as_ref());
        Ok(commit)
    }
}

/// Clones the user's repository without its refs. Git fails, and leaves nothing that
/// is incomplete, while the user's objects are being packed.
async fn clone(git: &Git, dir: &LaneDir, source: &Source) -> Result<(), LaneError> {
    let to = dir.entry(UNFINISHED);
    for tried in 1.. {
        dir.remove(UNFINISHED)?;
        let clone = git.at(dir.path());
        let clone = clone.args(["clone", "-q", "--bare", "--no-tags", "--template="]);
        let clone = clone.args(["-c", &format!("include.path={CHECKOUT_CONFIG}"), "--"]);
        let clone = clone.args([&source.top, &to]).answer().await?;
        match clone.succeeded() {
            true => break,
            false if tried < CLONES => tracing::debug!("cloning again: {}", clone.message()),
            false => return Err(clone.failed().into()),
        }
    }
    let unfinished = Path::new(UNFINISHED);
    for refs in ["packed-refs", "refs"] {
        dir.remove(unfinished.join(refs))?;
    }
    dir.create_folder(unfinished.join("refs"))?;
    Ok(())
}

/// A setting as it is written in a file of git.
pub(crate) fn written(key: &[u8], value: &[u8]) -> Vec<u8> {
    let quoted = |text: &[u8]| {
        let escape = |byte: &u8| match byte {
            b'\n' => b"\\n".to_vec(),
            b'"' | b'\\' => vec![b'\\', *byte],
            byte => vec![*byte],
        };
        text.iter().flat_map(escape).collect::<Vec<_>>()
    };
    let dot = |byte: &u8| *byte == b'.';
    let first = key.iter().position(dot).unwrap_or_default();
    let last = key.iter().rposition(dot).unwrap_or_default();
    let (section, name) = (&key[..first], &key[last + 1..]);
    let subsection = match key.get(first + 1..last) {
        Some(subsection) => [b" \"", &*quoted(subsection), b"\""].concat(),
        None => Vec::new(),
    };
    let value = quoted(value);
    [
        b"[",
        section,
        &subsection,
        b"]\n\t",
        name,
        b" = \"",
        &value,
        b"\"\n",
    ]
    .concat()
}

/// The name and the address in an identity such as `A B <a@b> 1700000000 +0000`.
fn name_and_email(identity: &str) -> Option<(&str, &str)> {
    let (name, rest) = identity.split_once(" <")?;
    let (email, _) = rest.split_once('>')?;
    Some((name, email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_a_name_and_an_address() {
        let found = name_and_email("Ann B. <ann@example.org> 1700000000 +0000");
        assert_eq!(found, Some(("Ann B.", "ann@example.org")));
        assert_eq!(name_and_email("nobody"), None);
    }

    #[test]
    fn a_setting_is_read_as_it_was_written() {
        for (key, value, text) in [
            (
                "user.name",
                "A \"B\" \\ #C",
                "[user]\n\tname = \"A \\\"B\\\" \\\\ #C\"\n",
            ),
            (
                "filter.a.\"b\".clean",
                "x\ny ",
                "[filter \"a.\\\"b\\\"\"]\n\tclean = \"x\\ny \"\n",
            ),
        ] {
            let written = written(key.as_bytes(), value.as_bytes());
            assert_eq!(String::from_utf8_lossy(&written), text);
        }
    }
}
