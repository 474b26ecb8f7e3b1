//! What fixes would change, as a unified diff.

use std::path::Path;

use review_types::{ExitCode, plural};
use similar::TextDiff;

use super::Ended;
use super::fix::FixedFile;
use crate::context::Context;
use crate::location::shown;
use crate::output::style::{ADDED, HINT, REMOVED, RESET, STRONG};

/// Prints what the fixes of `count` findings would change in the files of some
/// roots. It is no pass when there is anything to change.
pub(super) fn print<'a>(
    context: &mut Context,
    files: impl Iterator<Item = (&'a Path, &'a FixedFile)>,
    count: usize,
) -> Ended {
    for (root, file) in files {
        let folder = context.environment.folder();
        let path = shown(folder, &root.join(file.path.as_str()));
        let diff = unified(&path, &file.before, &file.after);
        if context.streams.out.is_plain() {
            context.streams.print_raw(diff.as_bytes())?;
        } else {
            context.streams.print(&coloured(&diff))?;
        }
    }
    let findings = plural(count, "finding", "findings");
    context.streams.note(&format!("{findings} would be fixed"));
    Ok(match count {
        0 => ExitCode::Passed,
        _ => ExitCode::NotPassed,
    })
}

fn unified<'t>(path: &str, before: &'t str, after: &'t str) -> String {
    // Only a line feed ends a line of a patch.
    let lines = |text: &'t str| text.split_inclusive('\n').collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&before, &after)
        .unified_diff()
        .header(path, path)
        .to_string()
}

/// The lines of a diff in the colours that tools have for them.
fn coloured(diff: &str) -> String {
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
