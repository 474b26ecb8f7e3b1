//! A lenient JSON parser: text becomes a tree, with the repairs that were needed.
//!
//! Models write almost JSON, and an answer is paid for, so that what is clear is read. There
//! are two levels. The plain one repairs only unambiguous deviations. The guessing one also
//! repairs cut off input and missing commas; nothing that it guesses can be a pass. An error
//! does not lose what comes before it: the tree is returned up to the error, since a
//! verdict in a broken object still speaks against a pass beside it.

mod blank;
mod number;
mod string;
mod tree;

pub(crate) use blank::is_invisible;
pub(crate) use string::decode;
pub(crate) use tree::{Inexact, Node, Property, Value, exact, key_spelling};

use crate::repair::Notes;

/// Maximum nesting of objects and arrays.
pub(crate) const MAX_DEPTH: usize = 64;

/// A syntax error and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) at: usize,
    pub(crate) fault: SyntaxFault,
}

/// The kind of a syntax error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyntaxFault {
    End,
    Separator,
    Key,
    Colon,
    Value,
    Depth,
    Nul,
}

impl SyntaxFault {
    /// Returns what was expected, for a message.
    pub(crate) const fn expected(self) -> &'static str {
        match self {
            Self::End => "cut off",
            Self::Separator => "expected a comma or a closing bracket",
            Self::Key => "expected a key",
            Self::Colon => "expected a colon",
            Self::Value => "expected a value",
            Self::Depth => "nested deeper than 64 levels",
            Self::Nul => "a NUL byte",
        }
    }
}

/// The context of a value: it determines what may follow a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Field,
    Item,
}

pub(crate) struct Reader<'t> {
    text: &'t str,
    pos: usize,
    guessing: bool,
    cut: bool,
    /// The last string: from its opening quote to after its closing one.
    last_string: Option<(usize, usize)>,
    /// The first syntax error.
    pub(crate) failure: Option<Failure>,
    /// The starts of the values that are not complete, at most one on each level.
    pub(crate) incomplete: Vec<usize>,
    pub(crate) notes: Notes,
}

impl<'t> Reader<'t> {
    /// Returns a reader at byte `pos`.
    pub(crate) fn new(text: &'t str, pos: usize, guessing: bool) -> Self {
        Self {
            text,
            pos,
            guessing,
            cut: false,
            last_string: None,
            failure: None,
            incomplete: Vec::new(),
            notes: Notes::default(),
        }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// Returns where the last string started, if only white space came after it.
    pub(crate) fn string_before(&self, at: usize) -> Option<usize> {
        let (start, end) = self.last_string?;
        let between = self.text.as_bytes().get(end..at)?;
        between.trim_ascii().is_empty().then_some(start)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    fn fail<T>(&self, fault: SyntaxFault) -> Result<T, Failure> {
        Err(Failure {
            at: self.pos,
            fault,
        })
    }
}
