//! A value with all that is in it.

use std::borrow::Cow;
use std::ops::Range;

use super::text::decode;
use super::{Failure, KeyForm, Kind, Place, Read, Reader, Step};

/// A value and where it lies.
#[derive(Debug)]
pub(crate) struct Node<'t> {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value<'t>,
}

impl<'t> Node<'t> {
    /// The value of a key, in whatever case it is written.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let Value::Object(members) = &self.value else {
            return None;
        };
        let found = members
            .iter()
            .find(|member| KeyForm::of(&member.key, key).is_some());
        found.map(|member| &member.node)
    }
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Value<'t> {
    Null,
    Bool(bool),
    /// As it is written, finite or not.
    Number(&'t str),
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    Object(Vec<Property<'t>>),
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Property<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) key_at: usize,
    pub(crate) node: Node<'t>,
}

impl<'t> Reader<'t> {
    /// Reads the value that begins here with all that is in it. Of a value that
    /// the end of the text cut off, it keeps the whole items and what is left
    /// of the last member.
    pub(crate) fn node(&mut self) -> Result<Option<Node<'t>>, Failure> {
        self.node_at(0, Place::Member).map(|(node, _)| node)
    }

    fn node_at(
        &mut self,
        depth: usize,
        place: Place,
    ) -> Result<(Option<Node<'t>>, Whole), Failure> {
        match self.peek() {
            Some(b'{') => self.object_node(depth),
            Some(b'[') => self.list_node(depth),
            _ => Ok(match self.value(depth, place)? {
                Read::Whole(slot) => {
                    let raw = self.text.get(slot.start..slot.end).unwrap_or_default();
                    let value = match slot.kind {
                        Kind::Null | Kind::List | Kind::Object => Value::Null,
                        Kind::True => Value::Bool(true),
                        Kind::False => Value::Bool(false),
                        Kind::Number | Kind::NonFinite => Value::Number(raw),
                        Kind::Text => Value::Text(decode(self.text, slot.start, slot.end)),
                    };
                    let span = slot.start..slot.end;
                    (Some(Node { span, value }), true)
                }
                Read::Part(_) | Read::Lost => (None, false),
            }),
        }
    }

    fn object_node(&mut self, depth: usize) -> Result<(Option<Node<'t>>, Whole), Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        let mut entries = Vec::new();
        let whole = loop {
            let key = match self.next_key(&mut level)? {
                Step::Next(key) => key,
                Step::Closed => break true,
                Step::Cut => break false,
            };
            let (node, whole) = self.node_at(depth + 1, Place::Member)?;
            entries.extend(node.map(|node| Property {
                key: key.name,
                key_at: key.at,
                node,
            }));
            if !whole {
                break false;
            }
        };
        let span = start..self.pos;
        let value = Value::Object(entries);
        Ok((Some(Node { span, value }), whole))
    }

    fn list_node(&mut self, depth: usize) -> Result<(Option<Node<'t>>, Whole), Failure> {
        let start = self.pos;
        let mut level = self.enter(depth)?;
        let mut items = Vec::new();
        let whole = loop {
            match self.next_item(&mut level)? {
                Step::Next(()) => {}
                Step::Closed => break true,
                Step::Cut => break false,
            }
            let (node, whole) = self.node_at(depth + 1, Place::Item)?;
            if !whole {
                break false;
            }
            items.extend(node);
        };
        let span = start..self.pos;
        let value = Value::List(items);
        Ok((Some(Node { span, value }), whole))
    }
}

/// Whether nothing was cut off.
type Whole = bool;
