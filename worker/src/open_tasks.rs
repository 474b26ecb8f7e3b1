//! The tasks that a worker has, in a file, so that the next process of this worker can say
//! that they are lost: else the server waits for their heartbeats.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use crate::engine::unique;

/// The tokens of tasks.
type Tokens = BTreeSet<Vec<u8>>;

#[derive(Debug)]
pub(crate) struct OpenTasks {
    file: PathBuf,
    tokens: RefCell<Tokens>,
    /// What tells this worker from those of its name on other hosts.
    pub(crate) id: String,
    /// Held for as long as the process lives.
    _lock: File,
}

impl OpenTasks {
    /// Opens the file of a worker, and returns the tasks that an earlier process has left.
    pub(crate) fn open(project: &str, worker: &str) -> Result<(Self, Tokens), String> {
        let folder = state_folder().ok_or("HOME is not set")?;
        let folder = folder.join(project).join(worker);
        let failed = |error: io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(failed)?;
        let mut options = File::options();
        options.read(true).append(true).create(true);
        let mut lock = options.open(folder.join("lock")).map_err(failed)?;
        lock.try_lock()
            .map_err(|_| format!("a worker {worker} runs already; help: --name"))?;
        let mut id = String::new();
        lock.read_to_string(&mut id).map_err(failed)?;
        if id.is_empty() {
            id = unique();
            lock.write_all(id.as_bytes()).map_err(failed)?;
        }
        let file = folder.join("tasks.json");
        let left = match fs::read(&file) {
            // A file that is damaged names nothing.
            Ok(json) => serde_json::from_slice(&json).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Tokens::new(),
            Err(error) => return Err(failed(error)),
        };
        let tokens = RefCell::new(left.clone());
        let _lock = lock;
        Ok((
            Self {
                file,
                tokens,
                id,
                _lock,
            },
            left,
        ))
    }

    pub(crate) fn add(&self, token: &[u8]) -> io::Result<()> {
        self.tokens.borrow_mut().insert(token.to_vec());
        self.write()
    }

    pub(crate) fn remove(&self, token: &[u8]) -> io::Result<()> {
        self.tokens.borrow_mut().remove(token);
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let json = serde_json::to_vec(&*self.tokens.borrow())?;
        let new = self.file.with_extension("new");
        fs::write(&new, json)?;
        fs::rename(new, &self.file)
    }
}

fn state_folder() -> Option<PathBuf> {
    let folder = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
    Some(state?.join("ralph/workers"))
}
