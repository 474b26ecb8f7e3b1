//! Decisions of users on lessons.

use std::collections::BTreeSet;

use review_types::Timestamp;

use super::pattern::MIN_COUNT;
use super::written::instruction;
use super::{InvalidLesson, Lesson, LessonStatus};

/// A decision on a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Approve: the lesson goes into the prompt.
    Approve,
    /// Reject, for good: the lesson is removed if it is in the prompt.
    Reject,
    /// Defer: the lesson is presented again at this time.
    Defer(Timestamp),
}

/// The lesson is already decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("lesson {id} is {status}{}", if *status == LessonStatus::Rejected { ", which is final" } else { " already" })]
pub struct AlreadyDecided {
    /// Its id.
    pub id: String,
    /// Its status.
    pub status: LessonStatus,
}

/// Words that a lesson cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwordable {
    /// The lesson is already decided.
    #[error(transparent)]
    Decided(#[from] AlreadyDecided),
    /// The words are not those of a lesson.
    #[error(transparent)]
    Words(#[from] InvalidLesson),
}

impl Lesson {
    /// The words for the prompt.
    pub fn constraint(&self) -> &str {
        let constraint = self.constraint_update.as_deref();
        let said = constraint.filter(|text| !text.trim().is_empty());
        said.unwrap_or(&self.lesson_text)
    }

    /// The lesson in these words of a user, who decides on it later.
    ///
    /// # Errors
    /// [`Unwordable`] if the words are invalid, or the lesson is decided already.
    pub fn worded(&self, constraint: &str, by: &str) -> Result<Self, Unwordable> {
        match self.status {
            LessonStatus::Proposed | LessonStatus::Approved => {}
            LessonStatus::Applied | LessonStatus::Rejected => {
                return Err(Unwordable::Decided(self.already()));
            }
        }
        Ok(Self {
            constraint_update: Some(instruction(constraint)?),
            written_by: Some(by.to_owned()),
            // It was rolled back in other words.
            rolled_back_at: None,
            ..self.clone()
        })
    }

    fn already(&self) -> AlreadyDecided {
        AlreadyDecided {
            id: self.id.to_string(),
            status: self.status,
        }
    }

    /// Whether only an explicit decision changes its state, even without an approval
    /// gate.
    pub const fn needs_decision(&self) -> bool {
        self.rolled_back_at.is_some() || self.deferred_until.is_some()
    }

    /// Returns the lesson as one that was rolled back, if it is proposed and too few of its
    /// entries are left without those of a version that was rolled back.
    pub fn rolled_back(&self, entries: &BTreeSet<&str>, at: Timestamp) -> Option<Self> {
        let sources = self.source_feedback.iter();
        let left = sources.filter(|id| !entries.contains(id.as_str())).count();
        let is_concerned = self.status == LessonStatus::Proposed
            && self.rolled_back_at.is_none()
            && left < MIN_COUNT
            && left < self.source_feedback.len();
        is_concerned.then(|| Self {
            rolled_back_at: Some(at),
            note: Some("its feedback is of a version that was rolled back".to_owned()),
            ..self.clone()
        })
    }

    /// Returns the lesson after a decision by `by`. An approved lesson may be approved
    /// again.
    ///
    /// # Errors
    /// [`AlreadyDecided`] if the decision is not possible any more.
    pub fn decided(&self, decision: Decision, by: &str) -> Result<Self, AlreadyDecided> {
        let lesson = Self {
            deferred_until: None,
            note: None,
            ..self.clone()
        };
        match (decision, self.status) {
            (Decision::Approve, LessonStatus::Proposed) => Ok(Self {
                status: LessonStatus::Approved,
                approved_by: Some(by.to_owned()),
                ..lesson
            }),
            (Decision::Approve, LessonStatus::Approved) => Ok(self.clone()),
            (
                Decision::Reject,
                LessonStatus::Proposed | LessonStatus::Approved | LessonStatus::Applied,
            ) => Ok(Self {
                status: LessonStatus::Rejected,
                note: Some(format!("rejected by {by}")),
                ..lesson
            }),
            (Decision::Defer(until), LessonStatus::Proposed) => Ok(Self {
                deferred_until: Some(until),
                note: Some(format!("deferred by {by}")),
                ..lesson
            }),
            (Decision::Approve, LessonStatus::Applied | LessonStatus::Rejected)
            | (Decision::Reject, LessonStatus::Rejected)
            | (
                Decision::Defer(_),
                LessonStatus::Approved | LessonStatus::Applied | LessonStatus::Rejected,
            ) => Err(self.already()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::object::LearningObject as _;

    fn lesson(status: &str) -> Lesson {
        let lesson = json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3", "agent": "reviewer",
            "lesson_text": "Units are missing.", "constraint_update": "Name units.",
            "source_feedback": [], "status": status,
            "approved_by": "ann", "applied_at": "2026-03-01T12:30:05Z",
            "deferred_until": "2026-03-08T00:00:00Z", "note": "deferred by bob",
        });
        Lesson::read(&lesson).into_result().unwrap()
    }

    #[test]
    fn the_possible_decisions_follow_from_the_status() {
        use LessonStatus::{Applied, Approved, Proposed, Rejected};
        let later = Decision::Defer(Timestamp::UNIX_EPOCH);
        for (status, approve, reject, defer) in [
            ("proposed", Ok(Approved), Ok(Rejected), Ok(Proposed)),
            ("approved", Ok(Approved), Ok(Rejected), Err(Approved)),
            ("applied", Err(Applied), Ok(Rejected), Err(Applied)),
            ("rejected", Err(Rejected), Err(Rejected), Err(Rejected)),
        ] {
            let decided = [Decision::Approve, Decision::Reject, later].map(|decision| {
                let decided = lesson(status).decided(decision, "eve");
                let decided = decided.map(|lesson| lesson.status);
                decided.map_err(|settled| settled.status)
            });
            assert_eq!(decided, [approve, reject, defer], "{status}");
        }
    }

    #[test]
    fn a_decision_records_its_author() {
        let proposed = lesson("proposed");
        let approved = proposed.decided(Decision::Approve, "eve").unwrap();
        assert_eq!(approved.approved_by.as_deref(), Some("eve"));
        assert_eq!(
            (approved.note.as_deref(), approved.deferred_until),
            (None, None)
        );
        let again = approved.decided(Decision::Approve, "bob").unwrap();
        assert_eq!(again, approved);
        let rejected = proposed.decided(Decision::Reject, "eve").unwrap();
        assert_eq!(rejected.note.as_deref(), Some("rejected by eve"));
        let until = Timestamp::UNIX_EPOCH;
        let deferred = proposed.decided(Decision::Defer(until), "eve").unwrap();
        assert_eq!(deferred.note.as_deref(), Some("deferred by eve"));
        assert_eq!(deferred.deferred_until, Some(until));
    }

    #[test]
    fn a_decided_lesson_reports_its_status() {
        let decided = |status, decision| {
            let error = lesson(status).decided(decision, "eve").unwrap_err();
            error.to_string()
        };
        let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3";
        let applied = decided("applied", Decision::Approve);
        assert_eq!(applied, format!("lesson {id} is applied already"));
        let rejected = decided("rejected", Decision::Reject);
        assert_eq!(rejected, format!("lesson {id} is rejected, which is final"));
    }

    #[test]
    fn the_constraint_is_the_instruction_or_else_the_lesson() {
        let mut lesson = lesson("proposed");
        assert_eq!(lesson.constraint(), "Name units.");
        for constraint in [None, Some(" ".to_owned())] {
            lesson.constraint_update = constraint;
            assert_eq!(lesson.constraint(), "Units are missing.");
        }
    }

    #[test]
    fn a_deferred_lesson_needs_a_decision_and_a_rolled_back_one_until_it_is_worded() {
        let lesson = Lesson {
            deferred_until: None,
            ..lesson("proposed")
        };
        assert!(!lesson.needs_decision());
        let rolled_back = Lesson {
            rolled_back_at: Some(Timestamp::UNIX_EPOCH),
            ..lesson.clone()
        };
        assert!(rolled_back.needs_decision());
        let worded = rolled_back.worded("Nenne die Einheit.", "eve");
        let worded = worded.unwrap();
        assert!(!worded.needs_decision());
        let deferred = Lesson {
            deferred_until: Some(Timestamp::UNIX_EPOCH),
            ..lesson
        };
        assert!(deferred.needs_decision());
    }

    #[test]
    fn a_lesson_goes_with_the_version_whose_runs_it_follows_from() {
        let ids = ["1", "2", "3", "4"].map(str::to_owned);
        let lesson = Lesson {
            source_feedback: ids.to_vec(),
            confidence: Some(0.8),
            deferred_until: None,
            ..lesson("proposed")
        };
        let rolled_back = |lesson: &Lesson, rolled_back: &[&str]| {
            let rolled_back = rolled_back.iter().copied().collect();
            lesson.rolled_back(&rolled_back, Timestamp::UNIX_EPOCH)
        };
        assert_eq!(rolled_back(&lesson, &["1", "9"]), None);
        let back = rolled_back(&lesson, &["1", "2"]).unwrap();
        assert_eq!(back.confidence, Some(0.8));
        assert!(back.needs_decision());
        assert_eq!(rolled_back(&back, &["1", "2"]), None);
        let few = Lesson {
            source_feedback: ids[..2].to_vec(),
            ..lesson.clone()
        };
        assert_eq!(rolled_back(&few, &["9"]), None);
        let applied = Lesson {
            status: LessonStatus::Applied,
            ..lesson
        };
        assert_eq!(rolled_back(&applied, &["1", "2"]), None);
    }
}
