//! The list of tasks that come before.

use std::collections::HashSet;

use review_types::TaskNumber;

use super::excerpt;
use super::number::{Reading, reading, text_reading};
use crate::fault::FaultKind;
use crate::head::{Sink, items};
use crate::span::Spanned;
use crate::yaml::{Kind, Node, Value};

/// Reads a list, a single value or nothing; each number comes once.
pub(super) fn read(node: &Node, sink: &mut Sink<'_>) -> Vec<Spanned<TaskNumber>> {
    let in_list = matches!(node.value, Value::Sequence(_));
    let mut seen = HashSet::new();
    let mut numbers = Vec::new();
    for item in items(node) {
        for value in item_numbers(item, in_list, sink) {
            if seen.insert(value) {
                let place = item.place;
                numbers.push(Spanned { value, place });
            } else {
                sink.push(item.place, FaultKind::RepeatedDependency { number: value });
            }
        }
    }
    numbers
}

/// The numbers of one item: usually one, several in a text such as `#1, #4`.
fn item_numbers(item: &Node, in_list: bool, sink: &mut Sink<'_>) -> Vec<TaskNumber> {
    let Some(scalar) = item.scalar() else {
        let got = "a list or mapping".to_owned();
        sink.push(item.place, FaultKind::BadDependency { got });
        return Vec::new();
    };
    if scalar.kind == Kind::Text {
        let parts = scalar.text.split(',').map(str::trim);
        return parts
            .filter(|part| !is_nothing(part))
            .filter_map(|part| accept(text_reading(part), part, in_list, item, sink))
            .collect();
    }
    if item.is_null() {
        return Vec::new();
    }
    accept(reading(scalar), &scalar.text, in_list, item, sink)
        .into_iter()
        .collect()
}

fn is_nothing(text: &str) -> bool {
    text.is_empty() || text == "-" || text.eq_ignore_ascii_case("none")
}

fn accept(
    reading: Reading,
    text: &str,
    in_list: bool,
    item: &Node,
    sink: &mut Sink<'_>,
) -> Option<TaskNumber> {
    let got = || excerpt(text);
    match reading {
        Reading::Exact(number) if in_list => Some(number),
        Reading::Exact(number) | Reading::Loose(number) => {
            sink.push(
                item.place,
                FaultKind::LooseDependency { got: got(), number },
            );
            Some(number)
        }
        Reading::Illegal | Reading::Absent => {
            sink.push(item.place, FaultKind::BadDependency { got: got() });
            None
        }
    }
}
