//! One value made of the events of a run.

use std::time::Duration;

use review_events::{
    AgentRole, ArtifactUndone, BestRound, CallEnded, CheckReport, Envelope, Event, LaneLanded,
    LaneNotLanded, LaneOpened, PinnedPrompt, TaskState, UnprovedRounds, VagueItem,
};
use review_types::{
    AgentError, BlockCode, Deduction, ExitCode, Failure, FeedbackItem, Finding, FindingCounts,
    Outcome, PastItem, PromptRead, RunId, Scores, TaskNumber, Timestamp, Verdict,
};
use serde::Serialize;

use super::event::overall;
use super::item::{self, ItemReport};
use super::next::{self, RunLimits, Started};
use super::rates::FeedbackRates;
use super::tasks::{TaskReport, of_number};
use super::usage::UsageReport;
use crate::next::NextStep;

/// What a run did. This is the object that `--format json` prints.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Run")]
pub struct RunReport {
    /// Id of the run; `null` when no run was started.
    pub run: Option<RunId>,
    /// When it was started; `null` when no run was.
    pub at: Option<Timestamp>,
    /// How long a process worked on it, in milliseconds; the time between its end and a
    /// resume is left out.
    pub took_ms: u64,
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The outcome of the run; `null` while a process is at work on it.
    pub outcome: Option<Outcome>,
    /// The exit code of the process; `null` while it is at work.
    pub exit: Option<u8>,
    /// Who gave the last verdict, or was asked for one.
    pub reviewer: String,
    /// The versions of the roles' instructions that its agents were given; left
    /// out for a run that did not note them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub prompts: Vec<PinnedPrompt>,
    /// The last verdict; `null` without one.
    pub verdict: Option<Verdict>,
    /// The last scores by criterion; `null` without a verdict.
    pub score: Option<Scores>,
    /// The rounds of review in order.
    pub iterations: Vec<IterationReport>,
    /// What the last round found.
    pub findings: Vec<FeedbackItem>,
    /// The findings of all rounds with their state, as many as the events hold, raised
    /// last first; left out where findings are not followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub ledger: Vec<Finding>,
    /// How many findings exist of each kind, all of them; left out
    /// without findings.
    #[serde(skip_serializing_if = "FindingCounts::is_empty")]
    #[schemars(default)]
    pub finding_counts: FindingCounts,
    /// The rounds that brought only new findings that nothing proves; left out
    /// where findings are not followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproved_rounds: Option<UnprovedRounds>,
    /// The outcome of the feedback of the reviewer; only in `ralph report`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<FeedbackRates>,
    /// What appliers left that was undone, with the hashes of the contents that are
    /// kept of it; left out where there was nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub undone: Vec<ArtifactUndone>,
    /// The tasks that had their turn, by number.
    pub tasks: Vec<TaskReport>,
    /// The tasks of the unit that were not selected, where the user selected some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub not_selected: Vec<TaskNumber>,
    /// What keeps agents from files outside of their checkouts; left out where no agent
    /// implements tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<LaneOpened>,
    /// The folder with the checkouts of its agents, where there is one and a finished run
    /// is reported; left out elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// Where the work of agents was landed, in order; left out where none was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub landed: Vec<LaneLanded>,
    /// Why the work of agents is on the lane only; left out where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_landed: Option<LaneNotLanded>,
    /// Why the run is blocked, as a closed code.
    pub block_code: Option<BlockCode>,
    /// Why the run is blocked, in words; empty when it is not.
    pub block_reason: String,
    /// Which process is at work on the run, since when, and on what; left out where none
    /// is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// The best round, whose artifact is on disk; left out where rounds were not
    /// compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestRound>,
    /// The calls of models, in order, with what each consumed; left out where
    /// there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub calls: Vec<CallEnded>,
    /// What these calls consumed together; left out where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageReport>,
    /// What a user can do next, the best step first; empty when nothing is left to do.
    pub next: Vec<NextStep>,
    /// The reviewer that every round starts with.
    #[serde(skip)]
    first_reviewer: String,
    /// The reviewer that was asked last, or is asked next.
    #[serde(skip)]
    asked: String,
    /// Number of the last event that was taken in.
    #[serde(skip)]
    last_seq: Option<u64>,
    /// When it was started or resumed last, and how long was worked on it before.
    #[serde(skip)]
    going_on: Option<(Timestamp, Duration)>,
    #[serde(skip)]
    pub(crate) limits: RunLimits,
    #[serde(skip)]
    pub(super) applier: String,
    /// The call of an agent that the run failed at last.
    #[serde(skip)]
    pub(super) failed: Option<FailedCall>,
    /// The limit of rounds.
    #[serde(skip)]
    pub(super) max_iterations: Option<u32>,
}

