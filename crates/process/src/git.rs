//! What git knows of a folder.

use std::path::Path;
use std::time::Duration;

use memchr::memmem;
use tokio::sync::watch;

use crate::redact::REPLACEMENT;
use crate::{Command, Context, Environment, Groups, Limits, Overflow, Redactor, Stop, run};

/// A list of files that is longer is not read.
const LONGEST_LIST: usize = 256 * 1024 * 1024;
const LIST_TIMEOUT: Duration = Duration::from_mins(1);

/// The files below `folder` that git tracks or would track, as `git ls-files
/// -z` writes them; `None` when git says nothing of use: there is none, or the
/// folder is in no work tree.
pub async fn listed_files(
    folder: &Path,
    stop: watch::Receiver<Stop>,
    groups: &Groups,
) -> Option<Vec<u8>> {
    let redactor = Redactor::default();
    let call = Context::new(stop, groups, &redactor);
    let ended = run(listing(folder), call).await.ok()?;
    if !ended.success() {
        return None;
    }
    // A path that looks like a key is not in the list as it is on disk.
    let list = ended.stdout.into_complete()?;
    memmem::find(&list, REPLACEMENT.as_bytes())
        .is_none()
        .then_some(list)
}

fn listing(folder: &Path) -> Command {
    let args = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let mut command = Command::new("git", folder).args(args);
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
