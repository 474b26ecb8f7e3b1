//! Objects and lists, one member or item at a time.

use std::borrow::Cow;

use super::text::decode;
use super::{Failure, Fault, Kind, MAX_DEPTH, Place, Read, Reader};
use crate::RepairCode;

/// How far an object or a list was read.
#[derive(Debug, Default)]
pub(crate) struct Level {
    needs_comma: bool,
    trailing: Option<usize>,
}

/// What came next in an object or a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step<T> {
    Next(T),
    Closed,
    /// A guess found the end of the text.
    Cut,
}

/// The key of a member. The reader stands at its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key<'t> {
    pub(crate) name: Cow<'t, str>,
    pub(crate) at: usize,
}

impl<'t> Reader<'t> {
    /// Enters the object or the list that begins here.
    pub(crate) fn enter(&mut self, depth: usize) -> Result<Level, Failure> {
        if depth >= MAX_DEPTH {
            return self.fail(Fault::Depth);
        }
        self.pos += 1;
        Ok(Level::default())
    }

    /// Moves to the next member's value.
    pub(crate) fn next_key(&mut self, level: &mut Level) -> Result<Step<Key<'t>>, Failure> {
        match self.separate(level, b'}')? {
            Step::Next(()) => {}
            Step::Closed => return Ok(Step::Closed),
            Step::Cut => return Ok(Step::Cut),
        }
        let Some(key) = self.key()? else {
            return Ok(self.cut_off());
        };
        self.skip_blanks()?;
        match self.peek() {
            Some(b':') => self.pos += 1,
            None if self.guessing => return Ok(self.cut_off()),
            None => return self.fail(Fault::End),
            Some(_) => return self.fail(Fault::Colon),
        }
        self.progress.keys += 1;
        self.skip_blanks()?;
        Ok(Step::Next(key))
    }

    /// Moves to the next item.
    pub(crate) fn next_item(&mut self, level: &mut Level) -> Result<Step<()>, Failure> {
        self.separate(level, b']')
    }

    fn separate(&mut self, level: &mut Level, closer: u8) -> Result<Step<()>, Failure> {
        loop {
            self.skip_blanks()?;
            match self.peek() {
                None if self.guessing => return Ok(self.cut_off()),
                None => return self.fail(Fault::End),
                Some(byte) if byte == closer => {
                    if let Some(at) = level.trailing {
                        self.notes.add(RepairCode::TrailingComma, at);
                    }
                    self.pos += 1;
                    return Ok(Step::Closed);
                }
                Some(b',') if level.needs_comma => {
                    level.needs_comma = false;
                    level.trailing = Some(self.pos);
                    self.pos += 1;
                }
                Some(_) if self.guessing && self.skip_dots() => {
                    level.needs_comma = true;
                    level.trailing = None;
                }
                Some(_) if level.needs_comma => {
                    if !(self.guessing && self.starts_element(closer)) {
                        return self.fail(Fault::Separator);
                    }
                    self.notes.add(RepairCode::MissingComma, self.pos);
                    level.needs_comma = false;
                }
                Some(_) => {
                    level.needs_comma = true;
                    level.trailing = None;
                    return Ok(Step::Next(()));
                }
            }
        }
    }

    fn cut_off<T>(&mut self) -> Step<T> {
        if !self.cut {
            self.cut = true;
            self.notes.add(RepairCode::CutOff, self.text.len());
        }
        self.pos = self.text.len();
        Step::Cut
    }

    fn skip_dots(&mut self) -> bool {
        let rest = self.rest();
        if !(rest.starts_with("...") || rest.starts_with('…')) {
            return false;
        }
        self.notes.add(RepairCode::Ellipsis, self.pos);
        // Both forms are three bytes long.
        self.pos += 3;
        true
    }

    fn starts_element(&self, closer: u8) -> bool {
        let in_list = closer == b']';
        self.at_quote() || in_list && matches!(self.peek(), Some(b'{' | b'[' | b'-' | b'0'..=b'9'))
    }

    /// Reads a key; `None` if a guess finds it cut off.
    fn key(&mut self) -> Result<Option<Key<'t>>, Failure> {
        let at = self.pos;
        if self.at_quote() {
            let slot = self.text_token(None)?;
            return Ok(slot.map(|slot| Key {
                name: decode(self.text, slot.start, slot.end),
                at,
            }));
        }
        let rest = self.rest();
        let length = rest
            .char_indices()
            .find(|(i, c)| !is_identifier(*c, *i == 0))
            .map_or(rest.len(), |(i, _)| i);
        if length == 0 {
            let fault = if self.peek() == Some(0) {
                Fault::Nul
            } else {
                Fault::Key
            };
            return self.fail(fault);
        }
        self.notes.add(RepairCode::UnquotedKey, at);
        self.pos += length;
        Ok(Some(Key {
            name: Cow::Borrowed(rest.get(..length).unwrap_or_default()),
            at,
        }))
    }

    pub(super) fn skim_object(&mut self, depth: usize) -> Result<Read, Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        loop {
            match self.next_key(&mut level)? {
                Step::Next(_) => {
                    if !matches!(self.value(depth + 1, Place::Member)?, Read::Whole(_)) {
                        return Ok(self.part(Kind::Object, start));
                    }
                }
                Step::Closed => return Ok(self.whole(Kind::Object, start)),
                Step::Cut => return Ok(self.part(Kind::Object, start)),
            }
        }
    }

    pub(super) fn skim_list(&mut self, depth: usize) -> Result<Read, Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        loop {
            match self.next_item(&mut level)? {
                Step::Next(()) => {
                    if !matches!(self.value(depth + 1, Place::Item)?, Read::Whole(_)) {
                        return Ok(self.part(Kind::List, start));
                    }
                }
                Step::Closed => return Ok(self.whole(Kind::List, start)),
                Step::Cut => return Ok(self.part(Kind::List, start)),
            }
        }
    }

    pub(super) fn part(&mut self, kind: Kind, start: usize) -> Read {
        let _: Step<()> = self.cut_off();
        Read::Part(self.slot(kind, start))
    }
}

fn is_identifier(c: char, first: bool) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$') || !first && (c.is_numeric() || c == '-')
}
