//! Fixes what can be fixed mechanically. Nothing is written before all rounds
//! are done.

use std::collections::BTreeMap;

use review_lint::{Finding, Safety, fixed};
use review_store::{Overlay, Reader, Root, RootPath};

use super::checked::{Checked, Text};
use super::linting::Linting;
use crate::error::{CommandError, ErrorKind, chain};

/// A tree of fixes that uncover each other is climbed so far.
const MAX_ROUNDS: usize = 10;

/// What fixes make of the files of a root.
pub(super) struct Fixes {
    /// What is found then.
    pub(super) checked: Checked,
    /// The files that they change.
    pub(super) files: Vec<FixedFile>,
    /// How many fixes were left out because more would be found, or graver.
    pub(super) refused: usize,
}

/// A file with fixes applied.
pub(super) struct FixedFile {
    /// The file.
    pub(super) path: RootPath,
    /// What it holds.
    pub(super) before: String,
    /// What it is to hold.
    pub(super) after: String,
}

impl Fixes {
    /// What was found, with no fix applied.
    pub(super) fn none(checked: Checked) -> Self {
        Self {
            checked,
            files: Vec::new(),
            refused: 0,
        }
    }
}

impl FixedFile {
    /// Rewrites the file, if it is still as it was.
    ///
    /// # Errors
    /// When somebody else has changed it, or it cannot be written.
    pub(super) fn write(&self, root: &Root) -> Result<(), CommandError> {
        let cannot = |why: String| {
            CommandError::new(
                ErrorKind::Output,
                format!("cannot fix {}: {why}", self.path),
            )
        };
        let now = Reader::new(root).read(self.path.as_str());
        match now {
            Ok(now) if now == self.before.as_bytes() => root
                .replace(&self.path, self.after.as_bytes())
                .map_err(|error| cannot(chain(&error))),
            Ok(_) => Err(cannot("somebody else has changed it meanwhile".to_owned())),
            Err(error) => Err(cannot(chain(&error))),
        }
    }
}

/// Applies the fixes of what was found, round by round, for as long as what is
/// found then weighs less. Fixes that meet wait for the next round.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn fix(
    linting: &Linting<'_>,
    mut overlay: Overlay,
    mut checked: Checked,
    up_to: Safety,
) -> Result<Fixes, CommandError> {
    let mut files: BTreeMap<RootPath, FixedFile> = BTreeMap::new();
    let (mut count, mut refused) = (0, 0);
    for _ in 0..MAX_ROUNDS {
        let round = Round::new(&checked, up_to)?;
        if round.files.is_empty() {
            break;
        }
        let mut next = overlay.clone();
        for file in &round.files {
            next.insert(file.path.clone(), file.after.as_str());
        }
        let after = linting.check(&next)?;
        if after.load() >= checked.load() {
            refused = round.count;
            break;
        }
        for file in round.files {
            match files.get_mut(&file.path) {
                Some(known) => known.after = file.after,
                None => {
                    files.insert(file.path.clone(), file);
                }
            }
        }
        (overlay, checked) = (next, after);
        count += round.count;
    }
    checked.fixed = count;
    Ok(Fixes {
        checked,
        files: files.into_values().collect(),
        refused,
    })
}

/// Fixes that do not meet.
struct Round {
    files: Vec<FixedFile>,
    count: usize,
}

impl Round {
    fn new(checked: &Checked, up_to: Safety) -> Result<Self, CommandError> {
        let mut by_path: BTreeMap<&str, (&Text, Vec<&Finding>)> = BTreeMap::new();
        for (part, finding) in checked.located() {
            // Beyond the first byte that is not UTF-8 nothing is known.
            if let Some(text) = part.text(finding).filter(|text| text.whole) {
                let (_, findings) = by_path.entry(&finding.path).or_insert((text, Vec::new()));
                findings.push(finding);
            }
        }
        let mut round = Self {
            files: Vec::new(),
            count: 0,
        };
        for (path, (text, findings)) in by_path {
            let fixed = fixed(&text.source, findings, up_to);
            if fixed.applied.is_empty() {
                continue;
            }
            round.count += fixed.applied.len();
            round.files.push(FixedFile {
                path: RootPath::new(path).map_err(|error| CommandError::input(&error))?,
                before: text.source.clone(),
                after: fixed.text,
            });
        }
        Ok(round)
    }
}
