//! `ralph graph`: which task waits for which.

mod render;

use review_document::{Catalog, Fault, Severity, Unit};
use review_store::{Reader, Root};
use review_types::{ExitCode, TaskNumber, TaskStatus};
use serde::Serialize;

use crate::args::{GraphArgs, GraphFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::location::shown;
use crate::output::Version;

/// A unit as its graph is shown.
#[derive(Debug, Serialize)]
struct Shown {
    v: Version,
    spec: String,
    unit: String,
    tasks: Vec<ShownTask>,
    /// Numbers in the order in which the tasks run; empty if they cannot run.
    order: Vec<TaskNumber>,
    faults: Vec<ShownFault>,
}

#[derive(Debug, Serialize)]
struct ShownTask {
    id: String,
    number: TaskNumber,
    title: String,
    status: TaskStatus,
    path: String,
    depends_on: Vec<TaskNumber>,
}

#[derive(Debug, Serialize)]
struct ShownFault {
    path: String,
    line: usize,
    severity: &'static str,
    message: String,
}

/// Prints the graph of the unit that belongs to a spec.
pub(crate) fn run(context: &mut Context, args: &GraphArgs) -> Ended {
    let spec = context.spec(args.spec.as_deref())?;
    let root = context.root_of(&spec);
    let root = Root::open(&root).map_err(|error| CommandError::input(&error))?;
    let spec = root
        .relative(&spec)
        .map_err(|error| CommandError::input(&error))?;
    let unit = unit_of(&root, spec.as_str())?;
    let shown = show(spec.as_str(), &unit);
    match args.format {
        GraphFormat::Human => context.streams.print(&render::human(&shown))?,
        GraphFormat::Mermaid => context
            .streams
            .print_raw(render::mermaid(&shown).as_bytes())?,
        GraphFormat::Dot => context.streams.print_raw(render::dot(&shown).as_bytes())?,
        GraphFormat::Json => context.streams.print_json(&shown)?,
    }
    let folder = context.environment.folder().to_owned();
    for fault in &shown.faults {
        let path = self::shown(&folder, &root.path().join(&fault.path));
        context
            .streams
            .warn(&format!("{path}:{}: {}", fault.line, fault.message));
    }
    let runs = unit.graph().runnable().is_ok();
    Ok(if runs {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn unit_of(root: &Root, spec: &str) -> Result<Unit, CommandError> {
    let paths = review_store::paths(root).map_err(|error| CommandError::input(&error))?;
    let catalog = Catalog::new(paths);
    let mut reader = Reader::new(root);
    let found = catalog.unit_of_spec(spec, |path| reader.read(path).ok());
    let files = found.map_err(|error| {
        CommandError::new(ErrorKind::Nothing, format!("{spec} has no tasks: {error}"))
    })?;
    let mut texts = Vec::new();
    for file in &files.files {
        texts.push((
            file,
            reader
                .read(file)
                .map_err(|error| CommandError::input(&error))?,
        ));
    }
    Ok(Unit::load(files.id.clone(), files.dir.as_str(), texts))
}

fn show(spec: &str, unit: &Unit) -> Shown {
    let graph = unit.graph();
    let numbered = unit
        .tasks
        .iter()
        .filter_map(|task| Some((task.number.as_ref()?.value, task)));
    let order = graph.runnable().map(|order| {
        let tasks = order
            .tasks()
            .iter()
            .filter_map(|at| unit.tasks[*at].number.as_ref());
        tasks.map(|number| number.value).collect()
    });
    Shown {
        v: Version,
        spec: spec.to_owned(),
        unit: unit.id.to_string(),
        tasks: numbered
            .map(|(number, task)| ShownTask {
                id: format!("{}/{number}", unit.id),
                number,
                title: task
                    .title
                    .as_ref()
                    .map_or_else(|| task.file_name().to_owned(), |title| title.value.clone()),
                status: task.status,
                path: task.path.clone(),
                depends_on: task.depends_on.iter().map(|number| number.value).collect(),
            })
            .collect(),
        order: order.unwrap_or_default(),
        faults: unit.faults().iter().map(ShownFault::new).collect(),
    }
}

impl ShownFault {
    fn new(fault: &Fault) -> Self {
        Self {
            path: fault.path.clone(),
            line: fault.place.position.line,
            severity: match fault.severity() {
                Severity::Warning => "warning",
                Severity::Error => "error",
            },
            message: match fault.hint() {
                Some(hint) => format!("{fault}; {hint}"),
                None => fault.to_string(),
            },
        }
    }
}
