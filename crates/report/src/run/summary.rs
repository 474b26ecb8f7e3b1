//! What a run came to, for people.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use review_events::{AgentRole, BestRound};
use review_types::{FindingCounts, FindingStatus, ModelId, Outcome, SandboxKind, Scores, plural};

use super::calls::listed_calls;
use super::family::families_of_model;
use super::lane;
use super::report::RunReport;
use super::tasks::named_tasks;
use crate::next::next_steps;
use crate::style::{ERROR, FAINT, GOOD, RESET, Styling, WARNING};
use crate::text::{indented, printable};
use crate::wrap::wrapped;

/// The word for the outcome of a run, or for one that has none yet.
pub(crate) fn outcome_word(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or("running", Outcome::as_str)
}

/// The outcome in one line and why, what was found and consumed, and what to do next,
/// in lines of this width. A command to copy stays on one line.
#[must_use]
pub fn human_summary(report: &RunReport, width: Option<usize>, styling: Styling) -> String {
    let mut text = format!("\n{}", outcome_line(report));
    if let Some(best) = &report.best {
        text.push_str(&kept_round(best));
    }
    text.push_str(&shared_family(report));
    text.push_str(&lane::work(report));
    text.push_str(&counted_findings(&report.finding_counts));
    if let Some(rates) = &report.feedback {
        let _ = writeln!(text, "feedback of {}", printable(&report.reviewer));
        for line in rates.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text.push_str(&listed_calls(&report.calls));
    let facts = summary_facts(report).join(" · ");
    let _ = writeln!(text, "{FAINT}{facts}{RESET}");
    let text = wrapped(text, width) + &next_steps(&report.next, width);
    styling.apply(text)
}

/// The outcome and why, in one line.
#[must_use]
pub fn result_line(report: &RunReport, styling: Styling) -> String {
    styling.apply(outcome_line(report))
}

pub(super) fn outcome_line(report: &RunReport) -> String {
    let style = match report.outcome {
        Some(Outcome::Passed | Outcome::Approved) => GOOD,
        None | Some(Outcome::Nothing | Outcome::Interrupted) => WARNING,
        Some(
            Outcome::NotPassed
            | Outcome::NoVerdict
            | Outcome::Limit
            | Outcome::Tampered
            | Outcome::Error,
        ) => ERROR,
    };
    let word = outcome_word(report.outcome);
    let mut text = format!("{style}{word}{RESET}");
    if let Some(code) = report.block_code
        && code.as_str() != word
    {
        // Writing to a String cannot fail.
        let _ = write!(text, " ({code})");
    }
    let progress = report.progress.as_deref();
    let why = progress.unwrap_or(&report.block_reason);
    if !why.is_empty() {
        let _ = write!(text, ": {}", indented(why, "  "));
    } else if report.outcome == Some(Outcome::Nothing) {
        text.push_str(": no task to run");
    }
    text.push('\n');
    text
}

/// Which round's artifact is on disk, and why that one.
pub(crate) fn kept_round(best: &BestRound) -> String {
    let on_disk = match best.restored {
        true => "the files were restored to the best version",
        false => "the files hold the best version",
    };
    let mut text = format!(
        "{FAINT}{on_disk}, that of round {} ({}){RESET}\n",
        best.iteration, best.standing
    );
    if !best.left.is_empty() {
        let left = printable(&best.left.join(", ")).into_owned();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{WARNING}left as another process changed it{RESET}: {left}"
        );
    }
    text
}

/// The models of the last reviewer and of an author of what it reviewed, where both are of
/// one family, since these err alike; empty where they are not.
pub(crate) fn shared_family(report: &RunReport) -> String {
    let name = |model: &ModelId| model.model.clone().unwrap_or_else(|| model.backend.clone());
    let named = |role| {
        let calls = report.calls.iter().rev();
        let calls = calls.filter(move |call| call.role == role);
        calls.filter_map(|call| call.by.as_ref()).map(name)
    };
    let Some(reviewer) = named(AgentRole::Reviewer).next() else {
        return String::new();
    };
    let families = families_of_model(&reviewer);
    let authors = named(AgentRole::Applier).chain(named(AgentRole::Implementer));
    let mut shared = authors.filter_map(|author| {
        let of_author = families_of_model(&author);
        let family = families.intersection(&of_author).next()?;
        Some((author, *family))
    });
    match shared.next() {
        Some((author, family)) => printable(&format!(
            "reviewer {reviewer} and author {author} are both {family} models, which err alike\n"
        ))
        .into_owned(),
        None => String::new(),
    }
}

