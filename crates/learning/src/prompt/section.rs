//! The marked section of a prompt that holds its lessons.
//!
//! The content outside of the markers is the user's: an edit keeps every byte of it.

use std::ops::Range;

use review_types::{one_line, plural};

use super::{Change, ChangeType};
use crate::Id;

/// The name of the section in [`Change::section`].
pub const SECTION: &str = "lessons";
const BEGIN: &str = "<!-- lessons: begin -->";
const END: &str = "<!-- lessons: end -->";
const HEAD: &str = "Follow these lessons from earlier work:";
const ITEM: &str = "- ";

/// A change of a lesson in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Add the constraint of a lesson, or replace its earlier wording.
    Put {
        /// The lesson.
        lesson: Id,
        /// The constraint; it is joined to one line.
        text: String,
    },
    /// Remove the constraint of a lesson.
    Remove {
        /// The lesson.
        lesson: Id,
    },
}

/// A prompt after edits.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The whole content.
    pub content: String,
    /// The ids of its lessons, in order.
    pub lessons: Vec<String>,
    /// The changes; empty if the content is unchanged.
    pub changes: Vec<Change>,
}

/// Why the lessons of a prompt cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SectionError(String);

/// Edits the lessons of a prompt that contains `applied`, in this order. The section is
/// appended to a prompt without markers.
///
/// # Errors
/// [`SectionError`] if the section was changed manually.
pub fn edit(content: &str, applied: &[String], edits: &[Edit]) -> Result<Edited, SectionError> {
    let section = Section::find(content)?;
    let items = section.as_ref().map_or(&[][..], |section| &section.items);
    if items.len() != applied.len() {
        let items = plural(items.len(), "item", "items");
        let lessons = plural(applied.len(), "lesson", "lessons");
        return Err(SectionError(format!(
            "the lessons section has {items}, but the version lists {lessons}; remove the manual changes"
        )));
    }
    let texts = items.iter().map(|item| (*item).to_owned());
    let mut items: Vec<(String, String)> = applied.iter().cloned().zip(texts).collect();
    let changes: Vec<_> = edits
        .iter()
        .filter_map(|edit| carry_out(edit, &mut items))
        .collect();
    let content = match changes.is_empty() {
        true => content.to_owned(),
        false => written(content, section.as_ref(), &items),
    };
    Ok(Edited {
        content,
        lessons: items.into_iter().map(|(lesson, _)| lesson).collect(),
        changes,
    })
}

fn carry_out(edit: &Edit, items: &mut Vec<(String, String)>) -> Option<Change> {
    let (Edit::Put { lesson, .. } | Edit::Remove { lesson }) = edit;
    let at = items
        .iter()
        .position(|(standing, _)| standing == lesson.as_str());
    let (kind, old_text, new_text) = match (edit, at) {
        (Edit::Put { text, .. }, None) => {
            let text = one_line(text);
            items.push((lesson.to_string(), text.clone()));
            (ChangeType::Addition, None, Some(text))
        }
        (Edit::Put { text, .. }, Some(at)) => {
            let text = one_line(text);
            let old = std::mem::replace(&mut items[at].1, text.clone());
            if old == text {
                return None;
            }
            (ChangeType::Modification, Some(old), Some(text))
        }
        (Edit::Remove { .. }, None) => return None,
        (Edit::Remove { .. }, Some(at)) => {
            let (_, old) = items.remove(at);
            (ChangeType::Removal, Some(old), None)
        }
    };
    Some(Change {
        change_type: Some(kind),
        section: Some(SECTION.to_owned()),
        old_text,
        new_text,
    })
}

/// Returns the content with these items in its section.
fn written(content: &str, section: Option<&Section<'_>>, items: &[(String, String)]) -> String {
    let span = section.map_or(content.len()..content.len(), |section| section.span.clone());
    let (before, after) = (&content[..span.start], &content[span.end..]);
    let mut text = before.to_owned();
    if section.is_none() && !text.is_empty() {
        text.push_str(match (text.ends_with("\n\n"), text.ends_with('\n')) {
            (true, _) => "",
            (false, true) => "\n",
            (false, false) => "\n\n",
        });
    }
    text.push_str(BEGIN);
    text.push('\n');
    if !items.is_empty() {
        text.push_str(HEAD);
        text.push('\n');
    }
    for (_, item) in items {
        text.push_str(ITEM);
        text.push_str(item);
        text.push('\n');
    }
    text.push_str(END);
    if section.is_none() {
        text.push('\n');
    }
    text.push_str(after);
    text
}

/// The error where the markers do not enclose exactly one section, from this line on.
fn misplaced(line: usize) -> SectionError {
    SectionError(format!(
        "line {line}: expected the markers `{BEGIN}` and `{END}` once each, in this order, on lines of their own"
    ))
}

/// The lessons section of a prompt.
struct Section<'t> {
    /// From the first marker to the end of the last one, without its line end.
    span: Range<usize>,
    items: Vec<&'t str>,
}

