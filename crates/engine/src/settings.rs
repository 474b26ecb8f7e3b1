//! What a run was asked to do. It is journaled, so that a resume does the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use review::config::{
    BelowMinimumPolicy, ChainLink, Convergence, FeedbackMemory, Keep, LoopConfig,
};
use review::machine::CallBudget;
use review::{Budget, Subject};
use review_agents::{
    AnswerForm, ApplyScope, Backend, Chain, CommandLine, HttpProfile, Models, ProfileName,
    RolePrompt, RolePrompts,
};
use review_config::Sandbox;
use review_document::spec_name;
use review_events::AgentRole;
use review_flow::Seed;
use review_lane::{ChangeReview, Dirty, LandMode, Pick, TestsPolicy};
use review_process::redact::Sensitivity;
use review_tasks::LaneOptions;
use review_types::criteria::Criteria;
use review_types::{Hash, PastRound, Severity, TaskNumber, UnitId};
use serde::{Deserialize, Serialize};

use crate::machine::{Destination, StageOptions, TaskPolicy};

/// How often an attempt at a task is made again after a failure that is not its own.
const RETRIES: u32 = 2;
/// After how many accepted tasks the commands of all are run on the lane, while others
/// are still to do.
const CHECK_EVERY: NonZeroU32 = NonZeroU32::new(8).unwrap();

/// What is reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
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

impl Target {
    /// The spec or path under review, relative to the root.
    #[must_use]
    pub fn spec(&self) -> &str {
        match self {
            Self::Unit { spec, .. } => spec,
            Self::File { path } | Self::Folder { path } => path,
        }
    }

    /// The unit, if there is one.
    #[must_use]
    pub fn unit(&self) -> Option<&UnitId> {
        match self {
            Self::Unit { id, .. } => Some(id),
            Self::File { .. } | Self::Folder { .. } => None,
        }
    }

    /// The folder of the unit, if there is one.
    #[must_use]
    pub fn unit_dir(&self) -> Option<&str> {
        match self {
            Self::Unit { dir, .. } => Some(dir),
            Self::File { .. } | Self::Folder { .. } => None,
        }
    }

    /// What the loop is about: the unit, else the name of the file.
    #[must_use]
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

/// How a run goes about its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// What it is for.
    pub purpose: Purpose,
    /// What is reviewed.
    pub target: Target,
    /// Which parts are asked for.
    pub stages: Stages,
    /// How many tasks may have their turn at a time.
    pub jobs: NonZeroU32,
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
    /// Who reviews, in the order in which they are asked.
    #[serde(with = "written::chain")]
    pub reviewer: Chain,
    /// Who applies.
    #[serde(with = "written")]
    pub applier: Backend,
    /// The models with HTTP APIs, by the names that backends use.
    pub http: BTreeMap<ProfileName, HttpProfile>,
    /// The instructions of the roles. The first record names them on its own.
    #[serde(skip)]
    pub prompts: RolePrompts,
    /// What is scored.
    pub criteria: Criteria,
    /// Rounds of review.
    pub max_iterations: u32,
    /// Retries of a malformed answer within a round.
    pub retry_on_malformed: u32,
    /// What a pass with a score below its minimum becomes.
    pub below_minimum: BelowMinimumPolicy,
    /// The lowest severity that asks for a revision.
    pub fail_level: Severity,
    /// How the loop notices that it goes nowhere; `None` where it need not.
    pub convergence: Option<Convergence>,
    /// What the loop remembers of the feedback of its rounds.
    pub memory: FeedbackMemory,
    /// The commit since which changes count, as it was named.
    pub since: Option<String>,
    /// Hash of the content of the manifest of that commit.
    pub scope: Option<Hash>,
    /// What its documents track of the feedback.
    pub tracking: Tracking,
    /// Names of variables that agents see in addition to the usual ones.
    pub pass_env: Vec<String>,
    /// What appliers may change.
    pub apply_scope: ApplyScope,
    /// Limits of a call.
    pub call: CallLimits,
    /// Time of the whole run.
    pub max_time: Option<Duration>,
    /// Calls of reviewer and applier.
    pub max_calls: Option<u32>,
    /// What all calls together may consume.
    pub budget: Budget,
    /// What is known of models.
    pub models: Models,
    /// Time of a task's command that names none.
    pub task_timeout: Duration,
    /// Whether the output of a task's command has to name the tests that the task lists.
    pub require_names: bool,
    /// The program that is notified of the end of the run, unless no file may change.
    pub notify: Option<Notify>,
    /// Rounds that another process had with a reviewer before this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastRound>,
    /// How the embedded reviewer judges.
    pub lint: review_lint::Settings,
    /// The form in which programs of the user answer as reviewers.
    pub dialect: AnswerForm,
    /// A command of the project that is run before each review.
    pub check: Option<String>,
    /// How agents implement the tasks; `None` where only their commands run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implement: Option<ImplementSettings>,
}

