//! The user's repository, as it was when a run looked at it. Nothing here changes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use review_store::read_file;
use review_types::StartCode;
use serde::{Deserialize, Serialize};

use crate::error::{LaneError, NEEDS_COMMIT, NEEDS_GIT, Refusal};
use crate::git::{Call, Git, GitError, path_of};
use crate::object::CommitId;
use crate::snapshot::repository_at;

/// The oldest version of git that does all that is asked of it.
const OLDEST: (u32, u32) = (2, 34);
/// The oldest version that merges trees.
const MERGES: (u32, u32) = (2, 38);

/// What shows that an operation is not finished, by its name.
const UNFINISHED: [(&str, &str); 7] = [
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "`git am`"),
    ("rebase-apply", "rebase"),
    ("BISECT_LOG", "bisect"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
];

/// The user's repository, as it was when a run looked at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The top folder of the work tree.
    pub top: PathBuf,
    /// Where the root of the project is below it, with a `/` at its end; empty if it is
    /// the top folder.
    pub prefix: PathBuf,
    /// The folder of the repository.
    pub git_dir: PathBuf,
    /// The branch that the work is for, without `refs/heads/`.
    pub target: String,
    /// Its commit.
    pub base: CommitId,
    /// The hash function of the repository.
    pub format: String,
}

impl Source {
    /// Looks at the repository that contains `root`. Without a `target` the branch that
    /// is checked out is the target.
    ///
    /// # Errors
    /// [`LaneError`] when git fails, or no lane can be made of it.
    pub async fn look(git: &Git, root: &Path, target: Option<&str>) -> Result<Self, LaneError> {
        refuse_old(git, root).await?;
        let asked = git.at(root).args([
            "rev-parse",
            "--show-object-format",
            "--absolute-git-dir",
            "--show-prefix",
            "--show-toplevel",
        ]);
        let found = asked.answer().await?;
        if !found.succeeded() {
            let message = found.message();
            return Err(match message.contains("dubious ownership") {
                true => {
                    let message = format!("git refuses the repository: {message}");
                    Refusal::new(StartCode::SourceUnsafe, message, None)
                }
                false => Refusal::no_repository(root),
            }
            .into());
        }
        let lines = found.stdout.strip_suffix(b"\n").unwrap_or_default();
        let lines = lines.split(|byte| *byte == b'\n');
        let [format, git_dir, prefix, top] = lines.collect::<Vec<_>>()[..] else {
            return Err(found.unexpected().into());
        };
        let [git_dir, prefix, top] = [git_dir, prefix, top].map(path_of);
        let format = String::from_utf8_lossy(format).into_owned();
        let branch = match target {
            Some(target) => Some(target.to_owned()),
            None => current_branch(git, root).await?,
        };
        let Some(branch) = branch else {
            // A rebase has none checked out either.
            refuse_unfinished(git, &top, &git_dir).await?;
            return Err(Refusal::new(
                StartCode::NoTarget,
                "no branch is checked out",
                "switch to a branch, or name one with --target BRANCH",
            )
            .into());
        };
        let Some(base) = commit_of(git.at(root), &branch).await? else {
            let message = format!("branch {branch} has no commit");
            return Err(Refusal::new(StartCode::NoTarget, message, NEEDS_COMMIT).into());
        };
        let source = Self {
            top,
            prefix,
            git_dir,
            target: branch,
            base,
            format,
        };
        refuse_unfinished(git, &source.top, &source.git_dir).await?;
        source.refuse_missing_objects(git).await?;
        let identity = git.at(root).args(["var", "GIT_COMMITTER_IDENT"]);
        let identity = identity.answer().await?;
        match identity.succeeded() {
            true => Ok(source),
            false => {
                let why = identity.message();
                let why = why.lines().next().unwrap_or_default();
                Err(Refusal::new(
                    StartCode::NoIdentity,
                    format!("git does not know who commits: {why}"),
                    "set user.name and user.email with `git config`",
                )
                .into())
            }
        }
    }

