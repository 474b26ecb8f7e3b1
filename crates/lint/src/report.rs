//! The report: findings, scores and verdict.

use std::collections::{BTreeMap, HashMap};

use review_document::workspace::Workspace;
use review_types::{Deduction, Scores, Verdict};
use serde::{Serialize, Serializer};

use crate::score::{Loads, deductions};
use crate::suppress::{InvalidSuppression, Suppressions};
use crate::{Criterion, Finding, Rule, Settings, Severity};

/// A rule that had something to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The rule.
    pub rule: Rule,
    /// The number of items that it checked: tasks, commands, headings, links.
    pub things: usize,
}

impl Serialize for Checked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rule.serialize(serializer)
    }
}

/// The report on a workspace.
///
/// As JSON it has the fields `findings, suppressed, checked, scores, deductions, verdict`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    findings: Vec<Finding>,
    suppressed: Vec<Finding>,
    #[serde(skip)]
    invalid_suppressions: Vec<InvalidSuppression>,
    #[serde(skip)]
    left_out: BTreeMap<(String, Rule), usize>,
    checked: Vec<Checked>,
    scores: Scores,
    deductions: Vec<Deduction>,
    verdict: Option<Verdict>,
    #[serde(skip)]
    below: Vec<Criterion>,
    #[serde(skip)]
    loads: Loads,
    #[serde(skip)]
    several_files: bool,
}

impl Report {
    pub(crate) fn new(
        mut findings: Vec<Finding>,
        left_out: BTreeMap<(String, Rule), usize>,
        workspace: &Workspace,
        checked: Vec<Checked>,
        settings: &Settings,
    ) -> Self {
        let documents = workspace.documents.iter();
        let documents = documents.filter(|document| !document.outline.comments.is_empty());
        let suppressions: HashMap<&str, Suppressions<'_>> = documents
            .map(|document| (document.path.as_str(), Suppressions::of(document)))
            .collect();
        let is_silenced = |path: &str, rule, at| {
            let of_document = suppressions.get(path);
            of_document.is_some_and(|suppressions| suppressions.suppresses(rule, at))
        };
        let suppressed = findings
            .extract_if(.., |found| {
                is_silenced(&found.path, found.rule, found.span.start)
            })
            .collect();
        let documents = workspace.documents.iter();
        let invalid_suppressions = documents
            .filter_map(|document| suppressions.get(document.path.as_str()))
            .flat_map(Suppressions::invalid)
            .collect();
        let loads = Loads::new(&findings);
        let below: Vec<_> = Criterion::ALL
            .iter()
            .copied()
            .filter(|&c| loads.score(c) < settings.min_score(c))
            .collect();
        let errors = findings
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        let verdict = if errors || !below.is_empty() {
            Verdict::NeedsRevision
        } else {
            Verdict::Pass
        };
        Self {
            scores: loads.scores(),
            deductions: deductions(&loads, &findings),
            verdict: (!checked.is_empty()).then_some(verdict),
            several_files: workspace.documents.len() > 1,
            findings,
            suppressed,
            invalid_suppressions,
            left_out,
            checked,
            below,
            loads,
        }
    }

    /// The findings, by document and position.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The number of findings of a rule in a file that were dropped because they exceed
    /// the limit.
    #[must_use]
    pub fn left_out(&self) -> &BTreeMap<(String, Rule), usize> {
        &self.left_out
    }

    /// The findings that comments suppress.
    #[must_use]
    pub fn suppressed(&self) -> &[Finding] {
        &self.suppressed
    }

    /// The suppression comments that are not valid, by document and line.
    #[must_use]
    pub fn invalid_suppressions(&self) -> &[InvalidSuppression] {
        &self.invalid_suppressions
    }

    /// The rules that had something to check; the report makes no claim about others.
    #[must_use]
    pub fn checked(&self) -> &[Checked] {
        &self.checked
    }

    /// The four scores; completeness is limited by its cap.
    #[must_use]
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// What cost the points that the scores lack.
    #[must_use]
    pub fn deductions(&self) -> &[Deduction] {
        &self.deductions
    }

    /// The verdict: pass without errors and if every score reaches its minimum;
    /// `None` if no rule had anything to check.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// The criteria whose scores are below their minimum.
    #[must_use]
    pub fn below_minimum(&self) -> &[Criterion] {
        &self.below
    }

    /// The number of points that one finding like this costs its criterion.
    #[must_use]
    pub fn cost(&self, finding: &Finding) -> u8 {
        self.loads.cost(finding.rule, finding.severity)
    }

    /// The combined weight of all findings: 0 without any, and more with each. A fix is
    /// useful if it lowers this.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.loads.total()
    }

    /// Whether findings must name their file.
    pub(crate) fn has_several_files(&self) -> bool {
        self.several_files
    }
}
