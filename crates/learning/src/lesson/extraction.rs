//! The extraction of lessons: entries in, proposed lessons and the steps of the
//! protocol out.

use review_text::Lexicon;
use review_types::Timestamp;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{Draft, FeedbackPattern, Lesson, Proposal, Proposing, detect};
use crate::Id;
use crate::cluster::ClusterRegistry;
use crate::config::LearningPipelineConfig;
use crate::feedback::FeedbackEntry;
use crate::protocol::{Course, ExtractionStep, LearningEvent, Step};

/// What is known of an agent when its feedback is analysed.
#[derive(Clone, Copy, Debug)]
pub struct Analysed<'a> {
    /// The agent.
    pub agent: &'a str,
    /// Its entries, oldest first.
    pub entries: &'a [FeedbackEntry],
    /// Its lessons.
    pub lessons: &'a [Lesson],
    /// How entries become lessons.
    pub config: &'a LearningPipelineConfig,
    /// Words that mean the same.
    pub lexicon: &'a Lexicon,
    /// The moment.
    pub at: Timestamp,
}

/// What the feedback of an agent led to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Extraction {
    /// How many entries there are.
    pub entries: usize,
    /// How many clusters they form.
    pub clusters: usize,
    /// How many of them come often enough.
    pub patterns: usize,
    /// Entries of these patterns that have tags now for what they are about.
    #[serde(skip)]
    pub tagged: Vec<FeedbackEntry>,
    /// Lessons that were not there before.
    pub proposed: Vec<Lesson>,
    /// Lessons of which more is known now.
    pub raised: Vec<Lesson>,
    /// Lessons in a prompt that are of no use.
    pub of_no_use: Vec<Id>,
    /// What asking somebody for the words came to; `None` where nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<Writing>,
}

/// What asking somebody for the words of lessons came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Writing {
    /// Calls, failed ones included.
    pub calls: u32,
    /// Tokens read and written, estimated where nobody counted.
    pub tokens: u64,
    /// Cost in millionths of a US dollar, of the calls whose cost is known.
    pub cost_micro_usd: u64,
    /// How many calls have no known cost.
    pub calls_without_cost: u32,
    /// The patterns whose lesson is in the words of the feedback all the same.
    pub fallbacks: Vec<Fallback>,
}

/// A pattern whose lesson nobody wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fallback {
    /// The id of its cluster.
    pub cluster: u32,
    /// Why.
    pub reason: String,
}

/// An extraction under way: each pattern that no lesson is about waits for its
/// words.
#[derive(Debug)]
pub struct Extracting<'a> {
    analysed: Analysed<'a>,
    lessons: Vec<Lesson>,
    patterns: std::vec::IntoIter<FeedbackPattern<'a>>,
    extraction: Extraction,
}

impl<'a> Analysed<'a> {
    /// Finds the patterns, and follows what became of the lessons that are there.
    #[must_use]
    pub fn begin(self, registry: &mut ClusterRegistry) -> Extracting<'a> {
        let analysis = &self.config.analysis;
        let detection = detect(self.entries, analysis, self.lexicon, registry);
        let mut extraction = Extraction {
            entries: self.entries.len(),
            clusters: detection.clusters,
            patterns: detection.patterns.len(),
            tagged: detection
                .patterns
                .iter()
                .flat_map(FeedbackPattern::tagged)
                .collect(),
            ..Extraction::default()
        };
        let mut lessons = self.lessons.to_vec();
        for lesson in &mut lessons {
            if let Some(followed) = lesson.followed(self.entries, registry) {
                lesson.clone_from(&followed);
                extraction.raise(followed);
            }
            if lesson.is_of_no_use() {
                extraction.of_no_use.push(lesson.id.clone());
            }
        }
        Extracting {
            analysed: self,
            lessons,
            patterns: detection.patterns.into_iter(),
            extraction,
        }
    }
}

impl<'a> Extracting<'a> {
    /// Returns the next pattern that has to be put into words; what is known of
    /// the lessons of those before it is raised.
    pub fn next_pattern(&mut self) -> Option<FeedbackPattern<'a>> {
        while let Some(pattern) = self.patterns.next() {
            match self.proposing().known(&pattern) {
                Some(proposal) => self.take(proposal),
                None => return Some(pattern),
            }
        }
        None
    }

    /// Takes the words for a pattern; a new lesson has this id.
    pub fn draft(&mut self, pattern: &FeedbackPattern<'_>, draft: Draft, id: Id) {
        let proposal = self.proposing().propose(pattern, draft, id);
        self.take(proposal);
    }

    /// Returns what was extracted.
    #[must_use]
    pub fn finish(self) -> Extraction {
        self.extraction
    }

    fn proposing(&self) -> Proposing<'_> {
        Proposing {
            agent: self.analysed.agent,
            lessons: &self.lessons,
            method: self.analysed.config.lesson_extraction.confidence,
            lexicon: self.analysed.lexicon,
            at: self.analysed.at,
        }
    }

    fn take(&mut self, proposal: Proposal) {
        match proposal {
            Proposal::New(lesson) => {
                self.lessons.push(lesson.clone());
                self.extraction.proposed.push(lesson);
            }
            Proposal::Raised(lesson) => {
                let known = self.lessons.iter_mut().find(|known| known.id == lesson.id);
                if let Some(known) = known {
                    known.clone_from(&lesson);
                }
                self.extraction.raise(lesson);
            }
            Proposal::Known(_) => {}
        }
    }
}

