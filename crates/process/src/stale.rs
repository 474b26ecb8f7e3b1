//! The name of a group that outlives the process that started it.

use std::fmt;
use std::str::FromStr;

use rustix::process::Pid;

/// Names a group so that it can be told from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupId {
    /// The number of the group and of its leader.
    pub pgid: u32,
    /// When the leader started, in ticks of the system since its boot; `None`
    /// where the system does not say.
    pub start_time: Option<u64>,
}

impl GroupId {
    /// Names the group of a leader that was spawned after `before`. Asking the
    /// system for a start time costs as much as a write to disk, so it is asked
    /// only when a tick has begun in between.
    pub(crate) fn of_leader(leader: Pid, before: Tick) -> Self {
        let pgid = leader.as_raw_nonzero().get().unsigned_abs();
        let between = before.0.filter(|_| before == Tick::now());
        Self {
            pgid,
            start_time: between.or_else(|| system::start_time(pgid)),
        }
    }
}

/// The tick of the system's clock that start times count, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tick(Option<u64>);

impl Tick {
    pub(crate) fn now() -> Self {
        Self(system::ticks())
    }

    /// When a process started; one that cannot be asked has started now.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_start(process: Pid) -> Self {
        let pid = process.as_raw_nonzero().get().unsigned_abs();
        Self(system::start_time(pid).or_else(system::ticks))
    }
}

/// Writes the number and, where it is known, the start time: `4711 1234567`.
impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.pgid)?;
        match self.start_time {
            Some(ticks) => write!(f, " {ticks}"),
            None => Ok(()),
        }
    }
}

/// A text that names no group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" names no process group")]
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

/// What became of a group that another process had started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Stale {
    /// It was still there and has been killed.
    Ended,
    /// It was still there, has been killed, and has not died in five seconds.
    Dying,
    /// Its leader is gone, or nobody in it is more than an exit status that
    /// waits to be read, or somebody else has its number now, or this cannot be
    /// told.
    Gone,
}

/// Kills a group that a process before this one has left behind, and waits for
/// the end of its leader. A group whose leader did not start at the noted time
/// is left alone.
pub fn end_stale_group(group: GroupId) -> Stale {
    system::end(group)
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::{self, File};
    use std::io::Read;
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::retry_on_intr;
    use rustix::param::clock_ticks_per_second;
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
    use rustix::time::{ClockId, clock_gettime};

    use super::{GroupId, Stale};

    const PATIENCE: Timespec = Timespec {
        tv_sec: 5,
        tv_nsec: 0,
    };
    const NO_PATIENCE: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };

    /// The handle is opened before the start time is read, so that it stands
    /// for the process whose start time was compared.
    pub(super) fn end(group: GroupId) -> Stale {
        let raw = i32::try_from(group.pgid).ok();
        let Some(pid) = raw.and_then(Pid::from_raw) else {
            return Stale::Gone;
        };
        let Ok(leader) = pidfd_open(pid, PidfdFlags::empty()) else {
            return Stale::Gone;
        };
        if group.start_time.is_none() || group.start_time != start_time(group.pgid) {
            return Stale::Gone;
        }
        if ends_within(&leader, &NO_PATIENCE) && !has_living_member(group.pgid) {
            return Stale::Gone;
        }
        if kill_process_group(pid, Signal::KILL).is_err() {
            return Stale::Gone;
        }
        if ends_within(&leader, &PATIENCE) {
            Stale::Ended
        } else {
            Stale::Dying
        }
    }

    /// Whether a process ends in time, or has ended, be it that nobody has
    /// reaped it.
    fn ends_within(process: impl AsFd, patience: &Timespec) -> bool {
        let mut handles = [PollFd::new(&process, PollFlags::IN)];
        let ended = retry_on_intr(|| poll(&mut handles, Some(patience)));
        ended.is_ok_and(|ended| ended > 0)
    }

    /// Whether any process of a group has not ended. The system lists a group
    /// by its members alone; a system that does not list them has some.
    fn has_living_member(pgid: u32) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else {
            return true;
        };
        let names = processes.filter_map(|process| process.ok()?.file_name().into_string().ok());
        let numbers = names.filter_map(|name| name.parse().ok());
        let mut members = numbers.filter(|pid| field(*pid, GROUP) == Some(u64::from(pgid)));
        members.any(|pid| {
            let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
            let handle = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
            handle.is_some_and(|handle| !ends_within(&handle, &NO_PATIENCE))
        })
    }

    /// The time since the boot in ticks, cut off as the system cuts off start
    /// times.
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

    /// Where fields stand after the program's name.
    const GROUP: usize = 2;
    const START_TIME: usize = 19;

    /// Reads a number after the program's name, which stands in parentheses and
    /// may itself hold blanks and parentheses. One read gives all of it: a name
    /// has 15 bytes and a number 20 digits.
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
    use super::{GroupId, Stale};

    pub(super) fn ticks() -> Option<u64> {
        None
    }

    pub(super) fn start_time(_pid: u32) -> Option<u64> {
        None
    }

    pub(super) fn end(_group: GroupId) -> Stale {
        Stale::Gone
    }
}
