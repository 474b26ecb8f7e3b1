//! The actionable-feedback documents of a run: one for each round with items,
//! as `feedback/NNN.json` in the folder of the run.
//!
//! They are made of events alone, so that replaying the run makes them again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use review::events::{Envelope, Event, MachineName, ReviewIteration, Seed};
use review::schema::actionable::{Draft, DraftItem, compose, target_type};
use review::types::actionable::{
    ActionableFeedback, AssessmentVerdict, Count, DocumentId, Fraction, Iteration, QualityTracking,
    Target as DocumentTarget,
};
use review::types::afp::{DecisionStatus, PastItem};
use review::types::{Scores, Timestamp, Verdict};
use review::{EventSink, StepName, session_id};
use review_store::RunDir;

use crate::settings::{RunSettings, Target};

/// Writes the documents of a run beside telling its events.
pub(crate) struct Documents<'a> {
    next: &'a dyn EventSink,
    dir: RunDir,
    seed: Seed,
    target: DocumentTarget,
    max_iterations: u32,
    rounds: Mutex<BTreeMap<u32, Round>>,
}

/// What is known of a round.
struct Round {
    /// The mean of its scores, from 0 to 1.
    score: Option<f64>,
    document: Option<ActionableFeedback>,
}

impl<'a> Documents<'a> {
    pub(crate) fn new(
        dir: &RunDir,
        seed: Seed,
        settings: &RunSettings,
        next: &'a dyn EventSink,
    ) -> Self {
        let (path, context) = match &settings.target {
            Target::Unit { spec, id, .. } => (spec, Some(id.to_string())),
            Target::File { path } | Target::Folder { path } => (path, None),
        };
        Self {
            next,
            dir: dir.clone(),
            seed,
            target: DocumentTarget {
                kind: target_type(path),
                path: path.clone(),
                version: None,
                context,
            },
            max_iterations: settings.max_iterations,
            rounds: Mutex::default(),
        }
    }

    fn take(&self, event: &Envelope) {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.event {
            Event::ReviewIteration(round) => {
                let score = mean(&round.scores);
                let before = round.iteration.checked_sub(1);
                if let Some(before) = before.and_then(|number| rounds.get_mut(&number)) {
                    self.compare(before, score);
                }
                let document = self.document(round, event.timestamp, score);
                self.write(document.as_ref());
                rounds.insert(round.iteration, Round { score, document });
            }
            Event::FeedbackDecided(decided) => {
                if let Some(round) = rounds.get_mut(&decided.iteration)
                    && let Some(followed) = followed(&decided.feedback)
                {
                    round.track(|tracking| tracking.feedback_followed = Some(followed));
                    self.write(round.document.as_ref());
                }
            }
            _ => {}
        }
    }

    /// Notes in the round before by how much the score changed.
    fn compare(&self, before: &mut Round, score: Option<f64>) {
        if let (Some(old), Some(new)) = (before.score, score) {
            let delta = new - old;
            before.track(|tracking| {
                tracking.improvement_observed = Some(delta > 0.0);
                tracking.improvement_delta = Some(delta);
            });
            self.write(before.document.as_ref());
        }
    }

    fn document(
        &self,
        round: &ReviewIteration,
        timestamp: Timestamp,
        score: Option<f64>,
    ) -> Option<ActionableFeedback> {
        let step = StepName::new(
            MachineName::Review,
            0,
            format_args!("review-{}", round.iteration),
        );
        let number = Count::new(round.iteration)?;
        let max = Count::new(self.max_iterations.max(round.iteration))?;
        let items = round.feedback.iter().map(|item| DraftItem {
            place: item.section().to_owned(),
            issue: item.issue().to_owned(),
            action: item.suggestion().to_owned(),
            ..DraftItem::default()
        });
        compose(Draft {
            id: DocumentId::new(session_id(&self.seed, &step, 1, "document")).ok()?,
            timestamp,
            iteration: Iteration::new(number, max),
            target: self.target.clone(),
            verdict: Some(match round.verdict {
                Verdict::Pass => AssessmentVerdict::Accept,
                Verdict::NeedsRevision => AssessmentVerdict::Refine,
            }),
            score: score.and_then(|score| Fraction::new(score).ok()),
            confidence: None,
            summary: None,
            items: items.collect(),
        })
    }

    /// Writes a document. One that cannot be written is made again by the next
    /// resume, and no run fails for it.
    fn write(&self, document: Option<&ActionableFeedback>) {
        let Some(document) = document else { return };
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

impl EventSink for Documents<'_> {
    fn emit(&self, event: &Envelope) {
        self.next.emit(event);
        self.take(event);
    }
}

impl Round {
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
