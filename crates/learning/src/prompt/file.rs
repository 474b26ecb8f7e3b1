//! The file of a version: front matter followed by the prompt.
//!
//! Each line of the front matter is a field and its value as JSON, which is also valid
//! YAML. Everything after the second `---` is the prompt, byte for byte.

use serde_json::{Map, Value as Json};

use super::PromptVersion;
use crate::object::{Diagnostic, LearningObject as _};

const FENCE: &str = "---\n";
const CONTENT: &str = "content";

/// Why a version file is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct VersionFileError(String);

impl From<Vec<Diagnostic>> for VersionFileError {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        let each = diagnostics.iter();
        let each = each.map(|one| format!("{}: {}", one.pointer, one.message));
        Self(each.collect::<Vec<_>>().join("; "))
    }
}

impl PromptVersion {
    /// Returns the content of the file. Performance is stored in another file.
    pub fn to_file(&self) -> String {
        let members = serde_json::to_value(self).unwrap_or_default();
        let members = members.as_object().into_iter().flatten();
        let is_stored_here = |key: &str| key != CONTENT && key != "performance";
        let lines: String = members
            .filter(|(key, _)| is_stored_here(key))
            .map(|(key, value)| format!("{key}: {value}\n"))
            .collect();
        format!("{FENCE}{lines}{FENCE}{}", self.content)
    }

    /// Parses a file.
    ///
    /// # Errors
    /// [`VersionFileError`] if the file is not valid.
    pub fn from_file(text: &str) -> Result<Self, VersionFileError> {
        let (mut members, content) = front_matter(text)?;
        members.insert(CONTENT.to_owned(), content.into());
        Ok(Self::read(&Json::Object(members)).into_result()?)
    }
}

fn front_matter(text: &str) -> Result<(Map<String, Json>, &str), VersionFileError> {
    let expected =
        |line: usize, expected: &str| VersionFileError(format!("line {line}: expected {expected}"));
    let mut rest = text
        .strip_prefix(FENCE)
        .ok_or_else(|| expected(1, "`---`"))?;
    let mut members = Map::new();
    let mut number = 1;
    loop {
        number += 1;
        if let Some(content) = rest.strip_prefix(FENCE) {
            return Ok((members, content));
        }
        let (line, after) = rest
            .split_once('\n')
            .ok_or_else(|| expected(number, "`---`"))?;
        let member = line.split_once(": ");
        let (key, value) = member.ok_or_else(|| expected(number, "`key: value`"))?;
        // A value that is not JSON is a string without quotation marks.
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.trim().into());
        members.insert(key.to_owned(), value);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use review_types::Timestamp;

    use super::*;
    use crate::AgentName;
    use crate::prompt::{Change, ChangeType};

    fn version(content: &str) -> PromptVersion {
        PromptVersion {
            agent: AgentName::from("reviewer"),
            version: NonZeroU32::new(2).unwrap(),
            parent: Some(NonZeroU32::MIN),
            content: content.to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            applied_lessons: vec!["0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3".to_owned()],
            changes: vec![Change {
                change_type: Some(ChangeType::Addition),
                section: Some("lessons".to_owned()),
                old_text: None,
                new_text: Some("Say \"ms\".".to_owned()),
            }],
            approved_by: Some("ann: of QA".to_owned()),
            performance: None,
        }
    }

    #[test]
    fn a_file_is_front_matter_followed_by_the_text() {
        let expected = r#"---
agent: "reviewer"
applied_lessons: ["0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3"]
approved_by: "ann: of QA"
changes: [{"new_text":"Say \"ms\".","section":"lessons","type":"addition"}]
created_at: "1970-01-01T00:00:00Z"
parent: 1
version: 2
---
Judge.
"#;
        assert_eq!(version("Judge.\n").to_file(), expected);
    }

    #[test]
    fn a_version_round_trips_byte_for_byte() {
        for content in ["", "\n\r\n", "---\nx", "{{a}}\t---", "ends\n"] {
            let version = version(content);
            assert_eq!(PromptVersion::from_file(&version.to_file()), Ok(version));
        }
        let first = PromptVersion {
            version: NonZeroU32::MIN,
            parent: None,
            approved_by: None,
            applied_lessons: Vec::new(),
            changes: Vec::new(),
            ..version("Judge.\n")
        };
        assert_eq!(PromptVersion::from_file(&first.to_file()), Ok(first));
    }

    #[test]
    fn fields_may_be_written_without_quotation_marks() {
        let text = "---\nagent: reviewer\nversion: 3\ncreated_at: 1970-01-01T00:00:00Z\n---\nx";
        let version = PromptVersion::from_file(text).unwrap();
        assert_eq!(
            (
                version.agent.as_str(),
                version.version.get(),
                &*version.content
            ),
            ("reviewer", 3, "x")
        );
    }

    #[test]
    fn an_invalid_file_is_reported_with_its_line_or_field() {
        for (text, expected) in [
            ("agent: x\n", "line 1: expected `---`"),
            ("---\nagent: x", "line 2: expected `---`"),
            (
                "---\nagent: x\nversion\n---\n",
                "line 3: expected `key: value`",
            ),
        ] {
            let error = PromptVersion::from_file(text).unwrap_err();
            assert_eq!(error.to_string(), expected, "{text}");
        }
        let text = "---\nagent: x\nversion: 0\ncreated_at: 1970-01-01T00:00:00Z\n---\n";
        let error = PromptVersion::from_file(text).unwrap_err();
        assert!(error.to_string().starts_with("/version: "), "{error}");
    }
}
