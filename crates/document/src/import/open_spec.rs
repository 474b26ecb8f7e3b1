//! `tasks.md` of a change of OpenSpec: `- [ ] 1.1 text`, in sections that are in order.

use super::Imported;
use super::checklist::{Boxes, Item};
use super::spec_kit::{Phased, in_phases};

pub(super) fn read(text: &str) -> Imported {
    let boxes = Boxes::read(text);
    let stories = in_phases(boxes.items.iter().map(task).collect());
    boxes.imported(stories)
}

fn task(item: &Item) -> Phased {
    let (first, rest) = item.text.split_once(' ').unwrap_or_default();
    let is_number = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let (id, title) = match is_number(first) {
        true => (first.trim_end_matches('.'), rest),
        false => ("", item.text.as_str()),
    };
    Phased {
        story: item.story(id.to_owned(), title.to_owned()),
        phase: item.section,
        is_parallel: false,
    }
}
