//! Parses the tasks that come first.

use std::collections::HashSet;

use review_types::{TaskNumber, excerpt};

use super::MAX_SHOWN;
use super::commands::is_nothing;
use super::number::{ParsedNumber, reading, text_reading};
use crate::fault::FaultKind;
use crate::head::{Sink, items};
use crate::span::Spanned;
use crate::yaml::{Kind, Node, Value};

/// Parses an array, a single value or nothing; each number is listed once.
pub(super) fn read(node: &Node<'_>, sink: &mut Sink<'_>) -> Vec<Spanned<TaskNumber>> {
    let in_list = matches!(node.value, Value::Sequence(_));
    let mut numbers = Vec::new();
    for item in items(node) {
        read_item(item, in_list, &mut numbers, sink);
    }
    let mut seen = HashSet::new();
    numbers.retain(|&Spanned { value, place }| {
        let is_new = seen.insert(value);
        if !is_new {
            sink.push(place, FaultKind::RepeatedDependency { number: value });
        }
        is_new
    });
    numbers
}

/// Adds the numbers of one item: usually one, several in a string such as
/// `#1, #4`.
fn read_item(
    item: &Node<'_>,
    in_list: bool,
    numbers: &mut Vec<Spanned<TaskNumber>>,
    sink: &mut Sink<'_>,
) {
    let place = item.place;
    let Some(scalar) = item.scalar() else {
        let got = "an array or mapping".to_owned();
        sink.push(place, FaultKind::BadDependency { got });
        return;
    };
    let mut add = |reading, text| {
        let number = accept(reading, text, in_list, item, sink);
        numbers.extend(number.map(|value| Spanned { value, place }));
    };
    if scalar.kind == Kind::Text {
        let parts = scalar.text.split(',').map(str::trim);
        for part in parts.filter(|part| !is_nothing(part)) {
            add(text_reading(part), part);
        }
    } else if !item.is_null() {
        add(reading(scalar), &scalar.text);
    }
}

fn accept(
    reading: ParsedNumber,
    text: &str,
    in_list: bool,
    item: &Node<'_>,
    sink: &mut Sink<'_>,
) -> Option<TaskNumber> {
    let got = || excerpt(text.trim(), MAX_SHOWN);
    match reading {
        ParsedNumber::Exact(number) if in_list => Some(number),
        ParsedNumber::Exact(number) | ParsedNumber::Loose(number) => {
            sink.push(
                item.place,
                FaultKind::LooseDependency { got: got(), number },
            );
            Some(number)
        }
        ParsedNumber::Illegal | ParsedNumber::Absent => {
            sink.push(item.place, FaultKind::BadDependency { got: got() });
            None
        }
    }
}
