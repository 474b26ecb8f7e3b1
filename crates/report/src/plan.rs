//! The plan and the tasks that an agent proposes for a spec.

use std::fmt;

use review_types::{ExitCode, ModelId, QuestionUsage, TaskNumber, plural};
use serde::Serialize;

use crate::next::{NextStep, next_steps};
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, WARNING};
use crate::text::{named_command, one_line, printable};

/// The plan and the tasks of a spec, as an agent proposes them. This is the object that
/// `ralph plan --format json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanReport {
    /// The spec, relative to the root.
    pub spec: String,
    /// The id of its unit.
    pub unit: String,
    /// The folder of the unit, relative to the root.
    pub dir: String,
    /// The result.
    pub outcome: PlanOutcome,
    /// Why no tasks were proposed, if none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who proposed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<ModelId>,
    /// What the calls consumed.
    #[serde(flatten)]
    pub usage: QuestionUsage,
    /// The files of the last answer, by path.
    pub files: Vec<PlanFile>,
    /// The tasks in them.
    pub tasks: Vec<PlanTask>,
    /// What is wrong, or remarkable, with these files.
    pub problems: Vec<PlanProblem>,
    /// The folder with the logs of calls that failed.
    pub logs: String,
    /// What a user can do next.
    pub next: Vec<NextStep>,
}

/// The result of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOutcome {
    /// The files are written.
    Written,
    /// The files can be written; this was not asked for.
    Proposed,
    /// No answer was accepted.
    Rejected,
    /// The agent needs an answer first.
    Question,
    /// The agent gave no answer.
    NoAnswer,
    /// A limit was reached.
    Limit,
}

impl PlanOutcome {
    /// Returns the exit code of a process that ends with it.
    #[must_use]
    pub const fn exit_code(self) -> ExitCode {
        match self {
            Self::Written | Self::Proposed => ExitCode::Passed,
            Self::Rejected | Self::Question => ExitCode::NotPassed,
            Self::NoAnswer => ExitCode::NoVerdict,
            Self::Limit => ExitCode::Limit,
        }
    }
}

/// A file of a proposed unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanFile {
    /// Its path, relative to the root.
    pub path: String,
    /// Its whole text.
    pub text: String,
}

/// A proposed task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanTask {
    /// Its number.
    pub id: TaskNumber,
    /// Its title.
    pub title: String,
    /// Its file, relative to the root.
    pub path: String,
    /// The tasks that it depends on.
    pub depends_on: Vec<TaskNumber>,
    /// Its command.
    pub command: String,
}

/// Something wrong with a proposed file, or with the answer as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanProblem {
    /// The file, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The rule that found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whether the files cannot be written with it.
    pub blocks: bool,
    /// The problem.
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl PlanProblem {
    /// A problem of the answer as a whole, with which nothing is written.
    #[must_use]
    pub fn of_answer(message: impl Into<String>) -> Self {
        Self {
            path: None,
            line: None,
            rule: None,
            blocks: true,
            message: message.into(),
            help: None,
        }
    }

    /// A problem of a file, with which nothing is written.
    #[must_use]
    pub fn of_file(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: Some(path.into()),
            ..Self::of_answer(message)
        }
    }
}

/// One line: the place, the rule, the message and the help.
impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            f.write_str(path)?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        if let Some(rule) = &self.rule {
            write!(f, "{rule}: ")?;
        }
        f.write_str(&one_line(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "; help: {}", one_line(help)),
            None => Ok(()),
        }
    }
}

impl PlanReport {
    /// Returns the report with what a user can do next. `plan` plans the spec, and `run`
    /// has its tasks implemented.
    #[must_use]
    pub fn suggest(mut self, plan: &str, run: &str) -> Self {
        let spec = &self.spec;
        let (by_hand, by_command) = (NextStep::by_hand, NextStep::by_command);
        self.next = vec![match self.outcome {
            PlanOutcome::Written => by_command("have the tasks implemented", run),
            PlanOutcome::Proposed => {
                by_hand(format!("write the tasks: `{plan}` without --dry-run"))
            }
            PlanOutcome::Question => by_hand(format!("answer it in {spec}, then `{plan}`")),
            PlanOutcome::Rejected => by_hand(format!(
                "say in {spec} what was missed, or choose another agent, then `{plan}`"
            )),
            PlanOutcome::NoAnswer => by_hand(format!("see what failed, then `{plan}`")),
            PlanOutcome::Limit => by_hand(format!("raise the limit, then `{plan}`")),
        }];
        self
    }

    fn headline(&self) -> String {
        let reason = || self.reason.as_deref().map(one_line).unwrap_or_default();
        let tasks = plural(self.tasks.len(), "task", "tasks");
        match self.outcome {
            PlanOutcome::Written => format!("{GOOD}planned{RESET}: {tasks} in {}", self.dir),
            PlanOutcome::Proposed => format!(
                "{GOOD}proposed{RESET}: {tasks} in {}; nothing is written",
                self.dir
            ),
            PlanOutcome::Rejected => {
                let answers = plural(
                    usize::try_from(self.usage.calls).unwrap_or(usize::MAX),
                    "answer",
                    "answers",
                );
                format!(
                    "{ERROR}not planned{RESET}: {answers} could not be used; nothing is written"
                )
            }
            PlanOutcome::Question => format!("{WARNING}not planned{RESET}: question: {}", reason()),
            PlanOutcome::NoAnswer | PlanOutcome::Limit => {
                format!("{ERROR}not planned{RESET}: {}", reason())
            }
        }
    }
}

