//! The only crate that writes files: the state of runs, and atomic changes of the
//! user's files.
//!
//! [`StateDir`] holds all state: journals ([`FileJournal`]), content by hash
//! ([`FileBlobs`]), locks ([`Lock`]), completion records ([`Records`]), logs, and
//! sessions ([`SessionDir`]). [`Root`] is the user's folder to which paths are
//! confined; [`FileArtifact`] is the artifact under review, [`Tree`] hashes the whole
//! folder, and several processes may append to a [`LineFile`]. Nothing here starts a
//! program, reads the environment, or prints.

mod artifact;
mod atomic;
mod blobs;
mod capture;
mod child;
mod confine;
mod disk;
mod error;
mod host;
mod journal;
mod lane;
mod learning;
mod lines;
mod lock;
mod log;
mod read;
mod records;
mod restore;
mod session;
mod stamp;
mod state;
mod tree;
mod walk;
mod workspace;

pub use artifact::FileArtifact;
pub use atomic::{delete_file, replace_file, write_named};
pub use blobs::FileBlobs;
pub use capture::CaptureDir;
pub use child::{ChildNote, ChildSlot};
pub use confine::{ConfineError, Overlay, Reader, Root, RootPath};
pub use disk::temporary_folder;
pub use error::{Action, FileError};
pub use host::{HostDir, HostLock};
pub use journal::FileJournal;
pub use lane::{LaneDir, share_files};
pub use learning::{
    AgentLock, BadFile, FeedbackStore, LearningFileError, LearningJournal, LessonFiles, Lessons,
    PerformanceFiles, PromptFiles,
};
pub use lines::{LineFile, rewrite_lines};
pub use lock::{Held, Holder, Lock, LockError};
pub use log::LogFile;
pub use read::{open_file, open_named, read_file, read_named};
pub use records::{BadRecord, KeptRecords, RecordLookup, Records, SpecRecord, TaskRecord};
pub use restore::{FolderState, LeftOut};
pub use session::SessionDir;
pub use stamp::Stamp;
pub use state::{Area, RUN_VARIABLE, RunDir, RunError, STATE_DIR, StateDir, StateError, Trash};
pub use tree::{Contents, FileList, KeptFiles, Tree, TreeFiles, TreeHash};
pub use walk::{SKIPPED_FOLDERS, WalkError, folders};
pub use workspace::{Lookup, Surroundings, is_listed, paths, workspace};
