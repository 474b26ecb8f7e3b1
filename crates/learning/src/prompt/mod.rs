//! Versions of prompts: their text, in which lessons have a section of their
//! own, and which one is in use.

mod active;
mod file;
mod section;
mod update;
mod version;

pub use active::ActiveVersion;
pub use file::VersionFileError;
pub use section::{Edit, Edited, SECTION, SectionError, edit};
pub use update::{Standing, Update, Write};
pub use version::{Change, ChangeType, Performance, PromptVersion};