/// The part of the request of a run that its report shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunRequest {
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The reviewers, in the order in which they are asked.
    pub reviewer: String,
    /// The reviewer that every round starts with.
    pub first_reviewer: String,
    /// The tasks of the unit that the user did not select.
    pub not_selected: Vec<TaskNumber>,
    /// Its limits.
    pub limits: RunLimits,
    /// The applier.
    pub applier: String,
}

/// A call of an agent that a run failed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FailedCall {
    pub(super) role: AgentRole,
    pub(super) failure: Failure,
}

/// Why a task has no end that was not to be skipped.
const CUT_OFF: &str = "the run was cut off before it ended";

/// One round of review.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Iteration")]
pub struct IterationReport {
    /// Its number, from 1.
    pub iteration: u32,
    /// Who reviewed.
    pub reviewer: String,
    /// What the reviewer decided.
    pub verdict: Verdict,
    /// Its scores by criterion.
    pub score: Scores,
    /// The overall score of the document that it was answered with, from 0 to 1.
    #[serde(skip)]
    pub overall: Option<f64>,
    /// What cost points of its scores; left out for a reviewer that does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub deductions: Vec<Deduction>,
    /// Its feedback, as much as the events hold.
    pub feedback: Vec<ItemReport>,
    /// The outcome of the feedback, as much as the events hold; absent
    /// without decisions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub decisions: Vec<PastItem>,
    /// How many of its findings are below `review.fail_level` and ask for no
    /// revision.
    pub below_fail_level: u32,
    /// How much of its prompt a program read that left a part unread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_unread: Option<PromptRead>,
    /// Items that stayed vague, or advice, also when the reviewer was asked to reword
    /// them; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub vague: Vec<VagueItem>,
    /// How many items the reviewer was asked to reword.
    #[serde(skip)]
    pub(super) sent_back: usize,
    /// What `review.check` said; absent where none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckReport>,
    /// When the answer was read.
    pub timestamp: Timestamp,
}

impl RunReport {
    /// The report of a run that nothing has happened in yet.
    #[must_use]
    pub fn new(request: RunRequest) -> Self {
        Self {
            spec: request.spec,
            outcome: Some(Outcome::Interrupted),
            exit: Some(ExitCode::Interrupted.get()),
            reviewer: request.reviewer,
            not_selected: request.not_selected,
            asked: request.first_reviewer.clone(),
            first_reviewer: request.first_reviewer,
            limits: request.limits,
            applier: request.applier,
            ..Self::default()
        }
    }