/// Returns what was planned as users read it; the contents of files where nothing is
/// written.
#[must_use]
pub fn human(report: &PlanReport) -> String {
    let mut text = String::new();
    for file in &report.files {
        let path = printable(&file.path);
        match report.outcome {
            PlanOutcome::Written => text += &format!("{GOOD}wrote{RESET} {path}\n"),
            PlanOutcome::Proposed => {
                let end = if file.text.ends_with('\n') { "" } else { "\n" };
                text += &format!("{STRONG}{path}{RESET}\n{}{end}\n", printable(&file.text));
            }
            PlanOutcome::Rejected
            | PlanOutcome::Question
            | PlanOutcome::NoAnswer
            | PlanOutcome::Limit => {}
        }
    }
    for problem in &report.problems {
        let kind = match problem.blocks {
            true => format!("{ERROR}error{RESET}"),
            false => format!("{WARNING}warning{RESET}"),
        };
        text += &format!("{kind}: {}\n", printable(&problem.to_string()));
    }
    text += &format!("{}\n", report.headline());
    if matches!(report.outcome, PlanOutcome::Written | PlanOutcome::Proposed) {
        for task in &report.tasks {
            let after: Vec<_> = task.depends_on.iter().map(ToString::to_string).collect();
            let after = match after.is_empty() {
                true => String::new(),
                false => format!(" after {}", after.join(", ")),
            };
            text += &format!(
                "  task {}  {}{FAINT}{after}{RESET}  {}\n",
                task.id,
                one_line(&task.title),
                named_command(&task.command)
            );
        }
    }
    if report.outcome == PlanOutcome::NoAnswer {
        text += &format!("{FAINT}logs: {}{RESET}\n", printable(&report.logs));
    }
    text + &next_steps(&report.next, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Styling;

    fn report(outcome: PlanOutcome) -> PlanReport {
        PlanReport {
            spec: "specs/WEB.md".to_owned(),
            unit: "web".to_owned(),
            dir: "tasks/web".to_owned(),
            outcome,
            reason: None,
            by: None,
            usage: QuestionUsage {
                calls: 3,
                calls_without_cost: 3,
                ..QuestionUsage::default()
            },
            files: vec![PlanFile {
                path: "tasks/web/02-page.md".to_owned(),
                text: "# Page\n".to_owned(),
            }],
            tasks: vec![PlanTask {
                id: TaskNumber::new(2).unwrap(),
                title: "Page".to_owned(),
                path: "tasks/web/02-page.md".to_owned(),
                depends_on: vec![TaskNumber::new(1).unwrap()],
                command: "pytest -q".to_owned(),
            }],
            problems: Vec::new(),
            logs: ".ralph-review/x".to_owned(),
            next: Vec::new(),
        }
    }

    fn text(report: PlanReport) -> String {
        let report = report.suggest("ralph plan WEB", "ralph run WEB");
        Styling::Plain.apply(human(&report))
    }

    #[test]
    fn what_is_written_is_named_and_what_is_not_is_shown() {
        assert_eq!(
            text(report(PlanOutcome::Written)),
            "wrote tasks/web/02-page.md\n\
             planned: 1 task in tasks/web\n\
             \x20 task 2  Page after 1  `pytest -q`\n\
             next:\nhave the tasks implemented:\nralph run WEB\n"
        );
        assert_eq!(
            text(report(PlanOutcome::Proposed)),
            "tasks/web/02-page.md\n# Page\n\n\
             proposed: 1 task in tasks/web; nothing is written\n\
             \x20 task 2  Page after 1  `pytest -q`\n\
             next:\nwrite the tasks: `ralph plan WEB` without --dry-run\n"
        );
    }

    #[test]
    fn an_answer_that_is_not_used_is_shown_with_what_is_wrong() {
        let mut rejected = report(PlanOutcome::Rejected);
        rejected.problems = vec![
            PlanProblem {
                line: Some(4),
                rule: Some("B1".to_owned()),
                help: Some("add a\ncommand".to_owned()),
                ..PlanProblem::of_file("tasks/web/02-page.md", "no command")
            },
            PlanProblem {
                blocks: false,
                ..PlanProblem::of_answer("it is long")
            },
        ];
        assert_eq!(
            text(rejected),
            "error: tasks/web/02-page.md:4: B1: no command; help: add a command\n\
             warning: it is long\n\
             not planned: 3 answers could not be used; nothing is written\n\
             next:\nsay in specs/WEB.md what was missed, or choose another agent, then \
             `ralph plan WEB`\n"
        );
    }
}
