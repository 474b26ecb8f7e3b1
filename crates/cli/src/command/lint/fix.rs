//! Mends what can be mended mechanically.

use review_document::workspace::Document;
use review_lint::{Finding, Safety, fixed};
use review_store::{Root, RootPath};

use super::checked::Checked;
use crate::error::{CommandError, ErrorKind, chain};

/// Applies the fixes of what was found and counts them. Fixes that meet are
/// left for the next round.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn apply(root: &Root, checked: &Checked, up_to: Safety) -> Result<usize, CommandError> {
    let mut count = 0;
    for part in &checked.parts {
        for document in &part.workspace.documents {
            // Beyond the first byte that is not UTF-8 nothing is known.
            if document.invalid_at.is_some() {
                continue;
            }
            let findings = part.report.findings().iter();
            let own = findings.filter(|finding| finding.path == document.path);
            count += mend(root, document, own, up_to)?;
        }
    }
    Ok(count)
}

fn mend<'a>(
    root: &Root,
    document: &Document,
    findings: impl Iterator<Item = &'a Finding>,
    up_to: Safety,
) -> Result<usize, CommandError> {
    let fixed = fixed(&document.source, findings, up_to);
    if fixed.applied.is_empty() {
        return Ok(0);
    }
    let written =
        RootPath::new(&document.path).and_then(|path| root.replace(&path, fixed.text.as_bytes()));
    written.map_err(|error| {
        let message = format!("cannot mend {}: {}", document.path, chain(&error));
        CommandError::new(ErrorKind::Output, message)
    })?;
    Ok(fixed.applied.len())
}
