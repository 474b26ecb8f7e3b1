//! The extraction of lessons: from entries to proposed lessons and protocol steps.

use std::collections::{BTreeMap, BTreeSet};

use review_text::Lexicon;
use review_types::Timestamp;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{Detector, Draft, FeedbackPattern, Lesson, Proposal, Proposing};
use crate::Id;
use crate::cluster::ClusterRegistry;
use crate::config::LearningPipelineConfig;
use crate::feedback::FeedbackEntry;
use crate::protocol::{ExtractionStep, LearningEvent, Step, StepContext};

/// The input of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Analysed<'a> {
    /// The agent.
    pub agent: &'a str,
    /// Its entries, oldest first.
    pub entries: &'a [FeedbackEntry],
    /// Its lessons.
    pub lessons: &'a [Lesson],
    /// The settings of the pipeline.
    pub config: &'a LearningPipelineConfig,
    /// The lexicon of synonyms.
    pub lexicon: &'a Lexicon,
    /// The time of the analysis.
    pub at: Timestamp,
    /// Whether a model or a program words the lessons.
    pub has_author: bool,
    /// The runs in which the agent was called with each lesson, by its id; `None` for
    /// an agent whose runs are not measured.
    pub runs: Option<&'a BTreeMap<String, BTreeSet<String>>>,
}

/// The result of an analysis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Extraction {
    /// The number of entries.
    pub entries: usize,
    /// The number of clusters.
    pub clusters: usize,
    /// The number of clusters that are patterns.
    pub patterns: usize,
    /// Entries of these patterns that got tags for their topic.
    #[serde(skip)]
    pub tagged: Vec<FeedbackEntry>,
    /// New lessons.
    pub proposed: Vec<Lesson>,
    /// Existing lessons with new evidence.
    pub raised: Vec<Lesson>,
    /// Lessons in a prompt that have no effect.
    pub ineffective: Vec<Id>,
    /// The calls to a lesson author; `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<Writing>,
}

/// The calls to a lesson author.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Writing {
    /// The number of calls, failed ones included.
    pub calls: u32,
    /// The number of tokens read and written, estimated where it was not reported.
    pub tokens: u64,
    /// The cost in millionths of a US dollar, for the calls whose cost is known.
    pub cost_micro_usd: u64,
    /// The number of calls with unknown cost.
    pub calls_without_cost: u32,
    /// The patterns whose lesson quotes the feedback instead.
    pub fallbacks: Vec<Fallback>,
}

/// A pattern without a lesson by an author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fallback {
    /// The id of its cluster.
    pub cluster: u32,
    /// The reason.
    pub reason: String,
}

/// An extraction under way: each pattern that no lesson is about waits for its
/// words.
#[derive(Debug)]
pub struct Extracting<'a> {
    analysed: Analysed<'a>,
    lessons: Vec<Lesson>,
    patterns: Vec<FeedbackPattern<'a>>,
    /// The number of patterns that were looked at.
    seen: usize,
    extraction: Extraction,
}

impl<'a> Analysed<'a> {
    /// Finds the patterns, and updates the existing lessons.
    #[must_use]
    pub fn begin(self, registry: &mut ClusterRegistry) -> Extracting<'a> {
        let detector = Detector {
            analysis: &self.config.analysis,
            lexicon: self.lexicon,
            method: self.config.lesson_extraction.confidence,
            at: self.at,
        };
        let detection = detector.detect(self.entries, registry);
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
        let none = BTreeSet::new();
        let runs_with = |lesson: &Lesson| {
            let known = self.runs?;
            Some(known.get(lesson.id.as_str()).unwrap_or(&none))
        };
        let mut lessons = self.lessons.to_vec();
        for lesson in &mut lessons {
            if let Some(followed) = lesson.followed(self.entries, registry, runs_with(lesson)) {
                lesson.clone_from(&followed);
                extraction.raise(followed);
            }
            if lesson.is_ineffective() {
                extraction.ineffective.push(lesson.id.clone());
            }
        }
        Extracting {
            analysed: self,
            lessons,
            patterns: detection.patterns,
            seen: 0,
            extraction,
        }
    }
}

