//! Facts about a workspace that several rules use, computed once.

mod deliverables;
mod file_name;
mod mentions;
pub(crate) mod numbers;
mod ordinal;
mod plan;
mod requirements;
mod sharing;
mod spec_reference;
mod task;
mod template;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use review_document::workspace::{Document, DocumentRole, Workspace};
use review_document::{Fault, FaultKind, Graph, Precedence, Spanned, TaskFile, Unit};
use review_types::TaskNumber;

pub use deliverables::deliverables;
pub(crate) use deliverables::{Deliverable, DeliverableKind, Deliverables, named_file};
pub(crate) use mentions::Mentions;
pub(crate) use ordinal::Ordinal;
pub(crate) use plan::{PlanRow, PlanTables};
pub(crate) use requirements::{Form, Requirement, Requirements, Section};
pub(crate) use review_document::ListedTest;
pub(crate) use sharing::{FileUse, SharedFile, Sharing};
pub(crate) use spec_reference::{NamedSpec, SpecReference, spec_path};
pub(crate) use task::{Step, Task, commands};
pub(crate) use template::is_template;

use crate::{Rule, Settings};

/// A workspace with the facts derived from it.
pub(crate) struct Facts<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The sections that the configuration requires in specs.
    pub(crate) required_sections: &'a [String],
    /// The tasks with available text, with their commands parsed.
    pub(crate) tasks: Vec<Task<'a>>,
    documents: HashMap<&'a str, &'a Document>,
    graph: Option<Graph>,
    mentions: OnceCell<Mentions>,
    named_specs: OnceCell<Vec<NamedSpec<'a>>>,
    requirements: OnceCell<Vec<Requirements<'a>>>,
    plan: OnceCell<Option<PlanTables<'a>>>,
    sharing: OnceCell<Option<Sharing>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(workspace: &'a Workspace, settings: &'a Settings) -> Self {
        let documents: HashMap<_, _> = workspace
            .documents
            .iter()
            .map(|document| (document.path.as_str(), document))
            .collect();
        let unit = workspace.unit.as_ref();
        let tasks = unit
            .into_iter()
            .flat_map(|unit| &unit.tasks)
            .filter_map(|file| Some(Task::new(file, documents.get(file.path.as_str())?)))
            .collect();
        let graph = unit.map(Unit::graph);
        Self {
            workspace,
            required_sections: &settings.required_sections,
            tasks,
            documents,
            graph,
            mentions: OnceCell::new(),
            named_specs: OnceCell::new(),
            requirements: OnceCell::new(),
            plan: OnceCell::new(),
            sharing: OnceCell::new(),
        }
    }

    /// The document at `path`.
    pub(crate) fn document(&self, path: &str) -> Option<&'a Document> {
        self.documents.get(path).copied()
    }

    /// The number of task files of the unit.
    pub(crate) fn task_count(&self) -> usize {
        self.workspace
            .unit
            .as_ref()
            .map_or(0, |unit| unit.tasks.len())
    }

    /// The faults of the unit's files and graph that this rule reports.
    pub(crate) fn faults(&self, rule: Rule) -> impl Iterator<Item = &Fault> {
        let unit = self.workspace.unit.iter();
        let of_files = unit.flat_map(Unit::file_faults);
        let of_graph = self.graph.iter().flat_map(Graph::faults);
        of_files
            .chain(of_graph)
            .filter(move |fault| rule_of(&fault.kind) == rule)
    }

    /// The dependencies among the tasks of the unit; `None` without a unit.
    pub(crate) fn graph(&self) -> Option<&Graph> {
        self.graph.as_ref()
    }

    /// The order of the tasks of the unit; `None` without a unit.
    pub(crate) fn precedence(&self) -> Option<&Precedence> {
        self.graph.as_ref().map(|graph| &graph.precedence)
    }

    /// The elements of `numbers` on which a task can depend: the numbers of other tasks
    /// of the unit.
    pub(crate) fn sound(
        &self,
        task: &TaskFile,
        numbers: impl IntoIterator<Item = TaskNumber>,
    ) -> BTreeSet<TaskNumber> {
        let own = task.number.as_ref().map(|number| number.value);
        let unit = self.workspace.unit.as_ref();
        let exists = |number: &TaskNumber| unit.is_some_and(|unit| unit.task(*number).is_some());
        let numbers = numbers.into_iter();
        numbers
            .filter(|number| Some(*number) != own && exists(number))
            .collect()
    }

    /// The Markdown documents.
    pub(crate) fn markdown(&self) -> impl Iterator<Item = &'a Document> {
        self.workspace
            .documents
            .iter()
            .filter(|document| document.role != DocumentRole::Text || is_markdown(&document.path))
    }

    /// The paths that the documents mention outside of commands.
    pub(crate) fn mentions(&self) -> &Mentions {
        self.mentions.get_or_init(|| {
            let plan = self.plan();
            let checks = |document: &Document| {
                let plan = plan.filter(|plan| plan.document.path == document.path);
                let rows = plan.into_iter().flat_map(PlanTables::rows);
                rows.filter_map(|row| Some(row.check?.span)).collect()
            };
            Mentions::of(&self.workspace.documents, checks)
        })
    }

    /// The requirements of each document that states some.
    pub(crate) fn requirements(&self) -> &[Requirements<'a>] {
        self.requirements
            .get_or_init(|| self.markdown().filter_map(Requirements::of).collect())
    }

    /// The specs that the plan and the tasks name, in this order; empty if no file list
    /// is available.
    pub(crate) fn named_specs(&self) -> &[NamedSpec<'a>] {
        self.named_specs.get_or_init(|| {
            let named = self.spec_references();
            named
                .map(|(document, name)| NamedSpec::of(document, name, &self.workspace.paths))
                .collect()
        })
    }

    fn spec_references(&self) -> impl Iterator<Item = (&'a Document, &'a Spanned<String>)> {
        let unit = self.workspace.unit.as_ref();
        let unit = unit.filter(|_| !self.workspace.paths.is_empty());
        let plan = unit.and_then(|unit| unit.plan.as_ref());
        let plan = plan
            .into_iter()
            .flat_map(|plan| [(&plan.path, &plan.spec), (&plan.path, &plan.design_spec)]);
        let plan = plan.filter_map(|(path, spec)| Some((self.document(path)?, spec.as_ref()?)));
        let tasks = self.tasks.iter().filter(move |_| unit.is_some());
        let tasks = tasks.filter_map(|task| Some((task.document, task.file.parent_spec.as_ref()?)));
        plan.chain(tasks)
    }

    /// The plan with its task tables, if its content is available and it has any.
    pub(crate) fn plan(&self) -> Option<&PlanTables<'a>> {
        let plan = self.plan.get_or_init(|| {
            let unit = self.workspace.unit.as_ref()?;
            let document = self.document(&unit.plan.as_ref()?.path)?;
            Some(PlanTables::of(unit, document)).filter(|plan| !plan.tables.is_empty())
        });
        plan.as_ref()
    }

    /// The number of files that tasks create or change.
    pub(crate) fn known_files(&self) -> usize {
        let files = self.tasks.iter().flat_map(|task| &task.deliverables.files);
        files
            .filter(|file| file.kind != DeliverableKind::Unsaid)
            .count()
    }

    /// The files that tasks of the unit share; `None` without a unit.
    pub(crate) fn sharing(&self) -> Option<&Sharing> {
        let sharing = self.sharing.get_or_init(|| {
            let (unit, precedence) = (self.workspace.unit.as_ref()?, self.precedence()?);
            Some(Sharing::of(&self.tasks, unit, precedence.clone()))
        });
        sharing.as_ref()
    }
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| {
        ["md", "markdown", "mdown", "mkd"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// The rule that reports a fault.
fn rule_of(kind: &FaultKind) -> Rule {
    match kind {
        FaultKind::DuplicateNumber { .. } => Rule::DuplicateTaskNumber,
        FaultKind::SelfDependency { .. } => Rule::SelfDependency,
        FaultKind::UnknownDependency { .. } => Rule::UnknownDependency,
        FaultKind::Cycle { .. } => Rule::DependencyCycle,
        FaultKind::NoCommand => Rule::NoBackpressure,
        _ => Rule::BadFrontMatter,
    }
}
