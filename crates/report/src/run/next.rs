//! What a user can do after a run.
//!
//! A report that says only what is wrong leaves its reader with the manual. Each end of a run
//! has a way on, and it is shown as a command that can be copied wherever one command is the
//! whole way: it names the run and the state folder as they are seen from where the user is,
//! and running it changes something. What needs a decision or an edit first is a sentence
//! with the commands in it. `tests/cli/next_steps.rs` brings about each end and takes the
//! steps.

use std::num::NonZeroU64;
use std::time::Duration;

use review_events::{AgentRole, TaskState};
use review_lint::Rule;
use review_types::{
    BlockCode, Failure, FeedbackItem, Finding, FindingStatus, LimitKind, Outcome, RunId, Usd,
    excerpt, listed, write_duration,
};

use super::item::parts;
use super::lane;
use super::report::{FailedCall, RunReport};
use crate::next::NextStep;
use crate::path::{below, in_root};
use crate::status::GIVE_COMMAND;
use crate::text::{named_command, one_line, printable};

/// The number of rounds that are added to those that were not enough.
const MORE_ROUNDS: usize = 3;
/// The least number of calls that are added to those that were not enough.
const MORE_CALLS: u64 = 10;

/// The limits of a run that decide what to run next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunLimits {
    /// Whether feedback may be applied.
    pub applies: bool,
    /// The most calls of agents.
    pub max_calls: Option<u32>,
    /// The most tokens, read and written.
    pub max_tokens: Option<NonZeroU64>,
    /// The most money.
    pub max_cost: Option<Usd>,
    /// The longest time.
    pub max_time: Option<Duration>,
}

/// The most places that a step lists.
const MAX_PLACES: usize = 20;

/// The most characters that a step repeats of a section or an issue.
const MAX_QUOTED: usize = 100;

/// What of the start of a run decides what to do next.
#[derive(Clone, Copy, Debug)]
pub struct Started<'a> {
    /// Its command line.
    pub command: &'a [String],
    /// The folder that it was started in, where the user is in another one now.
    pub folder: Option<&'a str>,
    /// How commands name the run, where its id is not enough.
    pub run: Option<&'a str>,
    /// The root that its paths are relative to, seen from the root that the user is in,
    /// which is `.` itself.
    pub root: &'a str,
    /// The options with which commands find the run from where the user is.
    pub options: &'a [String],
    /// Whether its folder is kept, so that it can be resumed.
    pub is_kept: bool,
}

/// The steps that lead on from a run, the best one first; none after a pass that left
/// nothing to land.
pub(super) fn steps(report: &RunReport, started: Started<'_>) -> Vec<NextStep> {
    if report.passed() && report.not_landed.is_none() {
        return Vec::new();
    }
    if report.outcome == Some(Outcome::Nothing) {
        return vec![NextStep::by_hand(
            "choose other tasks, or add a task file; `ralph status` lists those that there are",
        )];
    }
    let state = match started.options {
        [] => String::new(),
        options => format!(" {}", shell_words::join(options)),
    };
    let id = report.run.as_ref().map(RunId::short);
    let run = started.run.or(id);
    let run = run.map(|run| shell_words::quote(run).into_owned());
    let Some(run) = run.filter(|_| started.is_kept) else {
        return vec![again(&started, "run it again", |_| true)];
    };
    if report.outcome.is_none() {
        return vec![NextStep::by_hand(format!(
            "wait until it ends; `ralph watch {run}{state}` shows what it does"
        ))];
    }
    if report.passed() {
        return lane::steps(report, &format!("{run}{state}"));
    }
    if !report.limits.applies && asks_for_changes(report) {
        let text = "review it again, and let the applier work the feedback in";
        return vec![again(&started, text, |word| word != "--no-apply")];
    }
    let of_run = OfRun {
        report,
        root: started.root,
        run: format!("{run}{state}"),
        option: state,
    };
    of_run.steps()
}

/// Whether the review ended without a pass, so that an applier has something to do; what
/// is left to a user is not.
fn asks_for_changes(report: &RunReport) -> bool {
    let code = report.block_code;
    let is_by_review = code.is_some_and(|code| code.outcome() == Outcome::NotPassed);
    let is_other = matches!(code, Some(BlockCode::TaskFailed | BlockCode::Escalated));
    is_by_review && !is_other
}

