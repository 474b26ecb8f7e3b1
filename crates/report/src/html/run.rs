//! The page of a run: how it ended and what to decide, then what happened.

use std::time::Duration;

use review_events::{Approval, TaskState};
use review_types::{Finding, Score, Scores, Timestamp, Usage, Usd, Verdict};

use super::{Delivery, Html, graph, known, page, plots, sign, timeline};
use crate::diff::{LineKind, kinds};
use crate::findings::{changed, text_place};
use crate::run::{
    IterationReport, RunReport, TaskReport, Timeline, agent, kept_round, landed, minute,
    not_landed, outcome_word, reason, result_line, shared_family, short, summary_facts, turn_of,
};
use crate::style::Styling;
use crate::text::{last_line, seconds};

/// The most bytes of a change that are shown.
const MAX_DIFF: usize = 64 * 1024;

/// What the page of a run is made of.
#[derive(Clone, Copy, Debug)]
pub struct RunPage<'a> {
    /// What the run did.
    pub report: &'a RunReport,
    /// When it did what.
    pub timeline: &'a Timeline,
    /// The criteria of its review with their lowest scores.
    pub criteria: &'a [(String, Score)],
    /// What it changed; why that is not shown otherwise.
    pub diff: Result<&'a str, &'a str>,
    /// The time, to which what has no end is drawn.
    pub now: Timestamp,
}

/// The page of a run.
#[must_use]
pub fn run(of: &RunPage<'_>, delivery: Delivery<'_>) -> String {
    let report = of.report;
    let id = report.run.as_ref().map_or("", |run| run.short());
    page(&format!("{} · run {id}", report.spec), delivery, |html| {
        head(html, of);
        html.next(&report.next);
        let (open, settled): (Vec<_>, Vec<_>) = (1..)
            .zip(&report.ledger)
            .partition(|(_, finding)| finding.counts());
        to_decide(html, report, &open);
        plots::scores(html, report, of.criteria);
        plots::findings(html, report);
        if !settled.is_empty() {
            html.section("findings", "Settled findings", |html| {
                settled
                    .iter()
                    .for_each(|(number, one)| finding(html, *number, one));
            });
        }
        rounds(html, report);
        tasks(html, report);
        timeline::timeline(html, of.timeline, of.now);
        calls(html, report);
        diff(html, of.diff, id);
    })
}

fn head(html: &mut Html, of: &RunPage<'_>) {
    let report = of.report;
    html.tag("header", |html| {
        if let Some(run) = &report.run {
            html.leaf("p.id", &format!("run {run}"));
        }
        html.leaf("h1", &report.spec);
        html.tag("p.outcome", |html| {
            let (class, sign) = sign(report.outcome);
            let word = outcome_word(report.outcome);
            html.leaf(&format!("b.{class}"), &format!("{sign} {word}"));
            let line = result_line(report, Styling::Plain);
            html.text(line.trim_end().strip_prefix(word).unwrap_or_default());
        });
        let took = || seconds(Duration::from_millis(report.took_ms));
        let limit = report.limits.max_cost.map(|limit| format!("${limit}"));
        html.facts(&[
            ("started (UTC)", known(report.at.map(minute))),
            ("took", known(report.at.map(|_| took()))),
            ("verdict", known(report.verdict)),
            ("cost limit", known(limit)),
        ]);
        let mut said: String = report.landed.iter().map(landed).collect();
        said.extend(report.not_landed.as_ref().map(not_landed));
        said.extend(report.best.as_ref().map(kept_round));
        said.push_str(&shared_family(report));
        said.push_str(&summary_facts(report).join(" · "));
        for line in Styling::Plain.apply(said).lines() {
            html.leaf("p", line);
        }
    });
}

fn to_decide(html: &mut Html, report: &RunReport, open: &[(u32, &Finding)]) {
    let held: Vec<_> = report
        .tasks
        .iter()
        .filter(|task| task.status == TaskState::Held)
        .collect();
    if open.is_empty() && held.is_empty() {
        return;
    }
    html.section("open", "To decide", |html| {
        for task in held {
            html.tag("p", |html| {
                html.tag("b.warn", |html| html.text("held"));
                html.text(&format!(
                    " task {} {}: {}",
                    task.id, task.title, task.reason
                ));
            });
        }
        open.iter()
            .for_each(|(number, one)| finding(html, *number, one));
    });
}

