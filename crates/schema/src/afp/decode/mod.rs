//! From a tree of JSON to the values of the protocol.

mod applied;
mod message;
mod request;
mod response;

pub(crate) use response::{Head, Status, is_form};

use std::str::FromStr;

use review_types::UnknownWord;
use review_types::afp::{Iteration, ProtocolVersion};

use super::error::{AfpError, AfpFault};
use crate::RepairCode;
use crate::form::ScoreNumber;
use crate::parse::{KeyForm, Node, Value};
use crate::repair::Notes;

type Result<T> = std::result::Result<T, AfpError>;

/// Reads values out of a tree, exactly or with mending.
pub(crate) struct Decoder<'t> {
    text: &'t str,
    /// What was mended, where mending is allowed.
    mended: Option<Notes>,
}

/// A member that was found by its key.
type Found<'n, 't> = Option<&'n Node<'t>>;

impl<'t> Decoder<'t> {
    /// A decoder that takes everything as it is written.
    pub(super) fn exact(text: &'t str) -> Self {
        Self { text, mended: None }
    }

    /// A decoder that mends what can be read in one way.
    pub(crate) fn mending(text: &'t str) -> Self {
        Self {
            text,
            mended: Some(Notes::default()),
        }
    }

    /// What was mended.
    pub(crate) fn into_notes(self) -> Notes {
        self.mended.unwrap_or_default()
    }

    /// Notes a repair; false where nothing may be mended.
    fn mend(&mut self, code: RepairCode, at: usize) -> bool {
        match &mut self.mended {
            Some(notes) => {
                notes.add(code, at);
                true
            }
            None => false,
        }
    }

