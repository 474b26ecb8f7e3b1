//! What `lint` found, as SARIF 2.1.0.

use std::collections::BTreeMap;
use std::iter;
use std::path::Path;

use review_document::{Edit, LineIndex, Span};
use review_lint::{Finding, Rule, Severity};
use serde_json::json;

use super::checked::{Checked, Part};
use crate::location::shown;
use crate::output::Version;
use crate::output::sarif::{
    self, ArtifactChange, ArtifactLocation, Configuration, Driver, Fix, Help, Level, Location, Log,
    Message, PhysicalLocation, Region, Replacement, ReportingDescriptor, Run, Tool, properties,
};

/// The log of one run. Paths are written as seen from `folder`.
pub(super) fn log(checked: &Checked, folder: &Path) -> Log {
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
                name: "ralph".to_owned(),
                semantic_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                rules: rules.into_iter().map(descriptor).collect(),
            },
        },
        column_kind: Some("unicodeCodePoints"),
        newline_sequences: vec!["\r\n", "\n", "\r"],
        results,
        properties: [
            ("v".to_owned(), json!(Version)),
            ("verdict".to_owned(), json!(checked.verdict())),
            ("scores".to_owned(), json!(checked.scores())),
        ]
        .into_iter()
        .collect(),
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
            start_line: Some(start.line),
            start_column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }
}

fn result<'a>(
    part: &'a Part,
    finding: &'a Finding,
    indices: &BTreeMap<Rule, usize>,
    folder: &Path,
    texts: &mut Texts<'a>,
) -> sarif::Finding {
    let location = |path: &str| ArtifactLocation::of(&shown(folder, &part.file(path)));
    let fixes = finding.fix.iter().map(|fix| {
        let elsewhere = fix.elsewhere.iter();
        let elsewhere = elsewhere.map(|file| (file.path.as_str(), file.edits.as_slice()));
        let own = (finding.path.as_str(), fix.edits.as_slice());
        let changes = iter::once(own).chain(elsewhere);
        let changes = changes.map(|(path, edits)| ArtifactChange {
            artifact_location: location(path),
            replacements: replacements(part, path, edits, texts),
        });
        Fix {
            description: Message::new(&*finding.suggestion),
            artifact_changes: changes.collect(),
            properties: properties(json!({ "safety": fix.safety })),
        }
    });
    let fixes = fixes.collect();
    sarif::Finding {
        rule_id: Some(finding.rule.code().to_owned()),
        rule_index: indices.get(&finding.rule).copied(),
        level: level(finding.severity),
        message: Message::new(format!("{} {}", finding.message, finding.suggestion)),
        locations: vec![Location {
            physical_location: PhysicalLocation {
                artifact_location: location(&finding.path),
                region: Some(texts.region(part, &finding.path, finding.span)),
            },
        }],
        partial_fingerprints: properties(json!({ "ralphFindingId/v1": finding.id })),
        fixes,
        ..sarif::Finding::default()
    }
}

fn replacements<'a>(
    part: &'a Part,
    path: &'a str,
    edits: &'a [Edit],
    texts: &mut Texts<'a>,
) -> Vec<Replacement> {
    let replacements = edits.iter().map(|edit| Replacement {
        deleted_region: texts.region(part, path, edit.span),
        inserted_content: Message::new(&*edit.text),
    });
    replacements.collect()
}
