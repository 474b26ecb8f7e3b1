//! What `lint` found, for people.

use std::path::Path;

use review_lint::{Finding, NothingChecked, Safety, Severity};
use review_types::{Verdict, plural};

use super::checked::{Checked, Part};
use crate::location::shown;
use crate::output::style::{ERROR, GOOD, RESET, WARNING};
use crate::output::{NoteLevel, SourceNote, printable};

/// Every finding with its lines, then what they come to. Paths are shown as
/// seen from `folder`.
pub(super) fn render(checked: &Checked, folder: &Path) -> String {
    let mut text = String::new();
    for (part, finding) in checked.located() {
        text.push_str(&note(part, finding, folder).render());
        text.push('\n');
    }
    text.push_str(&summary(checked));
    text
}

fn note(part: &Part, finding: &Finding, folder: &Path) -> SourceNote {
    let level = match finding.severity {
        Severity::Error => NoteLevel::Error,
        Severity::Warning => NoteLevel::Warning,
        Severity::Info => NoteLevel::Info,
    };
    let place = (finding.position.line, finding.span.range());
    let note = SourceNote::new(
        level,
        &finding.message,
        shown(folder, &part.file(&finding.path)),
        part.source(&finding.path),
        place,
    )
    .code(finding.rule.code())
    .help(&finding.suggestion);
    match part.cost(finding) {
        0 => note,
        points => {
            let points = plural(points.into(), "point", "points");
            note.note(format!("costs {points} of {}", finding.criterion()))
        }
    }
}

fn summary(checked: &Checked) -> String {
    let mut text = counted(checked);
    text.push_str(&fixable(checked));
    text.push_str(&suppressed(checked));
    for idle in checked.idle_suppressions() {
        let (path, line) = (printable(&idle.path), idle.line);
        text.push_str(&format!("{path}:{line}: {}\n", printable(&idle.message)));
    }
    for (name, score) in checked.scores().iter() {
        text.push_str(&format!("  {name} {score}\n"));
    }
    text.push_str(&match checked.verdict() {
        Some(Verdict::Pass) => format!("{GOOD}pass{RESET}, says the embedded reviewer\n"),
        Some(Verdict::NeedsRevision) => {
            format!("{WARNING}needs_revision{RESET}, says the embedded reviewer\n")
        }
        None => format!("{ERROR}no verdict{RESET}: {NothingChecked}\n"),
    });
    if let Some(next) = next(checked) {
        text.push_str(&format!("Next: {next}\n"));
    }
    text
}

/// The command to run next, if there is anything left to do.
fn next(checked: &Checked) -> Option<String> {
    let worst = checked.findings().max_by_key(|finding| finding.severity);
    match (worst, checked.verdict()) {
        (Some(worst), _) => Some(format!("ralph explain {}", worst.rule)),
        // Rules that are on look at any Markdown.
        (None, None) if checked.has_markdown() => Some("ralph config show".to_owned()),
        (None, None) => Some("ralph lint".to_owned()),
        (None, Some(Verdict::Pass | Verdict::NeedsRevision)) => None,
    }
}

/// `3 findings left, 1 fixed: 2 errors, 1 warning` and the like.
fn counted(checked: &Checked) -> String {
    let count = checked.findings().count();
    let mut text = plural(count, "finding", "findings");
    if checked.fixed > 0 {
        text.push_str(&format!(" left, {} fixed", checked.fixed));
    }
    if count > 0 {
        let errors = plural(checked.count(Severity::Error), "error", "errors");
        let warnings = plural(checked.count(Severity::Warning), "warning", "warnings");
        text.push_str(&format!(": {errors}, {warnings}"));
    }
    text.push('\n');
    text
}

fn fixable(checked: &Checked) -> String {
    let (safe, with_unsafe) = (
        checked.fixable(Safety::Safe),
        checked.fixable(Safety::Unsafe),
    );
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
fn suppressed(checked: &Checked) -> String {
    let by_rule = checked.suppressed();
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
