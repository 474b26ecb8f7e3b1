//! Specs and tasks under the rules of the embedded reviewer.
//!
//! [`selections`] sorts out files by root, [`Linting`] checks those of one root,
//! and [`fix()`] applies what can be fixed mechanically. [`Checked::report`] is
//! the report of it.

mod checked;
mod fix;
mod linting;
mod select;

pub use checked::Checked;
pub use fix::{FixedFile, Fixes, fix};
pub use linting::Linting;
pub use select::{Batch, Selection, selections};
