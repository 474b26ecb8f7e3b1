//! The effect of applied lessons: whether their feedback recurs.

use std::collections::{BTreeMap, BTreeSet};

use super::{Lesson, LessonStatus};
use crate::cluster::ClusterRegistry;
use crate::collection::APPLIER;
use crate::feedback::{FeedbackEntry, FeedbackType};

impl Lesson {
    /// Returns the lesson with the sessions since it was applied, counted by whether
    /// its feedback recurred; `None` if it is not applied or nothing changed.
    ///
    /// Where `runs` are known in which the agent was called with the lesson, they are
    /// the sessions; feedback from before the agent was called says nothing of it.
    #[must_use]
    pub fn followed(
        &self,
        entries: &[FeedbackEntry],
        registry: &ClusterRegistry,
        runs: Option<&BTreeSet<String>>,
    ) -> Option<Self> {
        let applied_at = self.applied_at?;
        if self.status != LessonStatus::Applied || self.clusters.is_empty() {
            return None;
        }
        let clusters = self.clusters.iter();
        let members: BTreeSet<&str> = clusters
            .flat_map(|cluster| registry.members(*cluster))
            .map(String::as_str)
            .collect();
        let known = runs.into_iter().flatten();
        let mut came_again: BTreeMap<&str, bool> = known.map(|run| (run.as_str(), false)).collect();
        for entry in entries.iter().filter(|entry| entry.timestamp > applied_at) {
            let Some(session) = entry.context.session.as_deref() else {
                continue;
            };
            if runs.is_some_and(|runs| !runs.contains(session) || is_before_the_agent(entry)) {
                continue;
            }
            let is_member = members.contains(entry.id.as_str());
            *came_again.entry(session).or_default() |= is_member;
        }
        let harmful = came_again.values().filter(|again| **again).count();
        let helpful = came_again.len() - harmful;
        let count = |of: usize| u32::try_from(of).ok().filter(|of| *of > 0);
        let followed = Self {
            helpful: count(helpful),
            harmful: count(harmful),
            ..self.clone()
        }
        .weighed();
        (followed != *self).then_some(followed)
    }

    /// Whether the lesson has no effect: its feedback recurs at least as often as it
    /// does not.
    #[must_use]
    pub fn is_ineffective(&self) -> bool {
        match (self.helpful, self.harmful) {
            (Some(helpful), Some(harmful)) => harmful >= helpful && helpful > 0,
            (Some(_) | None, None) | (None, Some(_)) => false,
        }
    }
}

/// Whether an entry is from a review before the applier was called.
fn is_before_the_agent(entry: &FeedbackEntry) -> bool {
    let is_of_the_review = match entry.feedback_type {
        FeedbackType::ReviewRejection | FeedbackType::QualityScore => true,
        FeedbackType::SecurityFinding => entry.details.correction.is_some(),
        FeedbackType::ValidationFailure
        | FeedbackType::HumanCorrection
        | FeedbackType::TestFailure => false,
    };
    entry.agent == APPLIER && is_of_the_review && entry.context.iteration == Some(1)
}

#[cfg(test)]
mod tests {
    use review_types::Timestamp;

    use super::super::fixture::timeouts;
    use super::*;

    fn lesson(status: LessonStatus) -> Lesson {
        let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3".parse().unwrap();
        Lesson {
            status,
            applied_at: Some(Timestamp::from_unix_ms(500)),
            clusters: vec![0],
            ..Lesson::proposed(id, "applier", "t".to_owned())
        }
    }

    #[test]
    fn sessions_since_the_application_are_counted_by_recurrence() {
        let mut entries = timeouts();
        for (entry, at) in entries
            .iter_mut()
            .zip([0, 500, 501, 501, 501, 501, 501, 501, 501])
        {
            entry.timestamp = Timestamp::from_unix_ms(at);
        }
        // Both occurred in one session.
        entries[4].context.session = Some("s3".to_owned());
        entries[8].context.session = None;
        let mut registry = ClusterRegistry::default();
        let about = [0, 1, 3, 5, 7].map(|at: usize| entries[at].id.as_str());
        registry.update(&[about.to_vec()]);
        let applied = lesson(LessonStatus::Applied);
        let followed = applied.followed(&entries, &registry, None).unwrap();
        // Sessions 2 and 6 against 3, 5 and 7.
        assert_eq!((followed.helpful, followed.harmful), (Some(2), Some(3)));
        assert_eq!(followed.followed(&entries, &registry, None), None);
        let approved = lesson(LessonStatus::Approved);
        assert_eq!(approved.followed(&entries, &registry, None), None);
        assert_eq!(applied.followed(&entries[..2], &registry, None), None);
    }

    #[test]
    fn a_run_says_something_of_a_lesson_once_the_applier_was_called_with_it() {
        let mut entries = timeouts();
        for (entry, round) in entries.iter_mut().zip([1, 1, 1, 2, 1, 1, 1, 2, 1]) {
            entry.timestamp = Timestamp::from_unix_ms(900);
            entry.context.iteration = Some(round);
        }
        let mut registry = ClusterRegistry::default();
        let about = [0, 1, 3, 5, 7].map(|at: usize| entries[at].id.as_str());
        registry.update(&[about.to_vec()]);
        let applied = lesson(LessonStatus::Applied);
        let runs = |runs: &[&str]| runs.iter().map(|run| (*run).to_owned()).collect();
        // The first review of `s0` and `s1` saw what the applier had not touched, `s7` was
        // not called with the lesson, and `quiet` had no feedback.
        let runs: BTreeSet<String> = runs(&["s0", "s1", "s3", "quiet"]);
        let followed = applied.followed(&entries, &registry, Some(&runs)).unwrap();
        assert_eq!((followed.helpful, followed.harmful), (Some(3), Some(1)));
        let none = applied.followed(&entries, &registry, Some(&BTreeSet::new()));
        assert_eq!(none, None);
    }

    #[test]
    fn a_lesson_is_ineffective_if_its_feedback_recurs_at_least_as_often() {
        for (helpful, harmful, expected) in [
            (Some(2), Some(2), true),
            (Some(3), Some(2), false),
            (None, Some(5), false),
            (Some(1), None, false),
            (None, None, false),
        ] {
            let lesson = Lesson {
                helpful,
                harmful,
                ..lesson(LessonStatus::Applied)
            };
            assert_eq!(lesson.is_ineffective(), expected, "{helpful:?} {harmful:?}");
        }
    }
}
