//! Mends what can be mended mechanically.

use review_document::workspace::Document;
use review_document::{Edit, apply as splice};
use review_lint::{Fix, Safety};
use review_store::{Root, RootPath};

use super::checked::Checked;
use crate::error::{CommandError, ErrorKind, chain};

/// Applies the fixes of what was found and counts them. Fixes that meet are
/// left for the next round.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn apply(
    root: &Root,
    checked: &Checked,
    unsafe_fixes: bool,
) -> Result<usize, CommandError> {
    let mut count = 0;
    for part in &checked.parts {
        for document in &part.workspace.documents {
            // Beyond the first byte that is not UTF-8 nothing is known.
            if document.invalid_at.is_some() {
                continue;
            }
            let findings = part.report.findings().iter();
            let fixes = findings
                .filter(|finding| finding.path == document.path)
                .filter_map(|finding| finding.fix.as_ref())
                .filter(|fix| unsafe_fixes || fix.safety == Safety::Safe);
            count += mend(root, document, fixes.collect())?;
        }
    }
    Ok(count)
}

fn mend(root: &Root, document: &Document, fixes: Vec<&Fix>) -> Result<usize, CommandError> {
    let (edits, count) = disjoint(fixes);
    if count == 0 {
        return Ok(0);
    }
    let cannot = |error: &dyn std::error::Error| {
        CommandError::new(
            ErrorKind::Output,
            format!("cannot mend {}: {}", document.path, chain(error)),
        )
    };
    let text = splice(&document.source, &edits).map_err(|error| cannot(&error))?;
    let path = RootPath::new(&document.path).map_err(|error| cannot(&error))?;
    root.replace(&path, text.as_bytes())
        .map_err(|error| cannot(&error))?;
    Ok(count)
}

/// The edits of the fixes that do not reach into each other, and how many
/// fixes these are.
fn disjoint(mut fixes: Vec<&Fix>) -> (Vec<Edit>, usize) {
    let start = |fix: &Fix| fix.edits.iter().map(|edit| edit.span.start).min();
    let end = |fix: &Fix| fix.edits.iter().map(|edit| edit.span.end).max();
    fixes.sort_by_key(|fix| start(fix));
    let (mut edits, mut count, mut taken) = (Vec::new(), 0, None);
    for fix in fixes {
        let begins_after = start(fix) > taken;
        if begins_after {
            taken = end(fix);
            count += 1;
            edits.extend(fix.edits.iter().map(|edit| Edit {
                span: edit.span,
                text: edit.text.clone(),
            }));
        }
    }
    (edits, count)
}

#[cfg(test)]
mod tests {
    use review_document::Span;
    use review_lint::Replacement;

    use super::*;

    fn fix(edits: &[(usize, usize)]) -> Fix {
        Fix {
            safety: Safety::Safe,
            edits: edits
                .iter()
                .map(|(start, end)| Replacement {
                    span: Span::new(*start, *end),
                    text: String::new(),
                })
                .collect(),
        }
    }

    #[test]
    fn fixes_that_meet_wait_for_the_next_round() {
        let fixes = [
            fix(&[(20, 30)]),
            fix(&[(0, 4), (10, 12)]),
            fix(&[(6, 8)]),
            fix(&[(12, 14)]),
            fix(&[(13, 15)]),
            fix(&[]),
        ];
        let (edits, count) = disjoint(fixes.iter().collect());
        let spans: Vec<_> = edits
            .iter()
            .map(|edit| (edit.span.start, edit.span.end))
            .collect();
        assert_eq!(
            (spans, count),
            (vec![(0, 4), (10, 12), (13, 15), (20, 30)], 3)
        );
    }
}