    /// Takes in one event, and returns whether it is new: delivery is at least
    /// once, and an event that was taken before changes nothing.
    pub fn take(&mut self, envelope: &Envelope) -> bool {
        if envelope.seq.is_some() && envelope.seq <= self.last_seq {
            return false;
        }
        self.last_seq = envelope.seq.or(self.last_seq);
        self.run = Some(envelope.run.clone());
        self.keep_time(envelope);
        match &envelope.event {
            Event::RunStarted(started) => self.prompts.clone_from(&started.prompts),
            Event::ReviewStarted(started) => {
                self.reviewer.clone_from(&self.first_reviewer);
                self.max_iterations = Some(started.max_iterations);
            }
            Event::ReviewFeedback(_) => self.asked.clone_from(&self.first_reviewer),
            Event::ReviewBlocked(blocked) => {
                self.best.clone_from(&blocked.best);
                if let Some(error) = &blocked.applier_error {
                    self.fail(AgentRole::Applier, error);
                }
            }
            Event::CallEnded(call) => {
                let usage = self.usage.get_or_insert_default();
                usage.add(call.usage.as_ref());
                self.calls.push(call.clone());
            }
            Event::ReviewerFailed(failed) => {
                self.reviewer.clone_from(&self.asked);
                self.fail(AgentRole::Reviewer, &failed.error);
            }
            Event::ReviewerReplaced(replaced) => {
                self.asked.clone_from(&replaced.by);
                self.reviewer.clone_from(&self.asked);
            }
            Event::ReviewIteration(round) => {
                self.reviewer.clone_from(&self.asked);
                self.verdict = Some(round.verdict);
                self.score = Some(round.scores.clone());
                self.findings.clone_from(&round.feedback);
                self.iterations.push(IterationReport {
                    overall: overall(round),
                    iteration: round.iteration,
                    reviewer: self.reviewer.clone(),
                    verdict: round.verdict,
                    score: round.scores.clone(),
                    deductions: round.deductions.clone(),
                    feedback: round.feedback.iter().map(ItemReport::new).collect(),
                    decisions: Vec::new(),
                    below_fail_level: 0,
                    left_unread: round.left_unread,
                    vague: round.vague().to_vec(),
                    sent_back: round.sent_back(),
                    check: round.check.clone(),
                    timestamp: envelope.timestamp,
                });
            }
            Event::FindingsJoined(joined) => {
                self.ledger.clone_from(&joined.findings);
                self.finding_counts.clone_from(&joined.counts);
                self.unproved_rounds = Some(joined.unproved_rounds);
                if let Some(round) = self.iterations.last_mut() {
                    round.below_fail_level = joined.below_fail_level;
                    item::join(&mut round.feedback, joined);
                }
            }
            Event::FeedbackDecided(decided) => {
                let mut rounds = self.iterations.iter_mut();
                let round = rounds.find(|round| round.iteration == decided.iteration);
                if let Some(round) = round {
                    round.decisions.clone_from(&decided.feedback);
                }
            }
            Event::ArtifactUndone(undone) => self.undone.push(undone.clone()),
            Event::TaskStarted(task) => self.task(task.task).start(task),
            Event::TaskFinished(task) => self.task(task.task).finish(task),
            Event::TaskAttempted(attempt) => {
                self.task(attempt.task).attempts.push(attempt.clone());
            }
            Event::TaskReviewed(reviewed) => {
                self.task(reviewed.task).reviews.push(reviewed.clone());
            }
            Event::TaskOnLane(on_lane) => self.task(on_lane.task).change = Some(on_lane.clone()),
            Event::TaskStatus(set) if set.kept.is_some() => {
                self.task(set.task).status_kept.clone_from(&set.kept);
            }
            Event::LaneOpened(opened) => self.sandbox = Some(opened.clone()),
            Event::LaneLanded(landed) => {
                for task in &landed.tasks {
                    self.task(*task).status = TaskState::Landed;
                }
                self.landed.push(landed.clone());
                self.not_landed = None;
            }
            Event::LaneNotLanded(lane) => self.not_landed = Some(lane.clone()),
            Event::RunFinished(finished) => {
                self.outcome = Some(finished.outcome);
                self.exit = Some(finished.outcome.exit_code().get());
                self.block_code = finished.block_code;
                self.block_reason.clone_from(&finished.block_reason);
            }
            Event::RunResumed(resumed) => {
                self.not_landed = None;
                let limits = &mut self.limits;
                limits.max_calls = resumed.max_calls.or(limits.max_calls);
                limits.max_tokens = resumed.max_tokens.or(limits.max_tokens);
                limits.max_cost = resumed.max_cost.or(limits.max_cost);
                let max_time = resumed.max_time_ms.map(Duration::from_millis);
                limits.max_time = max_time.or(limits.max_time);
                self.max_iterations = resumed.max_iterations.or(self.max_iterations);
                self.asked.clone_from(&self.first_reviewer);
                self.failed = None;
                self.end(Outcome::Interrupted);
            }
            _ => {}
        }
        true
    }