/// A finding that can be opened. Its number is that of its place in the ledger.
fn finding(html: &mut Html, number: u32, finding: &Finding) {
    let summary = |html: &mut Html| {
        let class = match finding.counts() {
            true => "bad",
            false => "faint",
        };
        let state = format!("{} {}", finding.severity, finding.status);
        html.leaf(&format!("span.lead {class}"), &state);
        html.leaf("span", finding.issue.lines().next().unwrap_or_default());
        html.leaf("span.id", finding.id.as_str());
    };
    html.details(&format!("finding-{number}"), summary, |html| {
        let place = text_place(&finding.place);
        let place = place.trim_end_matches(": ");
        let rounds: Vec<_> = finding.raised.iter().map(u32::to_string).collect();
        let mut facts = vec![finding.section.clone()];
        facts.extend((!place.is_empty()).then(|| place.to_owned()));
        facts.push(format!("raised in round {}", rounds.join(", ")));
        html.leaf("p.faint", &facts.join(" · "));
        if finding.issue.lines().nth(1).is_some() {
            html.leaf("p", &finding.issue);
        }
        html.leaf("p", &finding.suggestion);
        if let Some(quote) = &finding.quote {
            html.leaf("blockquote", quote);
        }
        html.tag("ul.plain", |html| {
            let history = finding.history.iter();
            history.for_each(|change| html.leaf("li", &changed(change)));
        });
    });
}

/// The scores in words, in the order of their names.
fn scores(scores: &Scores) -> String {
    let parts: Vec<_> = scores
        .iter()
        .map(|(name, score)| format!("{} {score}", name.as_str()))
        .collect();
    parts.join(" · ")
}

fn rounds(html: &mut Html, report: &RunReport) {
    if report.iterations.is_empty() {
        return;
    }
    html.section("rounds", "Rounds", |html| {
        for round in &report.iterations {
            let number = round.iteration;
            let summary = |html: &mut Html| {
                let (class, sign) = match round.verdict {
                    Verdict::Pass => ("good", "✓"),
                    Verdict::NeedsRevision => ("bad", "✗"),
                };
                html.leaf("span", &format!("Round {number}"));
                let verdict = format!("{sign} {}", round.verdict);
                html.leaf(&format!("span.lead {class}"), &verdict);
                html.leaf("span.faint", &scores(&round.score));
            };
            html.details(&format!("round-{number}"), summary, |html| {
                self::round(html, round);
            });
        }
    });
}

fn round(html: &mut Html, round: &IterationReport) {
    html.leaf("p.faint", &format!("reviewer {}", round.reviewer));
    if let Some(check) = &round.check {
        let outcome = check.failure.as_deref().unwrap_or("passed");
        html.leaf("p", &format!("check {}: {outcome}", check.command));
    }
    if round.feedback.is_empty() {
        html.leaf("p", "no feedback");
        return;
    }
    html.tag("ul.plain", |html| {
        for raised in &round.feedback {
            html.tag("li", |html| {
                if let Some(severity) = raised.item.severity() {
                    html.leaf("b", &format!("{severity} "));
                }
                html.text(&format!(
                    "{}: {}",
                    raised.item.section(),
                    raised.item.issue()
                ));
                html.leaf("p.faint", raised.item.suggestion());
            });
        }
    });
    let decided = round.decisions.iter();
    let decided = decided.filter_map(|past| Some((past, past.decision.as_ref()?)));
    let decided: Vec<_> = decided.collect();
    if decided.is_empty() {
        return;
    }
    html.leaf("p.faint", "decided by the applier");
    html.tag("ul.plain", |html| {
        for (past, taken) in decided {
            html.tag("li", |html| {
                html.leaf("b", taken.decision.status().as_str());
                html.text(&format!("{} ", reason(taken)));
                html.leaf("span.faint", past.item.issue());
            });
        }
    });
}

fn tasks(html: &mut Html, report: &RunReport) {
    if report.tasks.is_empty() {
        return;
    }
    html.section("tasks", "Tasks", |html| {
        graph::graph(html, report);
        let head = "#task, title, state, #attempts, #tests, #time, commit";
        html.table(head, |html| html.rows(&report.tasks, task));
    });
}

/// The class of the state of a task, and the state with a sign.
pub(super) fn state_of(task: &TaskReport) -> (&'static str, String) {
    match task.status {
        _ if task.is_open && task.reason.is_empty() => ("warn", "▸ running".to_owned()),
        state @ (TaskState::NotRun | TaskState::Skipped) => ("warn", format!("– {state}")),
        state if state.meets_dependency() => ("good", format!("✓ {state}")),
        state => ("bad", format!("✗ {state}")),
    }
}

