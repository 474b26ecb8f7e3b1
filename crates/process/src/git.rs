//! Queries to git about a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;

use crate::{Command, Context, Environment, Groups, Limits, Overflow, Redactor, Stop, run};

/// The variables that lead git to one repository, whatever folder it is called in, as `git
/// rev-parse --local-env-vars` prints them. Commands that a hook runs have them.
pub(crate) const LOCAL: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    // Of versions before 2.37.
    "GIT_INTERNAL_SUPER_PREFIX",
];

/// Whether a variable leads git to one repository. No program inherits it.
pub fn is_local(name: &OsStr) -> bool {
    LOCAL.iter().any(|local| name == *local)
}

/// The maximum size of a file list.
const LONGEST_LIST: usize = 256 * 1024 * 1024;
const LIST_TIMEOUT: Duration = Duration::from_mins(1);

/// The reason why git has no base commit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBase {
    /// Git is missing, or does not work in the folder: why, in its words.
    #[error("git cannot look at the root: {0}")]
    NoWorkTree(String),
    /// The commit does not exist.
    #[error("git has no such commit")]
    Unknown,
    /// The clone has a part of the history, and the commit is not in it, or nothing that
    /// it has in common with `HEAD`.
    #[error("this clone has a part of the history alone, without it (a shallow clone)")]
    Shallow,
}

/// The files below a folder that differ from a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// Files of the commit that have another content or are gone; of a moved file the
    /// old path.
    pub changed: BTreeSet<String>,
    /// Files that the commit does not have, those included that git does not track and
    /// does not ignore.
    pub added: BTreeSet<String>,
    /// The new path of each file that moved, with the same content or nearly, by the old
    /// one.
    pub moved: BTreeMap<String, String>,
}

impl ChangedFiles {
    /// Returns whether a file differs, by its old or its new path.
    pub fn touches(&self, path: &str) -> bool {
        self.changed.contains(path) || self.added.contains(path)
    }

    /// Returns all files that differ.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.changed.iter().chain(&self.added)
    }
}

/// A commit, by its hash or as `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit(String);

impl Commit {
    /// The commit that is checked out.
    pub fn head() -> Self {
        Self("HEAD".to_owned())
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A folder that git is asked about.
#[derive(Clone, Debug)]
pub struct Folder<'a> {
    path: &'a Path,
    stop: watch::Receiver<Stop>,
    groups: &'a Groups,
}

impl<'a> Folder<'a> {
    /// Returns a folder; git is stopped, and listed, like other programs.
    pub const fn new(path: &'a Path, stop: watch::Receiver<Stop>, groups: &'a Groups) -> Self {
        Self { path, stop, groups }
    }

    /// Returns the files below it that git tracks or would track, in the format of `git
    /// ls-files -z`; `None` without git or outside a work tree.
    pub async fn listed_files(&self) -> Option<Vec<u8>> {
        let args = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        self.output(&args).await.ok()
    }

    /// Returns the merge base of `name` and HEAD, or the commit `name` if they have none.
    ///
    /// # Errors
    /// [`NoBase`] if the commit does not exist, or the history that leads to it is not there.
    pub async fn base_commit(&self, name: &str) -> Result<Commit, NoBase> {
        let ask = async |args: &[&str]| {
            let told = String::from_utf8(self.output(args).await.ok()?).ok()?;
            Some(told.trim().to_owned()).filter(|told| !told.is_empty())
        };
        let git_dir = self.output(&["rev-parse", "--git-dir"]).await;
        git_dir.map_err(NoBase::NoWorkTree)?;
        let is_shallow = async || {
            let told = ask(&["rev-parse", "--is-shallow-repository"]).await;
            told.as_deref() == Some("true")
        };
        let commit = format!("{name}^{{commit}}");
        let verify = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ];
        let Some(commit) = ask(&verify).await else {
            return Err(match is_shallow().await {
                true => NoBase::Shallow,
                false => NoBase::Unknown,
            });
        };
        match ask(&["merge-base", &commit, "HEAD"]).await {
            Some(common) => Ok(Commit(common)),
            None if is_shallow().await => Err(NoBase::Shallow),
            None => Ok(Commit(commit)),
        }
    }

    /// Returns the files below it in a commit; `None` if git cannot list them.
    pub async fn files_at(&self, commit: &Commit) -> Option<Vec<String>> {
        let args = ["ls-tree", "-r", "-z", "--name-only", &commit.0];
        Some(paths(&self.output(&args).await.ok()?))
    }

