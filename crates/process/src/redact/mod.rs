//! Replaces secrets in a stream before it is logged, hashed or parsed.
//!
//! A secret matches one of the known shapes of keys, or is a value specified by the
//! caller. The result does not depend on how the stream is split into pieces: bytes
//! that may be part of a secret are held back until that is decided. The work is linear
//! in the length of the stream.

mod boundary;
mod secrets;
mod shape;
mod stream;

use aho_corasick::{AhoCorasick, MatchKind};

pub use secrets::{Sensitivity, secret_values};
pub use stream::{Piece, Redaction};

use shape::{SHAPES, Shape};

/// The replacement of a secret.
pub const REPLACEMENT: &str = "[redacted]";

/// The minimum length of a secret value in bytes.
pub const MIN_VALUE: usize = 8;

/// The number of bytes of a value that are searched for; the rest is compared.
const ANCHOR: usize = 16;

/// The secrets of a run.
#[derive(Clone, Debug)]
pub struct Redactor {
    search: AhoCorasick,
    anchors: Vec<Vec<u8>>,
    rules: Vec<Vec<Rule>>,
    reach: usize,
}

/// The condition under which a match of an anchor is a secret.
#[derive(Clone, Debug)]
enum Rule {
    Value(Vec<u8>),
    Shape(&'static Shape),
}

impl Default for Redactor {
    /// Returns a redactor that only has the shapes of keys.
    fn default() -> Self {
        Self::new(std::iter::empty::<Vec<u8>>())
    }
}

impl Redactor {
    /// Creates a redactor with the shapes of keys and these values, both plain and
    /// escaped as in a JSON string. Blanks around a value are ignored, as are values
    /// shorter than [`MIN_VALUE`].
    #[must_use]
    pub fn new(values: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        let mut values: Vec<Vec<u8>> = values
            .into_iter()
            .map(|value| value.as_ref().trim_ascii().to_vec())
            .filter(|value| value.len() >= MIN_VALUE)
            .flat_map(|value| secrets::forms(&value))
            .collect();
        values.sort_unstable();
        values.dedup();
        let shapes = SHAPES.iter().map(|shape| shape.anchor.as_bytes());
        let prefixes = values.iter().map(|value| anchor(value));
        let mut anchors: Vec<Vec<u8>> = prefixes.chain(shapes).map(<[u8]>::to_vec).collect();
        anchors.sort_unstable();
        anchors.dedup();
        Self {
            reach: anchors.iter().map(Vec::len).max().unwrap_or(0),
            rules: anchors
                .iter()
                .map(|anchor| rules_at(anchor, &values))
                .collect(),
            search: search(&anchors),
            anchors,
        }
    }

    /// Creates a redactor that replaces nothing, for output that is neither shown nor
    /// stored, such as lists of paths.
    #[must_use]
    pub fn none() -> Self {
        Self {
            search: search(&[]),
            anchors: Vec::new(),
            rules: Vec::new(),
            reach: 0,
        }
    }

    /// Starts a stream.
    #[must_use]
    pub fn start(&self) -> Redaction<'_> {
        Redaction::new(self)
    }

    /// Replaces the secrets of a complete text.
    #[must_use]
    pub fn redact(&self, text: &[u8]) -> Vec<u8> {
        let mut clean = Vec::with_capacity(text.len());
        let mut redaction = self.start();
        redaction.push(text, &mut |bytes| clean.extend_from_slice(bytes));
        redaction.finish(&mut |bytes| clean.extend_from_slice(bytes));
        clean
    }

    /// Replaces the secrets of the start of a string, and leaves out its last bytes where
    /// they may be the start of a secret.
    #[must_use]
    pub fn redact_start(&self, start: &[u8]) -> Vec<u8> {
        let mut clean = Vec::with_capacity(start.len());
        self.start()
            .push(start, &mut |bytes| clean.extend_from_slice(bytes));
        clean
    }
}

fn anchor(value: &[u8]) -> &[u8] {
    &value[..value.len().min(ANCHOR)]
}

/// The search reports only the longest anchor at a position, so the rules of its
/// prefixes are included.
fn rules_at(anchor: &[u8], values: &[Vec<u8>]) -> Vec<Rule> {
    let values = values
        .iter()
        .filter(|value| anchor.starts_with(self::anchor(value)));
    let shapes = SHAPES
        .iter()
        .filter(|shape| anchor.starts_with(shape.anchor.as_bytes()));
    let values = values.cloned().map(Rule::Value);
    values.chain(shapes.map(Rule::Shape)).collect()
}

#[expect(
    clippy::expect_used,
    reason = "building fails only with more than two billion states"
)]
fn search(anchors: &[Vec<u8>]) -> AhoCorasick {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(anchors)
        .expect("anchors of sixteen bytes need few states")
}
