//! The feedback of an agent becomes proposed lessons.

use std::path::Path;

use review_learning::config::LearningConfig;
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::{Analysed, Extraction, Lesson};
use review_learning::protocol::{LearningEvent, Trigger};
use review_store::{ClusterFiles, FeedbackStore, LessonFiles, StateDir};
use review_text::Lexicon;
use review_types::{RunId, Timestamp};

use super::collect::id_of;
use super::words::Words;
use crate::error::{CommandError, ErrorKind};
use crate::target::open_root;

/// By what feedback is analysed.
pub(crate) struct Analyst<'a> {
    pub(crate) root: &'a Path,
    pub(crate) config: &'a LearningConfig,
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) trigger: Trigger,
    pub(crate) run: Option<&'a RunId>,
    pub(crate) now: Timestamp,
}

/// What the feedback of an agent led to.
#[derive(Debug)]
pub(crate) struct Analyzed {
    /// The agent.
    pub(crate) agent: String,
    /// What was found.
    pub(crate) extraction: Extraction,
    /// Files that cannot be used, and why.
    pub(crate) bad: Vec<String>,
    /// The steps that were taken.
    pub(crate) events: Vec<LearningEvent>,
}

impl Analyst<'_> {
    /// Whether there are enough entries of an agent.
    pub(crate) fn suffices(&self, agent: &str, store: &FeedbackStore) -> bool {
        let entries = store.entries().iter();
        let count = entries.filter(|entry| entry.agent == agent).count();
        self.config.learning_pipeline.analysis.suffices(count)
    }

    /// Analyses the feedback of an agent, writes its lessons in these `words` and
    /// the registry of its clusters, and journals the steps in the state folder.
    ///
    /// # Errors
    /// When a file cannot be read or written, or a signal comes.
    pub(crate) fn analyze(
        &self,
        agent: &str,
        store: &mut FeedbackStore,
        state: &StateDir,
        words: &mut Words<'_>,
    ) -> Result<Analyzed, CommandError> {
        let root = open_root(self.root)?;
        let cluster_files = ClusterFiles::new(&root).map_err(unreadable)?;
        let lesson_files = LessonFiles::new(&root).map_err(unreadable)?;
        let lessons = lesson_files.of(agent).map_err(unreadable)?;
        let (entries, mut bad) = entries(agent, store);
        let told = lessons.bad.iter();
        bad.extend(told.map(|bad| format!("{}: {}", bad.path.display(), bad.message)));
        let before = cluster_files.of(agent).map_err(unreadable)?;
        let mut registry = before.clone();
        let analysed = Analysed {
            agent,
            entries: &entries,
            lessons: &lessons.lessons,
            config: &self.config.learning_pipeline,
            lexicon: self.lexicon,
            at: self.now,
        };
        let mut extraction = analysed.extract(
            &mut registry,
            |pattern| words.draft(agent, pattern, self.lexicon),
            |pattern| id_of(&format!("lesson\n{agent}\n{}", pattern.cluster)),
        )?;
        extraction.writing = words.writing();
        let now = lesson_files.of(agent).map_err(unreadable)?;
        bad.extend(overtaken(&mut extraction, &lessons.lessons, &now.lessons));
        // A lesson names its cluster, which is there first.
        if registry != before {
            cluster_files.put(agent, &registry).map_err(unwritable)?;
        }
        for lesson in extraction.raised.iter().chain(&extraction.proposed) {
            lesson_files.put(lesson).map_err(unwritable)?;
        }
        store.rewrite(&extraction.tagged).map_err(unwritable)?;
        let events = extraction.steps(agent, self.trigger, self.run, self.now);
        let journaled = state.learning_journal().append(&events);
        journaled.map_err(unwritable)?;
        Ok(Analyzed {
            agent: agent.to_owned(),
            extraction,
            bad,
            events: events.into(),
        })
    }
}

/// Drops the lessons that somebody else wrote or decided on since they were read;
/// says which.
fn overtaken(extraction: &mut Extraction, before: &[Lesson], now: &[Lesson]) -> Vec<String> {
    let mut told = Vec::new();
    let mut is_as_before = |lesson: &Lesson| {
        let find = |lessons: &[Lesson]| lessons.iter().find(|one| one.id == lesson.id).cloned();
        let is_as_before = find(before) == find(now);
        if !is_as_before {
            let id = &lesson.id;
            told.push(format!("lesson {id} was changed meanwhile; analyze again"));
        }
        is_as_before
    };
    extraction.proposed.retain(&mut is_as_before);
    extraction.raised.retain(&mut is_as_before);
    told
}

/// The entries of an agent, and why others cannot be read.
fn entries(agent: &str, store: &FeedbackStore) -> (Vec<FeedbackEntry>, Vec<String>) {
    let mut bad = Vec::new();
    let mut entries = Vec::new();
    for entry in store.entries().iter().filter(|entry| entry.agent == agent) {
        match store.read(entry) {
            Ok(entry) => entries.push(entry),
            Err(error) => bad.push(error.to_string()),
        }
    }
    (entries, bad)
}

fn unreadable(error: impl std::fmt::Display) -> CommandError {
    CommandError::new(ErrorKind::Input, error.to_string())
}

fn unwritable(error: impl std::fmt::Display) -> CommandError {
    CommandError::new(ErrorKind::Output, error.to_string())
}
