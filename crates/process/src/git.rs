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

/// Why git does not show a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBase {
    /// There is no git, or the folder is in no work tree.
    #[error("the root is in no work tree of git, or git cannot be run")]
    NoWorkTree,
    /// The name is none of a commit.
    #[error("git knows no such commit")]
    Unknown,
}

/// The files below `folder` that git tracks or would track, as `git ls-files
/// -z` writes them; `None` when git says nothing of use: there is none, or the
/// folder is in no work tree.
pub async fn listed_files(
    folder: &Path,
    stop: watch::Receiver<Stop>,
    groups: &Groups,
) -> Option<Vec<u8>> {
    let args = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    // A path that looks like a key is not in the list as it is on disk.
    let list = output(folder, &args, stop, groups).await?;
    memmem::find(&list, REPLACEMENT.as_bytes())
        .is_none()
        .then_some(list)
}

/// The commit that `name` and the present one have last had in common, or that
/// of `name` where they have none.
///
/// # Errors
/// [`NoBase`] when there is no such commit.
pub async fn base_commit(
    folder: &Path,
    name: &str,
    stop: watch::Receiver<Stop>,
    groups: &Groups,
) -> Result<String, NoBase> {
    let ask = async |args: &[&str]| {
        let told = output(folder, args, stop.clone(), groups).await?;
        let told = String::from_utf8(told).ok()?;
        Some(told.trim().to_owned()).filter(|told| !told.is_empty())
    };
    if ask(&["rev-parse", "--git-dir"]).await.is_none() {
        return Err(NoBase::NoWorkTree);
    }
    let commit = format!("{name}^{{commit}}");
    let verify = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &commit,
    ];
    let commit = ask(&verify).await.ok_or(NoBase::Unknown)?;
    let common = ask(&["merge-base", &commit, "HEAD"]).await;
    Ok(common.unwrap_or(commit))
}

/// The bytes of a file below `folder` as they were in a commit; `None` where it
/// had no such file.
pub async fn file_at(
    folder: &Path,
    commit: &str,
    path: &str,
    stop: watch::Receiver<Stop>,
    groups: &Groups,
) -> Option<Vec<u8>> {
    let file = format!("{commit}:./{path}");
    output(folder, &["cat-file", "blob", &file], stop, groups).await
}

/// What git prints; `None` when it fails.
async fn output(
    folder: &Path,
    args: &[&str],
    stop: watch::Receiver<Stop>,
    groups: &Groups,
) -> Option<Vec<u8>> {
    let redactor = Redactor::default();
    let call = Context::new(stop, groups, &redactor);
    let ended = run(command(folder, args), call).await.ok()?;
    if !ended.success() {
        return None;
    }
    ended.stdout.into_complete()
}

fn command(folder: &Path, args: &[&str]) -> Command {
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
