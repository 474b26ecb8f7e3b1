//! Versions of prompts.

mod version;
mod word;

pub use version::{Change, Performance, PromptVersion};
pub use word::ChangeType;
