//! The feedback of an agent becomes proposed lessons.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use review_learning::AgentName;
use review_learning::cluster::ClusterRegistry;
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::{Analysed, Draft, Extraction, Lesson, RunsSeen, WaitingGroup};
use review_learning::measure::{Observation, helped};
use review_learning::protocol::{LearningEvent, StepContext};
use review_store::{BadFile, FeedbackStore, LessonFiles, StateDir};

use super::collect::id_of;
use super::words::Words;
use super::{Learner, role};
use crate::error::EngineError;

/// The lessons of the feedback of an agent.
#[derive(Debug)]
pub struct Analyzed {
    /// The agent.
    pub agent: AgentName,
    /// What was found in it.
    pub extraction: Extraction,
    /// Files that cannot be used, and why.
    pub bad: Vec<String>,
    /// The steps that were taken.
    pub events: Vec<LearningEvent>,
}

impl Learner<'_> {
    /// Analyses the feedback of an agent, writes its lessons in these `words` and
    /// the registry of its clusters, and journals the steps in the state folder.
    ///
    /// # Errors
    /// When a file cannot be read or written, or a signal comes.
    pub async fn analyze(
        &self,
        course: StepContext<'_>,
        store: &FeedbackStore,
        state: &StateDir,
        words: &mut Words<'_>,
    ) -> Result<Analyzed, EngineError> {
        let (agent, files) = (course.agent, self.lesson_files()?);
        let is_after_run = course.run.is_some();
        let found = self.extracted((agent, is_after_run), store, &files, words);
        let found = found.await?;
        let (mut extraction, mut bad) = (found.extraction, found.bad);
        extraction.writing = words.writing();
        let registries = (&found.before, &found.registry);
        bad.extend(put(
            &files,
            agent,
            registries,
            &found.lessons,
            &mut extraction,
        )?);
        let events = extraction.steps(course);
        state.learning_journal().append(&events)?;
        Ok(Analyzed {
            agent: agent.clone(),
            extraction,
            bad,
            events: events.into(),
        })
    }

    /// The groups of an agent that wait for words; nothing is written.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub async fn waiting(
        &self,
        agent: &AgentName,
        store: &FeedbackStore,
    ) -> Result<Vec<WaitingGroup>, EngineError> {
        let (files, words) = (self.lesson_files()?, &mut Words::OfFeedback);
        let found = self.extracted((agent, false), store, &files, words);
        Ok(found.await?.extraction.waiting)
    }

    async fn extracted(
        &self,
        (agent, is_after_run): (&AgentName, bool),
        store: &FeedbackStore,
        files: &LessonFiles,
        words: &mut Words<'_>,
    ) -> Result<Extracted, EngineError> {
        let lessons = files.of(agent)?;
        let entries = entries(agent, store);
        let bad = lessons.bad.iter().map(unread_lesson).collect();
        let before = files.clusters(agent)?;
        let mut registry = before.clone();
        let runs = self.runs_seen(agent)?;
        let analysed = Analysed {
            agent,
            entries: &entries,
            lessons: &lessons.lessons,
            config: &self.config.learning_pipeline,
            at: self.now,
            has_author: words.has_author(),
            runs: &runs,
        };
        let mut extracting = analysed.begin(&mut registry);
        // After a run no group is asked about again until it has doubled.
        while let Some(pattern) = extracting.next_pattern() {
            let id = id_of(&format!("lesson\n{agent}\n{}", pattern.cluster));
            // A file that cannot be read may hold a decision of a user.
            if lessons.bad.iter().any(|bad| bad.is_of(&id)) {
                continue;
            }
            let draft = match is_after_run && !registry.has_doubled(&before, pattern.cluster) {
                true => Draft::of(&pattern),
                false => words.draft(agent, &pattern, &id).await?,
            };
            extracting.draft(&pattern, draft, id);
        }
        Ok(Extracted {
            extraction: extracting.finish(),
            bad,
            before,
            registry,
            lessons: lessons.lessons,
        })
    }

    /// What runs showed of the versions of a role of ours; nothing of another agent, whose
    /// runs are not measured.
    fn runs_seen(&self, agent: &AgentName) -> Result<RunsSeen, EngineError> {
        let mut seen = RunsSeen::default();
        if role(agent).is_none() {
            return Ok(seen);
        }
        let prompts = self.prompts()?;
        let active = prompts.active(agent)?;
        let mut before = self.runs_of(agent, NonZeroU32::MIN)?;
        let mut with_lesson: BTreeMap<String, (usize, Vec<Observation>)> = BTreeMap::new();
        for number in prompts.versions(agent)? {
            // A damaged version is reported where it is used.
            let Ok(version) = self.version(agent, number) else {
                continue;
            };
            let runs = match number {
                NonZeroU32::MIN => Vec::new(),
                number => self.runs_of(agent, number)?,
            };
            let change = active
                .as_ref()
                .and_then(|active| active.rolled_back(number));
            if change.is_some() {
                seen.rolled_back
                    .extend(runs.iter().map(|one| one.run.clone()));
            }
            for lesson in version.applied_lessons {
                let of_lesson = with_lesson.entry(lesson);
                let (_, with) = of_lesson.or_insert_with(|| (before.len(), Vec::new()));
                with.extend(runs.iter().cloned());
            }
            before.extend(runs);
        }
        let helpful = with_lesson.into_iter().map(|(lesson, (first, with))| {
            let helpful = helped(&before[..first], &with);
            (lesson, helpful)
        });
        seen.helpful = helpful.filter(|(_, helpful)| *helpful > 0).collect();
        Ok(seen)
    }
}

/// What was found in the feedback of an agent, before it is written.
struct Extracted {
    extraction: Extraction,
    bad: Vec<String>,
    before: ClusterRegistry,
    registry: ClusterRegistry,
    lessons: Vec<Lesson>,
}

/// Writes what was extracted for an agent of which these lessons were known; its clusters
/// are as the analysis found them, and as it leaves them. What another process wrote in the
/// meantime stays; returns what is left out for it.
fn put(
    files: &LessonFiles,
    agent: &AgentName,
    (before, now): (&ClusterRegistry, &ClusterRegistry),
    known: &[Lesson],
    extraction: &mut Extraction,
) -> Result<Vec<String>, EngineError> {
    let is_new = extraction.raised.len() + extraction.proposed.len() > 0;
    if before == now && !is_new {
        return Ok(Vec::new());
    }
    let lock = files.lock(agent)?;
    let found = files.clusters(agent)?;
    // A lesson that a user decided on meanwhile keeps the decision.
    if found != *before && found != *now || files.of(agent)?.lessons != known {
        extraction.proposed.clear();
        extraction.raised.clear();
        let why = format!("the lessons of {agent} were changed by another process; analyze again");
        return Ok(vec![why]);
    }
    // A lesson names its cluster, which is there first.
    files.put_clusters(&lock, agent, now)?;
    for lesson in extraction.raised.iter().chain(&extraction.proposed) {
        files.put(&lock, lesson)?;
    }
    Ok(Vec::new())
}

fn unread_lesson(bad: &BadFile) -> String {
    let (path, why) = (&bad.path, &bad.message);
    format!("{path}: {why}; fix the file, or delete it to have the lesson proposed again")
}

/// The entries of an agent.
fn entries(agent: &AgentName, store: &FeedbackStore) -> Vec<FeedbackEntry> {
    let entries = store.entries().iter();
    let entries = entries.filter(|entry| entry.agent == *agent);
    entries.cloned().collect()
}