/// How agents implement the tasks of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplementSettings {
    /// Who implements, in the order in which they are called.
    #[serde(with = "written::chain")]
    pub implementer: Chain,
    /// Who picks the next of several tasks that are ready.
    #[serde(default)]
    pub pick: Pick,
    /// Attempts of a task.
    pub attempts: NonZeroU32,
    /// What becomes of changes that are not committed.
    pub dirty: Dirty,
    /// Where finished work goes.
    pub land: LandMode,
    /// The branch that the work is for; `None` for the one that is checked out.
    pub target: Option<String>,
    /// The commands that prepare a new checkout.
    pub setup: Vec<String>,
    /// What follows when a change weakens the tests that judge it.
    #[serde(default)]
    pub tests: TestsPolicy,
    /// Patterns for protected files that agents may change in every task.
    #[serde(default)]
    pub may_change: Vec<review_lint::Glob>,
    /// Whether changes are reviewed once their commands pass.
    #[serde(default)]
    pub review: ChangeReview,
    /// What keeps programs from files outside of their checkouts.
    pub sandbox: Sandbox,
    /// The command that has to pass with the work of all tasks, beside theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The branch of its own; `None` for one that is named after the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl ImplementSettings {
    /// Lands finished work where a user wants it.
    pub(crate) fn land_at(&mut self, destination: &Destination) {
        self.land = match destination {
            Destination::Target => LandMode::Auto,
            Destination::Branch(_) => LandMode::Branch,
        };
        if let Destination::Branch(branch) = destination {
            self.branch = Some(branch.clone());
        }
    }
}

/// The program that is notified when a run has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notify {
    /// The program, which runs in the root; a path starts there too.
    #[serde(with = "written")]
    pub command: CommandLine,
}

/// What the documents of a run track of the outcome of their feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracking {
    /// Whether it was followed.
    pub follow_rate: bool,
    /// Whether, and by how much, the scores rose after it.
    pub improvement_rate: bool,
}

impl Default for Tracking {
    fn default() -> Self {
        Self {
            follow_rate: true,
            improvement_rate: true,
        }
    }
}

/// Limits of one call of a reviewer or applier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLimits {
    /// Its whole time.
    pub wall: Duration,
    /// Its time without a byte of output.
    pub idle: Duration,
}

