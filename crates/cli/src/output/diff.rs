//! Unified diffs.

use similar::TextDiff;

use crate::output::style::{ADDED, HINT, REMOVED, RESET, STRONG};

/// What differs between two texts; empty where nothing does. The names stand in
/// the head.
pub(crate) fn unified<'t>(names: (&str, &str), before: &'t str, after: &'t str) -> String {
    // Only a line feed ends a line of a patch.
    let lines = |text: &'t str| text.split_inclusive('\n').collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&before, &after)
        .unified_diff()
        .header(names.0, names.1)
        .to_string()
}

/// The lines of a diff in the colours that tools have for them.
pub(crate) fn coloured(diff: &str) -> String {
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