impl<'a> Extracting<'a> {
    /// Returns the next pattern that has to be put into words; what is known of
    /// the lessons of those before it is raised.
    pub fn next_pattern(&mut self) -> Option<FeedbackPattern<'a>> {
        while let Some(pattern) = self.patterns.get(self.seen) {
            self.seen += 1;
            let proposing = self.proposing();
            match proposing.known(pattern, self.analysed.has_author) {
                Some(proposal) => self.take(proposal),
                None => return Some(proposing.whole(pattern)),
            }
        }
        None
    }

    /// Takes the words for a pattern; a new lesson has this id.
    pub fn draft(&mut self, pattern: &FeedbackPattern<'a>, draft: Draft, id: Id) {
        let proposal = self.proposing().propose(pattern, draft, id);
        self.take(proposal);
    }

    /// Returns what was extracted.
    #[must_use]
    pub fn finish(self) -> Extraction {
        self.extraction
    }

    fn proposing(&self) -> Proposing<'_, 'a> {
        Proposing {
            agent: self.analysed.agent,
            lessons: &self.lessons,
            patterns: &self.patterns,
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
    /// Returns the protocol steps, in order.
    #[must_use]
    pub fn steps(&self, course: StepContext<'_>) -> [LearningEvent; 6] {
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
                json!({"lessons": ids(&self.proposed), "of_no_use": self.ineffective}),
            ),
        ]
        .map(|(step, details)| course.step(Step::Extraction(step), details))
    }

    /// Records the latest state of a lesson.
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
        worded(entries, lessons, registry, None).0
    }

    /// An analysis in these words of an author, or in those of the feedback; and how
    /// many entries were shown to the author, each time.
    fn worded(
        entries: &[FeedbackEntry],
        lessons: &[Lesson],
        registry: &mut ClusterRegistry,
        words: Option<&Draft>,
    ) -> (Extraction, Vec<usize>) {
        let analysed = Analysed {
            agent: "applier",
            entries,
            lessons,
            config: &LearningPipelineConfig::default(),
            lexicon: Lexicon::embedded(),
            at: Timestamp::UNIX_EPOCH,
            has_author: words.is_some(),
            runs: None,
        };
        let mut extracting = analysed.begin(registry);
        let mut shown = Vec::new();
        while let Some(pattern) = extracting.next_pattern() {
            let id = format!("0192f0c1-2d3e-7a4b-8c5d-{:012}", pattern.cluster);
            let quoted = || Draft::of(&pattern, Lexicon::embedded());
            let draft = words.cloned().unwrap_or_else(quoted);
            extracting.draft(&pattern, draft, id.parse().unwrap());
            shown.push(pattern.entries.len());
        }
        (extracting.finish(), shown)
    }

    /// Feedback on two topics: five times on each.
    fn two_topics() -> Vec<FeedbackEntry> {
        let mut entries = timeouts();
        for (at, issue) in [
            "The parser panics on an empty line",
            "Parser panics when a line is empty",
            "Empty lines make the parser panic",
            "A panic of the parser on empty lines",
            "The parser has a panic on an empty line",
        ]
        .into_iter()
        .enumerate()
        {
            let number = u32::try_from(at).unwrap() + 10;
            entries.push(entry(
                number,
                FeedbackType::ReviewRejection,
                &format!("s{number}"),
                issue,
                "Skip empty lines in the parser",
            ));
        }
        entries
    }

    fn words() -> Draft {
        Draft {
            lesson_text: "Inputs at the edge were left out".to_owned(),
            constraint_update: Some("Handle each input at the edge".to_owned()),
            cites: Vec::new(),
            written_by: Some("cmd lesson/v1".to_owned()),
            needs_words: false,
        }
    }

    #[test]
    fn two_clusters_in_the_same_words_support_one_lesson_and_are_worded_once() {
        let mut entries = two_topics();
        let last = entries.remove(0);
        let mut registry = ClusterRegistry::default();
        let words = words();
        let mut analysis = |entries: &[FeedbackEntry], lessons: &[Lesson]| {
            worded(entries, lessons, &mut registry, Some(&words))
        };
        let (first, shown) = analysis(&entries, &[]);
        assert_eq!((shown, first.raised), (vec![5, 4], vec![]));
        let [lesson] = &first.proposed[..] else {
            panic!("one lesson: {:?}", first.proposed)
        };
        assert_eq!(lesson.clusters, [0, 1]);
        assert_eq!(lesson.source_feedback.len(), 9);
        assert_eq!(lesson.occurrences, Some(9));
        assert_eq!(lesson.frequency, Some(5.0 / 13.0 + 4.0 / 13.0));
        let (again, shown) = analysis(&entries, &first.proposed);
        assert_eq!((shown, again.raised), (vec![], vec![]));
        entries.insert(0, last);
        let (third, shown) = analysis(&entries, &first.proposed);
        assert_eq!((shown, third.proposed), (vec![], vec![]));
        let [raised] = &third.raised[..] else {
            panic!("one lesson: {:?}", third.raised)
        };
        assert_eq!((raised.clusters.len(), raised.occurrences), (2, Some(10)));
        assert_eq!(raised.frequency, Some(10.0 / 14.0));
        assert!(raised.confidence > lesson.confidence);
    }

    #[test]
    fn a_lesson_of_two_clusters_in_quoted_words_is_worded_once_from_the_entries_of_both() {
        let entries = two_topics();
        let mut registry = ClusterRegistry::default();
        let quoted = Draft {
            written_by: None,
            ..words()
        };
        let (first, _) = worded(&entries, &[], &mut registry, Some(&quoted));
        let (again, shown) = worded(&entries, &first.proposed, &mut registry, Some(&quoted));
        assert_eq!((shown, again.raised), (vec![10], vec![]));
        let (last, shown) = worded(&entries, &first.proposed, &mut registry, Some(&words()));
        assert_eq!(shown, [10]);
        assert_eq!(last.raised[0].written_by.as_deref(), Some("cmd lesson/v1"));
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
        assert_eq!((again.raised, again.ineffective), (vec![], vec![]));
    }

    #[test]
    fn an_applied_lesson_without_effect_is_reported() {
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
        // Sessions 6 and 8 against 7 and 9.
        assert_eq!((raised.helpful, raised.harmful), (Some(2), Some(2)));
        assert_eq!(raised.occurrences, Some(6));
        assert_eq!(raised.status, LessonStatus::Applied);
        assert_eq!(found.ineffective, [lesson.id]);
        assert_eq!(found.proposed, []);
    }

    #[test]
    fn each_step_of_the_protocol_is_an_event() {
        let found = extract(&timeouts(), &[], &mut ClusterRegistry::default());
        let run = RunId::new("r-1").unwrap();
        let steps = found.steps(StepContext {
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
