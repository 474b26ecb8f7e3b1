//! Errors in YAML.

use granit_parser::ErrorKind;

use crate::span::Place;

/// An error in YAML, and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct YamlError {
    /// Its place.
    pub place: Place,
    /// The kind.
    pub kind: YamlErrorKind,
    /// A suggestion for the fix, if there is one.
    pub hint: Option<String>,
}

/// The kind of an error in YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum YamlErrorKind {
    /// It is not YAML.
    #[error("not valid YAML: {0}")]
    Syntax(String),
    /// A key that the same mapping already has.
    #[error("duplicate key \"{key}\", first in line {first_line}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The line of its first appearance.
        first_line: usize,
    },
    /// A key that is an array or a mapping.
    #[error("a key must be a string")]
    KeyNotScalar,
    /// A reference to another node.
    #[error("aliases (*name) are not supported")]
    Alias,
    /// Arrays and mappings nested beyond the limit.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The maximum number of levels.
        limit: usize,
    },
    /// A second document after the first.
    #[error("a second document starts here")]
    SeveralDocuments,
}

/// Returns a suggestion for the line of a syntax error.
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
