//! Versions of prompts: their text, in which lessons have a section of their
//! own, and which one is in use.

mod active;
mod file;
mod retention;
mod section;
mod update;
mod version;
mod word;

pub use active::ActiveVersion;
pub use file::VersionFileError;
pub use retention::surplus;
pub use section::{Edit, Edited, SECTION, SectionError, edit};
pub use update::{Standing, Update, Write};
pub use version::{Change, Performance, PromptVersion};
pub use word::ChangeType;
