//! What `lint` found, for people.

use std::path::Path;

use review_lint::{NothingChecked, Safety, Severity};
use review_types::{Verdict, plural};

use super::report::{LintFinding, LintReport};
use crate::next::{NextStep, next_steps};
use crate::path::shown;
use crate::points::lost_points;
use crate::source::{NoteLevel, SourceNote};
use crate::style::{ERROR, GOOD, RESET, Styling, WARNING};
use crate::text::printable;

/// Every finding with its lines, then their number, the scores and the verdict. Paths
/// are shown as seen from `folder`.
#[must_use]
pub fn human(report: &LintReport<'_>, folder: &Path, styling: Styling) -> String {
    styling.apply(notes(report, folder) + &summary(report))
}

/// Every finding with its lines, then their number and nothing else.
#[must_use]
pub fn brief(report: &LintReport<'_>, folder: &Path, styling: Styling) -> String {
    styling.apply(notes(report, folder) + &counted(report))
}

fn notes(report: &LintReport<'_>, folder: &Path) -> String {
    let notes = report.findings.iter();
    notes
        .map(|found| note(found, folder).render() + "\n")
        .collect()
}

fn note(found: &LintFinding<'_>, folder: &Path) -> SourceNote {
    let LintFinding {
        finding, documents, ..
    } = found;
    let level = match finding.severity {
        Severity::Error => NoteLevel::Error,
        Severity::Warning => NoteLevel::Warning,
        Severity::Info => NoteLevel::Info,
    };
    let place = (finding.position.line, finding.span.range());
    let note = SourceNote::new(
        level,
        &finding.message,
        shown(folder, &documents.file(&finding.path)),
        documents.text(&finding.path),
        place,
    )
    .code(finding.rule.code())
    .help(&finding.suggestion);
    match found.cost {
        0 => note,
        points => {
            let points = plural(points.into(), "point", "points");
            note.note(format!("costs {points} of {}", finding.criterion()))
        }
    }
}

fn summary(report: &LintReport<'_>) -> String {
    let mut text = counted(report);
    text.push_str(&fixable(report));
    text.push_str(&suppressed(report));
    for invalid in report.invalid_suppressions {
        let (path, line) = (printable(&invalid.path), invalid.line);
        text.push_str(&format!("{path}:{line}: {}\n", printable(&invalid.message)));
    }
    for (name, score) in report.scores.iter() {
        let line = format!(
            "  {name} {score}  {}",
            lost_points(name.as_str(), &report.deductions)
        );
        text.push_str(&format!("{}\n", line.trim_end()));
    }
    text.push_str(&match report.verdict {
        Some(Verdict::Pass) => format!("{GOOD}pass{RESET}, says the embedded reviewer\n"),
        Some(Verdict::NeedsRevision) => {
            format!("{WARNING}needs_revision{RESET}, says the embedded reviewer\n")
        }
        None => format!("{ERROR}no verdict{RESET}: {NothingChecked}\n"),
    });
    text + &next_steps(next(report).as_slice(), None)
}

/// The step that explains the worst finding.
fn next(report: &LintReport<'_>) -> Option<NextStep> {
    let findings = report.findings.iter().map(|found| found.finding);
    let worst = findings.max_by_key(|finding| finding.severity)?;
    let explain = format!("ralph explain {}", worst.rule);
    Some(NextStep::by_command("see what the rule means", explain))
}

/// `3 findings left, 1 fixed: 2 errors, 1 warning` and the like.
fn counted(report: &LintReport<'_>) -> String {
    let count = report.findings.len();
    let mut text = plural(count, "finding", "findings");
    if report.fixed > 0 {
        text.push_str(&format!(" left, {} fixed", report.fixed));
    }
    if count > 0 {
        let errors = plural(report.count(Severity::Error), "error", "errors");
        let warnings = plural(report.count(Severity::Warning), "warning", "warnings");
        text.push_str(&format!(": {errors}, {warnings}"));
    }
    text.push('\n');
    text
}

fn fixable(report: &LintReport<'_>) -> String {
    let (safe, with_unsafe) = (report.fixable(Safety::Safe), report.fixable(Safety::Unsafe));
    let mut text = String::new();
    if safe > 0 {
        text.push_str(&format!("{safe} can be fixed with --fix\n"));
    }
    if with_unsafe > 0 {
        let further = if safe > 0 { " more" } else { "" };
        text.push_str(&format!(
            "{with_unsafe}{further} can be fixed with --fix --unsafe-fixes\n"
        ));
    }
    text
}

/// How many findings comments silence, rule by rule.
fn suppressed(report: &LintReport<'_>) -> String {
    let by_rule = &report.suppressed;
    if by_rule.is_empty() {
        return String::new();
    }
    let count = plural(by_rule.values().sum(), "finding", "findings");
    let rules: Vec<_> = by_rule
        .iter()
        .map(|(rule, count)| format!("{rule} {count}"))
        .collect();
    format!("{count} suppressed by comments: {}\n", rules.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_there_only_where_they_are_asked_for() {
        let report = LintReport {
            verdict: Some(Verdict::Pass),
            fixed: 2,
            ..LintReport::default()
        };
        let text = |styling| human(&report, Path::new("/"), styling);
        assert_eq!(
            text(Styling::Plain),
            "0 findings left, 2 fixed\npass, says the embedded reviewer\n"
        );
        assert_eq!(
            text(Styling::Ansi),
            format!("0 findings left, 2 fixed\n{GOOD}pass{RESET}, says the embedded reviewer\n")
        );
    }
}
