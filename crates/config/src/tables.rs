//! The tables of the configuration: a field is a key, with its meaning, type and default.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use review::config::{BelowMinimumPolicy, Keep};
use review_agents::{
    AnswerForm, ApplyScope, Backend, BaseUrl, Chain, CommandLine, HttpProfile, Models, ProfileName,
};
use review_lane::{ChangeReview, Dirty, LandMode, Pick, SandboxMode, TestsPolicy};
use review_learning::config::LearningConfig;
use review_lint::{Glob, Selection, Selector};
use review_types::criteria::Criteria;
use review_types::{AllowedChange, MemoryKey, Severity, Usd};
use serde::{Deserialize, Serialize};

use crate::forms::{current, duration, learning, limit, none, unlimited};
use crate::key::Origin;
use crate::names::{BranchName, ColorChoice, FailLevel, Folders, HostName, Line, VariableName};

/// The configuration, as `ralph.toml` holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Who reviews: `builtin`, `cmd:PROGRAM ARGS`, a client of a language model with or
    /// without a model (`opencode`, `claude`, `codex`, `gemini`, `claude:opus`),
    /// `acp:COMMAND`, or `http:PROFILE`; several with commas between them are a chain. A
    /// path of a program starts at the root, in an option or variable at the current folder.
    #[schemars(extend("default" = "builtin"))]
    pub reviewer: Chain,
    /// Who applies the feedback, named as a reviewer.
    #[schemars(extend("default" = "builtin"))]
    pub applier: Backend,
    /// The folder for journals, logs and records, from the root; of an option or variable
    /// from the current folder, with a folder `roots/PATH` for each root below the top of
    /// the repository.
    #[schemars(extend("default" = ".ralph-review", "minLength" = 1))]
    pub state_dir: PathBuf,
    /// When to use colours; `auto` means on a terminal, unless `NO_COLOR` is set.
    #[schemars(extend("default" = "auto"))]
    pub color: ColorChoice,
    /// Which folders are roots of their own.
    pub workspace: WorkspaceTable,
    /// When a review passes, and when its loop ends.
    pub review: ReviewTable,
    /// What is remembered of the feedback of earlier rounds.
    pub feedback: FeedbackTable,
    /// How agents are called.
    pub agent: AgentTable,
    /// The models with HTTP APIs, a table `[http.PROFILE]` each: `api` (`messages`,
    /// `chat_completions` or `responses`), `base_url`, `model`, `key_env`, `max_tokens`
    /// and `structured_output`.
    #[schemars(extend("default" = {}))]
    pub http: BTreeMap<ProfileName, HttpProfile>,
    /// The hosts of `--host`, a table `[hosts.NAME]` each: `ssh`, what ssh is given in place
    /// of the name, `root`, the clone there, from the home folder, and `slots`, how many
    /// steps it gets at a time.
    #[schemars(extend("default" = {}))]
    pub hosts: BTreeMap<HostName, HostTable>,
    /// The engine of `--engine`, a Temporal server; this table alone contacts nothing.
    pub engine: EngineTable,
    /// What a run may use up.
    pub run: RunTable,
    /// What is known of models, a table `[models.NAME]` each: `window` in tokens, and the
    /// prices of a million tokens in US dollars: `input`, `output`, `cache_read` and
    /// `cache_write`.
    #[schemars(extend("default" = {}))]
    pub models: Models,
    /// How tasks are run and implemented.
    pub task: TaskTable,
    /// Where agents implement tasks, and what becomes of their work.
    pub lane: LaneTable,
    /// What `gate` lets pass.
    pub gate: GateTable,
    /// Who is notified of the end of a run.
    pub notify: NotifyTable,
    /// What is learned from runs, a table with the keys of `.aiwg/agent-learning.yaml`,
    /// which it replaces; without both nothing is learned.
    #[serde(with = "learning")]
    #[schemars(schema_with = "learning::schema", extend("default" = "none"))]
    pub learning: Option<LearningConfig>,
    /// What the embedded reviewer looks for.
    pub lint: LintTable,
    #[serde(skip)]
    pub(crate) origins: Vec<Origin>,
}