    fn keep_time(&mut self, envelope: &Envelope) {
        let now = envelope.timestamp;
        let is_start = matches!(envelope.event, Event::RunStarted(_) | Event::RunResumed(_));
        if is_start {
            self.going_on = Some((now, Duration::from_millis(self.took_ms)));
        }
        let (since, before) = *self.going_on.get_or_insert((now, Duration::ZERO));
        self.at.get_or_insert(now);
        let took = (before + now.since(since)).as_millis();
        self.took_ms = u64::try_from(took).unwrap_or(u64::MAX);
    }

    fn fail(&mut self, role: AgentRole, error: &AgentError) {
        let failure = error.failure.clone();
        self.failed = Some(FailedCall { role, failure });
    }

    fn task(&mut self, task: TaskNumber) -> &mut TaskReport {
        of_number(&mut self.tasks, task)
    }

    /// Takes in the plan of its tasks: numbers, titles, and what each depends on. Where the
    /// run has no end, those that did not start are added.
    pub fn add_plan<'p>(
        &mut self,
        plan: impl IntoIterator<Item = (TaskNumber, &'p str, &'p [TaskNumber])>,
        has_end: bool,
    ) {
        for (number, title, depends_on) in plan {
            let found = self.tasks.binary_search_by_key(&number, |task| task.id);
            if has_end && found.is_err() {
                continue;
            }
            let task = self.task(number);
            title.clone_into(&mut task.title);
            depends_on.clone_into(&mut task.depends_on);
        }
        let is_cut_off = !has_end && self.progress.is_none();
        let open = self.tasks.iter_mut().filter(|task| {
            is_cut_off && task.status == TaskState::NotRun && task.reason.is_empty()
        });
        open.for_each(|task| CUT_OFF.clone_into(&mut task.reason));
    }

    /// What a run does that has not ended.
    #[must_use]
    pub fn doing(&self) -> String {
        let mut tasks = self.tasks.iter();
        match (tasks.find(|task| task.is_open), self.iterations.last()) {
            (Some(task), _) => format!("task {}", task.id),
            (None, Some(round)) => format!("after round {}", round.iteration),
            (None, None) => "first round".to_owned(),
        }
    }

    /// Sets the outcome of a run whose events have none.
    pub fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        self.exit = Some(outcome.exit_code().get());
        self.block_code = None;
        self.block_reason.clear();
        self.progress = None;
        self.best = None;
    }

    /// Notes that a process is at work on the run, and on what.
    pub fn goes_on(&mut self, progress: String) {
        self.end(Outcome::Interrupted);
        (self.outcome, self.exit) = (None, None);
        self.progress = Some(progress);
    }

    /// Whether the run passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Passed | Outcome::Approved))
    }

    /// Adds what a user can do next.
    pub fn suggest(&mut self, started: Started<'_>) {
        self.next = next::steps(self, started);
    }
}

#[cfg(test)]
mod tests {
    use super::super::human_summary;
    use super::*;
    use crate::style::Styling;
    use review_events::{RunFinished, RunResumed, TaskFinished};

    fn envelope(seq: Option<u64>, event: Event) -> Envelope {
        Envelope {
            run: RunId::new("0199").unwrap(),
            seq,
            timestamp: Timestamp::UNIX_EPOCH,
            unit: None,
            task: None,
            event,
        }
    }

