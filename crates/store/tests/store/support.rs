//! A temporary folder for a test.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::test_runner::Config;
use review_learning::AgentName;
use review_store::{Root, RootPath, StateDir};
use review_types::RunId;

/// A folder that is deleted after the test.
pub(crate) struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn root(&self) -> Root {
        Root::open(self.path()).expect("a root")
    }

    pub(crate) fn state(&self) -> StateDir {
        StateDir::under(self.path()).expect("a state folder")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        fs::write(file, text).expect("a file");
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        let file = self.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        symlink(target, file).expect("a link");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).expect("UTF-8")
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.join(path)).expect("a file")
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        let found = fs::symlink_metadata(self.join(path)).expect("something");
        found.permissions().mode() & 0o7777
    }

    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.join(path), fs::Permissions::from_mode(mode)).expect("a file");
    }

    /// Waits until the clock of the file system advances, so that a file written before
    /// has an earlier time than one written after.
    pub(crate) fn tick(&self) {
        let stamp = || {
            self.write("tick", "");
            let found = fs::metadata(self.join("tick")).expect("a file");
            found.modified().expect("a time")
        };
        let start = stamp();
        while stamp() <= start + Duration::from_millis(12) {}
        fs::remove_file(self.join("tick")).expect("a file");
    }

    /// Sets the times of a file to long ago.
    pub(crate) fn age(&self, path: &str) {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_000_000, 7);
        let file = fs::File::options().write(true).open(self.join(path));
        let times = fs::FileTimes::new().set_modified(long_ago);
        file.expect("a file").set_times(times).expect("times");
    }

    /// The names in a folder, sorted.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.join(path)).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        names.sort();
        names
    }
}

pub(crate) fn path(text: &str) -> RootPath {
    RootPath::new(text).expect("a path inside")
}

pub(crate) fn run(id: &str) -> RunId {
    RunId::new(id).expect("an id")
}

/// Tests that access the disk are expensive.
pub(crate) fn few_cases() -> Config {
    Config {
        cases: 64,
        failure_persistence: None,
        ..Config::default()
    }
}

/// The agent whose files most tests are about.
pub(crate) fn reviewer() -> AgentName {
    AgentName::from("reviewer")
}

/// Another agent.
pub(crate) fn applier() -> AgentName {
    AgentName::from("applier")
}
