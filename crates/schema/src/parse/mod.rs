//! A lenient reader of JSON that builds nothing: it moves over values and tells
//! where they lie.
//!
//! There are two levels. A plain reading mends only what can be read in one way.
//! A guessing one also mends what is cut off or lacks a comma. Whatever was read
//! once is read again in the same way by a reader of the same level.

mod answer;
mod blank;
mod container;
mod number;
mod text;
mod tree;

pub(crate) use answer::{Again, Answer, Entry, KeyForm, Member, Progress};
pub(crate) use container::{Key, Step};
pub(crate) use text::decode;
pub(crate) use tree::{Inexact, Node, Property, Value, exact};

use crate::repair::Notes;

/// The deepest nesting of objects and lists that is read.
pub(crate) const MAX_DEPTH: usize = 64;

/// Where a value lies and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What a value is.
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

/// How much of a value was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Whole(Slot),
    /// An object or a list that the end of the text cut off.
    Part(Slot),
    /// A value that cannot be told from what is left of it.
    Lost,
}

impl Read {
    /// The value, unless nothing can be told of it.
    pub(crate) fn slot(self) -> Option<Slot> {
        match self {
            Self::Whole(slot) | Self::Part(slot) => Some(slot),
            Self::Lost => None,
        }
    }
}

/// Where a reading failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) at: usize,
    pub(crate) fault: Fault,
}

/// Why a reading failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    End,
    Separator,
    Key,
    Colon,
    Value,
    Depth,
    Nul,
    TooManyAnswers,
}

impl Fault {
    /// What was expected, for a message.
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

/// What a value belongs to: it decides what may follow a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Member,
    Item,
}

pub(crate) struct Reader<'t> {
    text: &'t str,
    pos: usize,
    guessing: bool,
    cut: bool,
    /// The last string: from its opening quote to behind its closing one.
    last_text: Option<(usize, usize)>,
    pub(crate) notes: Notes,
    pub(crate) progress: Progress,
}

impl<'t> Reader<'t> {
    /// A reader that stands at byte `pos`.
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

    /// A reader for a second look at a value. What it notes was noted before.
    pub(crate) fn again(text: &'t str, slot: Slot, guessing: bool) -> Self {
        Self::new(text, slot.start, guessing)
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// Where the last string began, if nothing but blanks came after it.
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

    fn fail<T>(&self, fault: Fault) -> Result<T, Failure> {
        Err(Failure {
            at: self.pos,
            fault,
        })
    }

    fn whole(&self, kind: Kind, start: usize) -> Read {
        Read::Whole(self.slot(kind, start))
    }

    fn slot(&self, kind: Kind, start: usize) -> Slot {
        Slot {
            kind,
            start,
            end: self.pos,
        }
    }

    /// Moves over the value that begins here. `depth` counts the objects and
    /// lists around it.
    pub(crate) fn value(&mut self, depth: usize, place: Place) -> Result<Read, Failure> {
        match self.peek() {
            None if self.guessing => Ok(Read::Lost),
            None => self.fail(Fault::End),
            Some(b'{') => self.skim_object(depth),
            Some(b'[') => self.skim_list(depth),
            Some(b'0'..=b'9' | b'-' | b'+') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word(),
            Some(_) if self.at_quote() => self.text_value(place),
            Some(0) => self.fail(Fault::Nul),
            Some(_) => self.fail(Fault::Value),
        }
    }
}
