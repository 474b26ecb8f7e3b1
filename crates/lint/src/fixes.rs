//! Application of fixes to documents.

use std::collections::BTreeMap;

use review_document::{Edit, Span, apply};

use crate::{Finding, FindingId, Safety};

/// Documents with fixes applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed<'a> {
    /// The new content of the files that change, by path.
    pub texts: BTreeMap<&'a str, String>,
    /// The findings whose fixes were applied.
    pub applied: Vec<FindingId>,
}

/// Applies the fixes of `findings` to the `sources` of files: the safe ones, and with
/// `up_to` unsafe also the unsafe ones.
///
/// A fix is applied completely or not at all. One that overlaps an earlier one, or does
/// not match the sources, is left for the next pass. Lint the result again
/// to see the remaining findings.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use review_document::workspace::{Document, DocumentRole, Workspace};
/// use review_lint::{Safety, Settings, fixed, lint};
///
/// let text = "# Cache\n\n```sh\nls\n";
/// let workspace = Workspace {
///     documents: vec![Document::parse("specs/CACHE.md", DocumentRole::Spec, text)],
///     ..Workspace::default()
/// };
/// let report = lint(&workspace, &Settings::default());
/// let sources = BTreeMap::from([("specs/CACHE.md", text)]);
/// let fixed = fixed(&sources, report.findings(), Safety::Safe);
/// assert_eq!(fixed.texts["specs/CACHE.md"], "# Cache\n\n```sh\nls\n```\n");
/// ```
#[must_use]
pub fn fixed<'s, 'a>(
    sources: &BTreeMap<&'s str, &str>,
    findings: impl IntoIterator<Item = &'a Finding>,
    up_to: Safety,
) -> Fixed<'s> {
    let mut files = Files {
        sources,
        changed: BTreeMap::new(),
    };
    let mut applied = Vec::new();
    for finding in findings {
        let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safety <= up_to) else {
            continue;
        };
        if files.take(&finding.path, &fix.edits) {
            applied.push(finding.id.clone());
        }
    }
    let changed = files.changed.into_iter();
    let changed = changed.filter(|(_, file)| !file.edits.is_empty());
    let texts = changed.map(|(path, file)| {
        let text = apply(sources[path], &file.edits)?;
        Ok((path, text))
    });
    match texts.collect::<Result<_, review_document::EditError>>() {
        Ok(texts) => Fixed { texts, applied },
        Err(_) => Fixed::default(),
    }
}

/// Files and the edits collected so far.
struct Files<'f, 's, 't> {
    sources: &'f BTreeMap<&'s str, &'t str>,
    changed: BTreeMap<&'s str, Changed>,
}

#[derive(Default)]
struct Changed {
    taken: Taken,
    edits: Vec<Edit>,
}

impl Files<'_, '_, '_> {
    /// Adds the edits of a fix, or none if one of them does not fit.
    fn take(&mut self, path: &str, edits: &[Edit]) -> bool {
        let Some((&path, source)) = self.sources.get_key_value(path) else {
            return false;
        };
        let fits = |edit: &Edit| edit.span.slice(source).is_some();
        let file = self.changed.entry(path).or_default();
        let is_taken = edits.iter().all(fits) && file.taken.take(edits);
        if is_taken {
            file.edits.extend_from_slice(edits);
        }
        is_taken
    }
}

/// The ranges of the fixes so far, by start; no two of them touch.
#[derive(Default)]
struct Taken(BTreeMap<usize, usize>);

impl Taken {
    /// Adds the ranges of all edits of a fix, or none if one of them touches an earlier
    /// range.
    fn take(&mut self, edits: &[Edit]) -> bool {
        for (index, Edit { span, .. }) in edits.iter().enumerate() {
            if self.touches(*span) {
                self.release(&edits[..index]);
                return false;
            }
            self.0.insert(span.start, span.end);
        }
        true
    }

    fn release(&mut self, edits: &[Edit]) {
        for edit in edits {
            self.0.remove(&edit.span.start);
        }
    }

