//! A project that learns: its feedback, lessons, prompts and journal.

use std::num::NonZeroU32;

use review_embedding_test::Workspace;
use review_engine::EngineError;
use review_engine::learn::{Decided, Evolution, Learner, Switched, find_by_id, learning_config};
use review_learning::AgentName;
use review_learning::config::LearningConfig;
use review_learning::lesson::Decision;
use review_learning::protocol::Trigger;
use review_store::StateDir;
use review_types::Timestamp;
use serde_json::Value as Json;

use crate::support::read;

/// A project with its configuration of learning.
pub(crate) struct Learning {
    pub(crate) workspace: Workspace,
    pub(crate) config: LearningConfig,
}

pub(crate) fn now() -> Timestamp {
    "2026-03-20T12:00:00Z".parse().unwrap()
}

pub(crate) fn agent(name: &str) -> AgentName {
    name.into()
}

pub(crate) fn version(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

impl Learning {
    /// A project without files.
    pub(crate) fn new(toml: &str) -> Self {
        let mut learning = Self {
            workspace: Workspace::new(&[]).unwrap(),
            config: LearningConfig::default(),
        };
        learning.configure(toml);
        learning
    }

    /// Reads another configuration.
    pub(crate) fn configure(&mut self, toml: &str) {
        let config = self.workspace.config(toml).unwrap();
        let learning = learning_config(&self.workspace.root(), &config);
        self.config = learning.unwrap().unwrap_or_default();
    }

    pub(crate) fn learner(&self) -> Learner<'_> {
        Learner::new(&self.workspace.root(), &self.config, now()).unwrap()
    }

    pub(crate) fn state(&self) -> StateDir {
        StateDir::open(&self.workspace.state()).unwrap()
    }

    pub(crate) fn evolution<'l>(
        &self,
        learner: &'l Learner<'l>,
        trigger: Trigger,
    ) -> Evolution<'l> {
        Evolution {
            learner,
            state: self.state(),
            trigger,
            run: None,
            operators: None,
        }
    }

    /// The decision of a user on the lesson whose id starts so.
    pub(crate) async fn decide(
        &self,
        id: &str,
        decision: Decision,
        by: &str,
    ) -> Result<Decided, EngineError> {
        let learner = self.learner();
        let lessons = learner.lessons(None).unwrap();
        let lesson = find_by_id(id, lessons, |lesson| lesson.id.as_str())?;
        let evolution = self.evolution(&learner, Trigger::LessonApproved);
        evolution.decide(&lesson.unwrap(), decision, by).await
    }

    pub(crate) async fn approve(&self, id: &str) -> Result<Decided, EngineError> {
        self.decide(id, Decision::Approve, "ann").await
    }

    /// Uses another version of a prompt, or the one before.
    pub(crate) async fn switch(
        &self,
        name: &str,
        to: Option<u32>,
        by: &str,
    ) -> Result<Switched, EngineError> {
        let learner = self.learner();
        let evolution = self.evolution(&learner, Trigger::ManualRequest);
        let to = to.map(version);
        evolution.switch(&agent(name), to, Some(by), None).await
    }

    /// A lesson as its file holds it.
    pub(crate) fn lesson(&self, agent: &str, id: &str) -> Json {
        let text = read(&self.workspace, &lesson_path(agent, id));
        serde_json::from_str(&text).unwrap()
    }

    /// The version in use and the one before.
    pub(crate) fn active(&self, name: &str) -> (u32, Option<u32>) {
        let active = self.learner().prompts().unwrap().active(&agent(name));
        let active = active.unwrap().unwrap();
        (active.version.get(), active.previous.map(Into::into))
    }

    /// The events of learning.
    pub(crate) fn journal(&self) -> Vec<Json> {
        let file = self.workspace.state().join("learning.jsonl");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
        events.collect()
    }

    /// The types of the events, without `learning.`.
    pub(crate) fn steps(&self) -> Vec<String> {
        let events = self.journal().into_iter();
        let types = events.map(|event| event["type"].as_str().unwrap().to_owned());
        types.map(|name| name.replace("learning.", "")).collect()
    }
}

pub(crate) fn lesson_path(agent: &str, id: &str) -> String {
    format!(".aiwg/.lessons/{agent}/{id}.json")
}

/// Hint of what is not there, and why something is refused.
pub(crate) fn told(error: &EngineError) -> (String, String) {
    let hint = match error {
        EngineError::Refused { hint, .. } => hint.clone().unwrap_or_default(),
        EngineError::Absent { hint, .. } => hint.clone(),
        _ => String::new(),
    };
    (error.to_string(), hint)
}
