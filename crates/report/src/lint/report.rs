//! The findings of a lint, with the documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_lint::{Finding, InvalidSuppression, Rule, Safety, Severity};
use review_types::{Deduction, Scores, Verdict};
use serde::{Serialize, Serializer};

/// What the rules of the embedded reviewer found.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Lint")]
pub struct LintReport<'a> {
    /// The worst verdict; null when no rule had anything to look at.
    pub verdict: Option<Verdict>,
    /// The lowest score of each criterion.
    pub scores: Scores,
    /// What cost the points that these scores lack.
    pub deductions: Vec<Deduction>,
    /// What was found, by document and place.
    pub findings: Vec<LintFinding<'a>>,
    /// How many findings comments silence, by the code of their rule.
    #[serde(serialize_with = "by_code")]
    #[schemars(with = "BTreeMap<&str, usize>")]
    pub suppressed: BTreeMap<Rule, usize>,
    /// The comments that are meant to silence findings and are not valid.
    pub invalid_suppressions: &'a [InvalidSuppression],
    /// How many findings were fixed before.
    pub fixed: usize,
    /// The codes of the rules that had something to look at.
    #[schemars(with = "Vec<&str>")]
    pub checked: Vec<Rule>,
}

/// A finding, with its root where there are several.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Finding")]
pub struct LintFinding<'a> {
    /// The finding.
    #[serde(flatten)]
    pub finding: &'a Finding,
    /// The root that its path is relative to, as seen from the current folder;
    /// only where files of several roots were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The points of its criterion that it costs.
    #[serde(skip)]
    pub cost: u8,
    /// The documents that were checked together with its own.
    #[serde(skip)]
    pub documents: Arc<Documents<'a>>,
}

/// Documents that were checked together.
#[derive(Debug)]
pub struct Documents<'a> {
    /// The folder that their paths are relative to.
    pub root: &'a Path,
    /// Their content by path, up to what is not UTF-8.
    pub texts: BTreeMap<&'a str, &'a str>,
}

impl LintReport<'_> {
    /// The number of findings of a severity.
    pub(super) fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings
            .filter(|found| found.finding.severity == severity)
            .count()
    }

    /// The number of findings that have a fix of this safety.
    pub(super) fn fixable(&self, safety: Safety) -> usize {
        let fixes = self
            .findings
            .iter()
            .filter_map(|one| one.finding.fix.as_ref());
        fixes.filter(|fix| fix.safety == safety).count()
    }
}

impl<'a> Documents<'a> {
    /// The file of a document, from the root of the file system.
    pub(super) fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The content of a document; empty where it is not known.
    pub(super) fn text(&self, path: &str) -> &'a str {
        self.texts.get(path).copied().unwrap_or_default()
    }
}

fn by_code<S: Serializer>(
    counts: &BTreeMap<Rule, usize>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let counts = counts.iter().map(|(rule, count)| (rule.code(), count));
    counts.collect::<BTreeMap<_, _>>().serialize(serializer)
}
