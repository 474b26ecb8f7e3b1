//! Unified diffs.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Interner, Token};

use crate::style::{ADDED, HINT, REMOVED, RESET, STRONG};

/// The lines that are shown around each difference.
const CONTEXT: u32 = 3;

/// Returns the unified diff of two strings; empty where they are equal. The names are
/// in its head.
#[must_use]
pub fn unified(names: (&str, &str), before: &str, after: &str) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    let mut text = String::new();
    if !hunks.is_empty() {
        let (before, after) = names;
        text = format!("--- {before}\n+++ {after}\n");
    }
    let is_apart = |one: &Hunk, next: &Hunk| next.before.start - one.before.end > 2 * CONTEXT;
    for group in hunks.chunk_by(|one, next| !is_apart(one, next)) {
        write_group(&mut text, group, &input);
    }
    text
}

/// Writes differences that are near each other, with the lines around them.
fn write_group(text: &mut String, group: &[Hunk], input: &InternedInput<&str>) {
    let [first, ..] = group else { return };
    let last = &group[group.len() - 1];
    let start = first.before.start.saturating_sub(CONTEXT);
    let end =
        (last.before.end + CONTEXT).min(u32::try_from(input.before.len()).unwrap_or(u32::MAX));
    let old = start..end;
    let new =
        first.after.start - (first.before.start - start)..last.after.end + (end - last.before.end);
    text.push_str(&format!("@@ -{} +{} @@\n", numbers(&old), numbers(&new)));
    let mut write = |sign, side: &[Token], lines: Range<u32>| {
        for token in &side[lines.start as usize..lines.end as usize] {
            write_line(text, sign, *token, &input.interner);
        }
    };
    let mut at = start;
    for hunk in group {
        write(' ', &input.before, at..hunk.before.start);
        write('-', &input.before, hunk.before.clone());
        write('+', &input.after, hunk.after.clone());
        at = hunk.before.end;
    }
    write(' ', &input.before, at..end);
}

fn write_line(text: &mut String, sign: char, line: Token, lines: &Interner<&str>) {
    let line = lines[line];
    text.push(sign);
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

/// A range of lines as the head of a group has it: the first line from 1 and
/// their number; an empty range names the line before it.
fn numbers(lines: &Range<u32>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// Returns the lines of a diff in the colours that tools have for them.
#[must_use]
pub fn coloured(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        let style = match line.as_bytes() {
            [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => STRONG,
            [b'@', ..] => HINT,
            [b'+', ..] => ADDED,
            [b'-', ..] => REMOVED,
            _ => {
                text.push_str(line);
                continue;
            }
        };
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |line| (line, "\n"));
        text.push_str(&format!("{style}{line}{RESET}{end}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_three_lines_around_each_group_of_changes() {
        let text = |changed: &[u32]| -> String {
            let line = |n| {
                if changed.contains(&n) {
                    format!("{n}!\n")
                } else {
                    format!("{n}\n")
                }
            };
            (1..=20).map(line).collect()
        };
        let diff = unified(("a", "b"), &text(&[]), &text(&[5, 12, 20]));
        assert_eq!(
            diff,
            "--- a\n+++ b\n@@ -2,14 +2,14 @@\n 2\n 3\n 4\n-5\n+5!\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n\
             +12!\n 13\n 14\n 15\n@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+20!\n"
        );
        assert_eq!(unified(("a", "b"), "same\n", "same\n"), "");
    }

    #[test]
    fn ends_of_texts_are_as_tools_for_patches_write_them() {
        for (before, after, expected) in [
            ("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"),
            ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            (
                "a",
                "a\n",
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
            ),
            (
                "x\na\r",
                "a\r",
                "@@ -1,2 +1 @@\n-x\n a\r\n\\ No newline at end of file\n",
            ),
        ] {
            let diff = unified(("p", "q"), before, after);
            assert_eq!(diff, format!("--- p\n+++ q\n{expected}"), "{before:?}");
        }
    }
}
