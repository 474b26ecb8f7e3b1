//! What keeps the programs of a lane from other files.

use std::fmt;

use review_lane::SandboxMode;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::names::Line;

/// What keeps the programs of a lane from files outside of their checkouts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// The tool.
    pub mode: SandboxMode,
    /// What else the programs may change, from the root.
    pub write: Vec<Line>,
    /// What they cannot read.
    pub hide: Vec<Line>,
}

/// Reads the table, or its mode alone; an error within the table keeps its place.
struct ModeOrTable;

impl<'de> Visitor<'de> for ModeOrTable {
    type Value = Sandbox;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mode, or a table with mode, write and hide")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Sandbox, E> {
        Ok(Sandbox {
            mode: SandboxMode::deserialize(StrDeserializer::new(word))?,
            ..Sandbox::default()
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Sandbox, A::Error> {
        Sandbox::deserialize(MapAccessDeserializer::new(map))
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sandbox, D::Error> {
    deserializer.deserialize_any(ModeOrTable)
}

pub(crate) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let mode = generator.subschema_for::<SandboxMode>();
    let table = generator.subschema_for::<Sandbox>();
    json_schema!({ "anyOf": [mode, table] })
}
