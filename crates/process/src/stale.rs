//! The identity of a group that outlives the process that started it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use rustix::process::Pid;

/// The identity of a group, which distinguishes it from a later one with the same
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupId {
    /// The number of the group and of its leader.
    pub pgid: u32,
    /// The start time of the leader, in ticks since the boot of the system; `None` if
    /// the system does not report it.
    pub start_time: Option<u64>,
}

impl GroupId {
    /// Returns the identity of the group of a leader that was spawned after `before`.
    /// Querying the start time costs as much as a write to disk, so it is only done if
    /// a tick has started in between.
    pub(crate) fn of_leader(leader: Pid, before: Tick) -> Self {
        let pgid = leader.as_raw_nonzero().get().unsigned_abs();
        let between = before.0.filter(|_| before == Tick::now());
        Self {
            pgid,
            start_time: between.or_else(|| system::start_time(pgid)),
        }
    }
}

/// A tick of the clock of start times, if the system has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tick(Option<u64>);

impl Tick {
    pub(crate) fn now() -> Self {
        Self(system::ticks())
    }

    /// The start time of a process; the current time if it cannot be queried.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_start(process: Pid) -> Self {
        let pid = process.as_raw_nonzero().get().unsigned_abs();
        Self(system::start_time(pid).or_else(system::ticks))
    }
}

/// Formats the number and, if known, the start time: `4711 1234567`.
impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.pgid)?;
        match self.start_time {
            Some(ticks) => write!(f, " {ticks}"),
            None => Ok(()),
        }
    }
}

/// A string that is not the identity of a group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a process group")]
pub struct ParseGroupIdError(pub String);

impl FromStr for GroupId {
    type Err = ParseGroupIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseGroupIdError(text.to_owned());
        let mut words = text.split_ascii_whitespace();
        let pgid = words.next().and_then(|word| word.parse().ok());
        let start_time = words.next().map(str::parse).transpose();
        match (pgid, start_time, words.next()) {
            (Some(pgid), Ok(start_time), None) => Ok(Self { pgid, start_time }),
            _ => Err(error()),
        }
    }
}

/// Kills a group that an earlier process left running, and waits for the end of its
/// leader: returns whether it ran, and has ended within five seconds. A group whose leader
/// has a different start time, or whose state cannot be determined, is left alone.
pub fn end_stale_group(group: GroupId) -> bool {
    system::end(group)
}

/// The processes that had to end, counted by the outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct EndedProcesses {
    /// How many have ended.
    pub ended: usize,
    /// How many had not ended five seconds after they were killed.
    pub dying: usize,
}

/// Ends the processes of sessions or groups whose leaders have these numbers, as
/// [`end_processes_where`] does.
pub(crate) fn end_sessions(leaders: &BTreeSet<u32>) {
    system::end_sessions(leaders);
}

/// Ends the processes whose environment has a variable, given with its value, for which
/// `is_meant` is true, and waits for them: what another process started with the variable
/// and left running, whether it was recorded or not. They have five seconds to finish by
/// themselves, and five more after SIGTERM, before they are killed. This process and its
/// ancestors are left alone. Finds none where the system does not show the environment of
/// processes.
pub fn end_processes_where(is_meant: impl Fn(&str, &str) -> bool) -> EndedProcesses {
    system::end_where(is_meant)
}

