//! Applying fixes to the text of a document.

use review_document::{Edit, apply};

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
    let mut edits: Vec<Edit> = Vec::new();
    let mut applied = Vec::new();
    for finding in findings {
        let Some(fix) = &finding.fix else { continue };
        let allowed = fix.safety == Safety::Safe || up_to == Safety::Unsafe;
        let meets = |edit: &Edit| {
            let touches = |other: &Edit| {
                edit.span.start <= other.span.end && other.span.start <= edit.span.end
            };
            edits.iter().any(touches)
        };
        let fits = |edit: &Edit| edit.span.slice(source).is_some();
        if allowed && fix.edits.iter().all(|edit| fits(edit) && !meets(edit)) {
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

#[cfg(test)]
mod tests {
    use review_document::workspace::{Document, DocumentRole, Workspace};
    use review_document::{Position, Span};

    use super::*;
    use crate::{Fix, Rule, Settings, Severity, lint};

    fn finding(id: u32, safety: Safety, span: Span, text: &str) -> Finding {
        let heading = review_document::markdown::HeadingPath::default();
        Finding {
            id: FindingId::new(Rule::UnclosedFence, "a.md", &heading, "", id),
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
