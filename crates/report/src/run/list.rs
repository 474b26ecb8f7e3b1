//! The runs that there are.

use std::collections::BTreeMap;
use std::time::Duration;

use review_types::{Outcome, RunId, Timestamp, Usd, plural};
use serde::Serialize;

use super::calls::agent;
use super::report::{RunReport, RunRequest};
use super::summary::outcome_word;
use super::usage::UsageReport;
use crate::path::below;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::{columns, one_line, seconds};

/// The list of runs. This is the object that `--format json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct RunList {
    /// The runs, the newest first.
    pub runs: Vec<ListedRun>,
    /// What the calls of these runs consumed, by month and model.
    pub sums: Vec<UsageSum>,
}

/// What the calls of a model consumed in the runs that were started in a month.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct UsageSum {
    /// The year and the month, such as `2026-11`.
    pub month: String,
    /// The backend with its model; `unknown` where a call does not say.
    pub model: String,
    /// What its calls consumed.
    pub usage: UsageReport,
}

/// A run in the list.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ListedRun {
    /// Its id.
    pub run: RunId,
    /// The root that it works in, seen from the root of the current folder, which is
    /// `.` itself.
    pub root: String,
    /// When it was started; `null` where its journal cannot be read.
    pub at: Option<Timestamp>,
    /// How long a process worked on it, in milliseconds.
    pub took_ms: u64,
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The rounds of review.
    pub rounds: usize,
    /// The tasks that had their turn.
    pub tasks: usize,
    /// Those of them that passed.
    pub tasks_passed: usize,
    /// Who gave the last verdict, or was asked for one.
    pub reviewer: String,
    /// What its calls of models consumed; left out where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageReport>,
    /// Whether a gate made it; such a run is never `latest`.
    pub by_gate: bool,
    /// Its outcome; `null` while a process is at work on it.
    pub outcome: Option<Outcome>,
    /// Why it is blocked, in words; empty when it is not.
    pub block_reason: String,
    /// Which process is at work on it, since when, and on what; left out where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
}

impl RunList {
    /// The list of runs with these reports; each has the root that it works in, and says
    /// whether a gate made it.
    #[must_use]
    pub fn new(runs: Vec<ListedRun>, reports: &[RunReport]) -> Self {
        let mut sums: BTreeMap<(String, String), UsageReport> = BTreeMap::new();
        for report in reports {
            let at = report.at.map(|at| at.to_string()).unwrap_or_default();
            let month = at.get(..7).unwrap_or_default();
            for call in &report.calls {
                let model = call.by.as_ref().map_or_else(|| "unknown".to_owned(), agent);
                let sum = sums.entry((month.to_owned(), model)).or_default();
                sum.add(call.usage.as_ref());
            }
        }
        Self {
            runs,
            sums: sums
                .into_iter()
                .rev()
                .map(|((month, model), usage)| UsageSum {
                    month,
                    model,
                    usage,
                })
                .collect(),
        }
    }
}

impl ListedRun {
    /// A run in the list, by its report.
    #[must_use]
    pub fn new(run: RunId, root: &str, report: &RunReport, by_gate: bool) -> Self {
        let tasks = report.tasks.iter();
        let passed = tasks.filter(|task| task.status.meets_dependency());
        Self {
            run,
            root: root.to_owned(),
            at: report.at,
            took_ms: report.took_ms,
            spec: report.spec.clone(),
            rounds: report.iterations.len(),
            tasks: report.tasks.len(),
            tasks_passed: passed.count(),
            reviewer: report.reviewer.clone(),
            usage: report.usage,
            by_gate,
            outcome: report.outcome,
            block_reason: report.block_reason.clone(),
            progress: report.progress.clone(),
        }
    }

    /// A run whose journal cannot be read, and why.
    #[must_use]
    pub fn unreadable(run: RunId, root: &str, why: String) -> Self {
        let mut report = RunReport::new(RunRequest::default());
        report.outcome = Some(Outcome::Error);
        report.block_reason = why;
        Self::new(run, root, &report, false)
    }