/// The command line of the run itself, with the words that are kept.
fn again(started: &Started<'_>, text: &str, keeps: impl Fn(&str) -> bool) -> NextStep {
    let arguments = started.command.iter().skip(1).map(String::as_str);
    let words = std::iter::once("ralph").chain(arguments.filter(|word| keeps(word)));
    let command = shell_words::join(words);
    NextStep::by_command(
        text,
        match started.folder {
            Some(folder) => format!("cd {} && {command}", shell_words::quote(folder)),
            None => command,
        },
    )
}

/// A run that can be resumed.
struct OfRun<'a> {
    report: &'a RunReport,
    /// The root as the user names it.
    root: &'a str,
    /// The run as commands name it, with its state folder.
    run: String,
    /// The option for the state folder, where one is named.
    option: String,
}

impl OfRun<'_> {
    fn steps(&self) -> Vec<NextStep> {
        let run = &self.run;
        let Some(code) = self.report.block_code else {
            return vec![self.resume("go on where it stopped", "")];
        };
        match code {
            BlockCode::MaxIterations
            | BlockCode::BelowMinimum
            | BlockCode::Stagnated
            | BlockCode::UnprovedFindings => {
                let rounds = self.report.iterations.len() + MORE_ROUNDS;
                let option = format!(" --max-iterations {rounds}");
                let text = format!("{MORE_ROUNDS} more rounds");
                let mut steps = self.edits(self.resume(&text, &option));
                if code == BlockCode::UnprovedFindings {
                    steps.push(self.decide("ID"));
                }
                steps
            }
            BlockCode::Budget | BlockCode::RunTime => {
                vec![self.resume("go on with a higher limit", &self.raised(code))]
            }
            BlockCode::NoChange if self.report.applier == "builtin" => vec![self.edit()],
            BlockCode::NoChange | BlockCode::Oscillation => {
                let guide = format!("or tell the applier how to do it: `ralph guide {run} TEXT`");
                vec![self.edit(), self.by_hand(&guide)]
            }
            BlockCode::Disputed => {
                let mut findings = self.report.ledger.iter();
                let disputed = findings.find(|one| one.status == FindingStatus::Disputed);
                let id = disputed.map_or("ID", |finding| finding.id.as_str());
                vec![self.decide(id), self.edit()]
            }
            BlockCode::NoBlockingFinding | BlockCode::Escalated => vec![
                NextStep::by_hand(format!("accept it: `ralph approve {run} --by NAME`")),
                self.edit(),
            ],
            BlockCode::Tampered if lane::is_held(self.report) => lane::steps(self.report, run),
            BlockCode::TaskFailed => match lane::steps(self.report, run) {
                steps if steps.is_empty() => vec![self.task()],
                steps => steps,
            },
            BlockCode::Tampered => vec![NextStep::by_hand(format!(
                "look at these files with `git status` and undo what is not wanted, then `ralph \
                 resume {run}`; a sandbox keeps agents from them, see `ralph doctor`"
            ))],
            BlockCode::DiskFloor => {
                vec![self.by_hand("free some space, such as with `ralph clean`")]
            }
            BlockCode::Malformed
            | BlockCode::Unread
            | BlockCode::ReviewerFailed
            | BlockCode::ApplierFailed
            | BlockCode::RateLimited => self.after_failed_call(),
            BlockCode::ArtifactChanged => {
                vec![self.resume("review the artifact as it is now", "")]
            }
        }
    }

    /// What lets the call succeed that failed, or the call again where that may help.
    fn after_failed_call(&self) -> Vec<NextStep> {
        let again = || vec![self.resume("make the call again", ""), self.check_agents()];
        let Some(FailedCall { role: of, failure }) = &self.report.failed else {
            return match self.report.block_code {
                Some(BlockCode::ReviewerFailed) => vec![NextStep::by_hand(
                    "choose a reviewer that reads the artifact, such as `--reviewer claude`; \
                     `ralph explain reviewer_failed` says what the embedded one needs",
                )],
                _ => again(),
            };
        };
        match failure {
            // A run keeps its reviewer, so that a resume would ask the same model.
            Failure::ModelError {
                status: Some(404 | 413),
            } => vec![NextStep::by_hand(
                "name another model or review fewer files at once, as the reason says, then run \
                 again",
            )],
            Failure::SetupFailed { .. }
            | Failure::AuthFailed
            | Failure::PermissionDenied
            | Failure::ModelError {
                status: Some(400..=407 | 409..=499),
            } => vec![self.by_hand("correct what the reason names")],
            Failure::Unread => vec![
                self.resume("ask again", ""),
                NextStep::by_hand(
                    "or give the model a context that holds its whole prompt, or review fewer files \
                     at once",
                ),
                self.check_agents(),
            ],
            Failure::WroteFiles { .. } if *of != AgentRole::Reviewer => {
                let run = &self.run;
                vec![NextStep::by_hand(format!(
                    "tell the applier to leave those files alone: `ralph guide {run} TEXT`, then \
                     `ralph resume {run}`; or allow the change with `agent.apply_scope` and run \
                     again"
                ))]
            }
            Failure::WroteFiles { .. } => {
                vec![self.by_hand("undo what the reviewer changed, and keep it from editing files")]
            }
            Failure::Hung { limit, after_ms } => {
                let (option, what) = match limit {
                    LimitKind::Wall => ("--call-timeout", "twice the time"),
                    LimitKind::Idle => ("--idle-timeout", "twice the time without output"),
                };
                let limit = Duration::from_millis(after_ms.saturating_mul(2));
                let option = format!(" {option} {}", write_duration(limit));
                vec![self.resume(&format!("give the call {what}"), &option)]
            }
            Failure::RateLimited {
                retry_at: Some(at), ..
            } => {
                vec![self.resume(&format!("make the call again after {at}"), "")]
            }
            Failure::RateLimited { retry_at: None, .. } => {
                vec![self.resume("make the call again later", "")]
            }
            Failure::ModelError { .. }
            | Failure::Offline { .. }
            | Failure::Refused
            | Failure::Truncated { .. }
            | Failure::Failed { .. } => again(),
        }
    }

    /// A check of the agents of the run, which need not be the configured ones.
    fn check_agents(&self) -> NextStep {
        let reviewer = shell_words::quote(&self.report.reviewer);
        let applier = shell_words::quote(&self.report.applier);
        NextStep::by_hand(printable(&format!(
            "or check the agents first: `ralph doctor --reviewer {reviewer} --applier {applier}{}`",
            self.option
        )))
    }

    /// What a user does before the run can go on.
    fn by_hand(&self, text: &str) -> NextStep {
        let run = &self.run;
        NextStep::by_hand(printable(&format!("{text}, then `ralph resume {run}`")))
    }

    fn resume(&self, text: &str, option: &str) -> NextStep {
        NextStep::by_command(text, format!("ralph resume {}{option}", self.run))
    }

    /// `step`, and an edit by hand where there is something to edit.
    fn edits(&self, step: NextStep) -> Vec<NextStep> {
        match (self.blocking(), self.unfollowed()) {
            (None, None) => vec![step],
            _ => vec![step, self.edit()],
        }
    }

    /// A decision on a finding.
    fn decide(&self, id: &str) -> NextStep {
        let (run, state) = (&self.run, &self.option);
        self.by_hand(&format!(
            "decide on what `ralph findings list {run}` lists: `ralph findings uphold {id} --by NAME \
             --why TEXT{state}` or `ralph findings waive {id} --by NAME --why TEXT{state}`"
        ))
    }

    /// The finding that keeps the artifact from passing most.
    fn blocking(&self) -> Option<&Finding> {
        let findings = self.report.ledger.iter();
        let blocking = findings.filter(|finding| finding.counts() && !finding.below_fail_level);
        blocking.min_by_key(|finding| (!finding.blocks(), finding.severity))
    }

    /// The first item of the last answer, where findings are not followed.
    fn unfollowed(&self) -> Option<&FeedbackItem> {
        let items = self.report.findings.first();
        items.filter(|_| self.report.ledger.is_empty())
    }

    /// An edit by hand of what blocks most.
    fn edit(&self) -> NextStep {
        let by_rule = self.blocking().and_then(|finding| parts(&finding.issue));
        if let Some((_, _, rule)) = by_rule
            && matches!(rule.parse(), Ok(Rule::NoBackpressure))
        {
            let places = listed(self.places_of(rule), MAX_PLACES);
            return self.by_hand(&format!("give {places} a command: {GIVE_COMMAND}"));
        }
        let what = match (self.blocking(), self.unfollowed()) {
            (Some(finding), _) => self.named(finding),
            (None, Some(item)) => format!(
                "{} ({})",
                in_file(&self.spec(), item.section()),
                shortened(item.issue())
            ),
            (None, None) => self.spec(),
        };
        self.by_hand(&format!("edit {what}"))
    }

    fn spec(&self) -> String {
        below(self.root, &self.report.spec)
    }

    /// The place and the issue of a finding.
    fn named(&self, finding: &Finding) -> String {
        let place = &finding.place;
        let path = place.path.as_ref().unwrap_or(&self.report.spec);
        let path = below(self.root, path);
        let issue = shortened(&finding.issue);
        match place.lines {
            Some(lines) => format!("{path}:{} ({issue})", lines.first),
            None => format!("{} ({issue})", in_file(&path, &finding.section)),
        }
    }

    /// The places of the findings of a rule.
    fn places_of(&self, rule: &str) -> impl Iterator<Item = String> {
        let findings = self.report.ledger.iter().filter(|finding| finding.counts());
        let places = findings.filter_map(|finding| parts(&finding.issue));
        let places = places.filter(move |(_, _, of_rule)| *of_rule == rule);
        places.map(|(_, place, _)| below(self.root, place))
    }

    /// What the first task needs that did not pass.
    fn task(&self) -> NextStep {
        let resume = format!("then `ralph resume {}`", self.run);
        let mut tasks = self.report.tasks.iter();
        let failed =
            tasks.find(|task| !task.status.meets_dependency() && task.status != TaskState::Skipped);
        let place = in_root(self.root);
        NextStep::by_hand(match failed {
            Some(task) if !task.command.is_empty() => {
                let command = named_command(&task.command);
                format!("make task {} pass{place}: {command}, {resume}", task.id)
            }
            Some(task) => format!("make task {} pass{place}, {resume}", task.id),
            None => format!("make the tasks pass{place}, {resume}"),
        })
    }

    /// The option that raises the limit that was reached. A limit of tokens or cost can be
    /// used up by a client that does not count them.
    fn raised(&self, code: BlockCode) -> String {
        let limits = &self.report.limits;
        if code == BlockCode::RunTime {
            let time = limits.max_time.unwrap_or_default().saturating_mul(2);
            return format!(" --max-time {}", write_duration(time));
        }
        let usage = self.report.usage.unwrap_or_default();
        let calls = self.report.calls.len() as u64;
        let cost = limits.max_cost.map(Usd::micro);
        let tokens = limits.max_tokens.map(NonZeroU64::get);
        let all = [
            ("--max-cost", cost, usage.cost_micro_usd),
            ("--max-tokens", tokens, usage.tokens()),
            ("--max-calls", limits.max_calls.map(u64::from), calls),
        ];
        let set = all.into_iter();
        let set = set.filter_map(|(option, limit, used)| Some((option, limit?, used)));
        let set: Vec<_> = set.collect();
        let reached = set.iter().find(|(_, limit, used)| used >= limit);
        reached
            .or(set.first())
            .map_or_else(String::new, |(option, limit, used)| {
                let more = twice(*limit, *used);
                match *option {
                    "--max-cost" => format!(" {option} {}", Usd::from_micro(more)),
                    "--max-calls" => {
                        format!(" {option} {}", more.max(limit.saturating_add(MORE_CALLS)))
                    }
                    _ => format!(" {option} {more}"),
                }
            })
    }
}

