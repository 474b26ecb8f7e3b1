//! What the operating system reports about files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::error::{CommandError, ErrorKind};

/// Events that come closer together than this belong to one change.
const SETTLED: Duration = Duration::from_millis(30);
/// A change that goes on is not waited for any longer.
const MAX_UNSETTLED: usize = 30;
/// More paths are not remembered one by one.
const MAX_PATHS: usize = 10_000;

/// The paths that were touched since they were last taken.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// The paths, from the root of the file system.
    pub(super) paths: BTreeSet<PathBuf>,
    /// Whether there are more than the paths say.
    pub(super) more: bool,
}

impl Touched {
    fn add(&mut self, event: Event) {
        self.more |= event.need_rescan();
        for path in event.paths {
            if self.paths.len() < MAX_PATHS {
                self.paths.insert(path);
            } else {
                self.more = true;
            }
        }
    }
}

/// Folders that are watched, each without those below it.
pub(super) struct Folders {
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
    pending: Arc<Pending>,
}

#[derive(Default)]
struct Pending {
    touched: Mutex<Touched>,
    bell: Notify,
}

impl Pending {
    /// Remembers an event. Reading a file does not count, nor does a change of its permissions.
    fn receive(&self, event: notify::Result<Event>) {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Ok(event) => match event.kind {
                EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => return,
                EventKind::Any
                | EventKind::Create(_)
                | EventKind::Modify(_)
                | EventKind::Remove(_)
                | EventKind::Other => touched.add(event),
            },
            Err(_) => touched.more = true,
        }
        self.bell.notify_one();
    }
}

impl Folders {
    /// Watches nothing yet.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn new() -> Result<Self, CommandError> {
        let pending = Arc::new(Pending::default());
        let receiver = Arc::clone(&pending);
        let watcher = notify::recommended_watcher(move |event| receiver.receive(event));
        Ok(Self {
            watcher: watcher.map_err(cannot_watch)?,
            watched: BTreeSet::new(),
            pending,
        })
    }

    /// Watches a folder; whether that is new. A folder that is gone is not.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn watch(&mut self, folder: &Path) -> Result<bool, CommandError> {
        if self.watched.contains(folder) || !folder.is_dir() {
            return Ok(false);
        }
        let watching = self.watcher.watch(folder, RecursiveMode::NonRecursive);
        match watching {
            Err(_) if !folder.is_dir() => return Ok(false),
            watching => watching.map_err(cannot_watch)?,
        }
        Ok(self.watched.insert(folder.to_owned()))
    }

    /// Waits for events and takes what they touched. Folders that are gone are
    /// watched no more.
    pub(super) async fn next(&mut self) -> Touched {
        self.pending.bell.notified().await;
        for _ in 0..MAX_UNSETTLED {
            if timeout(SETTLED, self.pending.bell.notified())
                .await
                .is_err()
            {
                break;
            }
        }
        self.watched.retain(|folder| folder.is_dir());
        let touched = self.pending.touched.lock();
        std::mem::take(&mut *touched.unwrap_or_else(PoisonError::into_inner))
    }
}

fn cannot_watch(error: notify::Error) -> CommandError {
    CommandError::new(ErrorKind::Input, "cannot watch the files").source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_over_the_limit_are_reported_as_more() {
        let mut touched = Touched::default();
        for index in 0..=MAX_PATHS {
            assert!(!touched.more);
            touched.add(Event::default().add_path(index.to_string().into()));
        }
        assert!(touched.more);
        assert_eq!(touched.paths.len(), MAX_PATHS);
    }

    #[test]
    fn reading_a_file_does_not_count_as_an_event() {
        let pending = Pending::default();
        let receive = |kind| pending.receive(Ok(Event::new(kind).add_path("a".into())));
        let count = || pending.touched.lock().unwrap().paths.len();
        receive(EventKind::Access(notify::event::AccessKind::Any));
        receive(EventKind::Modify(ModifyKind::Metadata(
            notify::event::MetadataKind::Any,
        )));
        assert_eq!(count(), 0);
        receive(EventKind::Modify(ModifyKind::Any));
        assert_eq!(count(), 1);
        pending.receive(Err(notify::Error::generic("overflow")));
        assert!(pending.touched.lock().unwrap().more);
    }
}
