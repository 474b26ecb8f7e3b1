//! The extraction of lessons: from entries to proposed lessons and protocol steps.

use std::collections::{BTreeMap, BTreeSet};

use review_types::{QuestionUsage, Timestamp, excerpt};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::pattern::EXEMPLARS;
use super::written::unbroken;
use super::{
    Detector, Draft, FeedbackPattern, LeftAside, Lesson, LessonStatus, Proposal, Proposing,
};
use crate::cluster::{ClusterRegistry, text_of};
use crate::config::LearningPipelineConfig;
use crate::feedback::FeedbackEntry;
use crate::protocol::{LearningEvent, Step, StepContext};
use crate::{AgentName, Id};

/// The maximum number of characters of a quote.
const MAX_QUOTE: usize = 160;

/// The input of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Analysed<'a> {
    /// The agent.
    pub agent: &'a AgentName,
    /// Its entries, oldest first.
    pub entries: &'a [FeedbackEntry],
    /// Its lessons.
    pub lessons: &'a [Lesson],
    /// The settings of the pipeline.
    pub config: &'a LearningPipelineConfig,
    /// The time of the analysis.
    pub at: Timestamp,
    /// Whether a model or a program words the lessons.
    pub has_author: bool,
    /// What runs showed.
    pub runs: &'a RunsSeen,
}

/// What runs showed of the versions of an agent's prompt.
#[derive(Clone, Debug, Default)]
pub struct RunsSeen {
    /// The runs of versions that were rolled back, whose feedback is not a new lesson.
    pub rolled_back: BTreeSet<String>,
    /// For each lesson by its id, the number of runs with it that passed sooner than the
    /// mean before.
    pub helpful: BTreeMap<String, u32>,
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
    /// The entries that are in no pattern.
    pub left_aside: LeftAside,
    /// New lessons.
    pub proposed: Vec<Lesson>,
    /// Existing lessons with new evidence.
    pub raised: Vec<Lesson>,
    /// The patterns without a lesson, which wait for words.
    pub waiting: Vec<WaitingGroup>,
    /// The calls to a lesson author; `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<Writing>,
}

/// A group of feedback that is a pattern, and waits for the words of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingGroup {
    /// The id that its lesson will have.
    pub id: Id,
    /// The agent.
    pub agent: AgentName,
    /// The number of entries.
    pub entries: usize,
    /// The three most typical quotes.
    pub quotes: Vec<String>,
}