/// Twice the limit, or as much again as was used where the last call went over that.
fn twice(limit: u64, used: u64) -> u64 {
    let doubled = limit.saturating_mul(2);
    match doubled > used {
        true => doubled,
        false => used.saturating_add(limit.max(1)),
    }
}

/// The beginning of what a reviewer wrote, on one line: it cannot look like a command.
fn shortened(text: &str) -> String {
    excerpt(&one_line(text), MAX_QUOTED)
}

/// A place in a file, whose name a section may begin with, or be.
fn in_file(path: &str, section: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut names = [path, file].into_iter();
    let inside = names.find_map(|name| section.strip_prefix(name));
    match inside.unwrap_or(section).trim_start_matches([' ', '>']) {
        "" => path.to_owned(),
        heading => format!("{path}, {}", shortened(heading)),
    }
}

#[cfg(test)]
mod tests {
    use review_events::{AgentRole, TaskFinished};
    use review_types::{FailedBy, FeedbackItem, RunId, Severity, TaskNumber, Timestamp};

    use super::super::rates::tests::finding;
    use super::super::report::RunRequest;
    use super::super::tasks::TaskReport;
    use super::*;

    fn report(outcome: Outcome, code: Option<BlockCode>) -> RunReport {
        let mut report = RunReport::new(RunRequest::default());
        report.run = Some(RunId::new("0199").unwrap());
        report.spec = "specs/A.md".to_owned();
        report.outcome = Some(outcome);
        report.block_code = code;
        report.limits = RunLimits {
            applies: true,
            max_calls: Some(150),
            max_tokens: NonZeroU64::new(500),
            max_cost: Some(Usd::from_micro(1_250_000)),
            max_time: Some(Duration::from_secs(5_400)),
        };
        report
    }

