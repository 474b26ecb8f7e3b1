//! Fixes what can be fixed mechanically. Nothing is written before all rounds
//! are done.

use std::collections::{BTreeMap, BTreeSet};

use review_lint::{Finding, FindingId, Safety, fixed};
use review_store::{Overlay, Reader, Root, RootPath};
use review_types::error_chain;

use super::checked::Checked;
use super::linting::Linting;
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
        let Some(applied) = round.best(&candidates, &mut trials, &mut refused)? else {
            break;
        };
        for file in applied.files {
            match files.get_mut(&file.path) {
                Some(known) => known.after = file.after,
                None => {
                    files.insert(file.path.clone(), file);
                }
            }
        }
        count += applied.count;
        (overlay, checked) = (applied.overlay, applied.checked);
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

/// What is found, and its fixes.
struct Round<'a> {
    linting: &'a Linting<'a>,
    overlay: &'a Overlay,
    checked: &'a Checked,
    texts: BTreeMap<&'a str, &'a str>,
}

/// Some fixes, applied.
struct Applied {
    files: Vec<FixedFile>,
    overlay: Overlay,
    checked: Checked,
    count: usize,
}

impl<'a> Round<'a> {
    fn new(linting: &'a Linting<'a>, overlay: &'a Overlay, checked: &'a Checked) -> Self {
        let is_told = |path: &&str| linting.only.as_deref().is_none_or(|only| only == *path);
        let mut texts = BTreeMap::new();
        for (part, finding) in checked.located() {
            // Beyond the first byte that is not UTF-8 nothing is known.
            let path = Some(finding.path.as_str()).filter(is_told);
            if let Some((path, text)) = path.and_then(|path| Some((path, part.whole_text(path)?))) {
                texts.entry(path).or_insert(text);
            }
        }
        Self {
            linting,
            overlay,
            checked,
            texts,
        }
    }

    /// The findings with a fix that may be applied, the safe ones first.
    fn candidates(&self, up_to: Safety, refused: &BTreeSet<FindingId>) -> Vec<&'a Finding> {
        let findings = self.checked.findings();
        let findings = findings.filter(|found| self.texts.contains_key(found.path.as_str()));
        let of_fixes = findings.filter_map(|found| Some((found.fix.as_ref()?.safety, found)));
        let mut candidates: Vec<_> = of_fixes
            .filter(|(safety, found)| *safety <= up_to && !refused.contains(&found.id))
            .collect();
        candidates.sort_by_key(|(safety, found)| (*safety, found.path.as_str()));
        candidates.into_iter().map(|(_, found)| found).collect()
    }

    /// All fixes together, if less is found then; else those that lower what is found, one
    /// after the other.
    fn best(
        &self,
        candidates: &[&'a Finding],
        trials: &mut usize,
        refused: &mut BTreeSet<FindingId>,
    ) -> Result<Option<Applied>, EngineError> {
        let all = self.applied(candidates, trials)?;
        if let Some(all) = all.filter(|all| all.checked.load() < self.checked.load()) {
            return Ok(Some(all));
        }
        let mut kept: Vec<&Finding> = Vec::new();
        let mut best: Option<Applied> = None;
        for found in candidates {
            let before = best.as_ref();
            let load = before.map_or_else(|| self.checked.load(), |best| best.checked.load());
            let count = before.map_or(0, |best| best.count);
            kept.push(found);
            match self.applied(&kept, trials)? {
                Some(applied) if applied.checked.load() < load => best = Some(applied),
                // It meets another one.
                Some(applied) if applied.count == count => {
                    kept.pop();
                }
                Some(_) | None => {
                    kept.pop();
                    refused.insert(found.id.clone());
                }
            }
        }
        Ok(best)
    }

    /// What these fixes make of the files; `None` after too many trials, or without any.
    fn applied(
        &self,
        findings: &[&'a Finding],
        trials: &mut usize,
    ) -> Result<Option<Applied>, EngineError> {
        let fixed = fixed(&self.texts, findings.iter().copied(), Safety::Unsafe);
        let count = fixed.applied.len();
        let Some(left) = trials.checked_sub(1).filter(|_| count > 0) else {
            return Ok(None);
        };
        *trials = left;
        let mut overlay = self.overlay.clone();
        let mut files = Vec::new();
        for (path, after) in fixed.texts {
            let file = FixedFile {
                path: RootPath::new(path)?,
                before: self.texts[path].to_owned(),
                after,
            };
            overlay.insert(file.path.clone(), file.after.as_str());
            files.push(file);
        }
        Ok(Some(Applied {
            checked: self.linting.check(&overlay)?,
            files,
            overlay,
            count,
        }))
    }
}
