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
}

impl ValueFault {
    /// A fault in its own words.
    pub(super) fn told(message: impl ToString) -> Self {
        Self::Told {
            message: message.to_string(),
            help: None,
        }
    }
}
