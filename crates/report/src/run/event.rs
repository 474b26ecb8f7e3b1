//! What happens in a run, for people: a few lines for each event.

use std::fmt::Write as _;
use std::time::Duration;

use review_events::{
    AgentAnswered, AnswerRemark, ArtifactUndone, CallRetried, CheckReport, Event, FindingsJoined,
    RepeatedIssue, ReviewIteration, TaskFinished, TaskState, TaskStatusSet,
};
use review_types::{
    AgentError, FeedbackItem, Finding, FindingChange, FindingEvidence, FindingStatus, Hash,
    PromptRead, Scores, Verdict, excerpt, plural,
};

use super::decisions::{render_decisions, render_unacknowledged};
use super::item::with_places_joined;
use super::{lane, tasks};
use crate::must_pass::listed_tests;
use crate::points::lost_points;
use crate::style::{ERROR, FAINT, GOOD, HINT, RESET, STRONG, Styling, WARNING};
use crate::text::{indented, one_line, printable, seconds, tail};

/// The lines of one event; empty for one that is of no interest to people.
/// `kept_at` names the place of a string that is kept though it was undone.
#[must_use]
pub fn human_event(event: &Event, kept_at: fn(&Hash) -> String, styling: Styling) -> String {
    styling.apply(rendered(event, kept_at))
}

/// What is shown of an event with `-v` alone: where the points of a round's scores went, the
/// tests that an attempt was not accepted for, and the log of a task that agents gave up.
#[must_use]
pub fn human_points(event: &Event, styling: Styling) -> String {
    let round = match event {
        Event::ReviewIteration(round) => round,
        Event::TaskAttempted(attempt) => return styling.apply(lane::tests(attempt)),
        Event::TaskFinished(task) if is_shown_by_attempt(task.state) => {
            return styling.apply(log(task));
        }
        _ => return String::new(),
    };
    let mut text = String::new();
    for (name, score) in round.scores.iter() {
        let lost = lost_points(name.as_str(), &round.deductions);
        if !lost.is_empty() {
            let name = printable(name.as_str());
            text.push_str(&format!("    {FAINT}{name} {score} {lost}{RESET}\n"));
        }
    }
    styling.apply(text)
}

