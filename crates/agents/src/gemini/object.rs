//! The one object that `gemini -o json` prints at its end.

use std::collections::BTreeMap;

use review::schema::read_cut_object;
use serde::Deserialize;
use serde_json::Value as Json;

use super::error::WireError;
use crate::stream::{Consumption, Text};

/// The content of the object.
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
    prompt: u64,
    cached: u64,
    pub(super) candidates: u64,
    thoughts: u64,
}

impl Tokens {
    /// The figures in the terms of all clients.
    pub(super) fn consumption(&self) -> Consumption {
        Consumption {
            input: self.prompt,
            cache_read: self.cached,
            output: self.candidates.saturating_add(self.thoughts),
            ..Consumption::default()
        }
    }
}

impl Report {
    /// Reads an object, and whether it is whole; of one that was cut off, what was
    /// before the cut. A field of another form than expected is left out.
    pub(super) fn read(text: &[u8]) -> (Self, bool) {
        let (object, whole) = read_cut_object(text);
        let report = Self {
            session: field(&object, "/session_id"),
            response: field(&object, "/response"),
            models: field(&object, "/stats/models").unwrap_or_default(),
            error: field(&object, "/error"),
        };
        (report, whole)
    }
}

fn field<'j, T: Deserialize<'j>>(object: &'j Json, pointer: &str) -> Option<T> {
    T::deserialize(object.pointer(pointer)?).ok()
}
