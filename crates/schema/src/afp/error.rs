//! Why an object of the protocol is not accepted.

use std::fmt;
use std::ops::Range;

use review_types::{FeedbackId, NoFeedback, UnknownWord};
use serde::de::{Expected, Unexpected};

use crate::parse::Node;

/// What is wrong with an object of the protocol, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfpError {
    /// The value that is wrong.
    pub path: JsonPath,
    /// What is wrong with it.
    pub fault: AfpFault,
    /// Its bytes, or those of what it is missing in.
    pub span: Range<usize>,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AfpFault {
    /// The text is no JSON.
    #[error("no valid JSON: {what} at byte {at}")]
    Json {
        /// What does not belong there.
        what: String,
        /// Where.
        at: usize,
    },
    /// It is not there, or null.
    #[error("is missing")]
    Missing,
    /// It is something else.
    #[error("must be {expected}, got {got}")]
    Type {
        /// What it must be.
        expected: &'static str,
        /// What is there.
        got: String,
    },
    /// It holds nothing but blanks.
    #[error("cannot be empty")]
    Blank,
    /// Its key stands twice, with different values.
    #[error("stands twice with different values")]
    GivenTwice,
    /// It is no word of a closed list.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// It repeats an id of its list.
    #[error("repeats the id \"{0}\"")]
    Repeated(FeedbackId),
    /// It asks for a revision and does not say of what.
    #[error(transparent)]
    NoFeedback(#[from] NoFeedback),
    /// It says how much an area for improvement matters that is not there.
    #[error("is given for \"{0}\", which is not the id of an area for improvement")]
    NoArea(String),
    /// It breaks a rule of its own.
    #[error("{0}")]
    Rule(String),
}

impl AfpError {
    pub(super) fn json(what: impl Into<String>, at: usize) -> Self {
        let what = what.into();
        Self::new(AfpFault::Json { what, at }, at..at)
    }

    /// The value itself is wrong.
    pub(super) fn new(fault: impl Into<AfpFault>, span: Range<usize>) -> Self {
        Self {
            path: JsonPath::default(),
            fault: fault.into(),
            span,
        }
    }

    /// A member is missing in an object.
    pub(super) fn missing(key: &'static str, object: &Node<'_>) -> Self {
        Self::new(AfpFault::Missing, object.span.clone()).in_key(key)
    }

    /// The same error with the bytes of the value, if it has no bytes yet.
    pub(super) fn within(mut self, node: &Node<'_>) -> Self {
        if self.span.is_empty() {
            self.span = node.span.clone();
        }
        self
    }

    /// The same error, seen from the object around it.
    pub(super) fn in_key(self, key: &'static str) -> Self {
        self.under(Segment::Key(key))
    }

    /// The same error, seen from the list around it.
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
            got: crate::judge::shorten(got),
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

/// One step on the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Into a member of an object.
    Key(&'static str),
    /// Into an item of a list, counted from 0.
    Index(usize),
}

/// The way from the root of a document to a value, such as
/// `applied_feedback.items[2].status`. The root itself is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct JsonPath(Vec<Segment>);

impl JsonPath {
    /// The steps from the root on.
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
