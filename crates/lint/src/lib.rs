//! The rules of the embedded reviewer.
//!
//! [`lint`] reports the problems of a [`Workspace`]: what is wrong, where, and what to
//! write instead. It is deterministic: the same workspace gives the same report on
//! every machine. It accepts every input, changes no file, and its score covers only
//! what its rules checked.
//!
//! Each rule has one file in `rules/`, whose documentation is also the output of
//! `explain`.

mod criterion;
mod declared;
mod facts;
mod finding;
mod fixes;
mod glob;
mod open_files;
mod report;
mod review;
mod rule;
mod rules;
mod score;
mod select;
mod selector;
mod settings;
mod sink;
mod suppress;
mod words;

pub use criterion::{Criterion, Severity};
pub use facts::deliverables;
pub use finding::{Finding, FindingId, Fix, Safety};
pub use fixes::{Fixed, fixed};
pub use glob::{Glob, GlobError};
pub use report::{Checked, Report};
pub use review::NothingChecked;
pub use rule::{Rule, UnknownRule};
pub use selector::{RuleChoice, RuleGroup, Selection, Selector};
pub use settings::{FileIgnores, Settings};
pub use suppress::InvalidSuppression;

use std::collections::BTreeMap;

use review_document::workspace::Workspace;

/// Runs the rules that `settings` selects.
///
/// ```
/// use review_document::workspace::{Document, DocumentRole, Workspace};
/// use review_lint::{Rule, Settings, lint};
///
/// let text = "# Cache\n\n## Limits\n\nThe size is TBD.\n";
/// let workspace = Workspace {
///     documents: vec![Document::parse("specs/CACHE.md", DocumentRole::Spec, text)],
///     ..Workspace::default()
/// };
/// let report = lint(&workspace, &Settings::default());
/// assert_eq!(report.findings()[0].rule, Rule::UndecidedText);
/// assert_eq!(report.findings()[0].position.line, 5);
/// ```
#[must_use]
pub fn lint(workspace: &Workspace, settings: &Settings) -> Report {
    let facts = facts::Facts::new(workspace, settings);
    let mut drafts = Vec::new();
    let mut checked = Vec::with_capacity(Rule::ALL.len());
    let mut left_out = BTreeMap::new();
    for &rule in Rule::ALL.iter().filter(|&&rule| settings.selects(rule)) {
        let mut sink = sink::Sink::new(rule);
        rule.check()(&facts, &mut sink);
        if sink.looked() > 0 {
            checked.push(Checked {
                rule,
                things: sink.looked(),
            });
        }
        let of_files = sink.left_out();
        let of_files = of_files.filter(|(path, _)| !settings.ignores_in(path, rule));
        left_out.extend(of_files.map(|(path, count)| ((path.to_owned(), rule), count)));
        drafts.extend(sink.into_drafts());
    }
    let mut findings = sink::findings(workspace, drafts);
    findings.retain(|finding| !settings.ignores_in(&finding.path, finding.rule));
    let found = |rule| findings.iter().any(|finding| finding.rule == rule);
    let mut open = open_files::OpenFiles::new(workspace, settings);
    checked.retain(|checked| found(checked.rule) || open.is_enabled(checked.rule));
    for finding in &mut findings {
        if let Some(&severity) = settings.severities.get(&finding.rule) {
            finding.severity = severity;
        }
    }
    Report::new(findings, left_out, workspace, checked, settings)
}
