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
    assert_eq!(decision.best_outcome(), Outcome::Passed);
}

#[test]
fn offline_a_claim_without_record_is_unproven() {
    let plan = plan(vec![complete(1, &[]), complete(2, &[1])]);
    let decision = decided(&plan, &[1], GateMode::Offline);
    assert_eq!(
        checks(&decision),
        [(1, Check::Proven), (2, Check::Unproven)]
    );
    assert_eq!(decision.best_outcome(), Outcome::NoVerdict);
    assert_eq!(decision.due().count(), 0);
}

#[test]
fn an_open_dependency_fails_at_once_even_with_a_record() {
    let plan = plan(vec![task(1, &[]), complete(2, &[1, 9]), complete(3, &[2])]);
    let decision = decided(&plan, &[2, 3], GateMode::Offline);
    let open = GateFault::OpenDependencies(vec![number(1), number(9)]);
    assert_eq!(
        open.to_string(),
        "depends on tasks 1, 9, which are not complete"
    );
    assert_eq!(
        GateFault::OpenDependencies(vec![number(1)]).to_string(),
        "depends on task 1, which is not complete"
    );
    assert_eq!(
        checks(&decision),
        [(2, Check::Fails(open)), (3, Check::Proven)]
    );
    assert_eq!(decision.best_outcome(), Outcome::NotPassed);
}

#[test]
fn a_claim_without_command_fails_at_once() {
    let mut bare = complete(1, &[]);
    bare.commands.clear();
    let decision = decided(&plan(vec![bare]), &[1], GateMode::Verify);
    assert_eq!(checks(&decision), [(1, Check::Fails(GateFault::NoCommand))]);
    assert_eq!(
        GateFault::NoCommand.to_string(),
        "has no backpressure command"
    );
    assert_eq!(decision.best_outcome(), Outcome::NotPassed);
}

#[test]
fn a_faulty_unit_fails_and_none_of_its_tasks_is_run() {
    let plan = faulty_plan(vec![complete(1, &[])], &["is bad"]);
    let decision = decided(&plan, &[], GateMode::Verify);
    assert_eq!(checks(&decision), []);
    assert_eq!(decision.faults, plan.faults());
    assert_eq!(decision.best_outcome(), Outcome::NotPassed);
}

#[test]
fn the_plan_of_due_tasks_waits_for_no_proved_task() {
    let plan = plan(vec![
        complete(1, &[]),
        complete(2, &[1]),
        complete(3, &[1, 2]),
    ]);
    let due = decided(&plan, &[1], GateMode::Verify).plan_due(&plan);
    assert_eq!(due.unit, plan.unit);
    assert_eq!(due.tasks(), [complete(2, &[]), complete(3, &[2])]);
}