/// The number of findings that count, by severity and by state; empty
/// without any.
fn counted_findings(counts: &FindingCounts) -> String {
    let severities = counts.severity.iter();
    let severities: Vec<_> = severities
        .map(|(word, many)| format!("{many} {word}"))
        .collect();
    let severities = match severities.as_slice() {
        [] => String::new(),
        all => format!("not fixed: {}", all.join(", ")),
    };
    let statuses = counts.status.iter();
    let statuses = statuses.flat_map(|(word, many)| {
        let dropped = match word {
            FindingStatus::Fixed => counts.dropped,
            _ => 0,
        };
        let kept = many.saturating_sub(dropped);
        let kept = (kept > 0).then(|| format!("{kept} {word}"));
        let dropped = (dropped > 0).then(|| format!("{dropped} rejected and not raised again"));
        kept.into_iter().chain(dropped)
    });
    let statuses: Vec<_> = statuses.collect();
    let mut parts = vec![severities, statuses.join(", ")];
    parts.retain(|part| !part.is_empty());
    match counts.is_empty() {
        true => String::new(),
        false => format!("{FAINT}findings: {}{RESET}\n", parts.join("; ")),
    }
}

/// Who reviewed, how much was done and in what, and what it consumed, as printable text.
pub(crate) fn summary_facts(report: &RunReport) -> Vec<String> {
    let mut facts = vec![format!("reviewer {}", printable(&report.reviewer))];
    let learned = report
        .prompts
        .iter()
        .filter(|prompt| prompt.version > NonZeroU32::MIN);
    facts.extend(
        learned.map(|prompt| format!("{} prompt v{}", prompt.role.as_str(), prompt.version)),
    );
    if !report.iterations.is_empty() {
        facts.push(plural(report.iterations.len(), "round", "rounds"));
    }
    if report.passed() && report.score.as_ref().is_some_and(Scores::is_empty) {
        facts.push("passed without scores".to_owned());
    }
    if !report.tasks.is_empty() {
        let passed = report
            .tasks
            .iter()
            .filter(|task| task.status.meets_dependency())
            .count();
        let all = plural(report.tasks.len(), "task", "tasks");
        facts.push(format!("{passed} of {all} passed"));
    }
    if !report.not_selected.is_empty() {
        facts.push(format!(
            "{} not selected",
            named_tasks(&report.not_selected)
        ));
    }
    if let Some(opened) = &report.sandbox {
        facts.push(match opened.sandbox {
            SandboxKind::Unsandboxed => opened.sandbox.to_string(),
            kind => format!("sandbox {kind}"),
        });
    }
    if let Some(usage) = &report.usage {
        facts.push(usage.words());
    }
    if let Some(run) = &report.run {
        facts.push(format!("run {}", run.short()));
    }
    facts
}

#[cfg(test)]
mod tests {
    use review_types::Severity;

    use super::*;

    #[test]
    fn findings_are_counted_by_severity_and_status() {
        let mut counts = FindingCounts::default();
        assert_eq!(counted_findings(&counts), "");
        counts.status = [(FindingStatus::Fixed, 2)].into();
        let line = |words: &str| format!("{FAINT}findings: {words}{RESET}\n");
        assert_eq!(counted_findings(&counts), line("2 fixed"));
        counts.status.insert(FindingStatus::Open, 3);
        counts.severity = [(Severity::Major, 2), (Severity::Critical, 1)].into();
        let words = "not fixed: 1 critical, 2 major; 3 open, 2 fixed";
        assert_eq!(counted_findings(&counts), line(words));
        counts.dropped = 1;
        let words =
            "not fixed: 1 critical, 2 major; 3 open, 1 fixed, 1 rejected and not raised again";
        assert_eq!(counted_findings(&counts), line(words));
        counts.dropped = 2;
        let words = "not fixed: 1 critical, 2 major; 3 open, 2 rejected and not raised again";
        assert_eq!(counted_findings(&counts), line(words));
    }
}
