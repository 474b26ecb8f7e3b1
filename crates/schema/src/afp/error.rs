//! Why an object of the protocol is not accepted.

use std::fmt;
use std::ops::Range;

use review_types::UnknownWord;
use review_types::afp::{FeedbackId, RepeatedId, Unexplained};
use review_types::{IdError, NoFeedback};

use super::path::{JsonPath, Segment};

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
    #[error("must be {0}")]
    Type(&'static str),
    /// It holds nothing but blanks.
    #[error("cannot be empty")]
    Blank,
    /// Its key stands twice, with different values.
    #[error("stands twice with different values")]
    GivenTwice,
    /// It is no word of a closed list.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// It is no name of its kind.
    #[error("must be {rule}, got \"{got}\"")]
    Name {
        /// The rule that it breaks.
        rule: &'static str,
        /// The text itself.
        got: String,
    },
    /// It is another version of the protocol.
    #[error("must be \"1.2\", got \"{0}\"")]
    Version(String),
    /// It is no number of its range.
    #[error("must be a whole number from {min} to {max}, got {got}")]
    Number {
        /// The least number.
        min: u64,
        /// The greatest number.
        max: u64,
        /// What is there.
        got: String,
    },
    /// It repeats an id of its list.
    #[error("repeats the id \"{0}\"")]
    Repeated(FeedbackId),
    /// It rejects feedback and does not say why.
    #[error(transparent)]
    Unexplained(#[from] Unexplained),
    /// It asks for a revision and does not say of what.
    #[error(transparent)]
    NoFeedback(#[from] NoFeedback),
    /// It says how much an area for improvement matters that is not there.
    #[error("is given for \"{0}\", which is not the id of an area for improvement")]
    NoArea(String),
    /// It differs from what it repeats.
    #[error("must be {expected}, got {got}")]
    Differs {
        /// What it repeats.
        expected: String,
        /// What it is.
        got: String,
    },
}

impl From<IdError> for AfpFault {
    fn from(error: IdError) -> Self {
        if error.got.trim().is_empty() {
            return Self::Blank;
        }
        Self::Name {
            rule: error.rule,
            got: error.got,
        }
    }
}

impl From<RepeatedId> for AfpFault {
    fn from(error: RepeatedId) -> Self {
        Self::Repeated(error.id)
    }
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

    /// The same error, seen from the object around it.
    pub(super) fn in_key(self, key: &'static str) -> Self {
        self.under(Segment::Key(key))
    }

    /// The same error, seen from the list around it.
    pub(super) fn in_item(self, index: usize) -> Self {
        self.under(Segment::Index(index))
    }

    fn under(mut self, segment: Segment) -> Self {
        self.path = self.path.under(segment);
        self
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
