//! Proposed lessons from patterns, and new evidence for existing lessons.

use std::collections::BTreeSet;

use review_text::Fingerprint;
use review_types::Timestamp;

use super::confidence::confidence;
use super::written::instruction;
use super::{FeedbackPattern, Impact, InvalidLesson, Lesson, LessonStatus};
use crate::corrections::CommonPattern;
use crate::{AgentName, Id};

/// Lessons with a higher similarity are the same.
const SAME_LESSON: f32 = 0.8;
/// A share of this size, weighted by severity, has a high impact.
const HIGH_IMPACT: f64 = 0.3;
/// A share of this size, weighted by severity, has a medium impact.
const MEDIUM_IMPACT: f64 = 0.1;

/// The words of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The lesson learned.
    pub lesson_text: String,
    /// The instruction for the agent.
    pub constraint_update: String,
    /// The ids of the entries that the author cites; empty if the exemplars of the
    /// pattern are cited.
    pub cites: Vec<String>,
    /// The author: backend, model and prompt, or a user; `None` if it is the lesson of a
    /// common pattern.
    pub written_by: Option<String>,
}

impl Draft {
    /// A lesson in the words of a user.
    ///
    /// # Errors
    /// [`InvalidLesson`] if it is too short, too long, or vague.
    pub fn by_user(text: &str, by: &str) -> Result<Self, InvalidLesson> {
        let text = instruction(text)?;
        Ok(Self {
            lesson_text: text.clone(),
            constraint_update: text,
            cites: Vec::new(),
            written_by: Some(by.to_owned()),
        })
    }

    /// The lesson of a common pattern; `None` for any other, which waits for words.
    pub fn of(pattern: &FeedbackPattern<'_>) -> Option<Self> {
        let common = CommonPattern::named(pattern.name.as_deref()?)?;
        Some(Self {
            lesson_text: format!("The agent {}.", common.description),
            constraint_update: common.lesson.to_owned(),
            cites: Vec::new(),
            written_by: None,
        })
    }
}

/// The lesson for a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposal {
    /// A new lesson.
    New(Lesson),
    /// An existing lesson with new evidence.
    Raised(Lesson),
    /// An existing lesson without new evidence.
    Known(Id),
}

/// The input for the lessons of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Proposing<'a, 'e> {
    /// The agent that is to learn.
    pub agent: &'a AgentName,
    /// The existing lessons of the agent.
    pub lessons: &'a [Lesson],
    /// The patterns of its feedback.
    pub patterns: &'a [FeedbackPattern<'e>],
    /// The current time.
    pub at: Timestamp,
}

impl<'a, 'e> Proposing<'a, 'e> {
    /// Returns what becomes of a pattern whose cluster has a lesson; `None` for one that has
    /// to be put into words. An author words also the lesson of a common pattern, once.
    pub fn known(&self, pattern: &FeedbackPattern<'e>, has_author: bool) -> Option<Proposal> {
        let lesson = self.of_cluster(pattern.cluster)?;
        let is_common = lesson.status == LessonStatus::Proposed && lesson.written_by.is_none();
        let mut covered = self.patterns.iter().map(|one| one.cluster);
        let first = covered.find(|cluster| lesson.covers(*cluster));
        let is_first = first == Some(pattern.cluster);
        (!(has_author && is_common && is_first)).then(|| self.raised(lesson, pattern))
    }

