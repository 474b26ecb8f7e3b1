//! What a run was asked to do. It is journaled, so that a resume does the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use review::config::{ChainLink, Convergence, FeedbackMemory, Keep, LoopConfig};
use review::{Budget, Subject};
use review_agents::{Backend, BaseUrl, Chain, RolePrompt, RolePrompts};
use review_config::{Config, ConfigError, ConfigFile, HostName, Sources};
use review_document::spec_name;
use review_events::AgentRole;
use review_flow::Seed;
use review_lane::{ChangeReview, LandMode};
use review_process::redact::Sensitivity;
use review_store::STATE_DIR;
use review_tasks::{LaneOptions, TaskOptions};
use review_types::{Hash, PastRound, TaskNumber, UnitId};
use serde::{Deserialize, Serialize};

use crate::machine::Destination;

/// How often an attempt at a task is made again after a failure that is not its own.
const RETRIES: u32 = 2;
/// After how many accepted tasks the commands of all are run on the lane, while others
/// are still to do.
const CHECK_EVERY: NonZeroU32 = NonZeroU32::new(8).unwrap();

/// What is reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewTarget {
    /// A spec with its plan and tasks.
    Unit {
        /// The spec, relative to the root.
        spec: String,
        /// Id of the unit.
        id: UnitId,
        /// The folder of the unit, relative to the root.
        dir: String,
    },
    /// One file.
    File {
        /// The file, relative to the root.
        path: String,
    },
    /// The Markdown files of a folder, as one artifact.
    Folder {
        /// The folder, relative to the root.
        path: String,
    },
}

impl ReviewTarget {
    /// The spec or path under review, relative to the root.
    pub fn spec(&self) -> &str {
        match self {
            Self::Unit { spec, .. } => spec,
            Self::File { path } | Self::Folder { path } => path,
        }
    }

    /// The unit, if there is one.
    pub fn unit(&self) -> Option<&UnitId> {
        match self {
            Self::Unit { id, .. } => Some(id),
            Self::File { .. } | Self::Folder { .. } => None,
        }
    }

    /// The folder of the unit, if there is one.
    pub(crate) fn unit_dir(&self) -> Option<&str> {
        match self {
            Self::Unit { dir, .. } => Some(dir),
            Self::File { .. } | Self::Folder { .. } => None,
        }
    }

    /// What the loop is about: the unit, else the name of the file.
    pub fn feature(&self) -> String {
        let name = match self {
            Self::Unit { id, .. } => return id.to_string(),
            Self::File { path } | Self::Folder { path } => path,
        };
        spec_name(name).to_owned()
    }

    /// The paths that the locks of a run are on, relative to the root: what the
    /// record of the review is kept under, and the folder of the tasks. A folder
    /// under review and a file in it have locks of their own: what the other
    /// run changes there is found before it could be overwritten.
    pub(crate) fn lock_paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.spec()).chain(self.unit_dir())
    }
}

/// Which parts of a run are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stages {
    /// The review, and the tasks when it passes.
    #[default]
    ReviewThenTasks,
    /// The review, and the tasks whatever it says.
    ReviewAndTasks,
    /// The review alone.
    Review,
    /// The tasks alone.
    Tasks,
}

/// The most calls of a run, and the most that they may consume together.
pub(crate) fn call_budget(config: &Config) -> Budget {
    let run = &config.run;
    Budget {
        max_calls: run.max_calls.map(NonZeroU32::get),
        max_tokens: run.max_tokens.map(Into::into),
        max_cost: run.max_cost,
    }
}

/// What a run is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To bring its target further.
    #[default]
    Work,
    /// To prove to a gate what no record proves.
    Gate,
}

