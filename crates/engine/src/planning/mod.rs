//! Plans a spec: an agent proposes the plan and the tasks of its unit, and what can be
//! used of that is written.

mod check;
mod unit;

use std::collections::BTreeMap;

use review::Budget;
use review_agents::{BriefFile, Inquiry, PlanAnswer, PlanPrompt, RejectedPlan};
use review_report::plan::{PlanFile, PlanOutcome, PlanProblem, PlanReport};
use review_store::{Reader, Root, RootPath};

use crate::consultation::{Consultation, Unanswered};
use crate::error::EngineError;
use crate::project::Project;
use crate::settings::{ReviewTarget, RunSettings, Stages, call_budget};

use check::{Checked, check};
pub use unit::NewUnit;

/// The number of calls: an answer goes back twice.
const CALLS: u32 = 3;

/// The most problems of an answer that go back.
const MAX_PROBLEMS: usize = 50;

/// Has the implementer of `settings` plan a spec. Nothing is written but the logs of the
/// calls.
///
/// # Errors
/// [`EngineError`] when no agent is named that can plan, a limit cannot be kept, a file
/// cannot be read, or a signal ends the process.
pub async fn plan(
    project: &Project<'_>,
    settings: RunSettings,
    unit: &NewUnit,
) -> Result<PlanReport, EngineError> {
    let settings = RunSettings {
        target: ReviewTarget::File {
            path: unit.spec.clone(),
        },
        stages: Stages::Tasks,
        ..settings
    };
    let lint = settings.config.lint(&[]);
    let limits = call_budget(&settings.config);
    let budget = Budget {
        max_calls: Some(limits.max_calls.map_or(CALLS, |most| most.min(CALLS))),
        ..limits
    };
    let mut reader = Reader::new(&project.root);
    let spec = reader.read(&unit.spec)?;
    let existing = unit.existing.iter();
    let existing: Vec<_> = existing
        .map(|path| Ok((path.as_str(), reader.read(path)?)))
        .collect::<Result<_, EngineError>>()?;
    let file = |path, text| BriefFile {
        path,
        text,
        is_part: false,
    };
    let existing: Vec<_> = existing
        .iter()
        .map(|(path, text)| file(*path, text.as_slice()))
        .collect();
    let consultation = Consultation::of_implementer(project, settings, budget).await?;
    let mut planning = Planning {
        project,
        unit,
        lint,
        prompt: PlanPrompt {
            spec: file(&unit.spec, &spec),
            unit: unit.id.as_str(),
            dir: &unit.dir,
            existing: &existing,
            again: None,
        },
        consultation,
    };
    planning.ask().await
}

/// Writes the files of a plan that was proposed: all of them, or none.
///
/// # Errors
/// [`EngineError`] when a file cannot be written, or is there now.
pub fn write_plan(root: &Root, mut report: PlanReport) -> Result<PlanReport, EngineError> {
    let files = report.files.iter();
    let files: BTreeMap<_, _> = files
        .map(|file| Ok((RootPath::new(&file.path)?, file.text.as_bytes())))
        .collect::<Result<_, EngineError>>()?;
    match root.create_all(&files)? {
        Some(path) => Err(EngineError::new(format!(
            "{path} exists by now and is not overwritten; nothing was written"
        ))),
        None => {
            report.outcome = PlanOutcome::Written;
            Ok(report)
        }
    }
}

/// The questions to an agent until an answer is accepted.
struct Planning<'a> {
    project: &'a Project<'a>,
    unit: &'a NewUnit,
    lint: review_lint::Settings,
    prompt: PlanPrompt<'a>,
    consultation: Consultation,
}

/// An answer.
#[derive(Default)]
struct Answer {
    text: Vec<u8>,
    files: BTreeMap<RootPath, String>,
    checked: Checked,
}

impl Planning<'_> {
    async fn ask(&mut self) -> Result<PlanReport, EngineError> {
        let mut last: Option<Answer> = None;
        let (mut outcome, mut reason, mut by) = (PlanOutcome::Rejected, None, None);
        loop {
            let problems = last.as_ref().map(|last| listed(&last.checked.problems));
            let again = last.as_ref().zip(problems.as_ref());
            let prompt = PlanPrompt {
                again: again.map(|(last, problems)| RejectedPlan {
                    answer: &last.text,
                    problems,
                }),
                ..self.prompt
            };
            let reply = match self.consultation.ask(Inquiry::Plan(prompt)).await {
                Ok(reply) => reply,
                Err(Unanswered::Interrupted) => {
                    let message = "the planning was interrupted; nothing was written";
                    return Err(EngineError::new(message));
                }
                // The answers that there were say more than that there are no more.
                Err(Unanswered::Limit(_)) if self.asked_all() => break,
                Err(why) => {
                    reason = Some(why.to_string());
                    outcome = match why {
                        Unanswered::Limit(_) => PlanOutcome::Limit,
                        _ => PlanOutcome::NoAnswer,
                    };
                    break;
                }
            };
            by = Some(reply.by);
            let (files, checked) = match PlanAnswer::read(&reply.text) {
                // What the agent has to know before it can plan.
                Ok(PlanAnswer::Question(text)) => {
                    outcome = PlanOutcome::Question;
                    reason = Some(text);
                    last = None;
                    break;
                }
                Ok(PlanAnswer::Files(files)) => {
                    let checked = check(self.project, self.unit, &self.lint, &files)?;
                    (files, checked)
                }
                Err(malformed) => {
                    let problem = format!("{}: {}", malformed.field, malformed.message);
                    let checked = Checked::rejected(PlanProblem::of_answer(problem));
                    (BTreeMap::new(), checked)
                }
            };
            let is_accepted = !checked.is_rejected();
            last = Some(Answer {
                text: reply.text,
                files,
                checked,
            });
            if is_accepted {
                outcome = PlanOutcome::Proposed;
                break;
            }
        }
        let Answer { files, checked, .. } = last.unwrap_or_default();
        let file = |(path, text): (RootPath, String)| PlanFile {
            path: path.to_string(),
            text,
        };
        Ok(PlanReport {
            spec: self.unit.spec.clone(),
            unit: self.unit.id.to_string(),
            dir: self.unit.dir.clone(),
            outcome,
            reason,
            by,
            usage: self.consultation.asked(),
            files: files.into_iter().map(file).collect(),
            tasks: checked.tasks,
            problems: checked.problems,
            logs: self.consultation.logs().display().to_string(),
            next: Vec::new(),
        })
    }

    /// Whether an answer went back as often as it may.
    fn asked_all(&self) -> bool {
        self.consultation.asked().calls >= CALLS
    }
}

/// The problems of an answer, a line for each.
fn listed(problems: &[PlanProblem]) -> String {
    let lines = problems.iter().take(MAX_PROBLEMS);
    let mut list: String = lines.map(|problem| format!("{problem}\n")).collect();
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    if more > 0 {
        list += &format!("and {more} more\n");
    }
    list
}