    /// The value of a key, unless it is missing or null.
    pub(crate) fn find<'n>(
        &mut self,
        object: &'n Node<'t>,
        key: &'static str,
    ) -> Result<Found<'n, 't>> {
        let Value::Object(entries) = &object.value else {
            return Err(AfpError::new(
                AfpFault::Type("an object"),
                object.span.clone(),
            ));
        };
        let mut first: Found<'n, 't> = None;
        for entry in entries {
            match KeyForm::of(&entry.key, key) {
                Some(KeyForm::Exact) => {}
                Some(_) if self.mend(RepairCode::KeyCase, entry.key_at) => {}
                _ => continue,
            }
            let Some(before) = first else {
                first = Some(&entry.node);
                continue;
            };
            if self.raw(before) != self.raw(&entry.node) {
                let span = entry.node.span.clone();
                return Err(AfpError::new(AfpFault::GivenTwice, span).in_key(key));
            }
            self.mend(RepairCode::DuplicateKey, entry.key_at);
        }
        Ok(first.filter(|node| !matches!(node.value, Value::Null)))
    }

    /// The value of a key that must be there, decoded.
    fn member<T>(
        &mut self,
        object: &Node<'t>,
        key: &'static str,
        decode: impl FnOnce(&mut Self, &Node<'t>) -> Result<T>,
    ) -> Result<T> {
        let found = self.optional(object, key, decode)?;
        found.ok_or_else(|| AfpError::new(AfpFault::Missing, object.span.clone()).in_key(key))
    }

    /// The value of a key, decoded, if it is there.
    fn optional<T>(
        &mut self,
        object: &Node<'t>,
        key: &'static str,
        decode: impl FnOnce(&mut Self, &Node<'t>) -> Result<T>,
    ) -> Result<Option<T>> {
        let found = self.find(object, key)?;
        found
            .map(|node| decode(self, node))
            .transpose()
            .map_err(|error| error.in_key(key))
    }

    /// The value of a key that decides nothing: where mending is allowed, what
    /// is missing is left empty.
    fn expected<T: Default>(
        &mut self,
        object: &Node<'t>,
        key: &'static str,
        decode: impl FnOnce(&mut Self, &Node<'t>) -> Result<T>,
    ) -> Result<T> {
        let missing = || AfpError::new(AfpFault::Missing, object.span.clone()).in_key(key);
        match self.optional(object, key, decode)? {
            Some(value) => Ok(value),
            None if self.mend(RepairCode::MissingMember, object.span.start) => Ok(T::default()),
            None => Err(missing()),
        }
    }

    /// The items of a list, each decoded.
    fn list<T>(
        &mut self,
        node: &Node<'t>,
        mut decode: impl FnMut(&mut Self, &Node<'t>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let Value::List(items) = &node.value else {
            return Err(AfpError::new(AfpFault::Type("a list"), node.span.clone()));
        };
        let decoded = items.iter().enumerate();
        decoded
            .map(|(index, item)| decode(self, item).map_err(|error| error.in_item(index)))
            .collect()
    }

    fn string(&mut self, node: &Node<'t>) -> Result<String> {
        match &node.value {
            Value::Text(text) => Ok(text.clone().into_owned()),
            _ => Err(AfpError::new(AfpFault::Type("a text"), node.span.clone())),
        }
    }

    fn flag(&mut self, node: &Node<'t>) -> Result<bool> {
        match node.value {
            Value::Bool(flag) => Ok(flag),
            _ => {
                let fault = AfpFault::Type("true or false");
                Err(AfpError::new(fault, node.span.clone()))
            }
        }
    }

    fn filled(&mut self, node: &Node<'t>) -> Result<String> {
        let text = self.string(node)?;
        if text.trim().is_empty() {
            return Err(AfpError::new(AfpFault::Blank, node.span.clone()));
        }
        Ok(text)
    }

    /// A text that is a name of some kind.
    fn name<T: FromStr<Err = review_types::IdError>>(&mut self, node: &Node<'t>) -> Result<T> {
        let text = self.string(node)?;
        text.parse()
            .map_err(|error: review_types::IdError| AfpError::new(error, node.span.clone()))
    }

    /// A word of a closed list. Where mending is allowed, its case and the
    /// blanks around it do not matter.
    fn word<T: FromStr<Err = UnknownWord>>(&mut self, node: &Node<'t>) -> Result<T> {
        let text = self.string(node)?;
        let error = match text.parse() {
            Ok(word) => return Ok(word),
            Err(error) => AfpError::new(AfpFault::Word(error), node.span.clone()),
        };
        let word = text.trim().to_ascii_lowercase().parse();
        match word {
            Ok(word) if self.mend(RepairCode::WordForm, node.span.start) => Ok(word),
            _ => Err(error),
        }
    }

    /// A whole number in plain digits.
    fn number(&mut self, node: &Node<'t>, min: u64, max: u64) -> Result<u64> {
        let number = match &node.value {
            Value::Number(raw) => match ScoreNumber::of(raw) {
                ScoreNumber::Plain(value) => u64::try_from(value).ok(),
                _ => None,
            },
            _ => None,
        };
        number
            .filter(|value| (min..=max).contains(value))
            .ok_or_else(|| {
                let got = crate::judge::shorten(self.raw(node));
                AfpError::new(AfpFault::Number { min, max, got }, node.span.clone())
            })
    }

    fn version(&mut self, object: &Node<'t>) -> Result<ProtocolVersion> {
        self.member(object, "protocol_version", |decoder, node| {
            let text = decoder.string(node)?;
            if text == ProtocolVersion::TEXT {
                Ok(ProtocolVersion)
            } else {
                let got = crate::judge::shorten(&text);
                Err(AfpError::new(AfpFault::Version(got), node.span.clone()))
            }
        })
    }

    pub(super) fn only_iteration(&mut self, object: &Node<'t>) -> Result<Iteration> {
        self.member(object, "iteration", Self::iteration)
    }

    fn iteration(&mut self, node: &Node<'t>) -> Result<Iteration> {
        let (min, max) = (1, u64::from(u32::MAX));
        let number = self.number(node, min, max)?;
        let iteration = u32::try_from(number).ok().and_then(Iteration::new);
        iteration.ok_or_else(|| {
            let got = number.to_string();
            AfpError::new(AfpFault::Number { min, max, got }, node.span.clone())
        })
    }

    fn raw(&self, node: &Node<'_>) -> &'t str {
        self.text.get(node.span.clone()).unwrap_or_default()
    }
}
