//! Landing: the only time at which the user's repository is written.
//!
//! The branch is moved in a transaction of git. While it holds the locks of the branch
//! and of `HEAD`, a hook of ralph's own writes the user's files; the branch moves only
//! if that worked. What a crash leaves in between is recognized by the lock and undone
//! by comparing bytes (`undo.rs`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use review_types::{LandCode, listed};

use crate::error::LaneError;
use crate::git::{Git, path_of};
use crate::lane::Lane;
use crate::object::CommitId;

/// The folder of the hook that writes the user's files, below that of the lane.
const HOOKS: &str = "land";

/// Brings objects, and nothing else that is not named.
const FETCH: [&str; 6] = [
    "fetch",
    "-q",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-gc",
    "--no-recurse-submodules",
];

/// Maximum number of paths that a reason names.
const NAMED: usize = 10;

/// The hook: git runs it while it holds the locks of the transaction.
const HOOK: &str = r#"#!/bin/sh
[ "$1" = prepared ] || exit 0
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
head=$(git -C "$RALPH_TOP" symbolic-ref -q HEAD)
[ "$head" = "$RALPH_TARGET" ] || { echo "HEAD moved to $head" >&2; exit 1; }
exec git -C "$RALPH_TOP" -c core.hooksPath=/dev/null -c core.fsmonitor=false \
  -c submodule.recurse=false read-tree -m -u "$RALPH_OLD" "$RALPH_NEW"
"#;

/// Work that was not landed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotLanded {
    /// Why not.
    pub code: LandCode,
    /// The reason in words.
    pub reason: String,
}

/// Whether the user's files are those of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedOut {
    /// The branch is checked out in the folder of the project.
    Here,
    /// It is not.
    Elsewhere,
}

/// Where the target is checked out.
enum LandingPlace {
    Nowhere,
    Here,
    Elsewhere(PathBuf),
}

/// Moves a branch of the repository of `root` to a commit that the repository has, or makes
/// it there; a branch that has the commit already stays.
///
/// # Errors
/// [`LaneError`] when git cannot be run.
pub async fn land_in(
    git: &Git,
    root: &Path,
    branch: &str,
    commit: &CommitId,
) -> Result<Result<(), NotLanded>, LaneError> {
    let target = format!("refs/heads/{branch}");
    let has = ["merge-base", "--is-ancestor", commit.as_str(), &target];
    if git.at(root).args(has).answer().await?.succeeded() {
        return Ok(Ok(()));
    }
    let fetch = git.at(root).args(FETCH).args(["."]);
    let fetched = fetch.args([format!("{commit}:{target}")]).answer().await?;
    Ok(match fetched.succeeded() {
        true => Ok(()),
        false => Err(NotLanded {
            code: LandCode::TargetMoved,
            reason: format!(
                "git did not move {branch} to {}: {}; `git merge {0}` brings the work to the \
                 branch that is checked out",
                commit.short(),
                fetched.message()
            ),
        }),
    })
}

impl Lane {
    /// Writes the hook. A program that was just written cannot be run while another
    /// process that is being started has it open, so it is written long before.
    pub(crate) fn write_hook(&self) -> Result<(), LaneError> {
        self.dir.create_folder(HOOKS)?;
        let hook = Path::new(HOOKS).join("reference-transaction");
        Ok(self.dir.write_program(&hook, HOOK.as_bytes())?)
    }

