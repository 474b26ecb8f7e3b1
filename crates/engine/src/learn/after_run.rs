//! What is learned when a run has ended.

use std::collections::BTreeSet;
use std::path::Path;

use review_learning::Id;
use review_learning::config::LearningConfig;
use review_learning::protocol::{LearningEvent, Step, Trigger};
use review_process::Redactor;
use review_store::RunDir;
use review_types::Timestamp;

use super::{
    Analyst, AutomaticUpdates, Chooser, Collector, Degraded, Evolution, LearnError, LearnNotice,
    Notices, Operators, PromptLog, Request, RootCorrections, Target, Words, drafts_of_run,
};
use crate::project::Project;
use crate::run::{Replay, replay};

/// Learns from a run that has ended.
#[derive(Clone)]
pub struct AfterRun<'a> {
    /// The project, whose reviewer words what is learned.
    pub project: &'a Project<'a>,
    /// The root of the run.
    pub root: &'a Path,
    /// The configuration of learning.
    pub config: &'a LearningConfig,
    /// The run.
    pub dir: &'a RunDir,
    /// Removes secrets.
    pub redactor: &'a Redactor,
    /// The time.
    pub now: Timestamp,
    /// Who is notified of changes of prompts.
    pub operators: Option<Operators<'a>>,
}

/// What was learned from a run.
#[derive(Debug, Default)]
pub struct Learned {
    /// The number of entries that are new.
    pub entries: usize,
    /// The lessons that are proposed and not applied.
    pub proposed: Vec<Id>,
    /// The reasons why patterns wait for words, where a reviewer was asked.
    pub unworded: Vec<String>,
    /// The steps that were taken.
    pub events: Vec<LearningEvent>,
}

impl AfterRun<'_> {
    /// Notes what the run showed of the prompts that it used, collects its
    /// feedback, analyses that of the agents of which there is enough now, and
    /// rolls back a version that errs more often than those before it.
    ///
    /// # Errors
    /// When a file cannot be read or written; the run itself is not concerned.
    pub async fn learn(&self, notices: &mut Notices<'_>) -> Result<Learned, LearnError> {
        let replay = replay(self.dir).await?;
        let evolution = self.evolution()?;
        let degraded = evolution.observe(&replay.events, &replay.settings)?;
        for degraded in degraded {
            self.roll_back(degraded, notices).await;
        }
        // What a version did that was just rolled back is no new lesson.
        let mut learned = self.learned(&replay).await?;
        let log = self.log(Trigger::LessonApproved);
        let ungated = AutomaticUpdates {
            evolution: &evolution,
            log: &log,
        };
        for agent in proposed_for(&learned.events) {
            let applied = ungated.update(&agent, notices).await;
            learned.proposed.retain(|id| !applied.contains(id));
        }
        for event in &mut learned.events {
            event.run.get_or_insert_with(|| self.dir.id().clone());
        }
        Ok(learned)
    }

    async fn learned(&self, replay: &Replay) -> Result<Learned, LearnError> {
        let collector = Collector {
            root: self.root,
            config: self.config,
            redactor: self.redactor,
            now: self.now,
        };
        let drafts = drafts_of_run(&replay.events, &replay.settings);
        let (run, state) = (Some(self.dir.id()), self.dir.state());
        let collected = collector.collect(drafts, Request::Run, run, &state)?;
        let mut learned = Learned {
            entries: collected.added.len(),
            proposed: Vec::new(),
            unworded: Vec::new(),
            events: collected.events,
        };
        let corrections = RootCorrections::of(self.root)?;
        let corrected = collector.collect(corrections.drafts, Request::Run, None, &state)?;
        learned.entries += corrected.added.len();
        learned.events.extend(corrected.events);
        let added = collected.added.iter().chain(&corrected.added);
        let agents: BTreeSet<&str> = added.map(|entry| entry.agent.as_str()).collect();
        if agents.is_empty() {
            return Ok(learned);
        }
        let store = collector.store()?;
        let analyst = Analyst {
            root: self.root,
            config: self.config,
            trigger: Trigger::FeedbackThresholdReached,
            run,
            now: self.now,
        };
        let mut words = self.words(replay);
        for agent in agents {
            let names_a_pattern = corrected
                .added
                .iter()
                .any(|entry| entry.agent == agent && entry.context.pattern.is_some());
            if names_a_pattern || analyst.suffices(agent, &store) {
                let analyzed = analyst.analyze(agent, &store, &state, &mut words).await?;
                let proposed = analyzed.extraction.proposed.iter();
                learned
                    .proposed
                    .extend(proposed.map(|lesson| lesson.id.clone()));
                let writing = analyzed.extraction.writing.into_iter();
                let fallbacks = writing.flat_map(|writing| writing.fallbacks);
                learned.unworded.extend(fallbacks.map(|one| one.reason));
                learned.events.extend(analyzed.events);
            }
        }
        Ok(learned)
    }

    /// The words of the reviewer of the run, which is asked when a lesson needs some;
    /// those of the feedback after a run that did not end on its own.
    fn words<'w>(&'w self, replay: &'w Replay) -> Words<'w> {
        let extraction = &self.config.learning_pipeline.lesson_extraction;
        match extraction.llm_driven && replay.finished.is_some() {
            true => Words::Unasked {
                project: self.project,
                settings: &replay.settings,
                config: self.config,
            },
            false => Words::OfFeedback,
        }
    }

    /// Uses the version before again. Where that cannot be done the version stays
    /// in use; both are reported.
    async fn roll_back(&self, degraded: Degraded, notices: &mut Notices<'_>) {
        let notice = match self.rolled_back(&degraded, notices).await {
            Ok(()) => LearnNotice::RolledBack(degraded),
            Err(error) => LearnNotice::RollbackFailed(degraded, error),
        };
        notices(notice);
    }

    async fn rolled_back(
        &self,
        degraded: &Degraded,
        notices: &mut Notices<'_>,
    ) -> Result<(), LearnError> {
        let (agent, to) = (degraded.agent.as_str(), Target::Version(degraded.before));
        let by = Chooser::Degradation {
            reason: degraded.to_string(),
        };
        // Another run may have rolled it back just now: then nothing changes.
        let evolution = self.evolution()?;
        let restored = evolution.switch(agent, to, by, notices)?;
        let log = self.log(Trigger::PerformanceDegradation);
        log.switched(&evolution, &restored, notices).await
    }

    fn evolution(&self) -> Result<Evolution<'_>, LearnError> {
        Evolution::new(self.root, self.config, self.now)
    }

    fn log(&self, trigger: Trigger) -> PromptLog<'_> {
        PromptLog {
            state: self.dir.state(),
            trigger,
            run: Some(self.dir.id().clone()),
            now: self.now,
            operators: self.operators.clone(),
        }
    }
}

/// The agents whose lessons were submitted.
fn proposed_for(events: &[LearningEvent]) -> BTreeSet<String> {
    let events = events
        .iter()
        .filter(|event| event.step == Step::SubmitForApproval);
    events.map(|event| event.payload.agent.clone()).collect()
}
