//! Builds the tree from parser events, with an explicit stack instead of recursion.

use std::borrow::Cow;

use granit_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::error::hint;
use super::{Entry, Kind, Node, Scalar, Style, Tree, Value, YamlComment, YamlError, YamlErrorKind};
use crate::span::{Place, Position, Span};

/// Maximum nesting: enough for every file of ralph, and safe for any stack.
const MAX_DEPTH: usize = 64;

/// Maximum number of comments; a whole file may be comments.
const MAX_COMMENTS: usize = 1_000_000;

/// Parses `text`, which starts at byte `offset` and line `line` of its file.
pub(super) fn tree(text: &str, offset: usize, line: usize) -> Result<Tree<'_>, YamlError> {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
        max_buffered_comment_events: MAX_COMMENTS,
    };
    let mut builder = TreeBuilder {
        text,
        offset,
        line,
        open: Vec::new(),
        root: None,
        comments: Vec::new(),
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| builder.syntax(&error))?;
        let place = builder.place(span.start, span.end);
        builder.event(event, place)?;
    }
    Ok(Tree {
        root: builder.root.unwrap_or_else(|| Node {
            place: Place {
                span: Span::empty(offset),
                position: Position { line, column: 1 },
            },
            value: Value::Scalar(Scalar::null()),
        }),
        comments: builder.comments,
    })
}

struct TreeBuilder<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    open: Vec<OpenCollection<'a>>,
    root: Option<Node<'a>>,
    comments: Vec<YamlComment<'a>>,
}

/// A collection that is still open.
enum OpenCollection<'a> {
    Sequence(Place, Vec<Node<'a>>),
    Mapping(Place, Vec<Entry<'a>>, Option<(Cow<'a, str>, Place)>),
}

impl<'a> TreeBuilder<'a> {
    fn event(&mut self, event: Event<'a>, place: Place) -> Result<(), YamlError> {
        match event {
            Event::Scalar(text, style, _, tag) => {
                let scalar = scalar(text, style, tag.as_deref());
                self.node(Node {
                    place,
                    value: Value::Scalar(scalar),
                })
            }
            Event::SequenceStart(..) => {
                self.open(OpenCollection::Sequence(place, Vec::new()), place)
            }
            Event::MappingStart(..) => {
                self.open(OpenCollection::Mapping(place, Vec::new(), None), place)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(place),
            Event::Alias(_) | Event::UnresolvedAlias(_) => Err(alias(place)),
            Event::Comment(text, _) => {
                self.comments.push(YamlComment { place, text });
                Ok(())
            }
            Event::DocumentStart(..) if self.root.is_some() => {
                Err(error(place, YamlErrorKind::SeveralDocuments))
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, collection: OpenCollection<'a>, place: Place) -> Result<(), YamlError> {
        if self.open.len() == MAX_DEPTH {
            return Err(error(place, YamlErrorKind::TooDeep { limit: MAX_DEPTH }));
        }
        self.open.push(collection);
        Ok(())
    }

    fn close(&mut self, end: Place) -> Result<(), YamlError> {
        let (start, value) = match self.open.pop() {
            Some(OpenCollection::Sequence(start, items)) => (start, Value::Sequence(items)),
            Some(OpenCollection::Mapping(start, entries, _)) => {
                reject_duplicates(&entries)?;
                (start, Value::Mapping(entries))
            }
            None => return Ok(()),
        };
        self.node(Node {
            place: Place {
                span: Span::new(start.span.start, end.span.end),
                position: start.position,
            },
            value,
        })
    }

    /// Adds a finished node to the innermost open collection.
    fn node(&mut self, node: Node<'a>) -> Result<(), YamlError> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenCollection::Sequence(_, items)) => items.push(node),
            Some(OpenCollection::Mapping(_, entries, key)) => match key.take() {
                Some((key, key_place)) => entries.push(Entry {
                    key,
                    key_place,
                    value: node,
                }),
                None => match node.value {
                    Value::Scalar(scalar) => *key = Some((scalar.text, node.place)),
                    Value::Sequence(_) | Value::Mapping(_) => {
                        return Err(error(node.place, YamlErrorKind::KeyNotScalar));
                    }
                },
            },
        }
        Ok(())
    }

    fn place(&self, start: Marker, end: Marker) -> Place {
        let byte = |marker: Marker| self.offset + marker.byte_offset().unwrap_or_default();
        Place {
            span: Span::new(byte(start), byte(end)),
            position: Position {
                line: self.line + start.line().saturating_sub(1),
                column: start.col() + 1,
            },
        }
    }

    fn syntax(&self, scan: &ScanError) -> YamlError {
        let marker = *scan.marker();
        let place = self.place(marker, marker);
        match scan.kind() {
            granit_parser::ErrorKind::UnknownAnchor => alias(place),
            granit_parser::ErrorKind::RecursionLimitExceeded => {
                error(place, YamlErrorKind::TooDeep { limit: MAX_DEPTH })
            }
            kind => YamlError {
                place,
                kind: YamlErrorKind::Syntax(scan.info()),
                hint: hint(kind, self.line_around(marker)),
            },
        }
    }

    fn line_around(&self, marker: Marker) -> &str {
        let at = marker.byte_offset().unwrap_or_default();
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let end = after.find(['\n', '\r']).unwrap_or(after.len());
        self.text.get(start..at + end).unwrap_or_default()
    }
}

fn scalar<'a>(text: Cow<'a, str>, style: ScalarStyle, tag: Option<&Tag>) -> Scalar<'a> {
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        _ => Style::Block,
    };
    let kind = if style == Style::Plain && tag.is_none() {
        Kind::of_plain(&text)
    } else {
        Kind::Text
    };
    Scalar { text, style, kind }
}

/// Sorts instead of comparing all pairs, so that a long mapping stays cheap.
fn reject_duplicates(entries: &[Entry<'_>]) -> Result<(), YamlError> {
    let mut keys: Vec<_> = entries
        .iter()
        .map(|entry| (&*entry.key, entry.key_place))
        .collect();
    keys.sort_unstable();
    let second = keys
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .min_by_key(|pair| pair[1].1);
    second.map_or(Ok(()), |pair| {
        Err(error(
            pair[1].1,
            YamlErrorKind::DuplicateKey {
                key: pair[1].0.to_owned(),
                first_line: pair[0].1.position.line,
            },
        ))
    })
}

fn alias(place: Place) -> YamlError {
    YamlError {
        place,
        kind: YamlErrorKind::Alias,
        hint: Some("write the value itself; a string that starts with * needs quotes".to_owned()),
    }
}

fn error(place: Place, kind: YamlErrorKind) -> YamlError {
    YamlError {
        place,
        kind,
        hint: None,
    }
}
