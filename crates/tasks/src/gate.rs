//! The decision of the gate: which claims of a spec and its tasks are proved, what
//! must be run or reviewed now, and what fails at once.
//!
//! Evidence comes in as values and a list of checks comes out; the caller carries
//! it out. Nothing here reads a record or starts a command.

use std::collections::BTreeSet;

use review_store::SpecRecord;
use review_types::{Hash, TaskNumber, TaskStatus, listed};

use crate::machine::TaskPlan;

/// The evidence before anything is run.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Hash of the artifact without the statuses of tasks.
    pub artifact: Hash,
    /// The last verdict on the spec.
    pub review: Option<&'a SpecRecord>,
    /// The tasks of the spec, if it has a unit.
    pub plan: Option<&'a TaskPlan>,
    /// The tasks with a record for their current command, file and tree.
    pub proven: &'a BTreeSet<TaskNumber>,
}

/// Whether the gate may run and review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GateMode {
    /// Claims without a record are run or reviewed.
    #[default]
    Verify,
    /// Only records count.
    Offline,
}

/// The check of one claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// A record proves it.
    Proven,
    /// It must be run or reviewed now.
    Due,
    /// It would have to be run or reviewed, but only records may be used.
    Unproven,
    /// It fails for this reason, whatever the result of a run or a review would be.
    Fails(String),
}

/// A task that claims to be complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskCheck {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its check.
    pub check: Check,
}

/// The decision of the gate on one spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateDecision {
    /// The check of the spec's review.
    pub review: Check,
    /// The tasks that claim to be complete, by number.
    pub tasks: Vec<TaskCheck>,
}

/// Decides which claims are proved, due or failed.
pub fn decide(evidence: &Evidence<'_>, mode: GateMode) -> GateDecision {
    let due = match mode {
        GateMode::Verify => Check::Due,
        GateMode::Offline => Check::Unproven,
    };
    let artifact = evidence.artifact;
    let passed = evidence
        .review
        .is_some_and(|record| record.proves(artifact) || record.approver(artifact).is_some());
    let review = if passed { Check::Proven } else { due.clone() };
    let tasks = evidence
        .plan
        .filter(|plan| plan.faults().is_empty())
        .map_or_else(Vec::new, |plan| checks(plan, evidence.proven, &due));
    GateDecision { review, tasks }
}

fn checks(plan: &TaskPlan, proven: &BTreeSet<TaskNumber>, due: &Check) -> Vec<TaskCheck> {
    let claims = |number: TaskNumber| {
        let task = plan.task(number);
        task.is_some_and(|task| task.claims == TaskStatus::Complete)
    };
    let claiming = plan.tasks().iter().filter(|task| claims(task.number));
    claiming
        .map(|task| {
            let before = task.depends_on.iter().copied();
            let open: Vec<_> = before.filter(|before| !claims(*before)).collect();
            let check = if !open.is_empty() {
                Check::Fails(depends_on_open(&open))
            } else if task.commands.is_empty() {
                Check::Fails("has no backpressure command".to_owned())
            } else if proven.contains(&task.number) {
                Check::Proven
            } else {
                due.clone()
            };
            TaskCheck {
                task: task.number,
                check,
            }
        })
        .collect()
}

fn depends_on_open(open: &[TaskNumber]) -> String {
    let (noun, verb) = match open.len() {
        1 => ("task", "is"),
        _ => ("tasks", "are"),
    };
    let tasks = listed(open, usize::MAX);
    format!("depends on {noun} {tasks}, which {verb} not complete")
}

impl GateDecision {
    /// Returns the tasks that must be run now, by number.
    pub fn due(&self) -> impl Iterator<Item = TaskNumber> {
        let due = self.tasks.iter().filter(|task| task.check == Check::Due);
        due.map(|task| task.task)
    }
}

#[cfg(test)]
mod tests {
    use review_types::{ModelId, Timestamp, Verdict};

    use super::*;
    use crate::machine::PlannedTask;
    use crate::machine::tests::fixture::{faulty_plan, number, plan, task};

    const ARTIFACT: Hash = Hash::from_bytes([1; 32]);

    fn reviewed(artifact: Hash, verdict: Verdict) -> SpecRecord {
        SpecRecord {
            artifact,
            reviewer: ModelId {
                backend: "builtin".to_owned(),
                model: None,
                prompt: None,
            },
            verdict,
            approved_by: None,
            run: "r1".parse().expect("a legal name"),
            at: Timestamp::UNIX_EPOCH,
        }
    }

    fn complete(of: u32, depends_on: &[u32]) -> PlannedTask {
        PlannedTask {
            claims: TaskStatus::Complete,
            ..task(of, depends_on)
        }
    }

