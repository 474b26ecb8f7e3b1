use review_types::Timestamp;

use super::*;
use crate::machine::PlannedTask;
use crate::machine::tests::fixture::{faulty_plan, number, plan, task};
use crate::record::RECORD_VERSION;

const ARTIFACT: Hash = Hash::from_bytes([1; 32]);

fn passed(artifact: Hash, approved_by: Option<&str>) -> SpecRecord {
    SpecRecord {
        v: RECORD_VERSION,
        artifact,
        approved_by: approved_by.map(ToOwned::to_owned),
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

fn decided(plan: &TaskPlan, proven: &[u32], policy: GatePolicy) -> GateDecision {
    let proven = proven.iter().copied().map(number).collect();
    let review = passed(ARTIFACT, None);
    decide(
        &Evidence {
            artifact: ARTIFACT,
            review: Some(&review),
            plan: Some(plan),
            proven: &proven,
        },
        policy,
    )
}

fn checks(decision: &GateDecision) -> Vec<(u32, Check)> {
    let tasks = decision.tasks.iter();
    tasks
        .map(|task| (task.task.get(), task.check.clone()))
        .collect()
}

const OFFLINE: GatePolicy = GatePolicy {
    offline: true,
    allow_approved: false,
};

#[test]
fn a_review_counts_for_the_artifact_that_it_was_about() {
    let other = Hash::from_bytes([2; 32]);
    let approving = GatePolicy {
        allow_approved: true,
        ..GatePolicy::default()
    };
    for (record, policy, check) in [
        (
            Some(passed(ARTIFACT, None)),
            GatePolicy::default(),
            Check::Proven,
        ),
        (Some(passed(other, None)), GatePolicy::default(), Check::Due),
        (Some(passed(other, None)), OFFLINE, Check::Unproven),
        (None, GatePolicy::default(), Check::Due),
        (None, OFFLINE, Check::Unproven),
        (
            Some(passed(ARTIFACT, Some("Ann"))),
            GatePolicy::default(),
            Check::Due,
        ),
        (
            Some(passed(ARTIFACT, Some("Ann"))),
            approving,
            Check::Proven,
        ),
        (Some(passed(other, Some("Ann"))), approving, Check::Due),
    ] {
        let evidence = Evidence {
            artifact: ARTIFACT,
            review: record.as_ref(),
            plan: None,
            proven: &BTreeSet::new(),
        };
        let decision = decide(&evidence, policy);
        assert_eq!(decision.review, check, "{record:?} {policy:?}");
        assert_eq!(decision.tasks, []);
    }
}

#[test]
fn only_tasks_that_claim_to_be_complete_are_checked() {
    let plan = plan(vec![complete(1, &[]), complete(2, &[1]), task(3, &[2])]);
    let decision = decided(&plan, &[1, 3], GatePolicy::default());
    assert_eq!(checks(&decision), [(1, Check::Proven), (2, Check::Due)]);
    assert_eq!(decision.best_outcome(), Outcome::Passed);
}

#[test]
fn offline_a_claim_without_record_is_unproven() {
    let plan = plan(vec![complete(1, &[]), complete(2, &[1])]);
    let decision = decided(&plan, &[1], OFFLINE);
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
    let decision = decided(&plan, &[2, 3], OFFLINE);
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
    let decision = decided(&plan(vec![bare]), &[1], GatePolicy::default());
    assert_eq!(checks(&decision), [(1, Check::Fails(GateFault::NoCommand))]);
    assert_eq!(
        GateFault::NoCommand.to_string(),
        "has no backpressure command"
    );
    assert_eq!(decision.best_outcome(), Outcome::NotPassed);
}

#[test]
fn a_faulty_unit_fails_and_nothing_of_it_is_run() {
    let plan = faulty_plan(vec![complete(1, &[])], &["is bad"]);
    let decision = decided(&plan, &[], GatePolicy::default());
    assert_eq!(checks(&decision), []);
    assert_eq!(decision.faults, plan.faults());
    assert_eq!(decision.best_outcome(), Outcome::NotPassed);
}

#[test]
fn the_plan_that_is_due_waits_for_nothing_that_is_proven() {
    let plan = plan(vec![
        complete(1, &[]),
        complete(2, &[1]),
        complete(3, &[1, 2]),
    ]);
    let due = decided(&plan, &[1], GatePolicy::default()).plan_due(&plan);
    assert_eq!(due.unit, plan.unit);
    assert_eq!(due.tasks(), [complete(2, &[]), complete(3, &[2])]);
}
