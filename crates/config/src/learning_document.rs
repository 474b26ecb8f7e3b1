//! The file with the configuration of learning.

use review_document::yaml::{self, Node, Value, YamlError, YamlErrorKind};
use review_learning::config::{ConfigForm, LearningConfig};
use review_learning::object::{Code, Diagnostic, Reading};
use review_types::diagnostic::Severity;

/// A document with the configuration of learning, read.
#[derive(Debug)]
pub struct LearningDocument {
    /// The configuration, if it is valid.
    pub config: Option<LearningConfig>,
    /// What is wrong, with lines.
    pub diagnostics: Vec<Diagnostic>,
}

impl LearningDocument {
    /// Reads YAML, of which JSON is a part.
    #[must_use]
    pub fn of_yaml(text: &str) -> Self {
        match yaml::parse(text) {
            Ok(tree) => {
                let value = tree.root.to_json();
                let reading = LearningConfig::read_as(ConfigForm::File, &value);
                Self::with_lines(reading, |pointer| line_at(&tree.root, pointer))
            }
            Err(error) => Self::unread(no_yaml(&error)),
        }
    }

    fn with_lines(reading: Reading<LearningConfig>, line: impl Fn(&str) -> usize) -> Self {
        let mut diagnostics = reading.diagnostics;
        for diagnostic in &mut diagnostics {
            diagnostic.line = line(&diagnostic.pointer) as u64;
        }
        diagnostics.sort_by_key(|diagnostic| diagnostic.line);
        Self {
            config: reading.object,
            diagnostics,
        }
    }

    fn unread(diagnostic: Diagnostic) -> Self {
        Self {
            config: None,
            diagnostics: vec![diagnostic],
        }
    }
}

fn no_yaml(error: &YamlError) -> Diagnostic {
    let code = match error.kind {
        YamlErrorKind::DuplicateKey { .. } => Code::KeyTwice,
        _ => Code::Syntax,
    };
    syntax(error.place.position.line, code, error.to_string())
}

fn syntax(line: usize, code: Code, message: String) -> Diagnostic {
    Diagnostic {
        line: line as u64,
        pointer: String::new(),
        code,
        severity: Severity::Error,
        message,
        fix: None,
    }
}

/// The line of the value of a JSON pointer, or of the nearest one above it.
fn line_at(root: &Node<'_>, pointer: &str) -> usize {
    let mut line = root.place.position.line;
    let mut node = root;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let below = match &node.value {
            Value::Scalar(_) => None,
            Value::Sequence(items) => part
                .parse::<usize>()
                .ok()
                .and_then(|at| items.get(at))
                .map(|item| (item.place.position.line, item)),
            Value::Mapping(_) => node
                .get(&part)
                .map(|entry| (entry.key_place.position.line, &entry.value)),
        };
        let Some(below) = below else {
            break;
        };
        (line, node) = below;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(document: &LearningDocument) -> Vec<(u64, &str, &str)> {
        let all = document.diagnostics.iter();
        all.map(|one| (one.line, one.pointer.as_str(), one.code.as_str()))
            .collect()
    }

    #[test]
    fn faults_of_yaml_have_lines() {
        let text = "version: 1.0.0\nfeedback_collection:\n  sources:\n    - type: test_failure\n    - type: noise\n  # a comment\n  storage_path: ../../etc\n";
        let document = LearningDocument::of_yaml(text);
        assert_eq!(document.config, None);
        assert_eq!(
            told(&document),
            [
                (1, "/learning_pipeline", "learning.member_missing"),
                (
                    5,
                    "/feedback_collection/sources/1/type",
                    "learning.word_unknown"
                ),
                (
                    7,
                    "/feedback_collection/storage_path",
                    "learning.path_outside"
                ),
            ]
        );
    }

    #[test]
    fn invalid_yaml_is_the_only_fault() {
        let twice = LearningDocument::of_yaml("version: 1.0.0\nversion: 1.0.0\n");
        assert_eq!(told(&twice), [(2, "", "learning.key_twice")]);
        let none = LearningDocument::of_yaml("a: [\n");
        assert_eq!(told(&none)[0].2, "learning.syntax");
    }
}