/// A table `[hosts.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostTable {
    /// What ssh is given in place of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssh: Option<HostName>,
    /// The clone there, from the home folder; by default it is where it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<Line>,
    /// How many steps it gets at a time; by default as many as there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<NonZeroU32>,
}

/// The table `[engine]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineTable {
    /// Its address, for an `--engine` that names none.
    #[serde(with = "none")]
    #[schemars(schema_with = "none::schema::<BaseUrl>", extend("default" = "none"))]
    pub url: Option<BaseUrl>,
    /// The namespace that workers and runs share.
    #[schemars(extend("default" = "default"))]
    pub namespace: Line,
    /// The name of the project for its workers; `none` for that of the root's folder.
    #[serde(with = "none")]
    #[schemars(schema_with = "none::schema::<Line>", extend("default" = "none"))]
    pub project: Option<Line>,
    /// How long a step waits for it.
    #[serde(with = "duration")]
    #[schemars(schema_with = "duration::schema", extend("default" = "10m"))]
    pub patience: Duration,
}

/// The table `[workspace]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceTable {
    /// The folders below the root in which no further roots are looked for, such as
    /// `examples` or `services/*-old`; a pattern without `/` is for names of folders.
    #[schemars(extend("default" = []))]
    pub exclude: Folders,
}

/// The table `[review]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewTable {
    /// Rounds of review before the loop ends blocked.
    #[schemars(extend("default" = 10))]
    pub max_iterations: NonZeroU32,
    /// How often a malformed answer is asked for again within a round.
    #[schemars(extend("default" = 1))]
    pub retry_on_malformed: u32,
    /// What a pass with a score below its minimum becomes: the missing points
    /// are feedback, the loop is blocked, or it passes anyway.
    #[schemars(extend("default" = "revise"))]
    pub below_minimum: BelowMinimumPolicy,
    /// The lowest severity of an item that asks for a revision. A pass that holds such
    /// an item does not count.
    #[schemars(extend("default" = "major"))]
    pub fail_level: Severity,
    /// What a reviewer scores, with the lowest score that passes.
    #[schemars(extend("default" = Criteria::default()))]
    pub criteria: Criteria,
    /// The form in which a program given as `cmd:` answers as a reviewer: `verdict`, or
    /// `actionable` for an actionable-feedback document.
    #[schemars(extend("default" = "verdict"))]
    pub dialect: AnswerForm,
    /// A command that is run in the root before each review. While it fails nothing
    /// passes, its failure is feedback, and no such round is better than one in which it
    /// passed.
    #[serde(with = "none")]
    #[schemars(schema_with = "none::schema::<Line>", extend("default" = "none"))]
    pub check: Option<Line>,
    /// Rounds in a row that close no blocking finding of the previous round, after which
    /// a loop is `stagnated`; with 0 it ends by a pass and its limits alone, and findings
    /// are not followed over its rounds.
    #[schemars(extend("default" = 3))]
    pub patience: u32,
    /// What is on disk after a loop that did not pass: the artifact of its `best` round
    /// (of equal ones the later), or what the `last` applier left.
    #[schemars(extend("default" = "best"))]
    pub keep: Keep,
}

/// The table `[feedback]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackTable {
    /// The name of the field with the previous rounds in the request to a reviewer.
    #[schemars(extend("default" = "feedback_history"))]
    pub memory_key: MemoryKey,
    /// How many of the last rounds a reviewer is given, and in how many it
    /// counts whether a finding was raised.
    #[schemars(extend("default" = 5))]
    pub window_size: NonZeroU32,
    /// Whether the document of a round says that its feedback was followed.
    #[schemars(extend("default" = true))]
    pub track_follow_rate: bool,
    /// Whether the document of a round says by how much the scores rose after it.
    #[schemars(extend("default" = true))]
    pub track_improvement_rate: bool,
    /// Whether a finding that is raised again and again is reported, as the event
    /// `feedback.repeated_issue` too; only with `review.patience` above 0.
    #[schemars(extend("default" = true))]
    pub alert_on_repeated_issues: bool,
    /// In how many of the last `window_size` rounds such a finding was raised; one on
    /// which reviewer and applier disagree then ends the loop as `disputed`. With more
    /// than `window_size` none does.
    #[schemars(extend("default" = 3))]
    pub alert_threshold: NonZeroU32,
}

