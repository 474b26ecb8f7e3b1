//! The common first steps of reading a task file or a plan: text → front
//! matter → YAML, collecting the faults.

use crate::fault::{Fault, FaultKind};
use crate::front_matter::{self, FrontMatter};
use crate::source::SourceText;
use crate::span::{Place, Position, Span, Spanned};
use crate::yaml::{self, Entry, Node, Tree, Value};

/// The head of a file.
pub(crate) enum Head<'s> {
    /// The document has no front matter.
    Absent,
    /// It cannot be read; the fault is reported.
    Broken(Option<FrontMatter>),
    /// Its keys and values.
    Read(FrontMatter, Tree<'s>),
}

/// Collects the faults of one file.
pub(crate) struct Sink<'a> {
    path: &'a str,
    faults: Vec<Fault>,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(path: &'a str) -> Self {
        Self {
            path,
            faults: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, place: Place, kind: FaultKind) {
        self.faults.push(Fault {
            path: self.path.to_owned(),
            place,
            kind,
        });
    }

    /// Returns the faults in the order of the file.
    pub(crate) fn into_faults(mut self) -> Vec<Fault> {
        self.faults.sort_by_key(|fault| fault.place.span.start);
        self.faults
    }
}

/// Returns the content of a file; reports the first byte that is not UTF-8.
pub(crate) fn text<'s>(source: &'s SourceText<'_>, sink: &mut Sink<'_>) -> &'s str {
    if let Some(at) = source.invalid_at {
        let position = crate::LineIndex::new(&source.text).position(at);
        let span = Span::empty(at);
        sink.push(Place { span, position }, FaultKind::NotUtf8);
    }
    &source.text
}

impl<'s> Head<'s> {
    pub(crate) fn read(text: &'s str, sink: &mut Sink<'_>) -> Self {
        let found = match front_matter::find(text) {
            Ok(Some(found)) => found,
            Ok(None) => return Self::Absent,
            Err(unclosed) => {
                sink.push(unclosed.place, FaultKind::UnclosedFrontMatter);
                return Self::Broken(None);
            }
        };
        match yaml::parse_within(text, found.yaml, found.yaml_line) {
            Ok(tree) if tree.root.is_null() || matches!(tree.root.value, Value::Mapping(_)) => {
                Self::Read(found, tree)
            }
            Ok(tree) => {
                sink.push(tree.root.place, FaultKind::NotAMapping);
                Self::Broken(Some(found))
            }
            Err(error) => {
                let kind = FaultKind::Yaml {
                    kind: error.kind,
                    hint: error.hint,
                };
                sink.push(error.place, kind);
                Self::Broken(Some(found))
            }
        }
    }

    pub(crate) fn front_matter(&self) -> Option<FrontMatter> {
        match self {
            Self::Absent => None,
            Self::Broken(found) => *found,
            Self::Read(found, _) => Some(*found),
        }
    }
}

impl FrontMatter {
    /// The start of the block.
    pub fn place(&self) -> Place {
        Place {
            span: Span::empty(self.block.start),
            position: Position {
                line: self.yaml_line.saturating_sub(1).max(1),
                column: 1,
            },
        }
    }
}

/// Reports a key that is not one of `known`.
pub(crate) fn unknown_key(entry: &Entry<'_>, known: &[&'static str], sink: &mut Sink<'_>) {
    let nearest = review_text::near::nearest(&entry.key, known.iter().copied(), 1);
    sink.push(
        entry.key_place,
        FaultKind::UnknownKey {
            key: entry.key.to_string(),
            nearest: nearest.first().copied(),
        },
    );
}

/// Returns the strings of an array, or a single value as an array.
///
/// Reports a nested array or mapping, and then returns the strings that it could read.
pub(crate) fn strings(
    node: &Node<'_>,
    key: &'static str,
    sink: &mut Sink<'_>,
) -> Vec<Spanned<String>> {
    items(node)
        .iter()
        .filter_map(|item| match item.scalar() {
            Some(scalar) => (!scalar.text.trim().is_empty() && !item.is_null()).then(|| Spanned {
                value: scalar.text.trim().to_owned(),
                place: item.place,
            }),
            None => {
                let expected = "an array of strings";
                sink.push(item.place, FaultKind::WrongType { key, expected });
                None
            }
        })
        .collect()
}

/// Returns the items of an array; anything else is one item.
pub(crate) fn items<'n, 's>(node: &'n Node<'s>) -> &'n [Node<'s>] {
    match &node.value {
        Value::Sequence(items) => items,
        Value::Scalar(_) | Value::Mapping(_) => std::slice::from_ref(node),
    }
}
