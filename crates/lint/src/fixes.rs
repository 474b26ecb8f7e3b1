//! Applying fixes to the text of a document.

use std::collections::BTreeMap;

use review_document::{Edit, Span, apply};

use crate::{Finding, FindingId, Safety};

/// A text with fixes applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// The findings whose fixes it has.
    pub applied: Vec<FindingId>,
}

/// Applies the fixes of `findings`, all of one document, to its `source`: the
/// safe ones, and with `up_to` unsafe those as well.
///
/// A fix that meets one before it is left for the next time, as is one that
/// the source does not fit. The result is linted again: only then is it known
/// what is left.
#[must_use]
pub fn fixed<'a>(
    source: &str,
    findings: impl IntoIterator<Item = &'a Finding>,
    up_to: Safety,
) -> Fixed {
    let mut taken = Taken::default();
    let mut edits: Vec<Edit> = Vec::new();
    let mut applied = Vec::new();
    for finding in findings {
        let Some(fix) = &finding.fix else { continue };
        let allowed = fix.safety == Safety::Safe || up_to == Safety::Unsafe;
        let fits = |edit: &Edit| edit.span.slice(source).is_some();
        if allowed && fix.edits.iter().all(fits) && taken.take(&fix.edits) {
            edits.extend(fix.edits.iter().cloned());
            applied.push(finding.id.clone());
        }
    }
    match apply(source, &edits) {
        Ok(text) => Fixed { text, applied },
        Err(_) => Fixed {
            text: source.to_owned(),
            applied: Vec::new(),
        },
    }
}

/// The ranges of the fixes so far, by their start: no two of them touch.
#[derive(Default)]
struct Taken(BTreeMap<usize, usize>);

impl Taken {
    /// Takes the ranges of all edits of a fix, or of none when one of them
    /// touches a range that is taken.
    fn take(&mut self, edits: &[Edit]) -> bool {
        for (index, Edit { span, .. }) in edits.iter().enumerate() {
            if self.touches(*span) {
                for edit in &edits[..index] {
                    self.0.remove(&edit.span.start);
                }
                return false;
            }
            self.0.insert(span.start, span.end);
        }
        true
    }

    /// Of ranges that do not touch, the last one that begins before the end
    /// of `span` reaches furthest.
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
    fn unsafe_fixes_are_applied_only_when_asked_for() {
        let findings = [
            finding(0, Safety::Safe, Span::new(0, 1), "A"),
            finding(1, Safety::Unsafe, Span::new(2, 3), "C"),
        ];
        let safe = fixed("abc", &findings, Safety::Safe);
        assert_eq!(safe.text, "Abc");
        assert_eq!(safe.applied, [findings[0].id.clone()]);
        assert_eq!(fixed("abc", &findings, Safety::Unsafe).text, "AbC");
    }

    #[test]
    fn a_fix_that_meets_another_or_leaves_the_text_waits() {
        let findings = [
            finding(0, Safety::Safe, Span::new(0, 2), "x"),
            finding(1, Safety::Safe, Span::new(2, 3), "y"),
            finding(2, Safety::Safe, Span::new(3, 9), "z"),
        ];
        let done = fixed("abcd", &findings, Safety::Safe);
        assert_eq!((done.text.as_str(), done.applied.len()), ("xcd", 1));
    }

    #[test]
    fn a_fix_of_several_edits_is_applied_whole_or_not_at_all() {
        let mut both = finding(1, Safety::Safe, Span::new(4, 5), "E");
        let edits = &mut both.fix.as_mut().unwrap().edits;
        edits.push(Edit {
            span: Span::new(0, 1),
            text: "A".to_owned(),
        });
        let first = finding(0, Safety::Safe, Span::new(1, 2), "B");
        let last = finding(2, Safety::Safe, Span::new(5, 6), "F");
        let done = fixed("abcdef", [&first, &both, &last], Safety::Safe);
        assert_eq!(done.text, "aBcdeF");
        assert_eq!(done.applied, [first.id, last.id]);
        assert_eq!(fixed("abcdef", [&both], Safety::Safe).text, "AbcdEf");
        let twice = both.fix.as_mut().unwrap();
        twice.edits[1].span = Span::new(3, 4);
        assert_eq!(fixed("abcdef", [&both], Safety::Safe).applied, []);
    }

    #[test]
    fn a_fixed_document_has_fewer_findings() {
        let text = "# A\n\n```go\nx\n";
        let workspace = |text: &str| Workspace {
            documents: vec![Document::parse("a.md", DocumentRole::Spec, text)],
            ..Workspace::default()
        };
        let before = lint(&workspace(text), &Settings::default());
        let done = fixed(text, before.findings(), Safety::Safe);
        assert_eq!(done.text, "# A\n\n```go\nx\n```\n");
        assert_eq!(
            lint(&workspace(&done.text), &Settings::default()).findings(),
            []
        );
    }
}
