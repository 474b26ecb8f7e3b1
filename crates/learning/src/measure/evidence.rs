//! The observations of agents in the events of a run.

use std::num::NonZeroU32;

use review_events::{AgentRole, Envelope, Event, FindingsJoined, PinnedPrompt, ReviewIteration};
use review_types::{
    AgentError, BlockCode, Failure, Finding, FindingStatus, Missing, Outcome, RunId, Scores,
};

use super::Observation;
use super::observation::mean;

/// The observation of an agent in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The agent.
    pub role: AgentRole,
    /// The version of its prompt, pinned at the start of the run.
    pub version: NonZeroU32,
    /// The observation.
    pub observation: Observation,
}

/// The evidence about agents in the events of one run, collected event by event.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    run: Option<RunId>,
    task: String,
    prompts: Vec<PinnedPrompt>,
    outcome: Option<Outcome>,
    /// The number of review items; a response without any counts as one.
    items: u32,
    /// The number of responses that were returned to the reviewer.
    sent_back: u32,
    /// The number of reviewer calls without a response.
    failed: u32,
    /// Whether the applier received feedback.
    was_applied: bool,
    /// The number of rounds.
    rounds: u32,
    /// Whether a score dropped after an apply, or an apply changed nothing.
    was_worsened: bool,
    /// The scores of the last round.
    scores: Option<Scores>,
    findings: Vec<Finding>,
}

impl Evidence {
    /// Collects the evidence in the events of a whole run.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Envelope>) -> Self {
        let mut evidence = Self::default();
        for event in events {
            evidence.take(event);
        }
        evidence
    }

    /// Processes the next event of the run.
    fn take(&mut self, envelope: &Envelope) {
        self.run = Some(envelope.run.clone());
        match &envelope.event {
            Event::RunStarted(started) => {
                self.task.clone_from(&started.spec);
                self.prompts.clone_from(&started.prompts);
            }
            Event::RunResumed(_) => self.outcome = None,
            Event::RunFinished(finished) => {
                self.outcome = Some(finished.outcome);
                self.was_worsened |= finished.block_code == Some(BlockCode::NoChange);
            }
            Event::ReviewIteration(round) => self.read(round),
            Event::ReviewMalformed(_) => self.sent_back += 1,
            Event::ReviewerFailed(failed) => self.fail(&failed.error),
            Event::ReviewerReplaced(replaced) => self.fail(&replaced.error),
            Event::CallRetried(retried) if retried.role == AgentRole::Reviewer => {
                self.fail(&retried.error);
            }
            Event::ReviewFeedback(_) => self.was_applied = true,
            Event::FindingsJoined(joined) => self.join(joined),
            _ => {}
        }
    }

    fn read(&mut self, round: &ReviewIteration) {
        self.items += u32::try_from(round.feedback.len().max(1)).unwrap_or(u32::MAX);
        let before = self.scores.replace(round.scores.clone());
        let fell = |before: &Scores| {
            let mut now = round.scores.iter();
            now.any(|(name, score)| before.get(name.as_str()).is_some_and(|past| score < past))
        };
        self.rounds += 1;
        self.was_worsened |= self.was_applied && before.as_ref().is_some_and(fell);
    }

    fn fail(&mut self, error: &AgentError) {
        if is_of_the_answer(&error.failure) {
            self.failed += 1;
        }
    }

    /// Events hold the findings that were raised last; a finding that is left out is
    /// unchanged.
    fn join(&mut self, joined: &FindingsJoined) {
        let is_told = |known: &Finding| joined.findings.iter().any(|told| told.id == known.id);
        if joined.truncated {
            self.findings.retain(|known| !is_told(known));
            self.findings.extend(joined.findings.iter().cloned());
        } else {
            self.findings.clone_from(&joined.findings);
        }
    }

    /// Returns the observation of each agent that was called and whose version is
    /// known; empty until the run has ended.
    pub fn observations(&self) -> Vec<Observed> {
        let (Some(run), Some(outcome)) = (&self.run, self.outcome) else {
            return Vec::new();
        };
        let observed = |role, error, quality| {
            let pinned = self.prompts.iter().find(|pinned| pinned.role == role)?;
            Some(Observed {
                role,
                version: pinned.version,
                observation: Observation {
                    run: run.to_string(),
                    task: self.task.clone(),
                    error,
                    quality,
                    completed: outcome == Outcome::Passed,
                    rounds: self.rounds,
                },
            })
        };
        let answers = self.items + self.sent_back;
        let reviewed = answers + self.failed > 0;
        let errors = self.sent_back + self.failed > 0;
        let reviewer = reviewed
            .then(|| observed(AgentRole::Reviewer, errors, self.clarity(answers)))
            .flatten();
        let quality = self.scores.as_ref().and_then(mean_score);
        let erred = self.was_worsened || self.findings.iter().any(came_back);
        let applier = self
            .was_applied
            .then(|| observed(AgentRole::Applier, erred, quality))
            .flatten();
        reviewer.into_iter().chain(applier).collect()
    }

    /// The share of items neither returned nor disputed, times 100.
    fn clarity(&self, answers: u32) -> Option<f64> {
        let is_disputed = |finding: &&Finding| finding.status == FindingStatus::Disputed;
        let disputed = self.findings.iter().filter(is_disputed);
        let disputed: usize = disputed.map(|finding| finding.raised.len()).sum();
        let disputed = u32::try_from(disputed).unwrap_or(u32::MAX);
        let good = self.items.saturating_sub(disputed);
        (answers > 0).then(|| 100.0 * f64::from(good) / f64::from(answers))
    }
}

