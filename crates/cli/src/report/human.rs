//! A run as a person reads it: a few lines for each thing that happens, and a
//! summary at the end.

use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::time::Duration;

use review::events::{
    ArtifactUndone, BestRound, CheckReport, Event, RepeatedIssue, ReviewIteration, TaskFinished,
    TaskState,
};
use review_document::write_duration;
use review_report::listed_tests;
use review_store::FileBlobs;
use review_types::{FindingCounts, Outcome, ReviewFeedback, Scores, Verdict, plural};

use super::decisions::{render_decisions, render_unacknowledged};
use super::{RunReport, tasks};
use crate::output::printable;
use crate::output::style::{ERROR, FAINT, GOOD, HINT, RESET, STRONG, WARNING};

/// What one event says; empty when it says nothing to a person.
pub(crate) fn render_event(event: &Event) -> String {
    match event {
        Event::ReviewStarted(started) => {
            let (name, path) = (&started.feature, &started.prd_path);
            format!("{STRONG}review{RESET} {name} {FAINT}({path}){RESET}\n")
        }
        Event::ReviewIteration(round) => render_round(round),
        Event::ReviewFeedback(given) => {
            let items = plural(given.feedback.len(), "item", "items");
            format!("  {FAINT}applying {items} of feedback{RESET}\n")
        }
        Event::FeedbackUnacknowledged(told) => render_unacknowledged(&told.difference),
        Event::FeedbackDecided(decided) => render_decisions(decided),
        Event::ReviewApproved(approved) => {
            format!("  {GOOD}approved{RESET} by {}\n", printable(&approved.by))
        }
        Event::RepeatedIssue(RepeatedIssue { finding, .. }) => format!(
            "  {WARNING}{} comes back again and again{RESET}: {}\n",
            finding.id,
            printable(&finding.issue)
        ),
        Event::ReviewMalformed(malformed) => format!(
            "  {WARNING}malformed{RESET} answer {}: {}\n",
            malformed.retry_number,
            printable(&malformed.parse_error)
        ),
        Event::ReviewerFailed(failed) => format!(
            "  {ERROR}{}{RESET} {}\n",
            failed.error.failure.as_str(),
            indented(&failed.error.message, "    ").trim_start()
        ),
        Event::AnswerRepaired(repaired) => {
            let repairs = plural(repaired.repairs as usize, "repair", "repairs");
            format!("  {FAINT}the answer was read after {repairs}{RESET}\n")
        }
        Event::CallRetried(retried) => format!(
            "  {FAINT}the {} gave nothing: {}; asked again{}{RESET}\n",
            retried.role.as_str(),
            printable(&retried.error.message),
            match retried.pause_ms {
                0 => String::new(),
                pause => format!(" in {}", write_duration(Duration::from_millis(pause))),
            }
        ),
        Event::ReviewerReplaced(replaced) => format!(
            "  {FAINT}the reviewer gave no answer: {}; {} is asked instead{RESET}\n",
            printable(&replaced.error.message),
            printable(&replaced.by)
        ),
        Event::ArtifactUndone(undone) => render_undone(undone),
        Event::PassOverruled(overruled) => overruled_pass(overruled.facts as usize),
        Event::PassContradicted(pass) => {
            let item = pass.item.saturating_add(1);
            let what = format!(
                "the reviewer says pass and calls item {item} {}",
                pass.severity
            );
            match pass.asked_again {
                true => format!("  {WARNING}asked again{RESET} {what}\n"),
                false => {
                    format!("  {WARNING}not a pass{RESET} {what}: read as needs_revision\n")
                }
            }
        }
        Event::FindingsJoined(joined) if joined.below_fail_level > 0 => {
            let findings = plural(
                joined.below_fail_level as usize,
                "finding is below review.fail_level and asks",
                "findings are below review.fail_level and ask",
            );
            format!("  {FAINT}{findings} for no revision{RESET}\n")
        }
        Event::TaskFinished(task) => render_task(task),
        Event::TaskSkipped(task) => task_line(
            task.task.get(),
            &task.title,
            TaskState::Skipped,
            &tasks::waits_for(&task.because_of),
        ),
        Event::TaskStatusWritten(written) => format!(
            "    {FAINT}{} is now {}{RESET}\n",
            printable(&written.path),
            written.status
        ),
        Event::TaskStatusKept(kept) => format!(
            "    {WARNING}warning{RESET} not set to {}: {}\n",
            kept.status,
            indented(&kept.reason, "    ")
        ),
        Event::RunResumed(resumed) => {
            let changed = match resumed.artifact_changed {
                true => ", the artifact has changed",
                false => "",
            };
            format!(
                "{STRONG}resumed{RESET}, resume {} of this run{changed}\n",
                resumed.resume
            )
        }
        _ => String::new(),
    }
}

