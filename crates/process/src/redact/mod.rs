//! Replaces secrets in a stream before it is logged, hashed or parsed.
//!
//! Terminal escape sequences are removed first, so that none can be within a secret. A
//! secret matches one of the known shapes of keys, or is a value specified by the caller.
//! The result does not depend on how the stream is split into pieces, and the work is
//! linear in its length.

mod escapes;
mod secrets;
mod shape;
mod stream;

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

pub use escapes::Escapes;
pub use secrets::{Sensitivity, secret_values};
pub use stream::Redaction;

use shape::{LONGEST_SHAPE, More, SHAPES, Shape};

/// The replacement of a secret.
pub const REPLACEMENT: &str = "[redacted]";

/// The minimum length of a secret value in bytes.
pub const MIN_VALUE: usize = 8;

/// The number of bytes of a value that are searched for; the rest is compared.
const ANCHOR: usize = 16;

/// The secrets of a run.
#[derive(Clone, Debug)]
pub struct Redactor {
    /// Finds where a secret may start; `None` for one that hides nothing.
    search: Option<AhoCorasick>,
    rules: Vec<Vec<Rule>>,
    values: Vec<Vec<u8>>,
    /// The number of bytes within which a secret is recognized.
    longest: usize,
}

/// The condition under which a match of an anchor is a secret.
#[derive(Clone, Debug)]
enum Rule {
    /// The number of a value.
    Value(usize),
    Shape(&'static Shape),
}

/// A secret that was found.
#[derive(Clone, Copy, Debug)]
struct Secret {
    start: usize,
    /// The bytes that identify it, more of which may follow.
    length: usize,
    more: More,
}

impl Default for Redactor {
    /// Returns a redactor that only has the shapes of keys.
    fn default() -> Self {
        Self::new(std::iter::empty::<Vec<u8>>())
    }
}

impl Redactor {
    /// Creates a redactor with the shapes of keys and these values, plain, as in a JSON
    /// string, and as in a URL. Blanks around a value are ignored, as are values shorter
    /// than [`MIN_VALUE`].
    pub fn new(values: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        let mut values: Vec<Vec<u8>> = values
            .into_iter()
            .map(|value| value.as_ref().trim_ascii().to_vec())
            .filter(|value| value.len() >= MIN_VALUE)
            .flat_map(|value| secrets::notations(&value))
            .collect();
        values.sort_unstable();
        values.dedup();
        let shapes = SHAPES.iter().map(|shape| shape.anchor.as_bytes());
        let prefixes = values.iter().map(|value| anchor(value));
        let mut anchors: Vec<Vec<u8>> = prefixes.chain(shapes).map(<[u8]>::to_vec).collect();
        anchors.sort_unstable();
        anchors.dedup();
        Self {
            rules: anchors
                .iter()
                .map(|anchor| rules_at(anchor, &values))
                .collect(),
            search: Some(search(&anchors)),
            longest: values.iter().map(Vec::len).fold(LONGEST_SHAPE, usize::max),
            values,
        }
    }

    /// Creates a redactor that passes everything on as it is, for output that is neither
    /// shown nor stored, such as lists of paths.
    pub fn none() -> Self {
        Self {
            search: None,
            rules: Vec::new(),
            values: Vec::new(),
            longest: 0,
        }
    }

    fn is_off(&self) -> bool {
        self.search.is_none()
    }

    /// Starts a stream.
    pub fn start(&self) -> Redaction<'_> {
        Redaction::new(self)
    }

    /// Returns a complete text without escape sequences and secrets.
    pub fn redact(&self, text: &[u8]) -> Vec<u8> {
        let mut clean = Vec::with_capacity(text.len());
        let mut redaction = self.start();
        redaction.push(text, &mut |bytes| clean.extend_from_slice(bytes));
        redaction.finish(&mut |bytes| clean.extend_from_slice(bytes));
        clean
    }

    /// Returns the start of a string without escape sequences and secrets, and without its
    /// last bytes where they may be the start of a secret.
    pub fn redact_start(&self, start: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(start.len());
        Escapes::default().strip(start, &mut text);
        let open = SHAPES.iter().filter_map(|shape| shape.open_start(&text));
        let end = open.chain(self.open_values(&text, 0)).min();
        self.redact(&text[..end.unwrap_or(text.len())])
    }

    /// Finds the first secret that starts in a range.
    fn find(&self, text: &[u8], range: Range<usize>) -> Option<Secret> {
        let end = text.len().min(range.end + ANCHOR);
        let mut from = range.start;
        loop {
            let found = self.search.as_ref()?.find(&text[from..end])?;
            let start = from + found.start();
            if start >= range.end {
                return None;
            }
            let rules = self.rules[found.pattern().as_usize()].iter();
            let secrets = rules.filter_map(|rule| self.judge(rule, text, start));
            if let Some(secret) = secrets.reduce(Secret::join) {
                return Some(secret);
            }
            from = start + 1;
        }
    }

    fn judge(&self, rule: &Rule, text: &[u8], start: usize) -> Option<Secret> {
        let (before, rest) = text.split_at(start);
        let (length, more) = match rule {
            Rule::Value(at) => {
                let value = &self.values[*at];
                let length = rest.starts_with(value).then_some(value.len());
                (length?, More::Nothing)
            }
            Rule::Shape(shape) => shape.judge(before, rest)?,
        };
        Some(Secret {
            start,
            length,
            more,
        })
    }

    /// The first position from `from` on at which a value of several lines may start that
    /// ends after `text`; else its end.
    fn first_open(&self, text: &[u8], from: usize) -> usize {
        let spanning = self.open_values(text, from);
        let spanning = spanning.filter(|at| text[*at..].contains(&b'\n'));
        spanning.min().unwrap_or(text.len())
    }

    /// The positions at which a value may start that ends after `text`, of each value the
    /// first.
    fn open_values(&self, text: &[u8], from: usize) -> impl Iterator<Item = usize> {
        self.values.iter().filter_map(move |value| {
            let nearest = (text.len() + 1).saturating_sub(value.len()).max(from);
            (nearest..text.len()).find(|at| value.starts_with(&text[*at..]))
        })
    }
}

impl Secret {
    /// Two secrets at one place.
    fn join(self, other: Self) -> Self {
        let more = match self.more {
            More::Nothing => other.more,
            more => more,
        };
        Self {
            start: self.start,
            length: self.length.max(other.length),
            more,
        }
    }
}

fn anchor(value: &[u8]) -> &[u8] {
    &value[..value.len().min(ANCHOR)]
}

/// The search reports only the longest anchor at a position, so the rules of its
/// prefixes are included.
fn rules_at(anchor: &[u8], values: &[Vec<u8>]) -> Vec<Rule> {
    let values = values.iter().enumerate();
    let values = values.filter(|(_, value)| anchor.starts_with(self::anchor(value)));
    let shapes = SHAPES
        .iter()
        .filter(|shape| anchor.starts_with(shape.anchor.as_bytes()));
    let values = values.map(|(at, _)| Rule::Value(at));
    values.chain(shapes.map(Rule::Shape)).collect()
}

#[expect(
    clippy::expect_used,
    reason = "building fails only with more than two billion states"
)]
fn search(anchors: &[Vec<u8>]) -> AhoCorasick {
    // The other kind takes longer to build than the answers of a run take to be searched.
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .match_kind(MatchKind::LeftmostLongest)
        .build(anchors)
        .expect("anchors of sixteen bytes need few states")
}
