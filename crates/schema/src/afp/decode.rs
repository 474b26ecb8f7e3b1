//! Decodes a JSON tree into values of the protocol, through their derived `serde`
//! implementations.

use review_types::excerpt;
use serde::de::value::SeqDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::{AfpError, AfpFault};
use crate::RepairCode;
use crate::form::ScoreNumber;
use crate::judge::MAX_QUOTED;
use crate::parse::{KeyForm, Node, Property, Value};
use crate::repair::Notes;

pub(super) type Result<T> = std::result::Result<T, AfpError>;

/// Optional fields, each with its object: where repairs are allowed, a missing one is
/// empty.
const MAY_BE_MISSING: [(&str, &str); 6] = [
    ("Confidence", "justification"),
    ("PositivePoint", "aspect"),
    ("PositivePoint", "justification"),
    ("ProtocolError", "message"),
    ("Summary", "positive_points"),
    ("Summary", "general_summary"),
];

/// Decodes values of a tree, exactly or with repairs.
pub(crate) struct Decoder<'t> {
    text: &'t str,
    /// The repairs, where they are allowed.
    repaired: Option<Notes>,
}

/// A field that was found by its key.
type FoundField<'n, 't> = Option<&'n Node<'t>>;

impl<'t> Decoder<'t> {
    /// Returns a decoder without repairs.
    pub(super) fn exact(text: &'t str) -> Self {
        Self {
            text,
            repaired: None,
        }
    }

    /// Returns a decoder that repairs unambiguous deviations.
    pub(crate) fn repairing(text: &'t str) -> Self {
        Self {
            text,
            repaired: Some(Notes::default()),
        }
    }

    pub(super) fn is_mending(&self) -> bool {
        self.repaired.is_some()
    }

    /// Returns the repairs.
    pub(crate) fn into_notes(self) -> Notes {
        self.repaired.unwrap_or_default()
    }

    /// Records a repair; returns false where repairs are not allowed.
    pub(super) fn repair(&mut self, code: RepairCode, at: usize) -> bool {
        match &mut self.repaired {
            Some(notes) => {
                notes.add(code, at);
                true
            }
            None => false,
        }
    }

    /// Decodes a value.
    pub(crate) fn read<T: for<'de> Deserialize<'de>>(&mut self, node: &Node<'t>) -> Result<T> {
        let decoder = &mut *self;
        T::deserialize(Decoding { decoder, node }).map_err(|error| error.within(node))
    }

    /// Decodes the value of a key, if it exists.
    pub(super) fn optional<T: for<'de> Deserialize<'de>>(
        &mut self,
        object: &Node<'t>,
        key: &'static str,
    ) -> Result<Option<T>> {
        let found = self.find(object, key)?;
        found
            .map(|node| self.read(node).map_err(|error| error.in_key(key)))
            .transpose()
    }

    /// Decodes the value of a required key.
    pub(super) fn member<T: for<'de> Deserialize<'de>>(
        &mut self,
        object: &Node<'t>,
        key: &'static str,
    ) -> Result<T> {
        self.optional(object, key)?
            .ok_or_else(|| AfpError::missing(key, object))
    }

    /// Returns the value of a key, unless it is missing or null.
    pub(crate) fn find<'n>(
        &mut self,
        object: &'n Node<'t>,
        key: &'static str,
    ) -> Result<FoundField<'n, 't>> {
        let Value::Object(entries) = &object.value else {
            return Err(self.not(object, "object"));
        };
        let mut first: FoundField<'n, 't> = None;
        for entry in entries {
            match KeyForm::of(&entry.key, key) {
                Some(KeyForm::Exact) => {}
                Some(_) if self.repair(RepairCode::KeyCase, entry.key_at) => {}
                _ => continue,
            }
            let Some(before) = first else {
                first = Some(&entry.node);
                continue;
            };
            self.repeated(before, entry)
                .map_err(|error| error.in_key(key))?;
        }
        Ok(first.filter(|node| !matches!(node.value, Value::Null)))
    }

    /// Records a duplicate key, or fails if its values differ.
    fn repeated(&mut self, before: &Node<'t>, again: &Property<'t>) -> Result<()> {
        if self.raw(before) != self.raw(&again.node) {
            let span = again.node.span.clone();
            return Err(AfpError::new(AfpFault::GivenTwice, span));
        }
        self.repair(RepairCode::DuplicateKey, again.key_at);
        Ok(())
    }

    /// Returns the error of a value of the wrong type.
    pub(super) fn not(&self, node: &Node<'_>, expected: &'static str) -> AfpError {
        let got = match node.value {
            Value::Object(_) => "object".to_owned(),
            Value::List(_) => "array".to_owned(),
            _ => excerpt(self.raw(node), MAX_QUOTED),
        };
        AfpError::new(AfpFault::Type { expected, got }, node.span.clone())
    }

    pub(crate) fn raw(&self, node: &Node<'_>) -> &'t str {
        self.text.get(node.span.clone()).unwrap_or_default()
    }
}

/// One value, as a `serde` deserializer.
struct Decoding<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    node: &'n Node<'t>,
}