    /// The name of the target as a ref.
    pub(crate) fn target_ref(&self) -> String {
        format!("refs/heads/{}", self.target)
    }

    /// A call on the repository and the user's files.
    pub(crate) fn call<'a>(&'a self, git: &'a Git) -> Call<'a> {
        git.at(&self.top)
    }

    /// The folder of the repository that all its work trees share.
    pub(crate) fn common_dir(&self) -> PathBuf {
        let shared = read_file(&self.git_dir.join("commondir")).unwrap_or_default();
        let shared = shared.trim_ascii_end();
        match shared.is_empty() {
            true => self.git_dir.clone(),
            false => self.git_dir.join(path_of(shared)),
        }
    }

    /// The commit of the target; `None` if the branch was deleted.
    pub(crate) async fn current(&self, git: &Git) -> Result<Option<CommitId>, LaneError> {
        commit_of(self.call(git), &self.target).await
    }

    /// Returns the submodules of the base that it describes, relative to the top folder:
    /// their files are not in checkouts.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn submodules(&self, git: &Git) -> Result<Vec<PathBuf>, LaneError> {
        let modules = format!("{}:.gitmodules", self.base.as_str());
        let paths = ["--get-regexp", r"^submodule\..*\.path$"];
        let known = self.call(git).args(["config", "-z", "--blob", &modules]);
        let known = known.args(paths).answer().await?;
        let paths = known.strings().filter_map(|setting| {
            let end = setting.iter().position(|byte| *byte == b'\n')?;
            Some(path_of(&setting[end + 1..]))
        });
        let paths: Vec<_> = paths.collect();
        if paths.is_empty() {
            return Ok(paths);
        }
        let entries = ["ls-tree", "-z", self.base.as_str(), "--"];
        let entries = self.call(git).args(entries).args(&paths).done().await?;
        Ok(entries.strings().filter_map(repository_at).collect())
    }

    /// The files with changes that are not committed, and those that are not tracked,
    /// relative to the top folder.
    pub(crate) async fn changed_files(
        &self,
        git: &Git,
    ) -> Result<[BTreeSet<PathBuf>; 2], LaneError> {
        let status = git.at(&self.top).args([
            "status",
            "--porcelain=v2",
            "-z",
            "--no-renames",
            "--untracked-files=all",
        ]);
        let status = status.done().await?;
        let mut files = [BTreeSet::new(), BTreeSet::new()];
        for entry in status.strings() {
            if let Some(path) = changed_file(entry) {
                files[usize::from(entry.starts_with(b"?"))].insert(path_of(path));
            }
        }
        Ok(files)
    }

    /// Refuses a partial clone that lacks objects of the base.
    async fn refuse_missing_objects(&self, git: &Git) -> Result<(), LaneError> {
        let promises = [
            "config",
            "--get-regexp",
            r"^(extensions\.partialclone|remote\..*\.promisor)$",
        ];
        let is_partial = git.at(&self.top).args(promises).answer().await?;
        if !is_partial.succeeded() {
            return Ok(());
        }
        let listed = git.at(&self.top).args([
            "rev-list",
            "--objects",
            "--missing=print",
            "--no-walk",
            self.base.as_str(),
        ]);
        let listed = listed.done().await?.stdout;
        let mut lines = listed.split(|byte| *byte == b'\n');
        match lines.any(|line| line.starts_with(b"?")) {
            false => Ok(()),
            true => Err(Refusal::new(
                StartCode::BaseIncomplete,
                format!(
                    "the repository is a partial clone and lacks objects of branch {}",
                    self.target
                ),
                "run `git fetch --refetch --no-filter`",
            )
            .into()),
        }
    }

    /// What is not finished in the user's repository, such as a rebase.
    pub(crate) async fn unfinished(&self, git: &Git) -> Result<Option<&'static str>, GitError> {
        unfinished(git, &self.top, &self.git_dir).await
    }
}

