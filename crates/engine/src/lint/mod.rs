//! Specs and tasks under the rules of the embedded reviewer.
//!
//! [`selections`] sorts out files by root, [`Linting`] checks those of one root,
//! and [`fix()`] applies what can be fixed mechanically. [`Checked::report`] is
//! the report of it.

mod checked;
mod fix;
mod linting;
mod select;

use review_store::{ConfineError, FileError, RootPath};

pub use checked::Checked;
pub use fix::{FixedFile, Fixes, fix};
pub use linting::Linting;
pub use select::{Batch, Selection, SpecAlone, selections};

/// Why files cannot be checked or fixed.
#[derive(Debug, thiserror::Error)]
pub enum LintError {
    /// A path leads out of the root, or a file cannot be read.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// A folder cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Nothing is at a path.
    #[error("{0} does not exist")]
    Missing(String),
    /// There is nothing to check.
    #[error("no Markdown file to check")]
    Nothing,
    /// A file cannot be rewritten.
    #[error("cannot fix {path}: {why}")]
    CannotFix {
        /// The file.
        path: RootPath,
        /// Why.
        why: String,
    },
}