impl<'n, 't> Decoding<'_, 'n, 't> {
    fn not(&self, expected: &'static str) -> AfpError {
        self.decoder.not(self.node, expected)
    }

    /// Decodes an integer from `min` on, in whatever form JSON Schema takes for one.
    fn whole<'de, V: Visitor<'de>>(
        self,
        min: i64,
        expected: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        let number = match self.node.value {
            Value::Number(raw) => ScoreNumber::of(raw),
            _ => ScoreNumber::NotWhole,
        };
        match number {
            ScoreNumber::Plain(value) | ScoreNumber::Form(value) if value >= min => {
                visitor.visit_i64(value)
            }
            _ => Err(self.not(expected)),
        }
    }

    fn items(&self) -> Result<&'n [Node<'t>]> {
        match &self.node.value {
            Value::List(items) => Ok(items),
            _ => Err(self.not("array")),
        }
    }
}

impl<'de> de::Deserializer<'de> for Decoding<'_, '_, '_> {
    type Error = AfpError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(*is),
            Value::Number(raw) => match ScoreNumber::of(raw) {
                ScoreNumber::Plain(value) => visitor.visit_i64(value),
                _ => self.deserialize_f64(visitor),
            },
            Value::Text(text) => visitor.visit_str(text),
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node.value {
            Value::Bool(is) => visitor.visit_bool(is),
            _ => Err(self.not("boolean")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.whole(i64::MIN, "integer", visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.whole(0, "integer from 0", visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node.number() {
            Some(number) => visitor.visit_f64(number),
            None => Err(self.not("number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node.text() {
            Some(text) => visitor.visit_str(text),
            None => Err(self.not("string")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let items = self.items()?.iter().enumerate();
        let decoder = self.decoder;
        visitor.visit_seq(ItemAccess { decoder, items })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let Value::Object(members) = &self.node.value else {
            return Err(self.not("object"));
        };
        let mut found: Vec<&Property<'_>> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        for member in members {
            match known.insert(&*member.key, &member.node) {
                Some(before) => self.decoder.repeated(before, member)?,
                None => found.push(member),
            }
        }
        visitor.visit_map(EntryAccess {
            decoder: self.decoder,
            entries: found.into_iter(),
            value: None,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let mut members = Vec::new();
        for key in fields {
            match self.decoder.find(self.node, key)? {
                Some(node) => members.push((*key, Some(node))),
                None if MAY_BE_MISSING.contains(&(name, key))
                    && self
                        .decoder
                        .repair(RepairCode::MissingMember, self.node.span.start) =>
                {
                    members.push((*key, None));
                }
                None => {}
            }
        }
        visitor.visit_map(FieldAccess {
            decoder: self.decoder,
            members: members.into_iter(),
            value: None,
        })
    }

    /// Decodes a word of a closed list. Where repairs are allowed, its case and surrounding
    /// white space are ignored.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let Some(text) = self.node.text() else {
            return Err(self.not("string"));
        };
        if variants.contains(&text) {
            return visitor.visit_enum(text.into_deserializer());
        }
        let word = text.trim().to_ascii_lowercase();
        if variants.contains(&&*word)
            && self
                .decoder
                .repair(RepairCode::WordForm, self.node.span.start)
        {
            return visitor.visit_enum(word.into_deserializer());
        }
        Err(de::Error::unknown_variant(text, variants))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct tuple
        tuple_struct identifier ignored_any
    }
}

/// Access to the items of an array.
struct ItemAccess<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    items: std::iter::Enumerate<std::slice::Iter<'n, Node<'t>>>,
}

impl<'de> de::SeqAccess<'de> for ItemAccess<'_, '_, '_> {
    type Error = AfpError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some((index, node)) = self.items.next() else {
            return Ok(None);
        };
        let decoder = &mut *self.decoder;
        let read = seed.deserialize(Decoding { decoder, node });
        read.map(Some)
            .map_err(|error| error.within(node).in_item(index))
    }
}

/// Access to the fields of an object with unknown keys.
struct EntryAccess<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    entries: std::vec::IntoIter<&'n Property<'t>>,
    value: Option<&'n Node<'t>>,
}

impl<'de> de::MapAccess<'de> for EntryAccess<'_, '_, '_> {
    type Error = AfpError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(entry) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some(&entry.node);
        let read = seed.deserialize((&*entry.key).into_deserializer());
        read.map(Some)
            .map_err(|error: AfpError| error.within(&entry.node))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let node = self.value.take();
        let node = node.ok_or_else(|| de::Error::custom("a value without a key"))?;
        let decoder = &mut *self.decoder;
        let read = seed.deserialize(Decoding { decoder, node });
        read.map_err(|error| error.within(node))
    }
}

/// Access to the fields of an object with known keys; one without a value is empty.
struct FieldAccess<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    members: std::vec::IntoIter<(&'static str, FoundField<'n, 't>)>,
    value: Option<(&'static str, FoundField<'n, 't>)>,
}

impl<'de> de::MapAccess<'de> for FieldAccess<'_, '_, '_> {
    type Error = AfpError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.value = self.members.next();
        let key = self.value.map(|(key, _)| key.into_deserializer());
        key.map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        match self.value.take() {
            Some((key, Some(node))) => {
                let decoder = &mut *self.decoder;
                let read = seed.deserialize(Decoding { decoder, node });
                read.map_err(|error| error.within(node).in_key(key))
            }
            Some(("positive_points", None)) => {
                seed.deserialize(SeqDeserializer::new(std::iter::empty::<u32>()))
            }
            Some((_, None)) | None => seed.deserialize("".into_deserializer()),
        }
    }
}
