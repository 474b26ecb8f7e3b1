//! The fixes that can be applied at once, and which of them are worth it.

use std::collections::{BTreeMap, BTreeSet};

use review_lint::{Finding, FindingId, Safety, fixed};
use review_store::{Overlay, RootPath};

use super::fix::FixedFile;
use crate::error::EngineError;
use crate::lint::checked::{Checked, Text};
use crate::lint::linting::Linting;

/// The fixes of what was found in some documents.
pub(super) struct Round<'a> {
    linting: &'a Linting<'a>,
    overlay: &'a Overlay,
    checked: &'a Checked,
    texts: BTreeMap<&'a str, &'a Text>,
}

/// A finding with a fix.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    finding: &'a Finding,
    safety: Safety,
}

/// The fixes of a round that are worth it.
pub(super) struct Kept {
    /// The files with these fixes; `None` without fixes.
    pub(super) result: Option<Applied>,
    /// How many they are.
    pub(super) count: usize,
    /// The findings whose fixes are left out.
    pub(super) refused: Vec<FindingId>,
}

/// What some fixes lead to.
pub(super) struct Applied {
    /// The files that they change.
    pub(super) files: Vec<FixedFile>,
    /// The content of these files, and of those that were changed before.
    pub(super) overlay: Overlay,
    /// What is found then.
    pub(super) checked: Checked,
    count: usize,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        linting: &'a Linting<'a>,
        overlay: &'a Overlay,
        checked: &'a Checked,
    ) -> Self {
        let is_told = |path: &&str| linting.only.as_deref().is_none_or(|only| only == *path);
        let mut texts = BTreeMap::new();
        for (part, finding) in checked.located() {
            // Beyond the first byte that is not UTF-8 nothing is known.
            let path = Some(finding.path.as_str()).filter(is_told);
            let text = path.and_then(|path| Some((path, part.text(path)?)));
            if let Some((path, text)) = text.filter(|(_, text)| text.whole) {
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

    /// The fixes that may be tried: the safe ones first, then by file.
    pub(super) fn candidates(
        &self,
        up_to: Safety,
        refused: &BTreeSet<FindingId>,
    ) -> Vec<Candidate<'a>> {
        let mut candidates: Vec<_> = self
            .checked
            .findings()
            .filter(|finding| !refused.contains(&finding.id))
            .filter_map(|finding| {
                let safety = finding.fix.as_ref()?.safety;
                Some(Candidate { finding, safety })
            })
            .filter(|candidate| candidate.safety <= up_to)
            .collect();
        candidates.sort_by_key(|candidate| (candidate.safety, candidate.finding.path.as_str()));
        candidates
    }

    /// The fixes that together lower the load. A group that does not is
    /// divided, until what raises the load stands alone or no trial is left.
    pub(super) fn keep(
        &self,
        candidates: Vec<Candidate<'a>>,
        trials: &mut usize,
    ) -> Result<Kept, EngineError> {
        let mut kept: Vec<Candidate<'a>> = Vec::new();
        let mut best: Option<Applied> = None;
        let mut refused = Vec::new();
        let mut groups = vec![candidates];
        while let Some(group) = groups.pop() {
            let before = best.as_ref().map_or(0, |best| best.count);
            let load = best
                .as_ref()
                .map_or(self.checked.load(), |best| best.checked.load());
            let together = [kept.as_slice(), &group].concat();
            let (files, count) = self.files(&together)?;
            if count == before {
                continue;
            }
            let applied = match trials.checked_sub(1) {
                Some(left) => {
                    *trials = left;
                    Some(self.applied(files, count)?)
                }
                None => None,
            };
            match applied.filter(|applied| applied.checked.load() < load) {
                Some(applied) => {
                    kept = together;
                    best = Some(applied);
                }
                None if group.len() > 1 && *trials > 0 => {
                    let (first, second) = group.split_at(middle(&group));
                    groups.extend([second.to_vec(), first.to_vec()]);
                }
                None => refused.extend(group.iter().map(|left| left.finding.id.clone())),
            }
        }
        Ok(Kept {
            count: best.as_ref().map_or(0, |best| best.count),
            result: best,
            refused,
        })
    }

    /// What fixes make of the files, and how many of them do not meet another.
    fn files(&self, fixes: &[Candidate<'a>]) -> Result<(Vec<FixedFile>, usize), EngineError> {
        let findings = fixes.iter().map(|candidate| candidate.finding);
        let sources = self.texts.iter();
        let sources = sources.map(|(path, text)| (*path, text.source.as_str()));
        let sources: BTreeMap<_, _> = sources.collect();
        let fixed = fixed(&sources, findings, Safety::Unsafe);
        let files = fixed.texts.into_iter().map(|(path, after)| {
            Ok(FixedFile {
                path: RootPath::new(path)?,
                before: sources[path].to_owned(),
                after,
            })
        });
        let files = files.collect::<Result<_, EngineError>>()?;
        Ok((files, fixed.applied.len()))
    }

    fn applied(&self, files: Vec<FixedFile>, count: usize) -> Result<Applied, EngineError> {
        let mut overlay = self.overlay.clone();
        for file in &files {
            overlay.insert(file.path.clone(), file.after.as_str());
        }
        Ok(Applied {
            checked: self.linting.check(&overlay)?,
            files,
            overlay,
            count,
        })
    }
}

/// Where a group of two or more is divided: between safe and unsafe fixes,
/// else between two files, else in halves.
fn middle(group: &[Candidate<'_>]) -> usize {
    let half = group.len() / 2;
    let first_unsafe = group.partition_point(|candidate| candidate.safety == Safety::Safe);
    if (1..group.len()).contains(&first_unsafe) {
        return first_unsafe;
    }
    let path = &group[half].finding.path;
    let start = group.partition_point(|candidate| candidate.finding.path < *path);
    let end = group.partition_point(|candidate| candidate.finding.path <= *path);
    match (start, end) {
        (0, end) if end == group.len() => half,
        (0, end) => end,
        (start, _) => start,
    }
}