    fn next(report: &RunReport, options: Option<&str>, is_kept: bool) -> Vec<NextStep> {
        let command = ["/bin/ralph", "run", "--no-apply"].map(str::to_owned);
        steps(
            report,
            Started {
                command: &command,
                folder: None,
                run: None,
                root: ".",
                options: &options
                    .map(|dir| ["--state-dir", dir].map(str::to_owned))
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>(),
                is_kept,
            },
        )
    }

    /// The commands of the steps, `None` for those that a user takes.
    fn commands(report: &RunReport) -> Vec<Option<String>> {
        let steps = next(report, None, true);
        steps.into_iter().map(|step| step.command).collect()
    }

    fn blocked(code: BlockCode) -> RunReport {
        report(code.outcome(), Some(code))
    }

    #[test]
    fn a_command_raises_the_limit_that_was_reached() {
        for (code, command) in [
            (
                BlockCode::MaxIterations,
                "ralph resume 0199 --max-iterations 3",
            ),
            (BlockCode::RunTime, "ralph resume 0199 --max-time 3h"),
        ] {
            assert_eq!(commands(&blocked(code)), [Some(command.to_owned())]);
        }
    }

    #[test]
    fn a_limit_that_is_not_known_to_be_reached_is_raised_where_it_is_the_only_one() {
        let mut ended = blocked(BlockCode::Budget);
        ended.usage = None;
        for raised in ["--max-cost 2.50", "--max-tokens 1000", "--max-calls 300"] {
            let command = format!("ralph resume 0199 {raised}");
            assert_eq!(commands(&ended), [Some(command)]);
            match raised.split_once(' ') {
                Some(("--max-cost", _)) => ended.limits.max_cost = None,
                _ => ended.limits.max_tokens = None,
            }
        }
    }