    /// Among ranges that do not touch, the last one that starts before the end of
    /// `span` reaches furthest.
    fn touches(&self, span: Span) -> bool {
        let before = self.0.range(..=span.end).next_back();
        before.is_some_and(|(_, &end)| span.start <= end)
    }
}

#[cfg(test)]
mod tests {
    use review_document::Position;
    use review_document::workspace::{Document, DocumentRole, Workspace};

    use super::*;
    use crate::finding::Ids;
    use crate::{Fix, Rule, Settings, Severity, lint};

    /// The content of `a.md` with fixes applied, and their findings.
    fn alone<'a>(
        text: &str,
        findings: impl IntoIterator<Item = &'a Finding>,
        up_to: Safety,
    ) -> (String, Vec<FindingId>) {
        let mut done = fixed(&BTreeMap::from([("a.md", text)]), findings, up_to);
        let text = done.texts.remove("a.md").unwrap_or(text.to_owned());
        (text, done.applied)
    }

    fn finding(id: u32, safety: Safety, span: Span, text: &str) -> Finding {
        let heading = review_document::markdown::HeadingPath::default();
        Finding {
            id: Ids::default().next(Rule::UnclosedFence, "a.md", &heading, &id.to_string()),
            rule: Rule::UnclosedFence,
            severity: Severity::Error,
            path: "a.md".to_owned(),
            span,
            position: Position::default(),
            end_line: 1,
            heading,
            message: String::new(),
            suggestion: String::new(),
            fix: Some(Fix::one(safety, span, text)),
        }
    }

    #[test]
    fn unsafe_fixes_are_applied_only_on_request() {
        let findings = [
            finding(0, Safety::Safe, Span::new(0, 1), "A"),
            finding(1, Safety::Unsafe, Span::new(2, 3), "C"),
        ];
        let (text, applied) = alone("abc", &findings, Safety::Safe);
        assert_eq!(text, "Abc");
        assert_eq!(applied, [findings[0].id.clone()]);
        assert_eq!(alone("abc", &findings, Safety::Unsafe).0, "AbC");
    }

    #[test]
    fn an_overlapping_or_mismatched_fix_is_not_applied() {
        let findings = [
            finding(0, Safety::Safe, Span::new(0, 2), "x"),
            finding(1, Safety::Safe, Span::new(2, 3), "y"),
            finding(2, Safety::Safe, Span::new(3, 9), "z"),
        ];
        let (text, applied) = alone("abcd", &findings, Safety::Safe);
        assert_eq!((text.as_str(), applied.len()), ("xcd", 1));
    }

    #[test]
    fn a_fix_with_several_edits_is_applied_completely_or_not_at_all() {
        let mut both = finding(1, Safety::Safe, Span::new(4, 5), "E");
        let edits = &mut both.fix.as_mut().unwrap().edits;
        edits.push(Edit {
            span: Span::new(0, 1),
            text: "A".to_owned(),
        });
        let first = finding(0, Safety::Safe, Span::new(1, 2), "B");
        let last = finding(2, Safety::Safe, Span::new(5, 6), "F");
        let (text, applied) = alone("abcdef", [&first, &both, &last], Safety::Safe);
        assert_eq!(text, "aBcdeF");
        assert_eq!(applied, [first.id, last.id]);
        assert_eq!(alone("abcdef", [&both], Safety::Safe).0, "AbcdEf");
        let twice = both.fix.as_mut().unwrap();
        twice.edits[1].span = Span::new(3, 4);
        assert_eq!(alone("abcdef", [&both], Safety::Safe).1, []);
    }

    #[test]
    fn a_fixed_document_has_fewer_findings() {
        let text = "# A\n\n```go\nx\n";
        let workspace = |text: &str| Workspace {
            documents: vec![Document::parse("a.md", DocumentRole::Spec, text)],
            ..Workspace::default()
        };
        let before = lint(&workspace(text), &Settings::default());
        let (done, _) = alone(text, before.findings(), Safety::Safe);
        assert_eq!(done, "# A\n\n```go\nx\n```\n");
        assert_eq!(lint(&workspace(&done), &Settings::default()).findings(), []);
    }
}