/// Whether a failure is the agent's own and not caused by its service or its
/// configuration.
const fn is_of_the_answer(failure: &Failure) -> bool {
    match failure {
        Failure::RateLimited { .. }
        | Failure::Offline { .. }
        | Failure::AuthFailed
        | Failure::SetupFailed {
            missing: None | Some(Missing::Program(_)),
        }
        | Failure::Unread => false,
        Failure::PermissionDenied
        | Failure::ModelError { .. }
        | Failure::Refused
        | Failure::Truncated { .. }
        | Failure::Failed { .. }
        | Failure::Hung { .. }
        | Failure::SetupFailed {
            missing: Some(Missing::Agent(_)),
        }
        | Failure::WroteFiles { .. } => true,
    }
}

/// Whether a finding was raised again after it had been fixed.
fn came_back(finding: &Finding) -> bool {
    let mut changes = finding.history.iter();
    let fixed = changes.find(|change| change.status == FindingStatus::Fixed);
    let last = finding.raised.last();
    fixed.is_some_and(|fixed| last.is_some_and(|round| *round > fixed.round))
}

fn mean_score(scores: &Scores) -> Option<f64> {
    mean(scores.iter().map(|(_, score)| f64::from(score.get())))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn event(name: &str, payload: &Json) -> Envelope {
        let envelope = json!({
            "v": 1, "run": "r-1", "timestamp": "2026-03-01T12:00:00Z", "type": name,
            "payload": payload,
        });
        serde_json::from_value(envelope).expect("an event")
    }

    fn started() -> Envelope {
        started_with(&json!([
            {"role": "reviewer", "version": 3, "hash": "0".repeat(64)},
            {"role": "applier", "version": 1, "hash": "0".repeat(64)},
        ]))
    }

    fn started_with(prompts: &Json) -> Envelope {
        let payload = json!({"spec": "specs/A.md", "root": "/", "prompts": prompts});
        event("run.started", &payload)
    }

    fn finished(outcome: &str, block_code: Option<&str>) -> Envelope {
        let payload = json!({"outcome": outcome, "block_code": block_code, "block_reason": ""});
        event("run.finished", &payload)
    }

    /// A round with the score of one criterion and `items` items.
    fn round(iteration: u32, score: u32, items: usize) -> Envelope {
        let item = json!({"section": "A", "issue": "unclear", "suggestion": "clear it"});
        let payload = json!({
            "iteration": iteration, "verdict": "needs_revision",
            "scores": {"clarity": score, "depth": 90}, "feedback": vec![item; items],
        });
        event("spec.review.iteration", &payload)
    }

    fn feedback(iteration: u32) -> Envelope {
        let payload = json!({"iteration": iteration, "feedback": [], "scores": {}});
        event("spec.review.feedback", &payload)
    }

    fn malformed() -> Envelope {
        let payload = json!({
            "raw_output": "", "raw_output_hash": "0".repeat(64),
            "parse_error": "no JSON", "retry_number": 1,
        });
        event("spec.review.malformed", &payload)
    }

    fn failure(failure: &Json) -> Json {
        json!({"failure": failure, "message": "it failed"})
    }

    fn retried(role: &str, kind: &Json) -> Envelope {
        let error = failure(kind);
        let payload = json!({"role": role, "iteration": 1, "error": error, "pause_ms": 0});
        event("agent.call_retried", &payload)
    }

    /// A finding with the rounds in which it was raised and its history.
    fn finding(id: u32, status: &str, raised: &[u32], history: &[(u32, &str)]) -> Json {
        let change = |(round, status): &(u32, &str)| json!({"round": round, "status": status});
        json!({
            "id": format!("f-{id:012}"), "status": status, "section": "A",
            "place": {"path": null, "headings": [], "text": null},
            "issue": "unclear", "suggestion": "clear it", "severity": "major", "raised": raised, "repeats": 0,
            "history": history.iter().map(change).collect::<Vec<Json>>(),
        })
    }

    fn joined(findings: &[Json], truncated: bool) -> Envelope {
        let payload = json!({"iteration": 2, "findings": findings,
            "counts": {"status": {}, "severity": {}}, "below_fail_level": 0,
            "unproved_rounds": {"spent": 0, "allowed": 3}, "truncated": truncated});
        event("feedback.findings", &payload)
    }

    /// The reviewer's observation: its error and quality.
    fn reviewer(events: &[Envelope]) -> (bool, Option<f64>) {
        let observed = Evidence::of(events).observations();
        assert_eq!(observed[0].role, AgentRole::Reviewer);
        (
            observed[0].observation.error,
            observed[0].observation.quality,
        )
    }

    /// The applier's observation.
    fn applier(events: &[Envelope]) -> (bool, Option<f64>) {
        let observed = Evidence::of(events).observations();
        assert_eq!(observed[1].role, AgentRole::Applier);
        (
            observed[1].observation.error,
            observed[1].observation.quality,
        )
    }

    #[test]
    fn a_run_is_observed_once_it_has_ended() {
        let mut events = vec![started(), round(1, 90, 0)];
        assert_eq!(Evidence::of(&events).observations(), []);
        events.push(finished("passed", None));
        let expected = Observed {
            role: AgentRole::Reviewer,
            version: NonZeroU32::new(3).expect("a version"),
            observation: Observation {
                run: "r-1".to_owned(),
                task: "specs/A.md".to_owned(),
                error: false,
                quality: Some(100.0),
                completed: true,
                rounds: 1,
            },
        };
        assert_eq!(Evidence::of(&events).observations(), [expected]);
        let resumed = event(
            "run.resumed",
            &json!({"resume": 1, "artifact_changed": false}),
        );
        events.push(resumed);
        assert_eq!(Evidence::of(&events).observations(), []);
        events.push(finished("not_passed", Some("max_iterations")));
        assert!(
            !Evidence::of(&events).observations()[0]
                .observation
                .completed
        );
    }

    #[test]
    fn the_rounds_of_a_run_are_counted() {
        let end = finished("not_passed", Some("reviewer_failed"));
        let events = [
            started(),
            round(1, 90, 1),
            feedback(1),
            round(2, 90, 0),
            end,
        ];
        let observed = Evidence::of(&events).observations();
        let rounds: Vec<_> = observed.iter().map(|one| one.observation.rounds).collect();
        assert_eq!(rounds, [2, 2]);
    }

    #[test]
    fn an_agent_that_was_not_called_has_no_observation() {
        let tasks_only = [started(), finished("passed", None)];
        assert_eq!(Evidence::of(&tasks_only).observations(), []);
        let once = [started(), round(1, 90, 1), finished("not_passed", None)];
        assert_eq!(Evidence::of(&once).observations().len(), 1);
        let unknown = [started_with(&json!([])), once[1].clone(), once[2].clone()];
        assert_eq!(Evidence::of(&unknown).observations(), []);
    }

    #[test]
    fn returned_responses_are_errors_of_the_reviewer() {
        let end = finished("not_passed", None);
        let sent_back = [started(), malformed(), round(1, 50, 3), end.clone()];
        assert_eq!(reviewer(&sent_back), (true, Some(75.0)));
        let none = [started(), malformed(), malformed(), end];
        assert_eq!(reviewer(&none), (true, Some(0.0)));
    }

    #[test]
    fn a_failed_response_is_an_error_and_a_busy_service_is_not() {
        for (failure, is_error) in [
            (json!({"outcome": "refused"}), true),
            (
                json!({"outcome": "rate_limited", "retry_after_ms": null}),
                false,
            ),
            (json!({"outcome": "auth_failed"}), false),
        ] {
            let events = [
                started(),
                retried("reviewer", &failure),
                round(1, 90, 0),
                finished("passed", None),
            ];
            assert_eq!(reviewer(&events), (is_error, Some(100.0)), "{failure}");
        }
        let of_the_applier = [
            started(),
            retried("applier", &json!({"outcome": "refused"})),
            round(1, 90, 0),
            finished("passed", None),
        ];
        assert_eq!(reviewer(&of_the_applier), (false, Some(100.0)));
        let error = failure(&json!({"outcome": "refused"}));
        for (name, payload) in [
            (
                "spec.review.reviewer_failed",
                json!({"iteration": 1, "error": error}),
            ),
            (
                "agent.reviewer_replaced",
                json!({"iteration": 1, "error": error, "by": "builtin"}),
            ),
        ] {
            let events = [
                started(),
                event(name, &payload),
                finished("no_verdict", None),
            ];
            assert_eq!(reviewer(&events), (true, None), "{name}");
        }
    }

    #[test]
    fn disputed_items_lower_the_quality_of_the_reviewer() {
        let disputed = finding(1, "disputed", &[1, 2], &[(1, "rejected"), (2, "disputed")]);
        let fixed = finding(2, "fixed", &[1], &[(1, "fixed")]);
        let events = [
            started(),
            round(1, 50, 3),
            feedback(1),
            round(2, 60, 1),
            joined(&[disputed, fixed], false),
            finished("not_passed", Some("disputed")),
        ];
        assert_eq!(reviewer(&events), (false, Some(50.0)));
    }

    #[test]
    fn the_quality_of_the_applier_is_the_mean_score_of_the_last_round() {
        let mut events = vec![
            started(),
            round(1, 50, 1),
            feedback(1),
            round(2, 80, 1),
            finished("not_passed", Some("max_iterations")),
        ];
        assert_eq!(applier(&events), (false, Some(85.0)));
        events[3] = round(2, 49, 1);
        assert_eq!(applier(&events), (true, Some(69.5)));
        events[3] = round(2, 50, 1);
        events[4] = finished("not_passed", Some("no_change"));
        assert_eq!(applier(&events), (true, Some(70.0)));
    }

    #[test]
    fn a_score_that_drops_without_an_apply_is_not_the_appliers_error() {
        let events = [
            started(),
            round(1, 50, 1),
            round(1, 40, 1),
            feedback(1),
            round(2, 60, 1),
            finished("not_passed", None),
        ];
        assert_eq!(applier(&events), (false, Some(75.0)));
    }

    #[test]
    fn a_fixed_finding_that_recurs_is_an_error_of_the_applier() {
        for (raised, history, is_error) in [
            (vec![1, 2], vec![(1, "fixed"), (2, "open")], true),
            (vec![1], vec![(1, "fixed")], false),
            (vec![1, 2], vec![(2, "fixed")], false),
            (vec![1, 2], vec![(1, "rejected"), (2, "disputed")], false),
            (
                vec![1, 2, 3],
                vec![(1, "fixed"), (2, "open"), (2, "fixed")],
                true,
            ),
        ] {
            let found = finding(1, "open", &raised, &history);
            let other = finding(2, "open", &[2], &[]);
            for events in [
                vec![joined(&[other.clone(), found.clone()], false)],
                vec![joined(&[found], false), joined(&[other], true)],
            ] {
                let mut all = vec![started(), round(1, 50, 1), feedback(1), round(2, 60, 1)];
                all.extend(events);
                all.push(finished("not_passed", None));
                assert_eq!(applier(&all).0, is_error, "{history:?}");
            }
        }
    }

    #[test]
    fn the_latest_state_of_a_finding_counts() {
        let before = finding(1, "open", &[1, 2], &[(1, "fixed"), (2, "open")]);
        let now = finding(1, "open", &[2], &[]);
        for is_truncated in [true, false] {
            let events = [
                started(),
                round(1, 50, 1),
                feedback(1),
                joined(std::slice::from_ref(&before), false),
                joined(std::slice::from_ref(&now), is_truncated),
                finished("not_passed", None),
            ];
            assert!(!applier(&events).0, "{is_truncated}");
        }
    }
}