    /// Returns the files below it that differ from a commit; `None` if git cannot tell.
    pub async fn changed_files(&self, commit: &Commit) -> Option<ChangedFiles> {
        let diff = [
            "diff",
            "--no-ext-diff",
            "--name-status",
            "-z",
            "-M",
            "--relative",
            &commit.0,
            "--",
        ];
        let listed = self.output(&diff).await.ok()?;
        let untracked = ["ls-files", "-z", "--others", "--exclude-standard"];
        let untracked = self.output(&untracked).await.ok()?;
        let mut found = ChangedFiles {
            added: paths(&untracked).into_iter().collect(),
            ..ChangedFiles::default()
        };
        let mut fields = paths(&listed).into_iter();
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            match status.as_bytes().first() {
                Some(b'A') => drop(found.added.insert(path)),
                Some(b'R') => {
                    found.changed.insert(path.clone());
                    if let Some(new) = fields.next() {
                        found.added.insert(new.clone());
                        found.moved.insert(path, new);
                    }
                }
                _ => drop(found.changed.insert(path)),
            }
        }
        Some(found)
    }

    /// Returns the content of a file below it in a commit; `None` if the commit does not
    /// have it.
    pub async fn file_at(&self, commit: &Commit, path: &str) -> Option<Vec<u8>> {
        let file = format!("{commit}:./{path}");
        self.output(&["cat-file", "blob", &file]).await.ok()
    }

    /// Makes it a repository of one commit of all its files, whose author is
    /// made up.
    ///
    /// # Errors
    /// [`NoRepository`] if git cannot be started, or refuses.
    pub async fn commit_all(&self, message: &str) -> Result<(), NoRepository> {
        for args in [
            &["init", "--quiet"][..],
            &["config", "user.name", "ralph demo"],
            &["config", "user.email", "demo@example.invalid"],
            &["config", "commit.gpgsign", "false"],
            &["config", "core.hooksPath", "/dev/null"],
            &["add", "--all"],
            &["commit", "--quiet", "--message", message],
        ] {
            self.output(args).await.map_err(NoRepository)?;
        }
        Ok(())
    }

    /// Returns whether the rules of `.gitignore` leave out the folder `path`, also one that
    /// is gone or holds tracked files.
    pub async fn ignores(&self, path: &str) -> bool {
        // Without the `/` git does not take a path that is gone for a folder.
        let path = format!("{path}/");
        let args = ["check-ignore", "--no-index", "--quiet", "--", &path];
        self.output(&args).await.is_ok()
    }

    /// Returns the output of git, or why it fails, in its words.
    async fn output(&self, args: &[&str]) -> Result<Vec<u8>, String> {
        let redactor = Redactor::none();
        let call = Context::new(self.stop.clone(), self.groups, &redactor);
        let ended = run(command(self.path, args), call).await;
        let ended = ended.map_err(|error| error.to_string())?;
        if !ended.success() {
            let (head, tail) = ended.stderr.parts();
            let told = [head, tail].concat();
            return Err(String::from_utf8_lossy(&told).trim().to_owned());
        }
        let whole = ended.stdout.into_complete();
        whole.ok_or_else(|| "it printed more than is read".to_owned())
    }
}

/// Why git made no repository, in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRepository(pub String);

/// The strings of an output with NUL after each, those that are UTF-8.
fn paths(listed: &[u8]) -> Vec<String> {
    let strings = listed.split(|byte| *byte == 0);
    let strings = strings.filter_map(|string| std::str::from_utf8(string).ok());
    strings
        .filter(|string| !string.is_empty())
        .map(str::to_owned)
        .collect()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    // The settings of a folder that agents worked in may name a program.
    let no_monitor = ["-c", "core.fsmonitor=false"].iter();
    let mut command = Command::new("git", folder).args(no_monitor.chain(args));
    command.env = Environment::Inherit {
        set: vec![("GIT_OPTIONAL_LOCKS".into(), "0".into())],
    };
    command.limits = Limits {
        wall: Some(LIST_TIMEOUT),
        idle: None,
        capture: LONGEST_LIST,
        overflow: Overflow::Stop,
        ..Limits::default()
    };
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_variables_of_a_repository_are_those_that_git_lists() {
        let (_stopper, stop) = watch::channel(Stop::Run);
        let listed = ["rev-parse", "--local-env-vars"];
        let groups = Groups::default();
        let listed = Folder::new(Path::new("/"), stop, &groups)
            .output(&listed)
            .await;
        let listed = String::from_utf8(listed.expect("git")).expect("names");
        let unknown: Vec<_> = listed
            .lines()
            .filter(|name| !is_local(OsStr::new(name)))
            .collect();
        assert_eq!(unknown, [""; 0]);
    }
}
