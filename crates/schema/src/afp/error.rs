//! Errors in objects of the protocol.

use std::fmt;
use std::ops::Range;

use review_types::{FeedbackId, NoFeedback, UnknownWord, excerpt};
use serde::de::{Expected, Unexpected};

use crate::judge::MAX_QUOTED;
use crate::parse::Node;

/// An error in an object of the protocol, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfpError {
    /// The path of the invalid value.
    pub path: JsonPath,
    /// The kind of the error.
    pub fault: AfpFault,
    /// The byte range of the value, or of the object that lacks it.
    pub span: Range<usize>,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AfpFault {
    /// The input is not JSON.
    #[error("invalid JSON: {what} at byte {at}")]
    Json {
        /// The syntax error.
        what: String,
        /// The offset in bytes.
        at: usize,
    },
    /// It is missing, or null.
    #[error("is missing")]
    Missing,
    /// It has another type or range.
    #[error("expected {expected}, found {got}")]
    Type {
        /// The expected type or range.
        expected: &'static str,
        /// The value found.
        got: String,
    },
    /// It contains only white space.
    #[error("cannot be empty")]
    Blank,
    /// Its key occurs twice, with different values.
    #[error("duplicate key with different values")]
    GivenTwice,
    /// It is not a word of a closed list.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// It repeats an id of its array.
    #[error("repeats the id \"{0}\"")]
    Repeated(FeedbackId),
    /// It requests a revision without feedback.
    #[error(transparent)]
    NoFeedback(#[from] NoFeedback),
    /// It is the severity of an area for improvement that does not exist.
    #[error("is given for \"{0}\", which is not the id of an area for improvement")]
    NoArea(String),
    /// It violates another rule.
    #[error("{0}")]
    Rule(String),
}

impl AfpError {
    pub(super) fn json(what: impl Into<String>, at: usize) -> Self {
        let what = what.into();
        Self::new(AfpFault::Json { what, at }, at..at)
    }

    /// Returns the error of the value itself.
    pub(super) fn new(fault: impl Into<AfpFault>, span: Range<usize>) -> Self {
        Self {
            path: JsonPath::default(),
            fault: fault.into(),
            span,
        }
    }

    /// Returns the error of a field that an object lacks.
    pub(super) fn missing(key: &'static str, object: &Node<'_>) -> Self {
        Self::new(AfpFault::Missing, object.span.clone()).in_key(key)
    }

    /// Adds the byte range of the value, if the error has none yet.
    pub(super) fn within(mut self, node: &Node<'_>) -> Self {
        if self.span.is_empty() {
            self.span = node.span.clone();
        }
        self
    }

    /// Returns the error as seen from the parent object.
    pub(super) fn in_key(self, key: &'static str) -> Self {
        self.under(Segment::Key(key))
    }

    /// Returns the error as seen from the parent array.
    pub(super) fn in_item(self, index: usize) -> Self {
        self.under(Segment::Index(index))
    }

    fn under(mut self, segment: Segment) -> Self {
        self.path.0.insert(0, segment);
        self
    }
}

impl serde::de::Error for AfpError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(AfpFault::Rule(message.to_string()), 0..0)
    }

    fn invalid_value(got: Unexpected<'_>, _: &dyn Expected) -> Self {
        match got {
            Unexpected::Signed(number) => Self::custom(format_args!("{number} is out of range")),
            other => Self::custom(format_args!("{other} is out of range")),
        }
    }

    fn unknown_variant(got: &str, known: &'static [&'static str]) -> Self {
        let word = UnknownWord {
            known: known.join(" "),
            got: excerpt(got, MAX_QUOTED),
        };
        Self::new(word, 0..0)
    }

    fn missing_field(key: &'static str) -> Self {
        Self::new(AfpFault::Missing, 0..0).in_key(key)
    }
}

impl fmt::Display for AfpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.segments().is_empty() {
            return self.fault.fmt(f);
        }
        write!(f, "{}: {}", self.path, self.fault)
    }
}

impl std::error::Error for AfpError {}

/// One segment of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A field of an object.
    Key(&'static str),
    /// An item of an array, counted from 0.
    Index(usize),
}

/// The path from the root of a document to a value, such as
/// `applied_feedback.items[2].status`. The path of the root is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct JsonPath(Vec<Segment>);

impl JsonPath {
    /// Returns the segments from the root.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if at == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