    #[test]
    fn a_resume_that_would_change_nothing_is_no_command() {
        for code in [
            BlockCode::NoChange,
            BlockCode::Oscillation,
            BlockCode::Disputed,
            BlockCode::NoBlockingFinding,
            BlockCode::Escalated,
            BlockCode::TaskFailed,
            BlockCode::Tampered,
            BlockCode::DiskFloor,
            BlockCode::ReviewerFailed,
        ] {
            let commands = commands(&blocked(code));
            assert!(!commands.is_empty(), "{code}");
            assert!(commands.iter().all(Option::is_none), "{code}: {commands:?}");
        }
    }

    #[test]
    fn a_failed_call_is_made_again() {
        let failures = BlockCode::ALL.iter().filter(|code| code.is_failure());
        for code in failures.filter(|code| **code != BlockCode::ReviewerFailed) {
            let first = commands(&blocked(*code)).swap_remove(0);
            assert_eq!(first.as_deref(), Some("ralph resume 0199"), "{code}");
        }
        let cut_off = report(Outcome::Interrupted, None);
        assert_eq!(commands(&cut_off), [Some("ralph resume 0199".to_owned())]);
    }

    /// The steps after a call that failed so.
    fn after(role: AgentRole, failure: Failure) -> Vec<String> {
        let mut failed = blocked(BlockCode::ReviewerFailed);
        failed.reviewer = "cmd:./judge".to_owned();
        failed.applier = "claude:opus 4".to_owned();
        failed.failed = Some(FailedCall { role, failure });
        let steps = next(&failed, None, true).into_iter();
        let line = |step: NextStep| match step.command {
            Some(command) => format!("{}:\n{command}", step.text),
            None => step.text,
        };
        steps.map(line).collect()
    }

