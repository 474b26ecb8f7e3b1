//! A file under review.

use crate::front_matter::{self, FrontMatterKind};
use crate::markdown::Outline;
use crate::source::SourceText;
use crate::yaml;

/// A file under review with its outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The file, relative to the root.
    pub path: String,
    /// Its role in its unit.
    pub role: DocumentRole,
    /// Its content, up to the first byte that is not UTF-8.
    pub source: String,
    /// The offset of that byte; `None` when the whole file is UTF-8.
    pub invalid_at: Option<usize>,
    /// The end of its front matter; 0 when it has none.
    pub body: usize,
    /// Its Markdown.
    pub outline: Outline,
}

/// The role of a document in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentRole {
    /// The spec.
    Spec,
    /// The plan.
    Plan,
    /// A task.
    Task,
    /// Any other Markdown file.
    Text,
}

impl Document {
    /// Parses a file and stores its content.
    pub fn parse<'s>(
        path: impl Into<String>,
        role: DocumentRole,
        source: impl Into<SourceText<'s>>,
    ) -> Self {
        let SourceText { text, invalid_at } = source.into();
        let body = body(&text, role);
        Self {
            path: path.into(),
            role,
            outline: Outline::parse_body(&text, body),
            source: text.into_owned(),
            invalid_at,
            body,
        }
    }

    /// Returns the name of the file without its folder.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Returns the end of the front matter of `text`.
///
/// Two rules at the start of a spec are front matter only if there is YAML
/// between them; in plans and tasks they always are.
fn body(text: &str, role: DocumentRole) -> usize {
    let Ok(Some(found)) = front_matter::find(text) else {
        return 0;
    };
    let is_yaml = || {
        yaml::parse_within(text, found.yaml, found.yaml_line)
            .is_ok_and(|tree| !tree.root.entries().is_empty())
    };
    let counts = match role {
        DocumentRole::Plan | DocumentRole::Task => true,
        DocumentRole::Spec | DocumentRole::Text => is_yaml(),
    };
    if counts && found.kind == FrontMatterKind::Dashes {
        found.block.end
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(role: DocumentRole, text: &str) -> Vec<String> {
        let document = Document::parse("a/b.md", role, text);
        document
            .outline
            .headings
            .iter()
            .map(|h| h.text.to_owned())
            .collect()
    }

    #[test]
    fn front_matter_is_not_in_the_outline() {
        let text = "---\ntask: 1\n---\n# A\n";
        assert_eq!(headings(DocumentRole::Task, text), ["A"]);
        assert_eq!(headings(DocumentRole::Spec, text), ["A"]);
        assert_eq!(Document::parse("a", DocumentRole::Task, text).body, 16);
    }

    #[test]
    fn rules_in_a_spec_are_not_front_matter() {
        let text = "---\n\n# A\n\ntext\n\n---\n# B\n";
        assert_eq!(headings(DocumentRole::Spec, text), ["A", "B"]);
        assert_eq!(headings(DocumentRole::Task, text), ["B"]);
    }

    #[test]
    fn text_after_an_invalid_byte_is_ignored() {
        let document = Document::parse("x/y.md", DocumentRole::Spec, b"# A\n\xff# B\n");
        assert_eq!(document.invalid_at, Some(4));
        assert_eq!(document.source, "# A\n");
        assert_eq!(document.file_name(), "y.md");
        assert_eq!(
            Document::parse("y.md", DocumentRole::Spec, "ok").invalid_at,
            None
        );
    }
}
