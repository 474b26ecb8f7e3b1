//! Task numbers in running text and in table cells.

use std::collections::BTreeSet;

use review_types::TaskNumber;

/// The maximum length of a range of task numbers.
const MAX_RANGE: u32 = 1000;

/// Parses a string that is one task number: `3`, `03`, `#3`, `3.` or `Task #3`.
pub(crate) fn task_number(text: &str) -> Option<TaskNumber> {
    let text = without_word(text.trim());
    let text = text.strip_prefix('#').unwrap_or(text);
    let digits = text.strip_suffix(['.', ':']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok().and_then(TaskNumber::new))?
}

/// Parses the task list of a cell; `None` if it has other content, or more numbers than
/// `room`, which is reduced by the numbers read.
///
/// `None`, a dash and an empty cell are empty lists; `#1-#3` is a list of three. Text
/// in brackets is ignored.
pub(crate) fn task_list(text: &str, room: &mut usize) -> Option<BTreeSet<TaskNumber>> {
    // A line break within a cell is not visible in its text.
    let text = without_remarks(text).replace('#', " #");
    let mut listed = BTreeSet::new();
    let parts = text.split([',', ';', '&', '+', '\n']);
    for item in parts.flat_map(|part| part.split(" and ")) {
        add(item.trim(), &mut listed, room)?;
    }
    Some(listed)
}

fn add(item: &str, listed: &mut BTreeSet<TaskNumber>, room: &mut usize) -> Option<()> {
    let mut take = |count: u32| {
        *room = room.checked_sub(usize::try_from(count).ok()?)?;
        Some(())
    };
    const NOTHING: [&str; 7] = ["", "none", "-", "–", "—", "n/a", "nothing"];
    let bare = item.trim_end_matches('.');
    if NOTHING.iter().any(|word| bare.eq_ignore_ascii_case(word)) {
        return Some(());
    }
    if let Some(number) = task_number(item) {
        take(1)?;
        listed.insert(number);
        return Some(());
    }
    if let Some((first, last)) = range(item) {
        take(last.get() - first.get() + 1)?;
        listed.extend((first.get()..=last.get()).filter_map(TaskNumber::new));
        return Some(());
    }
    for word in without_word(item).split_whitespace() {
        let number = named(word)?;
        take(1)?;
        listed.insert(number);
    }
    Some(())
}

/// Parses `#2` from a list without commas, or the number of `02-schema.md`.
fn named(word: &str) -> Option<TaskNumber> {
    task_number(word).or_else(|| {
        let (digits, name) = word.split_once(['-', '_'])?;
        let is_name = name.starts_with(char::is_alphabetic);
        is_name.then(|| task_number(digits))?
    })
}

/// Parses `1-5`, `#1–#5` and `1..5`.
fn range(item: &str) -> Option<(TaskNumber, TaskNumber)> {
    let item = without_word(item);
    let parts = ["..", "–", "—", "-", " to ", " through "];
    let (first, last) = parts.iter().find_map(|part| item.split_once(part))?;
    let (first, last) = (task_number(first)?, task_number(last)?);
    (first <= last && last.get() - first.get() < MAX_RANGE).then_some((first, last))
}

/// Removes a leading `Task` or `Tasks`.
fn without_word(text: &str) -> &str {
    for word in ["tasks", "task"] {
        if let Some((head, rest)) = text.split_at_checked(word.len())
            && head.eq_ignore_ascii_case(word)
            && rest.starts_with([' ', '#', '-', '_'])
        {
            return rest.trim_start_matches([' ', '-', '_']);
        }
    }
    text
}

/// Formats numbers the way a cell of the plan lists them.
pub(crate) fn listed(numbers: &BTreeSet<TaskNumber>, hash: bool) -> String {
    if numbers.is_empty() {
        return "None".to_owned();
    }
    let mark = if hash { "#" } else { "" };
    let numbers: Vec<_> = numbers
        .iter()
        .map(|number| format!("{mark}{number}"))
        .collect();
    numbers.join(", ")
}

/// Removes text in brackets.
pub(crate) fn without_remarks(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for char in text.chars() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(char),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_number_has_no_other_text() {
        for text in [
            "3",
            "03",
            "#3",
            "3.",
            " Task #3 ",
            "task 3",
            "Task-03",
            "3:",
        ] {
            assert_eq!(task_number(text).map(TaskNumber::get), Some(3), "{text}");
        }
        for text in [
            "",
            "#",
            "0",
            "3a",
            "3.5",
            "Tasked 3",
            "99999999999",
            "+3",
            "task",
        ] {
            assert_eq!(task_number(text), None, "{text}");
        }
    }

    #[test]
    fn lists_are_read_in_several_notations() {
        for (text, expected) in [
            ("None", &[][..]),
            ("", &[]),
            ("—", &[]),
            ("N/A.", &[]),
            ("None (parallel with #1)", &[]),
            ("#1", &[1]),
            ("1, 2,3", &[1, 2, 3]),
            ("#2 and #1", &[1, 2]),
            ("#1-#3", &[1, 2, 3]),
            ("1–2; 5", &[1, 2, 5]),
            ("Tasks 1..3", &[1, 2, 3]),
            ("#1#2", &[1, 2]),
            ("#1 and#2", &[1, 2]),
            ("1, and 2", &[1, 2]),
            ("1 2", &[1, 2]),
            ("Task #4 (types)", &[4]),
            ("01-types.md, 02-schema", &[1, 2]),
        ] {
            let listed = task_list(text, &mut 3).unwrap_or_else(|| panic!("{text}"));
            let numbers: Vec<_> = listed.into_iter().map(TaskNumber::get).collect();
            assert_eq!(numbers, expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_lists() {
        for text in [
            "all of them",
            "None, parallel with #1",
            "GIT unit",
            "5-3",
            "1-2000",
            "#1 or #2",
            "0",
            "1-",
        ] {
            assert_eq!(task_list(text, &mut 9999), None, "{text}");
        }
    }

    #[test]
    fn a_list_reduces_the_room_by_its_numbers() {
        for (text, room, left) in [
            ("None", 0, Some(0)),
            ("#1, #1", 3, Some(1)),
            ("1 2", 2, Some(0)),
            ("1 2", 1, None),
            ("1, 2", 1, None),
            ("1-999", 999, Some(0)),
            ("1-999", 998, None),
        ] {
            let mut room = room;
            let listed = task_list(text, &mut room);
            assert_eq!(listed.map(|_| room), left, "{text}");
        }
    }
}