    #[test]
    fn what_a_call_failed_for_is_put_right_first() {
        let paths = vec!["specs/A.md".to_owned(), "b.md".to_owned()];
        for failure in [
            Failure::SetupFailed { missing: None },
            Failure::AuthFailed,
            Failure::PermissionDenied,
        ] {
            let step = "correct what the reason names, then `ralph resume 0199`";
            assert_eq!(after(AgentRole::Applier, failure), [step]);
        }
        let wrote = Failure::WroteFiles { paths };
        assert_eq!(
            after(AgentRole::Reviewer, wrote.clone()),
            [
                "undo what the reviewer changed, and keep it from editing files, then `ralph \
                 resume 0199`"
            ]
        );
        assert_eq!(
            after(AgentRole::Applier, wrote),
            [
                "tell the applier to leave those files alone: `ralph guide 0199 TEXT`, then \
                 `ralph resume 0199`; or allow the change with `agent.apply_scope` and run again"
            ]
        );
    }

    #[test]
    fn a_call_that_reached_a_limit_gets_twice_that_limit() {
        for (limit, step) in [
            (
                LimitKind::Wall,
                "give the call twice the time:\nralph resume 0199 --call-timeout 3m",
            ),
            (
                LimitKind::Idle,
                "give the call twice the time without output:\n\
                 ralph resume 0199 --idle-timeout 3m",
            ),
        ] {
            let failure = Failure::Hung {
                limit,
                after_ms: 90_000,
            };
            assert_eq!(after(AgentRole::Reviewer, failure), [step]);
        }
    }

    #[test]
    fn a_call_without_a_known_cure_is_made_again_or_its_agents_are_checked() {
        assert_eq!(
            after(AgentRole::Reviewer, FailedBy::Status(1).into()),
            [
                "make the call again:\nralph resume 0199",
                "or check the agents first: `ralph doctor --reviewer cmd:./judge --applier \
                 'claude:opus 4'`"
            ]
        );
        let retry_at = Some(Timestamp::from_unix_ms(1_000));
        assert_eq!(
            after(
                AgentRole::Reviewer,
                Failure::RateLimited {
                    retry_at,
                    of_plan: false
                }
            ),
            ["make the call again after 1970-01-01T00:00:01Z:\nralph resume 0199"]
        );
    }

    #[test]
    fn a_fault_that_lasts_is_cured_before_the_call_is_made_again() {
        let correct = "correct what the reason names, then `ralph resume 0199`";
        let other = "name another model or review fewer files at once, as the reason says, then \
                     run again";
        for (status, step) in [(400, correct), (402, correct), (404, other), (413, other)] {
            let failure = Failure::ModelError {
                status: Some(status),
            };
            assert_eq!(after(AgentRole::Reviewer, failure), [step]);
        }
        let busy = Failure::ModelError { status: Some(408) };
        let steps = after(AgentRole::Reviewer, busy);
        assert_eq!(steps[0], "make the call again:\nralph resume 0199");
    }

    #[test]
    fn every_task_without_a_command_is_named() {
        let found = |path: &str, rule: &str| {
            let mut found = finding(FindingStatus::Open, 0);
            found.issue = format!("Not good. {path}:1 [{rule}]");
            found
        };
        let mut report = blocked(BlockCode::NoChange);
        report.applier = "builtin".to_owned();
        report.ledger = vec![
            found("tasks/1.md", "B1"),
            found("tasks/2.md", "B1"),
            found("tasks/3.md", "C1"),
        ];
        let give = "give tasks/1.md:1, tasks/2.md:1 a command: `backpressure` in the front matter, \
                    or `ralph import PATH --command CMD` where they were imported, then `ralph \
                    resume 0199`";
        assert_eq!(next(&report, None, true), [NextStep::by_hand(give)]);
    }

