//! Live process groups: the leader of each is a child of this process.
//!
//! The number of a group is not reused until its leader is reaped. So a leader is
//! listed under the same lock that spawns it, and removed from the list before it is
//! reaped: the holder of the lock can signal every listed group and never an unrelated
//! one. The same lock distinguishes leaders from strays, which also become children of
//! this process when their parents end.

use std::io;
use std::panic;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpgid, kill_process_group, waitid,
};

use crate::Exit;
use crate::launcher::{Guard, NotLaunched, Status};
use crate::stale::Tick;
use crate::strays::{self, Strays};

/// The maximum nesting of strays that are searched.
const GENERATIONS: usize = 64;

/// The live groups, shared by all callers that run commands and the thread that may
/// have to kill them all.
#[derive(Clone, Debug, Default)]
pub struct Groups(Arc<Mutex<Listed>>);

#[derive(Debug, Default)]
struct Listed {
    closed: bool,
    /// Whether this process adopts orphaned descendants.
    adopts: bool,
    live: Vec<Live>,
    unreaped: Vec<Child>,
    launcher: Option<PathBuf>,
    guard: Option<Guard>,
}

/// A live group.
#[derive(Debug)]
struct Live {
    leader: Pid,
    /// A time before its start.
    before: Tick,
}

impl Groups {
    /// The groups of a process that starts all its commands under this list. A process
    /// that leaves its group (with `setsid`) is then killed at the end of its call, or
    /// of the last concurrent call.
    ///
    /// That requires a system on which this process can adopt orphaned descendants, so
    /// it is supported only on Linux, and not in a process that already has children or
    /// is process 1.
    pub fn of_process() -> Self {
        let groups = Self::default();
        groups.lock().adopts = strays::adopt();
        groups
    }

    /// Has programs start through a launcher: a program that hands its arguments after
    /// [`LAUNCH`](crate::LAUNCH) to [`launch`](crate::launch). They then have a session of
    /// their own, so no controlling terminal, and none of the inherited descriptors but
    /// the first three; and they are ended, with what they started, when this process ends,
    /// whatever ends it.
    ///
    /// Commands must be run by a thread that lives as long as they do, as the main thread
    /// does, and no other part of this process may start programs.
    #[must_use]
    pub fn with_launcher(self, launcher: PathBuf) -> Self {
        self.lock().launcher = Some(launcher);
        self
    }

    /// The launcher, if there is one.
    pub fn launcher(&self) -> Option<PathBuf> {
        self.lock().launcher.clone()
    }

    /// Ends what outlives this process to end its programs, of which none may live.
    pub fn dismiss_guard(&self) {
        let guard = self.lock().guard.take();
        drop(guard);
    }

    /// Kills every live group at once and prevents further ones. Processes that left a
    /// group are not waited for, and so not found.
    pub fn kill_all(&self) {
        self.kill_all_and(|| {});
    }

