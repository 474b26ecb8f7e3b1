//! A lenient JSON parser without allocation: it moves over values and reports
//! their positions.
//!
//! There are two levels. The plain one repairs only unambiguous deviations.
//! The guessing one also repairs cut off input and missing commas. Parsing something
//! again with the same level gives the same result.

mod answer;
mod blank;
mod call_end;
mod container;
mod number;
mod text;
mod tree;

pub(crate) use answer::{Answer, Duplicate, Entry, KeyForm, KnownField, Progress};
pub(crate) use blank::is_invisible;
pub(crate) use call_end::{CallEnd, CallProblem};
pub(crate) use container::{Key, Step};
pub(crate) use text::decode;
pub(crate) use tree::{Inexact, Node, Property, Value, exact};

use crate::repair::Notes;

/// Maximum nesting of objects and arrays.
pub(crate) const MAX_DEPTH: usize = 64;

/// The position and kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    True,
    False,
    Number,
    NonFinite,
    Text,
    List,
    Object,
}

/// How complete a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParsedValue {
    Whole(Slot),
    /// An object or an array that the end of the input cut off.
    Part(Slot),
    /// A value that is unknown because too little of it is left.
    Lost,
}

impl ParsedValue {
    /// Returns the value, unless it is unknown.
    pub(crate) fn slot(self) -> Option<Slot> {
        match self {
            Self::Whole(slot) | Self::Part(slot) => Some(slot),
            Self::Lost => None,
        }
    }
}

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
    TooManyAnswers,
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
            Self::TooManyAnswers => "too many answers inside one object",
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
    last_text: Option<(usize, usize)>,
    pub(crate) notes: Notes,
    pub(crate) progress: Progress,
}

impl<'t> Reader<'t> {
    /// Returns a reader at byte `pos`.
    pub(crate) fn new(text: &'t str, pos: usize, guessing: bool) -> Self {
        Self {
            text,
            pos,
            guessing,
            cut: false,
            last_text: None,
            notes: Notes::default(),
            progress: Progress::default(),
        }
    }

    /// Returns a reader for parsing a value again. Its notes were already recorded.
    pub(crate) fn again(text: &'t str, slot: Slot, guessing: bool) -> Self {
        Self::new(text, slot.start, guessing)
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// Returns where the last string started, if only white space came after it.
    pub(crate) fn text_before(&self, at: usize) -> Option<usize> {
        let (start, end) = self.last_text?;
        let between = self.text.as_bytes().get(end..at)?;
        between
            .iter()
            .all(|byte| byte.is_ascii_whitespace())
            .then_some(start)
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

    fn whole(&self, kind: Kind, start: usize) -> ParsedValue {
        ParsedValue::Whole(self.slot(kind, start))
    }

    fn slot(&self, kind: Kind, start: usize) -> Slot {
        Slot {
            kind,
            start,
            end: self.pos,
        }
    }

    /// Moves over the value that starts here. `depth` is the number of objects and
    /// arrays around it.
    pub(crate) fn value(&mut self, depth: usize, place: Place) -> Result<ParsedValue, Failure> {
        match self.peek() {
            None if self.guessing => Ok(ParsedValue::Lost),
            None => self.fail(SyntaxFault::End),
            Some(b'{') => self.skim_object(depth),
            Some(b'[') => self.skim_list(depth),
            Some(b'0'..=b'9' | b'-' | b'+') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word(),
            Some(_) if self.at_quote() => self.text_value(place),
            Some(0) => self.fail(SyntaxFault::Nul),
            Some(_) => self.fail(SyntaxFault::Value),
        }
    }
}
