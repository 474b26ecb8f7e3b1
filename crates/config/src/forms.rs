//! The forms in which values are written that are not those of their types.

use std::time::Duration;

use review_learning::config::{ConfigForm, LearningConfig};
use review_learning::object::Diagnostic;
use review_types::Usd;
use review_types::{parse_duration, write_duration};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize as _, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::fault::ValueFault;

/// A module for each word that stands for no value.
macro_rules! absent {
    ($($word:ident)+) => {$(
        pub(crate) mod $word {
            use super::*;

            pub(crate) const WORD: &str = stringify!($word);

            pub(crate) fn serialize<T: Serialize, S: Serializer>(
                value: &Option<T>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match value {
                    Some(value) => value.serialize(serializer),
                    None => serializer.serialize_str(WORD),
                }
            }

            pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<T>, D::Error> {
                let value = Json::deserialize(deserializer)?;
                if value.as_str().map(str::trim) == Some(WORD) {
                    return Ok(None);
                }
                T::deserialize(value).map(Some).map_err(D::Error::custom)
            }

            pub(crate) fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
                let value = generator.subschema_for::<T>();
                json_schema!({ "anyOf": [value, { "const": WORD }] })
            }
        }
    )+};
}

absent! { current none unlimited }

/// A limit of money, above 0.
pub(crate) fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Usd>, D::Error> {
    let limit: Option<Usd> = unlimited::deserialize(deserializer)?;
    match limit.is_some_and(|limit| limit.micro() == 0) {
        true => Err(D::Error::custom("must be above 0, or \"unlimited\"")),
        false => Ok(limit),
    }
}

/// Durations such as `1h30m`.
pub(crate) mod duration {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        value: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write_duration(*value))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        parse_duration(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }

    pub(crate) fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "[0-9].*[A-Za-z:]" })
    }
}

/// The table `[learning]`, whose absent keys have defaults and which has diagnostics of
/// its own.
pub(crate) mod learning {
    use super::*;

    pub(crate) use super::none::serialize;

    /// The key of the table.
    pub(crate) const TABLE: &str = "learning";

    /// The first fault of a table.
    pub(crate) fn fault(table: &Json) -> Option<ValueFault> {
        let diagnostics = LearningConfig::read_as(ConfigForm::Table, table).diagnostics;
        let wrong = diagnostics.into_iter().find(Diagnostic::is_error)?;
        Some(ValueFault {
            path: wrong.pointer.replace('/', "."),
            help: Some(wrong.advice().to_owned()),
            message: wrong.message,
            pointer: wrong.pointer,
        })
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<LearningConfig>, D::Error> {
        let value = Json::deserialize(deserializer)?;
        if value == none::WORD {
            return Ok(None);
        }
        let read = LearningConfig::read_as(ConfigForm::Table, &value).object;
        let expected = "must be a table with the keys of .aiwg/agent-learning.yaml, or \"none\"";
        read.map(Some).ok_or_else(|| D::Error::custom(expected))
    }

    pub(crate) fn schema(generator: &mut SchemaGenerator) -> Schema {
        let mut table = generator.subschema_for::<LearningConfig>();
        // What is absent in the table has its default.
        table.remove("required");
        json_schema!({ "anyOf": [table, { "const": none::WORD }] })
    }
}
