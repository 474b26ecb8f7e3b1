//! What is wrong at places in files, and the formats of programs that show it there: SARIF
//! 2.1.0 for code scanning, code quality for GitLab, annotations for GitHub Actions.

use std::collections::BTreeMap;
use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use review_document::file_hash;
use review_types::Severity;
use serde_json::{Value as Json, json};

use crate::json::line;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The name of the fingerprint that is the id of a finding.
pub(crate) const FINDING_ID: &str = "ralphFindingId/v1";

/// The bytes of a path that a URI must escape.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// It must be fixed.
    Error,
    /// It should be looked at.
    Warning,
    /// It may be of interest.
    Note,
}

impl Level {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Critical | Severity::Major => Self::Error,
            Severity::Minor => Self::Warning,
            Severity::Suggestion => Self::Note,
        }
    }
}

/// A problem at a place in a file.
#[derive(Clone, Debug)]
pub(crate) struct Problem<R> {
    pub(crate) rule: R,
    pub(crate) title: String,
    pub(crate) level: Level,
    pub(crate) severity: Option<Severity>,
    /// The file, as the reader of the format sees it.
    pub(crate) path: String,
    /// The first and the last line, from 1.
    pub(crate) lines: (usize, usize),
    /// The first column, from 1, where it is known.
    pub(crate) column: Option<usize>,
    pub(crate) message: String,
    /// The name and the value of what stays the same when lines move.
    pub(crate) fingerprint: (&'static str, String),
    pub(crate) suppression: Option<Suppression>,
    /// What else is known of it.
    pub(crate) properties: Json,
}

/// A request that a problem does not count.
#[derive(Clone, Debug)]
pub(crate) struct Suppression {
    /// Whether it is decided.
    pub(crate) is_accepted: bool,
    pub(crate) why: Option<String>,
}

/// What a problem is a case of.
#[derive(Clone, Debug)]
pub(crate) struct ProblemRule {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) help: String,
    pub(crate) level: Level,
    pub(crate) tags: Vec<&'static str>,
}

/// The problems of a report, with all rules that they may be cases of.
#[derive(Debug)]
pub(crate) struct Problems<R> {
    pub(crate) rules: BTreeMap<R, ProblemRule>,
    pub(crate) problems: Vec<Problem<R>>,
    /// The properties of the whole report.
    pub(crate) properties: Json,
    /// The exit code of the process, and whether it decided; `None` where that says nothing.
    pub(crate) exit: Option<(u8, bool)>,
}

impl<R> Problem<R> {
    fn is_waived(&self) -> bool {
        self.suppression.as_ref().is_some_and(|by| by.is_accepted)
    }

    /// A workflow command of GitHub Actions, with its line end.
    pub(crate) fn annotation(&self) -> String {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        format!(
            "::{level} file={},line={},endLine={},col={},title={}::{}\n",
            property(&self.path),
            self.lines.0,
            self.lines.1,
            self.column.unwrap_or(1),
            property(&self.title),
            data(&self.message)
        )
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

impl<R: Ord + fmt::Display> Problems<R> {
    /// A log of SARIF.
    pub(crate) fn sarif(&self) -> String {
        let places: BTreeMap<&R, usize> = self.rules.keys().zip(0..).collect();
        let rules: Vec<_> = self.rules.iter().map(described).collect();
        let results = self.problems.iter();
        let results: Vec<_> = results
            .map(|problem| result(problem, places.get(&problem.rule)))
            .collect();
        let mut run = json!({
            "tool": { "driver": {
                "name": "ralph",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "results": results,
            "properties": self.properties,
        });
        if let Some((code, has_decided)) = self.exit {
            run["invocations"] = json!([{ "executionSuccessful": has_decided, "exitCode": code }]);
        }
        line(&json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
    }

    /// A report of code quality for GitLab, without what is waived.
    pub(crate) fn gitlab(&self) -> String {
        let counting = self.problems.iter().filter(|problem| !problem.is_waived());
        let entries = counting.map(|problem| {
            let (name, value) = &problem.fingerprint;
            let identity = json!([problem.rule.to_string(), problem.path, name, value]);
            let is_critical = problem.severity == Some(Severity::Critical);
            json!({
                "description": problem.message,
                "check_name": problem.rule.to_string(),
                "fingerprint": file_hash(identity.to_string().as_bytes()),
                "severity": match problem.level {
                    Level::Error if is_critical => "critical",
                    Level::Error => "major",
                    Level::Warning => "minor",
                    Level::Note => "info",
                },
                "location": { "path": problem.path, "lines": { "begin": problem.lines.0 } },
            })
        });
        line(&entries.collect::<Vec<_>>())
    }
}

fn described<R: fmt::Display>((id, rule): (&R, &ProblemRule)) -> Json {
    json!({
        "id": id.to_string(),
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.help, "markdown": rule.help },
        "defaultConfiguration": { "level": rule.level.as_str() },
        "properties": { "tags": rule.tags },
    })
}

fn result<R: fmt::Display>(problem: &Problem<R>, place: Option<&usize>) -> Json {
    let suppressions = problem.suppression.iter().map(|by| {
        let status = match by.is_accepted {
            true => "accepted",
            false => "underReview",
        };
        known(json!({ "kind": "external", "status": status, "justification": by.why }))
    });
    let (name, value) = &problem.fingerprint;
    let mut properties = known(problem.properties.clone());
    if let Some(severity) = problem.severity {
        properties["severity"] = json!(severity);
    }
    json!({
        "ruleId": problem.rule.to_string(),
        "ruleIndex": place,
        "level": problem.level.as_str(),
        "message": { "text": problem.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&problem.path) },
            "region": known(json!({
                "startLine": problem.lines.0,
                "startColumn": problem.column,
                "endLine": problem.lines.1,
            })),
        }}],
        "partialFingerprints": { *name: value },
        "suppressions": suppressions.collect::<Vec<_>>(),
        "properties": properties,
    })
}

/// An object without the fields that are null.
fn known(mut object: Json) -> Json {
    if let Json::Object(fields) = &mut object {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

/// The relative reference of a relative path, the `file` URI of an absolute one.
fn uri(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(path, ESCAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_escapes_what_would_end_it() {
        let problem = Problem {
            rule: "B4",
            title: "B4: 50%".to_owned(),
            level: Level::Warning,
            severity: None,
            path: "tasks/a,b:c.md".to_owned(),
            lines: (3, 4),
            column: Some(7),
            message: "first, line: 100%\r\nsecond".to_owned(),
            fingerprint: (FINDING_ID, String::new()),
            suppression: None,
            properties: json!({}),
        };
        assert_eq!(
            problem.annotation(),
            "::warning file=tasks/a%2Cb%3Ac.md,line=3,endLine=4,col=7,title=B4%3A 50%25\
             ::first, line: 100%25%0D%0Asecond\n"
        );
    }

    #[test]
    fn whatever_could_be_misread_in_a_path_is_escaped() {
        for (path, expected) in [
            ("specs/A-b_c.~1.md", "specs/A-b_c.~1.md"),
            ("specs/a b#c?d:e%.md", "specs/a%20b%23c%3Fd%3Ae%25.md"),
            ("ä.md", "%C3%A4.md"),
            ("/srv/a b.md", "file:///srv/a%20b.md"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