/// The table `[agent]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentTable {
    /// Variables that agents see in addition to the usual ones.
    #[schemars(extend("default" = []))]
    pub pass_env: Vec<VariableName>,
    /// What a client of a language model may change as an applier: the files of the
    /// `artifact`, or every file of the project (`root`). With `artifact` all others are
    /// restored, and the run ends.
    #[schemars(extend("default" = "artifact"))]
    pub apply_scope: ApplyScope,
    /// The time of one call of an agent.
    #[serde(with = "duration")]
    #[schemars(schema_with = "duration::schema", extend("default" = "10m"))]
    pub call_timeout: Duration,
    /// The time of one call without a byte of output.
    #[serde(with = "duration")]
    #[schemars(schema_with = "duration::schema", extend("default" = "5m"))]
    pub idle_timeout: Duration,
}

/// The table `[run]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTable {
    /// The time of a whole run.
    #[serde(with = "duration")]
    #[schemars(schema_with = "duration::schema", extend("default" = "2h"))]
    pub max_time: Duration,
    /// Calls of agents in a run, failed ones included.
    #[serde(with = "unlimited")]
    #[schemars(schema_with = "unlimited::schema::<NonZeroU32>", extend("default" = "unlimited"))]
    pub max_calls: Option<NonZeroU32>,
    /// Tokens that all calls of a run read and write together.
    #[serde(with = "unlimited")]
    #[schemars(schema_with = "unlimited::schema::<NonZeroU32>", extend("default" = "unlimited"))]
    pub max_tokens: Option<NonZeroU32>,
    /// US dollars that all calls of a run cost together.
    #[serde(serialize_with = "unlimited::serialize", deserialize_with = "limit")]
    #[schemars(schema_with = "unlimited::schema::<Usd>", extend("default" = "unlimited"))]
    pub max_cost: Option<Usd>,
}

/// The table `[task]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskTable {
    /// The time of a task's command, unless the task names another.
    #[serde(with = "duration")]
    #[schemars(schema_with = "duration::schema", extend("default" = "10m"))]
    pub timeout: Duration,
    /// Whether the output of a task's command has to name the tests that the task lists;
    /// else the task may pass by its command alone.
    #[schemars(extend("default" = false))]
    pub require_names: bool,
    /// How many tasks agents implement at a time; without an implementer, how many
    /// commands of independent tasks run at a time, in one tree: where one of them
    /// changes a file, none is recorded as passed.
    #[schemars(extend("default" = 1))]
    pub jobs: NonZeroU32,
    /// Who implements the tasks of `run`, and who plans them in `plan`: named as a
    /// reviewer, or as a chain.
    #[serde(with = "none")]
    #[schemars(schema_with = "none::schema::<Chain>", extend("default" = "none"))]
    pub implementer: Option<Chain>,
    /// Who picks the next of several tasks that could start: the lowest number is next
    /// (`ralph`), or the implementer is asked (`agent`), with `jobs` of 1.
    #[schemars(extend("default" = "ralph"))]
    pub pick: Pick,
    /// How often an implementer tries a task.
    #[schemars(extend("default" = 3))]
    pub attempts: NonZeroU32,
    /// Whether the change of a task is reviewed once its command passes: no (`off`), or
    /// by the reviewers of `reviewer` (`ask`), whose feedback goes to the implementer as
    /// its next attempt.
    #[schemars(extend("default" = "off"))]
    pub review: ChangeReview,
}

