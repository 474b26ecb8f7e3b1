//! What a run would do, as `--dry-run` says it.

use review_engine::{RunSettings, Stages, Target};
use review_types::{ExitCode, UnitId, plural};
use serde::Serialize;

use crate::args::Format;
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// What a run would do. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
struct Intent<'a> {
    v: Version,
    dry_run: bool,
    /// The spec or path, relative to the root.
    spec: &'a str,
    unit: Option<&'a UnitId>,
    /// `null` where nothing would be reviewed.
    review: Option<IntendedReview>,
    tasks: IntendedTasks,
}

#[derive(Debug, Serialize)]
struct IntendedReview {
    reviewer: String,
    applier: String,
    max_iterations: u32,
}

/// Whether the tasks of the unit would be run.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum IntendedTasks {
    None,
    IfPassed,
    All,
}

/// Says what `run` would do.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn dry_run(context: &mut Context, run: &RunSettings, format: Format) -> Ended {
    let intent = Intent::of(run);
    match format {
        Format::Human => context.streams.print(&human(&intent, &run.target))?,
        Format::Json | Format::Jsonl => context.streams.print_json(&intent)?,
    }
    Ok(ExitCode::Passed)
}

impl<'a> Intent<'a> {
    fn of(run: &'a RunSettings) -> Self {
        let unit = run.target.unit();
        let review = (run.stages != Stages::Tasks).then(|| IntendedReview {
            reviewer: run.reviewer.to_string(),
            applier: run.applier.to_string(),
            max_iterations: if run.apply { run.max_iterations } else { 1 },
        });
        Self {
            v: Version,
            dry_run: true,
            spec: run.target.spec(),
            unit,
            review,
            tasks: match (run.stages, unit) {
                (Stages::Review, _) | (_, None) => IntendedTasks::None,
                (Stages::ReviewThenTasks, Some(_)) => IntendedTasks::IfPassed,
                (Stages::ReviewAndTasks | Stages::Tasks, Some(_)) => IntendedTasks::All,
            },
        }
    }
}

fn human(intent: &Intent<'_>, target: &Target) -> String {
    let mut text = String::new();
    if let Some(review) = &intent.review {
        let what = match target {
            Target::Unit { spec, id, dir } => format!("unit {id}: {spec} and the tasks in {dir}"),
            Target::File { path } => path.clone(),
            Target::Folder { path } => format!("the Markdown files of {path}"),
        };
        let rounds = plural(review.max_iterations as usize, "round", "rounds");
        text.push_str(&format!(
            "would review {what}\n  reviewer {}, applier {}, at most {rounds}\n",
            review.reviewer, review.applier
        ));
    }
    let unit = intent.unit.map_or("", UnitId::as_str);
    text.push_str(&match intent.tasks {
        IntendedTasks::None => "would run no task\n".to_owned(),
        IntendedTasks::IfPassed => {
            format!("would run the tasks of {unit} if the review passes\n")
        }
        IntendedTasks::All => format!("would run the tasks of {unit}\n"),
    });
    text
}
