//! The actionable-feedback documents of a run: one for each round with items,
//! as `feedback/NNN.json` in the folder of the run.
//!
//! They are made of events alone, so that replaying the run makes them again.
//! One is written when the next round starts, which adds to it, or the run ends.

mod given;
mod items;

use std::sync::{Mutex, PoisonError};

use review::EventSink;
use review::events::{Envelope, Event, FeedbackDecided, FindingsJoined, ReviewIteration};
use review::schema::actionable::{
    ActionableFeedback, AssessmentVerdict, Count, DocumentId, Draft, Fraction, Iteration,
    QualityTracking, Target, compose, target_type,
};
use review::types::{
    DecisionStatus, FeedbackItem, FindingStatus, PastItem, Scores, Timestamp, Verdict,
};
use review_flow::Seed;
use review_flow::{StepName, session_id};
use review_store::RunDir;

use crate::settings::{ReviewTarget, RunSettings};

/// Writes the documents of a run.
pub(crate) struct Documents {
    dir: RunDir,
    seed: Seed,
    target: Target,
    max_iterations: u32,
    rounds: Mutex<Rounds>,
}

/// The round whose document is not complete yet.
struct Rounds {
    /// Whether it is noted that feedback was followed.
    tracks_following: bool,
    /// Whether it is noted that, and by how much, the scores rose after it.
    tracks_improvement: bool,
    last: Option<Round>,
}

/// The last round that was read.
struct Round {
    number: u32,
    /// The overall score of its reviewer, else the mean of its scores, from 0 to 1.
    score: Option<f64>,
    passed: bool,
    /// How many of its items the reviewer was asked to reword.
    sent_back: usize,
    document: Option<ActionableFeedback>,
    /// What its reviewer said, in the order of the items.
    said: Vec<FeedbackItem>,
}

impl Documents {
    pub(crate) fn new(dir: &RunDir, seed: Seed, settings: &RunSettings) -> Self {
        let (path, context) = match &settings.target {
            ReviewTarget::Unit { spec, id, .. } => (spec, Some(id.to_string())),
            ReviewTarget::File { path } | ReviewTarget::Folder { path } => (path, None),
        };
        Self {
            dir: dir.clone(),
            seed,
            target: Target {
                kind: target_type(path),
                path: path.clone(),
                version: None,
                context,
            },
            max_iterations: settings.config.review.max_iterations.get(),
            rounds: Mutex::new(Rounds {
                tracks_following: settings.config.feedback.track_follow_rate,
                tracks_improvement: settings.config.feedback.track_improvement_rate,
                last: None,
            }),
        }
    }

    fn take(&self, event: &Envelope) {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.event {
            Event::ReviewIteration(round) => {
                let document = self.document(round, event.timestamp);
                let given = document.as_ref().filter(|_| round.document.is_some());
                let score = given.map_or_else(
                    || mean(&round.scores),
                    |given| Some(given.overall_assessment.score.get()),
                );
                let before = rounds.begin(Round {
                    number: round.iteration,
                    score,
                    passed: round.verdict == Verdict::Pass,
                    sent_back: round.sent_back(),
                    document,
                    said: round.feedback.clone(),
                });
                if let Some(document) = before {
                    self.write(&document);
                }
            }
            Event::FindingsJoined(joined) => rounds.joined(joined),
            Event::FeedbackDecided(decided) => rounds.decided(decided),
            Event::RunFinished(_) | Event::RunInterrupted(_) => {
                let last = rounds.last.as_ref();
                if let Some(document) = last.and_then(|round| round.document.as_ref()) {
                    self.write(document);
                }
            }
            _ => {}
        }
    }

    fn document(
        &self,
        round: &ReviewIteration,
        timestamp: Timestamp,
    ) -> Option<ActionableFeedback> {
        if let Some(given) = given::document(round) {
            return Some(given);
        }
        let step = StepName::new("review", 0, format_args!("review-{}", round.iteration));
        let number = Count::new(round.iteration)?;
        let max = Count::new(self.max_iterations.max(round.iteration))?;
        let mut document = compose(Draft {
            id: DocumentId::new(session_id(&self.seed, &step, 1, "document")).ok()?,
            timestamp,
            iteration: Iteration::new(number, max),
            target: Target {
                version: round.artifact.map(|artifact| artifact.to_string()),
                ..self.target.clone()
            },
            verdict: Some(match round.verdict {
                Verdict::Pass => AssessmentVerdict::Accept,
                Verdict::NeedsRevision => AssessmentVerdict::Refine,
            }),
            score: mean(&round.scores).and_then(|score| Fraction::new(score).ok()),
            confidence: None,
            summary: None,
            items: items::items(round),
        })?;
        items::list_derived(&mut document, &round.feedback);
        Some(document)
    }

