//! The changes that are safe without being understood.

use std::collections::BTreeMap;

use review_document::workspace::{Document, Workspace};
use review_document::{Edit, Span, Unit, apply};
use review_lint::{Fix, Report, Safety, Settings, Severity, lint};
use review_store::{ConfineError, Reader, Root, RootPath};

/// A file as fixes make it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) path: String,
    before: String,
    after: String,
    /// How many findings are mended.
    pub(super) findings: usize,
}

/// Why a file was not rewritten.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error("{0} was changed by somebody else meanwhile, so it was left alone")]
    Changed(String),
    #[error(transparent)]
    Confine(#[from] ConfineError),
}

impl Fixed {
    /// Rewrites the file below `root`, if it is still as it was.
    pub(super) fn write(&self, root: &Root) -> Result<(), WriteError> {
        if Reader::new(root).read(&self.path)? != self.before.as_bytes() {
            return Err(WriteError::Changed(self.path.clone()));
        }
        let path = RootPath::new(&self.path)?;
        Ok(root.replace(&path, self.after.as_bytes())?)
    }
}

/// The files that safe fixes change. They change nothing unless the rules then
/// find less, so that no two fixes can chase each other through the rounds.
pub(super) fn safe_fixes(workspace: Workspace, settings: &Settings) -> Vec<Fixed> {
    let before = lint(&workspace, settings);
    let documents = workspace.documents.iter();
    let fixed: Vec<_> = documents
        .filter_map(|document| fixed(document, &before))
        .collect();
    if fixed.is_empty() {
        return fixed;
    }
    let after = lint(&with(workspace, &fixed), settings);
    if is_better(&after, &before) {
        fixed
    } else {
        Vec::new()
    }
}

/// A file that is not UTF-8 throughout is known only up to its first bad byte,
/// so it is left alone.
fn fixed(document: &Document, report: &Report) -> Option<Fixed> {
    if document.invalid_at.is_some() {
        return None;
    }
    let findings = report.findings().iter();
    let fixes = findings
        .filter(|finding| finding.path == document.path)
        .filter_map(|finding| finding.fix.as_ref())
        .filter(|fix| fix.safety == Safety::Safe);
    let (after, findings) = splice(&document.source, fixes)?;
    (after != document.source).then(|| Fixed {
        path: document.path.clone(),
        before: document.source.clone(),
        after,
        findings,
    })
}

/// Applies each fix that meets none before it, as a whole, and counts them.
/// The others can still be made in a later round.
fn splice<'a>(source: &str, fixes: impl IntoIterator<Item = &'a Fix>) -> Option<(String, usize)> {
    let (mut taken, mut edits, mut count) = (Taken::default(), Vec::new(), 0);
    for fix in fixes.into_iter().filter(|fix| taken.take(fix)) {
        count += 1;
        edits.extend(fix.edits.iter().map(|edit| Edit {
            span: edit.span,
            text: edit.text.clone(),
        }));
    }
    // No ranges meet, so an error is a rule that names bytes that are not
    // there: nothing it says of this file can be trusted.
    let text = apply(source, &edits).ok()?;
    Some((text, count))
}

/// The ranges that fixes have taken, none of which meet: starts with ends.
#[derive(Default)]
struct Taken(BTreeMap<usize, usize>);

impl Taken {
    /// Takes all ranges of a fix, or none when one of them is not free.
    fn take(&mut self, fix: &Fix) -> bool {
        for (index, edit) in fix.edits.iter().enumerate() {
            if !self.is_free(edit.span) {
                for edit in &fix.edits[..index] {
                    self.0.remove(&edit.span.start);
                }
                return false;
            }
            self.0.insert(edit.span.start, edit.span.end);
        }
        true
    }

    fn is_free(&self, span: Span) -> bool {
        let before = self.0.range(..=span.end).next_back();
        before.is_none_or(|(_, &end)| end < span.start)
    }
}

/// The workspace with these files in it.
fn with(workspace: Workspace, fixed: &[Fixed]) -> Workspace {
    let documents: Vec<_> = workspace
        .documents
        .into_iter()
        .map(
            |old| match fixed.iter().find(|file| file.path == old.path) {
                Some(file) => Document::parse(old.path, old.role, &file.after),
                None => old,
            },
        )
        .collect();
    let unit = workspace.unit.map(|unit| {
        let files = documents.iter().map(|file| (&file.path, &file.source));
        Unit {
            spec: unit.spec,
            ..Unit::load(unit.id, unit.dir, files)
        }
    });
    Workspace {
        documents,
        unit,
        ..workspace
    }
}

/// Whether less is found, the gravest first, and no score falls.
fn is_better(after: &Report, before: &Report) -> bool {
    let falls = |(name, score): (&review_types::CriterionName, _)| {
        after.scores().get(name.as_str()) < Some(score)
    };
    found(after) < found(before) && !before.scores().iter().any(falls)
}

fn found(report: &Report) -> [usize; 3] {
    [Severity::Error, Severity::Warning, Severity::Info].map(|severity| {
        let findings = report.findings().iter();
        findings
            .filter(|finding| finding.severity == severity)
            .count()
    })
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use review_lint::Replacement;

    use super::*;

    fn fix(edits: &[(usize, usize, &str)]) -> Fix {
        let edit = |&(start, end, text): &(usize, usize, &str)| Replacement {
            span: Span::new(start, end),
            text: text.to_owned(),
        };
        Fix {
            safety: Safety::Safe,
            edits: edits.iter().map(edit).collect(),
        }
    }

    fn spliced(fixes: &[&[(usize, usize, &str)]]) -> (String, usize) {
        let fixes: Vec<_> = fixes.iter().map(|edits| fix(edits)).collect();
        splice("0123456789", &fixes).unwrap()
    }

    #[test]
    fn fixes_that_do_not_meet_are_all_made_whatever_their_order() {
        let fixes: [&[_]; 2] = [&[(5, 6, "five"), (9, 9, "!")], &[(0, 1, "zero")]];
        assert_eq!(spliced(&fixes), ("zero1234five678!9".to_owned(), 2));
    }

    #[test]
    fn a_fix_that_meets_an_earlier_one_is_left_out_as_a_whole() {
        for second in [
            (3, 4, "x"),
            (5, 7, "x"),
            (2, 8, "x"),
            (4, 4, "x"),
            (5, 5, "x"),
            (3, 3, "x"),
        ] {
            let fixes: [&[_]; 3] = [&[(3, 5, "-")], &[(0, 1, "x"), second], &[(0, 1, "a")]];
            assert_eq!(spliced(&fixes), ("a12-56789".to_owned(), 2), "{second:?}");
        }
    }

    #[test]
    fn a_fix_that_meets_itself_is_left_out() {
        assert_eq!(
            spliced(&[&[(1, 3, "x"), (3, 4, "y")]]),
            ("0123456789".to_owned(), 0)
        );
    }

    #[test]
    fn a_fix_beyond_the_text_leaves_it_alone() {
        assert_eq!(splice("short", &[fix(&[(2, 9, "x")])]), None);
    }

    #[test]
    fn a_file_that_somebody_else_changed_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let file = folder.path().join("a.md");
        let fixed = Fixed {
            path: "a.md".to_owned(),
            before: "old".to_owned(),
            after: "new".to_owned(),
            findings: 1,
        };
        std::fs::write(&file, "other").unwrap();
        let error = fixed.write(&root).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.md was changed by somebody else meanwhile, so it was left alone"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "other");
        std::fs::write(&file, "old").unwrap();
        fixed.write(&root).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }
}
