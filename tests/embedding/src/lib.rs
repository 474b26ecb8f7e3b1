//! A program with `engine` and `report` in it and nothing of a command line: what
//! a web page, a server or a worker of ralph starts with. Its tests review, gate,
//! lint and plan small projects, each in one process.

#![expect(
    clippy::disallowed_methods,
    reason = "the project of a test is made of files of its own"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use review::EventSink;
use review_config::{Config, ConfigError, ConfigFile, Sources};
use review_engine::Project;
use review_flow::SystemClock;
use review_process::{Groups, Stop};
use review_store::{Root, StateDir};
use tempfile::TempDir;
use tokio::sync::watch;

/// A project with a home and a state folder of its own, which vanish with it.
pub struct Workspace {
    folder: TempDir,
    stop: watch::Sender<Stop>,
}

impl Workspace {
    /// A project with these files.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn new(files: &[(&str, &str)]) -> io::Result<Self> {
        let workspace = Self {
            folder: tempfile::tempdir()?,
            stop: watch::Sender::new(Stop::Run),
        };
        for name in ["project", "home", "bin"] {
            std::fs::create_dir(workspace.folder.path().join(name))?;
        }
        for (path, text) in files {
            workspace.write(path, text)?;
        }
        Ok(workspace)
    }

    /// The folder of the project.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The home folder.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The folder of programs that comes first on PATH.
    #[must_use]
    pub fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// The state folder, beside the project.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Writes a file of the project.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.root().join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        review_store::replace_file(&path, text.as_bytes()).map_err(io::Error::other)
    }

    /// The environment of the project: a home and programs of its own, and the programs of
    /// the system.
    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let mut path = self.bin().into_os_string();
        path.push(":/usr/bin:/bin");
        [("HOME", self.home().into_os_string()), ("PATH", path)]
            .map(|(name, value)| (name.into(), value))
            .into()
    }

    /// The configuration of the project in a string of TOML.
    ///
    /// # Errors
    /// When a key or value is wrong.
    pub fn config(&self, text: &str) -> Result<Config, ConfigError> {
        let file = ConfigFile::new("ralph.toml", text);
        let sources = Sources {
            file: &file,
            variables: &self.environment(),
            settings: &[],
            gone: &[],
        };
        Config::resolve(sources)
    }

    /// The project as the engine takes it, with its state beside it. Other projects of this
    /// process run programs at the same time, so nobody looks for descendants of its own.
    ///
    /// # Errors
    /// When a folder cannot be opened.
    pub fn project<'s>(&self, sink: &'s dyn EventSink) -> io::Result<Project<'s>> {
        Ok(Project {
            root: Root::open(&self.root()).map_err(io::Error::other)?,
            state: StateDir::open(&self.state()).map_err(io::Error::other)?,
            cwd: self.root(),
            env: self.environment(),
            version: "1.0.0",
            command: vec!["embedded".to_owned()],
            clock: Arc::new(SystemClock),
            sink,
            groups: Groups::default(),
            stop: self.stop.subscribe(),
        })
    }
}
