//! Task numbers in all the forms that users write.

use review_types::{TaskNumber, excerpt};

use super::MAX_SHOWN;
use crate::fault::FaultKind;
use crate::head::Sink;
use crate::reference::base_name;
use crate::span::Spanned;
use crate::yaml::{Entry, Kind, Scalar};

/// A parsed task number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParsedNumber {
    /// A plain integer.
    Exact(TaskNumber),
    /// A string or fraction that means one.
    Loose(TaskNumber),
    /// A number that no task can have.
    Illegal,
    /// Not a number.
    Absent,
}

/// Parses `1`, `"1"`, `#1`, `01-types` and `1.0`.
pub(super) fn reading(scalar: &Scalar<'_>) -> ParsedNumber {
    let legal = |number: Option<u32>| number.and_then(TaskNumber::new);
    match scalar.kind {
        Kind::Null => ParsedNumber::Absent,
        Kind::Int(value) => {
            legal(u32::try_from(value).ok()).map_or(ParsedNumber::Illegal, ParsedNumber::Exact)
        }
        Kind::Float(value) if value.fract() == 0.0 => {
            // A float prints a whole value without its fraction.
            legal(value.to_string().parse().ok()).map_or(ParsedNumber::Illegal, ParsedNumber::Loose)
        }
        Kind::Float(_) => ParsedNumber::Illegal,
        Kind::Bool(_) => ParsedNumber::Absent,
        Kind::Text => text_reading(&scalar.text),
    }
}

pub(super) fn text_reading(text: &str) -> ParsedNumber {
    let text = text.trim();
    match leading(text.strip_prefix('#').unwrap_or(text)) {
        Some(number) => TaskNumber::new(number).map_or(ParsedNumber::Illegal, ParsedNumber::Loose),
        None if text.starts_with(|first: char| first.is_ascii_digit() || first == '-') => {
            ParsedNumber::Illegal
        }
        None => ParsedNumber::Absent,
    }
}

/// Returns the number of the task at the start of a file name such as `02-schema.md`.
fn of_file_name(path: &str) -> Option<TaskNumber> {
    leading(base_name(path)).and_then(TaskNumber::new)
}

/// Returns the digits before the end or a separator.
fn leading(text: &str) -> Option<u32> {
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let separated = rest.is_empty() || rest.starts_with(['-', '_', ' ']) || is_extension(rest);
    if separated { digits.parse().ok() } else { None }
}

/// Distinguishes `02.md` from the fraction `1.5`.
fn is_extension(rest: &str) -> bool {
    rest.strip_prefix('.')
        .is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
}

/// Returns the number of a task from its `task` key, else from its file name.
pub(super) fn read(
    entry: &Entry<'_>,
    path: &str,
    sink: &mut Sink<'_>,
) -> Option<Spanned<TaskNumber>> {
    let node = &entry.value;
    let got = || {
        node.scalar().map_or_else(
            || "an array".to_owned(),
            |scalar| excerpt(scalar.text.trim(), MAX_SHOWN),
        )
    };
    let number = match node.scalar().map_or(ParsedNumber::Illegal, reading) {
        ParsedNumber::Exact(number) => number,
        ParsedNumber::Loose(number) => {
            sink.push(node.place, FaultKind::LooseNumber { got: got(), number });
            number
        }
        ParsedNumber::Illegal => {
            sink.push(node.place, FaultKind::BadNumber { got: got() });
            return None;
        }
        ParsedNumber::Absent if node.is_null() || got().is_empty() => {
            sink.push(entry.key_place, FaultKind::MissingNumber);
            return None;
        }
        ParsedNumber::Absent => match of_file_name(path) {
            Some(number) => {
                sink.push(node.place, FaultKind::LooseNumber { got: got(), number });
                number
            }
            None => {
                sink.push(node.place, FaultKind::BadNumber { got: got() });
                return None;
            }
        },
    };
    Some(Spanned {
        value: number,
        place: node.place,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml;

    fn read_text(text: &str) -> ParsedNumber {
        let tree = yaml::parse(text).expect(text);
        reading(tree.root.scalar().expect("a scalar"))
    }

    #[test]
    fn numbers_are_parsed_in_many_spellings() {
        let exact = |number| ParsedNumber::Exact(TaskNumber::new(number).expect("not 0"));
        let loose = |number| ParsedNumber::Loose(TaskNumber::new(number).expect("not 0"));
        for (text, expected) in [
            ("1", exact(1)),
            ("01", exact(1)),
            ("4294967295", exact(u32::MAX)),
            ("4294967296", ParsedNumber::Illegal),
            ("\"1\"", loose(1)),
            ("\"#1\"", loose(1)),
            ("'#07'", loose(7)),
            ("01-types", loose(1)),
            ("02_css", loose(2)),
            ("'3 '", loose(3)),
            ("03.md", loose(3)),
            ("1.0", loose(1)),
            ("1.5", ParsedNumber::Illegal),
            ("'1.5'", ParsedNumber::Illegal),
            ("0", ParsedNumber::Illegal),
            ("'0'", ParsedNumber::Illegal),
            ("-3", ParsedNumber::Illegal),
            ("'-3'", ParsedNumber::Illegal),
            ("1e300", ParsedNumber::Illegal),
            (".inf", ParsedNumber::Absent),
            ("3rd", ParsedNumber::Illegal),
            ("true", ParsedNumber::Absent),
            ("types", ParsedNumber::Absent),
            ("~", ParsedNumber::Absent),
            ("''", ParsedNumber::Absent),
        ] {
            assert_eq!(read_text(text), expected, "{text}");
        }
    }

    #[test]
    fn a_file_name_begins_with_the_number() {
        for (path, number) in [
            ("tasks/x/02-schema.md", Some(2)),
            ("10_a.md", Some(10)),
            ("7.md", Some(7)),
            ("a-7.md", None),
            ("00-x.md", None),
            ("3x.md", None),
            ("12/readme.md", None),
        ] {
            assert_eq!(of_file_name(path).map(TaskNumber::get), number, "{path}");
        }
    }

    proptest! {
        #[test]
        fn every_legal_number_reads_back(number in 1u32..) {
            let legal = TaskNumber::new(number).expect("not 0");
            prop_assert_eq!(read_text(&number.to_string()), ParsedNumber::Exact(legal));
            prop_assert_eq!(text_reading(&format!("#{number}-x")), ParsedNumber::Loose(legal));
        }
    }
}
