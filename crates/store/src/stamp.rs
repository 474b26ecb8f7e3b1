//! Detection of changed files by their metadata.
//!
//! Size, inode and both times must be equal. The times must also be earlier than the
//! time of the read: a file that was written in the same clock tick could be written
//! again with the same times.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The possible error of a time in a file system with a resolution of whole seconds.
const COARSE_SECONDS: i64 = 2;

/// The clock from which file systems take their times.
#[cfg(target_os = "linux")]
const FILE_CLOCK: ClockId = ClockId::RealtimeCoarse;
#[cfg(not(target_os = "linux"))]
const FILE_CLOCK: ClockId = ClockId::Realtime;

/// A timestamp of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct FileTime {
    pub(crate) seconds: i64,
    pub(crate) nanos: i64,
}

impl FileTime {
    /// The time that a file would get now. It is only compared with other times of
    /// files.
    pub(crate) fn now() -> Self {
        let now = clock_gettime(FILE_CLOCK);
        Self {
            seconds: now.tv_sec,
            nanos: now.tv_nsec,
        }
    }

    /// Whether a file with this time cannot have been written after `later`. A time
    /// without a fraction may be rounded.
    fn is_before(self, later: Self) -> bool {
        if self.nanos == 0 {
            self.seconds.saturating_add(COARSE_SECONDS) < later.seconds
        } else {
            self < later
        }
    }
}

/// The metadata by which a change of a file is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub(crate) size: u64,
    pub(crate) inode: u64,
    pub(crate) modified: FileTime,
    pub(crate) changed: FileTime,
}

impl Stamp {
    /// Returns what a file looks like.
    pub fn of(found: &Metadata) -> Self {
        Self {
            size: found.size(),
            inode: found.ino(),
            modified: FileTime {
                seconds: found.mtime(),
                nanos: found.mtime_nsec(),
            },
            changed: FileTime {
                seconds: found.ctime(),
                nanos: found.ctime_nsec(),
            },
        }
    }

    /// Whether every change after `read_at` is visible in the stamp.
    pub(crate) fn is_settled(&self, read_at: FileTime) -> bool {
        self.modified.is_before(read_at) && self.changed.is_before(read_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_time((seconds, nanos): (i64, i64)) -> FileTime {
        FileTime { seconds, nanos }
    }

    #[test]
    fn a_stamp_is_settled_only_if_both_times_are_before_the_read() {
        for (time, read_at, expected) in [
            ((5, 1), (5, 2), true),
            ((5, 2), (5, 2), false),
            ((5, 3), (5, 2), false),
            ((4, 0), (6, 9), false),
            ((3, 0), (6, 0), true),
            ((i64::MAX, 0), (6, 0), false),
        ] {
            let long_ago = file_time((1, 1));
            for (modified, changed) in [(file_time(time), long_ago), (long_ago, file_time(time))] {
                let stamp = Stamp {
                    size: 1,
                    inode: 1,
                    modified,
                    changed,
                };
                assert_eq!(stamp.is_settled(file_time(read_at)), expected, "{stamp:?}");
            }
        }
    }

    #[test]
    fn the_file_clock_returns_the_current_time() {
        assert!(FileTime::now().seconds > 1_600_000_000);
    }
}
