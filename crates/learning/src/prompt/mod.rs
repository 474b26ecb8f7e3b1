//! Versions of prompts: their text with its section for lessons, and the active
//! version.

mod active;
mod file;
mod section;
mod update;
mod version;

pub use active::{ActiveVersion, ChangeCause, VersionChange};
pub use file::VersionFileError;
pub use section::{Edit, Edited, SECTION, SectionError, edit};
pub use update::{PromptState, Switch, Update, Write};
pub use version::{Change, ChangeType, Performance, PromptVersion};