/// The table `[lane]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaneTable {
    /// What happens to changes that are not committed when tasks are implemented: the run
    /// is refused (`refuse`), or starts from them (`include`) or without them (`ignore`).
    /// Files that git does not track refuse no run.
    #[schemars(extend("default" = "refuse"))]
    pub dirty: Dirty,
    /// Where implemented tasks go: to the target branch (`auto`), to a branch of their
    /// own (`branch`), or nowhere until `ralph land` (`never`).
    #[schemars(extend("default" = "auto"))]
    pub land: LandMode,
    /// The branch that implemented tasks are for; `current` for the one that is checked
    /// out.
    #[serde(with = "current")]
    #[schemars(schema_with = "current::schema::<BranchName>", extend("default" = "current"))]
    pub target: Option<BranchName>,
    /// The commands that prepare a new checkout, such as one that installs packages.
    #[schemars(extend("default" = []))]
    pub setup: Vec<Line>,
    /// A command that has to pass with the work of all tasks, such as one that runs all
    /// tests; `none` for no such command. The task that broke it goes back to its
    /// implementer.
    #[serde(with = "none")]
    #[schemars(schema_with = "none::schema::<Line>", extend("default" = "none"))]
    pub check: Option<Line>,
    /// What follows when an implementer weakens the tests that judge its work: the task
    /// is held until a user approves it (`hold`), or the change is accepted and flagged
    /// (`flag`).
    #[schemars(extend("default" = "hold"))]
    pub tests: TestsPolicy,
    /// Patterns for protected files that implementers may change in every task: tests
    /// that exist, configuration of test runners and CI, scripts that commands run.
    #[schemars(with = "Vec<String>", extend("default" = []))]
    pub may_change: Vec<Glob>,
    /// What keeps agents, and the commands that prepare and judge their work, from files
    /// outside of their checkouts: the `mode`, what they may also `write`, from the root or
    /// with `~/` the home folder, and what to `hide` from them.
    #[schemars(extend("default" = Sandbox::default()))]
    pub sandbox: Sandbox,
}

/// What keeps the programs of a lane from files outside of their checkouts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// The tool.
    pub mode: SandboxMode,
    /// What else the programs may change, from the root.
    pub write: Vec<Line>,
    /// What they cannot read.
    pub hide: Vec<Line>,
}

/// The table `[gate]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateTable {
    /// The differences that `gate --base` lets pass, as CODE:SUBJECT such as
    /// `listed_test_removed:auth/3`; it takes them from the base, never from the change
    /// that it checks.
    #[schemars(extend("default" = []))]
    pub allow: Vec<AllowedChange>,
}

/// The table `[notify]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotifyTable {
    /// The program that is started in the root when a run has passed, was approved or is
    /// blocked; it has 30 s. Runs with `--no-apply` and those of `gate` start no program.
    #[serde(with = "none")]
    #[schemars(schema_with = "none::schema::<CommandLine>", extend("default" = "none"))]
    pub command: Option<CommandLine>,
}

/// The table `[lint]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LintTable {
    /// The rules that are on, by code, name, group of codes such as `B`, or `ALL`;
    /// `["S"]` leaves that group alone on. The option replaces them, or adds to them with
    /// a `+`, such as `+B`.
    #[schemars(with = "Vec<String>", extend("default" = ["ALL"]))]
    pub select: Vec<Selection>,
    /// The rules that are off, unless a selector that names fewer rules switches them on;
    /// the option adds to them.
    #[schemars(with = "Vec<String>", extend("default" = []))]
    pub ignore: Vec<Selector>,
    /// The severities of all findings of some rules, such as `B4 = "error"`; a selector
    /// that names fewer rules has the last word.
    #[schemars(with = "BTreeMap<String, review_lint::Severity>", extend("default" = {}))]
    pub severities: BTreeMap<Selector, review_lint::Severity>,
    /// The rules that are off in some files, such as `"specs/old/**" = ["S"]`; a
    /// pattern without `/` is for names of files.
    #[schemars(with = "BTreeMap<String, Vec<String>>", extend("default" = {}))]
    pub per_file_ignores: BTreeMap<Glob, Vec<Selector>>,
    /// The sections that every spec must have.
    #[schemars(extend("default" = []))]
    pub required_sections: Vec<Line>,
    /// The lowest severity of a finding that makes `lint` fail; a verdict
    /// `needs_revision` by scores alone does not.
    #[schemars(extend("default" = "error"))]
    pub fail_level: FailLevel,
}