    /// Has a panic of any thread kill every live group, after its message: for a
    /// program that a panic aborts, so that nothing else would end them.
    pub fn kill_on_panic(&self) {
        let groups = Arc::clone(&self.0);
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            report(info);
            // The lock is held where the panic is in this list itself.
            if let Ok(mut listed) = groups.try_lock() {
                listed.kill();
            }
        }));
    }

    /// Like [`Self::kill_all`], and calls `then` before anyone can observe how a group
    /// ended.
    pub(crate) fn kill_all_and(&self, then: impl FnOnce()) {
        let mut listed = self.lock();
        listed.kill();
        then();
    }

    /// The number of live groups.
    pub fn live(&self) -> usize {
        self.lock().live.len()
    }

    /// Spawns the leader of a new group: the program itself, or a launcher that tells its
    /// `status`. The guard, if there is a launcher, ends a leader that `is_guarded`.
    pub(crate) fn spawn(
        &self,
        command: &mut Command,
        status: Option<Status>,
        is_guarded: bool,
    ) -> Result<Leader, NotLaunched> {
        let mut listed = self.lock();
        listed.unreaped.retain_mut(|child| !is_reaped(child));
        if listed.closed {
            return Err(NotLaunched::Ended);
        }
        if let Some(status) = &status {
            if is_guarded {
                listed.start_guard();
            }
            status.share()?;
        }
        let before = Tick::now();
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        if let Some(status) = status {
            if is_guarded {
                listed.tell_guard(|guard| guard.watch(pid));
            }
            if let Err(error) = status.wait() {
                listed.tell_guard(|guard| guard.forget(pid));
                // It has failed, so it ends.
                let _ = child.wait();
                return Err(error);
            }
        }
        listed.live.push(Live {
            leader: pid,
            before,
        });
        drop(listed);
        Ok(Leader {
            child: Some(child),
            pid,
            groups: self.clone(),
        })
    }

    /// Kills processes that left the groups of ended calls, and waits for their end,
    /// including processes that they started.
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
    fn start_guard(&mut self) {
        if let (Some(launcher), None) = (&self.launcher, &self.guard) {
            match Guard::start(launcher) {
                Ok(guard) => self.guard = Some(guard),
                Err(error) => tracing::warn!(
                    "what programs start may outlive this process if it is killed: {error}"
                ),
            }
        }
    }

    fn tell_guard(&mut self, tell: impl FnOnce(&mut Guard)) {
        self.guard.as_mut().map(tell);
    }

    /// Kills every group and prevents further ones.
    fn kill(&mut self) {
        self.closed = true;
        for live in &self.live {
            send(Signal::KILL, live.leader);
        }
    }

    /// The children of this process that do not lead a group, if it adopts some.
    fn others(&self) -> Vec<Pid> {
        let children = self.adopts.then(strays::children).into_iter().flatten();
        children.filter(|pid| !self.is_leader(*pid)).collect()
    }

    /// Whether any of these children of this process runs and belongs to an ended leader:
    /// is in its group, or anywhere, if no other group is live.
    fn has_left(&self, leader: Pid, others: &[Pid]) -> bool {
        let is_alone = self.live.iter().all(|live| live.leader == leader);
        let is_its = |pid| is_alone || getpgid(Some(pid)).is_ok_and(|group| group == leader);
        others.iter().any(|pid| is_its(*pid) && strays::runs(*pid))
    }

    /// Whether a child of this process is the leader of a group, or the guard.
    fn is_leader(&self, pid: Pid) -> bool {
        let mut unreaped = self.unreaped.iter();
        self.guard.as_ref().is_some_and(|guard| guard.pid() == pid)
            || self.live.iter().any(|live| live.leader == pid)
            || unreaped.any(|child| Pid::from_child(child) == pid)
    }

    /// Kills the children that are not leaders and started before every live group:
    /// they belong to calls that have ended.
    fn kill_strays(&self) -> Strays {
        if !self.adopts || !strays::has_children() {
            return Strays::default();
        }
        let oldest = self.live.iter().map(|live| live.before).min();
        Strays::kill(|pid| {
            !self.is_leader(pid) && oldest.is_none_or(|oldest| Tick::of_start(pid) < oldest)
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
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Leader {
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn take_pipes(&mut self) -> Pipes {
        let child = self.child.as_mut();
        let (stdout, stderr) = child.map_or((None, None), |child| {
            (child.stdout.take(), child.stderr.take())
        });
        Pipes { stdout, stderr }
    }

    /// Sends SIGTERM to the whole group.
    pub(crate) fn terminate(&self) {
        send(Signal::TERM, self.pid);
    }

    /// Sends SIGKILL to the whole group.
    pub(crate) fn kill(&self) {
        send(Signal::KILL, self.pid);
    }

    /// Returns the exit of the leader, if it has ended, without reaping it.
    pub(crate) fn ended(&self) -> io::Result<Option<Exit>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.pid), options)?;
        Ok(status.as_ref().and_then(exit))
    }

    /// Kills the rest of the group and the processes that left it, removes it from the
    /// list, and reaps the leader if it has ended; otherwise a later spawn reaps it.
    /// Returns whether others of its processes, those that can be found, outlived it.
    pub(crate) fn finish(&mut self) -> bool {
        let Some(mut child) = self.child.take() else {
            return false;
        };
        let has_ended = matches!(self.ended(), Ok(Some(_)));
        let mut listed = self.groups.lock();
        let others = listed.others();
        let has_left = has_ended && listed.has_left(self.pid, &others);
        send(Signal::KILL, self.pid);
        listed.live.retain(|live| live.leader != self.pid);
        listed.tell_guard(|guard| guard.forget(self.pid));
        if !is_reaped(&mut child) {
            listed.unreaped.push(child);
        }
        drop(listed);
        // What an ended leader left has become a child of this process.
        if !has_ended || !others.is_empty() {
            self.groups.end_strays();
        }
        has_left
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.finish();
    }
}

fn send(signal: Signal, group: Pid) {
    // An error means that every process of the group has ended.
    let _ = kill_process_group(group, signal);
}

/// Whether a child no longer needs to be reaped; one that cannot be waited for does
/// not.
fn is_reaped(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

fn exit(status: &WaitIdStatus) -> Option<Exit> {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal))
}
