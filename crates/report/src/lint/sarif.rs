//! What `lint` found, as SARIF 2.1.0.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use review_document::{Edit, LineIndex, Span};
use review_lint::{Rule, Severity};
use serde_json::json;

use super::report::{Documents, LintFinding, LintReport};
use crate::json::{Version, line};
use crate::path::shown;
use crate::sarif::{
    self, ArtifactChange, ArtifactLocation, Configuration, Driver, FINDING_ID, Fix, Help, Level,
    Location, Log, Message, Region, Replacement, ReportingDescriptor, Run, Tool, properties,
};

/// The log of one run. Paths are written as seen from `folder`.
#[must_use]
pub fn sarif(report: &LintReport<'_>, folder: &Path) -> String {
    line(&log(report, folder))
}

/// The same as a report of code quality for GitLab.
#[must_use]
pub fn gitlab(report: &LintReport<'_>, folder: &Path) -> String {
    crate::gitlab::report(&log(report, folder))
}

fn log(report: &LintReport<'_>, folder: &Path) -> Log {
    let mut rules: BTreeSet<Rule> = report.checked.iter().copied().collect();
    rules.extend(report.findings.iter().map(|found| found.finding.rule));
    let indices: BTreeMap<Rule, usize> = rules.iter().copied().zip(0..).collect();
    let is_together = |one: &LintFinding<'_>, next: &LintFinding<'_>| {
        Arc::ptr_eq(&one.documents, &next.documents)
    };
    let results = report.findings.chunk_by(is_together).flat_map(|together| {
        let mut lines = Lines::default();
        let result = |found| result(found, &indices, folder, &mut lines);
        together.iter().map(result).collect::<Vec<_>>()
    });
    let results = results.collect();
    Log::new(Run {
        tool: Tool {
            driver: Driver::new(rules.into_iter().map(descriptor).collect()),
        },
        column_kind: Some("unicodeCodePoints"),
        newline_sequences: vec!["\r\n", "\n", "\r"],
        results,
        properties: [
            ("v".to_owned(), json!(Version)),
            ("verdict".to_owned(), json!(report.verdict)),
            ("scores".to_owned(), json!(report.scores)),
        ]
        .into_iter()
        .collect(),
        ..Run::default()
    })
}

fn descriptor(rule: Rule) -> ReportingDescriptor {
    ReportingDescriptor {
        id: rule.code().to_owned(),
        name: rule.name().to_owned(),
        short_description: Message::new(rule.summary()),
        help: Help {
            text: rule.docs(),
            markdown: rule.docs(),
        },
        default_configuration: Configuration {
            level: level(rule.severity()),
        },
        properties: properties(json!({ "tags": [rule.criterion().as_str()] })),
    }
}

const fn level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Info => Level::Note,
    }
}

/// The lines of documents that were checked together, each counted once.
#[derive(Default)]
struct Lines<'a>(BTreeMap<&'a str, LineIndex>);

impl<'a> Lines<'a> {
    /// The lines and columns of some bytes of a document.
    fn region(&mut self, documents: &Documents<'a>, path: &'a str, span: Span) -> Region {
        let lines = self.0.entry(path);
        let lines = lines.or_insert_with(|| LineIndex::new(documents.text(path)));
        let (start, end) = (lines.position(span.start), lines.position(span.end));
        Region {
            start_line: Some(start.line),
            start_column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }
}

fn result<'a>(
    found: &LintFinding<'a>,
    indices: &BTreeMap<Rule, usize>,
    folder: &Path,
    lines: &mut Lines<'a>,
) -> sarif::Finding {
    let (finding, documents) = (found.finding, &*found.documents);
    let seen = |path: &str| shown(folder, &documents.file(path));
    let fixes = finding.fix.iter().map(|fix| Fix {
        description: Message::new(&*finding.suggestion),
        artifact_changes: vec![ArtifactChange {
            artifact_location: ArtifactLocation::of(&seen(&finding.path)),
            replacements: replacements(documents, &finding.path, &fix.edits, lines),
        }],
        properties: properties(json!({ "safety": fix.safety })),
    });
    let fixes = fixes.collect();
    sarif::Finding {
        rule_id: Some(finding.rule.code().to_owned()),
        rule_index: indices.get(&finding.rule).copied(),
        level: level(finding.severity),
        message: Message::new(format!("{} {}", finding.message, finding.suggestion)),
        locations: vec![Location::new(
            &seen(&finding.path),
            lines.region(documents, &finding.path, finding.span),
        )],
        partial_fingerprints: properties(json!({ FINDING_ID: finding.id })),
        fixes,
        ..sarif::Finding::default()
    }
}

fn replacements<'a>(
    documents: &Documents<'a>,
    path: &'a str,
    edits: &'a [Edit],
    lines: &mut Lines<'a>,
) -> Vec<Replacement> {
    let replacements = edits.iter().map(|edit| Replacement {
        deleted_region: lines.region(documents, path, edit.span),
        inserted_content: Message::new(&*edit.text),
    });
    replacements.collect()
}