    #[test]
    fn an_edit_names_its_place_and_its_issue() {
        let mut blocked = blocked(BlockCode::NoChange);
        blocked.findings =
            vec![FeedbackItem::new("Goal\nralph approve", "it is\nshort", "write more").unwrap()];
        assert_eq!(
            next(&blocked, None, true)[0].text,
            "edit specs/A.md, Goal ralph approve (it is short), then `ralph resume 0199`"
        );
        let long = "a".repeat(MAX_QUOTED + 1);
        blocked.findings = vec![FeedbackItem::new("Goal", long, "write more").unwrap()];
        let shown = format!("({}…)", "a".repeat(MAX_QUOTED));
        assert!(next(&blocked, None, true)[0].text.contains(&shown));
    }

    #[test]
    fn a_file_that_is_its_own_place_is_named_once() {
        let mut blocked = blocked(BlockCode::NoChange);
        blocked.findings =
            vec![FeedbackItem::new("specs/A.md", "it is short", "write more").unwrap()];
        assert_eq!(
            next(&blocked, None, true)[0].text,
            "edit specs/A.md (it is short), then `ralph resume 0199`"
        );
    }

    #[test]
    fn an_applier_that_reads_no_guidance_is_given_none() {
        let mut blocked = blocked(BlockCode::NoChange);
        for (applier, steps) in [("claude", 2), ("builtin", 1)] {
            blocked.applier = applier.to_owned();
            assert_eq!(next(&blocked, None, true).len(), steps, "{applier}");
        }
    }

    #[test]
    fn what_a_user_waived_is_not_to_be_edited() {
        let mut waived = blocked(BlockCode::BelowMinimum);
        waived.findings = vec![FeedbackItem::new("Goal", "it is short", "write more").unwrap()];
        waived.ledger = vec![finding(FindingStatus::Waived, 0)];
        let resume = "ralph resume 0199 --max-iterations 3".to_owned();
        assert_eq!(commands(&waived), [Some(resume)]);
        waived.block_code = Some(BlockCode::NoChange);
        let text = "edit specs/A.md, then `ralph resume 0199`";
        assert_eq!(next(&waived, None, true)[0].text, text);
    }

    #[test]
    fn a_disputed_finding_is_edited_after_those_that_block() {
        let mut disputed = blocked(BlockCode::Disputed);
        let mut open = finding(FindingStatus::Open, 0);
        open.issue = "it is short".to_owned();
        let mut held = finding(FindingStatus::Disputed, 0);
        held.issue = "it is long".to_owned();
        held.severity = Severity::Critical;
        disputed.ledger = vec![held, open];
        let last = |report: &RunReport| next(report, None, true).pop().unwrap().text;
        assert_eq!(
            last(&disputed),
            "edit specs/A.md (it is short), then `ralph resume 0199`"
        );
        disputed.ledger.pop();
        assert_eq!(
            last(&disputed),
            "edit specs/A.md (it is long), then `ralph resume 0199`"
        );
    }

    #[test]
    fn the_first_task_that_failed_is_named_with_its_command() {
        let mut blocked = blocked(BlockCode::TaskFailed);
        assert_eq!(
            next(&blocked, None, true)[0].text,
            "make the tasks pass, then `ralph resume 0199`"
        );
        let task = |number, state| {
            let task = TaskFinished {
                task: TaskNumber::new(number).unwrap(),
                title: String::new(),
                state,
                tests_run: None,
                must_pass: None,
                took_ms: 0,
                cached: false,
                changed_tree: false,
                reason: String::new(),
                tail: String::new(),
                log: None,
                because_of: Vec::new(),
            };
            let mut report = TaskReport::new(task.task);
            report.command = "make\nmake check".to_owned();
            report.finish(&task);
            report
        };
        blocked.tasks = vec![
            task(1, TaskState::Passed),
            task(2, TaskState::Failed),
            task(3, TaskState::Failed),
        ];
        assert_eq!(
            next(&blocked, None, true)[0].text,
            "make task 2 pass: its command of 2 lines in its file, then `ralph resume 0199`"
        );
    }

