//! The keys, and the configuration that they make up.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use review::config::{BelowMinimumPolicy, Convergence, FeedbackMemory, Keep};
use review_agents::{
    AnswerForm, ApplyScope, Backend, Chain, CommandLine, HttpProfile, Models, ProfileName,
};
use review_criteria::Criteria;
use review_lane::{ChangeReview, Dirty, LandMode, Pick, TestsPolicy};
use review_learning::config::LearningConfig;
use review_lint::Selection;
use review_types::{MemoryKey, ReviewConfig, Severity, Usd};
use serde_json::Value as Json;

use crate::branch::BranchName;
use crate::color::ColorChoice;
use crate::fail_level::FailLevel;
use crate::key::{Key, Origin};
use crate::layers::Layers;
use crate::lists::{AllowedChanges, Folders, Headings, Names, Patterns, ShellCommands};
use crate::rules::{PerFileIgnores, Selectors, Severities};
use crate::sandbox::Sandbox;
use crate::shell_command::ShellCommand;
use crate::value::Value;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// One line a key: what it means, its field, type, default, name and option.
macro_rules! keys {
    (@flag) => { None };
    (@flag $flag:literal) => { Some($flag) };
    ($(
        $(#[doc = $doc:literal])+
        $field:ident: $type:ty = $default:expr, $key:literal $(, $flag:literal)?;
    )+) => {
        /// The resolved configuration: the value of each key, and its origin.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $field: $type,)+
            origins: Vec<Origin>,
        }

        /// What the command line says in place of the configuration.
        #[derive(Clone, Debug, Default)]
        pub struct Overrides {
            $($(#[doc = $doc])+ pub $field: Option<$type>,)+
        }

        impl Overrides {
            /// What is set here, and what `other` sets besides.
            #[must_use]
            pub fn or(self, other: Self) -> Self {
                Self { $($field: self.$field.or(other.$field),)+ }
            }
        }

        /// All keys.
        pub const KEYS: &[Key] = &[$(Key {
            name: $key,
            flag: keys!(@flag $($flag)?),
            doc: concat!($($doc,)+),
            expected: <$type as Value>::EXPECTED,
            absent: <$type as Value>::ABSENT,
            default: || { let default: $type = $default; default.to_json() },
            schema: <$type as Value>::schema,
        },)+];

        impl Config {
            /// Looks up every key in its layers.
            pub(crate) fn look_up(overrides: Overrides, layers: &mut Layers<'_>) -> Self {
                let mut origins = Vec::with_capacity(KEYS.len());
                $(
                    let ($field, origin) =
                        layers.value(&KEYS[origins.len()], overrides.$field, || $default);
                    origins.push(origin);
                )+
                Self { $($field,)+ origins }
            }

            /// Each key with its value, as a file may hold it, and where that
            /// comes from.
            pub fn entries(&self) -> impl Iterator<Item = (&'static Key, Json, &Origin)> {
                let values = vec![$(self.$field.to_json(),)+];
                let keys = KEYS.iter().zip(values).zip(&self.origins);
                keys.map(|((key, value), origin)| (key, value, origin))
            }
        }
    };
}

keys! {
    /// Who reviews: `builtin`, `cmd:PROGRAM ARGS`, a client of a language model
    /// with or without a model (`opencode`, `claude`, `codex`, `gemini`,
    /// `claude:opus`), or `http:PROFILE` for a model with an HTTP API, several with commas between them: the next one is asked
    /// when the previous one gives no answer.
    reviewer: Chain = Backend::Builtin.into(), "reviewer", "--reviewer";
    /// Who applies the feedback: `builtin`, `cmd:PROGRAM ARGS`, a client of a
    /// language model or `http:PROFILE`, as for `reviewer`.
    applier: Backend = Backend::Builtin, "applier", "--applier";
    /// The folder for journals, logs and records, seen from the root; a flag or
    /// variable is seen from the current folder, and has a folder `roots/PATH` for
    /// each root below the top of the repository.
    state_dir: PathBuf = PathBuf::from(".ralph-review"), "state_dir", "--state-dir";
    /// The folders below the root in which no further roots are looked for, such as
    /// `examples` or `services/*-old`; a pattern without `/` is for names of folders.
    workspace_exclude: Folders = Folders::default(), "workspace.exclude";
    /// When to use colours; `auto` means on a terminal, unless `NO_COLOR` is set.
    color: ColorChoice = ColorChoice::Auto, "color", "--color";
    /// Rounds of review before the loop ends blocked.
    max_iterations: NonZeroU32 = defaults::max_iterations(), "review.max_iterations", "--max-iterations";
    /// How often a malformed answer is asked for again within a round.
    retry_on_malformed: u32 = ReviewConfig::default().retry_on_malformed, "review.retry_on_malformed";
    /// What a pass with a score below its minimum becomes: the missing points
    /// are feedback, the loop is blocked, or it passes anyway.
    below_minimum: BelowMinimumPolicy = BelowMinimumPolicy::Revise, "review.below_minimum";
    /// The lowest severity of an item that asks for a revision: `critical`, `major`,
    /// `minor` or `suggestion`. A pass that holds such an item does not count.
    review_fail_level: Severity = Severity::Major, "review.fail_level";
    /// What a reviewer scores, with the lowest score that passes.
    criteria: Criteria = Criteria::default(), "review.criteria";
    /// The form in which a program given as `cmd:` answers as a reviewer:
    /// `verdict` for verdict, score and feedback, `actionable` for an
    /// actionable-feedback document.
    dialect: AnswerForm = AnswerForm::Verdict, "review.dialect";
    /// A command that is run in the root before each review, as the command of a
    /// task is. While it fails nothing passes, its failure is feedback, and no
    /// such round is better than one in which it passed.
    check: Option<ShellCommand> = None, "review.check";
    /// Rounds in a row that close no blocking finding of the previous round, after
    /// which a loop counts as stagnated; with 0 it ends by a pass and its limits alone,
    /// and findings are not followed over its rounds.
    patience: u32 = Convergence::default().patience.get(), "review.patience";
    /// What is on disk after a loop that did not pass: the artifact of its `best` round,
    /// or what the `last` applier left.
    keep: Keep = Keep::Best, "review.keep";
    /// The name of the field with the previous rounds in the request to a reviewer.
    memory_key: MemoryKey = MemoryKey::default(), "feedback.memory_key";
    /// How many of the last rounds a reviewer is given, and in how many it
    /// counts whether a finding was raised.
    window_size: NonZeroU32 = FeedbackMemory::default().window, "feedback.window_size";
    /// Whether the feedback document of a round says that its feedback was
    /// followed.
    track_follow_rate: bool = true, "feedback.track_follow_rate";
    /// Whether the feedback document of a round says by how much the scores rose
    /// after it.
    track_improvement_rate: bool = true, "feedback.track_improvement_rate";
    /// Whether a finding that comes back again and again is reported, also as the event
    /// `feedback.repeated_issue`.
    alert_on_repeated_issues: bool = FeedbackMemory::default().alerts, "feedback.alert_on_repeated_issues";
    /// A finding that was raised in this many of the last `window_size` rounds comes back
    /// again and again; one on which reviewer and applier disagree then ends the
    /// loop as `disputed`. With more than `window_size` none does.
    alert_threshold: NonZeroU32 = FeedbackMemory::default().threshold, "feedback.alert_threshold";
    /// Variables that reviewers and appliers see in addition to the usual ones.
    pass_env: Names = Names::default(), "agent.pass_env";
    /// What a client of a language model may change as an applier: the files of the `artifact`,
    /// or every file of the project (`root`). With `artifact` all others are restored
    /// where they are still as the call left them, and the run ends.
    apply_scope: ApplyScope = ApplyScope::Artifact, "agent.apply_scope";
    /// The time of one call of a reviewer or applier.
    call_timeout: Duration = Duration::from_secs(10 * MINUTE), "agent.call_timeout", "--call-timeout";
    /// The time of one call without a byte of output.
    idle_timeout: Duration = Duration::from_secs(5 * MINUTE), "agent.idle_timeout", "--idle-timeout";
    /// The models with HTTP APIs, a table `[http.PROFILE]` each: `api`
    /// (`messages`, `chat_completions` or `responses`), `base_url`
    /// unless it is the vendor's, `model`, `key_env` (the name of the variable
    /// that holds the key, if one is needed), `max_tokens` of an answer, and
    /// `structured_output = false` for a server that cannot hold its model to a
    /// JSON schema.
    http: BTreeMap<ProfileName, HttpProfile> = BTreeMap::new(), "http";
    /// The time of a whole run.
    max_time: Duration = Duration::from_secs(2 * HOUR), "run.max_time", "--max-time";
    /// Calls of agents in a run, failed ones included.
    max_calls: Option<NonZeroU32> = None, "run.max_calls", "--max-calls";
    /// Tokens that all calls of a run read and write together.
    max_tokens: Option<NonZeroU32> = None, "run.max_tokens", "--max-tokens";
    /// US dollars that all calls of a run cost together.
    max_cost: Option<Usd> = None, "run.max_cost", "--max-cost";
    /// What is known of models, a table `[models.NAME]` each: `window` in tokens,
    /// the prices of a million tokens in US dollars: `input`, `output`, `cache_read` and
    /// `cache_write`.
    models: Models = Models::default(), "models";
    /// The time of a task's command, unless the task names another.
    task_timeout: Duration = Duration::from_secs(10 * MINUTE), "task.timeout";
    /// How many tasks agents implement at a time, each in a checkout of its own; without
    /// an implementer, how many commands of independent tasks run at a time, in one tree.
    /// What one of them changes counts against all that ran beside it: none of them is
    /// recorded as passed for a later run.
    task_jobs: NonZeroU32 = NonZeroU32::MIN, "task.jobs", "--jobs";
    /// Who implements the tasks of `run` before their commands are run, each in a
    /// private checkout, and who plans them in `plan`: as for `reviewer`.
    implementer: Option<Backend> = None, "task.implementer", "--implementer";
    /// Who picks the next of several tasks that could start: the lowest number is next
    /// (`ralph`), or the implementer is asked (`agent`), a call each time, with `jobs` of 1.
    task_pick: Pick = Pick::Ralph, "task.pick";
    /// How often an implementer tries a task.
    task_attempts: NonZeroU32 = defaults::task_attempts(), "task.attempts", "--attempts";
    /// Whether the change of a task is reviewed once its command passes and before other
    /// tasks build on it: no (`off`), or by the reviewers of `reviewer` (`ask`), whose
    /// feedback goes to the implementer as its next attempt. The embedded reviewer judges
    /// specs alone.
    task_review: ChangeReview = ChangeReview::Off, "task.review";
    /// What becomes of changes that are not committed when tasks are implemented: the
    /// run is refused (`refuse`), or starts from them (`include`) or without them
    /// (`ignore`). Files that git does not track refuse no run: agents do not see them,
    /// unless they are included.
    lane_dirty: Dirty = Dirty::Refuse, "lane.dirty", "--dirty";
    /// Where implemented tasks go: to the target branch (`auto`), to a branch of their
    /// own (`branch`), or nowhere until `ralph land` (`never`).
    lane_land: LandMode = LandMode::Auto, "lane.land", "--land";
    /// The branch that implemented tasks are for; `current` for the one that is checked
    /// out.
    lane_target: Option<BranchName> = None, "lane.target", "--target";
    /// The commands that prepare a new checkout, such as one that installs packages.
    lane_setup: ShellCommands = ShellCommands::default(), "lane.setup";
    /// A command that has to pass with the work of all tasks, beside the commands of the
    /// tasks, such as one that runs all tests; `none` for no such command. The task that
    /// broke it goes back to its implementer.
    lane_check: Option<ShellCommand> = None, "lane.check";
    /// What follows when an implementer weakens the tests that judge its work: it removes,
    /// skips or changes tests that exist, its command passes only with another
    /// configuration of the test runner, or its own tests pass without its change. The task
    /// is held until a user approves it (`hold`), or the change is accepted and flagged
    /// (`flag`).
    lane_tests: TestsPolicy = TestsPolicy::Hold, "lane.tests";
    /// Patterns for protected files that implementers may change in every task: tests that
    /// exist, configuration of test runners and CI, scripts that commands run. A task adds
    /// its own with `may_change` in its file.
    lane_may_change: Patterns = Patterns::default(), "lane.may_change";
    /// What keeps agents, and the commands that prepare and judge their work, from
    /// files outside of their checkouts: `mode` is the first of bubblewrap (`bwrap`) and
    /// `landlock` that works, else nothing (`auto`), one of them, nothing (`off`), or
    /// `required`, which is `auto` that refuses a run without any; they may also change
    /// what `write` names, from the root or with `~/` the home folder, and cannot read
    /// what `hide` names. The option is the mode alone.
    lane_sandbox: Sandbox = Sandbox::default(), "lane.sandbox", "--sandbox";
    /// The differences from its base that `gate --base` lets pass, as CODE:SUBJECT such
    /// as `listed_test_removed:auth/3`; it takes them from the base, never from the
    /// change that it checks.
    gate_allow: AllowedChanges = AllowedChanges::default(), "gate.allow";
    /// The program that is started when a run has ended: when it passed, was approved or
    /// is blocked, also by a limit: it runs in the root, where a path starts too,
    /// has 30 s, and gets the event `run.finished` as one line of JSON on standard input.
    /// Runs with `--no-apply` and those of `gate` start no program.
    notify_command: Option<CommandLine> = None, "notify.command";
    /// What is learned from runs, a table with the keys of
    /// `.aiwg/agent-learning.yaml`, which is not read where the table is there;
    /// without both nothing is learned.
    learning: Option<LearningConfig> = None, "learning";
    /// The rules of the embedded reviewer that are on, by code, name, group of
    /// codes such as `B`, or `ALL`. The option replaces them, or adds to them with a
    /// `+`, such as `+B`.
    lint_select: Selectors<Selection> = Selectors::all(), "lint.select", "--select";
    /// The rules that are off, unless a selector that names fewer rules switches
    /// them on; the option adds to them.
    lint_ignore: Selectors = Selectors::default(), "lint.ignore", "--ignore";
    /// The severities of all findings of some rules, such as `B4 = "error"`; a
    /// selector that names fewer rules has the last word.
    lint_severities: Severities = Severities::default(), "lint.severities";
    /// The rules that are off in some files, such as `"specs/old/**" = ["S"]`; a
    /// pattern without `/` is for names of files.
    lint_per_file_ignores: PerFileIgnores = PerFileIgnores::default(), "lint.per_file_ignores";
    /// The sections that every spec must have.
    required_sections: Headings = Headings::default(), "lint.required_sections";
    /// The lowest severity of a finding that makes `lint` fail; a verdict
    /// `needs_revision` by scores alone does not.
    fail_level: FailLevel = FailLevel::Error, "lint.fail_level", "--fail-level";
}

mod defaults {
    use super::NonZeroU32;

    pub(super) fn max_iterations() -> NonZeroU32 {
        NonZeroU32::new(10).unwrap_or(NonZeroU32::MIN)
    }

    pub(super) fn task_attempts() -> NonZeroU32 {
        NonZeroU32::new(3).unwrap_or(NonZeroU32::MIN)
    }
}

impl Config {
    /// Where the value of the key `name` comes from.
    #[must_use]
    pub fn origin(&self, name: &str) -> &Origin {
        let index = KEYS.iter().position(|key| key.name == name);
        index.map_or(&Origin::Default, |index| &self.origins[index])
    }
}