    /// Id, start, time, outcome, spec, rounds, tasks, reviewer, tokens and cost.
    pub(crate) fn cells(&self) -> [String; 10] {
        let at = self.at.map(minute).unwrap_or_default();
        let rounds = match self.rounds {
            0 => String::new(),
            rounds => plural(rounds, "round", "rounds"),
        };
        let tasks = match self.tasks {
            0 => String::new(),
            tasks => format!(
                "{} of {}",
                self.tasks_passed,
                plural(tasks, "task", "tasks")
            ),
        };
        let reviewer = match self.rounds {
            0 => String::new(),
            _ => one_line(&self.reviewer),
        };
        let (tokens, cost) = self.usage.map_or_else(Default::default, |usage| {
            let cost = Usd::from_micro(usage.cost_micro_usd);
            let cost = (usage.calls_without_cost < usage.calls).then(|| format!("${cost}"));
            (
                format!("{} tokens", usage.tokens()),
                cost.unwrap_or_default(),
            )
        });
        [
            self.run.short().to_owned(),
            at,
            self.at
                .map(|_| seconds(Duration::from_millis(self.took_ms)))
                .unwrap_or_default(),
            outcome_word(self.outcome).to_owned(),
            one_line(&below(&self.root, &self.spec)),
            rounds,
            tasks,
            reviewer,
            tokens,
            cost,
        ]
    }
}

/// A time to the minute, for people.
pub(crate) fn minute(at: Timestamp) -> String {
    let at = at.to_string();
    at.get(..16).unwrap_or_default().replace('T', " ")
}

/// Returns when a run was started and how long it took, in one line; empty without a run.
#[must_use]
pub fn time_line(report: &RunReport) -> String {
    report.at.map_or_else(String::new, |at| {
        let took = seconds(Duration::from_millis(report.took_ms));
        format!("{FAINT}started {} UTC, took {took}{RESET}\n", minute(at))
    })
}

/// Returns the runs, one line each.
#[must_use]
pub fn list(list: &RunList) -> String {
    if list.runs.is_empty() {
        return "no runs yet\n".to_owned();
    }
    let cells: Vec<_> = list.runs.iter().map(ListedRun::cells).collect();
    let mut text = String::new();
    for (run, row) in list.runs.iter().zip(columns(&cells)) {
        let (id, row) = row.split_at(run.run.short().len());
        text.push_str(&format!("{STRONG}{id}{RESET}{row}"));
        if run.by_gate {
            text.push_str(&format!("  {FAINT}by the gate{RESET}"));
        }
        let why = run.progress.as_deref().unwrap_or(&run.block_reason);
        if !why.is_empty() {
            text.push_str(&format!("  {FAINT}{}{RESET}", one_line(why)));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::plain;

    fn listed(id: &str, usage: Option<UsageReport>, tasks: usize) -> ListedRun {
        ListedRun {
            run: RunId::new(id).unwrap(),
            root: ".".to_owned(),
            at: Some(Timestamp::from_unix_ms(1_795_838_400_000)),
            took_ms: 190_000,
            spec: "specs/SEARCH.md".to_owned(),
            rounds: 2,
            tasks,
            tasks_passed: 1,
            reviewer: "claude".to_owned(),
            usage,
            by_gate: false,
            outcome: Some(Outcome::NotPassed),
            block_reason: String::new(),
            progress: None,
        }
    }

    #[test]
    fn a_list_has_a_line_a_run_in_columns_and_a_reason_in_one_line() {
        let usage = UsageReport {
            calls: 2,
            input_tokens: 12_000,
            output_tokens: 345,
            cost_micro_usd: 470_000,
            calls_without_tokens: 0,
            calls_without_cost: 1,
        };
        let mut first = listed("0192f0c1-0000-7000-8000-0000000000a1", Some(usage), 3);
        first.block_reason = "two\nlines".to_owned();
        let mut second = listed("0192f0c1-0000-7000-8000-0000000000b2", None, 0);
        second.rounds = 0;
        second.took_ms = 900;
        second.by_gate = true;
        let gone = RunId::new("0192f0c1-0000-7000-8000-0000000000c3").unwrap();
        let gone = ListedRun::unreadable(gone, ".", "no journal".to_owned());
        let runs = RunList::new(vec![first, second, gone], &[]);
        let expected = "\
            000000a1  2026-11-28 04:00  3m10s  not_passed  specs/SEARCH.md  2 rounds  1 of 3 tasks  claude  12345 tokens  $0.47  two lines\n\
            000000b2  2026-11-28 04:00  900ms  not_passed  specs/SEARCH.md  by the gate\n\
            000000c3                           error  no journal\n";
        assert_eq!(plain(&list(&runs)), expected);
    }
}