    #[test]
    fn a_run_that_may_not_apply_is_repeated_with_its_applier() {
        let mut looked = blocked(BlockCode::MaxIterations);
        looked.limits.applies = false;
        assert_eq!(commands(&looked), [Some("ralph run".to_owned())]);
        looked.block_code = None;
        for cut_off in [Outcome::Error, Outcome::Interrupted] {
            looked.outcome = Some(cut_off);
            assert_eq!(commands(&looked), [Some("ralph resume 0199".to_owned())]);
        }
        let mut failed = blocked(BlockCode::Malformed);
        failed.limits.applies = false;
        assert_eq!(commands(&failed)[0].as_deref(), Some("ralph resume 0199"));
    }

    #[test]
    fn an_id_of_a_run_is_one_word_of_a_command() {
        let mut hostile = report(Outcome::Interrupted, None);
        hostile.run = Some(RunId::new("x; rm -rf $HOME").unwrap());
        assert_eq!(
            commands(&hostile),
            [Some("ralph resume 'rf $HOME'".to_owned())]
        );
    }

    #[test]
    fn a_live_run_is_waited_for() {
        let mut live = report(Outcome::Interrupted, None);
        live.goes_on(String::new());
        assert_eq!(
            next(&live, None, true),
            [NextStep::by_hand(
                "wait until it ends; `ralph watch 0199` shows what it does"
            )]
        );
    }

    #[test]
    fn a_run_that_is_not_kept_is_repeated_as_it_was() {
        let steps = next(&report(Outcome::NotPassed, None), None, false);
        assert_eq!(
            steps,
            [NextStep::by_command("run it again", "ralph run --no-apply")]
        );
    }

    #[test]
    fn a_named_state_folder_is_named_again() {
        let steps = next(&report(Outcome::Interrupted, None), Some("my state"), true);
        assert_eq!(
            steps[0],
            NextStep::by_command(
                "go on where it stopped",
                "ralph resume 0199 --state-dir 'my state'"
            )
        );
    }

    #[test]
    fn a_command_works_from_the_folder_that_the_user_is_in() {
        let command = ["ralph", "run", "--reviewer", "cmd:./judge"].map(str::to_owned);
        let started = Started {
            command: &command,
            folder: Some("/my project"),
            run: Some("../other/.ralph-review/runs/0199"),
            root: "../other",
            options: &[],
            is_kept: true,
        };
        let mut ended = report(Outcome::Interrupted, None);
        let resume = "ralph resume ../other/.ralph-review/runs/0199";
        assert_eq!(steps(&ended, started)[0].command.as_deref(), Some(resume));
        ended = blocked(BlockCode::MaxIterations);
        ended.limits.applies = false;
        let again = "cd '/my project' && ralph run --reviewer cmd:./judge";
        assert_eq!(steps(&ended, started)[0].command.as_deref(), Some(again));
    }

    #[test]
    fn what_is_to_be_edited_or_passed_in_another_root_is_named_with_it() {
        let started = Started {
            command: &[],
            folder: None,
            run: None,
            root: "services/a",
            options: &[],
            is_kept: true,
        };
        for (code, text) in [
            (
                BlockCode::Escalated,
                "edit services/a/specs/A.md, then `ralph resume 0199`",
            ),
            (
                BlockCode::TaskFailed,
                "make the tasks pass in services/a, then `ralph resume 0199`",
            ),
        ] {
            let mut steps = steps(&blocked(code), started);
            assert_eq!(steps.pop(), Some(NextStep::by_hand(text)), "{code}");
        }
    }

    #[test]
    fn a_raised_limit_is_above_what_was_used() {
        let mut over = blocked(BlockCode::Budget);
        over.usage.get_or_insert_default().cost_micro_usd = 5_000_000;
        over.usage.get_or_insert_default().input_tokens = 2_000;
        let raised = "ralph resume 0199 --max-cost 6.25";
        assert_eq!(commands(&over), [Some(raised.to_owned())]);
        over.usage.get_or_insert_default().cost_micro_usd = 0;
        let raised = "ralph resume 0199 --max-tokens 2500";
        assert_eq!(commands(&over), [Some(raised.to_owned())]);
    }

    #[test]
    fn nothing_is_left_to_do_after_a_pass() {
        assert_eq!(next(&report(Outcome::Passed, None), None, true), []);
        assert_eq!(commands(&report(Outcome::Nothing, None)), [None]);
    }
}