    /// Writes a document. One that cannot be written is made again by the next
    /// resume, and no run fails for it.
    fn write(&self, document: &ActionableFeedback) {
        let number = document.iteration.number.get();
        match serde_json::to_vec_pretty(document) {
            Ok(mut json) => {
                json.push(b'\n');
                if let Err(error) = self.dir.write_feedback(number, &json) {
                    tracing::warn!("the feedback of round {number} is not written: {error}");
                }
            }
            Err(error) => tracing::warn!("the feedback of round {number} has no JSON: {error}"),
        }
    }
}

impl EventSink for Documents {
    fn emit(&self, event: &Envelope) {
        self.take(event);
    }

    fn recall(&self, event: &Envelope) {
        self.take(event);
    }
}

impl Rounds {
    /// Notes a new round, and in the previous one, whose document it returns, by how much
    /// the score changed.
    fn begin(&mut self, mut round: Round) -> Option<ActionableFeedback> {
        round.note_clarity(0);
        let before = self.last.take();
        let mut before = before.filter(|before| before.number < round.number);
        if let Some(before) = before.as_mut().filter(|_| self.tracks_improvement) {
            match before.score.zip(round.score) {
                Some((old, new)) => before.track(|tracking| {
                    tracking.improvement_observed = Some(new > old);
                    tracking.improvement_delta = Some(new - old);
                }),
                None if round.passed && !before.passed => {
                    before.track(|tracking| tracking.improvement_observed = Some(true));
                }
                None => {}
            }
        }
        self.last = Some(round);
        before?.document
    }

    /// Notes the context of the items of a round, and how clear they are.
    fn joined(&mut self, joined: &FindingsJoined) {
        let last = self.last.as_mut();
        if let Some(round) = last.filter(|round| round.number == joined.iteration) {
            let findings = joined.findings.iter();
            let disputed = findings.filter(|finding| {
                let is_raised = finding.raised.last() == Some(&joined.iteration);
                is_raised && finding.status == FindingStatus::Disputed
            });
            round.note_clarity(disputed.count());
        }
    }

    /// Notes whether the feedback of a round was followed.
    fn decided(&mut self, decided: &FeedbackDecided) {
        let last = self.last.as_mut();
        if self.tracks_following
            && let Some(round) = last.filter(|round| round.number == decided.iteration)
            && let Some(followed) = followed(&decided.feedback)
        {
            round.track(|tracking| tracking.feedback_followed = Some(followed));
        }
    }
}

impl Round {
    /// Notes the share of items that did not have to be reworded and are not disputed.
    fn note_clarity(&mut self, disputed: usize) {
        let items = self.said.len();
        let unclear = (self.sent_back + disputed).min(items);
        let share = |part: usize, all: usize| {
            let part = u32::try_from(part).ok()?;
            let all = u32::try_from(all).ok().filter(|all| *all > 0)?;
            Fraction::new(f64::from(part) / f64::from(all)).ok()
        };
        let clarity = share(items - unclear, items);
        let known = self
            .document
            .as_ref()
            .and_then(|document| document.quality_tracking.as_ref());
        if clarity.is_some() || known.is_some() {
            self.track(|tracking| tracking.feedback_clarity_score = clarity);
        }
    }

    fn track(&mut self, note: impl FnOnce(&mut QualityTracking)) {
        if let Some(document) = &mut self.document {
            note(document.quality_tracking.get_or_insert_default());
        }
    }
}

/// Whether the applier took up every item that it decided on itself; `None` if
/// all decisions were inferred.
fn followed(items: &[PastItem]) -> Option<bool> {
    let mut stated = items
        .iter()
        .filter_map(|item| item.decision.as_ref())
        .filter(|taken| !taken.inferred)
        .peekable();
    stated.peek()?;
    Some(stated.all(|taken| match taken.decision.status() {
        DecisionStatus::Accepted | DecisionStatus::Partial => true,
        DecisionStatus::Rejected => false,
    }))
}