/// The calls to a lesson author.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Writing {
    /// What they consumed.
    #[serde(flatten)]
    pub usage: QuestionUsage,
    /// The patterns for which it gave none.
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
    pub fn begin(self, registry: &mut ClusterRegistry) -> Extracting<'a> {
        let detector = Detector {
            analysis: &self.config.analysis,
            at: self.at,
        };
        let is_kept = |entry: &&FeedbackEntry| {
            let run = entry.context.session.as_ref();
            !run.is_some_and(|run| self.runs.rolled_back.contains(run))
        };
        let entries: Vec<_> = self.entries.iter().filter(is_kept).collect();
        let detection = detector.detect(&entries, registry);
        let mut extraction = Extraction {
            entries: self.entries.len(),
            clusters: detection.clusters,
            patterns: detection.patterns.len(),
            left_aside: LeftAside {
                rolled_back: self.entries.len() - entries.len(),
                ..detection.left_aside
            },
            ..Extraction::default()
        };
        let mut lessons = self.lessons.to_vec();
        for lesson in &mut lessons {
            let helpful = self.runs.helpful.get(lesson.id.as_str()).copied();
            if lesson.status == LessonStatus::Applied && helpful != lesson.helpful {
                lesson.helpful = helpful;
                extraction.raise(lesson.clone());
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
            match self.proposing().known(pattern, self.analysed.has_author) {
                Some(proposal) => self.take(proposal),
                None => return Some(pattern.clone()),
            }
        }
        None
    }

    /// Takes the words for a pattern, which waits without words; a new lesson has this
    /// id.
    pub fn draft(&mut self, pattern: &FeedbackPattern<'a>, draft: Option<Draft>, id: Id) {
        match draft {
            Some(draft) => {
                let proposal = self.proposing().propose(pattern, draft, id);
                self.take(proposal);
            }
            None => self.extraction.waiting.push(WaitingGroup {
                id,
                agent: self.analysed.agent.clone(),
                entries: pattern.entries.len(),
                quotes: quotes(pattern),
            }),
        }
    }

    /// Returns what was extracted.
    pub fn finish(self) -> Extraction {
        self.extraction
    }

    fn proposing(&self) -> Proposing<'_, 'a> {
        Proposing {
            agent: self.analysed.agent,
            lessons: &self.lessons,
            patterns: &self.patterns,
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

/// What the most typical entries say, each once.
fn quotes(pattern: &FeedbackPattern<'_>) -> Vec<String> {
    let mut quotes = Vec::new();
    for quote in pattern.by_likeness.iter().map(|entry| quote(entry)) {
        if quotes.len() < EXEMPLARS && !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    quotes
}

/// The content of an entry, on one line.
fn quote(entry: &FeedbackEntry) -> String {
    let text = text_of(entry).whole();
    excerpt(&unbroken(&text), MAX_QUOTE)
}

impl Extraction {
    /// Returns the protocol steps, in order.
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
        let detected = json!({"patterns": self.patterns, "left_aside": self.left_aside});
        let waiting: Vec<&Id> = self.waiting.iter().map(|group| &group.id).collect();
        let submitted = json!({"lessons": ids(&self.proposed), "waiting": waiting});
        [
            (Step::LoadRecentFeedback, json!({"entries": self.entries})),
            (
                Step::ClusterBySimilarity,
                json!({"clusters": self.clusters}),
            ),
            (Step::DetectPatterns, detected),
            (Step::GenerateLessons, generated),
            (
                Step::ProposeConstraints,
                json!({"constraints": constraints}),
            ),
            (Step::SubmitForApproval, submitted),
        ]
        .map(|(step, details)| course.step(step, details))
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
    use super::super::tests::{entry, timeouts, words};
    use review_types::RunId;

    use super::*;
    use crate::feedback::FeedbackType;
    use crate::protocol::Trigger;

    /// An analysis in these words of an author, or without one; and how many entries were
    /// shown to the author, each time.
    fn worded(
        entries: &[FeedbackEntry],
        lessons: &[Lesson],
        registry: &mut ClusterRegistry,
        words: Option<&Draft>,
    ) -> (Extraction, Vec<usize>) {
        seen(entries, lessons, registry, words, &RunsSeen::default())
    }

    fn seen(
        entries: &[FeedbackEntry],
        lessons: &[Lesson],
        registry: &mut ClusterRegistry,
        words: Option<&Draft>,
        runs: &RunsSeen,
    ) -> (Extraction, Vec<usize>) {
        let analysed = Analysed {
            agent: &AgentName::from("applier"),
            entries,
            lessons,
            config: &LearningPipelineConfig::default(),
            at: Timestamp::UNIX_EPOCH,
            has_author: words.is_some(),
            runs,
        };
        let mut extracting = analysed.begin(registry);
        let mut shown = Vec::new();
        while let Some(pattern) = extracting.next_pattern() {
            let id = format!("0192f0c1-2d3e-7a4b-8c5d-{:012}", pattern.cluster);
            let draft = words.cloned().or_else(|| Draft::of(&pattern));
            extracting.draft(&pattern, draft, id.parse().unwrap());
            shown.push(pattern.entries.len());
        }
        (extracting.finish(), shown)
    }

    /// Feedback on two topics: five times on each.
    fn two_topics() -> Vec<FeedbackEntry> {
        let mut entries = timeouts();
        for (number, issue) in (10..).zip([
            "The parser panics on an empty line",
            "Parser panics when a line is empty",
            "Empty lines make the parser panic",
            "A panic of the parser on empty lines",
            "The parser has a panic on an empty line",
        ]) {
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
        assert_eq!(raised.factors["count"], 1.0);
    }

    #[test]
    fn without_an_author_a_pattern_waits_with_its_most_typical_quotes() {
        let mut registry = ClusterRegistry::default();
        let (found, _) = worded(&timeouts(), &[], &mut registry, None);
        assert_eq!((found.patterns, &found.proposed[..]), (1, &[][..]));
        let quotes = [
            "The upload in src/a.rs has no timeout Set a timeout on the upload",
            "Uploads lack a timeout Set a timeout on each upload",
            "No timeout is set for the upload Set a timeout on the upload",
        ];
        let expected = WaitingGroup {
            id: "0192f0c1-2d3e-7a4b-8c5d-000000000000".parse().unwrap(),
            agent: AgentName::from("applier"),
            entries: 5,
            quotes: quotes.map(str::to_owned).to_vec(),
        };
        assert_eq!(found.waiting, [expected]);
        assert_eq!(found.left_aside.single, 4);
    }

    #[test]
    fn feedback_is_analysed_once() {
        let entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let (first, _) = worded(&entries, &[], &mut registry, Some(&words()));
        assert_eq!((first.entries, first.clusters, first.patterns), (9, 1, 1));
        assert_eq!((first.proposed.len(), first.raised.len()), (1, 0));
        let (again, _) = worded(&entries, &first.proposed, &mut registry, None);
        assert_eq!((again.patterns, again.proposed.len()), (1, 0));
        assert_eq!((again.raised, again.waiting), (vec![], vec![]));
    }

    #[test]
    fn the_feedback_of_a_version_that_was_rolled_back_is_left_aside() {
        let mut registry = ClusterRegistry::default();
        let runs = RunsSeen {
            rolled_back: ["s0", "s1", "s3"].map(str::to_owned).into(),
            ..RunsSeen::default()
        };
        let (found, shown) = seen(&timeouts(), &[], &mut registry, Some(&words()), &runs);
        assert_eq!((found.entries, found.left_aside.rolled_back), (9, 3));
        assert_eq!((shown, found.proposed), (vec![], vec![]));
    }

    #[test]
    fn an_applied_lesson_counts_the_runs_that_it_helped() {
        let mut registry = ClusterRegistry::default();
        let entries = timeouts();
        let (first, _) = worded(&entries, &[], &mut registry, Some(&words()));
        let mut lessons = first.proposed;
        let helpful = BTreeMap::from([(lessons[0].id.to_string(), 4)]);
        let runs = RunsSeen {
            helpful,
            ..RunsSeen::default()
        };
        let (found, _) = seen(&entries, &lessons, &mut registry, None, &runs);
        assert_eq!(found.raised, []);
        lessons[0].status = LessonStatus::Applied;
        let (found, _) = seen(&entries, &lessons, &mut registry, None, &runs);
        let [raised] = &found.raised[..] else {
            panic!("one raised lesson: {found:?}")
        };
        assert_eq!(raised.helpful, Some(4));
    }

    #[test]
    fn each_step_of_the_protocol_is_an_event() {
        let mut registry = ClusterRegistry::default();
        let (found, _) = worded(&timeouts(), &[], &mut registry, Some(&words()));
        let run = RunId::new("r-1").unwrap();
        let steps = found.steps(StepContext {
            run: Some(&run),
            at: Timestamp::UNIX_EPOCH,
            trigger: Trigger::FeedbackThresholdReached,
            agent: &AgentName::from("applier"),
        });
        let id = "0192f0c1-2d3e-7a4b-8c5d-000000000000";
        let left_aside = json!({"unspecific": 0, "single": 4, "rare": 0, "rolled_back": 0});
        let expected = [
            ("load_recent_feedback", json!({"entries": 9})),
            ("cluster_by_similarity", json!({"clusters": 1})),
            (
                "detect_patterns",
                json!({"patterns": 1, "left_aside": left_aside}),
            ),
            ("generate_lessons", json!({"lessons": [id], "raised": []})),
            (
                "propose_constraints",
                json!({"constraints": ["Set a timeout on every upload."]}),
            ),
            (
                "submit_for_approval",
                json!({"lessons": [id], "waiting": []}),
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