#[cfg(target_os = "linux")]
pub(crate) use system::ends_within;

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::fs::{self, File};
    use std::io::Read;
    use std::os::fd::{AsFd, OwnedFd};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, retry_on_intr};
    use rustix::param::clock_ticks_per_second;
    use rustix::process::{
        Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal,
    };
    use rustix::time::{ClockId, clock_gettime};

    use super::{EndedProcesses, GroupId};

    const KILL_TIMEOUT: Timespec = Timespec {
        tv_sec: 5,
        tv_nsec: 0,
    };
    const NO_WAIT: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };

    /// The handle is opened before the start time is read, so that it refers to the
    /// process whose start time was compared.
    pub(super) fn end(group: GroupId) -> bool {
        let raw = i32::try_from(group.pgid).ok();
        let Some(pid) = raw.and_then(Pid::from_raw) else {
            return false;
        };
        let Ok(leader) = pidfd_open(pid, PidfdFlags::empty()) else {
            return false;
        };
        let is_same = group.start_time.is_some() && group.start_time == start_time(group.pgid);
        let runs = || !ends_within(&leader, &NO_WAIT) || has_living_member(group.pgid);
        is_same
            && runs()
            && kill_process_group(pid, Signal::KILL).is_ok()
            && ends_within(&leader, &KILL_TIMEOUT)
    }

    /// The most times that processes are looked for: those that are found may have
    /// started others before they ended.
    const ROUNDS: usize = 8;

    pub(super) fn end_where(is_meant: impl Fn(&str, &str) -> bool) -> EndedProcesses {
        let signals = [None, Some(Signal::TERM), Some(Signal::KILL)];
        end_all(|| with(&is_meant), &signals)
    }

    pub(super) fn end_sessions(leaders: &BTreeSet<u32>) {
        let is_of = |number: Option<u64>| {
            let number = number.and_then(|number| u32::try_from(number).ok());
            number.is_some_and(|number| leaders.contains(&number))
        };
        let of_sessions = || {
            let all = processes().into_iter().flatten();
            let found = all.filter_map(|pid| {
                let handle = open(pid)?;
                let is_meant = is_of(field(pid, SESSION)) || is_of(field(pid, GROUP));
                is_meant.then_some(handle)
            });
            found.collect()
        };
        let EndedProcesses { .. } = end_all(of_sessions, &[Some(Signal::TERM), Some(Signal::KILL)]);
    }

    /// Ends what is found, by the first of these signals that ends it.
    fn end_all(find: impl Fn() -> Vec<OwnedFd>, signals: &[Option<Signal>]) -> EndedProcesses {
        let mut all = EndedProcesses::default();
        for _ in 0..ROUNDS {
            let mut found = find();
            if found.is_empty() {
                break;
            }
            let count = found.len();
            for signal in signals {
                found = alive_after(found, *signal);
            }
            all.ended += count - found.len();
            all.dying = found.len();
            if all.dying > 0 {
                break;
            }
        }
        all
    }

    /// Sends a signal to processes, if there is one, and returns those that have not ended in
    /// time.
    #[expect(
        clippy::disallowed_methods,
        reason = "processes are waited for within one limit of time"
    )]
    fn alive_after(processes: Vec<OwnedFd>, signal: Option<Signal>) -> Vec<OwnedFd> {
        let has_ended = |process: &OwnedFd| {
            signal.is_some_and(|signal| pidfd_send_signal(process, signal) == Err(Errno::SRCH))
        };
        let signalled: Vec<_> = processes
            .into_iter()
            .filter(|process| !has_ended(process))
            .collect();
        let deadline = Instant::now() + Duration::from_secs(KILL_TIMEOUT.tv_sec.unsigned_abs());
        let alive = signalled.into_iter().filter(|process| {
            let left = deadline.saturating_duration_since(Instant::now());
            !ends_within(process, &Timespec::try_from(left).unwrap_or(NO_WAIT))
        });
        alive.collect()
    }

    /// The processes with a variable that is meant. Each handle is opened before the environment is
    /// read, so that both are of the same process.
    fn with(is_meant: impl Fn(&str, &str) -> bool) -> Vec<OwnedFd> {
        let own: Vec<_> = own_and_ancestors().collect();
        let others = processes()
            .into_iter()
            .flatten()
            .filter(|pid| !own.contains(pid));
        let found = others.filter_map(|pid| {
            let handle = open(pid)?;
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let variables = environment.split(|byte| *byte == 0);
            let texts = variables.filter_map(|variable| str::from_utf8(variable).ok());
            let mut named = texts.filter_map(|variable| variable.split_once('='));
            named
                .any(|(name, value)| is_meant(name, value))
                .then_some(handle)
        });
        found.collect()
    }

    fn own_and_ancestors() -> impl Iterator<Item = u32> {
        let parent = |pid: &u32| {
            u32::try_from(field(*pid, PARENT)?)
                .ok()
                .filter(|pid| *pid > 0)
        };
        std::iter::successors(Some(std::process::id()), parent)
    }

    fn open(pid: u32) -> Option<OwnedFd> {
        let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
        pidfd_open(pid, PidfdFlags::empty()).ok()
    }

    /// The processes of the system, where it lists them.
    fn processes() -> Option<impl Iterator<Item = u32>> {
        let processes = fs::read_dir("/proc").ok()?;
        let names = processes.filter_map(|process| process.ok()?.file_name().into_string().ok());
        Some(names.filter_map(|name| name.parse().ok()))
    }

    /// Whether a process ends in time, or has already ended, reaped or not.
    pub(crate) fn ends_within(process: impl AsFd, timeout: &Timespec) -> bool {
        let mut handles = [PollFd::new(&process, PollFlags::IN)];
        let ended = retry_on_intr(|| poll(&mut handles, Some(timeout)));
        ended.is_ok_and(|ended| ended > 0)
    }

    /// Whether a group has a process that has not ended. If the processes cannot be
    /// listed, it does.
    fn has_living_member(pgid: u32) -> bool {
        let Some(processes) = processes() else {
            return true;
        };
        let mut members = processes.filter(|pid| field(*pid, GROUP) == Some(u64::from(pgid)));
        members.any(|pid| open(pid).is_some_and(|handle| !ends_within(&handle, &NO_WAIT)))
    }

    /// The time since boot in ticks, truncated like start times.
    pub(super) fn ticks() -> Option<u64> {
        const NANOS: u64 = 1_000_000_000;
        let now = clock_gettime(ClockId::Boottime);
        let nanos = NANOS.checked_div(clock_ticks_per_second())?;
        let seconds = u64::try_from(now.tv_sec).ok()?;
        let since = seconds.checked_mul(NANOS)? + u64::try_from(now.tv_nsec).ok()?;
        since.checked_div(nanos)
    }

    pub(super) fn start_time(pid: u32) -> Option<u64> {
        field(pid, START_TIME)
    }

    /// The positions of fields after the program name.
    const PARENT: usize = 1;
    const GROUP: usize = 2;
    const SESSION: usize = 3;
    const START_TIME: usize = 19;

    /// Reads a number after the program name, which is in parentheses and may itself
    /// contain blanks and parentheses. One read returns everything: a name has at most
    /// 15 bytes and a number 20 digits.
    fn field(pid: u32, at: usize) -> Option<u64> {
        let mut line = [0; 2048];
        let length = File::open(format!("/proc/{pid}/stat"))
            .ok()?
            .read(&mut line)
            .ok()?;
        let stat = &line[..length];
        let name_end = stat.iter().rposition(|&byte| byte == b')')?;
        let fields = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
        fields.split_ascii_whitespace().nth(at)?.parse().ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::BTreeSet;

    use rustix::event::{Timespec, poll};
    use rustix::process::{Pid, Signal, kill_process_group};

    use super::{EndedProcesses, GroupId};

    const GRACE: Timespec = Timespec {
        tv_sec: 5,
        tv_nsec: 0,
    };

    /// The groups alone: sessions are not listed, nor can their end be waited for.
    pub(super) fn end_sessions(leaders: &BTreeSet<u32>) {
        let send = |signal| {
            let numbers = leaders
                .iter()
                .filter_map(|leader| i32::try_from(*leader).ok());
            // An error means that every process of the group has ended.
            numbers
                .filter_map(Pid::from_raw)
                .filter(|leader| kill_process_group(*leader, signal).is_ok())
                .count()
        };
        if send(Signal::TERM) > 0 {
            // Ends early only where the system does not wait.
            let _ = poll(&mut [], Some(&GRACE));
            send(Signal::KILL);
        }
    }

    pub(super) fn ticks() -> Option<u64> {
        None
    }

    pub(super) fn start_time(_pid: u32) -> Option<u64> {
        None
    }

    pub(super) fn end(_group: GroupId) -> bool {
        false
    }

    pub(super) fn end_where(_is_meant: impl Fn(&str, &str) -> bool) -> EndedProcesses {
        EndedProcesses::default()
    }
}
