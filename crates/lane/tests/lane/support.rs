//! A user with a repository, and lanes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use review_lane::{
    Carried, CommitId, Dirty, Git, LandMode, Lane, LaneError, Merge, NewLane, Place, Reused,
    Snapshot, SnapshotOf, Source,
};
use review_process::{Groups, Stop};
use review_test_support::program::write_program;
use review_types::{RunId, TaskNumber};
use tempfile::TempDir;
use tokio::sync::watch;

/// A user with a repository on branch `main` and a home of their own.
pub(crate) struct User {
    folder: TempDir,
    stop: watch::Sender<Stop>,
}

/// The task that most tests are about.
pub(crate) fn task(number: u32) -> TaskNumber {
    TaskNumber::new(number).unwrap()
}

/// The arguments of git before those of a command about a submodule on this machine.
pub(crate) const SUBMODULE: [&str; 4] = ["-c", "protocol.file.allow=always", "submodule", "-q"];

impl User {
    /// A repository with one commit: `a.txt` with three lines, and a test.
    pub(crate) fn new() -> Self {
        let user = Self::without_repository();
        user.write("a.txt", "one\ntwo\nthree\n");
        user.write("tests/a.sh", "grep -q two a.txt\n");
        user.write(".gitignore", "ignored/\n");
        user.git(&["init", "-q", "-b", "main"]);
        user.commit("First");
        user
    }

    /// A repository with another one as the submodule `part` in `lib/part`.
    pub(crate) fn with_submodule(other: &Self) -> Self {
        let user = Self::new();
        let url = other.root().display().to_string();
        user.git(&[&SUBMODULE[..], &["add", "--name", "part", &url, "lib/part"]].concat());
        user.commit("With a submodule");
        user
    }

    pub(crate) fn without_repository() -> Self {
        let user = Self {
            folder: TempDir::new().unwrap(),
            stop: watch::channel(Stop::Run).0,
        };
        std::fs::create_dir_all(user.root()).unwrap();
        std::fs::create_dir_all(user.folder.path().join("home")).unwrap();
        std::fs::write(
            user.folder.path().join("home/.gitconfig"),
            "[user]\n\tname = Ann\n\temail = ann@example.org\n",
        )
        .unwrap();
        user
    }

    pub(crate) fn root(&self) -> PathBuf {
        let folder = std::fs::canonicalize(self.folder.path()).unwrap();
        folder.join("project")
    }