impl Extraction {
    /// The steps that were taken, in order.
    #[must_use]
    pub fn steps(&self, course: Course<'_>) -> [LearningEvent; 6] {
        let ids = |lessons: &[Lesson]| -> Vec<Json> {
            let ids = lessons.iter().map(|lesson| lesson.id.as_str().into());
            ids.collect()
        };
        let constraints: Vec<&str> = self
            .proposed
            .iter()
            .filter_map(|lesson| lesson.constraint_update.as_deref())
            .collect();
        let mut generated = json!({"lessons": ids(&self.proposed), "raised": ids(&self.raised)});
        if let Some(writing) = &self.writing {
            generated["writing"] = json!(writing);
        }
        [
            (
                ExtractionStep::LoadRecentFeedback,
                json!({"entries": self.entries}),
            ),
            (
                ExtractionStep::ClusterBySimilarity,
                json!({"clusters": self.clusters}),
            ),
            (
                ExtractionStep::DetectPatterns,
                json!({"patterns": self.patterns, "tagged": self.tagged.len()}),
            ),
            (ExtractionStep::GenerateLessons, generated),
            (
                ExtractionStep::ProposeConstraints,
                json!({"constraints": constraints}),
            ),
            (
                ExtractionStep::SubmitForApproval,
                json!({"lessons": ids(&self.proposed), "of_no_use": self.of_no_use}),
            ),
        ]
        .map(|(step, details)| course.step(Step::Extraction(step), details))
    }

    /// Takes a lesson over as it is known last.
    fn raise(&mut self, lesson: Lesson) {
        let known = self.proposed.iter_mut().chain(&mut self.raised);
        match known.into_iter().find(|known| known.id == lesson.id) {
            Some(known) => *known = lesson,
            None => self.raised.push(lesson),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entry, timeouts};
    use review_types::RunId;

    use super::*;
    use crate::feedback::FeedbackType;
    use crate::lesson::LessonStatus;
    use crate::protocol::Trigger;

    fn extract(
        entries: &[FeedbackEntry],
        lessons: &[Lesson],
        registry: &mut ClusterRegistry,
    ) -> Extraction {
        let analysed = Analysed {
            agent: "applier",
            entries,
            lessons,
            config: &LearningPipelineConfig::default(),
            lexicon: Lexicon::embedded(),
            at: Timestamp::UNIX_EPOCH,
        };
        let mut extracting = analysed.begin(registry);
        while let Some(pattern) = extracting.next_pattern() {
            let id = format!("0192f0c1-2d3e-7a4b-8c5d-{:012}", pattern.cluster);
            let draft = Draft::of(&pattern, Lexicon::embedded());
            extracting.draft(&pattern, draft, id.parse().unwrap());
        }
        extracting.finish()
    }

    #[test]
    fn feedback_is_analysed_once() {
        let entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let first = extract(&entries, &[], &mut registry);
        assert_eq!((first.entries, first.clusters, first.patterns), (9, 1, 1));
        assert_eq!((first.proposed.len(), first.raised.len()), (1, 0));
        let again = extract(&entries, &first.proposed, &mut registry);
        assert_eq!((again.patterns, again.proposed.len()), (1, 0));
        assert_eq!((again.raised, again.of_no_use), (vec![], vec![]));
    }

    #[test]
    fn a_lesson_that_is_applied_in_vain_is_named() {
        let mut entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let mut lesson = extract(&entries[..6], &[], &mut registry)
            .proposed
            .remove(0);
        lesson.status = LessonStatus::Applied;
        lesson.applied_at = Some(Timestamp::UNIX_EPOCH);
        for entry in &mut entries[6..] {
            entry.timestamp = Timestamp::from_unix_ms(1);
        }
        let twice = "Again the upload has no timeout";
        let mut again = entry(
            9,
            FeedbackType::ReviewRejection,
            "s9",
            twice,
            "Set a timeout",
        );
        again.timestamp = Timestamp::from_unix_ms(1);
        entries.push(again);
        let found = extract(&entries, &[lesson.clone()], &mut registry);
        let [raised] = &found.raised[..] else {
            panic!("one raised lesson: {found:?}")
        };
        // Sessions 6 and 8 beside 7 and 9.
        assert_eq!((raised.helpful, raised.harmful), (Some(2), Some(2)));
        assert_eq!(raised.occurrences, Some(6));
        assert_eq!(raised.status, LessonStatus::Applied);
        assert_eq!(found.of_no_use, [lesson.id]);
        assert_eq!(found.proposed, []);
    }

    #[test]
    fn each_step_of_the_protocol_is_an_event() {
        let found = extract(&timeouts(), &[], &mut ClusterRegistry::default());
        let run = RunId::new("r-1").unwrap();
        let steps = found.steps(Course {
            run: Some(&run),
            at: Timestamp::UNIX_EPOCH,
            trigger: Trigger::FeedbackThresholdReached,
            agent: "applier",
        });
        let id = "0192f0c1-2d3e-7a4b-8c5d-000000000000";
        let expected = [
            ("load_recent_feedback", json!({"entries": 9})),
            ("cluster_by_similarity", json!({"clusters": 1})),
            ("detect_patterns", json!({"patterns": 1, "tagged": 5})),
            ("generate_lessons", json!({"lessons": [id], "raised": []})),
            (
                "propose_constraints",
                json!({"constraints": ["Set a timeout on the upload"]}),
            ),
            (
                "submit_for_approval",
                json!({"lessons": [id], "of_no_use": []}),
            ),
        ];
        for (event, (step, details)) in steps.into_iter().zip(expected) {
            assert_eq!(
                event.step.to_string(),
                format!("learning.lesson_extraction.{step}")
            );
            assert_eq!(Json::Object(event.payload.details), details, "{step}");
            assert_eq!(
                (event.run.as_ref(), event.payload.agent.as_str()),
                (Some(&run), "applier")
            );
            assert_eq!(event.payload.trigger, Trigger::FeedbackThresholdReached);
        }
    }
}
