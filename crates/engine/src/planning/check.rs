//! Checks the files of a proposed unit before any is written.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use review_document::workspace::Workspace;
use review_document::{FileRole, Unit};
use review_lint::{Finding, Severity, lint};
use review_report::plan::{PlanProblem, PlanTask};
use review_store::{FileArtifact, Lookup, Overlay, Root, RootPath, workspace};
use review_tasks::TaskPlan;
use review_text::near::fold;
use review_types::TaskStatus;

use super::NewUnit;
use crate::error::EngineError;
use crate::project::Project;

/// The longest name of a file, in bytes: other names are made from it.
const MAX_NAME: usize = 200;

/// What is known of the files of an answer.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The tasks.
    pub(super) tasks: Vec<PlanTask>,
    /// The problems, those that block first.
    pub(super) problems: Vec<PlanProblem>,
}

impl Checked {
    /// An answer with one problem.
    pub(super) fn rejected(problem: PlanProblem) -> Self {
        Self {
            problems: vec![problem],
            ..Self::default()
        }
    }

    /// Whether nothing of it is to be written.
    pub(super) fn is_rejected(&self) -> bool {
        self.problems.iter().any(|problem| problem.blocks)
    }
}

/// Checks the files of a unit as if they were there.
///
/// # Errors
/// [`EngineError`] when a file of the project cannot be read.
pub(super) fn check(
    project: &Project<'_>,
    unit: &NewUnit,
    settings: &review_lint::Settings,
    files: &BTreeMap<RootPath, String>,
) -> Result<Checked, EngineError> {
    let mut problems = misplaced(&project.root, unit, files);
    if !problems.is_empty() {
        return Ok(Checked {
            problems,
            ..Checked::default()
        });
    }
    let mut overlay = Overlay::default();
    for (path, text) in files {
        overlay.insert(path.clone(), text.as_bytes());
    }
    let dir = RootPath::new(&unit.dir)?;
    let spec = RootPath::new(&unit.spec)?;
    let artifact = FileArtifact::unit(project.root.clone(), unit.id.clone(), dir, Some(spec));
    let path = project.env.get(OsStr::new("PATH"));
    let workspace = workspace(
        &artifact,
        Lookup {
            state: &project.state,
            path: path.map(OsString::as_os_str),
            tracked: &[],
            overlay: &overlay,
        },
    )?;
    let Some(loaded) = &workspace.unit else {
        return Ok(Checked::rejected(PlanProblem::of_answer(
            "the answer has no file of a unit",
        )));
    };
    problems.extend(incomplete(loaded, files));
    problems.extend(found(&workspace, settings, files));
    if problems.iter().all(|problem| !problem.blocks) {
        problems.extend(not_runnable(loaded));
    }
    let texts: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let plan = TaskPlan::load(unit.id.clone(), &unit.dir, &texts);
    problems.extend(plan.unnamed_tests().map(|unnamed| PlanProblem {
        blocks: false,
        ..PlanProblem::of_answer(unnamed)
    }));
    problems.sort_by_key(|problem| !problem.blocks);
    Ok(Checked {
        tasks: tasks(loaded),
        problems,
    })
}

/// The files that are not where files of the unit are, or are there already.
fn misplaced(root: &Root, unit: &NewUnit, files: &BTreeMap<RootPath, String>) -> Vec<PlanProblem> {
    let dir = &unit.dir;
    let mut names = BTreeSet::new();
    let mut wrong = |path: &RootPath| {
        let name = path.as_str().rsplit('/').next().unwrap_or_default();
        if path.as_str().contains(char::is_control) {
            return Some("has a control character in its name".to_owned());
        }
        if name.len() > MAX_NAME {
            let length = name.len();
            return Some(format!(
                "has a name of {length} bytes; at most {MAX_NAME} are used"
            ));
        }
        let folder = path.as_str().rsplit_once('/');
        if folder.is_none_or(|(folder, _)| folder != *dir) {
            return Some(format!("is not directly in {dir}, the folder of the tasks"));
        }
        if FileRole::of(path.as_str()) == FileRole::Other {
            return Some("is neither a plan nor a task; its name must end with .md".to_owned());
        }
        if !names.insert(fold(path.as_str())) {
            return Some("differs from another file only in the case of its letters".to_owned());
        }
        match root.resolve(path) {
            Err(error) => Some(error.to_string()),
            Ok(real) if real.symlink_metadata().is_ok() => {
                Some("exists already, and is not overwritten".to_owned())
            }
            Ok(_) => None,
        }
    };
    let problem = |path: &RootPath| {
        let shown = path.as_str().escape_debug().to_string();
        Some(PlanProblem::of_file(&shown, wrong(path)?))
    };
    files.keys().filter_map(problem).collect()
}