fn render_round(round: &ReviewIteration) -> String {
    let style = match round.verdict {
        Verdict::Pass => GOOD,
        Verdict::NeedsRevision => WARNING,
    };
    let mut text = format!(
        "  round {}  {style}{}{RESET}  {}\n",
        round.iteration,
        round.verdict,
        render_scores(&round.scores)
    );
    if let Some(check) = &round.check {
        text.push_str(&render_check(check));
    }
    for item in &round.feedback {
        text.push_str(&render_item(item));
    }
    if round.truncated {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {FAINT}more feedback is in the journal{RESET}");
    }
    text
}

/// Where what an applier left can be read though it was undone.
fn render_undone(undone: &ArtifactUndone) -> String {
    let round = undone.iteration;
    let mut text = format!("  {WARNING}undone{RESET} what the applier left in round {round}\n");
    for file in &undone.files {
        let (path, kept) = (printable(&file.path), FileBlobs::shown(&file.text));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "    {path}  {FAINT}kept in the state folder: {kept}{RESET}"
        );
    }
    if undone.truncated {
        let _ = writeln!(text, "    {FAINT}more files are in the journal{RESET}");
    }
    text
}

fn render_check(check: &CheckReport) -> String {
    let command = printable(&check.command);
    match &check.failure {
        None => format!("    {FAINT}{command}: {GOOD}passed{RESET}\n"),
        Some(failure) => {
            let output = printable(&check.output);
            let output = output
                .lines()
                .map(|line| format!("    {FAINT}|{RESET} {line}\n"));
            let output: String = output.collect();
            format!(
                "    {command}: {ERROR}{}{RESET}\n{output}",
                printable(failure)
            )
        }
    }
}

fn render_scores(scores: &Scores) -> String {
    let scores: Vec<_> = scores
        .iter()
        .map(|(name, score)| format!("{} {score}", printable(name.as_str())))
        .collect();
    if scores.is_empty() {
        return format!("{FAINT}without scores{RESET}");
    }
    scores.join("  ")
}

fn render_item(item: &ReviewFeedback) -> String {
    format!(
        "    {STRONG}{}{RESET}\n      {}\n      {HINT}→{RESET} {}\n",
        printable(item.section()).trim(),
        indented(item.issue(), "      ").trim(),
        indented(item.suggestion(), "        ").trim()
    )
}

fn render_task(task: &TaskFinished) -> String {
    let mut facts = Vec::new();
    match task.tests_run {
        Some(count) => facts.push(plural(
            usize::try_from(count).unwrap_or(usize::MAX),
            "test",
            "tests",
        )),
        None if task.state == TaskState::Passed => facts.push("tests not counted".to_owned()),
        None => {}
    }
    facts.extend(task.must_pass.as_ref().and_then(listed_tests));
    if task.cached {
        facts.push("unchanged, recorded earlier".to_owned());
    } else if task.took_ms > 0 {
        facts.push(seconds(task.took_ms));
    }
    if task.changed_tree {
        facts.push("changed the tree".to_owned());
    }
    if !task.reason.is_empty() {
        facts.push(task.reason.clone());
    }
    let mut text = task_line(task.task.get(), &task.title, task.state, &facts.join(", "));
    if task.state == TaskState::Passed {
        return text;
    }
    for line in printable(&task.tail).lines() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {FAINT}|{RESET} {line}");
    }
    if let Some(log) = &task.log {
        let _ = writeln!(text, "    {FAINT}log: {}{RESET}", printable(log));
    }
    text
}

fn task_line(number: u32, title: &str, state: TaskState, facts: &str) -> String {
    let style = match state {
        TaskState::Passed => GOOD,
        TaskState::Skipped | TaskState::NotRun => WARNING,
        TaskState::Failed
        | TaskState::TimedOut
        | TaskState::NoTests
        | TaskState::TestsMissing
        | TaskState::NoCommand => ERROR,
    };
    let title = printable(title);
    format!(
        "  task {number}  {style}{}{RESET}  {title}  {FAINT}{}{RESET}\n",
        state.as_str(),
        printable(facts)
    )
}

/// Milliseconds for people: minutes and seconds from one minute on, tenths of
/// a second from one second on.
fn seconds(ms: u64) -> String {
    match ms {
        60_000.. => write_duration(Duration::from_secs(ms / 1_000)),
        1_000.. => format!("{}.{}s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{ms}ms"),
    }
}

/// The text with every line after the first set off by `indent`.
fn indented(text: &str, indent: &str) -> String {
    let text = printable(text);
    let lines: Vec<_> = text.trim_end().lines().collect();
    lines.join(&format!("\n{indent}"))
}