impl<'t> Section<'t> {
    fn find(content: &'t str) -> Result<Option<Self>, SectionError> {
        let mut begin = None;
        let mut end = None;
        let mut items = Vec::new();
        let mut at = 0;
        for (index, whole) in content.split_inclusive('\n').enumerate() {
            let line = whole.trim_end_matches(['\n', '\r']);
            let number = index + 1;
            match (line, begin, end) {
                (BEGIN, None, None) => begin = Some((at, number)),
                (END, Some(_), None) => end = Some(at + END.len()),
                (BEGIN | END, ..) => return Err(misplaced(number)),
                (_, Some(_), None) => items.extend(line.strip_prefix(ITEM)),
                _ => {}
            }
            at += whole.len();
        }
        match (begin, end) {
            (Some((start, _)), Some(end)) => Ok(Some(Self {
                span: start..end,
                items,
            })),
            (Some((_, line)), None) => Err(misplaced(line)),
            (None, _) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> Id {
        format!("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2{number:02x}")
            .parse()
            .unwrap()
    }

    fn name(number: u8) -> String {
        id(number).to_string()
    }

    fn put(number: u8, text: &str) -> Edit {
        Edit::Put {
            lesson: id(number),
            text: text.to_owned(),
        }
    }

    fn remove(number: u8) -> Edit {
        Edit::Remove { lesson: id(number) }
    }

    fn change(change_type: ChangeType, old: Option<&str>, new: Option<&str>) -> Change {
        Change {
            change_type: Some(change_type),
            section: Some("lessons".to_owned()),
            old_text: old.map(str::to_owned),
            new_text: new.map(str::to_owned),
        }
    }

    const TWO: &str = "Mine.\r\n\n<!-- lessons: begin -->\n\
                       Follow these lessons from earlier work:\n- One.\n- Two.\n\
                       <!-- lessons: end -->\n\tMine too";

    #[test]
    fn the_section_is_appended_to_a_prompt_without_markers() {
        let section = "<!-- lessons: begin -->\nFollow these lessons from earlier work:\n\
                       - Name the unit.\n<!-- lessons: end -->\n";
        for (content, between) in [
            ("", ""),
            ("Judge.", "\n\n"),
            ("Judge.\n", "\n"),
            ("Judge.\n\n", ""),
        ] {
            let edited = edit(content, &[], &[put(1, " Name\n  the unit. ")]).unwrap();
            assert_eq!(edited.content, format!("{content}{between}{section}"));
            assert_eq!(edited.lessons, [name(1)]);
            let added = change(ChangeType::Addition, None, Some("Name the unit."));
            assert_eq!(edited.changes, [added]);
        }
    }

    #[test]
    fn edits_keep_every_byte_outside_of_the_markers() {
        let edits = [put(2, "Second."), remove(1), put(3, "Three.")];
        let edited = edit(TWO, &[name(1), name(2)], &edits).unwrap();
        let expected = TWO.replace("- One.\n- Two.\n", "- Second.\n- Three.\n");
        assert_eq!(edited.content, expected);
        assert_eq!(edited.lessons, [name(2), name(3)]);
        assert_eq!(
            edited.changes,
            [
                change(ChangeType::Modification, Some("Two."), Some("Second.")),
                change(ChangeType::Removal, Some("One."), None),
                change(ChangeType::Addition, None, Some("Three.")),
            ]
        );
    }

    #[test]
    fn adding_or_removing_a_lesson_twice_changes_nothing() {
        let edited = edit(TWO, &[name(1), name(2)], &[put(1, "One."), remove(9)]).unwrap();
        assert_eq!(edited.content, TWO);
        assert_eq!(edited.lessons, [name(1), name(2)]);
        assert_eq!(edited.changes, []);
    }

    #[test]
    fn a_section_without_lessons_stays_empty_and_accepts_new_ones() {
        let lessons = [name(1), name(2)];
        let edited = edit(TWO, &lessons, &[remove(1), remove(2)]).unwrap();
        let empty = "Mine.\r\n\n<!-- lessons: begin -->\n<!-- lessons: end -->\n\tMine too";
        assert_eq!((&*edited.content, &*edited.lessons), (empty, &[][..]));
        let again = [put(1, "One."), put(2, "Two.")];
        assert_eq!(edit(empty, &[], &again).unwrap().content, TWO);
    }

    #[test]
    fn a_lesson_cannot_end_the_section() {
        let text = "x\n<!-- lessons: end -->\ny";
        let edited = edit("", &[], &[put(1, text)]).unwrap();
        let again = edit(&edited.content, &edited.lessons, &[remove(1)]).unwrap();
        assert_eq!(
            again.content,
            "<!-- lessons: begin -->\n<!-- lessons: end -->\n"
        );
    }

    #[test]
    fn invalid_markers_are_reported_with_their_line() {
        let (begin, end) = (BEGIN, END);
        for (content, line) in [
            (format!("a\n{begin}\nb"), 2),
            (format!("{end}\n"), 1),
            (format!("{end}\n{begin}\n"), 1),
            (format!("{begin}\n{end}\n{end}"), 3),
            (format!("{begin}\n{begin}\n{end}"), 2),
            (format!("{begin}\n{end}\n{begin}"), 3),
        ] {
            let error = edit(&content, &[], &[]).unwrap_err();
            let start = format!("line {line}: expected the markers");
            assert!(error.to_string().starts_with(&start), "{error}: {content}");
        }
        assert!(edit(&format!("a {begin}\n- b\n"), &[], &[]).is_ok());
    }

    #[test]
    fn manually_added_items_are_rejected() {
        let error = edit(TWO, &[name(1)], &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the lessons section has 2 items, but the version lists 1 lesson; \
             remove the manual changes"
        );
    }
}
