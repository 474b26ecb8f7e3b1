//! The effect of applied lessons: whether their feedback recurs.

use std::collections::BTreeMap;

use super::{Lesson, LessonStatus};
use crate::cluster::ClusterRegistry;
use crate::feedback::FeedbackEntry;

impl Lesson {
    /// Returns the lesson with the sessions since it was applied, counted by whether
    /// its feedback recurred; `None` if it is not applied or nothing changed.
    #[must_use]
    pub fn followed(&self, entries: &[FeedbackEntry], registry: &ClusterRegistry) -> Option<Self> {
        let applied_at = self.applied_at?;
        let cluster = self.cluster?;
        if self.status != LessonStatus::Applied {
            return None;
        }
        let members = registry.members(cluster);
        let mut came_again: BTreeMap<&str, bool> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.timestamp > applied_at) {
            let Some(session) = entry.context.session.as_deref() else {
                continue;
            };
            let is_member = members.iter().any(|member| member == entry.id.as_str());
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
            cluster: Some(0),
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
        let followed = applied.followed(&entries, &registry).unwrap();
        // Sessions 2 and 6 against 3, 5 and 7.
        assert_eq!((followed.helpful, followed.harmful), (Some(2), Some(3)));
        assert_eq!(followed.followed(&entries, &registry), None);
        let approved = lesson(LessonStatus::Approved);
        assert_eq!(approved.followed(&entries, &registry), None);
        assert_eq!(applied.followed(&entries[..2], &registry), None);
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