    /// Moves the target to `new`, a commit after it that [`Self::carry`] made, and the
    /// user's files if the target is checked out. Either all of it happens or nothing.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn land(&self, new: &CommitId) -> Result<Result<CheckedOut, NotLanded>, LaneError> {
        let landed = self.try_land(new).await?;
        if landed.is_ok() {
            self.start_from(new).await?;
        }
        Ok(landed)
    }

    async fn try_land(&self, new: &CommitId) -> Result<Result<CheckedOut, NotLanded>, LaneError> {
        let source = &self.note.source;
        let branch = async || source.current(&self.git).await;
        if let Some(old) = branch().await?
            && let Err(not_landed) = self.finish_landing(&old, new).await?
        {
            return Ok(Err(not_landed));
        }
        let Some(old) = branch().await? else {
            return Ok(Err(moved(&source.target)));
        };
        let place = self.checked_out().await?;
        let files = match place {
            LandingPlace::Here => CheckedOut::Here,
            LandingPlace::Nowhere | LandingPlace::Elsewhere(_) => CheckedOut::Elsewhere,
        };
        if old == *new {
            return Ok(Ok(files));
        }
        if !self.is_after(&old, new).await? {
            return Ok(Err(moved(&source.target)));
        }
        let landed = match place {
            LandingPlace::Nowhere => self.land_on(&source.target, new).await?,
            LandingPlace::Here => self.land_here(&old, new).await?,
            LandingPlace::Elsewhere(folder) => Err(NotLanded {
                code: LandCode::TargetBusy,
                reason: format!(
                    "branch {} is checked out in {}; land it there or switch that folder to \
                     another branch",
                    source.target,
                    folder.display()
                ),
            }),
        };
        if landed.is_err()
            && let Some(what) = source.unfinished(&self.git).await?
        {
            return Ok(Err(NotLanded {
                code: LandCode::TargetBusy,
                reason: format!("a {what} is not finished in {}", source.top.display()),
            }));
        }
        Ok(landed.map(|()| files))
    }

    /// Moves the branch that is checked out in the user's folder.
    async fn land_here(
        &self,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<Result<(), NotLanded>, LaneError> {
        self.give_lfs_objects().await?;
        if let Err(not_landed) = self.fetch(new.as_str()).await? {
            return Ok(Err(not_landed));
        }
        match self.would_overwrite(old, new).await? {
            Some(not_landed) => Ok(Err(not_landed)),
            None => self.move_branch(old, new).await,
        }
    }

    /// Moves a branch that is checked out nowhere, or makes it, to a commit after it.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn land_on(
        &self,
        branch: &str,
        commit: &CommitId,
    ) -> Result<Result<(), NotLanded>, LaneError> {
        self.give_lfs_objects().await?;
        self.fetch(&format!("{commit}:refs/heads/{branch}")).await
    }

    /// Brings objects, and with a destination a branch, to the user's repository.
    async fn fetch(&self, refspec: &str) -> Result<Result<(), NotLanded>, LaneError> {
        let fetch = self.user().args(FETCH);
        // A commit that is named by its id needs a ref that leads to it.
        let fetched = fetch.args([&self.repository()]).args([refspec]);
        let fetched = fetched.answer().await?;
        match (fetched.succeeded(), refspec.contains(':')) {
            (true, _) => Ok(Ok(())),
            (false, _) if NO_SPACE.is_in(&fetched.message()) => {
                Ok(Err(Self::not_written(&fetched.message())))
            }
            (false, true) => Ok(Err(NotLanded {
                code: LandCode::TargetMoved,
                reason: format!("git did not move {refspec}: {}", fetched.message()),
            })),
            (false, false) => Err(fetched.failed().into()),
        }
    }

    async fn is_after(&self, old: &CommitId, new: &CommitId) -> Result<bool, LaneError> {
        let args = ["merge-base", "--is-ancestor", old.as_str(), new.as_str()];
        Ok(self.call().args(args).answer().await?.succeeded())
    }

    async fn checked_out(&self) -> Result<LandingPlace, LaneError> {
        let source = &self.note.source;
        let list = self.user().args(["worktree", "list", "--porcelain"]);
        let listed = list.done().await?;
        let mut folder = PathBuf::new();
        let branch = format!("branch {}", source.target_ref());
        for line in listed.stdout.split(|byte| *byte == b'\n') {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                folder = path_of(path);
            } else if line == branch.as_bytes() {
                return Ok(match is_same(&folder, &source.top) {
                    true => LandingPlace::Here,
                    false => LandingPlace::Elsewhere(folder),
                });
            }
        }
        Ok(LandingPlace::Nowhere)
    }

    /// Why the files of `new` cannot be written without losing something of the user's.
    async fn would_overwrite(
        &self,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<Option<NotLanded>, LaneError> {
        let top = &self.note.source.top;
        let changed = self.changed_paths(old.as_str(), new.as_str()).await?;
        let removed: BTreeSet<_> = changed
            .iter()
            .filter(|change| !change.after.exists())
            .map(|change| change.path.as_path())
            .collect();
        let added = changed.iter().filter(|change| !change.before.exists());
        let in_the_way: Vec<_> = added
            .flat_map(|change| in_the_way(top, &change.path))
            .filter(|path| !removed.contains(path.as_path()))
            .collect();
        if !in_the_way.is_empty() {
            return Ok(Some(NotLanded {
                code: LandCode::DirtyOverlap,
                reason: format!(
                    "files that git does not track are where the work has files: {}; move them",
                    named(&in_the_way)
                ),
            }));
        }
        let refresh = self.user().args(["update-index", "-q", "--refresh"]);
        // It ends with 1 where a file differs from the index.
        refresh.answer().await?;
        let tried = ["read-tree", "-m", "-u", "-n", old.as_str(), new.as_str()];
        let tried = self.user().args(tried).answer().await?;
        if tried.succeeded() {
            return Ok(None);
        }
        Ok(Some(Self::not_written(&tried.message())))
    }

    /// Moves the branch and the user's files from one commit to another.
    pub(crate) async fn move_branch(
        &self,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<Result<(), NotLanded>, LaneError> {
        let source = &self.note.source;
        let mut hooks = std::ffi::OsString::from("core.hooksPath=");
        hooks.push(self.dir.entry(HOOKS));
        let target = source.target_ref();
        let reason = format!("ralph: {}", self.note.run);
        let moved = self
            .user()
            .args(["-c".into(), hooks])
            .args([
                "update-ref",
                "-m",
                &reason,
                &target,
                new.as_str(),
                old.as_str(),
            ])
            .env("RALPH_TOP", &source.top)
            .env("RALPH_TARGET", &target)
            .env("RALPH_OLD", old.as_str())
            .env("RALPH_NEW", new.as_str())
            .answer()
            .await?;
        let changed = self.changed_paths(old.as_str(), new.as_str()).await?;
        let is_written = self.index_has(new, &changed).await?;
        if moved.succeeded() && is_written {
            return Ok(Ok(()));
        }
        if moved.succeeded() {
            // Git skips a hook that it cannot run.
            let back = ["update-ref", &target, old.as_str(), new.as_str()];
            self.user().args(back).done().await?;
            return Ok(Err(NotLanded {
                code: LandCode::TargetBusy,
                reason: format!("git cannot run {}", self.dir.entry(HOOKS).display()),
            }));
        }
        let kept = match is_written {
            true => {
                let back = ["read-tree", "-m", "-u", new.as_str(), old.as_str()];
                self.user().args(back).done().await?;
                Vec::new()
            }
            // All files were as before when this began, so what differs was written here.
            false => self.undo(&changed).await?,
        };
        let message = moved.message();
        let now = source.current(&self.git).await?;
        let mut not_landed = match now.as_ref() == Some(old) {
            true => Self::not_written(&message),
            false => crate::land::moved(&source.target),
        };
        if !kept.is_empty() {
            let kept = named(&kept);
            not_landed
                .reason
                .push_str(&format!("; these files differ: {kept}"));
        }
        Ok(Err(not_landed))
    }

    /// Why git did not write the files.
    fn not_written(message: &str) -> NotLanded {
        let found = OBSTACLES.iter().find(|known| known.is_in(message));
        let first = found.and_then(|known| message.lines().find(|line| known.is_in(line)));
        let first = first.or(message.lines().next()).unwrap_or_default();
        let unknown = (LandCode::TargetBusy, "git could not write the files");
        let (code, what) = found.map_or(unknown, |found| (found.code, found.what));
        NotLanded {
            code,
            reason: format!("{what} ({first})"),
        }
    }
}

/// What keeps git from writing the user's files.
struct Obstacle {
    /// Parts of the messages of git.
    says: &'static [&'static str],
    code: LandCode,
    what: &'static str,
}

