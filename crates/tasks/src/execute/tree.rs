//! The hash of the tree that commands run in.

use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use memchr::memmem;
use review_process::redact::REPLACEMENT;
use review_process::{Command, Context, Environment, Limits, Overflow, Redactor, run};
use review_types::Hash;
use tokio::sync::OnceCell;

use super::TaskContext;

/// A list of files that is longer is not read; the tree is walked instead.
const LONGEST_LIST: usize = 256 * 1024 * 1024;
const LIST_TIMEOUT: Duration = Duration::from_mins(1);

/// The tree of one run. Its files are listed once; it is hashed anew whenever a
/// command may have changed it.
#[derive(Default)]
pub(super) struct Tree {
    listed: OnceCell<Option<Vec<u8>>>,
    known: Mutex<Option<Hash>>,
}

impl Tree {
    /// The hash of the tree as it is now.
    pub(super) async fn hash(&self, context: &TaskContext) -> io::Result<Hash> {
        let known = *self.known();
        if let Some(hash) = known {
            return Ok(hash);
        }
        let listed = self.listed.get_or_init(|| list(context)).await;
        let hash = context.files.tree(listed.as_deref())?;
        *self.known() = Some(hash);
        Ok(hash)
    }

    /// Notes that a command runs, which may change the tree.
    pub(super) fn forget(&self) {
        *self.known() = None;
    }

    fn known(&self) -> MutexGuard<'_, Option<Hash>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files that git knows or would know, as it prints them. `None` when git
/// does not say: there is none, or the root is in no work tree of it.
async fn list(context: &TaskContext) -> Option<Vec<u8>> {
    let command = listing(&context.root);
    let redactor = Redactor::default();
    let call = Context::new(context.stop.clone(), &context.groups, &redactor);
    let ended = run(command, call).await.ok()?;
    if !ended.success() {
        return None;
    }
    // A path that looks like a key is not in the list as it is on disk.
    let list = ended.stdout.into_complete()?;
    memmem::find(&list, REPLACEMENT.as_bytes())
        .is_none()
        .then_some(list)
}

fn listing(root: &Path) -> Command {
    let args = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let mut command = Command::new("git", root).args(args);
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
