//! Live process groups: each has a leader that is a child of this process.
//!
//! A group's number stays taken until its leader is reaped. So a leader is
//! listed under the same lock that spawns it, and taken off the list before it
//! is reaped: whoever holds the lock can signal every listed group and never
//! hits a stranger.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};

use crate::Exit;

/// The groups that are alive, shared by everybody who runs commands and the
/// thread that may have to kill them all.
#[derive(Clone, Debug, Default)]
pub struct Groups(Arc<Mutex<Listed>>);

#[derive(Debug, Default)]
struct Listed {
    closed: bool,
    live: Vec<Pid>,
    unreaped: Vec<Child>,
}

impl Groups {
    /// Kills every live group at once and lets no further one start.
    pub fn kill_all(&self) {
        let mut listed = self.lock();
        listed.closed = true;
        for &group in &listed.live {
            send(Signal::KILL, group);
        }
    }

    /// The number of groups that are alive.
    #[must_use]
    pub fn live(&self) -> usize {
        self.lock().live.len()
    }

    /// Spawns the leader of a new group; `None` when no further one may start.
    pub(crate) fn spawn(&self, command: &mut Command) -> io::Result<Option<Leader>> {
        let mut listed = self.lock();
        listed.unreaped.retain_mut(|child| !is_reaped(child));
        if listed.closed {
            return Ok(None);
        }
        let child = command.spawn()?;
        let pid = Pid::from_child(&child);
        listed.live.push(pid);
        drop(listed);
        Ok(Some(Leader {
            child: Some(child),
            pid,
            groups: self.clone(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Listed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The leader of a live group. Dropping it kills the group.
#[derive(Debug)]
pub(crate) struct Leader {
    child: Option<Child>,
    pid: Pid,
    groups: Groups,
}

/// The parent's ends of the pipes of a child.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Leader {
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn take_pipes(&mut self) -> Pipes {
        let child = self.child.as_mut();
        let (stdin, stdout, stderr) = child.map_or((None, None, None), |child| {
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        });
        Pipes {
            stdin,
            stdout,
            stderr,
        }
    }

    /// Asks the whole group to end.
    pub(crate) fn terminate(&self) {
        send(Signal::TERM, self.pid);
    }

    /// Kills the whole group.
    pub(crate) fn kill(&self) {
        send(Signal::KILL, self.pid);
    }

    /// Tells how the leader has ended, if it has, without reaping it.
    pub(crate) fn ended(&self) -> io::Result<Option<Exit>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.pid), options)?;
        Ok(status.as_ref().and_then(exit))
    }

    /// Kills what is left of the group, takes it off the list and reaps the
    /// leader if it has ended; else a later spawn reaps it.
    pub(crate) fn finish(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        send(Signal::KILL, self.pid);
        let mut listed = self.groups.lock();
        listed.live.retain(|&group| group != self.pid);
        if !is_reaped(&mut child) {
            listed.unreaped.push(child);
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.finish();
    }
}

fn send(signal: Signal, group: Pid) {
    // An error means that every member has ended.
    let _ = kill_process_group(group, signal);
}

/// A child that cannot be waited for is nobody's child any more.
fn is_reaped(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

fn exit(status: &WaitIdStatus) -> Option<Exit> {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal))
}