const NO_SPACE: Obstacle = Obstacle {
    says: &["No space left", "Disk quota exceeded", "File too large"],
    code: LandCode::TargetBusy,
    what: "no space is left for the files or the repository",
};

/// The obstacles, the one that counts first first.
const OBSTACLES: [Obstacle; 4] = [
    Obstacle {
        says: &[
            "Permission denied",
            "not permitted",
            "Read-only file system",
        ],
        code: LandCode::TargetBusy,
        what: "git may not write the files or the repository",
    },
    NO_SPACE,
    Obstacle {
        says: &[".lock"],
        code: LandCode::TargetBusy,
        what: "another git process works on the repository",
    },
    Obstacle {
        says: &["not uptodate", "would be", "would lose"],
        code: LandCode::DirtyOverlap,
        what: "a file of the work has changes that are not committed; commit or stash them",
    },
];

impl Obstacle {
    fn is_in(&self, message: &str) -> bool {
        self.says.iter().any(|words| message.contains(words))
    }
}

pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

/// What is at the place of a new file: the file itself, the files of a folder, or a file
/// in place of one of its folders.
pub(crate) fn in_the_way(top: &Path, path: &Path) -> Vec<PathBuf> {
    let mut place = PathBuf::new();
    for part in path.components() {
        place.push(part);
        match top.join(&place).symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return vec![place],
            Err(_) => return Vec::new(),
        }
    }
    files_below(top, place)
}

