//! The states of specs and tasks.

use std::collections::BTreeSet;

use review_types::{RunId, TaskNumber, TaskStatus};
use serde::Serialize;

use crate::next::{NextStep, next_steps};
use crate::path::{below, in_root};
use crate::run::named_tasks;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, WARNING};
use crate::text::{named_command, one_line, printable};

/// How tasks get a command.
pub(crate) const GIVE_COMMAND: &str = "`backpressure` in the front matter, or `ralph import PATH \
                                       --command CMD` where they were imported";

/// The states of specs and tasks. This is the object that `--format json`
/// prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct StatusReport {
    /// The specs.
    pub specs: Vec<SpecStatus>,
}

/// A spec and its tasks.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct SpecStatus {
    /// The root that its paths are relative to, seen from the root of the current
    /// folder, which is `.` itself.
    pub root: String,
    /// The spec, relative to the root.
    pub spec: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// Whether a recorded pass belongs to the spec and its tasks as they are.
    pub reviewed: bool,
    /// Who approved them as they are, where no review has passed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// Its tasks.
    pub tasks: Vec<TaskLine>,
    /// What is wrong with the unit.
    pub faults: Vec<String>,
    /// What a user can do next; empty when records prove everything.
    pub next: Vec<NextStep>,
}

impl SpecStatus {
    /// Adds what a user can do next. `run` is the command that reviews the spec and
    /// runs its tasks.
    pub fn suggest(&mut self, run: &str) {
        self.next = self.step(run).into_iter().collect();
        if self.tasks.is_empty() && self.faults.is_empty() {
            let plan = format!(
                "have an agent write its tasks: `ralph plan {} --implementer AGENT`{}",
                self.spec,
                in_root(&self.root)
            );
            self.next.push(NextStep::by_hand(plan));
        }
    }

    /// Says that a process is at work on a run of it; commands find that with `options`.
    pub fn is_worked_at(&mut self, run: &RunId, options: &[String]) {
        let watch = of_run("watch", run, options);
        let text = format!(
            "wait for run {}, which is at work on it; `{watch}` shows what it does",
            run.short()
        );
        self.next = vec![NextStep::by_hand(text)];
    }

    /// Says that what a run did for some tasks waits to be landed; commands find that with
    /// `options`.
    pub fn has_waiting_work(&mut self, run: &RunId, tasks: &[TaskNumber], options: &[String]) {
        let land = of_run("land", run, options);
        let tasks = named_tasks(tasks);
        let text = format!("land what run {} has done for {tasks}", run.short());
        self.next = vec![NextStep::by_command(text, land)];
    }

    fn step(&self, run: &str) -> Option<NextStep> {
        if !self.faults.is_empty() {
            let text = format!("fix the faults, which `ralph lint` explains, then `{run}`");
            return Some(NextStep::by_hand(text));
        }
        if let Some(step) = self.missing_commands(run).or_else(|| self.open_task(run)) {
            return Some(step);
        }
        let mut tasks = self.tasks.iter();
        let is_complete = |task: &TaskLine| task.status == TaskStatus::Complete;
        if !tasks.clone().all(is_complete) {
            return None;
        }
        let is_settled = self.reviewed || self.approved_by.is_some();
        match (is_settled, tasks.all(|task| task.recorded)) {
            (true, true) => None,
            (false, true) => Some(NextStep::by_command("review it", run)),
            (_, false) => Some(NextStep::by_command("prove what no record proves", run)),
        }
    }

    /// The step that gives the tasks that are to be done a command, where some have none.
    pub(crate) fn missing_commands(&self, run: &str) -> Option<NextStep> {
        let tasks = self.tasks.iter();
        let without = tasks.filter(|task| task.is_open() && task.command.is_empty());
        let without: Vec<_> = without.map(|task| task.id).collect();
        (!without.is_empty()).then(|| {
            NextStep::by_hand(format!(
                "give {} a command: {GIVE_COMMAND}, then `{run}`",
                named_tasks(&without)
            ))
        })
    }

