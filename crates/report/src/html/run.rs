//! The page of a run: how it ended and what to decide, then what happened.

use std::time::Duration;

use review_events::{Approval, TaskState};
use review_types::{Finding, Score, Scores, Timestamp, Usd};

use super::{Delivery, Html, page, plots, sign, timeline};
use crate::NextStep;
use crate::diff::{LineKind, kinds};
use crate::findings::text_place;
use crate::run::{
    IterationReport, RunReport, TaskReport, Timeline, agent, kept_round, landed, minute,
    not_landed, outcome_word, reason, result_line, shared_family, summary_facts, turn_of,
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
    html.tag("header", &[], |html| {
        if let Some(run) = &report.run {
            html.leaf("p", &[("class", "id")], &format!("run {run}"));
        }
        html.leaf("h1", &[], &report.spec);
        html.tag("p", &[("class", "outcome")], |html| {
            let (class, sign) = sign(report.outcome);
            let word = outcome_word(report.outcome);
            html.leaf("b", &[("class", class)], &format!("{sign} {word}"));
            let line = result_line(report, Styling::Plain);
            html.text(line.trim_end().strip_prefix(word).unwrap_or_default());
        });
        let at = report.at.as_ref();
        html.facts(&[
            (
                "started (UTC)",
                at.map(|at| minute(*at)).unwrap_or_default(),
            ),
            (
                "took",
                at.map(|_| seconds(Duration::from_millis(report.took_ms)))
                    .unwrap_or_default(),
            ),
            (
                "verdict",
                report
                    .verdict
                    .map(|verdict| verdict.to_string())
                    .unwrap_or_default(),
            ),
            (
                "cost limit",
                report
                    .limits
                    .max_cost
                    .map(|limit| format!("${limit}"))
                    .unwrap_or_default(),
            ),
        ]);
        let mut said: String = report.landed.iter().map(landed).collect();
        said.extend(report.not_landed.as_ref().map(not_landed));
        said.extend(report.best.as_ref().map(kept_round));
        said.push_str(&shared_family(report));
        said.push_str(&summary_facts(report).join(" · "));
        for line in Styling::Plain.apply(said).lines() {
            html.leaf("p", &[], line);
        }
    });
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
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
            html.tag("p", &[], |html| {
                html.tag("b", &[("class", "warn")], |html| html.text("held"));
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
    let id = format!("finding-{number}");
    html.tag("details", &[("id", &id)], |html| {
        html.tag("summary", &[], |html| {
            let class = match finding.counts() {
                true => "bad",
                false => "faint",
            };
            let status = finding.status.as_str();
            html.leaf(
                "span",
                &[("class", &format!("lead {class}"))],
                &format!("{} {status}", finding.severity),
            );
            let first = finding.issue.lines().next().unwrap_or_default();
            html.leaf("span", &[], first);
            html.leaf("span", &[("class", "id")], finding.id.as_str());
        });
        html.tag("div", &[], |html| {
            let place = text_place(&finding.place);
            let place = place.trim_end_matches(": ");
            let rounds: Vec<_> = finding.raised.iter().map(u32::to_string).collect();
            let mut facts = vec![finding.section.clone()];
            facts.extend((!place.is_empty()).then(|| place.to_owned()));
            facts.push(format!("raised in round {}", rounds.join(", ")));
            html.leaf("p", &[("class", "faint")], &facts.join(" · "));
            if finding.issue.lines().nth(1).is_some() {
                html.leaf("p", &[], &finding.issue);
            }
            html.leaf("p", &[], &finding.suggestion);
            if let Some(quote) = &finding.quote {
                html.leaf("blockquote", &[], quote);
            }
            html.tag("ul", &[("class", "plain")], |html| {
                for change in &finding.history {
                    let by = change.by.as_deref().map(|by| format!(" by {by}"));
                    let why = change.why.as_deref().map(|why| format!(": {why}"));
                    let inferred = if change.inferred { ", inferred" } else { "" };
                    let (by, why) = (by.unwrap_or_default(), why.unwrap_or_default());
                    let (round, status) = (change.round, change.status);
                    html.leaf(
                        "li",
                        &[],
                        &format!("round {round}: {status}{by}{inferred}{why}"),
                    );
                }
            });
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
            let id = format!("round-{}", round.iteration);
            html.tag("details", &[("id", &id)], |html| {
                html.tag("summary", &[], |html| {
                    html.leaf("span", &[], &format!("Round {}", round.iteration));
                    let (class, sign) = match round.verdict {
                        review_types::Verdict::Pass => ("good", "✓"),
                        review_types::Verdict::NeedsRevision => ("bad", "✗"),
                    };
                    html.leaf(
                        "span",
                        &[("class", &format!("lead {class}"))],
                        &format!("{sign} {}", round.verdict),
                    );
                    html.leaf("span", &[("class", "faint")], &scores(&round.score));
                });
                html.tag("div", &[], |html| self::round(html, round));
            });
        }
    });
}

fn round(html: &mut Html, round: &IterationReport) {
    html.leaf(
        "p",
        &[("class", "faint")],
        &format!("reviewer {}", round.reviewer),
    );
    if let Some(check) = &round.check {
        let became = check.failure.as_deref().unwrap_or("passed");
        html.leaf("p", &[], &format!("check {}: {became}", check.command));
    }
    if round.feedback.is_empty() {
        html.leaf("p", &[], "no feedback");
        return;
    }
    html.tag("ul", &[("class", "plain")], |html| {
        for raised in &round.feedback {
            html.tag("li", &[], |html| {
                if let Some(severity) = raised.item.severity() {
                    html.leaf("b", &[], &format!("{severity} "));
                }
                html.text(&format!(
                    "{}: {}",
                    raised.item.section(),
                    raised.item.issue()
                ));
                html.leaf("p", &[("class", "faint")], raised.item.suggestion());
            });
        }
    });
    let decided = round.decisions.iter();
    let decided = decided.filter_map(|past| Some((past, past.decision.as_ref()?)));
    let decided: Vec<_> = decided.collect();
    if decided.is_empty() {
        return;
    }
    html.leaf("p", &[("class", "faint")], "decided by the applier");
    html.tag("ul", &[("class", "plain")], |html| {
        for (past, taken) in decided {
            html.tag("li", &[], |html| {
                html.leaf("b", &[], taken.decision.status().as_str());
                html.text(&format!("{} ", reason(taken)));
                html.leaf("span", &[("class", "faint")], past.item.issue());
            });
        }
    });
}

fn tasks(html: &mut Html, report: &RunReport) {
    if report.tasks.is_empty() {
        return;
    }
    html.section("tasks", "Tasks", |html| {
        html.table(
            &[
                "#task",
                "title",
                "state",
                "#attempts",
                "#tests",
                "#time",
                "commit",
            ],
            |html| {
                html.tag("tbody", &[], |html| {
                    for task in &report.tasks {
                        self::task(html, task, report.is_running(task.id));
                    }
                });
            },
        );
    });
}

fn task(html: &mut Html, task: &TaskReport, is_running: bool) {
    html.tag("tr", &[], |html| {
        let number = [("class", "number")];
        html.leaf("td", &number, &task.id.to_string());
        html.tag("td", &[("class", "wide")], |html| {
            html.text(&task.title);
            let mut line = |text: &str| html.leaf("div", &[("class", "faint")], text);
            for tried in &task.attempts {
                let reason = last_line(&tried.reason);
                line(&format!(
                    "attempt {} · {}: {reason}",
                    tried.attempt, tried.code
                ));
            }
            let change = task.change.iter();
            for flag in change.clone().flat_map(|change| &change.flags) {
                line(&format!("{}: {}", flag.code, last_line(&flag.reason)));
            }
            for path in change.clone().flat_map(|change| &change.restored) {
                line(&format!("restored: {path}"));
            }
            for Approval { by, why } in change.filter_map(|change| change.approved.as_ref()) {
                line(&format!("approved by {by}: {why}"));
            }
            if !task.reason.is_empty() && task.attempts.is_empty() {
                line(&last_line(&task.reason));
            }
        });
        let (class, state) = match task.status {
            TaskState::NotRun if is_running => ("warn", "▸ running".to_owned()),
            state @ (TaskState::NotRun | TaskState::Skipped) => ("warn", format!("– {state}")),
            state if state.meets_dependency() => ("good", format!("✓ {state}")),
            state => ("bad", format!("✗ {state}")),
        };
        html.leaf("td", &[("class", &format!("{class} whole"))], &state);
        let attempts = task.attempts.len() + usize::from(task.change.is_some());
        html.leaf(
            "td",
            &number,
            &match attempts {
                0 => String::new(),
                attempts => attempts.to_string(),
            },
        );
        html.leaf(
            "td",
            &number,
            &task
                .tests_run
                .map(|tests| tests.to_string())
                .unwrap_or_default(),
        );
        let took = Duration::try_from_secs_f64(task.seconds).unwrap_or_default();
        html.leaf("td", &number, &seconds(took));
        let commit = task
            .change
            .as_ref()
            .map_or("", |change| change.commit.as_str());
        html.leaf("td", &[("class", "id")], commit.get(..10).unwrap_or(commit));
    });
}

fn calls(html: &mut Html, report: &RunReport) {
    if report.calls.is_empty() {
        return;
    }
    html.section("calls", "Calls", |html| {
        html.table(
            &[
                "of",
                "role",
                "model",
                "#time",
                "",
                "#tokens read",
                "#written",
                "#cost",
            ],
            |html| {
                let number = [("class", "number")];
                let longest = report
                    .calls
                    .iter()
                    .map(|call| call.took_ms)
                    .max()
                    .unwrap_or_default();
                let cost =
                    |micro: Option<u64>| micro.map(|micro| format!("${}", Usd::from_micro(micro)));
                html.tag("tbody", &[], |html| {
                    for call in &report.calls {
                        html.tag("tr", &[], |html| {
                            html.leaf("td", &[("class", "whole")], &turn_of(call));
                            html.leaf("td", &[], call.role.as_str());
                            html.leaf("td", &[], &call.by.as_ref().map(agent).unwrap_or_default());
                            html.leaf("td", &number, &seconds(Duration::from_millis(call.took_ms)));
                            html.tag("td", &[], |html| plots::bar(html, call.took_ms, longest));
                            let tokens = |count: fn(&review_types::Usage) -> u64| {
                                call.usage
                                    .as_ref()
                                    .map(count)
                                    .map(grouped)
                                    .unwrap_or_default()
                            };
                            html.leaf("td", &number, &tokens(|usage| usage.input_tokens));
                            html.leaf("td", &number, &tokens(|usage| usage.output_tokens));
                            html.leaf(
                                "td",
                                &number,
                                &cost(call.usage.and_then(|usage| usage.cost_micro_usd))
                                    .unwrap_or_default(),
                            );
                        });
                    }
                });
                let usage = report.usage.unwrap_or_default();
                html.tag("tfoot", &[], |html| {
                    html.tag("tr", &[], |html| {
                        html.leaf("td", &[("colspan", "3")], &usage.words());
                        let took = report
                            .calls
                            .iter()
                            .map(|call| call.took_ms)
                            .fold(0, u64::saturating_add);
                        html.leaf("td", &number, &seconds(Duration::from_millis(took)));
                        html.leaf("td", &[], "");
                        let sum = |tokens| match usage.calls_without_tokens {
                            0 => grouped(tokens),
                            _ => String::new(),
                        };
                        html.leaf("td", &number, &sum(usage.input_tokens));
                        html.leaf("td", &number, &sum(usage.output_tokens));
                        let known = (usage.calls_without_cost == 0).then_some(usage.cost_micro_usd);
                        html.leaf("td", &number, &cost(known).unwrap_or_default());
                    });
                });
            },
        );
    });
}

fn diff(html: &mut Html, diff: Result<&str, &str>, run: &str) {
    let diff = match diff {
        Ok("") => return,
        Ok(diff) => diff,
        Err(why) => {
            html.section("change", "Change", |html| {
                html.leaf("p", &[("class", "faint")], why)
            });
            return;
        }
    };
    html.section("change", "Change", |html| {
        let shown = &diff[..diff.floor_char_boundary(MAX_DIFF)];
        html.tag("pre", &[("class", "diff")], |html| {
            for (kind, line) in kinds(shown) {
                let class = match kind {
                    LineKind::File => "head",
                    LineKind::Name | LineKind::Place => "place",
                    LineKind::Added => "added",
                    LineKind::Removed => "removed",
                    LineKind::Other => "",
                };
                let line = line.trim_end_matches(['\r', '\n']);
                html.leaf("span", &[("class", class)], line);
                html.text("\n");
            }
        });
        if shown.len() < diff.len() {
            let step = NextStep::by_command("the rest", format!("ralph diff {run}"));
            html.leaf("p", &[("class", "faint")], &step.to_string());
        }
    });
}