/// The mean of scores from 0 to 100, as a number from 0 to 1.
fn mean(scores: &Scores) -> Option<f64> {
    let count = u32::try_from(scores.len())
        .ok()
        .filter(|count| *count > 0)?;
    let sum: u32 = scores.iter().map(|(_, score)| u32::from(score.get())).sum();
    Some(f64::from(sum) / f64::from(count) / 100.0)
}

#[cfg(test)]
mod tests {
    use review::schema::actionable::DraftItem;
    use review::types::{Decision, DecisionCounts, FeedbackId, TakenDecision};

    use super::*;

    fn round(number: u32, score: f64) -> Round {
        let item = DraftItem {
            place: "Goal".to_owned(),
            issue: "The goal names no limit".to_owned(),
            action: "Name the limit".to_owned(),
            ..DraftItem::default()
        };
        let number_of = Count::new(number).unwrap();
        let document = compose(Draft {
            id: DocumentId::new("fb-1").unwrap(),
            timestamp: Timestamp::UNIX_EPOCH,
            iteration: Iteration::new(number_of, Count::new(99).unwrap()),
            target: Target {
                kind: target_type("specs/A.md"),
                path: "specs/A.md".to_owned(),
                version: None,
                context: None,
            },
            verdict: Some(AssessmentVerdict::Refine),
            score: None,
            confidence: None,
            summary: None,
            items: vec![item],
        });
        Round {
            number,
            score: Some(score),
            passed: false,
            sent_back: 0,
            document,
            said: Vec::new(),
        }
    }

    /// The document that is complete: number and improvement.
    fn completed(document: Option<ActionableFeedback>) -> Option<(u32, Option<bool>)> {
        let document = document?;
        let tracking = document.quality_tracking.as_ref();
        let improved = tracking.and_then(|tracking| tracking.improvement_observed);
        Some((document.iteration.number.get(), improved))
    }

    fn tracked() -> Rounds {
        Rounds {
            tracks_following: true,
            tracks_improvement: true,
            last: None,
        }
    }

    #[test]
    fn a_document_is_complete_when_the_next_round_starts() {
        let mut rounds = tracked();
        for (number, score, before) in [
            (1, Some(0.5), None),
            (1, Some(0.9), None),
            (2, Some(0.7), Some((1, Some(false)))),
            (3, None, Some((2, None))),
            (4, Some(0.5), Some((3, None))),
            (5, Some(0.6), Some((4, Some(true)))),
        ] {
            let next = Round {
                score,
                ..round(number, 0.0)
            };
            assert_eq!(completed(rounds.begin(next)), before, "{number}");
        }
        let mut rounds = tracked();
        rounds.begin(Round {
            score: None,
            ..round(1, 0.0)
        });
        let passed = Round {
            passed: true,
            ..round(2, 0.5)
        };
        assert_eq!(completed(rounds.begin(passed)), Some((1, Some(true))));
    }

    #[test]
    fn what_is_not_tracked_is_not_noted() {
        let decided = FeedbackDecided {
            iteration: 1,
            counts: DecisionCounts::default(),
            feedback: vec![PastItem {
                item: FeedbackItem::new("Goal", "open", "close").unwrap(),
                decision: Some(TakenDecision {
                    decision: Decision::accepted(FeedbackId::new("goal-01").unwrap()),
                    inferred: false,
                    written_code: None,
                }),
            }],
            truncated: false,
        };
        for (follow_rate, improvement_rate) in [(true, true), (true, false), (false, true)] {
            let mut rounds = Rounds {
                tracks_following: follow_rate,
                tracks_improvement: improvement_rate,
                last: None,
            };
            rounds.begin(round(1, 0.5));
            rounds.decided(&decided);
            let before = rounds.begin(round(2, 0.7)).unwrap();
            let tracked = before.quality_tracking.unwrap();
            assert_eq!(tracked.feedback_followed, follow_rate.then_some(true));
            assert_eq!(
                tracked.improvement_observed,
                improvement_rate.then_some(true)
            );
            assert_eq!(tracked.improvement_delta.is_some(), improvement_rate);
        }
    }
}