    /// The step that completes the first task that is to be done.
    pub(crate) fn open_task(&self, run: &str) -> Option<NextStep> {
        let tasks = self.tasks.iter();
        let complete = tasks.filter(|task| task.status == TaskStatus::Complete);
        let complete: BTreeSet<_> = complete.map(|task| task.id).collect();
        let waits_for_none =
            |task: &&TaskLine| task.depends_on.iter().all(|id| complete.contains(id));
        let mut open = self.tasks.iter().filter(|task| task.is_open());
        let task = open.find(waits_for_none)?;
        Some(NextStep::by_hand(task.step(&self.root, run)))
    }
}

/// The command line of a command about a run.
fn of_run(command: &str, run: &RunId, options: &[String]) -> String {
    let words = ["ralph", command, run.short()].into_iter();
    shell_words::join(words.chain(options.iter().map(String::as_str)))
}

/// A task.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct TaskLine {
    /// Its number.
    pub id: TaskNumber,
    /// Its title.
    pub title: String,
    /// The status that the task's file claims.
    pub status: TaskStatus,
    /// Whether a recorded passing run belongs to the task and tree as they are.
    pub recorded: bool,
    /// The tasks that it depends on.
    pub depends_on: Vec<TaskNumber>,
    /// Its command.
    pub command: String,
}

impl TaskLine {
    /// Whether it is to be done.
    fn is_open(&self) -> bool {
        matches!(
            self.status,
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Failed
        )
    }

    fn step(&self, root: &str, run: &str) -> String {
        let place = in_root(root);
        let (id, title) = (self.id, one_line(&self.title));
        let command = named_command(&self.command);
        format!("make task {id} ({title}) pass{place}: {command}, then `{run}`")
    }
}

/// Returns a spec and its tasks as users read them.
#[must_use]
pub fn human(spec: &SpecStatus) -> String {
    let review = match (spec.reviewed, &spec.approved_by) {
        (true, _) => format!("{GOOD}reviewed{RESET}"),
        (false, Some(by)) => format!("{GOOD}approved by {}{RESET}", one_line(by)),
        (false, None) => format!("{WARNING}not reviewed as it is{RESET}"),
    };
    let mut text = format!(
        "{STRONG}{}{RESET}  {review}\n",
        printable(&below(&spec.root, &spec.spec))
    );
    for fault in &spec.faults {
        text.push_str(&format!(
            "  {ERROR}fault{RESET}  {}\n",
            printable(&below(&spec.root, fault))
        ));
    }
    for task in &spec.tasks {
        let style = match task.status {
            TaskStatus::Complete => GOOD,
            TaskStatus::Failed | TaskStatus::Blocked => ERROR,
            TaskStatus::Pending | TaskStatus::InProgress => WARNING,
        };
        let recorded = match (task.recorded, task.status) {
            (true, _) => "  recorded",
            (false, TaskStatus::Complete) => "  not recorded for this tree",
            (false, _) => "",
        };
        text.push_str(&format!(
            "  task {}  {style}{}{RESET}  {}{FAINT}{recorded}{RESET}\n",
            task.id,
            task.status,
            printable(&task.title)
        ));
    }
    let next = next_steps(&spec.next, None);
    text.extend(next.lines().map(|line| format!("  {line}\n")));
    text
}

