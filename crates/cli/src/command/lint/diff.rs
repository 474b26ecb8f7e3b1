//! What fixes would change, as a unified diff.

use std::path::Path;

use review_engine::lint::FixedFile;
use review_report::shown;
use review_types::{ExitCode, plural};

use crate::context::Context;
use crate::error::CommandResult;
use crate::output::{coloured, unified};

/// Prints what the fixes of `count` findings would change in the files of some
/// roots. It is not a pass when there is anything to change.
pub(super) fn print<'a>(
    context: &mut Context,
    files: impl Iterator<Item = (&'a Path, &'a FixedFile)>,
    count: usize,
) -> CommandResult {
    for (root, file) in files {
        let folder = context.environment.folder();
        let path = shown(folder, &root.join(file.path.as_str()));
        let diff = unified((&path, &path), &file.before, &file.after);
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
