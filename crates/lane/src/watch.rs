//! What the user's checkout and repository look like: where no sandbox protects them,
//! they are compared before and after agents work.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;
use review_store::{Stamp, read_file};
use review_types::Hash;

use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::{BASE_REF, Lane};
use crate::object::CommitId;

/// The state of the user's checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserState {
    /// The output of git about files that differ from the commit.
    status: BTreeMap<PathBuf, Vec<u8>>,
    /// What their files were like; `None` where none is.
    stamps: BTreeMap<PathBuf, Option<Stamp>>,
    /// The commit of the target, which work lands on.
    target: Option<CommitId>,
    /// Of each of [`PARTS`].
    repository: [Hash; PARTS.len()],
}

/// What is compared of the user's repository: branches and tags with the commit that is
/// checked out, settings, and hooks.
const PARTS: [&str; 3] = ["branches", "settings", "hooks"];
const SETTINGS: &str = PARTS[1];

/// What changed in the user's checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserChanges {
    /// Files, relative to the top folder.
    pub paths: BTreeSet<PathBuf>,
    /// The commits of the target before and now, if they differ.
    target: Option<[Option<CommitId>; 2]>,
    /// The parts of the repository that differ.
    pub repository: Vec<&'static str>,
}

impl UserChanges {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.repository.is_empty()
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
            "--porcelain=v2",
            "--branch",
            "--no-ahead-behind",
            "-z",
            "--untracked-files=all",
            "--no-renames",
        ];
        let status = call(&status).await?;
        let (head, entries): (Vec<_>, Vec<_>) =
            status.strings().partition(|entry| entry.starts_with(b"#"));
        let entries = entries.into_iter().map(path_and_state);
        let status: BTreeMap<_, _> = entries
            .map(|(path, state)| (path_of(path), state.to_vec()))
            .collect();
        let stamps = status
            .keys()
            .map(|path| (path.clone(), stamp(&top.join(path))));
        let refs = call(&["for-each-ref", "--format=%(refname) %(objectname)"]).await?;
        let [config, hooks] = self.config_and_hooks();
        let config = read_file(&config).unwrap_or_default();
        let mut hooks: Vec<_> = fs::read_dir(hooks)
            .into_iter()
            .flatten()
            .flatten()
            .map(|hook| format!("{:?} {:?}", hook.file_name(), stamp(&hook.path())))
            .collect();
        hooks.sort();
        let target = format!("{} ", self.source().target_ref());
        let mut lines = refs.stdout.split(|byte| *byte == b'\n');
        let target = lines.find_map(|line| line.strip_prefix(target.as_bytes()));
        let target = target.and_then(|commit| std::str::from_utf8(commit).ok()?.parse().ok());
        let refs = [refs.stdout.as_slice(), &head.concat()].join(&0);
        Ok(UserState {
            target,
            stamps: stamps.collect(),
            status,
            repository: [&*refs, &config, hooks.join("\n").as_bytes()].map(hash_bytes),
        })
    }

    /// The files with the settings and the hooks of the user's repository.
    fn config_and_hooks(&self) -> [PathBuf; 2] {
        let common = self.source().common_dir();
        [common.join("config"), common.join("hooks")]
    }

    /// Returns which changed files of the user an agent wrote: those that have what the same
    /// file in one of these checkouts has, and not what it had when the lane started. The
    /// settings of the repository are among them if they name a file of the lane, and the
    /// target if it lost commits, on which the work would land without them.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn leaked(
        &self,
        changes: &UserChanges,
        checkouts: &[PathBuf],
    ) -> Result<BTreeSet<PathBuf>, LaneError> {
        let mut leaked = BTreeSet::new();
        for path in &changes.paths {
            let users = content(&self.source().top.join(path));
            let is_same = |folder: &PathBuf| content(&folder.join(path)) == users;
            if users.is_some()
                && checkouts.iter().any(is_same)
                && self.content_at_start(path).await? != users
            {
                leaked.insert(path.clone());
            }
        }
        if let Some([Some(before), now]) = &changes.target
            && !self.has_commit(now.as_ref(), before).await?
        {
            let branch = &self.source().target;
            leaked.insert(format!("branch {branch}, which lost commits").into());
        }
        if changes.repository.contains(&SETTINGS) {
            let [config, _] = self.config_and_hooks();
            let own = self.path().as_os_str().as_encoded_bytes();
            let text = read_file(&config).unwrap_or_default();
            if text.windows(own.len().max(1)).any(|part| part == own) {
                let below = config.strip_prefix(&self.source().top);
                leaked.insert(below.map_or(config.clone(), Path::to_owned));
            }
        }
        Ok(leaked)
    }

    /// Whether a commit of the user's repository has another one in its past.
    async fn has_commit(
        &self,
        commit: Option<&CommitId>,
        past: &CommitId,
    ) -> Result<bool, LaneError> {
        let Some(commit) = commit else {
            return Ok(false);
        };
        let args = [
            "merge-base",
            "--is-ancestor",
            past.as_str(),
            commit.as_str(),
        ];
        Ok(self.user().args(args).answer().await?.succeeded())
    }

    /// What a file of the user had when the lane started, as git writes it.
    async fn content_at_start(&self, path: &Path) -> Result<Option<Vec<u8>>, LaneError> {
        let mut object = OsString::from(format!("{BASE_REF}:"));
        object.push(path);
        let cat = self
            .git
            .at(self.path())
            .on(
                &self.repository(),
                &self.source().top,
                &self.index("entries"),
            )
            .args(["cat-file", "--filters"])
            .args([object]);
        let found = cat.answer().await?;
        Ok(found.succeeded().then_some(found.stdout))
    }
}

/// The path in an entry of `git status`, and what comes before it.
fn path_and_state(entry: &[u8]) -> (&[u8], &[u8]) {
    let fields = match entry.first() {
        Some(b'1') => 8,
        Some(b'u') => 10,
        _ => 1,
    };
    let mut spaces = (0..entry.len()).filter(|at| entry[*at] == b' ');
    let at = spaces.nth(fields - 1).unwrap_or_default();
    (&entry[at + 1..], &entry[..at])
}

/// The content of a file that is not a link; `None` if it does not exist.
fn content(path: &Path) -> Option<Vec<u8>> {
    let is_link = path.is_symlink();
    (!is_link).then(|| read_file(path).ok()).flatten()
}

impl UserState {
    /// Returns what differs from an earlier state.
    pub fn since(&self, before: &Self) -> UserChanges {
        let all = self.status.keys().chain(before.status.keys());
        let differs = |path: &&PathBuf| {
            self.status.get(*path) != before.status.get(*path)
                || self.stamps.get(*path) != before.stamps.get(*path)
        };
        let hashes = self.repository.iter().zip(&before.repository);
        let parts = PARTS
            .iter()
            .zip(hashes)
            .filter(|(_, (now, before))| now != before);
        UserChanges {
            paths: all.filter(differs).cloned().collect(),
            target: (self.target != before.target)
                .then(|| [before.target.clone(), self.target.clone()]),
            repository: parts.map(|(part, _)| *part).collect(),
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    Some(Stamp::of(&path.symlink_metadata().ok()?))
}
