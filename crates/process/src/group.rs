//! Live process groups: each has a leader that is a child of this process.
//!
//! A group's number stays taken until its leader is reaped. So a leader is
//! listed under the same lock that spawns it, and taken off the list before it
//! is reaped: whoever holds the lock can signal every listed group and never
//! hits a stranger. The same lock tells leaders from strays, which are children
//! of this process as well once their parents have ended.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};

use crate::Exit;
use crate::stale::Tick;
use crate::strays::{self, Strays};

/// How often strays of strays are looked for.
const GENERATIONS: usize = 64;

/// The groups that are alive, shared by everybody who runs commands and the
/// thread that may have to kill them all.
#[derive(Clone, Debug, Default)]
pub struct Groups(Arc<Mutex<Listed>>);

#[derive(Debug, Default)]
struct Listed {
    closed: bool,
    /// Whether this process is the parent of those whose parents have ended.
    adopts: bool,
    live: Vec<Live>,
    unreaped: Vec<Child>,
}

/// A group that is alive.
#[derive(Debug)]
struct Live {
    leader: Pid,
    /// A moment before it started.
    before: Tick,
}

impl Groups {
    /// The groups of a process that starts all its commands under this one
    /// list. A process that leaves its group (with `setsid`) is then killed at
    /// the end of its call, or of the last call that runs beside it.
    ///
    /// That needs a system that gives such processes to this one when their
    /// parents end, so it is done on Linux alone, and not in a process that has
    /// children already or is the first of its system.
    #[must_use]
    pub fn of_process() -> Self {
        let groups = Self::default();
        groups.lock().adopts = strays::adopt();
        groups
    }

    /// Kills every live group at once and lets no further one start. What has
    /// left a group is not waited for, and so not found.
    pub fn kill_all(&self) {
        self.kill_all_and(|| {});
    }

    /// The same, and `then` before anybody can learn how a group has ended.
    pub(crate) fn kill_all_and(&self, then: impl FnOnce()) {
        let mut listed = self.lock();
        listed.closed = true;
        for live in &listed.live {
            send(Signal::KILL, live.leader);
        }
        then();
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
        let before = Tick::now();
        let child = command.spawn()?;
        let pid = Pid::from_child(&child);
        listed.live.push(Live {
            leader: pid,
            before,
        });
        drop(listed);
        Ok(Some(Leader {
            child: Some(child),
            pid,
            groups: self.clone(),
        }))
    }

    /// Kills what left the groups of calls that have ended, and waits for its
    /// end. What a stray has started is a stray in turn.
    fn end_strays(&self) {
        for _ in 0..GENERATIONS {
            let strays = self.lock().kill_strays();
            if strays.is_empty() || !strays.end() {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Listed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listed {
    /// Kills the children that are no leaders and started before every group
    /// that is alive: those are of calls that have ended.
    fn kill_strays(&self) -> Strays {
        if !self.adopts || !strays::has_children() {
            return Strays::default();
        }
        let oldest = self.live.iter().map(|live| live.before).min();
        let is_leader = |pid: Pid| {
            self.live.iter().any(|live| live.leader == pid)
                || self
                    .unreaped
                    .iter()
                    .any(|child| Pid::from_child(child) == pid)
        };
        Strays::kill(|pid| {
            !is_leader(pid) && oldest.is_none_or(|oldest| Tick::of_start(pid) < oldest)
        })
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

    /// Kills what is left of the group and what left it, takes it off the list
    /// and reaps the leader if it has ended; else a later spawn reaps it.
    pub(crate) fn finish(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        send(Signal::KILL, self.pid);
        let mut listed = self.groups.lock();
        listed.live.retain(|live| live.leader != self.pid);
        if !is_reaped(&mut child) {
            listed.unreaped.push(child);
        }
        drop(listed);
        self.groups.end_strays();
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
