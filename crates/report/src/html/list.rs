//! The page of all runs.

use super::{Delivery, Html, page, sign};
use crate::run::RunList;
use crate::text::one_line;

/// The page of the runs, each with a link to its page below `runs`.
#[must_use]
pub fn list(list: &RunList, delivery: Delivery<'_>) -> String {
    page("ralph runs", delivery, |html| {
        html.leaf("h1", &[], "Runs");
        if list.runs.is_empty() {
            html.leaf("p", &[], "no runs yet");
            return;
        }
        let head = [
            "run",
            "started (UTC)",
            "#took",
            "outcome",
            "spec",
            "#rounds",
            "#tasks",
            "reviewer",
            "#tokens",
            "#cost",
        ];
        html.table(&head, |html| {
            html.tag("tbody", &[], |html| {
                for run in &list.runs {
                    html.tag("tr", &[], |html| row(html, run));
                }
            });
        });
    })
}

fn row(html: &mut Html, run: &crate::run::ListedRun) {
    let [id, at, took, outcome, spec, _, _, reviewer, _, cost] = run.cells();
    let number = [("class", "number")];
    html.tag("td", &[("class", "id whole")], |html| {
        html.leaf("a", &[("href", &format!("runs/{}", run.run))], &id);
    });
    html.leaf("td", &[("class", "whole")], &at);
    html.leaf("td", &number, &took);
    html.tag("td", &[], |html| {
        let (class, sign) = sign(run.outcome);
        html.leaf(
            "span",
            &[("class", &format!("whole {class}"))],
            &format!("{sign} {outcome}"),
        );
        let why = run.progress.as_deref().unwrap_or(&run.block_reason);
        if !why.is_empty() {
            html.leaf("div", &[("class", "faint")], &one_line(why));
        }
    });
    html.leaf("td", &[], &spec);
    let rounds = Some(run.rounds.to_string()).filter(|_| run.rounds > 0);
    html.leaf("td", &number, &rounds.unwrap_or_default());
    let tasks = Some(format!("{} of {}", run.tasks_passed, run.tasks));
    let tasks = tasks.filter(|_| run.tasks > 0);
    html.leaf("td", &number, &tasks.unwrap_or_default());
    html.leaf("td", &[], &reviewer);
    let tokens = run.usage.map(|usage| usage.tokens().to_string());
    html.leaf("td", &number, &tokens.unwrap_or_default());
    html.leaf("td", &number, &cost);
}
