//! What was found in all that was checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_document::workspace::Workspace;
use review_lint::{Finding, FindingId, InvalidSuppression, Report, Rule};
use review_report::lint::{Documents, LintFinding, LintReport};
use review_report::shown;
use review_types::{CriterionName, Deduction, DeductionCause, Score, Scores, Verdict};

/// The findings of all that was checked, with the documents.
#[derive(Debug, Default)]
pub struct Checked {
    /// Each unit, and all other documents of a root.
    parts: Vec<Part>,
    /// The number of findings that were fixed before.
    pub fixed: usize,
    /// Why files could not be read; a unit that has one is not checked.
    pub unreadable: Vec<String>,
    suppressed: BTreeMap<Rule, usize>,
    left_out: BTreeMap<(PathBuf, Rule), usize>,
    invalid_suppressions: Vec<InvalidSuppression>,
}

/// What was checked together, with its report.
#[derive(Debug)]
pub(super) struct Part {
    root: PathBuf,
    /// The content of the documents, as much of each as is UTF-8.
    texts: BTreeMap<String, String>,
    /// The documents that are UTF-8 to their end.
    whole: BTreeSet<String>,
    report: Report,
    /// The findings of the report that no part before has.
    own: Vec<usize>,
}

impl Part {
    /// The report about a workspace of a root, of which only the documents are kept.
    pub(super) fn new(root: &Path, workspace: Workspace, report: Report) -> Self {
        let documents = workspace.documents.into_iter();
        let whole = documents.as_slice().iter();
        let whole = whole.filter(|document| document.invalid_at.is_none());
        Self {
            root: root.to_owned(),
            whole: whole.map(|document| document.path.clone()).collect(),
            texts: documents.map(|one| (one.path, one.source)).collect(),
            own: Vec::new(),
            report,
        }
    }

    /// The findings that no part before has, by document and place.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.own.iter().map(|&index| &self.report.findings()[index])
    }

    /// The content of a document that is UTF-8 to its end.
    pub(super) fn whole_text(&self, path: &str) -> Option<&str> {
        let text = self.texts.get(path).filter(|_| self.whole.contains(path));
        text.map(String::as_str)
    }

    /// Its documents with their content.
    fn documents(&self) -> Documents<'_> {
        let texts = self.texts.iter();
        Documents {
            root: &self.root,
            texts: texts
                .map(|(path, text)| (path.as_str(), text.as_str()))
                .collect(),
        }
    }
}

impl Checked {
    /// The reports of one root. A finding in a document that
    /// several of them share is reported once, and with `only` those of that
    /// document alone.
    pub(super) fn of_root(root: &Path, parts: Vec<Part>, only: Option<&str>) -> Self {
        let mut checked = Self::default();
        let mut seen: BTreeSet<FindingId> = BTreeSet::new();
        let is_told = |path: &str| only.is_none_or(|only| only == path);
        let mut is_new =
            |finding: &Finding| is_told(&finding.path) && seen.insert(finding.id.clone());
        let mut invalid = BTreeSet::new();
        for mut part in parts {
            let report = &part.report;
            let findings = report.findings().iter().enumerate();
            let own = findings.filter_map(|(index, finding)| is_new(finding).then_some(index));
            let own = own.collect();
            for finding in report.suppressed().iter().filter(|finding| is_new(finding)) {
                *checked.suppressed.entry(finding.rule).or_default() += 1;
            }
            for ((path, rule), count) in report.left_out() {
                if is_told(path) {
                    checked.left_out.insert((root.join(path), *rule), *count);
                }
            }
            let comments = report.invalid_suppressions().iter();
            invalid.extend(comments.filter(|comment| is_told(&comment.path)).cloned());
            part.own = own;
            checked.parts.push(part);
        }
        checked.invalid_suppressions = invalid.into_iter().collect();
        checked
    }

