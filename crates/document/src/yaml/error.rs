//! What can be wrong with a YAML text.

use granit_parser::ErrorKind;

use crate::span::Place;

/// Something that is wrong with a YAML text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct YamlError {
    /// Where it stands.
    pub place: Place,
    /// What is wrong.
    pub kind: YamlErrorKind,
    /// What to write instead, if that can be told.
    pub hint: Option<String>,
}

/// What is wrong with a YAML text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum YamlErrorKind {
    /// It is not YAML.
    #[error("not valid YAML: {0}")]
    Syntax(String),
    /// A key that the same mapping has already.
    #[error("key \"{key}\" stands here and in line {first_line}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The line of its first appearance.
        first_line: usize,
    },
    /// A key that is a list or a mapping.
    #[error("a key must be a plain text")]
    KeyNotScalar,
    /// A reference to another node.
    #[error("aliases (*name) are not supported")]
    Alias,
    /// Lists and mappings within one another beyond the limit.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The number of levels that are read.
        limit: usize,
    },
    /// A second document behind the first.
    #[error("a second document begins here")]
    SeveralDocuments,
}

/// What to write instead of the line that a syntax error stands in.
pub(super) fn hint(kind: &ErrorKind, line: &str) -> Option<String> {
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    let quotable = match kind {
        ErrorKind::MappingValueNotAllowed => value.contains(':'),
        ErrorKind::UnexpectedCharacter { .. } => true,
        ErrorKind::CommentNotSeparated => value.contains('#'),
        _ => false,
    };
    let whole = key.trim().strip_prefix("- ").unwrap_or(key.trim());
    if !quotable || whole.is_empty() {
        return None;
    }
    if let Some(items) = value.strip_prefix('[') {
        return Some(format!("write {whole}: [{}", items.replace('#', "")));
    }
    Some(format!(
        "put the value in quotes: {whole}: '{}'",
        value.replace('\'', "''")
    ))
}
