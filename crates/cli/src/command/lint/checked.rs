//! What was found in all that was checked.

use std::path::{Path, PathBuf};

use review_document::workspace::Workspace;
use review_lint::{Finding, Report};
use review_types::{CriterionName, Score, Scores, Verdict};

use super::LintReport;
use crate::output::Version;

/// What was found, with the texts it was found in.
#[derive(Default)]
pub(super) struct Checked {
    /// Each unit, and all other documents of a root.
    pub(super) parts: Vec<Part>,
    /// How many findings were mended before.
    pub(super) mended: usize,
}

/// A workspace with its report.
pub(super) struct Part {
    /// The root of its paths.
    pub(super) root: PathBuf,
    /// What the rules saw.
    pub(super) workspace: Workspace,
    /// What they said.
    pub(super) report: Report,
}

impl Checked {
    /// Adds a workspace with its report.
    pub(super) fn push(&mut self, root: &Path, workspace: Workspace, report: Report) {
        self.parts.push(Part {
            root: root.to_owned(),
            workspace,
            report,
        });
    }

    /// Adds all of another root.
    pub(super) fn add(&mut self, other: Self) {
        self.parts.extend(other.parts);
        self.mended += other.mended;
    }

    /// All findings.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.parts.iter().flat_map(|part| part.report.findings())
    }

    /// The worst verdict; `None` when no rule had anything to look at.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let verdicts = self.parts.iter().filter_map(|part| part.report.verdict());
        verdicts.reduce(|worst, next| match worst {
            Verdict::NeedsRevision => worst,
            Verdict::Pass => next,
        })
    }

    /// The lowest score of each criterion.
    pub(super) fn scores(&self) -> Scores {
        let mut lowest = Scores::default();
        let read = self
            .parts
            .iter()
            .filter(|part| part.report.verdict().is_some());
        for (name, score) in read.flat_map(|part| part.report.scores().iter()) {
            keep_lower(&mut lowest, name, score);
        }
        lowest
    }

    /// The machine output.
    pub(super) fn report(&self) -> LintReport<'_> {
        let mut checked: Vec<_> = self
            .parts
            .iter()
            .flat_map(|part| part.report.checked())
            .map(|checked| checked.rule)
            .collect();
        checked.sort_unstable();
        checked.dedup();
        LintReport {
            v: Version,
            verdict: self.verdict(),
            scores: self.scores(),
            findings: self.findings().collect(),
            suppressed: self
                .parts
                .iter()
                .map(|part| part.report.suppressed().len())
                .sum(),
            mended: self.mended,
            checked: checked.into_iter().map(review_lint::Rule::code).collect(),
        }
    }
}

fn keep_lower(lowest: &mut Scores, name: &CriterionName, score: Score) {
    if lowest.get(name.as_str()).is_none_or(|known| score < known) {
        lowest.insert(name.clone(), score);
    }
}