/// The files below a folder, relative to `top`; the folder itself if it cannot be read.
fn files_below(top: &Path, folder: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(top.join(&folder)) else {
        return vec![folder];
    };
    let mut files = Vec::new();
    for entry in entries {
        match entry.and_then(|entry| Ok((folder.join(entry.file_name()), entry.file_type()?))) {
            Ok((path, kind)) if kind.is_dir() => files.extend(files_below(top, path)),
            Ok((path, _)) => files.push(path),
            Err(_) => return vec![folder],
        }
    }
    files
}

/// Returns the first of these paths, in words.
pub fn named(paths: &[PathBuf]) -> String {
    listed(paths.iter().map(|path| path.display()), NAMED)
}

fn moved(target: &str) -> NotLanded {
    NotLanded {
        code: LandCode::TargetMoved,
        reason: format!("branch {target} got other commits while the work was being landed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_git_from_writing_is_known_by_its_message() {
        let [denied, no_space, lock, changes] = OBSTACLES.map(|obstacle| obstacle.what);
        for (message, what) in [
            (
                "error: unable to create file a.txt: Permission denied",
                Some(denied),
            ),
            (
                "error: unable to unlink old 'a.txt': Operation not permitted",
                Some(denied),
            ),
            (
                "fatal: Unable to create '/x/.git/index.lock': Read-only file system",
                Some(denied),
            ),
            (
                "error: file write error: No space left on device\nfatal: unable to write \
                 new index file: /x/.git/index.lock",
                Some(no_space),
            ),
            (
                "fatal: Unable to create '/x/.git/index.lock': File exists.",
                Some(lock),
            ),
            (
                "error: Entry 'a.txt' not uptodate. Cannot merge.",
                Some(changes),
            ),
            (
                "error: Untracked working tree file 'b' would be overwritten by merge.",
                Some(changes),
            ),
            ("fatal: sha1 information is lacking", None),
        ] {
            let found = OBSTACLES.iter().find(|known| known.is_in(message));
            assert_eq!(found.map(|found| found.what), what, "{message}");
        }
    }
}
