//! `ralph corrections capture`: what the hooks of a client report.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use review_flow::hash_bytes;
use review_learning::AgentName;
use review_learning::capture::{Candidate, Captured, Content, Hook, MAX_CANDIDATES, Session};
use review_learning::corrections::{Line, Mode, Validation};
use review_store::{CaptureDir, read_file};
use review_types::ExitCode;

use super::{CORRECTIONS_FILE, append, own_file};
use crate::clock::now;
use crate::command::input::Input;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};

#[derive(Debug, Args)]
pub(crate) struct CaptureArgs {
    /// The agent that is corrected [default: the one that the hook names, else
    /// claude].
    #[arg(long)]
    agent: Option<AgentName>,
}

/// A hook says no more than this.
const MAX_HOOK: u64 = 16 * 1024 * 1024;

/// How long a session is remembered.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads what a hook reports. Whatever goes wrong is a line in the log: a hook
/// that failed would block its client.
pub(super) fn run(context: &mut Context, args: &CaptureArgs) -> CommandResult {
    if let Err(error) = capture(context, args) {
        log(context, &error.message());
    }
    Ok(ExitCode::Passed)
}

fn capture(context: &mut Context, args: &CaptureArgs) -> Result<(), CommandError> {
    let hook = Hook::read(&Input::standard().bytes(MAX_HOOK)?)?;
    let folder = match &hook.folder {
        Some(folder) => context.absolute(Path::new(folder)),
        None => context.environment.folder.clone(),
    };
    let root = context.root_of(&folder);
    let sessions = sessions(context, &root)?;
    let now = now();
    sessions.forget_before(now.before(DAY))?;
    let look = |path: &str| content(&folder, path);
    let noticed = sessions.update(&hook.session, |session: &mut Session| {
        session.take(&hook, now, &look)
    })?;
    let redactor = context.environment.redactor();
    let prefix = format!("{}/", root.display());
    // Paths are seen from the root, and secrets are removed.
    let clean = |text: &str| {
        let text = text.replace(&prefix, "");
        String::from_utf8_lossy(&redactor.redact(text.as_bytes())).into_owned()
    };
    let agent = args.agent.clone().or(hook.agent);
    let agent = agent.unwrap_or_else(|| AgentName::from("claude"));
    let mut lines = Validation::new(Mode::Default);
    for (number, one) in (1..).zip(noticed.corrections) {
        let one = Captured {
            remark: one.remark.map(clean),
            ..one
        };
        let line = one.line(&agent, &hook.session, now).to_string();
        if lines.line(number, Line::Whole(line.as_bytes())).is_some() {
            append(&own_file(&root, CORRECTIONS_FILE)?, &line)?;
        }
    }
    if let Some(remark) = noticed.candidate {
        let candidate = Candidate {
            at: now,
            agent,
            session: hook.session,
            remark: remark.map(clean),
        };
        sessions.candidates(|candidates| {
            candidates.push(candidate);
            let too_many = candidates.len().saturating_sub(MAX_CANDIDATES);
            candidates.drain(..too_many);
        })?;
    }
    Ok(())
}

fn sessions(context: &mut Context, root: &Path) -> Result<CaptureDir, CommandError> {
    let settings = context.settings(root, &[])?;
    Ok(context.state(&settings, root)?.capture()?)
}

/// What a file holds; `None` where it is gone, or no file that an agent writes.
fn content(folder: &Path, path: &str) -> Option<Content> {
    let bytes = read_file(&folder.join(path)).ok()?;
    Some(Content {
        hash: hash_bytes(&bytes).to_string(),
        bytes: bytes.len() as u64,
    })
}

/// Writes what went wrong to the log, or where that fails prints a warning.
fn log(context: &mut Context, why: &str) {
    let root = context.current_root();
    let line = format!("{} {why}", now());
    let logged = sessions(context, &root).map(|sessions| sessions.log(&line));
    if !matches!(logged, Ok(Ok(()))) {
        let warning = format!("nothing was captured: {why}");
        context.streams.warn(&warning);
    }
}
