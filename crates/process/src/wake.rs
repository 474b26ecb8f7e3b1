//! Notification of the end of a child.

use std::io;

use rustix::process::Pid;
use tokio::signal::unix::{Signal, SignalKind, signal};

#[cfg(target_os = "linux")]
use handle::Handle;

/// Notification that a child may have ended; the child is then queried.
pub(crate) enum Wake {
    /// The system notifies about this child, and wakes only this thread.
    #[cfg(target_os = "linux")]
    Handle(Handle),
    /// The system notifies about every child, in every thread with a runtime.
    Signal {
        /// SIGCHLD.
        children: Signal,
        /// Whether the child was queried since the start: it may have ended before.
        asked: bool,
    },
}

impl Wake {
    /// Starts listening for the end of `child` with the best available method.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        Handle::of(child).map_or_else(|_| Self::by_signal(), |handle| Ok(Self::Handle(handle)))
    }

    /// Starts listening for the end of a child.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_child: Pid) -> io::Result<Self> {
        Self::by_signal()
    }

    fn by_signal() -> io::Result<Self> {
        Ok(Self::Signal {
            children: signal(SignalKind::child())?,
            asked: false,
        })
    }

    /// Waits until the child may have ended; cancel safe.
    pub(crate) async fn changed(&mut self) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Handle(handle) => handle.changed().await?,
            Self::Signal { asked, .. } if !*asked => *asked = true,
            Self::Signal { children, .. } => {
                let _some_child = children.recv().await;
            }
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod handle {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// A handle of a child, which becomes readable when it ends.
    pub(crate) struct Handle(AsyncFd<OwnedFd>);

    impl Handle {
        #[expect(
            deprecated,
            reason = "sound for a handle that owns its descriptor; the alternative is unsafe"
        )]
        pub(super) fn of(child: Pid) -> io::Result<Self> {
            let handle = pidfd_open(child, PidfdFlags::empty())?;
            AsyncFd::with_interest(handle, Interest::READABLE).map(Self)
        }

        pub(super) async fn changed(&mut self) -> io::Result<()> {
            self.0.readable().await?.clear_ready();
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;
    use crate::{Exit, Groups};

    fn leader(groups: &Groups, script: &str) -> crate::group::Leader {
        #[expect(clippy::disallowed_methods, reason = "a child to wait for")]
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let leader = groups.spawn(&mut command, None, false);
        leader.unwrap_or_else(|_| panic!("sh does not start"))
    }

    async fn end_of(mut wake: Wake, leader: &crate::group::Leader) -> Exit {
        loop {
            wake.changed().await.expect("a notification");
            if let Some(exit) = leader.ended().expect("the child can be asked") {
                return exit;
            }
        }
    }

    #[tokio::test]
    async fn the_end_of_a_child_is_detected_before_and_after_the_start() {
        let groups = Groups::default();
        for script in ["exit 3", "read line; exit 3"] {
            for by_signal in [false, true] {
                let leader = leader(&groups, script);
                let wake = if by_signal {
                    Wake::by_signal()
                } else {
                    Wake::of(leader.pid())
                };
                let exit = end_of(wake.expect("the system can tell"), &leader).await;
                assert_eq!(exit, Exit::Code(3), "{script}, by signal: {by_signal}");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_system_offers_a_handle() {
        let groups = Groups::default();
        let leader = leader(&groups, "exit 0");
        let wake = Wake::of(leader.pid()).expect("the system can tell");
        assert!(matches!(wake, Wake::Handle(_)));
    }
}
