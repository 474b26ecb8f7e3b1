//! The files of imported work, in the form in which the other readers of this crate
//! expect them.

use review_types::excerpt;
use serde_json::json;

use super::text::escaped;
use super::{Imported, Story};
use crate::reference::is_labelled;

/// The longest title in a heading, in characters.
const MAX_TITLE: usize = 120;

/// A task with its number.
#[derive(Clone, Debug)]
pub struct Numbered<'a> {
    /// The task.
    pub story: &'a Story,
    /// Its number.
    pub number: u32,
    /// The name of its file.
    pub file: String,
    /// The numbers of the tasks that come first.
    pub depends_on: Vec<u32>,
}

/// Returns the line by which an imported task is known again.
pub fn source_line(story: &Story, source: &str) -> String {
    format!("**Source**: `{}` of `{source}`", story.id)
}

/// Returns the content of a task file: its front matter and its Markdown. Only a task with a
/// command may claim to be complete. The Markdown depends on the source alone.
pub fn task_text(
    task: &Numbered<'_>,
    spec: &str,
    source: &str,
    command: Option<&str>,
) -> (String, String) {
    let Numbered { story, number, .. } = task;
    let status = match command.is_some() && story.is_claimed {
        true => "complete",
        false => "pending",
    };
    // A JSON string is a YAML scalar in double quotes.
    let command = command.map(|command| format!("backpressure: {}\n", json!(command)));
    let command = command.unwrap_or_default();
    let depends_on = format!("{:?}", task.depends_on);
    let head =
        format!("---\ntask: {number}\nstatus: {status}\n{command}depends_on: {depends_on}\n---\n");
    // Reports show a title as it is written, so that it has no marks of code.
    let title = story.title.replace('`', "");
    let mut title = escaped(&excerpt(&title, MAX_TITLE));
    if is_labelled(&title) {
        title = format!("\"{title}\"");
    }
    let mut objective = vec![escaped(&story.title)];
    objective.extend(story.text.iter().map(|line| escaped(line)));
    objective.extend(
        story
            .group
            .iter()
            .map(|group| format!("Group: {}", escaped(group))),
    );
    if story.is_claimed {
        objective.push(format!("`{source}` says that it is done."));
    }
    let objective = objective.join("\n\n");
    let line = source_line(story, source);
    let criteria = list(story.criteria.iter().map(|line| escaped(line)));
    let criteria = match criteria.is_empty() {
        true => String::new(),
        false => format!("## Acceptance Criteria\n\n{criteria}\n"),
    };
    let first = match task.depends_on.is_empty() {
        true => "None.".to_owned(),
        false => numbers(&task.depends_on),
    };
    let body = format!(
        "\n# {title}\n\n**Parent spec**: `/{spec}`\n{line}\n\n## Objective\n\n{objective}\n\n\
         {criteria}## Dependencies\n\n{first}\n"
    );
    (head, body)
}

/// Returns the content of the plan of a unit.
pub fn plan_text(unit: &str, spec: &str, tasks: &[Numbered<'_>]) -> String {
    let rows = tasks.iter().map(|task| {
        let first = match task.depends_on.is_empty() {
            true => "None".to_owned(),
            false => numbers(&task.depends_on),
        };
        format!("| {} | {} | {first} |\n", task.number, task.file)
    });
    let (unit_value, spec) = (json!(unit), json!(spec));
    format!(
        "---\nunit: {unit_value}\nspec: {spec}\ndepends_on: []\n---\n\n\
         # Implementation plan: {unit}\n\n\
         | # | Task | Depends on |\n|---|------|------------|\n{}",
        rows.collect::<String>()
    )
}

/// Returns the content of a spec for work that has none.
pub fn spec_text(work: &Imported, source: &str, tasks: &[Numbered<'_>]) -> String {
    let title = match &work.title {
        Some(title) => escaped(&excerpt(title, MAX_TITLE)),
        None => format!("Work of {}", escaped(source)),
    };
    let summary = work
        .summary
        .iter()
        .map(|line| format!("{}\n\n", escaped(line)));
    let summary: String = summary.collect();
    let requirement =
        |task: &Numbered<'_>| format!("**FR-{}**: {}", task.number, escaped(&task.story.title));
    let requirements = list(tasks.iter().map(requirement));
    format!(
        "# {title}\n\nTaken from `{source}`.\n\n{summary}## Requirements\n\n{requirements}\n\
         ## Acceptance\n\n- The command of each task passes.\n"
    )
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}\n")).collect()
}

fn numbers(numbers: &[u32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(|number| format!("#{number}")).collect();
    numbers.join(", ")
}