fn task(html: &mut Html, task: &TaskReport) {
    html.leaf("td.number", &task.id.to_string());
    html.tag("td.wide", |html| {
        html.text(&task.title);
        for line in remarks(task) {
            html.leaf("div.faint", &line);
        }
    });
    let (class, state) = state_of(task);
    html.leaf(&format!("td.{class} whole"), &state);
    let attempts = task.attempts.len() + usize::from(task.change.is_some());
    html.leaf("td.number", &known((attempts > 0).then_some(attempts)));
    html.leaf("td.number", &known(task.tests_run));
    let took = Duration::try_from_secs_f64(task.seconds).unwrap_or_default();
    html.leaf(
        "td.number",
        &known((!took.is_zero()).then(|| seconds(took))),
    );
    let commit = task.change.as_ref().map(|change| short(&change.commit));
    html.leaf("td.id", &known(commit));
}

/// The lines below the title of a task.
fn remarks(task: &TaskReport) -> Vec<String> {
    let attempts = task.attempts.iter();
    let mut lines: Vec<_> = attempts
        .map(|tried| {
            let reason = last_line(&tried.reason);
            format!("attempt {} · {}: {reason}", tried.attempt, tried.code)
        })
        .collect();
    if let Some(change) = &task.change {
        let flags = change.flags.iter();
        lines.extend(flags.map(|flag| format!("{}: {}", flag.code, last_line(&flag.reason))));
        let restored = change.restored.iter();
        lines.extend(restored.map(|path| format!("restored: {path}")));
        let approved = change.approved.iter();
        lines.extend(approved.map(|Approval { by, why }| format!("approved by {by}: {why}")));
    }
    if !task.reason.is_empty() && task.attempts.is_empty() {
        lines.push(last_line(&task.reason));
    }
    lines
}

fn calls(html: &mut Html, report: &RunReport) {
    let longest = report.calls.iter().map(|call| call.took_ms).max();
    let Some(longest) = longest else { return };
    html.section("calls", "Calls", |html| {
        let head = "of, role, model, #time, , #tokens read, #written, #cost";
        html.table(head, |html| {
            html.rows(&report.calls, |html, call| {
                html.leaf("td.whole", &turn_of(call));
                html.leaf("td", call.role.as_str());
                html.leaf("td", &known(call.by.as_ref().map(agent)));
                html.leaf("td.number", &seconds(Duration::from_millis(call.took_ms)));
                html.tag("td", |html| plots::bar(html, call.took_ms, longest));
                consumed(html, call.usage);
            });
            html.tag("tfoot", |html| html.tag("tr", |html| sums(html, report)));
        });
    });
}

/// What all calls took, and consumed where that is known of each.
fn sums(html: &mut Html, report: &RunReport) {
    let usage = report.usage.unwrap_or_default();
    html.tag_with("td", &[("colspan", "3")], |html| html.text(&usage.words()));
    let took = report.calls.iter().map(|call| call.took_ms).sum();
    html.leaf("td.number", &seconds(Duration::from_millis(took)));
    html.leaf("td", "");
    let has_cost = usage.calls_without_cost == 0;
    let sum = Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cost_micro_usd: has_cost.then_some(usage.cost_micro_usd),
    };
    consumed(html, (usage.calls_without_tokens == 0).then_some(sum));
}

fn consumed(html: &mut Html, usage: Option<Usage>) {
    let cost = usage.and_then(|usage| usage.cost_micro_usd);
    let cost = cost.map(|micro| format!("${}", Usd::from_micro(micro)));
    let counted = usage.filter(Usage::has_tokens);
    for cell in [
        counted.map(|usage| usage.input_tokens.to_string()),
        counted.map(|usage| usage.output_tokens.to_string()),
        cost,
    ] {
        html.leaf("td.number", &known(cell));
    }
}

fn diff(html: &mut Html, diff: Result<&str, &str>, run: &str) {
    let diff = match diff {
        Ok("") => return,
        Ok(diff) => diff,
        Err(why) => {
            html.section("change", "Change", |html| html.leaf("p.faint", why));
            return;
        }
    };
    html.section("change", "Change", |html| {
        let shown = &diff[..diff.floor_char_boundary(MAX_DIFF)];
        html.tag("pre.diff", |html| {
            for (kind, line) in kinds(shown) {
                let class = match kind {
                    LineKind::File => "head",
                    LineKind::Name | LineKind::Place => "place",
                    LineKind::Added => "added",
                    LineKind::Removed => "removed",
                    LineKind::Other => "",
                };
                let line = line.trim_end_matches(['\r', '\n']);
                html.leaf(&format!("span.{class}"), line);
                html.text("\n");
            }
        });
        if shown.len() < diff.len() {
            html.leaf("p.faint", &format!("the rest: ralph diff {run}"));
        }
    });
}