    /// Adds all of another root.
    pub fn add(&mut self, other: Self) {
        self.parts.extend(other.parts);
        self.fixed += other.fixed;
        self.unreadable.extend(other.unreadable);
        for (rule, count) in other.suppressed {
            *self.suppressed.entry(rule).or_default() += count;
        }
        self.left_out.extend(other.left_out);
        self.invalid_suppressions.extend(other.invalid_suppressions);
    }

    /// All findings, with the part that each is of.
    pub(super) fn located(&self) -> impl Iterator<Item = (&Part, &Finding)> {
        let of = |part| Part::findings(part).map(move |finding| (part, finding));
        self.parts.iter().flat_map(of)
    }

    /// How many findings of each rule are left out in files with too many.
    pub fn left_out(&self) -> BTreeMap<Rule, usize> {
        let mut by_rule = BTreeMap::new();
        for ((_, rule), count) in &self.left_out {
            *by_rule.entry(*rule).or_default() += count;
        }
        by_rule
    }

    /// All findings.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.parts.iter().flat_map(Part::findings)
    }

    /// What all findings weigh, those of other documents included.
    pub(super) fn load(&self) -> f64 {
        self.parts.iter().map(|part| part.report.load()).sum()
    }

    /// The worst verdict; `None` when no rule had anything to look at.
    pub fn verdict(&self) -> Option<Verdict> {
        let verdicts = self.parts.iter().filter_map(|part| part.report.verdict());
        verdicts.reduce(|worst, next| match worst {
            Verdict::NeedsRevision => worst,
            Verdict::Pass => next,
        })
    }

    /// The lowest score of each criterion, and what cost the points that it lacks, with
    /// paths as `named`.
    fn scores(&self, named: impl Fn(&Part, &str) -> String) -> (Scores, Vec<Deduction>) {
        let mut lowest: BTreeMap<&CriterionName, (Score, &Part)> = BTreeMap::new();
        let judged = |part: &&Part| part.report.verdict().is_some();
        for part in self.parts.iter().filter(judged) {
            for (name, score) in part.report.scores().iter() {
                let known = lowest.entry(name).or_insert((score, part));
                if score < known.0 {
                    *known = (score, part);
                }
            }
        }
        let deductions = lowest.iter().flat_map(|(name, (_, part))| {
            let all = part.report.deductions().iter();
            let of_name = all.filter(|lost| lost.criterion == **name).cloned();
            of_name.map(|mut lost| {
                if let DeductionCause::Rule { path, .. } = &mut lost.cause {
                    *path = named(part, path);
                }
                lost
            })
        });
        let deductions = deductions.collect();
        let scores = lowest.into_iter();
        let scores = scores.map(|(name, (score, _))| (name.clone(), score));
        (scores.collect(), deductions)
    }

    /// The rules that had something to look at.
    fn rules(&self) -> BTreeSet<Rule> {
        let checked = self.parts.iter().flat_map(|part| part.report.checked());
        checked.map(|checked| checked.rule).collect()
    }

    /// The report. Where there are several roots, each finding names its own as
    /// seen from `folder`, from where the paths of deductions are seen then.
    pub fn report(&self, folder: &Path) -> LintReport<'_> {
        let roots: BTreeSet<&Path> = self.parts.iter().map(|part| part.root.as_path()).collect();
        let findings = self.parts.iter().flat_map(|part| {
            let documents = Arc::new(part.documents());
            part.findings().map(move |finding| LintFinding {
                finding,
                root: None,
                cost: part.report.cost(finding),
                documents: Arc::clone(&documents),
            })
        });
        let mut findings: Vec<_> = findings.collect();
        let has_several = roots.len() > 1;
        if has_several {
            for found in &mut findings {
                found.root = Some(shown(folder, found.documents.root));
            }
        }
        let (scores, deductions) = self.scores(|part, path| match has_several {
            true => shown(folder, &part.root.join(path)),
            false => path.to_owned(),
        });
        LintReport {
            verdict: self.verdict(),
            scores,
            deductions,
            findings,
            suppressed: self.suppressed.clone(),
            invalid_suppressions: &self.invalid_suppressions,
            fixed: self.fixed,
            checked: self.rules().into_iter().collect(),
        }
    }
}
