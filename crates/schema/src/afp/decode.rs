//! From a tree of JSON to the values of the protocol, by what `serde` derives for
//! them.

use serde::de::value::SeqDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::{AfpError, AfpFault};
use crate::RepairCode;
use crate::form::ScoreNumber;
use crate::parse::{KeyForm, Node, Property, Value};
use crate::repair::Notes;

pub(super) type Result<T> = std::result::Result<T, AfpError>;

/// Members that decide nothing, each with the object that it belongs to: where
/// mending is allowed, one that is missing is empty.
const MAY_BE_MISSING: [(&str, &str); 6] = [
    ("Confidence", "justification"),
    ("PositivePoint", "aspect"),
    ("PositivePoint", "justification"),
    ("ProtocolError", "message"),
    ("Summary", "positive_points"),
    ("Summary", "general_summary"),
];

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

    pub(super) fn is_mending(&self) -> bool {
        self.mended.is_some()
    }

    /// What was mended.
    pub(crate) fn into_notes(self) -> Notes {
        self.mended.unwrap_or_default()
    }

    /// Notes a repair; false where nothing may be mended.
    pub(super) fn mend(&mut self, code: RepairCode, at: usize) -> bool {
        match &mut self.mended {
            Some(notes) => {
                notes.add(code, at);
                true
            }
            None => false,
        }
    }

    /// Reads a value.
    pub(crate) fn read<T: for<'de> Deserialize<'de>>(&mut self, node: &Node<'t>) -> Result<T> {
        let decoder = &mut *self;
        T::deserialize(Decoding { decoder, node }).map_err(|error| error.within(node))
    }

    /// Reads the value of a key, if it is there.
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

    /// Reads the value of a key that must be there.
    pub(super) fn member<T: for<'de> Deserialize<'de>>(
        &mut self,
        object: &Node<'t>,
        key: &'static str,
    ) -> Result<T> {
        self.optional(object, key)?
            .ok_or_else(|| AfpError::missing(key, object))
    }

    /// The value of a key, unless it is missing or null.
    pub(crate) fn find<'n>(
        &mut self,
        object: &'n Node<'t>,
        key: &'static str,
    ) -> Result<Found<'n, 't>> {
        let Value::Object(entries) = &object.value else {
            return Err(self.not(object, "an object"));
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
            self.repeated(before, entry)
                .map_err(|error| error.in_key(key))?;
        }
        Ok(first.filter(|node| !matches!(node.value, Value::Null)))
    }

    /// Notes a key that stands twice, or fails if its values differ.
    fn repeated(&mut self, before: &Node<'t>, again: &Property<'t>) -> Result<()> {
        if self.raw(before) != self.raw(&again.node) {
            let span = again.node.span.clone();
            return Err(AfpError::new(AfpFault::GivenTwice, span));
        }
        self.mend(RepairCode::DuplicateKey, again.key_at);
        Ok(())
    }

    /// The error of a value that is not what it must be.
    pub(super) fn not(&self, node: &Node<'_>, expected: &'static str) -> AfpError {
        let got = match node.value {
            Value::Object(_) => "an object".to_owned(),
            Value::List(_) => "a list".to_owned(),
            _ => crate::judge::shorten(self.raw(node)),
        };
        AfpError::new(AfpFault::Type { expected, got }, node.span.clone())
    }

    pub(super) fn raw(&self, node: &Node<'_>) -> &'t str {
        self.text.get(node.span.clone()).unwrap_or_default()
    }
}

/// One value, as `serde` reads it.
struct Decoding<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    node: &'n Node<'t>,
}

impl<'n, 't> Decoding<'_, 'n, 't> {
    fn not(&self, expected: &'static str) -> AfpError {
        self.decoder.not(self.node, expected)
    }

    /// A whole number in plain digits, from `min` on.
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
            ScoreNumber::Plain(value) if value >= min => visitor.visit_i64(value),
            _ => Err(self.not(expected)),
        }
    }

    fn items(&self) -> Result<&'n [Node<'t>]> {
        match &self.node.value {
            Value::List(items) => Ok(items),
            _ => Err(self.not("a list")),
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
            _ => Err(self.not("true or false")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.whole(i64::MIN, "a whole number", visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.whole(0, "a whole number from 0 on", visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node.number() {
            Some(number) => visitor.visit_f64(number),
            None => Err(self.not("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node.text() {
            Some(text) => visitor.visit_str(text),
            None => Err(self.not("a text")),
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
        visitor.visit_seq(Items { decoder, items })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let Value::Object(members) = &self.node.value else {
            return Err(self.not("an object"));
        };
        let mut found: Vec<&Property<'_>> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        for member in members {
            match known.insert(&*member.key, &member.node) {
                Some(before) => self.decoder.repeated(before, member)?,
                None => found.push(member),
            }
        }
        visitor.visit_map(Entries {
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
                        .mend(RepairCode::MissingMember, self.node.span.start) =>
                {
                    members.push((*key, None));
                }
                None => {}
            }
        }
        visitor.visit_map(Members {
            decoder: self.decoder,
            members: members.into_iter(),
            value: None,
        })
    }

    /// A word of a closed list. Where mending is allowed, its case and the blanks
    /// around it do not matter.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let Some(text) = self.node.text() else {
            return Err(self.not("a text"));
        };
        if variants.contains(&text) {
            return visitor.visit_enum(text.into_deserializer());
        }
        let word = text.trim().to_ascii_lowercase();
        if variants.contains(&&*word)
            && self
                .decoder
                .mend(RepairCode::WordForm, self.node.span.start)
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

/// The items of a list.
struct Items<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    items: std::iter::Enumerate<std::slice::Iter<'n, Node<'t>>>,
}

impl<'de> de::SeqAccess<'de> for Items<'_, '_, '_> {
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

/// The members of an object whose keys are not known.
struct Entries<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    entries: std::vec::IntoIter<&'n Property<'t>>,
    value: Option<&'n Node<'t>>,
}

impl<'de> de::MapAccess<'de> for Entries<'_, '_, '_> {
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

/// The members of an object with known keys; one without a value is empty.
struct Members<'d, 'n, 't> {
    decoder: &'d mut Decoder<'t>,
    members: std::vec::IntoIter<(&'static str, Found<'n, 't>)>,
    value: Option<(&'static str, Found<'n, 't>)>,
}

impl<'de> de::MapAccess<'de> for Members<'_, '_, '_> {
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
