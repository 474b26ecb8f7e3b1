//! A process that outlives the one that runs commands, and ends what that one leaves.
//!
//! The system ends a program with its parent, but not what the program has started. The
//! guard learns of each program while it lives, through a pipe. The end of the pipe is
//! the end of the parent, whatever ended it: then the sessions of the programs that still
//! live are ended.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::Pid;

use super::{GUARD, LAUNCH};
use crate::stale;

/// The guard of this process.
#[derive(Debug)]
pub(crate) struct Guard {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts it, in a group that no signal of the terminal reaches.
    #[expect(
        clippy::disallowed_methods,
        reason = "the guard of programs is not one of them"
    )]
    pub(crate) fn start(launcher: &Path) -> io::Result<Self> {
        let mut command = Command::new(launcher);
        command.args([LAUNCH, GUARD]).env_clear().current_dir("/");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let pipe = child.stdin.take();
        Ok(Self { child, pipe })
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Ends this program with the parent from now on.
    pub(crate) fn watch(&mut self, leader: Pid) {
        self.tell('+', leader);
    }

    /// Leaves a program alone that has ended, before its number is free.
    pub(crate) fn forget(&mut self, leader: Pid) {
        self.tell('-', leader);
    }

    fn tell(&mut self, what: char, leader: Pid) {
        let line = format!("{what}{leader}\n");
        let told = self
            .pipe
            .as_mut()
            .map(|pipe| pipe.write_all(line.as_bytes()));
        if let Some(Err(error)) = told {
            tracing::warn!("programs may outlive this process if it is killed: {error}");
            self.pipe = None;
        }
    }
}

/// Lets it end, which it does at once as nothing is left.
impl Drop for Guard {
    fn drop(&mut self) {
        self.pipe = None;
        // An error means that it has ended.
        let _ = self.child.wait();
    }
}

/// Is the guard of the process that has the other end of standard input.
pub(super) fn guard() {
    let mut leaders = BTreeSet::new();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let (what, leader) = line.split_at(1.min(line.len()));
        let Ok(leader) = leader.parse() else { continue };
        match what {
            "+" => leaders.insert(leader),
            _ => leaders.remove(&leader),
        };
    }
    if !leaders.is_empty() {
        stale::end_sessions(&leaders);
    }
}
