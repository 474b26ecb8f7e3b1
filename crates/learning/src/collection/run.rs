//! Feedback entries from the events of a run.

use std::collections::BTreeMap;

use review_events::{
    AgentRole, AnswerRemark, Envelope, Event, FeedbackUnacknowledged, ReviewBlocked,
    ReviewIteration, ReviewMalformed, TaskFinished, TaskState,
};
use review_types::{AgentError, Aspect, BlockCode, Failure, FeedbackItem, Score, Verdict};

use super::Draft;
use super::failure::failure;
use super::text::{rule_code, tag, tail, text};
use crate::AgentName;
use crate::feedback::{Context, Details, FeedbackType, Severity};

/// The word of a heading that makes an item without an aspect a security issue.
const SECURITY: &str = "security";

/// The feedback in the events of one run, collected event by event.
#[derive(Clone, Debug)]
pub struct RunFeedback<'m> {
    minimums: &'m BTreeMap<String, Score>,
    artifact: Option<String>,
    round: u32,
    /// Whether the applier changed files outside the artifact.
    has_strayed: bool,
    drafts: Vec<Draft>,
}

impl<'m> RunFeedback<'m> {
    /// Returns the feedback in the events of a run whose criteria have these minimums.
    pub fn of<'e>(
        events: impl IntoIterator<Item = &'e Envelope>,
        minimums: &'m BTreeMap<String, Score>,
    ) -> Vec<Draft> {
        let mut feedback = Self {
            minimums,
            artifact: None,
            round: 1,
            has_strayed: false,
            drafts: Vec::new(),
        };
        for event in events {
            feedback.take(event);
        }
        feedback.drafts
    }

    fn take(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::RunStarted(started) => self.artifact = Some(started.spec.clone()),
            Event::ReviewIteration(round) => {
                self.round = round.iteration.saturating_add(1);
                self.overruled(envelope, round);
                self.rejected(envelope, round);
                self.scored(envelope, round);
            }
            Event::ReviewMalformed(malformed) => self.malformed(envelope, malformed),
            Event::FeedbackUnacknowledged(told) => self.unacknowledged(envelope, told),
            Event::CallRetried(call) => {
                self.trespassed(envelope, call.role, call.iteration, &call.error);
            }
            Event::ReviewerFailed(call) => {
                self.trespassed(envelope, AgentRole::Reviewer, call.iteration, &call.error);
            }
            Event::ReviewerReplaced(call) => {
                self.trespassed(envelope, AgentRole::Reviewer, call.iteration, &call.error);
            }
            Event::ReviewBlocked(blocked) => self.blocked(envelope, blocked),
            Event::TaskFinished(finished) => self.tested(envelope, finished),
            _ => {}
        }
    }

    /// Collects each item of a review that requests a revision.
    fn rejected(&mut self, envelope: &Envelope, round: &ReviewIteration) {
        if round.verdict != Verdict::NeedsRevision {
            return;
        }
        for (number, item) in round.feedback.iter().enumerate() {
            let mut words = item.section().split(|c: char| !c.is_alphanumeric());
            let aspect = item.details().and_then(|details| details.aspect);
            let is_security = match aspect {
                Some(aspect) => aspect == Aspect::Security,
                None => words.any(|word| word.eq_ignore_ascii_case(SECURITY)),
            };
            let given = item.severity().map(severity_of);
            let (feedback_type, severity) = match is_security {
                true => (
                    FeedbackType::SecurityFinding,
                    given.max(Some(Severity::High)),
                ),
                false => (FeedbackType::ReviewRejection, given),
            };
            let part = format!("item/{number}");
            let mut draft = self.draft(envelope, &part, AgentRole::Applier, feedback_type);
            draft.severity = severity;
            draft.context.iteration = Some(round.iteration);
            draft.details = details_of(item);
            draft.tags.extend(tag(item.section()));
            draft
                .tags
                .extend(rule_code(item.issue()).map(str::to_owned));
            self.drafts.push(draft);
        }
    }

    /// Collects each score below its minimum.
    fn scored(&mut self, envelope: &Envelope, round: &ReviewIteration) {
        for (criterion, found) in round.scores.iter() {
            let name = criterion.as_str();
            let Some(minimum) = self.minimums.get(name).copied() else {
                continue;
            };
            let Some(severity) = severity_below(found, minimum) else {
                continue;
            };
            let part = format!("score/{name}");
            let mut draft = self.draft(
                envelope,
                &part,
                AgentRole::Applier,
                FeedbackType::QualityScore,
            );
            draft.severity = Some(severity);
            draft.context.iteration = Some(round.iteration);
            draft.details = Details {
                error_message: Some(format!("{name} is below its minimum")),
                expected: Some(format!("{name} of at least {minimum}")),
                actual: Some(format!("{name} of {found}")),
                correction: None,
                quality_scores: BTreeMap::from([(name.to_owned(), f64::from(found.get()))]),
            };
            draft.tags.extend(tag(name));
            self.drafts.push(draft);
        }
    }

    fn malformed(&mut self, envelope: &Envelope, malformed: &ReviewMalformed) {
        let message = text(&malformed.parse_error);
        let details = self.invalid(
            envelope,
            (AgentRole::Reviewer, self.round),
            "malformed",
            message,
        );
        details.actual = tail(&malformed.raw_output);
    }

    fn overruled(&mut self, envelope: &Envelope, round: &ReviewIteration) {
        let facts = round.remarks.iter().rev().find_map(|remark| match remark {
            AnswerRemark::Overruled(facts) => Some(*facts as usize),
            _ => None,
        });
        let Some(facts) = facts else { return };
        let facts = review_types::plural(facts, "fact", "facts");
        let message = format!("the response passes an artifact that {facts} block");
        let of = (AgentRole::Reviewer, round.iteration);
        self.invalid(envelope, of, "sent_back", Some(message));
    }

    fn unacknowledged(&mut self, envelope: &Envelope, event: &FeedbackUnacknowledged) {
        let message = "the response does not acknowledge the decisions it was given".to_owned();
        let of = (AgentRole::Reviewer, event.iteration);
        self.invalid(envelope, of, "acknowledgement", Some(message));
    }

    fn blocked(&mut self, envelope: &Envelope, blocked: &ReviewBlocked) {
        let iteration = self.round.saturating_sub(1).max(1);
        if let Some(error) = &blocked.applier_error {
            self.trespassed(envelope, AgentRole::Applier, iteration, error);
        }
        if blocked.code == BlockCode::ApplierFailed && !self.has_strayed {
            let (word, message) = (blocked.code.as_str(), text(&blocked.reason));
            self.invalid(envelope, (AgentRole::Applier, iteration), word, message);
        }
    }

    /// Collects the change of a file that an agent may not change.
    fn trespassed(
        &mut self,
        envelope: &Envelope,
        role: AgentRole,
        iteration: u32,
        error: &AgentError,
    ) {
        if !matches!(error.failure, Failure::WroteFiles { .. }) {
            return;
        }
        let expected = match role {
            AgentRole::Reviewer => "a review changes no file",
            AgentRole::Applier | AgentRole::Implementer => "only the artifact is changed",
        };
        self.has_strayed |= role == AgentRole::Applier;
        let (word, message) = (error.failure.as_str(), text(&error.message));
        let of = (role, iteration);
        let kind = (FeedbackType::SecurityFinding, Severity::High);
        let details = self.failed(envelope, kind, of, word, message);
        details.expected = Some(expected.to_owned());
    }

    fn tested(&mut self, envelope: &Envelope, finished: &TaskFinished) {
        match finished.state {
            TaskState::Failed
            | TaskState::TimedOut
            | TaskState::NoTests
            | TaskState::TestsMissing
            | TaskState::NoCommand
            | TaskState::Parked
            | TaskState::Held => {}
            TaskState::Passed
            | TaskState::OnLane
            | TaskState::Landed
            | TaskState::Skipped
            | TaskState::NotRun => return,
        }
        let failed = (finished.state == TaskState::Failed).then(|| failure(&finished.tail));
        let failed = failed.flatten();
        let mut draft = self.draft(
            envelope,
            "task",
            AgentRole::Applier,
            FeedbackType::TestFailure,
        );
        draft.severity = Some(Severity::High);
        draft.context.task.clone_from(&envelope.task);
        draft.details = Details {
            error_message: failed
                .as_deref()
                .and_then(text)
                .or_else(|| text(&finished.reason)),
            expected: Some("the backpressure command of the task passes".to_owned()),
            actual: tail(&finished.tail),
            ..Details::default()
        };
        draft.tags.extend(tag(finished.state.as_str()));
        self.drafts.push(draft);
    }

    /// Collects an invalid response or edit of an agent in a round.
    fn invalid(
        &mut self,
        envelope: &Envelope,
        of: (AgentRole, u32),
        word: &str,
        message: Option<String>,
    ) -> &mut Details {
        let kind = (FeedbackType::ValidationFailure, Severity::Medium);
        self.failed(envelope, kind, of, word, message)
    }

    /// Collects a failure of an agent in a round, tagged with `word`, and returns its details.
    fn failed(
        &mut self,
        envelope: &Envelope,
        (feedback_type, severity): (FeedbackType, Severity),
        (agent, iteration): (AgentRole, u32),
        word: &str,
        message: Option<String>,
    ) -> &mut Details {
        let part = format!("{word}/{iteration}");
        let mut draft = self.draft(envelope, &part, agent, feedback_type);
        draft.severity = Some(severity);
        draft.context.iteration = Some(iteration);
        draft.details.error_message = message;
        draft.tags.extend(tag(word));
        &mut self.drafts.push_mut(draft).details
    }

    fn draft(
        &self,
        envelope: &Envelope,
        part: &str,
        agent: AgentRole,
        feedback_type: FeedbackType,
    ) -> Draft {
        let number = envelope.seq.map_or_else(String::new, |seq| seq.to_string());
        Draft {
            key: format!("run/{}/{number}/{part}", envelope.run),
            agent: AgentName::from(agent),
            timestamp: envelope.timestamp,
            feedback_type,
            severity: None,
            context: Context {
                artifact_path: self.artifact.clone(),
                session: Some(envelope.run.to_string()),
                ..Context::default()
            },
            details: Details::default(),
            tags: vec![feedback_type.as_str().to_owned()],
        }
    }
}

