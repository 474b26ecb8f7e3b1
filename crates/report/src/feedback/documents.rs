//! Files with actionable-feedback documents, in any of their forms.

use std::path::Path;

use review_document::yaml::{YamlError, YamlErrorKind};
use review_schema::actionable::{ActionableFeedback, Code, Diagnostic, Mode, Severity, validate};
use serde::Serialize;

use super::yaml::{Translated, translate};
use crate::json::value;
use crate::style::{RESET, STRONG};
use crate::text::{fields, printable};

/// The form of a file with documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentForm {
    /// One YAML document.
    Yaml,
    /// One JSON object.
    Json,
    /// One JSON object a line.
    Jsonl,
}

/// A file with its documents.
#[derive(Debug)]
pub struct DocumentFile {
    /// As it was named.
    pub name: String,
    /// Its documents.
    pub documents: Vec<CheckedDocument>,
}

/// One document of a file, checked.
#[derive(Debug)]
pub struct CheckedDocument {
    /// As JSON.
    pub text: String,
    /// What is wrong, with the lines of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl DocumentForm {
    /// Returns the form that the name of a file tells.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// Returns the form of a string: lines if its first line is a whole object and
    /// another one follows.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let text = text.trim_start();
        if !text.starts_with(['{', '[']) {
            return Self::Yaml;
        }
        let is_object = |line: &str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
        match text.split_once('\n') {
            Some((first, rest)) if !rest.trim().is_empty() && is_object(first) => Self::Jsonl,
            _ => Self::Json,
        }
    }
}

/// Returns the documents of a string, checked.
#[must_use]
pub fn documents(text: &str, form: DocumentForm, mode: Mode) -> Vec<CheckedDocument> {
    match form {
        DocumentForm::Json => vec![json(text, mode, 0)],
        DocumentForm::Yaml => vec![yaml(text, mode)],
        DocumentForm::Jsonl => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(before, line)| json(line, mode, before))
            .collect(),
    }
}

/// A document in JSON that starts after `before` lines.
fn json(text: &str, mode: Mode, before: usize) -> CheckedDocument {
    let mut diagnostics = validate(text, mode);
    for diagnostic in &mut diagnostics {
        diagnostic.line += before as u64;
    }
    CheckedDocument {
        text: text.to_owned(),
        diagnostics,
    }
}

fn yaml(text: &str, mode: Mode) -> CheckedDocument {
    if text.trim().is_empty() {
        return json(text, mode, 0);
    }
    let translated = match translate(text) {
        Ok(translated) => translated,
        Err(error) => {
            return CheckedDocument {
                text: String::new(),
                diagnostics: vec![no_yaml(&error)],
            };
        }
    };
    let mut diagnostics = validate(&translated.text, mode);
    for diagnostic in &mut diagnostics {
        diagnostic.line = translated.line(diagnostic.at) as u64;
    }
    let Translated { text, .. } = translated;
    CheckedDocument { text, diagnostics }
}

fn no_yaml(error: &YamlError) -> Diagnostic {
    let code = match error.kind {
        YamlErrorKind::DuplicateKey { .. } => Code::KeyDuplicate,
        _ => Code::DocumentSyntax,
    };
    Diagnostic {
        code,
        severity: Severity::Error,
        pointer: String::new(),
        at: error.place.span.start,
        line: error.place.position.line as u64,
        message: error.to_string(),
        fix: None,
    }
}

/// Documents. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct DocumentList {
    /// The documents.
    pub documents: Vec<ActionableFeedback>,
}

/// Returns a document as users read it: its fields, the gravest item first.
#[must_use]
pub fn document(feedback: &ActionableFeedback) -> String {
    let path = printable(&feedback.target.path);
    let items = feedback.feedback_items.in_order().into_iter();
    let mut shown = value(feedback);
    shown["feedback_items"] = items.map(value).collect();
    format!("{STRONG}{path}{RESET}\n{}", fields(&shown, "  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_text_shows_in_its_first_line() {
        for (text, format) in [
            ("id: 7\n", DocumentForm::Yaml),
            ("", DocumentForm::Yaml),
            ("\n{\n\"id\": 7}\n", DocumentForm::Json),
            ("{\"id\": 7}\n", DocumentForm::Json),
            ("{\"id\": 7}\n{\"id\": 8}\n", DocumentForm::Jsonl),
            ("{\"id\": 7}\n\n", DocumentForm::Json),
            ("[1]\n", DocumentForm::Json),
        ] {
            assert_eq!(DocumentForm::of_text(text), format, "{text:?}");
        }
    }

    #[test]
    fn the_form_of_a_file_shows_in_its_name() {
        for (name, format) in [
            ("a.yaml", Some(DocumentForm::Yaml)),
            ("a.YML", Some(DocumentForm::Yaml)),
            ("a.json", Some(DocumentForm::Json)),
            ("a.jsonl", Some(DocumentForm::Jsonl)),
            ("a.txt", None),
            ("-", None),
        ] {
            assert_eq!(DocumentForm::of_name(Path::new(name)), format, "{name}");
        }
    }
}
