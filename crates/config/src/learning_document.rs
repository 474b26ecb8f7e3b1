//! The file with the configuration of learning.

use review_document::yaml::{self, Node, Value, YamlError, YamlErrorKind};
use review_learning::config::{ConfigForm, LearningConfig};
use review_learning::object::{Code, Diagnostic, Reading};
use review_types::diagnostic::Severity;

/// Reads the configuration of learning from YAML, of which JSON is a part; diagnostics have
/// lines.
pub fn read_learning(text: &str) -> Reading<LearningConfig> {
    let tree = match yaml::parse(text) {
        Ok(tree) => tree,
        Err(error) => {
            return Reading {
                object: None,
                diagnostics: vec![no_yaml(&error)],
            };
        }
    };
    let mut reading = LearningConfig::read_as(ConfigForm::File, &tree.root.to_json());
    for diagnostic in &mut reading.diagnostics {
        diagnostic.line = line_at(&tree.root, &diagnostic.pointer) as u64;
    }
    reading
        .diagnostics
        .sort_by_key(|diagnostic| diagnostic.line);
    reading
}

fn no_yaml(error: &YamlError) -> Diagnostic {
    Diagnostic {
        line: error.place.position.line as u64,
        pointer: String::new(),
        at: 0,
        code: match error.kind {
            YamlErrorKind::DuplicateKey { .. } => Code::KeyTwice,
            _ => Code::Syntax,
        },
        severity: Severity::Error,
        message: error.to_string(),
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

    fn found(document: &Reading<LearningConfig>) -> Vec<(u64, &str, &str)> {
        let all = document.diagnostics.iter();
        all.map(|one| (one.line, one.pointer.as_str(), one.code.as_str()))
            .collect()
    }

    #[test]
    fn faults_of_yaml_have_lines() {
        let text = "version: 1.0.0\nfeedback_collection:\n  sources:\n    - type: test_failure\n    - type: noise\n  # a comment\n  storage_path: ../../etc\n";
        let document = read_learning(text);
        assert_eq!(document.object, None);
        assert_eq!(
            found(&document),
            [
                (1, "/learning_pipeline", "learning.member_missing"),
                (
                    5,
                    "/feedback_collection/sources/1/type",
                    "learning.word_unknown"
                ),
            ]
        );
        // The form of a string is looked at once all fields have their types.
        let text = text.replace("noise", "review_rejection") + "learning_pipeline: {}\n";
        let outside = "/feedback_collection/storage_path";
        assert_eq!(
            found(&read_learning(&text)),
            [(7, outside, "learning.value_form")]
        );
    }

    #[test]
    fn invalid_yaml_is_the_only_fault() {
        let twice = read_learning("version: 1.0.0\nversion: 1.0.0\n");
        assert_eq!(found(&twice), [(2, "", "learning.key_twice")]);
        let none = read_learning("a: [\n");
        assert_eq!(found(&none)[0].2, "learning.syntax");
    }
}
