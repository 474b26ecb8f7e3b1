//! What the system allows this process.

use rustix::process::{Resource, geteuid, getrlimit};

/// The number of files that a process may have open; `None` without a limit.
pub fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Whether this process, and with it its programs, may do what only root may.
pub fn is_root() -> bool {
    geteuid().is_root()
}