    /// The lesson that covers a cluster.
    fn of_cluster(&self, cluster: u32) -> Option<&'a Lesson> {
        self.lessons.iter().find(|lesson| lesson.covers(cluster))
    }

    /// Returns what becomes of a pattern in the words of `draft`; a new lesson has
    /// this id.
    pub fn propose(&self, pattern: &FeedbackPattern<'e>, draft: Draft, id: Id) -> Proposal {
        if let Some(lesson) = self.of_cluster(pattern.cluster) {
            return self.reworded(lesson, pattern, draft);
        }
        match self.same(&draft) {
            Some(lesson) => self.raised(lesson, pattern),
            None => Proposal::New(self.lesson(pattern, draft, id)),
        }
    }

    /// A lesson that is there, in other words where an author wrote them.
    fn reworded(&self, lesson: &Lesson, pattern: &FeedbackPattern<'e>, draft: Draft) -> Proposal {
        let raised = self.raised(lesson, pattern);
        if draft.written_by.is_none() {
            return raised;
        }
        let raised = match raised {
            Proposal::Raised(lesson) => lesson,
            Proposal::New(_) | Proposal::Known(_) => lesson.clone(),
        };
        Proposal::Raised(Lesson {
            lesson_text: draft.lesson_text,
            constraint_update: Some(draft.constraint_update),
            exemplars: draft.cites,
            written_by: draft.written_by,
            ..raised
        })
    }

    /// The existing lesson with the same content.
    fn same(&self, draft: &Draft) -> Option<&Lesson> {
        let text = format!("{}\n{}", draft.lesson_text, draft.constraint_update);
        let about = Fingerprint::of(&text);
        self.lessons.iter().find(|lesson| {
            let known = Fingerprint::of(&lesson.text());
            known.similarity(&about) > SAME_LESSON
        })
    }

    fn lesson(&self, pattern: &FeedbackPattern<'e>, draft: Draft, id: Id) -> Lesson {
        let (value, factors) = confidence(&pattern.entries, self.at);
        let ids = pattern.entries.iter().map(|entry| entry.id.to_string());
        let exemplars = pattern.exemplars().map(|entry| entry.id.to_string());
        Lesson {
            constraint_update: Some(draft.constraint_update),
            source_feedback: ids.collect(),
            confidence: Some(value),
            factors,
            frequency: Some(pattern.frequency),
            impact: Some(pattern.impact()),
            occurrences: Some(count(pattern.entries.len())),
            exemplars: match draft.cites.is_empty() {
                true => exemplars.collect(),
                false => draft.cites,
            },
            written_by: draft.written_by,
            clusters: vec![pattern.cluster],
            pattern: pattern.name.clone(),
            ..Lesson::proposed(id, self.agent, draft.lesson_text)
        }
    }

    /// A lesson with the evidence of its clusters, to which that of the pattern belongs
    /// from now on.
    fn raised(&self, lesson: &Lesson, pattern: &FeedbackPattern<'e>) -> Proposal {
        let mut clusters = lesson.clusters.clone();
        if !lesson.covers(pattern.cluster) {
            clusters.push(pattern.cluster);
        }
        let covered = || {
            self.patterns
                .iter()
                .filter(|one| clusters.contains(&one.cluster))
        };
        let entries: Vec<_> = covered()
            .flat_map(|one| one.entries.iter().copied())
            .collect();
        let known: BTreeSet<&str> = lesson.source_feedback.iter().map(String::as_str).collect();
        let ids = entries.iter().map(|entry| entry.id.as_str());
        let new: Vec<String> = ids
            .filter(|id| !known.contains(id))
            .map(str::to_owned)
            .collect();
        if new.is_empty() && lesson.covers(pattern.cluster) {
            return Proposal::Known(lesson.id.clone());
        }
        let (value, factors) = confidence(&entries, self.at);
        let before = lesson.occurrences.unwrap_or(count(known.len()));
        Proposal::Raised(Lesson {
            occurrences: Some(before.saturating_add(count(new.len()))),
            source_feedback: [&lesson.source_feedback[..], &new].concat(),
            confidence: Some(value),
            factors,
            frequency: Some(covered().map(|one| one.frequency).sum()),
            impact: covered().map(FeedbackPattern::impact).max(),
            pattern: pattern.name.clone().or_else(|| lesson.pattern.clone()),
            clusters: clusters.clone(),
            ..lesson.clone()
        })
    }
}

