//! The corrections of a root, as feedback.

use std::collections::HashSet;
use std::io::{self, BufReader};
use std::path::Path;

use review_learning::collection::Draft;
use review_learning::corrections::{Correction, Mode, Validation};
use review_store::Root;

use super::collect::id_of;
use super::{Collector, LearnError};

/// The file of corrections, relative to the root.
pub const CORRECTIONS_FILE: &str = ".claude/user-corrections.jsonl";

/// The corrections of a root.
#[derive(Debug, Default)]
pub struct RootCorrections {
    /// The corrections, as feedback.
    pub drafts: Vec<Draft>,
    /// The number of lines that hold none.
    pub bad: usize,
}

impl RootCorrections {
    /// Reads those of the folder `root`; none without the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of(root: &Path) -> io::Result<Self> {
        let Some(input) = Root::open(root)?.open_file(CORRECTIONS_FILE)? else {
            return Ok(Self::default());
        };
        let mut drafts = Vec::new();
        let mut validation = Validation::new(Mode::Import);
        validation.each(BufReader::new(input), |_, correction| {
            drafts.push(Draft::of_correction(&correction));
        })?;
        let bad = validation.count() - validation.valid();
        Ok(Self {
            drafts,
            bad: usize::try_from(bad).unwrap_or(usize::MAX),
        })
    }
}

impl Collector<'_> {
    /// Removes the entry of a correction from the store, if it was collected.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn forget(&self, correction: &Correction) -> Result<bool, LearnError> {
        let id = id_of(&Draft::of_correction(correction).key);
        let mut store = self.store()?;
        let removed = store.remove(&HashSet::from([id]))?;
        Ok(removed > 0)
    }
}
