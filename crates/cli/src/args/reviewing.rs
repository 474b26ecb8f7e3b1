//! Options that more than one command takes: who works, and what a run may use up.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;
use review_agents::{Backend, BaseUrl, Chain};
use review_config::{BranchName, HostName, Setting};
use review_lane::{Dirty, LandMode, SandboxMode};
use review_types::{Usd, parse_duration, write_duration};

use super::Format;
use super::values::{Implementer, amount, count, one_of};

/// Who implements the tasks, and what becomes of that.
#[derive(Debug, Args)]
pub(crate) struct ImplementArgs {
    /// Have an agent implement each task in a checkout of its own before its command
    /// is run: cmd:PROGRAM ARGS, a client with or without a model (opencode,
    /// claude, codex, gemini, claude:opus), acp:COMMAND, or http:PROFILE, several with
    /// commas between them as a fallback chain; none to run the commands alone [default: none].
    #[arg(long, value_name = "BACKEND", conflicts_with_all = ["no_tasks", "no_apply"])]
    pub(crate) implementer: Option<Implementer>,
    /// How often an agent tries a task [default: 3].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) attempts: Option<NonZeroU32>,
    /// How to treat uncommitted changes [default: refuse].
    #[arg(long, value_name = "MODE", value_parser = one_of::<Dirty>(Dirty::WORDS))]
    pub(crate) dirty: Option<Dirty>,
    /// Where to put finished work [default: auto].
    #[arg(long, value_name = "MODE", value_parser = one_of::<LandMode>(LandMode::WORDS))]
    pub(crate) land: Option<LandMode>,
    /// The branch that finished work is for [default: the current one].
    #[arg(long, value_name = "BRANCH")]
    pub(crate) target: Option<BranchName>,
    /// What keeps agents from files outside of their checkouts [default: auto].
    #[arg(long, value_name = "MODE", value_parser = one_of::<SandboxMode>(SandboxMode::WORDS))]
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

    /// Whether an option about the work of an agent is given.
    pub(crate) fn says_how(&self) -> bool {
        let modes = self.dirty.is_some() || self.land.is_some() || self.sandbox.is_some();
        modes || self.attempts.is_some() || self.target.is_some()
    }
}

/// Which machines carry out steps.
#[derive(Debug, Args)]
pub(crate) struct HostArgs {
    /// Have these hosts carry out the checkouts, agents and gates of tasks, each the tasks
    /// that are its turn: names of `[hosts]`, or that ssh knows, with a clone at the same
    /// path below the home folder; `local` for none [default: local].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    host: Option<Vec<HostName>>,
    /// Have the workers of this Temporal server do that, or those of them that --host names;
    /// without an address the server of engine.url [default: none].
    #[arg(long, value_name = "URL")]
    pub(crate) engine: Option<Option<BaseUrl>>,
}

impl HostArgs {
    /// The hosts that are named, if any are or `local` is.
    pub(crate) fn named(&self) -> Option<Vec<HostName>> {
        let named = self.host.iter().flatten();
        let named = named.filter(|host| host.as_str() != "local").cloned();
        self.host.as_ref().map(|_| named.collect())
    }

    /// Whether one of them is given.
    pub(crate) fn are_given(&self) -> bool {
        self.host.is_some() || self.engine.is_some()
    }
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
    /// (opencode, claude, codex, gemini, claude:opus), acp:COMMAND for an agent of the
    /// Agent Client Protocol, or http:PROFILE; several with commas between them are
    /// asked in turn, the next when the previous one gives no answer.
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    pub(crate) reviewer: Option<Chain>,
    /// The applier: builtin, cmd:PROGRAM ARGS, a client with or without a model,
    /// acp:COMMAND or http:PROFILE.
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
