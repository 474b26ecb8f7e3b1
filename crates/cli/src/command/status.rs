//! `ralph status`.

use review::NoSink;
use review_config::Overrides;
use review_engine::{Inspection, RunSettings, inspect};
use review_tasks::gate::{Check, GateMode};
use review_types::{ExitCode, TaskNumber, TaskStatus};
use serde::Serialize;

use crate::args::{PlainFormat, StatusArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::output::style::{ERROR, FAINT, GOOD, RESET, STRONG, WARNING};
use crate::output::{Version, printable};
use crate::target::{open_root, unit_target};
use crate::world::World;

/// The states of specs and tasks. This is the object that `--format json`
/// prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StatusReport {
    v: Version,
    specs: Vec<SpecStatus>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SpecStatus {
    spec: String,
    unit: Option<String>,
    /// Whether a recorded pass belongs to the spec and its tasks as they are.
    reviewed: bool,
    tasks: Vec<TaskLine>,
    faults: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaskLine {
    id: TaskNumber,
    title: String,
    /// The status that the task's file claims.
    status: TaskStatus,
    /// Whether a recorded passing run belongs to the task and tree as they are.
    recorded: bool,
    depends_on: Vec<TaskNumber>,
    command: String,
}

/// Carries out `status`.
pub(crate) fn run(context: &mut Context, args: StatusArgs) -> Ended {
    let named: Vec<String> = args.spec.into_iter().collect();
    let specs = super::gate::specs(context, &named)?;
    let world = World::new(context)?;
    let mut report = StatusReport {
        v: Version,
        specs: Vec::new(),
    };
    for spec in &specs {
        report.specs.push(spec_status(context, &world, spec)?);
    }
    match args.format {
        PlainFormat::Json => context.streams.print_json(&report)?,
        PlainFormat::Human => {
            for spec in &report.specs {
                context.streams.print(&human(spec))?;
            }
            if report.specs.is_empty() {
                context
                    .streams
                    .note("no specs; `ralph init` writes a first one");
            }
        }
    }
    Ok(if report.specs.is_empty() {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}

fn spec_status(
    context: &mut Context,
    world: &World,
    spec: &std::path::Path,
) -> Result<SpecStatus, CommandError> {
    let root_path = context.root_of(spec);
    let settings = context.settings(&root_path, Overrides::default())?;
    let root = open_root(&root_path)?;
    let run = RunSettings::of(&settings, unit_target(context, &root, spec)?);
    let state = super::gate::existing(context.state_for_reading(&settings))?;
    let environment = &context.environment;
    let inspected = world.block_on(environment, &root_path, state, &NoSink, async |project| {
        inspect(project, &run).await
    })?;
    let inspection = inspected.map_err(CommandError::from)?;
    let decision = inspection.decide(GateMode::Offline, settings.allow_approved);
    Ok(SpecStatus {
        spec: run.target.spec().to_owned(),
        unit: run.target.unit().map(ToString::to_string),
        reviewed: decision.review == Check::Proven,
        tasks: task_lines(&inspection),
        faults: inspection.plan.map_or_else(Vec::new, |plan| {
            plan.faults().iter().map(ToString::to_string).collect()
        }),
    })
}

fn task_lines(inspection: &Inspection) -> Vec<TaskLine> {
    let tasks = inspection.plan.iter().flat_map(|plan| plan.tasks());
    tasks
        .map(|task| TaskLine {
            id: task.number,
            title: task.title.clone(),
            status: task.claims,
            recorded: inspection.proven.contains_key(&task.number),
            depends_on: task.depends_on.clone(),
            command: task.command(),
        })
        .collect()
}

fn human(spec: &SpecStatus) -> String {
    let review = match spec.reviewed {
        true => format!("{GOOD}reviewed{RESET}"),
        false => format!("{WARNING}not reviewed as it is{RESET}"),
    };
    let mut text = format!("{STRONG}{}{RESET}  {review}\n", printable(&spec.spec));
    for fault in &spec.faults {
        text.push_str(&format!("  {ERROR}fault{RESET}  {}\n", printable(fault)));
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
    text
}