fn rendered(event: &Event, kept_at: fn(&Hash) -> String) -> String {
    match event {
        Event::ReviewStarted(started) => {
            let (name, path) = (&started.feature, &started.spec);
            format!("{STRONG}review{RESET} {name} {FAINT}({path}){RESET}\n")
        }
        Event::ReviewIteration(round) => render_round(round),
        Event::ReviewFeedback(given) => {
            let items = plural(given.feedback.len(), "item", "items");
            format!("  {FAINT}applying {items} of feedback{RESET}\n")
        }
        Event::FeedbackUnacknowledged(review) => render_unacknowledged(&review.difference),
        Event::FeedbackDecided(decided) => render_decisions(decided),
        Event::ReviewApproved(approved) => {
            format!("  {GOOD}approved{RESET} by {}\n", printable(&approved.by))
        }
        Event::RepeatedIssue(RepeatedIssue { finding, .. }) => format!(
            "  {WARNING}raised in {}{RESET} {}: {}\n",
            plural(finding.raised.len(), "round", "rounds"),
            finding.id,
            one_line(&finding.issue)
        ),
        Event::ReviewMalformed(malformed) => format!(
            "  {WARNING}malformed{RESET} answer {}: {}\n    {FAINT}| {}{RESET}\n",
            malformed.retry_number,
            printable(&malformed.parse_error),
            one_line(&excerpt(&malformed.raw_output, MOST_OF_MALFORMED))
        ),
        Event::ReviewerFailed(failed) => render_failed(&failed.error),
        Event::ReviewBlocked(blocked) => {
            let error = blocked.applier_error.as_ref();
            error.map_or_else(String::new, render_failed)
        }
        Event::CallRetried(retried) => render_retried(retried),
        Event::ReviewerReplaced(replaced) => format!(
            "  {FAINT}the reviewer gave no answer that counts: {}; {} is asked instead{RESET}\n",
            printable(&replaced.error.message),
            printable(&replaced.by)
        ),
        Event::ArtifactUndone(undone) => render_undone(undone, kept_at),
        Event::AgentAnswered(answered) => render_answer(answered),
        Event::FindingsJoined(joined) => render_joined(joined),
        Event::TaskFinished(task) if task.state == TaskState::Skipped => task_line(
            task.task.get(),
            &task.title,
            TaskState::Skipped,
            &tasks::waits_for(&task.because_of),
        ),
        Event::TaskFinished(task) => render_task(task),
        Event::TaskAttempted(attempt) => lane::attempted(attempt),
        Event::TaskReviewed(reviewed) => lane::reviewed(reviewed),
        Event::TaskOnLane(on_lane) => lane::on_lane(on_lane),
        Event::LaneOpened(opened) => lane::opened(opened),
        Event::LaneLanded(landed) => lane::landed(landed),
        Event::LaneNotLanded(lane) => lane::not_landed(lane),
        Event::TaskStatus(TaskStatusSet {
            status,
            kept: Some(reason),
            ..
        }) => format!(
            "    {WARNING}warning{RESET} not set to {status}: {}\n",
            indented(reason, "    ")
        ),
        Event::TaskStatus(set) => format!(
            "    {FAINT}{} is now {}{RESET}\n",
            printable(&set.path),
            set.status
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

fn render_retried(retried: &CallRetried) -> String {
    let what = retried.error.of_role(retried.role.as_str());
    let what = printable(&what);
    let pause = match retried.pause_ms {
        0 => String::new(),
        pause => format!(" in {}", seconds(Duration::from_millis(pause))),
    };
    format!("  {FAINT}{what}; asking again{pause}{RESET}\n")
}

/// How the last call of an agent ended.
fn render_failed(error: &AgentError) -> String {
    format!(
        "  {ERROR}{}{RESET} {}\n",
        error.failure.as_str(),
        indented(&error.message, "    ").trim_start()
    )
}

pub(super) fn render_round(round: &ReviewIteration) -> String {
    let style = match round.verdict {
        Verdict::Pass => GOOD,
        Verdict::NeedsRevision => WARNING,
    };
    let mut text: String = round.remarks.iter().map(render_remark).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "  round {}  {style}{}{RESET}  {}",
        round.iteration,
        round.verdict,
        render_scores(&round.scores, overall(round))
    );
    if let Some(PromptRead { bytes, read }) = round.left_unread {
        text.push_str(&format!(
            "    {WARNING}warning{RESET} the reviewer read {read} of {bytes} bytes of its prompt\n"
        ));
    }
    if let Some(check) = &round.check {
        text.push_str(&render_check(check));
    }
    for item in with_places_joined(&round.feedback) {
        text.push_str(&render_item(&item));
    }
    if round.truncated {
        let _ = writeln!(text, "    {FAINT}more feedback is in the journal{RESET}");
    }
    text
}

fn render_remark(remark: &AnswerRemark) -> String {
    match remark {
        AnswerRemark::Repaired(repairs) => {
            let repairs = plural(*repairs as usize, "repair", "repairs");
            format!("  {FAINT}the answer was read after {repairs}{RESET}\n")
        }
        AnswerRemark::Overruled(facts) => {
            let what = plural(
                *facts as usize,
                "error of the embedded rules contradicts",
                "errors of the embedded rules contradict",
            );
            format!("  {FAINT}the reviewer passed it; {what} it{RESET}\n")
        }
        AnswerRemark::Contradicted { item, severity } => format!(
            "  {WARNING}not a pass{RESET} the reviewer says pass and calls item {} {severity}: \
             read as needs_revision\n",
            item.saturating_add(1)
        ),
        AnswerRemark::Vague { items, asked_again } => {
            let label = match asked_again {
                true => "asked to be specific",
                false => "vague",
            };
            let lines = items.iter().map(|found| {
                let (item, phrase) = (found.item.saturating_add(1), one_line(&found.phrase));
                let rule = found.rule.as_str();
                format!("  {WARNING}{label}{RESET} item {item} says \"{phrase}\" ({rule})\n")
            });
            lines.collect()
        }
    }
}

fn render_joined(joined: &FindingsJoined) -> String {
    let mut text = String::new();
    if joined.below_fail_level > 0 {
        let findings = plural(
            joined.below_fail_level as usize,
            "finding is below review.fail_level and asks",
            "findings are below review.fail_level and ask",
        );
        text.push_str(&format!("  {FAINT}{findings} for no revision{RESET}\n"));
    }
    for finding in &joined.findings {
        let is_raised = finding.raised.last() == Some(&joined.iteration);
        if is_raised && finding.evidence == FindingEvidence::Misquoted {
            text.push_str(&format!(
                "  {WARNING}quote not found{RESET} {}: the quoted words do not occur in the artifact\n",
                finding.id
            ));
        }
        if is_claimed_in_vain(finding, joined.iteration) {
            text.push_str(&format!(
                "  {WARNING}not changed{RESET} {}: the applier reported a change, and made none there\n",
                finding.id
            ));
        }
        if !is_raised || finding.status != FindingStatus::Waived {
            continue;
        }
        let mut history = finding.history.iter().rev();
        let by = history.find_map(|change| change.by.as_deref());
        let by = by.map_or_else(String::new, |by| format!(" by {}", one_line(by)));
        let issue = one_line(&finding.issue);
        text.push_str(&format!(
            "  {GOOD}waived{RESET}{by} {}: {issue}\n",
            finding.id
        ));
    }
    text
}

/// The most characters that are shown of an answer that could not be read.
const MOST_OF_MALFORMED: usize = 300;

/// Whether the applier of the previous round reported a finding as fixed without a change
/// at its place.
fn is_claimed_in_vain(finding: &Finding, round: u32) -> bool {
    let claims = |change: &FindingChange| {
        let is_claim = match change.status {
            FindingStatus::Fixed | FindingStatus::Partial => true,
            FindingStatus::Open => change.why.is_some(),
            FindingStatus::Rejected
            | FindingStatus::Disputed
            | FindingStatus::Waived
            | FindingStatus::Reworded => false,
        };
        is_claim && !change.inferred && change.by.is_none() && change.round + 1 == round
    };
    finding.changed_at_place == Some(false) && finding.history.iter().any(claims)
}

/// The content of an answer, each line of it marked as the agent's.
fn render_answer(answered: &AgentAnswered) -> String {
    let mut text = format!("  {FAINT}the {} answered:{RESET}\n", answered.role.as_str());
    if answered.truncated {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {FAINT}| the start is left out{RESET}");
    }
    for line in printable(answered.text.trim_end()).lines() {
        let _ = writeln!(text, "    {FAINT}|{RESET} {line}");
    }
    text
}

/// Where what an applier left can be read though it was undone.
fn render_undone(undone: &ArtifactUndone, kept_at: fn(&Hash) -> String) -> String {
    let round = undone.iteration;
    let mut text = format!("  {WARNING}undone{RESET} what the applier left in round {round}\n");
    for file in &undone.files {
        let (path, kept) = (printable(&file.path), kept_at(&file.text));
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

/// The overall score of the document that the round is in.
pub(super) fn overall(round: &ReviewIteration) -> Option<f64> {
    let document = round.document.as_ref()?;
    document.pointer("/overall_assessment/score")?.as_f64()
}

fn render_scores(scores: &Scores, overall: Option<f64>) -> String {
    let scores: Vec<_> = scores
        .iter()
        .map(|(name, score)| format!("{} {score}", printable(name.as_str())))
        .collect();
    if scores.is_empty() {
        return match overall {
            Some(overall) => format!("overall score {overall}, no criterion scored"),
            None => format!("{FAINT}without scores{RESET}"),
        };
    }
    scores.join("  ")
}

fn render_item(item: &FeedbackItem) -> String {
    let severity = item.severity().map(|one| format!("  {FAINT}{one}{RESET}"));
    format!(
        "    {STRONG}{}{RESET}{}\n      {}\n      {HINT}→{RESET} {}\n",
        printable(item.section()).trim(),
        severity.unwrap_or_default(),
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
        None if task.state.meets_dependency() => facts.push("tests not counted".to_owned()),
        None => {}
    }
    facts.extend(task.must_pass.as_ref().and_then(listed_tests));
    if task.cached {
        facts.push("unchanged, recorded earlier".to_owned());
    } else if task.took_ms > 0 {
        facts.push(seconds(Duration::from_millis(task.took_ms)));
    }
    if task.changed_tree {
        facts.push("changed the tree".to_owned());
    }
    // The attempt that was the last has shown why, with the end of its output.
    let is_shown = is_shown_by_attempt(task.state);
    if !task.reason.is_empty() && !is_shown {
        facts.push(task.reason.clone());
    }
    let mut text = task_line(task.task.get(), &task.title, task.state, &facts.join(", "));
    if !task.state.meets_dependency() && !is_shown {
        text.push_str(&tail(&task.tail));
        text.push_str(&log(task));
    }
    text
}

/// Whether an attempt has shown why a task ended in this state.
const fn is_shown_by_attempt(state: TaskState) -> bool {
    matches!(state, TaskState::Parked | TaskState::Held)
}

fn log(task: &TaskFinished) -> String {
    let log = task.log.iter();
    log.map(|log| format!("    {FAINT}log: {}{RESET}\n", printable(log)))
        .collect()
}

fn task_line(number: u32, title: &str, state: TaskState, facts: &str) -> String {
    let style = match state {
        TaskState::Skipped | TaskState::NotRun => WARNING,
        state if state.meets_dependency() => GOOD,
        _ => ERROR,
    };
    let title = printable(title);
    let facts = match facts.is_empty() {
        true => String::new(),
        false => format!("  {FAINT}{}{RESET}", printable(facts)),
    };
    format!(
        "  task {number}  {style}{}{RESET}  {title}{facts}\n",
        state.as_str()
    )
}

#[cfg(test)]
mod tests {
    use review_events::{VagueItem, WordingRule};

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
    fn the_verb_agrees_with_the_number_of_errors() {
        for (facts, expected) in [
            (1, "1 error of the embedded rules contradicts it"),
            (2, "2 errors of the embedded rules contradict it"),
        ] {
            let line = render_remark(&AnswerRemark::Overruled(facts));
            assert!(line.contains(expected), "{line}");
            assert_eq!(line.lines().count(), 1);
        }
    }

    #[test]
    fn vague_items_are_named_with_their_rules() {
        let remark = |asked_again| {
            let items = vec![VagueItem {
                item: 0,
                rule: WordingRule::IssueVague,
                phrase: "could be better".to_owned(),
            }];
            crate::style::plain(&render_remark(&AnswerRemark::Vague { items, asked_again }))
        };
        let of_item = "item 1 says \"could be better\" (issue.vague)\n";
        assert_eq!(remark(true), format!("  asked to be specific {of_item}"));
        assert_eq!(remark(false), format!("  vague {of_item}"));
    }

    #[test]
    fn a_pass_with_a_grave_item_is_named_with_its_severity() {
        let remark = AnswerRemark::Contradicted {
            item: 0,
            severity: review_types::Severity::Critical,
        };
        assert_eq!(
            crate::style::plain(&render_remark(&remark)),
            "  not a pass the reviewer says pass and calls item 1 critical: read as \
             needs_revision\n"
        );
    }
}
