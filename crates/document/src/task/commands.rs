//! Parses the commands that prove a task done.

use review_types::excerpt;

use super::MAX_SHOWN;
use crate::fault::FaultKind;
use crate::head::{Sink, items};
use crate::span::Spanned;
use crate::yaml::{Entry, Node, Style, YamlComment};

/// Parses one command, a block, or an array of steps.
///
/// An array with a step that is not a string has no command at all: the other
/// steps would prove less than the task requires.
pub(super) fn read(
    entry: &Entry<'_>,
    comments: &[YamlComment<'_>],
    sink: &mut Sink<'_>,
) -> Vec<Spanned<String>> {
    let mut steps = Vec::new();
    for item in items(&entry.value) {
        let Some(scalar) = item.scalar() else {
            let (key, expected) = ("backpressure", "a command or an array of commands");
            sink.push(item.place, FaultKind::WrongType { key, expected });
            return Vec::new();
        };
        if let Some(comment) = cut_by(item, comments) {
            let cut = excerpt(&format!("#{}", comment.text), MAX_SHOWN);
            sink.push(comment.place, FaultKind::CutCommand { cut });
        }
        let command = scalar.text.trim();
        if !item.is_null() && !is_nothing(command) {
            steps.push(Spanned {
                value: command.to_owned(),
                place: item.place,
            });
        }
    }
    if steps.is_empty() {
        sink.push(entry.key_place, FaultKind::NoCommand);
    }
    steps
}

/// Returns whether a string is a placeholder for none.
pub(super) fn is_nothing(command: &str) -> bool {
    command.is_empty() || command == "-" || command.eq_ignore_ascii_case("none")
}

/// Returns the comment on the last line of an unquoted command.
fn cut_by<'c, 's>(item: &Node<'_>, comments: &'c [YamlComment<'s>]) -> Option<&'c YamlComment<'s>> {
    let plain = item
        .scalar()
        .is_some_and(|scalar| scalar.style == Style::Plain);
    if !plain || item.place.span.is_empty() {
        return None;
    }
    let next = comments.partition_point(|comment| comment.place.span.start < item.place.span.end);
    comments
        .get(next)
        .filter(|comment| comment.place.position.line == item.place.position.line)
}
