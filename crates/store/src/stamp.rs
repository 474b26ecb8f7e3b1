//! Whether a file is as it was when it was read, told without reading it.
//!
//! Size, inode and both times must agree. The times must lie before the moment
//! of the reading as well: a file that was written in the same tick of the
//! clock could be written once more and show the same times.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use rustix::time::{ClockId, clock_gettime};

/// How far a time may be off in a file system that keeps whole seconds.
const COARSE_SECONDS: i64 = 2;

/// The clock that file systems take their times from.
#[cfg(target_os = "linux")]
const FILE_CLOCK: ClockId = ClockId::RealtimeCoarse;
#[cfg(not(target_os = "linux"))]
const FILE_CLOCK: ClockId = ClockId::Realtime;

/// A time of a file, ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) seconds: i64,
    pub(crate) nanos: i64,
}

impl Moment {
    /// The time that a file would get now. It is compared with other times of
    /// files and decides nothing else.
    pub(crate) fn now() -> Self {
        let now = clock_gettime(FILE_CLOCK);
        Self {
            seconds: now.tv_sec,
            nanos: now.tv_nsec,
        }
    }

    /// Whether a file with this time cannot have got it after `later`. Without
    /// a fraction the time may be rounded.
    fn is_before(self, later: Self) -> bool {
        if self.nanos == 0 {
            self.seconds.saturating_add(COARSE_SECONDS) < later.seconds
        } else {
            self < later
        }
    }
}

/// What a file looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) inode: u64,
    pub(crate) modified: Moment,
    pub(crate) changed: Moment,
}

impl Stamp {
    pub(crate) fn of(found: &Metadata) -> Self {
        Self {
            size: found.size(),
            inode: found.ino(),
            modified: Moment {
                seconds: found.mtime(),
                nanos: found.mtime_nsec(),
            },
            changed: Moment {
                seconds: found.ctime(),
                nanos: found.ctime_nsec(),
            },
        }
    }

    /// Whether every change after `read_at` shows in the stamp.
    pub(crate) fn is_settled(&self, read_at: Moment) -> bool {
        self.modified.is_before(read_at) && self.changed.is_before(read_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment((seconds, nanos): (i64, i64)) -> Moment {
        Moment { seconds, nanos }
    }

    #[test]
    fn a_stamp_is_settled_only_when_both_times_lie_before_the_reading() {
        for (time, read_at, expected) in [
            ((5, 1), (5, 2), true),
            ((5, 2), (5, 2), false),
            ((5, 3), (5, 2), false),
            ((4, 0), (6, 9), false),
            ((3, 0), (6, 0), true),
            ((i64::MAX, 0), (6, 0), false),
        ] {
            let long_ago = moment((1, 1));
            for (modified, changed) in [(moment(time), long_ago), (long_ago, moment(time))] {
                let stamp = Stamp {
                    size: 1,
                    inode: 1,
                    modified,
                    changed,
                };
                assert_eq!(stamp.is_settled(moment(read_at)), expected, "{stamp:?}");
            }
        }
    }

    #[test]
    fn the_clock_is_that_of_this_century() {
        assert!(Moment::now().seconds > 1_600_000_000);
    }
}
