//! YAML with byte spans: one document, YAML 1.2 core types, nothing expanded.
//!
//! Duplicate keys and aliases are errors: the former hide a value, the latter
//! let a short input stand for a huge one.

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
    /// The root; a null scalar in an empty document.
    pub root: Node<'a>,
    /// The comments.
    pub comments: Vec<YamlComment<'a>>,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// Its place; for a block scalar the place of its content, for an
    /// absent value an empty span.
    pub place: Place,
    /// Its value.
    pub value: Value<'a>,
}

/// The value of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A single value.
    Scalar(Scalar<'a>),
    /// An array.
    Sequence(Vec<Node<'a>>),
    /// Key and value pairs, in the order of the source.
    Mapping(Vec<Entry<'a>>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The key.
    pub key: Cow<'a, str>,
    /// The place of the key.
    pub key_place: Place,
    /// The value.
    pub value: Node<'a>,
}

/// A comment, from `#` to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlComment<'a> {
    /// Its place, including the `#`.
    pub place: Place,
    /// What follows the `#`.
    pub text: Cow<'a, str>,
}

/// Parses one YAML document.
///
/// # Errors
/// [`YamlError`] is the first error and its place.
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

/// Parses the part of `text` inside `span`, which starts at line `line`.
///
/// All places are those of the whole `text`.
///
/// # Errors
/// See [`parse`].
pub(crate) fn parse_within(text: &str, span: Span, line: usize) -> Result<Tree<'_>, YamlError> {
    let part = span.slice(text).unwrap_or_default();
    build::tree(part, span.start, line)
}

impl<'a> Node<'a> {
    /// Returns the entries of a mapping; empty for anything else.
    pub fn entries(&self) -> &[Entry<'a>] {
        match &self.value {
            Value::Mapping(entries) => entries,
            Value::Scalar(_) | Value::Sequence(_) => &[],
        }
    }

    /// Returns the entry of a mapping with this key.
    pub fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// Returns the scalar, if it is one.
    pub fn scalar(&self) -> Option<&Scalar<'a>> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }

    /// Returns whether it is null or absent.
    pub fn is_null(&self) -> bool {
        self.scalar()
            .is_some_and(|scalar| scalar.kind == Kind::Null)
    }

    /// Returns the value as JSON; infinities and NaN, which JSON lacks, as strings.
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
