//! What is wrong with a configuration.

use std::ops::Range;

use crate::output::{NoteLevel, SourceNote, line_of};

/// Something wrong in the configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileFault {
    /// The bytes of the file that it is about.
    pub(super) span: Range<usize>,
    /// What is wrong.
    pub(super) message: String,
    /// What to write instead.
    pub(super) help: Option<String>,
}

impl FileFault {
    /// The fault with the lines it is about.
    pub(super) fn note(self, path: &str, text: &str) -> SourceNote {
        let place = (line_of(text, self.span.start), self.span);
        let note = SourceNote::new(NoteLevel::Error, self.message, path, text, place);
        match self.help {
            Some(help) => note.help(help),
            None => note,
        }
    }
}

/// What is said about the value of a key.
pub(super) struct Said {
    /// What is wrong.
    pub(super) message: String,
    /// What to write instead.
    pub(super) help: Option<String>,
    /// The bytes of the file, where only a part of the value is wrong.
    pub(super) span: Option<Range<usize>>,
}

/// Why a value is not the value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueFault {
    /// It has the wrong form; the key says what is expected.
    Form,
    /// It has the right form and is wrong all the same.
    Told {
        /// What is wrong.
        message: String,
        /// What to write instead.
        help: Option<String>,
    },
    /// An entry of it is wrong.
    Entry {
        /// The bytes of the file that the entry stands at.
        span: Range<usize>,
        /// What is wrong with it.
        fault: Box<ValueFault>,
    },
}

impl ValueFault {
    /// The fault as one of the entry at some bytes of the file.
    pub(super) fn at(self, span: Range<usize>) -> Self {
        Self::Entry {
            span,
            fault: Box::new(self),
        }
    }

    /// The message about a key, what to write instead, and the bytes of the
    /// file, if it is an entry that is wrong.
    pub(super) fn said(self, name: &str, expected: &str) -> Said {
        match self {
            Self::Form => Said {
                message: format!("`{name}` must be {expected}"),
                help: None,
                span: None,
            },
            Self::Told { message, help } => Said {
                message: format!("`{name}`: {message}"),
                help,
                span: None,
            },
            Self::Entry { span, fault } => Said {
                span: Some(span),
                ..fault.said(name, expected)
            },
        }
    }

    /// A fault in its own words.
    pub(super) fn told(message: impl ToString) -> Self {
        Self::Told {
            message: message.to_string(),
            help: None,
        }
    }
}
