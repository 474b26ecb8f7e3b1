//! The page of a run: how it ended and what to decide, then what happened.

use review_types::{Finding, FindingStatus, Score, Scores, Timestamp, Usd, plural};

use super::{Delivery, Html, page, plots, sign, timeline};
use crate::NextStep;
use crate::diff::{LineKind, kinds};
use crate::findings::text_place;
use crate::run::{
    IterationReport, RunReport, TaskReport, Timeline, agent, minute, outcome_word, reason, turn_of,
};
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
            .partition(|(_, finding)| is_open(finding));
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

fn is_open(finding: &Finding) -> bool {
    match finding.status {
        FindingStatus::Open | FindingStatus::Partial | FindingStatus::Disputed => {
            !finding.out_of_scope
        }
        FindingStatus::Fixed
        | FindingStatus::Waived
        | FindingStatus::Reworded
        | FindingStatus::Rejected => false,
    }
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
            html.tag("b", &[("class", class)], |html| {
                html.text(&format!("{sign} {word}"))
            });
            if let Some(code) = report.block_code.filter(|code| code.as_str() != word) {
                html.text(&format!(" ({code})"));
            }
            let why = report.progress.as_deref().unwrap_or(&report.block_reason);
            if !why.is_empty() {
                html.text(&format!(": {why}"));
            }
        });
        let passed = report
            .tasks
            .iter()
            .filter(|task| task.status.meets_dependency());
        let tasks = match report.tasks.len() {
            0 => String::new(),
            all => format!("{} of {all} passed", passed.count()),
        };
        let rounds = match report.iterations.len() {
            0 => String::new(),
            rounds => rounds.to_string(),
        };
        let landed = report.landed.iter().map(|landed| {
            let commit = landed.commit.get(..10).unwrap_or(&landed.commit);
            match &landed.branch {
                Some(branch) => format!("{branch} at {commit}"),
                None => commit.to_owned(),
            }
        });
        let landed: Vec<_> = landed.collect();
        let usage = report.usage.unwrap_or_default();
        let limit = report.limits.max_cost.map(|limit| format!(" of ${limit}"));
        let cost = Usd::from_micro(usage.cost_micro_usd);
        html.facts(&[
            ("started (UTC)", report.at.map(minute).unwrap_or_default()),
            (
                "took",
                report
                    .at
                    .map(|_| seconds(report.took_ms))
                    .unwrap_or_default(),
            ),
            ("reviewer", report.reviewer.clone()),
            ("landed", landed.join(", ")),
            (
                "verdict",
                report
                    .verdict
                    .map(|verdict| verdict.to_string())
                    .unwrap_or_default(),
            ),
            ("rounds", rounds),
            ("tasks", tasks),
            (
                "calls",
                report
                    .usage
                    .map(|usage| usage.calls.to_string())
                    .unwrap_or_default(),
            ),
            (
                "tokens",
                match usage.tokens() {
                    0 => String::new(),
                    tokens => grouped(tokens),
                },
            ),
            (
                "cost",
                match usage.calls_without_cost < usage.calls {
                    true => format!("${cost}{}", limit.unwrap_or_default()),
                    false => String::new(),
                },
            ),
        ]);
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
        .filter(|task| task.status == review_events::TaskState::Held)
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
            let class = match is_open(finding) {
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
                    report.tasks.iter().for_each(|task| self::task(html, task));
                });
            },
        );
    });
}

fn task(html: &mut Html, task: &TaskReport) {
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
            for path in change.flat_map(|change| &change.restored) {
                line(&format!("restored: {path}"));
            }
            if !task.reason.is_empty() && task.attempts.is_empty() {
                line(&last_line(&task.reason));
            }
        });
        let (class, sign) = match task.status.meets_dependency() {
            true => ("good whole", "✓"),
            false => ("bad whole", "✗"),
        };
        html.leaf(
            "td",
            &[("class", class)],
            &format!("{sign} {}", task.status),
        );
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
        let ms = std::time::Duration::try_from_secs_f64(task.seconds)
            .unwrap_or_default()
            .as_millis();
        html.leaf(
            "td",
            &number,
            &seconds(u64::try_from(ms).unwrap_or(u64::MAX)),
        );
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
                            html.leaf("td", &number, &seconds(call.took_ms));
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
                        let calls = plural(report.calls.len(), "call", "calls");
                        html.leaf("td", &[("colspan", "3")], &calls);
                        let took = report
                            .calls
                            .iter()
                            .map(|call| call.took_ms)
                            .fold(0, u64::saturating_add);
                        html.leaf("td", &number, &seconds(took));
                        html.leaf("td", &[], "");
                        html.leaf("td", &number, &grouped(usage.input_tokens));
                        html.leaf("td", &number, &grouped(usage.output_tokens));
                        let known = (usage.calls_without_cost < usage.calls)
                            .then_some(usage.cost_micro_usd);
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
