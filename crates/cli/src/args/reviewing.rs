//! `run`, `review` and `resume`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args};
use review_agents::{Backend, Chain};
use review_config::{BranchName, Setting};
use review_document::{parse_duration, write_duration};
use review_engine::{TaskName, TaskSelection};
use review_lane::{Dirty, LandMode, SandboxMode};
use review_types::{UnitId, Usd};

use super::Format;
use super::values::{DIRTY, Implementer, LAND, SANDBOX, amount, count, one_of};

/// Review a spec with its plan and tasks, then run the tasks.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The spec: a path, or a name in specs/ or specs/completed/ [default: the
    /// only spec].
    #[arg(value_name = "SPEC", conflicts_with = "named")]
    spec: Option<String>,
    /// Same as SPEC.
    #[arg(long = "spec", value_name = "SPEC")]
    named: Option<String>,
    /// Review only; run no task.
    #[arg(long, conflicts_with = "tasks_only")]
    pub(crate) no_tasks: bool,
    /// Run the tasks without a review.
    #[arg(long)]
    pub(crate) tasks_only: bool,
    /// Run this task only: its number, or UNIT/NUMBER; may be repeated. What it
    /// depends on must be complete or selected, too. Implies --tasks-only.
    #[arg(long = "task", value_name = "N", conflicts_with_all = ["no_tasks", "keep_going"])]
    pub(crate) task: Vec<TaskName>,
    /// Run this task and all after it in the order in which tasks run. Implies
    /// --tasks-only.
    #[arg(long, value_name = "N", conflicts_with_all = ["no_tasks", "keep_going"])]
    pub(crate) from: Option<TaskName>,
    /// Run the tasks even if the review does not pass.
    #[arg(long, conflicts_with = "no_tasks")]
    pub(crate) keep_going: bool,
    /// How many independent tasks agents implement at a time, or without agents how many
    /// of their commands run at a time [default: 1].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) jobs: Option<NonZeroU32>,
    /// Who implements the tasks, and what becomes of that.
    #[command(flatten)]
    pub(crate) implement: ImplementArgs,
    /// Say what would be done and do nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How the loop runs.
    #[command(flatten)]
    pub(crate) review: LoopArgs,
}

/// Who implements the tasks, and what becomes of that.
#[derive(Debug, Args)]
pub(crate) struct ImplementArgs {
    /// Have an agent implement each task in a checkout of its own before its command
    /// is run: cmd:PROGRAM ARGS, a client with or without a model (opencode,
    /// claude, codex, gemini, claude:opus), or http:PROFILE, several with commas between
    /// them as a fallback chain; none to run the commands alone [default: none].
    #[arg(long, value_name = "BACKEND", conflicts_with_all = ["no_tasks", "no_apply"])]
    pub(crate) implementer: Option<Implementer>,
    /// How often an agent tries a task [default: 3].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) attempts: Option<NonZeroU32>,
    /// How to treat uncommitted changes [default: refuse].
    #[arg(long, value_name = "MODE", value_parser = one_of(DIRTY))]
    pub(crate) dirty: Option<Dirty>,
    /// Where to put finished work [default: auto].
    #[arg(long, value_name = "MODE", value_parser = one_of(LAND))]
    pub(crate) land: Option<LandMode>,
    /// The branch that finished work is for [default: the current one].
    #[arg(long, value_name = "BRANCH")]
    pub(crate) target: Option<BranchName>,
    /// What keeps agents from files outside of their checkouts [default: auto].
    #[arg(long, value_name = "MODE", value_parser = one_of(SANDBOX))]
    pub(crate) sandbox: Option<SandboxMode>,
}

impl ImplementArgs {
    /// The keys that the options set.
    pub(crate) fn overrides(&self) -> impl Iterator<Item = Setting> {
        [
            Setting::of_option(
                "--implementer",
                "task.implementer",
                self.implementer.as_ref(),
            ),
            Setting::of_option("--attempts", "task.attempts", self.attempts),
            Setting::of_option("--dirty", "lane.dirty", self.dirty),
            Setting::of_option("--land", "lane.land", self.land),
            Setting::of_option("--target", "lane.target", self.target.as_ref()),
            Setting::of_option("--sandbox", "lane.sandbox.mode", self.sandbox),
        ]
        .into_iter()
        .flatten()
    }

    /// Whether an agent is named.
    pub(crate) fn names_one(&self) -> bool {
        matches!(self.implementer, Some(Implementer(Some(_))))
    }

    /// Whether anything is said about the work of an agent.
    pub(crate) fn says_how(&self) -> bool {
        let modes = self.dirty.is_some() || self.land.is_some() || self.sandbox.is_some();
        modes || self.attempts.is_some() || self.target.is_some()
    }
}

