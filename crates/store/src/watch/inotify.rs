//! Watches files and folders with inotify.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::Change;

/// File systems on which only this computer can change a file, by their numbers: ext,
/// XFS, Btrfs, tmpfs, F2FS, ZFS, bcachefs, and overlays over them.
const LOCAL: [u64; 8] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
    0x794c_7630,
];

/// Size of the buffer of reports in bytes.
const BUFFER: usize = 16 * 1024;

/// What is watched.
#[derive(Debug)]
pub(super) struct Watched {
    reports: OwnedFd,
    root: PathBuf,
    identity: Identity,
    /// The folders, relative to the root. Some may not exist.
    folders: BTreeSet<PathBuf>,
    /// The files and folders by the numbers of their watches. Several names of a file
    /// have the same number.
    names: BTreeSet<(i32, PathBuf)>,
}

/// A folder, whatever its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Watched {
    /// Watches nothing yet; `None` if changes below `root` cannot be reported.
    pub(super) fn of(root: &Path) -> Option<Self> {
        let system = rustix::fs::statfs(root).ok()?;
        let number = u64::try_from(system.f_type).ok()?;
        if !LOCAL.contains(&number) {
            return None;
        }
        let reports = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK);
        Some(Self {
            reports: reports.ok()?,
            identity: Identity::of(root).ok()??,
            root: root.to_owned(),
            folders: BTreeSet::new(),
            names: BTreeSet::new(),
        })
    }

    /// Watches other folders, and no file; `None` if one of them cannot be watched.
    pub(super) fn renew(mut self, folders: BTreeSet<PathBuf>) -> Option<Self> {
        self.identity = Identity::of(&self.root).ok()??;
        let mut names = BTreeSet::new();
        for folder in &folders {
            let path = self.root.join(folder);
            let identity = match Identity::of(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found.ok()??,
            };
            if identity.device != self.identity.device {
                return None;
            }
            match inotify::add_watch(&self.reports, &path, of_folders()) {
                Ok(number) => names.insert((number, folder.clone())),
                Err(Errno::NOENT) => continue,
                Err(_) => return None,
            };
        }
        let kept: BTreeSet<_> = names.iter().map(|(number, _)| *number).collect();
        let before: BTreeSet<_> = self.names.iter().map(|(number, _)| *number).collect();
        for number in before.difference(&kept) {
            // Fails if the file is gone, and its watch with it.
            let _ = inotify::remove_watch(&self.reports, *number);
        }
        self.folders = folders;
        self.names = names;
        Some(self)
    }

    /// Watches the file at a path as well; whether that succeeds. One that does not exist
    /// is reported by its folder as soon as it does.
    pub(super) fn follow(&mut self, path: &Path) -> bool {
        match inotify::add_watch(&self.reports, self.root.join(path), of_files()) {
            Ok(number) => {
                self.names.insert((number, path.to_owned()));
                true
            }
            Err(error) => matches!(error, Errno::NOENT | Errno::NOTDIR),
        }
    }

    /// Returns the entries that may have changed since the last time; `None` if folders
    /// have, or reports were lost.
    pub(super) fn changes(&mut self) -> Option<BTreeSet<Change>> {
        if !matches!(Identity::of(&self.root), Ok(Some(root)) if root == self.identity) {
            return None;
        }
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reports = Reader::new(&self.reports, &mut buffer);
        let mut changes = BTreeSet::new();
        let mut is_whole = true;
        loop {
            let report = match reports.next() {
                Ok(report) => report,
                Err(Errno::AGAIN) => return is_whole.then_some(changes),
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            };
            is_whole &= !report.events().contains(ReadFlags::QUEUE_OVERFLOW);
            let number = report.wd();
            let name = report
                .file_name()
                .map(|name| OsStr::from_bytes(name.to_bytes()));
            let ends = report.events().contains(ReadFlags::IGNORED);
            let is_folder = report.events().contains(ReadFlags::ISDIR);
            let names = (number, PathBuf::new())..(number.saturating_add(1), PathBuf::new());
            let names: Vec<_> = self.names.range(names).cloned().collect();
            for watched in names {
                let path = match name {
                    Some(name) => watched.1.join(name),
                    None => watched.1.clone(),
                };
                is_whole &= !self.folders.contains(&path);
                changes.insert(Change { path, is_folder });
                if ends {
                    self.names.remove(&watched);
                }
            }
        }
    }
}

impl Identity {
    /// Returns the folder at `path`; `None` for anything else.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        let found = path.symlink_metadata()?;
        Ok(found.is_dir().then(|| Self {
            device: found.dev(),
            inode: found.ino(),
        }))
    }
}

/// What is reported of the entries of a folder, and of itself.
fn of_folders() -> WatchFlags {
    of_files()
        | WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
        | WatchFlags::ONLYDIR
}

/// What is reported of a file, under whatever name it is written.
fn of_files() -> WatchFlags {
    WatchFlags::ATTRIB | WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::DONT_FOLLOW
}
