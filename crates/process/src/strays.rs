//! Processes that left their group and outlive their call.
//!
//! They cannot be found by their group. But a process whose parent ends is adopted by
//! the nearest subreaper, so after the end of their call they are children of this
//! process. Checking for children costs one system call; only if there are some, they
//! are listed.

#[cfg(target_os = "linux")]
pub(crate) use linux::{Strays, adopt, children, has_children, runs};
#[cfg(not(target_os = "linux"))]
pub(crate) use none::{Strays, adopt, children, has_children, runs};

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};

    use rustix::event::Timespec;
    use rustix::io::Errno;
    use rustix::process::{
        Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, pidfd_open, pidfd_send_signal,
        set_child_subreaper, waitid,
    };

    use crate::stale::ends_within;

    /// The maximum time to wait for the end of a killed process.
    const KILL_TIMEOUT: Timespec = Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };

    /// Makes this process adopt orphaned descendants; false if it could not distinguish
    /// them from others. Process 1 adopts the children of all processes.
    pub(crate) fn adopt() -> bool {
        !getpid().is_init() && !has_children() && set_child_subreaper(Some(getpid())).is_ok()
    }

    /// Whether this process has any children.
    pub(crate) fn has_children() -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::All, options), Err(Errno::CHILD))
    }

    /// The children of this process; none if they cannot be listed.
    pub(crate) fn children() -> Vec<Pid> {
        listed().unwrap_or_default()
    }

    /// The children of all threads of this process.
    fn listed() -> io::Result<Vec<Pid>> {
        let mut children = Vec::new();
        for thread in fs::read_dir("/proc/self/task")? {
            let listed = fs::read_to_string(thread?.path().join("children"))?;
            let pids = listed
                .split_ascii_whitespace()
                .filter_map(|pid| pid.parse().ok());
            children.extend(pids.filter_map(Pid::from_raw));
        }
        Ok(children)
    }

    /// Whether a child has not ended.
    pub(crate) fn runs(child: Pid) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(child), options), Ok(None))
    }

    /// Handles of killed processes.
    #[derive(Debug, Default)]
    pub(crate) struct Strays(Vec<OwnedFd>);

    impl Strays {
        /// Kills the children for which `is_stray` is true. No other code reaps them,
        /// so their numbers are not reused in the meantime.
        pub(crate) fn kill(is_stray: impl Fn(Pid) -> bool) -> Self {
            let strays = children().into_iter().filter(|pid| is_stray(*pid));
            let handles = strays.filter_map(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
            let killed = handles.inspect(|handle| {
                // An error means that it has ended.
                let _ = pidfd_send_signal(handle, Signal::KILL);
            });
            Self(killed.collect())
        }

        pub(crate) fn is_empty(&self) -> bool {
            self.0.is_empty()
        }

        /// Reaps them as they end; false if one does not end in time.
        pub(crate) fn end(self) -> bool {
            self.0.iter().all(|handle| {
                let has_ended = ends_within(handle, &KILL_TIMEOUT);
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
                // An error means that another call has reaped it.
                let _ = waitid(WaitId::PidFd(handle.as_fd()), options);
                has_ended
            })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod none {
    use rustix::process::Pid;

    pub(crate) fn adopt() -> bool {
        false
    }

    pub(crate) fn has_children() -> bool {
        false
    }

    pub(crate) fn children() -> Vec<Pid> {
        Vec::new()
    }

    pub(crate) fn runs(_child: Pid) -> bool {
        false
    }

    /// Empty: this system does not show them.
    #[derive(Debug, Default)]
    pub(crate) struct Strays;

    impl Strays {
        pub(crate) fn kill(_is_stray: impl Fn(Pid) -> bool) -> Self {
            Self
        }

        pub(crate) fn is_empty(&self) -> bool {
            true
        }

        pub(crate) fn end(self) -> bool {
            true
        }
    }
}
