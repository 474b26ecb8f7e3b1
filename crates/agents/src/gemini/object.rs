//! The one object that the client prints at its end.
//!
//! It is read field by field, so that of an object that was cut off everything
//! before the cut is known.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::stream::Text;

/// What the object says.
#[derive(Default)]
pub(super) struct Report {
    pub(super) session: Option<String>,
    pub(super) response: Option<Text>,
    pub(super) models: BTreeMap<String, Model>,
    pub(super) error: Option<WireError>,
}

/// The figures of one model.
#[derive(Deserialize)]
pub(super) struct Model {
    #[serde(default)]
    pub(super) tokens: Tokens,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    pub(super) prompt: u64,
    pub(super) cached: u64,
    pub(super) candidates: u64,
    pub(super) thoughts: u64,
}

#[derive(Deserialize)]
pub(super) struct WireError {
    #[serde(rename = "type")]
    pub(super) kind: Option<ErrorKind>,
    pub(super) message: Option<Text>,
    pub(super) code: Option<i64>,
}

/// What an error is, as far as that matters.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum ErrorKind {
    /// So the client calls an answer without text.
    InvalidStream,
    /// Any other error.
    #[serde(other)]
    Other,
}

impl Report {
    /// Reads an object, and whether it is whole; of one that is not, the fields
    /// before the fault are read.
    pub(super) fn read(text: &[u8]) -> (Self, bool) {
        let mut report = Self::default();
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let read = Fields(&mut report).deserialize(&mut deserializer);
        let whole = read.and_then(|()| deserializer.end()).is_ok();
        (report, whole)
    }
}

/// The fields of the object.
struct Fields<'a>(&'a mut Report);

/// The fields of its statistics.
struct Stats<'a>(&'a mut Report);

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "session_id" => self.0.session = map.next_value()?,
                "response" => self.0.response = map.next_value()?,
                "error" => self.0.error = map.next_value()?,
                "stats" => map.next_value_seed(Stats(self.0))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Stats<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Stats<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "models" {
                self.0.models = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