    pub(crate) fn env(&self) -> BTreeMap<OsString, OsString> {
        let home = self.folder.path().join("home");
        let path = std::env::var_os("PATH").unwrap_or_default();
        [
            ("PATH", path),
            ("HOME", home.into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into()
    }

    /// Runs git in the project as the user; returns what it prints.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root(), args)
    }

    pub(crate) fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let mut git = Command::new("git");
        let git = git.current_dir(folder).env_clear().envs(self.env());
        let output = git.args(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {error}");
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        write(&self.root().join(path), text);
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(path)).ok()
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Everything about the user's repository that a lane may not change: refs, status,
    /// stashes, configuration and the list of files below `.git`.
    pub(crate) fn state(&self) -> String {
        let listed = [
            "for-each-ref",
            "status --porcelain=v2 --branch",
            "stash list",
        ];
        let mut state: Vec<_> = listed
            .iter()
            .map(|args| self.git(&args.split(' ').collect::<Vec<_>>()))
            .collect();
        let config = std::fs::read_to_string(self.root().join(".git/config")).unwrap();
        state.push(config);
        let mut files = Vec::new();
        list(&self.root().join(".git"), &mut files);
        files.sort();
        state.extend(files.iter().map(|file| file.display().to_string()));
        state.join("\n")
    }

    pub(crate) fn tool(&self) -> Git {
        Git::new(&self.env(), self.stop.subscribe(), Groups::default())
    }

    /// A git that notes its calls, and the file with a line for each: its command.
    pub(crate) fn noting_tool(&self) -> (Git, PathBuf) {
        let calls = std::fs::canonicalize(self.folder.path()).unwrap();
        let calls = calls.join("calls");
        let settings = r#"words=$(echo " $*" | sed 's/ -c [^ ]*//g')"#;
        let note = format!("echo $words >> '{}'", calls.display());
        (self.tool_after(&format!("{settings}\n{note}")), calls)
    }

    /// A git of another version; one before 2.36 does not know some options.
    pub(crate) fn tool_of(&self, version: &str) -> Git {
        self.tool_after(&format!(
            r#"case " $* " in
                *' --version '*) echo 'git version {version}'; exit;;
                *' merge-tree --write-tree '* | *' worktree list '*' -z '* | \
                *' cat-file --batch -z '* | *' ls-tree --format'*) exit 129;;
            esac"#
        ))
    }

    /// A git that runs a script first.
    fn tool_after(&self, script: &str) -> Git {
        let folder = std::fs::canonicalize(self.folder.path()).unwrap();
        let programs = folder.join("programs");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut found = std::env::split_paths(&path).map(|folder| folder.join("git"));
        let git = found.find(|git| git.is_file()).unwrap();
        let call = format!("exec '{}' \"$@\"", git.display());
        let program = programs.join("git");
        std::fs::create_dir_all(&programs).unwrap();
        write_program(&program, &format!("#!/bin/sh\n{script}\n{call}\n"));
        let mut env = self.env();
        let path =
            std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path)));
        env.insert("PATH".into(), path.unwrap());
        Git::new(&env, self.stop.subscribe(), Groups::default())
    }

    pub(crate) async fn look(&self) -> Result<Source, LaneError> {
        Source::look(&self.tool(), &self.root(), None).await
    }

    pub(crate) async fn new_lane(&self, dirty: Dirty, unit: &[&str]) -> NewLane {
        NewLane {
            run: RunId::new("run-1").unwrap(),
            root: self.root(),
            source: self.look().await.unwrap(),
            dirty,
            unit_files: unit.iter().map(PathBuf::from).collect(),
        }
    }

    pub(crate) async fn try_lane(&self, dirty: Dirty, unit: &[&str]) -> Result<Lane, LaneError> {
        let new = self.new_lane(dirty, unit).await;
        let lanes = self.folder.path().join("lanes");
        let dir = Lane::folder(&lanes, &self.root(), &new.run);
        let seen = new.uncommitted(&self.tool()).await?.seen;
        Lane::open(&self.tool(), &dir, &new, &seen).await
    }

    pub(crate) async fn lane(&self) -> Lane {
        self.try_lane(Dirty::Refuse, &[]).await.unwrap()
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => list(&path, files),
            false => files.push(path),
        }
    }
}

/// What the tests do with a lane, as a run does.
pub(crate) trait Steps {
    /// A checkout of the tip for the first attempt at a task.
    async fn start(&self, number: u32) -> (Place, CommitId);
    /// What is in the checkout, on `base`.
    async fn take(&self, number: u32, base: &CommitId) -> Snapshot;
    /// Puts what is in the checkout of a task on the lane.
    async fn put_on_lane(&self, number: u32, base: &CommitId) -> CommitId;
    /// A task that writes files whose change is put on the lane.
    async fn task(&self, number: u32, files: &[(&str, &str)]) -> CommitId;
    /// The commit to land.
    async fn carried(&self) -> CommitId;
}

impl Steps for Lane {
    async fn start(&self, number: u32) -> (Place, CommitId) {
        let base = self.tip().await.unwrap();
        let place = self
            .check_out(task(number), None, &base, Reused::Nothing, None)
            .await
            .unwrap();
        (place, base)
    }

    async fn take(&self, number: u32, base: &CommitId) -> Snapshot {
        let fixed = BTreeSet::new();
        let of = SnapshotOf {
            task: task(number),
            attempt: 1,
            base,
            fixed: &fixed,
            of_others: &fixed,
            hides: &|_| false,
            opens: &|_| false,
        };
        self.snapshot(of).await.unwrap()
    }

    async fn put_on_lane(&self, number: u32, base: &CommitId) -> CommitId {
        let snapshot = self.take(number, base).await;
        assert_eq!(snapshot.fault, None);
        let tip = self.tip().await.unwrap();
        let merged = self.merge(base, &snapshot.commit, &tip).await.unwrap();
        let Merge::Clean(tree) = merged else {
            panic!("{merged:?}");
        };
        let message = format!("Task {number}");
        self.advance(&tip, &tree, &message).await.unwrap()
    }

    async fn task(&self, number: u32, files: &[(&str, &str)]) -> CommitId {
        let (place, base) = self.start(number).await;
        for (path, text) in files {
            write(&place.root.join(path), text);
        }
        self.put_on_lane(number, &base).await
    }

    async fn carried(&self) -> CommitId {
        match self
            .carry(&self.tip().await.unwrap(), &BTreeSet::new(), LandMode::Auto)
            .await
            .unwrap()
        {
            Carried::Fits { commit, .. } => commit,
            carried => panic!("{carried:?}"),
        }
    }
}