/// What a plan and tasks that are new must have.
fn incomplete(unit: &Unit, files: &BTreeMap<RootPath, String>) -> Vec<PlanProblem> {
    let mut problems = Vec::new();
    if unit.plan.is_none() {
        let message = "the answer has no IMPLEMENTATION_PLAN.md";
        problems.push(PlanProblem::of_answer(message));
    }
    if unit.tasks.is_empty() {
        problems.push(PlanProblem::of_answer("the answer has no file of a task"));
    }
    for path in files.keys() {
        let is_task = unit.tasks.iter().any(|task| task.path == path.as_str());
        if !is_task && FileRole::of(path.as_str()) != FileRole::Plan {
            let message = "is neither a plan nor a task; the name of a task starts with its number";
            problems.push(PlanProblem::of_file(path.as_str(), message));
        }
    }
    for task in &unit.tasks {
        if task.status != TaskStatus::Pending {
            let message = format!("has the status {}; a new task is pending", task.status);
            problems.push(PlanProblem::of_file(&task.path, message));
        }
        if task.backpressure.is_empty() {
            let message = "has no command under `backpressure`";
            problems.push(PlanProblem::of_file(&task.path, message));
        }
    }
    problems
}

/// What the rules find in the files. With a score below its minimum warnings block, too:
/// the review of the run would ask for their fix.
fn found(
    workspace: &Workspace,
    settings: &review_lint::Settings,
    files: &BTreeMap<RootPath, String>,
) -> Vec<PlanProblem> {
    let report = lint(workspace, settings);
    let lowest = match report.below_minimum() {
        [] => Severity::Error,
        _ => Severity::Warning,
    };
    let is_new = |finding: &&Finding| files.keys().any(|path| path.as_str() == finding.path);
    let findings = report.findings().iter().filter(is_new);
    let problem = |finding: &Finding| PlanProblem {
        path: Some(finding.path.clone()),
        line: Some(finding.position.line),
        rule: Some(finding.rule.code().to_owned()),
        blocks: finding.severity >= lowest,
        message: finding.message.clone(),
        help: Some(finding.suggestion.clone()).filter(|text| !text.is_empty()),
    };
    findings.map(problem).collect()
}

/// What keeps the tasks from running, where no rule says so.
fn not_runnable(unit: &Unit) -> Vec<PlanProblem> {
    let faults = unit.graph().runnable().err().unwrap_or_default();
    let fault = |fault: &review_document::Fault| PlanProblem {
        line: Some(fault.place.position.line),
        help: fault.kind.hint(),
        ..PlanProblem::of_file(&fault.path, fault.to_string())
    };
    faults.iter().map(fault).collect()
}

fn tasks(unit: &Unit) -> Vec<PlanTask> {
    let tasks = unit.tasks.iter();
    let task = |task: &review_document::TaskFile| {
        let steps = task.backpressure.iter().map(|step| step.value.as_str());
        let title = task.title.as_ref().map(|title| title.value.clone());
        let depends_on = task.depends_on.iter().map(|number| number.value);
        Some(PlanTask {
            id: task.number.as_ref()?.value,
            title: title.unwrap_or_default(),
            path: task.path.clone(),
            depends_on: depends_on.collect(),
            command: steps.collect::<Vec<_>>().join(" && "),
        })
    };
    tasks.filter_map(task).collect()
}
