//! The commonest YAML by far, read without the parser: lines of `key: value`.
//!
//! Hundreds of front matters are read at each start, and the parser takes most
//! of that time. Whatever is not plainly one of the forms below is left to it;
//! a property test holds the two against each other.

use std::borrow::Cow;

use super::{Entry, Kind, Node, Scalar, Style, Tree, Value};
use crate::line::{Line, Lines};
use crate::span::{Place, Position, Span};

/// Longer mappings are left to the parser, which finds duplicate keys faster.
const MAX_KEYS: usize = 16;

/// The tree of a text in which every line is a key with a plain word or
/// words, a text in double quotes, or a list of names and whole numbers.
pub(super) fn tree(text: &str, offset: usize, line: usize) -> Option<Tree<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for found in Lines::new(text, 0, line) {
        let entry = entry(&found, offset)?;
        if entries.len() == MAX_KEYS || entries.iter().any(|known| known.key == entry.key) {
            return None;
        }
        entries.push(entry);
    }
    let start = entries.first()?.key_place;
    Some(Tree {
        root: Node {
            place: Place {
                span: Span::new(start.span.start, offset + text.len()),
                position: start.position,
            },
            value: Value::Mapping(entries),
        },
        comments: Vec::new(),
    })
}

fn entry<'a>(line: &Line<'a>, offset: usize) -> Option<Entry<'a>> {
    let (key, rest) = line.text.split_once(':')?;
    let value = rest.strip_prefix(' ')?;
    if key.len() > 64 || !key.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    if !key
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return None;
    }
    let place = |start: usize, end: usize| Place {
        span: Span::new(line.span.start + start, line.span.start + end).shifted(offset),
        position: Position {
            line: line.number,
            column: start + 1,
        },
    };
    let at = key.len() + 2;
    let value_of = if let Some(quoted) = value.strip_prefix('"') {
        scalar(literal(quoted)?, Style::DoubleQuoted, Kind::Text)
    } else if let Some(list) = value.strip_prefix('[') {
        Value::Sequence(names(list.strip_suffix(']')?, at + 1, place)?)
    } else {
        scalar(words(value)?, Style::Plain, Kind::of_plain(value))
    };
    Some(Entry {
        key: Cow::Borrowed(key),
        key_place: place(0, key.len()),
        value: Node {
            place: place(at, line.text.len()),
            value: value_of,
        },
    })
}

fn scalar(text: &str, style: Style, kind: Kind) -> Value<'_> {
    let text = Cow::Borrowed(text);
    Value::Scalar(Scalar { text, style, kind })
}

/// The names and whole numbers of a list whose first one stands at `start` of
/// its line.
fn names(
    list: &str,
    mut start: usize,
    place: impl Fn(usize, usize) -> Place,
) -> Option<Vec<Node<'_>>> {
    let mut items = Vec::new();
    for item in list.split(", ").filter(|_| !list.is_empty()) {
        let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !item.starts_with(|first: char| first.is_ascii_alphanumeric())
            || !item.bytes().all(harmless)
        {
            return None;
        }
        items.push(Node {
            place: place(start, start + item.len()),
            value: scalar(item, Style::Plain, Kind::of_plain(item)),
        });
        start += item.len() + 2;
    }
    Some(items)
}

/// The inside of a quoted text that means what it says.
fn literal(quoted: &str) -> Option<&str> {
    let inside = quoted.strip_suffix('"')?;
    let literal = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    inside.bytes().all(literal).then_some(inside)
}

/// A text in which nothing has a meaning in YAML.
fn words(value: &str) -> Option<&str> {
    let is_sign = |byte| matches!(byte, b' ' | b'_' | b'.' | b'/' | b'=' | b'+' | b'-');
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || is_sign(byte);
    let begins = value.starts_with(|first: char| first.is_ascii_alphanumeric());
    (begins && !value.ends_with(' ') && value.bytes().all(harmless)).then_some(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::build;

    #[test]
    fn the_usual_front_matter_needs_no_parser() {
        let text = "task: 2\nstatus: in_progress\nbackpressure: \"go test ./... -run 'A|B'\"\n\
            depends_on: [1, 20]\nunits: [a-b, C_2, null]\ntimeout: 90s\ncommand: cargo test\nnone: []\n";
        assert_eq!(tree(text, 4, 2), build::tree(text, 4, 2).ok());
        assert!(tree(text, 4, 2).is_some());
    }

    #[test]
    fn whatever_has_a_meaning_is_left_to_the_parser() {
        for text in [
            "",
            "\n",
            "a: b # c\n",
            "a: b: c\n",
            "a:  b\n",
            "a: b \n",
            "a:\n",
            "a: \"x\\n\"\n",
            "a: \"x\n",
            "a: 'x'\n",
            "a: [-x]\n",
            "a: [*x]\n",
            "a: [x: y]\n",
            "a: [1,2]\n",
            "a: [1, ]\n",
            "a: *b\n",
            "a: -\n",
            "a: é\n",
            "a: 1\na: 2\n",
            "- a: 1\n",
            "a: b\n  c\n",
            "1: a\n",
        ] {
            assert_eq!(tree(text, 0, 1), None, "{text:?}");
        }
        let long: String = (0..17).map(|key| format!("k{key}: 1\n")).collect();
        assert_eq!(tree(&long, 0, 1), None);
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_parser(
            text in prop::collection::vec(
                r#"(task|a|b_2|c)(: |:|:  )("?[a1.\-+~' ]{0,4}"?|\[([0-9a-eA-E_-]{0,3}(, |,)?){0,3}\]|0x1F|1e3|null|true|[ -~]{0,6})(\n|\r\n|\r)?"#,
                0..4,
            ).prop_map(|lines| lines.concat()),
        ) {
            if let Some(read) = tree(&text, 7, 3) {
                prop_assert_eq!(Some(read), build::tree(&text, 7, 3).ok());
            }
        }
    }
}