impl RunSettings {
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
        LoopConfig {
            criteria: self.criteria.clone(),
            max_iterations: if self.apply { self.max_iterations } else { 1 },
            retry_on_malformed: self.retry_on_malformed,
            wording_rules: true,
            below_minimum: self.below_minimum,
            fail_level: self.fail_level,
            max_calls: self.max_calls,
            budget: self.budget,
            applies: self.apply,
            stop_on_no_change: self.reviewer.is_builtin(),
            convergence: self.convergence,
            memory: self.memory.clone(),
            scope: self.scope,
            inbox: true,
            reviewers: self.chain_links(),
            applier: Some(self.applier.to_string()),
            seed,
            history: self.history.clone(),
            ..LoopConfig::new(subject)
        }
    }

    /// The reviewers of changes of code, where these are reviewed: the embedded one judges
    /// specs alone.
    pub(crate) fn change_reviewer(&self) -> Option<Chain> {
        let implement = self.implement.as_ref();
        implement.filter(|implement| implement.review == ChangeReview::Ask)?;
        let mut judges = self.reviewer.iter().cloned();
        let mut judges = judges.by_ref().filter(|one| *one != Backend::Builtin);
        let first = judges.next()?;
        Some(Chain::new(first, judges.collect()))
    }

    /// The loop over the change of a task, where changes are reviewed: the implementer
    /// applies its feedback, and users comment on specs alone.
    pub(crate) fn change_loop(&self, seed: Seed) -> Option<LoopConfig> {
        let reviewer = self.change_reviewer()?;
        let settings = Self {
            reviewer,
            apply: true,
            history: Vec::new(),
            scope: None,
            ..self.clone()
        };
        let config = settings.loop_config(seed, Vec::new());
        Some(LoopConfig {
            max_calls: None,
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
        let links = self.reviewer.iter().enumerate();
        links
            .map(|(at, backend)| ChainLink {
                name: backend.to_string(),
                dialect: self.dialect.of(backend),
                keeps_sessions: backend.keeps_sessions(),
                proves: *backend == Backend::Builtin,
                pass_counts: at == 0 || *backend != Backend::Builtin,
            })
            .collect()
    }

    /// The instructions of the roles that the run may ask for.
    pub(crate) fn given_prompts(&self) -> impl Iterator<Item = &RolePrompt> {
        let is_given = |role| role != AgentRole::Implementer || self.implement.is_some();
        self.prompts
            .iter()
            .filter(move |prompt| is_given(prompt.role()))
    }

    /// Whether reviewers are given what the embedded rules find, which their pass cannot
    /// contradict: the facts are about answers of models.
    pub(crate) fn tells_facts(&self) -> bool {
        self.reviewer.iter().any(Backend::is_model)
    }

    /// What these settings say of a variable: whether it holds a key of a model,
    /// or is passed to agents.
    pub(crate) fn sensitivity(&self, variable: &OsStr) -> Sensitivity {
        let mut passed = self.pass_env.iter();
        let profiles = self.http.values();
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
        let implement = self.implement.as_ref()?;
        Some(LaneOptions {
            pick: implement.pick,
            agents: implement
                .implementer
                .iter()
                .map(Backend::to_string)
                .collect(),
            attempts: implement.attempts,
            retries: RETRIES,
            tests: implement.tests,
            check: implement.check.clone(),
            check_every: CHECK_EVERY,
            review: self.change_loop(seed).map(Arc::new),
            limits: CallBudget {
                max_calls: self.max_calls,
                budget: self.budget,
            },
            seed,
        })
    }

    pub(crate) fn stage_options(&self, seed: Seed) -> StageOptions {
        StageOptions {
            policy: match self.stages {
                Stages::ReviewThenTasks => TaskPolicy::AfterPass,
                Stages::ReviewAndTasks => TaskPolicy::KeepGoing,
                Stages::Review => TaskPolicy::Skip,
                Stages::Tasks => TaskPolicy::Only,
            },
            writes_status: self.apply,
            jobs: self.jobs,
            lane: self.lane_options(seed),
        }
    }
}

/// A value as it is written.
pub(crate) mod written {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    /// A chain as the list of its members.
    pub(super) mod chain {
        use review_agents::{Backend, Chain};
        use serde::de::Error as _;
        use serde::{Deserialize as _, Deserializer, Serializer};

        pub(in super::super) fn serialize<S: Serializer>(
            chain: &Chain,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(chain.iter().map(Backend::to_string))
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Chain, D::Error> {
            let members = Vec::<String>::deserialize(deserializer)?;
            let members: Result<Vec<Backend>, _> =
                members.iter().map(|text| text.parse()).collect();
            let mut members = members.map_err(D::Error::custom)?.into_iter();
            let first = members.next();
            let first = first.ok_or_else(|| D::Error::custom("a chain has at least one member"))?;
            Ok(Chain::new(first, members.collect()))
        }
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