    fn decided(plan: &TaskPlan, proven: &[u32], mode: GateMode) -> GateDecision {
        let proven = proven.iter().copied().map(number).collect();
        let review = reviewed(ARTIFACT, Verdict::Pass);
        decide(
            &Evidence {
                artifact: ARTIFACT,
                review: Some(&review),
                plan: Some(plan),
                proven: &proven,
            },
            mode,
        )
    }

    fn checks(decision: &GateDecision) -> Vec<(u32, Check)> {
        let tasks = decision.tasks.iter();
        tasks
            .map(|task| (task.task.get(), task.check.clone()))
            .collect()
    }

    #[test]
    fn a_review_counts_only_for_its_artifact() {
        use GateMode::{Offline, Verify};
        let other = Hash::from_bytes([2; 32]);
        let (pass, revise) = (Verdict::Pass, Verdict::NeedsRevision);
        for (record, mode, check) in [
            (Some((ARTIFACT, pass)), Verify, Check::Proven),
            (Some((ARTIFACT, pass)), Offline, Check::Proven),
            (Some((other, pass)), Verify, Check::Due),
            (Some((other, pass)), Offline, Check::Unproven),
            (Some((ARTIFACT, revise)), Verify, Check::Due),
            (None, Verify, Check::Due),
            (None, Offline, Check::Unproven),
        ] {
            let record = record.map(|(artifact, verdict)| reviewed(artifact, verdict));
            let evidence = Evidence {
                artifact: ARTIFACT,
                review: record.as_ref(),
                plan: None,
                proven: &BTreeSet::new(),
            };
            let decision = decide(&evidence, mode);
            assert_eq!(decision.review, check, "{record:?} {mode:?}");
            assert_eq!(decision.tasks, []);
        }
    }

    #[test]
    fn an_approval_counts_for_its_artifact() {
        use GateMode::{Offline, Verify};
        let other = Hash::from_bytes([2; 32]);
        for (artifact, mode, check) in [
            (ARTIFACT, Verify, Check::Proven),
            (ARTIFACT, Offline, Check::Proven),
            (other, Verify, Check::Due),
            (other, Offline, Check::Unproven),
        ] {
            let record = SpecRecord {
                approved_by: Some("ann".to_owned()),
                ..reviewed(artifact, Verdict::NeedsRevision)
            };
            let evidence = Evidence {
                artifact: ARTIFACT,
                review: Some(&record),
                plan: None,
                proven: &BTreeSet::new(),
            };
            assert_eq!(decide(&evidence, mode).review, check, "{artifact} {mode:?}");
        }
    }

    #[test]
    fn only_tasks_that_claim_to_be_complete_are_checked() {
        let plan = plan(vec![complete(1, &[]), complete(2, &[1]), task(3, &[2])]);
        let decision = decided(&plan, &[1, 3], GateMode::Verify);
        assert_eq!(checks(&decision), [(1, Check::Proven), (2, Check::Due)]);
    }

    #[test]
    fn offline_a_claim_without_record_is_unproven() {
        let plan = plan(vec![complete(1, &[]), complete(2, &[1])]);
        let decision = decided(&plan, &[1], GateMode::Offline);
        assert_eq!(
            checks(&decision),
            [(1, Check::Proven), (2, Check::Unproven)]
        );
        assert_eq!(decision.due().count(), 0);
    }

    #[test]
    fn an_open_dependency_fails_at_once_even_with_a_record() {
        let plan = plan(vec![task(1, &[]), complete(2, &[1, 9]), complete(3, &[2])]);
        let decision = decided(&plan, &[2, 3], GateMode::Offline);
        let open = "depends on tasks 1, 9, which are not complete".to_owned();
        assert_eq!(
            depends_on_open(&[number(1)]),
            "depends on task 1, which is not complete"
        );
        assert_eq!(
            checks(&decision),
            [(2, Check::Fails(open)), (3, Check::Proven)]
        );
    }

    #[test]
    fn a_claim_without_command_fails_at_once() {
        let mut bare = complete(1, &[]);
        bare.commands.clear();
        let decision = decided(&plan(vec![bare]), &[1], GateMode::Verify);
        let fails = Check::Fails("has no backpressure command".to_owned());
        assert_eq!(checks(&decision), [(1, fails)]);
    }

    #[test]
    fn a_faulty_unit_fails_and_none_of_its_tasks_is_run() {
        let plan = faulty_plan(vec![complete(1, &[])], &["is bad"]);
        let decision = decided(&plan, &[], GateMode::Verify);
        assert_eq!(checks(&decision), []);
    }

    #[test]
    fn the_plan_of_due_tasks_waits_for_no_proved_task() {
        let plan = plan(vec![
            complete(1, &[]),
            complete(2, &[1]),
            complete(3, &[1, 2]),
        ]);
        let decision = decided(&plan, &[1], GateMode::Verify);
        let due = plan.only(&decision.due().collect());
        assert_eq!(due.unit, plan.unit);
        assert_eq!(due.tasks(), [complete(2, &[]), complete(3, &[2])]);
    }
}