async fn unfinished(
    git: &Git,
    top: &Path,
    git_dir: &Path,
) -> Result<Option<&'static str>, GitError> {
    let is_there = |name: &str| git_dir.join(name).symlink_metadata().is_ok();
    if let Some((_, what)) = UNFINISHED.into_iter().find(|(name, _)| is_there(name)) {
        return Ok(Some(what));
    }
    let unmerged = git.at(top).args(["ls-files", "-u", "-z"]);
    let is_merged = unmerged.done().await?.stdout.is_empty();
    Ok((!is_merged).then_some("merge"))
}

async fn refuse_unfinished(git: &Git, top: &Path, git_dir: &Path) -> Result<(), LaneError> {
    match unfinished(git, top, git_dir).await? {
        None => Ok(()),
        Some(what) => Err(Refusal::new(
            StartCode::Unmerged,
            format!("a {what} is not finished"),
            "finish or abort it first",
        )
        .into()),
    }
}

/// The path in an entry of `git status`; folders, which are repositories of their own,
/// are left out.
fn changed_file(entry: &[u8]) -> Option<&[u8]> {
    let fields = match entry.first()? {
        b'1' => 8,
        b'?' => 1,
        _ => return None,
    };
    let path = entry.splitn(fields + 1, |byte| *byte == b' ').nth(fields)?;
    (!path.ends_with(b"/")).then_some(path)
}

async fn refuse_old(git: &Git, root: &Path) -> Result<(), LaneError> {
    let (found, is_new) = version(git, root, OLDEST).await?;
    match is_new {
        true => Ok(()),
        false => Err(Refusal::new(
            StartCode::NoGit,
            format!("git {found} is too old to implement tasks with"),
            NEEDS_GIT,
        )
        .into()),
    }
}

/// Refuses tasks at a time where git cannot merge their work.
///
/// # Errors
/// [`LaneError`] when git fails, or is too old.
pub async fn refuse_without_merges(git: &Git, root: &Path) -> Result<(), LaneError> {
    let (found, is_new) = version(git, root, MERGES).await?;
    match is_new {
        true => Ok(()),
        false => Err(Refusal::new(
            StartCode::NoGit,
            format!("git {found} is too old to merge the work of several tasks at a time"),
            "install git 2.38 or newer, or work on one task after the other: --jobs 1",
        )
        .into()),
    }
}

/// The version of git, and whether it is at least another one.
async fn version(git: &Git, root: &Path, least: (u32, u32)) -> Result<(String, bool), GitError> {
    let version = git.at(root).args(["--version"]).line().await?;
    let found = version.strip_prefix("git version ").unwrap_or(&version);
    let mut numbers = found.split('.').map_while(|part| part.parse::<u32>().ok());
    let known = numbers.next().zip(numbers.next());
    Ok((found.to_owned(), known.is_some_and(|known| known >= least)))
}

async fn current_branch(git: &Git, root: &Path) -> Result<Option<String>, LaneError> {
    let head = git.at(root).args(["symbolic-ref", "-q", "HEAD"]);
    let head = head.answer().await?;
    let name = head.line()?;
    Ok(name.strip_prefix("refs/heads/").map(str::to_owned))
}

/// The commit of a branch; `None` if it has none.
async fn commit_of(call: Call<'_>, branch: &str) -> Result<Option<CommitId>, LaneError> {
    let name = format!("refs/heads/{branch}^{{commit}}");
    let found = call
        .args(["rev-parse", "-q", "--verify", "--end-of-options", &name])
        .answer()
        .await?;
    match found.succeeded() {
        true => Ok(found.line()?.parse().ok()),
        false => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_status_name_their_files() {
        let ids = "0".repeat(40);
        for (entry, path) in [
            (
                format!("1 .M N... 100644 100644 100644 {ids} {ids} a b.md"),
                Some("a b.md"),
            ),
            ("? new.txt".to_owned(), Some("new.txt")),
            ("? nested/".to_owned(), None),
            ("# branch.oid x".to_owned(), None),
            ("! ignored".to_owned(), None),
        ] {
            let found = changed_file(entry.as_bytes());
            assert_eq!(found, path.map(str::as_bytes), "{entry}");
        }
    }
}
