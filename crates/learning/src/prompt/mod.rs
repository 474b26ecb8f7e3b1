//! Versions of prompts: their text with its section for lessons, and the active
//! version.

mod active;
mod file;
mod section;
mod update;
mod version;

pub use active::ActiveVersion;
pub use file::VersionFileError;
pub use section::{Edit, Edited, SECTION, SectionError, edit};
pub use update::{PromptState, Update, Write};
pub use version::{Change, ChangeType, Performance, PromptVersion};
