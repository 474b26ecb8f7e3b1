//! What a run would do.

use review_types::{TaskNumber, UnitId, plural};
use serde::Serialize;

use super::tasks::named_tasks;

/// What a run would do. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct Intent<'a> {
    /// `true`.
    pub dry_run: bool,
    /// The spec or path, relative to the root.
    pub spec: &'a str,
    /// The unit of the spec, if it has one.
    pub unit: Option<&'a UnitId>,
    /// `null` where nothing would be reviewed.
    pub review: Option<IntendedReview>,
    /// Whether the tasks of the unit would be run.
    pub tasks: IntendedTasks,
    /// Who would implement the tasks; left out where none would be implemented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementer: Option<String>,
    /// The tasks that are selected; left out where none is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<TaskNumber>,
    /// What would be reviewed, in words.
    #[serde(skip)]
    pub subject: String,
}

/// The review that a run would start with.
#[derive(Debug, Serialize)]
pub struct IntendedReview {
    /// The reviewers.
    pub reviewer: String,
    /// The applier.
    pub applier: String,
    /// The most rounds.
    pub max_iterations: u32,
}

/// Whether the tasks of the unit would be run.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntendedTasks {
    /// None would be.
    None,
    /// They would be if the review passes.
    IfPassed,
    /// They would be.
    All,
    /// Those that are selected would be.
    Selected,
}

/// Returns what a run would do as users read it.
#[must_use]
pub fn intent(intent: &Intent<'_>) -> String {
    let mut text = String::new();
    if let Some(review) = &intent.review {
        let rounds = plural(review.max_iterations as usize, "round", "rounds");
        text.push_str(&format!(
            "would review {}\n  reviewer {}, applier {}, at most {rounds}\n",
            intent.subject, review.reviewer, review.applier
        ));
    }
    let unit = intent.unit.map_or("", UnitId::as_str);
    let run = match intent.implementer {
        Some(_) => "would implement and run",
        None => "would run",
    };
    text.push_str(&match intent.tasks {
        IntendedTasks::None => "would run no task\n".to_owned(),
        IntendedTasks::IfPassed => {
            format!("{run} the tasks of {unit} if the review passes\n")
        }
        IntendedTasks::All => format!("{run} the tasks of {unit}\n"),
        IntendedTasks::Selected => {
            format!("{run} {} of {unit}\n", named_tasks(&intent.selected))
        }
    });
    if let Some(implementer) = &intent.implementer {
        text.push_str(&format!("  implementer {implementer}\n"));
    }
    text
}