    fn skipped(task: u32, title: &str) -> Event {
        Event::TaskFinished(TaskFinished {
            task: TaskNumber::new(task).unwrap(),
            title: title.to_owned(),
            state: TaskState::Skipped,
            tests_run: None,
            must_pass: None,
            took_ms: 0,
            cached: false,
            changed_tree: false,
            reason: String::new(),
            tail: String::new(),
            log: None,
            because_of: vec![TaskNumber::new(1).unwrap()],
        })
    }

    fn report() -> RunReport {
        RunReport::new(RunRequest {
            spec: "specs/A.md".to_owned(),
            reviewer: "cmd:judge,builtin".to_owned(),
            first_reviewer: "cmd:judge".to_owned(),
            not_selected: Vec::new(),
            limits: RunLimits::default(),
            applier: String::new(),
        })
    }

    #[test]
    fn an_event_that_is_delivered_again_changes_nothing() {
        let mut report = report();
        assert!(report.take(&envelope(Some(3), skipped(2, "Index"))));
        assert!(!report.take(&envelope(Some(3), skipped(2, "Search"))));
        assert!(!report.take(&envelope(Some(1), skipped(2, "Search"))));
        assert_eq!(report.tasks[0].title, "Index");
        assert!(report.take(&envelope(None, skipped(2, "Errors"))));
        assert_eq!(report.tasks[0].title, "Errors");
    }

    #[test]
    fn the_next_limit_is_above_the_one_that_a_resume_set() {
        let mut report = report();
        report.limits.applies = true;
        report.limits.max_calls = Some(150);
        report.take(&envelope(
            Some(0),
            Event::RunResumed(RunResumed {
                resume: 1,
                artifact_changed: false,
                max_calls: Some(300),
                max_tokens: None,
                max_cost: None,
                max_time_ms: None,
                max_iterations: None,
            }),
        ));
        report.take(&envelope(
            Some(1),
            Event::RunFinished(RunFinished {
                outcome: Outcome::Limit,
                block_code: Some(BlockCode::Budget),
                block_reason: String::new(),
            }),
        ));
        report.suggest(Started {
            command: &[],
            folder: None,
            run: None,
            root: ".",
            options: &[],
            is_kept: true,
        });
        let command = report.next[0].command.as_deref();
        assert_eq!(command, Some("ralph resume 0199 --max-calls 600"));
    }

    #[test]
    fn tasks_are_in_the_order_of_their_numbers() {
        let mut report = report();
        for (seq, task) in [(0, 3), (1, 2), (2, 3)] {
            report.take(&envelope(Some(seq), skipped(task, "Index")));
        }
        let tasks: Vec<_> = report.tasks.iter().map(|task| task.id.get()).collect();
        assert_eq!(tasks, [2, 3]);
        assert_eq!(report.tasks[0].status, TaskState::Skipped);
        assert_eq!(report.tasks[0].reason, "waits for #1");
    }

    #[test]
    fn the_summary_has_the_outcome_of_the_run_or_that_it_was_interrupted() {
        let mut report = report();
        assert_eq!(
            human_summary(&report, None, Styling::Plain),
            "\ninterrupted\nreviewer cmd:judge,builtin\n"
        );
        let finished = Event::RunFinished(RunFinished {
            outcome: Outcome::NotPassed,
            block_code: Some(BlockCode::NoChange),
            block_reason: "the applier changed nothing".to_owned(),
        });
        report.take(&envelope(Some(0), finished));
        assert_eq!(report.exit, Some(ExitCode::NotPassed.get()));
        report.suggest(Started {
            command: &["ralph".to_owned(), "run".to_owned()],
            folder: None,
            run: None,
            root: ".",
            options: &[],
            is_kept: false,
        });
        assert_eq!(
            human_summary(&report, None, Styling::Plain),
            "\nnot_passed (no_change): the applier changed nothing\n\
             reviewer cmd:judge,builtin · run 0199\nnext:\nrun it again:\nralph run\n"
        );
    }
}