impl RunArgs {
    /// The spec, where one is given; else the unit of a selected task, which has the
    /// name of its spec.
    pub(crate) fn spec(&self) -> Option<&str> {
        let given = self.spec.as_deref().or(self.named.as_deref());
        let mut selected = self.task.iter().chain(&self.from);
        given.or_else(|| selected.find_map(|task| task.unit.as_ref().map(UnitId::as_str)))
    }

    /// The tasks that are selected; `None` for all.
    pub(crate) fn selection(&self) -> Option<TaskSelection> {
        let selection = TaskSelection {
            tasks: self.task.clone(),
            from: self.from.clone(),
        };
        (selection != TaskSelection::default()).then_some(selection)
    }
}

/// Review documents that have no tasks.
#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Files, or folders whose *.md files are one artifact.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Say what would be done and do nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How the loop runs.
    #[command(flatten)]
    pub(crate) review: LoopArgs,
}

/// How a loop runs.
#[derive(Debug, Args)]
pub(crate) struct LoopArgs {
    /// Who reviews and who applies.
    #[command(flatten)]
    pub(crate) backends: BackendArgs,
    /// What the run may use up.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One review round; no file is touched.
    #[arg(long)]
    pub(crate) no_apply: bool,
    /// Let findings count only where lines changed since this commit, or since
    /// it and the present one parted; others are shown.
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// Who reviews and who applies.
#[derive(Debug, Args)]
pub(crate) struct BackendArgs {
    /// The reviewer: builtin, cmd:PROGRAM ARGS, a client with or without a model
    /// (opencode, claude, codex, gemini, claude:opus), or http:PROFILE; several
    /// with commas between them are asked in turn, the next when the previous one
    /// gives no answer.
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    pub(crate) reviewer: Option<Chain>,
    /// The applier: builtin, cmd:PROGRAM ARGS, a client with or without a model,
    /// or http:PROFILE.
    #[arg(long, value_name = "BACKEND", value_parser = Backend::single)]
    pub(crate) applier: Option<Backend>,
}

/// What a run may use up.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// Rounds of review [default: 10].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_iterations: Option<NonZeroU32>,
    /// Time of the whole run [default: 2h].
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub(crate) max_time: Option<Duration>,
    /// Calls of reviewer, applier and implementer together [default: unlimited].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_calls: Option<NonZeroU32>,
    /// Tokens that all calls read and write together [default: unlimited].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_tokens: Option<NonZeroU32>,
    /// US dollars that all calls cost together, by the prices in [models.NAME] of
    /// ralph.toml [default: unlimited].
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub(crate) max_cost: Option<Usd>,
    /// Time of one call [default: 10m].
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub(crate) call_timeout: Option<Duration>,
    /// Time of one call without a byte of output [default: 5m].
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub(crate) idle_timeout: Option<Duration>,
}

/// Resume a run that did not pass.
#[derive(Debug, Args)]
#[command(mut_args = without_default)]
pub(crate) struct ResumeArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder
    /// [default: the only one that can go on].
    pub(crate) run: Option<String>,
    /// Limits to raise; without them those of the run hold.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// An option of a run, as `resume` has it: what it falls back to is what the run
/// was given.
fn without_default(argument: Arg) -> Arg {
    let Some(help) = argument.get_help().map(ToString::to_string) else {
        return argument;
    };
    match help.split_once(" [default: ") {
        Some((meaning, _)) => argument.help(format!("{meaning} [default: as before]")),
        None => argument,
    }
}

impl LoopArgs {
    /// The keys that the options set.
    pub(crate) fn overrides(&self) -> impl Iterator<Item = Setting> {
        self.backends.overrides().chain(self.limits.overrides())
    }
}

impl BackendArgs {
    fn overrides(&self) -> impl Iterator<Item = Setting> {
        let reviewer = Setting::of_option("--reviewer", "reviewer", self.reviewer.as_ref());
        let applier = Setting::of_option("--applier", "applier", self.applier.as_ref());
        reviewer.into_iter().chain(applier)
    }
}

impl LimitArgs {
    /// The keys that the options set.
    pub(crate) fn overrides(&self) -> impl Iterator<Item = Setting> {
        let duration = |option, key, value: Option<Duration>| {
            Setting::of_option(option, key, value.map(write_duration))
        };
        [
            Setting::of_option(
                "--max-iterations",
                "review.max_iterations",
                self.max_iterations,
            ),
            Setting::of_option("--max-calls", "run.max_calls", self.max_calls),
            Setting::of_option("--max-tokens", "run.max_tokens", self.max_tokens),
            Setting::of_option("--max-cost", "run.max_cost", self.max_cost),
            duration("--max-time", "run.max_time", self.max_time),
            duration("--call-timeout", "agent.call_timeout", self.call_timeout),
            duration("--idle-timeout", "agent.idle_timeout", self.idle_timeout),
        ]
        .into_iter()
        .flatten()
    }
}