impl FeedbackPattern<'_> {
    /// The impact: its share, weighted by the mean severity.
    pub fn impact(&self) -> Impact {
        let severities = self
            .entries
            .iter()
            .map(|entry| entry.instance().severity.score());
        let mean = severities.sum::<f64>() / self.entries.len().max(1) as f64;
        let impact = self.frequency * mean;
        if impact >= HIGH_IMPACT {
            Impact::High
        } else if impact >= MEDIUM_IMPACT {
            Impact::Medium
        } else {
            Impact::Low
        }
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{detected, timeouts, words};
    use super::*;
    use crate::cluster::ClusterRegistry;
    use crate::feedback::{FeedbackEntry, Severity};
    use crate::lesson::LessonStatus;

    const ID: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3";

    fn proposal(entries: &[FeedbackEntry], lessons: &[Lesson]) -> Proposal {
        let detection = detected(entries, &mut ClusterRegistry::default());
        let pattern = &detection.patterns[0];
        let proposing = Proposing {
            agent: &AgentName::from("applier"),
            lessons,
            patterns: &detection.patterns,
            at: Timestamp::UNIX_EPOCH,
        };
        let known = proposing.known(pattern, false);
        known.unwrap_or_else(|| proposing.propose(pattern, words(), ID.parse().unwrap()))
    }

    fn lesson() -> Lesson {
        match proposal(&timeouts(), &[]) {
            Proposal::New(lesson) => lesson,
            other => panic!("a new lesson: {other:?}"),
        }
    }

    fn ids(numbers: &[usize]) -> Vec<String> {
        let entries = timeouts();
        let ids = numbers.iter().map(|at| entries[*at].id.to_string());
        ids.collect()
    }

    #[test]
    fn a_pattern_becomes_a_proposed_lesson() {
        let lesson = lesson();
        assert_eq!((lesson.id.as_str(), lesson.agent.as_str()), (ID, "applier"));
        assert_eq!(lesson.status, LessonStatus::Proposed);
        assert_eq!(lesson.lesson_text, words().lesson_text);
        let constraint = lesson.constraint_update.as_deref();
        assert_eq!(constraint, Some("Set a timeout on every upload."));
        assert_eq!(lesson.source_feedback, ids(&[0, 1, 3, 5, 7]));
        assert_eq!(
            (lesson.occurrences, &lesson.clusters[..]),
            (Some(5), &[0][..])
        );
        assert_eq!(lesson.exemplars[0], ids(&[0])[0]);
        assert_eq!(lesson.frequency, Some(5.0 / 9.0));
        assert_eq!(lesson.impact, Some(Impact::High));
        // Five of medium severity today, from reviews, of no service.
        let expected = 0.35 * 0.5 + 0.25 * 0.6 + 0.15 + 0.15 * 0.7;
        let confidence = lesson.confidence.unwrap();
        assert!((confidence - expected).abs() < 1e-9, "{confidence}");
    }

    #[test]
    fn only_a_common_pattern_has_a_lesson_without_an_author() {
        let mut entries = timeouts();
        for (name, expected) in [
            (None, None),
            (Some("no-timeout"), None),
            (
                Some("scope-creep"),
                Some("Change only what the request asks for."),
            ),
        ] {
            for entry in &mut entries {
                entry.context.pattern = name.map(str::to_owned);
                entry.severity = Some(Severity::High);
            }
            let detection = detected(&entries, &mut ClusterRegistry::default());
            let draft = Draft::of(&detection.patterns[0]);
            let found = draft.as_ref().map(|draft| draft.constraint_update.as_str());
            assert_eq!(found, expected, "{name:?}");
        }
    }

    #[test]
    fn new_entries_are_evidence_for_an_existing_lesson() {
        let first = &timeouts()[..7];
        let Proposal::New(lesson) = proposal(first, &[]) else {
            panic!("a new lesson")
        };
        assert_eq!(lesson.source_feedback, ids(&[0, 1, 3, 5]));
        let known = proposal(first, std::slice::from_ref(&lesson));
        assert_eq!(known, Proposal::Known(lesson.id.clone()));
        let rejected = Lesson {
            status: LessonStatus::Rejected,
            // Two of its entries were pruned.
            source_feedback: ids(&[3, 5]),
            occurrences: Some(4),
            ..lesson
        };
        let Proposal::Raised(raised) = proposal(&timeouts(), &[rejected]) else {
            panic!("a raised lesson")
        };
        assert_eq!(raised.status, LessonStatus::Rejected);
        assert_eq!(raised.source_feedback, ids(&[3, 5, 0, 1, 7]));
        assert_eq!(raised.occurrences, Some(7));
        assert_eq!(raised.frequency, Some(5.0 / 9.0));
    }

    #[test]
    fn a_lesson_of_another_cluster_with_the_same_content_is_the_same() {
        let nearly = Lesson {
            clusters: vec![99],
            lesson_text: "Uploads in src/b.rs hang since none has a timeout".to_owned(),
            source_feedback: Vec::new(),
            occurrences: None,
            ..lesson()
        };
        let Proposal::Raised(raised) = proposal(&timeouts(), &[nearly]) else {
            panic!("a raised lesson")
        };
        assert_eq!(
            (&raised.clusters[..], raised.occurrences),
            (&[99, 0][..], Some(5))
        );
        let other = Lesson {
            clusters: vec![99],
            lesson_text: "Uploads have no progress bar".to_owned(),
            constraint_update: Some("Show how much is done".to_owned()),
            ..lesson()
        };
        assert!(matches!(proposal(&timeouts(), &[other]), Proposal::New(_)));
    }

    #[test]
    fn impact_is_the_share_weighted_by_severity() {
        let entries = |severity| {
            let mut entries = timeouts();
            for entry in &mut entries {
                entry.severity = Some(severity);
            }
            entries
        };
        for (severity, frequency, impact) in [
            (Severity::High, 0.3, Impact::High),
            (Severity::High, 0.29, Impact::Medium),
            (Severity::Medium, 0.2, Impact::Medium),
            (Severity::Low, 0.3, Impact::Low),
        ] {
            let entries = entries(severity);
            let pattern = FeedbackPattern {
                cluster: 0,
                name: None,
                entries: entries.iter().collect(),
                frequency,
                by_likeness: Vec::new(),
            };
            assert_eq!(pattern.impact(), impact, "{severity} {frequency}");
        }
    }
}