/// Returns the tasks of a spec as a Mermaid flowchart, with what each waits for.
#[must_use]
pub fn mermaid(spec: &SpecStatus) -> String {
    let mut text = String::from("flowchart TD\n");
    for task in &spec.tasks {
        let title = one_line(&task.title).replace('#', "#35;");
        let title = title.replace('"', "#quot;");
        let (id, status) = (task.id, task.status);
        text.push_str(&format!("  t{id}[\"{id}. {title}\"]:::{status}\n"));
    }
    for task in &spec.tasks {
        for before in &task.depends_on {
            text.push_str(&format!("  t{before} --> t{}\n", task.id));
        }
    }
    text.push_str("  classDef complete fill:#d5f5d5\n  classDef failed fill:#f5d5d5\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Styling;

    fn task(id: u32, status: TaskStatus, depends_on: &[u32]) -> TaskLine {
        let number = |id: &u32| TaskNumber::new(*id).unwrap();
        TaskLine {
            id: number(&id),
            title: format!("Step {id}"),
            status,
            recorded: status == TaskStatus::Complete,
            depends_on: depends_on.iter().map(number).collect(),
            command: format!("pytest -q tests/test_{id}.py"),
        }
    }

    fn next(reviewed: bool, tasks: Vec<TaskLine>) -> Option<String> {
        let mut spec = SpecStatus {
            root: ".".to_owned(),
            spec: "specs/A.md".to_owned(),
            unit: Some("a".to_owned()),
            reviewed,
            approved_by: None,
            tasks,
            faults: Vec::new(),
            next: Vec::new(),
        };
        spec.suggest("ralph run specs/A.md");
        let first = spec.next.get(..1)?;
        Some(Styling::Plain.apply(next_steps(first, None)))
    }

    #[test]
    fn the_next_step_is_the_first_task_that_waits_for_no_other_one() {
        use TaskStatus::{Blocked, Complete, Failed, Pending};
        let step = |id| {
            format!(
                "next:\nmake task {id} (Step {id}) pass: `pytest -q tests/test_{id}.py`, \
                 then `ralph run specs/A.md`\n"
            )
        };
        for (tasks, expected) in [
            (
                vec![task(1, Pending, &[]), task(2, Pending, &[1])],
                Some(step(1)),
            ),
            (
                vec![task(1, Complete, &[]), task(2, Failed, &[1])],
                Some(step(2)),
            ),
            (
                vec![
                    task(1, Blocked, &[]),
                    task(2, Pending, &[1]),
                    task(3, Pending, &[]),
                ],
                Some(step(3)),
            ),
            (vec![task(1, Blocked, &[]), task(2, Pending, &[1])], None),
        ] {
            assert_eq!(next(true, tasks), expected);
        }
    }

    #[test]
    fn tasks_without_a_command_get_one_first() {
        use TaskStatus::{Complete, Pending};
        let bare = |id, status| TaskLine {
            command: String::new(),
            ..task(id, status, &[])
        };
        let tasks = vec![
            task(1, Pending, &[]),
            bare(2, Pending),
            bare(3, Complete),
            bare(4, Pending),
        ];
        let step = "next:\ngive tasks 2, 4 a command: `backpressure` in the front matter, or \
                    `ralph import PATH --command CMD` where they were imported, then \
                    `ralph run specs/A.md`\n";
        assert_eq!(next(true, tasks).as_deref(), Some(step));
    }

    #[test]
    fn a_flowchart_escapes_titles_and_has_an_arrow_for_each_dependency() {
        use TaskStatus::{Complete, Failed, Pending};
        let mut first = task(1, Complete, &[]);
        first.title = "Store \"fast\"\nand #2".to_owned();
        let spec = SpecStatus {
            tasks: vec![first, task(2, Pending, &[1]), task(3, Failed, &[2, 1])],
            ..SpecStatus::default()
        };
        assert_eq!(
            mermaid(&spec),
            "flowchart TD\n\
             \x20 t1[\"1. Store #quot;fast#quot; and #35;2\"]:::complete\n\
             \x20 t2[\"2. Step 2\"]:::pending\n\
             \x20 t3[\"3. Step 3\"]:::failed\n\
             \x20 t1 --> t2\n\
             \x20 t2 --> t3\n\
             \x20 t1 --> t3\n\
             \x20 classDef complete fill:#d5f5d5\n\
             \x20 classDef failed fill:#f5d5d5\n"
        );
    }

    #[test]
    fn what_no_record_proves_is_the_next_step_after_the_tasks() {
        let complete = || task(1, TaskStatus::Complete, &[]);
        assert_eq!(next(true, vec![complete()]), None);
        let review = next(false, vec![complete()]);
        assert_eq!(review.unwrap(), "next:\nreview it:\nralph run specs/A.md\n");
        let mut changed = complete();
        changed.recorded = false;
        let prove = next(true, vec![changed]);
        assert_eq!(
            prove.unwrap(),
            "next:\nprove what no record proves:\nralph run specs/A.md\n"
        );
        assert!(
            next(false, Vec::new()).is_some(),
            "a spec without tasks is reviewed"
        );
    }
}
