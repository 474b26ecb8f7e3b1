//! The page of all runs.

use super::{Delivery, Html, known, page, sign};
use crate::run::{ListedRun, RunList};
use crate::text::one_line;

/// The page of the runs, each with a link to its page below `runs`.
#[must_use]
pub fn list(list: &RunList, delivery: Delivery<'_>) -> String {
    page("ralph runs", delivery, |html| {
        html.leaf("h1", "Runs");
        if list.runs.is_empty() {
            html.leaf("p", "no runs yet");
            return;
        }
        let head =
            "run, started (UTC), #took, outcome, spec, #rounds, #tasks, reviewer, #tokens, #cost";
        html.table(head, |html| html.rows(&list.runs, row));
    })
}

fn row(html: &mut Html, run: &ListedRun) {
    let [id, at, took, outcome, spec, _, _, reviewer, _, cost] = run.cells();
    html.tag("td.id whole", |html| {
        let link = format!("runs/{}", run.run);
        html.tag_with("a", &[("href", &link)], |html| html.text(&id));
    });
    html.leaf("td.whole", &at);
    html.leaf("td.number", &took);
    html.tag("td", |html| {
        let (class, sign) = sign(run.outcome);
        html.leaf(&format!("span.whole {class}"), &format!("{sign} {outcome}"));
        let why = run.progress.as_deref().unwrap_or(&run.block_reason);
        if !why.is_empty() {
            html.leaf("div.faint", &one_line(why));
        }
    });
    html.leaf("td", &spec);
    html.leaf("td.number", &known((run.rounds > 0).then_some(run.rounds)));
    let tasks = || format!("{} of {}", run.tasks_passed, run.tasks);
    html.leaf("td.number", &known((run.tasks > 0).then(tasks)));
    html.leaf("td", &reviewer);
    html.leaf("td.number", &known(run.usage.map(|usage| usage.tokens())));
    html.leaf("td.number", &cost);
}
