//! What `lint` found, as SARIF 2.1.0.

mod shape;
mod uri;

use std::collections::BTreeMap;
use std::iter;
use std::path::Path;

use review_document::{Edit, LineIndex, Span};
use review_lint::{Finding, Rule, Severity};

use super::checked::{Checked, Part};
use crate::location::shown;
use shape::{
    ArtifactChange, ArtifactLocation, Configuration, Driver, Fingerprints, FixProperties, Help,
    Level, Location, Log, Message, PhysicalLocation, Region, Replacement, ReportingDescriptor,
    Result, RuleProperties, Run, RunProperties, Tool,
};
use uri::uri;

/// The log of one run. Paths are written as seen from `folder`.
pub(super) fn log<'a>(checked: &'a Checked, folder: &Path) -> Log<'a> {
    let mut rules = checked.rules();
    rules.extend(checked.findings().map(|finding| finding.rule));
    let indices: BTreeMap<Rule, usize> = rules.iter().copied().zip(0..).collect();
    let results = checked.parts.iter().flat_map(|part| {
        let mut texts = Texts::default();
        let result = |finding| result(part, finding, &indices, folder, &mut texts);
        part.findings().map(result).collect::<Vec<_>>()
    });
    let results = results.collect();
    Log::new(Run {
        tool: Tool {
            driver: Driver {
                name: "ralph",
                semantic_version: env!("CARGO_PKG_VERSION"),
                rules: rules.into_iter().map(descriptor).collect(),
            },
        },
        column_kind: "unicodeCodePoints",
        newline_sequences: ["\r\n", "\n", "\r"],
        results,
        properties: RunProperties {
            v: crate::output::Version,
            verdict: checked.verdict(),
            scores: checked.scores(),
        },
    })
}

fn descriptor(rule: Rule) -> ReportingDescriptor {
    ReportingDescriptor {
        id: rule.code(),
        name: rule.name(),
        short_description: Message::new(rule.summary()),
        help: Help {
            text: rule.docs(),
            markdown: rule.docs(),
        },
        default_configuration: Configuration {
            level: level(rule.severity()),
        },
        properties: RuleProperties {
            tags: [rule.criterion().as_str()],
        },
    }
}

const fn level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Info => Level::Note,
    }
}

/// The lines of the documents of a part, each counted once.
#[derive(Default)]
struct Texts<'a>(BTreeMap<&'a str, LineIndex>);

impl<'a> Texts<'a> {
    /// The lines and columns of some bytes of a document.
    fn region(&mut self, part: &'a Part, path: &'a str, span: Span) -> Region {
        let lines = self.0.entry(path);
        let lines = lines.or_insert_with(|| LineIndex::new(part.source(path)));
        let (start, end) = (lines.position(span.start), lines.position(span.end));
        Region {
            start_line: start.line,
            start_column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

fn result<'a>(
    part: &'a Part,
    finding: &'a Finding,
    indices: &BTreeMap<Rule, usize>,
    folder: &Path,
    texts: &mut Texts<'a>,
) -> Result<'a> {
    let location = |path: &str| ArtifactLocation {
        uri: uri(&shown(folder, &part.file(path))),
    };
    let fixes = finding.fix.iter().map(|fix| {
        let elsewhere = fix.elsewhere.iter();
        let elsewhere = elsewhere.map(|file| (file.path.as_str(), file.edits.as_slice()));
        let own = (finding.path.as_str(), fix.edits.as_slice());
        let changes = iter::once(own).chain(elsewhere);
        let changes = changes.map(|(path, edits)| ArtifactChange {
            artifact_location: location(path),
            replacements: replacements(part, path, edits, texts),
        });
        shape::Fix {
            description: Message::new(&*finding.suggestion),
            artifact_changes: changes.collect(),
            properties: FixProperties { safety: fix.safety },
        }
    });
    let fixes = fixes.collect();
    Result {
        rule_id: finding.rule.code(),
        rule_index: indices.get(&finding.rule).copied().unwrap_or_default(),
        level: level(finding.severity),
        message: Message::new(format!("{} {}", finding.message, finding.suggestion)),
        locations: [Location {
            physical_location: PhysicalLocation {
                artifact_location: location(&finding.path),
                region: texts.region(part, &finding.path, finding.span),
            },
        }],
        partial_fingerprints: Fingerprints { id: &finding.id },
        fixes,
    }
}

fn replacements<'a>(
    part: &'a Part,
    path: &'a str,
    edits: &'a [Edit],
    texts: &mut Texts<'a>,
) -> Vec<Replacement<'a>> {
    let replacements = edits.iter().map(|edit| Replacement {
        deleted_region: texts.region(part, path, edit.span),
        inserted_content: Message::new(&*edit.text),
    });
    replacements.collect()
}
