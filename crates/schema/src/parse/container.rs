//! Parses objects and arrays, one field or item at a time.

use std::borrow::Cow;

use super::text::decode;
use super::{Failure, Kind, MAX_DEPTH, ParsedValue, Place, Reader, SyntaxFault};
use crate::RepairCode;

/// The progress in an object or an array.
#[derive(Debug, Default)]
pub(crate) struct Level {
    needs_comma: bool,
    trailing: Option<usize>,
}

/// The next step in an object or an array.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step<T> {
    Next(T),
    Closed,
    /// A guess reached the end of the input.
    Cut,
}

/// The key of a field. The reader is at its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key<'t> {
    pub(crate) name: Cow<'t, str>,
    pub(crate) at: usize,
}

impl<'t> Reader<'t> {
    /// Enters the object or the array that starts here.
    pub(crate) fn enter(&mut self, depth: usize) -> Result<Level, Failure> {
        if depth >= MAX_DEPTH {
            return self.fail(SyntaxFault::Depth);
        }
        self.pos += 1;
        Ok(Level::default())
    }

    /// Moves to the value of the next field.
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
            None => return self.fail(SyntaxFault::End),
            Some(_) => return self.fail(SyntaxFault::Colon),
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
                None => return self.fail(SyntaxFault::End),
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
                        return self.fail(SyntaxFault::Separator);
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

    /// Parses a key; `None` if a guess finds it cut off.
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
                SyntaxFault::Nul
            } else {
                SyntaxFault::Key
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

    pub(super) fn skim_object(&mut self, depth: usize) -> Result<ParsedValue, Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        loop {
            match self.next_key(&mut level)? {
                Step::Next(_) => {
                    if !matches!(self.value(depth + 1, Place::Field)?, ParsedValue::Whole(_)) {
                        return Ok(self.part(Kind::Object, start));
                    }
                }
                Step::Closed => return Ok(self.whole(Kind::Object, start)),
                Step::Cut => return Ok(self.part(Kind::Object, start)),
            }
        }
    }

    pub(super) fn skim_list(&mut self, depth: usize) -> Result<ParsedValue, Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        loop {
            match self.next_item(&mut level)? {
                Step::Next(()) => {
                    if !matches!(self.value(depth + 1, Place::Item)?, ParsedValue::Whole(_)) {
                        return Ok(self.part(Kind::List, start));
                    }
                }
                Step::Closed => return Ok(self.whole(Kind::List, start)),
                Step::Cut => return Ok(self.part(Kind::List, start)),
            }
        }
    }

    pub(super) fn part(&mut self, kind: Kind, start: usize) -> ParsedValue {
        let _: Step<()> = self.cut_off();
        ParsedValue::Part(self.slot(kind, start))
    }
}

fn is_identifier(c: char, first: bool) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$') || !first && (c.is_numeric() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Repair;

    fn read(text: &str, guessing: bool) -> Result<(bool, Vec<Repair>), Failure> {
        let mut reader = Reader::new(text, 0, guessing);
        let read = reader.value(0, Place::Field)?;
        let whole = matches!(read, ParsedValue::Whole(slot) if slot.end == text.len());
        Ok((whole, reader.notes.list().to_vec()))
    }

    #[test]
    fn an_early_end_is_cut_off_for_a_guess_and_fails_otherwise() {
        let text = r#"{"a": [1, {"b": "c", d: 2.5}, [ ] ], 'e': {} }"#;
        for end in 1..text.len() {
            let cut = &text[..end];
            let fault = read(cut, false).unwrap_err().fault;
            assert_eq!(fault, SyntaxFault::End, "{cut}");
            let (whole, repairs) = read(cut, true).unwrap();
            let cuts = repairs.iter().filter(|one| one.code == RepairCode::CutOff);
            let places: Vec<_> = cuts.map(|one| one.at).collect();
            assert_eq!((whole, places), (false, vec![end]), "{cut}");
        }
        assert!(read(text, false).unwrap().0);
    }

    #[test]
    fn commas_separate_and_may_trail_once() {
        for (text, repairs) in [
            ("[]", vec![]),
            ("[1, 2]", vec![]),
            ("[1, 2 ,]", vec![Repair::new(RepairCode::TrailingComma, 6)]),
            (
                "{\"a\": 1,}",
                vec![Repair::new(RepairCode::TrailingComma, 7)],
            ),
            ("{a-1: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
            ("{_: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
            ("{$a: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
            ("{é: 1}", vec![Repair::new(RepairCode::UnquotedKey, 1)]),
        ] {
            for guessing in [false, true] {
                assert_eq!(read(text, guessing), Ok((true, repairs.clone())), "{text}");
            }
        }
        for (text, at, fault) in [
            ("[,]", 1, SyntaxFault::Value),
            ("[1,,2]", 3, SyntaxFault::Value),
            ("[1}", 2, SyntaxFault::Separator),
            ("[1 a]", 3, SyntaxFault::Separator),
            ("{,}", 1, SyntaxFault::Key),
            ("{\"a\": 1,,}", 8, SyntaxFault::Key),
            ("{\"a\": 1 b: 2}", 8, SyntaxFault::Separator),
            ("{\"a\": 1 2}", 8, SyntaxFault::Separator),
            ("{\"a\": 1 {}}", 8, SyntaxFault::Separator),
            ("{\"a\" 1}", 5, SyntaxFault::Colon),
            ("{1a: 1}", 1, SyntaxFault::Key),
            ("{-a: 1}", 1, SyntaxFault::Key),
            ("{\0}", 1, SyntaxFault::Nul),
            ("[\0]", 1, SyntaxFault::Nul),
        ] {
            for guessing in [false, true] {
                assert_eq!(read(text, guessing), Err(Failure { at, fault }), "{text}");
            }
        }
    }

    #[test]
    fn a_guess_adds_commas_and_skips_dots() {
        use RepairCode::{Ellipsis, MissingComma, TrailingComma};
        for (text, repairs) in [
            ("[1 2]", vec![(MissingComma, 3)]),
            ("[1 -2]", vec![(MissingComma, 3)]),
            ("[1 [2]]", vec![(MissingComma, 3)]),
            ("[1 {}]", vec![(MissingComma, 3)]),
            ("[1 \"a\"]", vec![(MissingComma, 3)]),
            ("{\"a\": 1 \"b\": 2}", vec![(MissingComma, 8)]),
            ("[1, ...]", vec![(Ellipsis, 4)]),
            ("[1, …]", vec![(Ellipsis, 4)]),
            ("[1 ...]", vec![(Ellipsis, 3)]),
            ("[..., 1]", vec![(Ellipsis, 1)]),
            ("[... 1]", vec![(Ellipsis, 1), (MissingComma, 5)]),
            ("[1, ...,]", vec![(Ellipsis, 4), (TrailingComma, 7)]),
            ("{...}", vec![(Ellipsis, 1)]),
        ] {
            let repairs = repairs.iter().map(|(code, at)| Repair::new(*code, *at));
            assert_eq!(read(text, true), Ok((true, repairs.collect())), "{text}");
            assert!(read(text, false).is_err(), "{text}");
        }
        assert!(read("[..]", true).is_err());
    }
}
