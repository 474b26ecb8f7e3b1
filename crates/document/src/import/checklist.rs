//! Boxes of a Markdown list: `- [ ] text`.

use review_types::plural;

use super::text::{clean, plain};
use super::{Imported, Story};
use crate::body::Body;
use crate::front_matter;

/// The columns of a tab.
const TAB: usize = 4;

/// A file with boxes.
pub(super) struct Boxes {
    /// The first heading.
    pub(super) title: Option<String>,
    /// The boxes, in the order of the file.
    pub(super) items: Vec<Item>,
    /// The number of lines that belong to no box.
    pub(super) others: usize,
}

/// A box.
pub(super) struct Item {
    /// What is to be done.
    pub(super) text: String,
    /// The lines that are indented below it.
    pub(super) details: Vec<String>,
    /// The heading that it is below.
    pub(super) heading: Option<String>,
    /// The number of headings of level 1 and 2 above it.
    pub(super) section: usize,
    /// Whether it is checked.
    pub(super) is_done: bool,
    indent: usize,
}

/// Each box is a task; those that are indented come before the one above them.
pub(super) fn read(text: &str) -> Imported {
    let boxes = Boxes::read(text);
    let mut above: Vec<usize> = Vec::new();
    let mut stories: Vec<Story> = Vec::new();
    for (at, item) in boxes.items.iter().enumerate() {
        above.retain(|above| boxes.items[*above].indent < item.indent);
        let mut story = item.story(String::new(), item.text.clone());
        if let Some(parent) = above.last() {
            stories[*parent].after.push(at);
            story
                .text
                .push(format!("Part of: {}", boxes.items[*parent].text));
        }
        above.push(at);
        stories.push(story);
    }
    boxes.imported(stories)
}

impl Boxes {
    pub(super) fn read(text: &str) -> Self {
        let front_matter = front_matter::find(text).ok().flatten();
        let body = Body::of(text, front_matter.as_ref());
        let mut boxes = Self {
            title: body.title().map(|title| clean(&title.value)),
            items: Vec::new(),
            others: 0,
        };
        let (mut heading, mut section, mut is_open) = (None, 0, false);
        for line in body.lines() {
            let line = line.slice(text).unwrap_or_default();
            let (indent, rest) = unindented(line);
            if rest.is_empty() {
                continue;
            }
            if let Some((level, name)) = heading_of(rest) {
                heading = (level > 1).then(|| plain(name));
                section += usize::from(level <= 2);
                is_open = false;
            } else if let Some((is_done, name)) = checked(rest) {
                is_open = true;
                boxes.items.push(Item {
                    text: plain(name),
                    details: Vec::new(),
                    heading: heading.clone(),
                    section,
                    is_done,
                    indent,
                });
            } else {
                let last = boxes.items.last_mut();
                match last.filter(|last| is_open && indent > last.indent) {
                    Some(last) => last.details.push(plain(bullet(rest).unwrap_or(rest))),
                    None => {
                        is_open = false;
                        boxes.others += 1;
                    }
                }
            }
        }
        boxes
    }

    pub(super) fn imported(self, stories: Vec<Story>) -> Imported {
        let mut work = Imported {
            title: self.title.filter(|title| !title.is_empty()),
            stories,
            ..Imported::default()
        };
        if self.others > 0 {
            let lines = plural(self.others, "line", "lines");
            work.left_out.push(format!("{lines} outside of boxes"));
        }
        work
    }
}

impl Item {
    pub(super) fn story(&self, id: String, title: String) -> Story {
        Story {
            id,
            title,
            criteria: self.details.clone(),
            group: self.heading.clone(),
            is_claimed: self.is_done,
            ..Story::default()
        }
    }
}

/// The columns before a line, and its content.
fn unindented(line: &str) -> (usize, &str) {
    let rest = line.trim_start();
    let blank = &line[..line.len() - rest.len()];
    let columns = blank.chars().map(|char| if char == '\t' { TAB } else { 1 });
    (columns.sum(), rest.trim_end())
}

fn heading_of(line: &str) -> Option<(usize, &str)> {
    let name = line.trim_start_matches('#');
    let level = line.len() - name.len();
    let is_heading = (1..=6).contains(&level) && name.starts_with([' ', '\t']);
    is_heading.then(|| (level, name.trim().trim_end_matches('#')))
}

/// Returns what follows the mark of a list.
fn bullet(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let marks: &[char] = match digits.len() == line.len() {
        true => &['-', '*', '+'],
        false => &['.', ')'],
    };
    let rest = digits.strip_prefix(marks)?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

/// Whether the box of a line is checked, and what follows it.
fn checked(line: &str) -> Option<(bool, &str)> {
    let rest = bullet(line)?.strip_prefix('[')?;
    let mark = rest.chars().next()?;
    let text = rest[mark.len_utf8()..].strip_prefix(']')?;
    let is_text = text.starts_with([' ', '\t']) && !clean(text).is_empty();
    is_text.then(|| (matches!(mark, 'x' | 'X'), text.trim()))
}
