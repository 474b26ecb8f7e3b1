//! YAML with byte spans: one document, YAML 1.2 core types, nothing expanded.
//!
//! Duplicate keys and aliases are errors: the first hide a value, the second
//! let a short text stand for a huge one.

mod build;
mod error;
mod scalar;

use std::borrow::Cow;

use serde_json::{Map, Number, Value as Json};

use crate::span::{Place, Span};

pub use error::{YamlError, YamlErrorKind};
pub use scalar::{Kind, Scalar, Style};

/// A YAML document: its root and its comments in order of appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree<'a> {
    /// The root; a null scalar when the text holds no node.
    pub root: Node<'a>,
    /// The comments.
    pub comments: Vec<Comment<'a>>,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// Where it stands; for a block scalar the place of its content, for an
    /// absent value an empty span.
    pub place: Place,
    /// What it holds.
    pub value: Value<'a>,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A single value.
    Scalar(Scalar<'a>),
    /// A list.
    Sequence(Vec<Node<'a>>),
    /// Key and value pairs, in the order of the text.
    Mapping(Vec<Entry<'a>>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The key.
    pub key: Cow<'a, str>,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub value: Node<'a>,
}

/// A comment, from `#` to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment<'a> {
    /// Where it stands, with the `#`.
    pub place: Place,
    /// The text behind `#`.
    pub text: Cow<'a, str>,
}

/// Reads a text that is one YAML document.
///
/// # Errors
/// [`YamlError`] names the first thing that is wrong and where it stands.
///
/// ```
/// let tree = review_document::yaml::parse("task: 2\ndepends_on: [1]\n")?;
/// let task = tree.root.get("task").expect("the key is there");
/// assert_eq!(task.value.place.span.range(), 6..7);
/// # Ok::<(), review_document::yaml::YamlError>(())
/// ```
pub fn parse(text: &str) -> Result<Tree<'_>, YamlError> {
    parse_within(text, Span::new(0, text.len()), 1)
}

/// Reads the part of `text` inside `span`, which begins with line `line`.
///
/// All places are those of the whole text.
///
/// # Errors
/// As [`parse`].
pub fn parse_within(text: &str, span: Span, line: usize) -> Result<Tree<'_>, YamlError> {
    let part = span.slice(text).unwrap_or_default();
    build::tree(part, span.start, line)
}

impl<'a> Node<'a> {
    /// The entries of a mapping; empty for anything else.
    #[must_use]
    pub fn entries(&self) -> &[Entry<'a>] {
        match &self.value {
            Value::Mapping(entries) => entries,
            Value::Scalar(_) | Value::Sequence(_) => &[],
        }
    }

    /// The entry of a mapping with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The scalar, if it is one.
    #[must_use]
    pub fn scalar(&self) -> Option<&Scalar<'a>> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }

    /// Whether it is null or absent.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.scalar()
            .is_some_and(|scalar| scalar.kind == Kind::Null)
    }

    /// The same value as JSON; infinities and NaN, which JSON lacks, as text.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar(scalar) => scalar_to_json(scalar),
            Value::Sequence(items) => items.iter().map(Self::to_json).collect(),
            Value::Mapping(entries) => Json::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.to_string(), entry.value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

fn scalar_to_json(scalar: &Scalar<'_>) -> Json {
    let text = || Json::String(scalar.text.to_string());
    match scalar.kind {
        Kind::Null => Json::Null,
        Kind::Bool(value) => Json::Bool(value),
        Kind::Int(value) => Json::from(value),
        Kind::Float(value) => Number::from_f64(value).map_or_else(text, Json::Number),
        Kind::Text => text(),
    }
}

#[cfg(test)]
mod tests;