/// The end of a report: the outcome in one line, why, and what to do next.
pub(crate) fn render_summary(report: &RunReport) -> String {
    let style = match report.outcome {
        Outcome::Passed | Outcome::Approved => GOOD,
        Outcome::Nothing | Outcome::Interrupted => WARNING,
        Outcome::NotPassed
        | Outcome::NoVerdict
        | Outcome::Limit
        | Outcome::Tampered
        | Outcome::Error => ERROR,
    };
    let mut text = format!("\n{style}{}{RESET}", report.outcome);
    if let Some(code) = report.block_code {
        // Writing to a String cannot fail.
        let _ = write!(text, " ({code})");
    }
    if !report.block_reason.is_empty() {
        let _ = write!(text, ": {}", indented(&report.block_reason, "  "));
    } else if report.outcome == Outcome::Nothing {
        text.push_str(": there is no task to run");
    }
    text.push('\n');
    if let Some(best) = &report.best {
        text.push_str(&kept_round(best));
    }
    text.push_str(&counted_findings(&report.finding_counts));
    if let Some(rates) = &report.feedback {
        let _ = writeln!(text, "feedback of {}", printable(&report.reviewer));
        for line in rates.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    let facts = summary_facts(report);
    if !facts.is_empty() {
        let _ = writeln!(text, "{FAINT}{}{RESET}", facts.join(" · "));
    }
    if let Some((last, before)) = report.next.split_last() {
        for command in before {
            let _ = writeln!(text, "{command}");
        }
        let _ = writeln!(text, "{HINT}next{RESET}:\n{last}");
    }
    text
}

/// Which round's artifact is on disk, and why that one.
fn kept_round(best: &BestRound) -> String {
    let on_disk = match best.restored {
        true => "was put back",
        false => "is on disk",
    };
    let mut text = format!(
        "{FAINT}the best artifact {on_disk}, that of round {}: {}{RESET}\n",
        best.iteration, best.standing
    );
    if !best.left.is_empty() {
        let left = printable(&best.left.join(", ")).into_owned();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{WARNING}left as somebody else changed it{RESET}: {left}"
        );
    }
    text
}

/// How much the findings matter that count, and how many stand where; empty
/// without any.
fn counted_findings(counts: &FindingCounts) -> String {
    let severities = counts.severity.iter();
    let severities: Vec<_> = severities
        .map(|(word, many)| format!("{many} {word}"))
        .collect();
    let statuses = counts.status.iter();
    let statuses: Vec<_> = statuses
        .map(|(word, many)| format!("{many} {word}"))
        .collect();
    let mut parts = vec![severities.join(", "), statuses.join(", ")];
    parts.retain(|part| !part.is_empty());
    match counts.is_empty() {
        true => String::new(),
        false => format!("{FAINT}findings: {}{RESET}\n", parts.join("; ")),
    }
}

fn summary_facts(report: &RunReport) -> Vec<String> {
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
            .filter(|task| task.status == TaskState::Passed)
            .count();
        let all = plural(report.tasks.len(), "task", "tasks");
        facts.push(format!("{passed} of {all} passed"));
    }
    if let Some(usage) = &report.usage {
        facts.push(usage.words());
    }
    if let Some(run) = &report.run {
        facts.push(format!("run {run}"));
    }
    facts
}

/// That so many errors of the embedded rules stand against a pass.
fn overruled_pass(facts: usize) -> String {
    let facts = plural(
        facts,
        "error of the embedded rules stands",
        "errors of the embedded rules stand",
    );
    format!("  {FAINT}the reviewer passed it; {facts} against that{RESET}\n")
}

#[cfg(test)]
mod tests {
    use review_types::FindingStatus;
    use review_types::actionable::Severity;

    use super::*;

    #[test]
    fn a_check_that_fails_is_shown_with_its_output_if_there_is_any() {
        let shown = |failure: Option<&str>, output: &str| {
            render_check(&CheckReport {
                command: "make".to_owned(),
                failure: failure.map(str::to_owned),
                output: output.to_owned(),
            })
        };
        let passed = format!("    {FAINT}make: {GOOD}passed{RESET}\n");
        assert_eq!(shown(None, "one\n"), passed);
        let failed = format!("    make: {ERROR}exit status 1{RESET}\n");
        assert_eq!(shown(Some("exit status 1"), ""), failed);
        let lines = format!("{failed}    {FAINT}|{RESET} one\n    {FAINT}|{RESET} two\n");
        assert_eq!(shown(Some("exit status 1"), "one\ntwo\n"), lines);
    }

    #[test]
    fn findings_are_counted_by_severity_and_status() {
        let mut counts = FindingCounts::default();
        assert_eq!(counted_findings(&counts), "");
        counts.status = [(FindingStatus::Fixed, 2)].into();
        let line = |words: &str| format!("{FAINT}findings: {words}{RESET}\n");
        assert_eq!(counted_findings(&counts), line("2 fixed"));
        counts.status.insert(FindingStatus::Open, 3);
        counts.severity = [(Severity::Major, 2), (Severity::Critical, 1)].into();
        let words = "1 critical, 2 major; 3 open, 2 fixed";
        assert_eq!(counted_findings(&counts), line(words));
    }

    #[test]
    fn one_error_stands_and_two_stand() {
        for (facts, expected) in [
            (1, "1 error of the embedded rules stands against that"),
            (2, "2 errors of the embedded rules stand against that"),
        ] {
            let line = overruled_pass(facts);
            assert!(line.contains(expected), "{line}");
        }
    }
}
