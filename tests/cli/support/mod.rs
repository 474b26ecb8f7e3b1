//! A world of its own for each test: temporary folders for the project, the
//! home and the programs on PATH, and an environment with nothing else in it.

mod command;
mod ran;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use command::RalphCommand;
pub(crate) use ran::Ran;
use review_test_support::program::write_program;
use tempfile::TempDir;

/// The last eight signs of the id of a run, by which users see it.
pub(crate) fn short(id: &str) -> &str {
    &id[id.len() - 8..]
}

/// Whether tests that take minutes run, and others try every case, as the second job of CI
/// has some of them do, and not those alone that differ in kind.
pub(crate) fn tries_every_case() -> bool {
    std::env::var_os("RALPH_TEST_ALL").is_some()
}

/// A project folder, a home and a folder of programs that vanish with the
/// value. The folder is a root, since it holds an empty `specs/`.
pub(crate) struct TestEnvironment {
    folder: TempDir,
}

impl TestEnvironment {
    /// An environment whose project holds nothing but an empty `specs/`.
    pub(crate) fn new() -> Self {
        let environment = Self::without_project();
        fs::create_dir(environment.root().join("specs")).unwrap();
        environment
    }

    /// An environment whose project folder is empty, so that it is not a root.
    pub(crate) fn without_project() -> Self {
        let environment = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["project", "home", "bin", "tmp"] {
            fs::create_dir(environment.path(name)).unwrap();
        }
        environment
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// The project folder, in which commands run.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("project")
    }

    /// The home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The folder that comes first on PATH.
    pub(crate) fn bin(&self) -> PathBuf {
        self.path("bin")
    }

    /// Writes a file of the project, with the folders above it.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// The content of a file of the project.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        let file = self.root().join(path);
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// The paths of all files of the project below `path`, relative to the
    /// project, sorted.
    pub(crate) fn files(&self, path: impl AsRef<Path>) -> Vec<String> {
        let root = self.root();
        let mut folders = vec![root.join(path)];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let path = path.strip_prefix(&root).unwrap();
                    files.push(path.to_str().unwrap().to_owned());
                }
            }
        }
        files.sort();
        files
    }

    /// Puts a shell script on PATH and returns its path.
    pub(crate) fn program(&self, name: &str, script: &str) -> PathBuf {
        let file = self.bin().join(name);
        write_program(&file, &format!("#!/bin/sh\n{script}\n"));
        file
    }

    /// The value of PATH: the environment's own programs, then the system's.
    pub(crate) fn search_path(&self) -> OsString {
        let system = std::env::var_os("PATH").unwrap();
        let folders = std::iter::once(self.bin()).chain(std::env::split_paths(&system));
        std::env::join_paths(folders).unwrap()
    }

    /// A command line that can be refined before it runs.
    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> RalphCommand<'_> {
        RalphCommand::new(self, arguments)
    }

    /// Runs `ralph` in the project folder, with nothing on standard input.
    pub(crate) fn ralph<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Ran {
        self.command(arguments).run()
    }

    /// The output with this environment's folders replaced by `[ROOT]`,
    /// `[HOME]`, `[BIN]` and `[TMP]`.
    pub(crate) fn normalized(&self, text: &str) -> String {
        [
            ("project", "[ROOT]"),
            ("home", "[HOME]"),
            ("bin", "[BIN]"),
            ("tmp", "[TMP]"),
        ]
        .iter()
        .fold(text.to_owned(), |text, (folder, name)| {
            text.replace(self.path(folder).to_str().unwrap(), name)
        })
    }
}
