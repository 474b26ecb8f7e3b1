//! What is learned when a run has ended.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use review_learning::protocol::{LearningEvent, Step, StepContext, Trigger};
use review_learning::{AgentName, Id};
use review_process::Redactor;
use review_store::RunDir;
use review_types::error_chain;

use super::{
    Degraded, Evolution, Learner, Operators, Request, RootCorrections, Words, drafts_of_run,
};
use crate::error::EngineError;
use crate::project::Project;
use crate::run::{Replay, replay};

/// Learns from a run that has ended.
#[derive(Clone)]
pub struct AfterRun<'a> {
    /// The project, whose reviewer words what is learned.
    pub project: &'a Project<'a>,
    /// What is learned in its root.
    pub learner: &'a Learner<'a>,
    /// The run.
    pub dir: &'a RunDir,
    /// Removes secrets.
    pub redactor: &'a Redactor,
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
    /// The versions that prompts have now since lessons needed no approval, by agent.
    pub updated: Vec<(AgentName, NonZeroU32)>,
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
    pub async fn learn(&self) -> Result<Learned, EngineError> {
        let replay = replay(self.dir).await?;
        let degraded = self.learner.observe(&replay.events, &replay.settings)?;
        for degraded in &degraded {
            self.roll_back(degraded).await;
        }
        // What a version did that was just rolled back is no new lesson.
        let mut learned = self.learned(&replay).await?;
        let evolution = self.evolution(Trigger::LessonApproved);
        for agent in proposed_for(&learned.events) {
            let Some(updated) = evolution.update_unasked(&agent).await else {
                continue;
            };
            learned.proposed.retain(|id| !updated.has_applied(id));
            let version = updated.version.map(|made| (agent, made.version));
            learned.updated.extend(version);
        }
        for event in &mut learned.events {
            event.run.get_or_insert_with(|| self.dir.id().clone());
        }
        Ok(learned)
    }

    async fn learned(&self, replay: &Replay) -> Result<Learned, EngineError> {
        let learner = self.learner;
        let drafts = drafts_of_run(&replay.events, &replay.settings);
        let (run, state) = (Some(self.dir.id()), self.dir.state());
        let collect = |drafts, run| {
            let request = Request::Run;
            learner.collect(drafts, request, run, &state, self.redactor)
        };
        let collected = collect(drafts, run)?;
        let mut learned = Learned {
            entries: collected.added.len(),
            events: collected.events,
            ..Learned::default()
        };
        let corrections = RootCorrections::of(learner.root.path())?;
        let corrected = collect(corrections.drafts, None)?;
        learned.entries += corrected.added.len();
        learned.events.extend(corrected.events);
        let added = collected.added.iter().chain(&corrected.added);
        let agents: BTreeSet<&AgentName> = added.map(|entry| &entry.agent).collect();
        if agents.is_empty() {
            return Ok(learned);
        }
        let store = learner.feedback()?;
        let analysis = &learner.config.learning_pipeline.analysis;
        let mut words = self.words(replay);
        for agent in agents {
            let names_a_pattern = corrected
                .added
                .iter()
                .any(|entry| entry.agent == *agent && entry.context.pattern.is_some());
            let of_agent = store.entries().iter().filter(|entry| entry.agent == *agent);
            if names_a_pattern || analysis.suffices(of_agent.count()) {
                let course = StepContext {
                    run,
                    at: learner.now,
                    trigger: Trigger::FeedbackThresholdReached,
                    agent,
                };
                let analyzed = learner.analyze(course, &store, &state, &mut words);
                let analyzed = analyzed.await?;
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
        let config = self.learner.config;
        let extraction = &config.learning_pipeline.lesson_extraction;
        match extraction.llm_driven && replay.finished.is_some() {
            true => Words::Unasked {
                project: self.project,
                settings: &replay.settings,
                config,
            },
            false => Words::OfFeedback,
        }
    }

    /// Uses the version before again. Where that cannot be done the version stays
    /// in use; both are warned of.
    async fn roll_back(&self, degraded: &Degraded) {
        let (agent, before) = (&AgentName::from(degraded.agent), degraded.before);
        let evolution = self.evolution(Trigger::PerformanceDegradation);
        // Another run may have rolled it back just now: then nothing changes.
        let reason = Some(degraded.to_string());
        match evolution.switch(agent, Some(before), None, reason).await {
            Ok(_) => tracing::warn!(
                "{degraded}: version {before} is in use again; `ralph learn show {agent}` shows \
                 what was rolled back"
            ),
            Err(error) => {
                let why = error_chain(&error);
                tracing::warn!("{degraded}, and stays in use: {why}");
            }
        }
    }

    fn evolution(&self, trigger: Trigger) -> Evolution<'_> {
        Evolution {
            learner: self.learner,
            state: self.dir.state(),
            trigger,
            run: Some(self.dir.id().clone()),
            operators: self.operators.clone(),
        }
    }
}

/// The agents whose lessons were submitted.
fn proposed_for(events: &[LearningEvent]) -> BTreeSet<AgentName> {
    let events = events
        .iter()
        .filter(|event| event.step == Step::SubmitForApproval);
    events.map(|event| event.payload.agent.clone()).collect()
}
