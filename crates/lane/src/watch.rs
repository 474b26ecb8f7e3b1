//! What the user's checkout and repository look like: where no sandbox protects them,
//! they are compared before and after agents work.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;
use review_types::Hash;

use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::Lane;

/// What a file was like: its size, its times and its number, or that it is not there.
type Stamp = Option<(u64, i64, i64, i64, i64, u64)>;

/// The state of the user's checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserState {
    /// What git says of files that differ from the commit.
    status: BTreeMap<PathBuf, Vec<u8>>,
    stamps: BTreeMap<PathBuf, Stamp>,
    /// Branches and tags, the commit that is checked out, settings and hooks.
    repository: Hash,
}

/// What changed in the user's checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserChanges {
    /// Files, relative to the top folder.
    pub paths: BTreeSet<PathBuf>,
    /// Whether branches, tags, settings or hooks differ.
    pub repository: bool,
}

impl UserChanges {
    /// Returns whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.repository
    }
}

impl Lane {
    /// Looks at the user's checkout; files that git ignores are not seen.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn look_at_user(&self) -> Result<UserState, LaneError> {
        let top = &self.source().top;
        let call = |args: &[&'static str]| self.user().args(args.to_vec()).answer();
        let status = [
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
        ];
        let status = call(&status).await?;
        let entries = status.stdout.split(|byte| *byte == 0);
        let entries = entries.filter_map(|entry| Some((entry.get(3..)?, entry.get(..2)?)));
        let status: BTreeMap<_, _> = entries
            .map(|(path, code)| (path_of(path), code.to_vec()))
            .collect();
        let stamps = status
            .keys()
            .map(|path| (path.clone(), stamp(&top.join(path))));
        let refs = call(&["for-each-ref", "--format=%(refname) %(objectname)"]).await?;
        let head = call(&["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]).await?;
        let git_dir = &self.source().git_dir;
        let config = fs::read(git_dir.join("config")).unwrap_or_default();
        let mut hooks: Vec<_> = fs::read_dir(git_dir.join("hooks"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|hook| format!("{:?} {:?}", hook.file_name(), stamp(&hook.path())))
            .collect();
        hooks.sort();
        let all = [
            refs.stdout.as_slice(),
            &head.stdout,
            &config,
            hooks.join("\n").as_bytes(),
        ]
        .join(&0);
        Ok(UserState {
            stamps: stamps.collect(),
            status,
            repository: hash_bytes(&all),
        })
    }

    /// Returns which changed files of the user have the same content in one of these
    /// checkouts, so that an agent of it wrote them.
    #[must_use]
    pub fn leaked(&self, changes: &UserChanges, checkouts: &[PathBuf]) -> BTreeSet<PathBuf> {
        let top = &self.source().top;
        let is_leaked = |path: &&PathBuf| {
            let read = |folder: &Path| {
                let path = folder.join(path);
                let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
                is_file.then(|| fs::read(path).ok()).flatten()
            };
            let users = read(top);
            users.is_some() && checkouts.iter().any(|folder| read(folder) == users)
        };
        changes.paths.iter().filter(is_leaked).cloned().collect()
    }
}

impl UserState {
    /// Returns what differs from an earlier state.
    #[must_use]
    pub fn since(&self, before: &Self) -> UserChanges {
        let all = self.status.keys().chain(before.status.keys());
        let differs = |path: &&PathBuf| {
            self.status.get(*path) != before.status.get(*path)
                || self.stamps.get(*path) != before.stamps.get(*path)
        };
        UserChanges {
            paths: all.filter(differs).cloned().collect(),
            repository: self.repository != before.repository,
        }
    }
}

fn stamp(path: &Path) -> Stamp {
    let found = path.symlink_metadata().ok()?;
    Some((
        found.len(),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
        found.ino(),
    ))
}