/// What a run does with its target, and by which configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// What it is for.
    pub purpose: Purpose,
    /// What is reviewed.
    pub target: ReviewTarget,
    /// Which parts are asked for.
    pub stages: Stages,
    /// The tasks to run, which then wait for no others; all when there is no
    /// list.
    pub only: Option<BTreeSet<TaskNumber>>,
    /// The tasks of the unit that the user did not select, for its report.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub not_selected: BTreeSet<TaskNumber>,
    /// Whether files of the user may change: feedback is applied and statuses
    /// of tasks are written. Without it there is exactly one round.
    pub apply: bool,
    /// Whether a pass is recorded for the gate: true for a spec with its tasks,
    /// false for a document on its own.
    pub records_pass: bool,
    /// The configuration, without the folder that the run is kept in, and without an
    /// implementer where only the commands of the tasks run.
    pub config: Config,
    /// The instructions of the roles. The first record names them on its own.
    #[serde(skip)]
    pub prompts: RolePrompts,
    /// The commit since which changes count, as it was named.
    pub since: Option<String>,
    /// Hash of the content of the manifest of that commit.
    pub scope: Option<Hash>,
    /// Rounds that another process had with a reviewer before this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastRound>,
    /// The hosts that carry out steps for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostName>,
    /// The engine whose workers these hosts are, in place of computers that ssh reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<BaseUrl>,
    /// The branch that work lands on in place of one that is named after the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl RunSettings {
    /// A run over `target` by the configuration: a review whose feedback is
    /// applied, and then the commands of the tasks, which no agent implements.
    pub fn of(config: &Config, target: ReviewTarget) -> Self {
        let mut config = config.clone();
        config.state_dir = PathBuf::from(STATE_DIR);
        config.task.implementer = None;
        Self {
            purpose: Purpose::Work,
            target,
            stages: Stages::default(),
            only: None,
            not_selected: BTreeSet::new(),
            apply: true,
            records_pass: true,
            config,
            prompts: RolePrompts::default(),
            since: None,
            scope: None,
            history: Vec::new(),
            hosts: Vec::new(),
            engine: None,
            branch: None,
        }
    }

    /// Has steps carried out elsewhere, where hosts or an engine are given: no host is this
    /// computer, and those of an engine that is given alone are the workers that it has.
    pub fn work_at(&mut self, hosts: Option<Vec<HostName>>, engine: Option<BaseUrl>) {
        match (hosts, engine) {
            (None, None) => {}
            (Some(hosts), _) if hosts.is_empty() => {
                (self.hosts, self.engine) = (hosts, None);
            }
            (hosts, engine) => {
                self.engine = engine.or(self.engine.take());
                self.hosts = hosts.unwrap_or_default();
            }
        }
    }

    /// The same run for a step of it on a host with this configuration: where things are,
    /// what programs may do, use up and see, and which services there are, is decided there.
    #[must_use]
    pub(crate) fn at_host(mut self, host: &Config) -> Self {
        let own = &mut self.config;
        own.state_dir = PathBuf::from(STATE_DIR);
        own.agent = host.agent.clone();
        own.http = host.http.clone();
        own.hosts = host.hosts.clone();
        own.engine = host.engine.clone();
        own.run = host.run.clone();
        own.task.timeout = host.task.timeout;
        own.lane.sandbox = host.lane.sandbox.clone();
        self.work_at(Some(Vec::new()), None);
        self
    }

    /// The settings of the run that a host gets.
    pub(crate) fn to_send(&self) -> Result<Self, ConfigError> {
        let plain = Config::resolve(Sources {
            file: &ConfigFile::new("", ""),
            variables: &BTreeMap::new(),
            settings: &[],
            gone: &[],
        })?;
        Ok(self.clone().at_host(&plain))
    }

    /// Who implements the tasks; `None` where only their commands run.
    pub fn implementer(&self) -> Option<&Chain> {
        self.config.task.implementer.as_ref()
    }

    pub(crate) fn implementers(&self) -> impl Iterator<Item = &Backend> {
        self.implementer().into_iter().flat_map(Chain::iter)
    }

    /// Rounds of review.
    pub(crate) fn max_iterations(&self) -> u32 {
        match self.apply {
            true => self.config.review.max_iterations.get(),
            false => 1,
        }
    }

    /// When the loop counts as stalled; `None` where findings are not followed.
    pub fn convergence(&self) -> Option<Convergence> {
        let review = &self.config.review;
        let patience = NonZeroU32::new(review.patience)?;
        let keep = review.keep;
        Some(Convergence { patience, keep })
    }

    /// Lands finished work where a user wants it.
    pub(crate) fn land_at(&mut self, destination: &Destination) {
        self.config.lane.land = match destination {
            Destination::Target => LandMode::Auto,
            Destination::Branch(_) => LandMode::Branch,
        };
        if let Destination::Branch(branch) = destination {
            self.branch = Some(branch.clone());
        }
    }

    /// The loop that these settings ask for.
    pub(crate) fn loop_config(&self, seed: Seed, recovery_actions: Vec<String>) -> LoopConfig {
        let target = &self.target;
        let path = target.unit_dir().unwrap_or_else(|| target.spec());
        let subject = Subject {
            feature: target.feature(),
            spec: target.spec().to_owned(),
            path: path.to_owned(),
            recovery_actions,
        };
        let Config {
            review, feedback, ..
        } = &self.config;
        LoopConfig {
            criteria: review.criteria.clone(),
            max_iterations: self.max_iterations(),
            retry_on_malformed: review.retry_on_malformed,
            wording_rules: true,
            below_minimum: review.below_minimum,
            fail_level: review.fail_level,
            budget: call_budget(&self.config),
            applies: self.apply,
            stop_on_no_change: self.config.reviewer.is_builtin(),
            convergence: self.convergence(),
            memory: FeedbackMemory {
                key: feedback.memory_key.clone(),
                window: feedback.window_size,
                threshold: feedback.alert_threshold,
                alerts: feedback.alert_on_repeated_issues,
            },
            scope: self.scope,
            inbox: true,
            reviewers: self.chain_links(),
            applier: Some(self.config.applier.to_string()),
            seed,
            history: self.history.clone(),
            ..LoopConfig::new(subject)
        }
    }

    /// The reviewers of changes of code, where these are reviewed: the embedded one judges
    /// specs alone.
    pub(crate) fn change_reviewer(&self) -> Option<Chain> {
        self.implementer()?;
        if self.config.task.review == ChangeReview::Off {
            return None;
        }
        let mut judges = self.config.reviewer.iter().cloned();
        let mut judges = judges.by_ref().filter(|one| *one != Backend::Builtin);
        let first = judges.next()?;
        Some(Chain::new(first, judges.collect()))
    }

    /// The loop over the change of a task, where changes are reviewed: the implementer
    /// applies its feedback, and users comment on specs alone.
    pub(crate) fn change_loop(&self, seed: Seed) -> Option<LoopConfig> {
        let reviewer = self.change_reviewer()?;
        let mut settings = Self {
            apply: true,
            history: Vec::new(),
            scope: None,
            ..self.clone()
        };
        settings.config.reviewer = reviewer;
        let config = settings.loop_config(seed, Vec::new());
        Some(LoopConfig {
            budget: Budget::default(),
            inbox: false,
            convergence: config.convergence.map(|convergence| Convergence {
                keep: Keep::Last,
                ..convergence
            }),
            ..config
        })
    }

    /// The reviewers as the loop knows them. The embedded rules cannot judge
    /// what a reader was asked to judge.
    fn chain_links(&self) -> Vec<ChainLink> {
        let links = self.config.reviewer.iter().enumerate();
        links
            .map(|(at, backend)| ChainLink {
                name: backend.to_string(),
                dialect: self.config.review.dialect.of(backend),
                keeps_sessions: backend.keeps_sessions(),
                proves: *backend == Backend::Builtin,
                pass_counts: at == 0 || *backend != Backend::Builtin,
            })
            .collect()
    }

    /// The instructions of the roles that the run may ask for.
    pub(crate) fn given_prompts(&self) -> impl Iterator<Item = &RolePrompt> {
        let is_given = |role| role != AgentRole::Implementer || self.implementer().is_some();
        self.prompts
            .iter()
            .filter(move |prompt| is_given(prompt.role()))
    }

    /// Whether reviewers are given what the embedded rules find, which their pass cannot
    /// contradict: the facts are about answers of models.
    pub(crate) fn tells_facts(&self) -> bool {
        self.config.reviewer.iter().any(Backend::is_model)
    }

    /// What these settings say of a variable: whether it holds a key of a model,
    /// or is passed to agents.
    pub(crate) fn sensitivity(&self, variable: &OsStr) -> Sensitivity {
        let mut passed = self.config.agent.pass_env.iter();
        let profiles = self.config.http.values();
        let mut keys = profiles.filter_map(|profile| profile.key_env.as_ref());
        if keys.any(|key| variable == key.as_str()) {
            Sensitivity::Secret
        } else if passed.any(|passed| variable == passed.as_str()) {
            Sensitivity::Passed
        } else {
            Sensitivity::Unknown
        }
    }

    fn lane_options(&self, seed: Seed) -> Option<LaneOptions> {
        self.implementer()?;
        let Config { task, lane, .. } = &self.config;
        Some(LaneOptions {
            pick: task.pick,
            agents: self.implementers().map(Backend::to_string).collect(),
            attempts: task.attempts,
            retries: RETRIES,
            tests: lane.tests,
            check: lane.check.as_ref().map(ToString::to_string),
            check_every: CHECK_EVERY,
            review: self.change_loop(seed).map(Arc::new),
            limits: call_budget(&self.config),
            seed,
        })
    }

    pub(crate) fn task_options(&self, seed: Seed) -> TaskOptions {
        TaskOptions {
            writes_status: self.apply,
            jobs: self.config.task.jobs,
            resume: 0,
            lane: self.lane_options(seed),
        }
    }
}
