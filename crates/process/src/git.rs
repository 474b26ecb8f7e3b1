//! Queries to git about a folder.

use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;

use crate::{Command, Context, Environment, Groups, Limits, Overflow, Redactor, Stop, run};

/// The maximum size of a file list.
const LONGEST_LIST: usize = 256 * 1024 * 1024;
const LIST_TIMEOUT: Duration = Duration::from_mins(1);

/// The reason why git has no base commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBase {
    /// There is no git, or the folder is not in a work tree.
    #[error("the root is not in a git work tree, or git cannot be run")]
    NoWorkTree,
    /// The commit does not exist.
    #[error("git has no such commit")]
    Unknown,
}

/// The files below `folder` that git tracks or would track, in the format of `git
/// ls-files -z`; `None` if there is no git or the folder is not in a work tree.
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
    output(folder, &args, stop, groups).await
}

/// Returns the merge base of `name` and HEAD, or the commit `name` if they have none.
///
/// # Errors
/// [`NoBase`] if the commit does not exist.
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

/// Returns the content of a file below `folder` in a commit; `None` if the commit does
/// not have it.
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

/// Returns the output of git; `None` if it fails.
async fn output(
    folder: &Path,
    args: &[&str],
    stop: watch::Receiver<Stop>,
    groups: &Groups,
) -> Option<Vec<u8>> {
    let redactor = Redactor::none();
    let call = Context::new(stop, groups, &redactor);
    let ended = run(command(folder, args), call).await.ok()?;
    if !ended.success() {
        return None;
    }
    ended.stdout.into_complete()
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
