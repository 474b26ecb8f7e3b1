//! Fixes what can be fixed mechanically. Nothing is written before all rounds
//! are done.

use std::collections::{BTreeMap, BTreeSet};

use review_lint::{FindingId, Safety};
use review_store::{Overlay, Reader, Root, RootPath};
use review_types::error_chain;

use super::checked::Checked;
use super::linting::Linting;
use super::round::Round;
use crate::error::EngineError;

/// The most rounds of fixes that uncover each other.
const MAX_ROUNDS: usize = 10;
/// The most times that all files are checked to tell good fixes from others.
const MAX_TRIALS: usize = 64;

/// The files of a root after fixes.
#[derive(Debug)]
pub struct Fixes {
    /// What is found then.
    pub checked: Checked,
    /// The files that they change.
    pub files: Vec<FixedFile>,
    /// How many fixes were left out because more would be found, or graver.
    pub refused: usize,
}

/// A file with fixes applied.
#[derive(Debug)]
pub struct FixedFile {
    /// The file.
    pub path: RootPath,
    /// What it holds.
    pub before: String,
    /// What it is to hold.
    pub after: String,
}

impl Fixes {
    /// What was found, with no fix applied.
    pub fn none(checked: Checked) -> Self {
        Self {
            checked,
            files: Vec::new(),
            refused: 0,
        }
    }
}

impl FixedFile {
    /// Rewrites the file, if it is still as it was. One that holds the new text
    /// already, by another name of it, is done.
    ///
    /// # Errors
    /// When another process has changed it, or it cannot be written.
    pub fn write(&self, root: &Root) -> Result<(), EngineError> {
        let cannot = |why: String| EngineError::new(format!("cannot fix {}: {why}", self.path));
        let now = Reader::new(root).read(self.path.as_str());
        match now {
            Ok(now) if now == self.before.as_bytes() => root
                .replace(&self.path, self.after.as_bytes())
                .map_err(|error| cannot(error_chain(&error))),
            Ok(now) if now == self.after.as_bytes() => Ok(()),
            Ok(_) => Err(cannot(
                "another process has changed it in the meantime".to_owned(),
            )),
            Err(error) => Err(cannot(error_chain(&error))),
        }
    }
}

/// Applies the fixes of what was found, round by round, for as long as what is
/// found then weighs less. Fixes that meet wait for the next round, and those
/// that raise the load are left out.
///
/// # Errors
/// When a file cannot be read.
pub fn fix(
    linting: &Linting<'_>,
    mut overlay: Overlay,
    mut checked: Checked,
    up_to: Safety,
) -> Result<Fixes, EngineError> {
    let mut files: BTreeMap<RootPath, FixedFile> = BTreeMap::new();
    let mut refused: BTreeSet<FindingId> = BTreeSet::new();
    let (mut count, mut trials) = (0, MAX_TRIALS);
    for _ in 0..MAX_ROUNDS {
        let round = Round::new(linting, &overlay, &checked);
        let candidates = round.candidates(up_to, &refused);
        let kept = round.keep(candidates, &mut trials)?;
        refused.extend(kept.refused);
        let Some(result) = kept.result else { break };
        for file in result.files {
            match files.get_mut(&file.path) {
                Some(known) => known.after = file.after,
                None => {
                    files.insert(file.path.clone(), file);
                }
            }
        }
        count += kept.count;
        (overlay, checked) = (result.overlay, result.checked);
    }
    checked.fixed = count;
    let is_refused = |id: &FindingId| refused.contains(id);
    let refused = checked.findings().filter(|found| is_refused(&found.id));
    Ok(Fixes {
        refused: refused.count(),
        checked,
        files: files.into_values().collect(),
    })
}