fn details_of(item: &FeedbackItem) -> Details {
    Details {
        error_message: text(item.issue()),
        correction: text(item.suggestion()),
        ..Details::default()
    }
}

/// The severity of an item, as its reviewer gave it.
const fn severity_of(severity: review_types::Severity) -> Severity {
    match severity {
        review_types::Severity::Critical => Severity::Critical,
        review_types::Severity::Major => Severity::High,
        review_types::Severity::Minor => Severity::Medium,
        review_types::Severity::Suggestion => Severity::Low,
    }
}

/// The severity of a score below its minimum, by the distance; `None` if the score is
/// not below it.
fn severity_below(score: Score, minimum: Score) -> Option<Severity> {
    let distance = minimum
        .get()
        .checked_sub(score.get())
        .filter(|points| *points > 0)?;
    Some(match distance {
        ..10 => Severity::Low,
        10..25 => Severity::Medium,
        25..50 => Severity::High,
        50.. => Severity::Critical,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severity_grows_with_the_distance_below_the_minimum() {
        let score = |value| Score::new(value).unwrap();
        for (value, expected) in [
            (100, None),
            (80, None),
            (79, Some(Severity::Low)),
            (71, Some(Severity::Low)),
            (70, Some(Severity::Medium)),
            (56, Some(Severity::Medium)),
            (55, Some(Severity::High)),
            (31, Some(Severity::High)),
            (30, Some(Severity::Critical)),
            (0, Some(Severity::Critical)),
        ] {
            assert_eq!(severity_below(score(value), score(80)), expected, "{value}");
        }
    }
}
