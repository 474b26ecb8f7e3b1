//! What a run did: one value made of its events, and its renderings.

mod decisions;
mod human;
mod live;
mod next;
mod progress;
mod rates;
mod tasks;
mod usage;

pub(crate) use human::{render_event, render_summary};
pub(crate) use live::LiveSink;
pub(crate) use rates::FeedbackRates;
pub(crate) use tasks::TaskReport;
pub(crate) use usage::UsageReport;

use review::events::{
    ArtifactUndone, BestRound, CallEnded, CheckReport, Envelope, Event, PinnedPrompt,
    UnprovedRounds,
};
use review_engine::RunSettings;
use review_types::afp::PastItem;
use review_types::{
    BlockCode, ExitCode, Finding, FindingCounts, Outcome, ReviewFeedback, RunId, Scores, Timestamp,
    Verdict,
};
use serde::Serialize;

use crate::output::Version;

/// What a run did. This is the object that `--format json` prints.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Run"))]
pub(crate) struct RunReport {
    /// Version of the format.
    pub(crate) v: Version,
    /// Id of the run; `null` when no run was started.
    pub(crate) run: Option<RunId>,
    /// The spec or path under review, relative to the root.
    pub(crate) spec: String,
    /// What the run became.
    pub(crate) outcome: Outcome,
    /// The exit code of the process.
    pub(crate) exit: u8,
    /// Who gave the last verdict, or was asked for one.
    pub(crate) reviewer: String,
    /// The versions of the roles' instructions that its agents were given; left
    /// out for a run that did not note them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub(crate) prompts: Vec<PinnedPrompt>,
    /// The last verdict; `null` when there is none.
    pub(crate) verdict: Option<Verdict>,
    /// The last scores by criterion; `null` when there is no verdict.
    pub(crate) score: Option<Scores>,
    /// The rounds of review in order.
    pub(crate) iterations: Vec<IterationReport>,
    /// What the last round found.
    pub(crate) findings: Vec<ReviewFeedback>,
    /// What all rounds found and what became of it, as far as the events hold
    /// it, raised last first; left out where findings are not followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub(crate) ledger: Vec<Finding>,
    /// How many findings there are of each kind, all of them; left out where
    /// there are none.
    #[serde(skip_serializing_if = "FindingCounts::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub(crate) finding_counts: FindingCounts,
    /// The rounds that brought only new findings that nothing proves; left out
    /// where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unproved_rounds: Option<UnprovedRounds>,
    /// What became of the feedback of the reviewer; only in `ralph report`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) feedback: Option<FeedbackRates>,
    /// What appliers left that was undone, with the hashes of the texts that are
    /// kept of it; left out where there was nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub(crate) undone: Vec<ArtifactUndone>,
    /// The tasks that had their turn, by number.
    pub(crate) tasks: Vec<TaskReport>,
    /// Why the run is blocked, as a closed code.
    pub(crate) block_code: Option<BlockCode>,
    /// Why the run is blocked, in words; empty when it is not.
    pub(crate) block_reason: String,
    /// The best round, whose artifact is on disk; left out where rounds were not
    /// compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) best: Option<BestRound>,
    /// The calls of models, in order, with what each consumed; left out where
    /// there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub(crate) calls: Vec<CallEnded>,
    /// What these calls consumed together; left out where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<UsageReport>,
    /// Commands to run next; empty when the run passed.
    pub(crate) next: Vec<String>,
    /// The reviewer that every round begins with.
    #[serde(skip)]
    first_reviewer: String,
    /// Number of the last event that was taken in.
    #[serde(skip)]
    last_seq: Option<u64>,
    #[serde(skip)]
    allowed: next::Allowed,
    /// Whether a process is still at work on the run.
    #[serde(skip)]
    pub(crate) is_live: bool,
}

/// One round of review.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Iteration"))]
pub(crate) struct IterationReport {
    /// Its number, from 1.
    pub(crate) iteration: u32,
    /// What the reviewer decided.
    pub(crate) verdict: Verdict,
    /// Its scores by criterion.
    pub(crate) score: Scores,
    /// Its feedback, as far as the events hold it.
    pub(crate) feedback: Vec<ReviewFeedback>,
    /// What became of the feedback, as far as the events hold it; absent where
    /// nobody decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub(crate) decisions: Vec<PastItem>,
    /// How many of its findings are below `review.fail_level` and ask for no
    /// revision.
    pub(crate) below_fail_level: u32,
    /// What `review.check` said; absent where none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<CheckReport>,
    /// When the answer was read.
    pub(crate) timestamp: Timestamp,
}

impl RunReport {
    /// The report of a run that has not told anything yet.
    pub(crate) fn new(settings: &RunSettings) -> Self {
        Self {
            allowed: next::Allowed::by(settings),
            first_reviewer: settings.reviewer.first().to_string(),
            ..Self::empty(settings.target.spec(), settings.reviewer.to_string())
        }
    }

    fn empty(spec: impl Into<String>, reviewer: impl Into<String>) -> Self {
        Self {
            v: Version,
            run: None,
            spec: spec.into(),
            outcome: Outcome::Interrupted,
            exit: ExitCode::Interrupted.get(),
            reviewer: reviewer.into(),
            prompts: Vec::new(),
            verdict: None,
            score: None,
            iterations: Vec::new(),
            findings: Vec::new(),
            ledger: Vec::new(),
            finding_counts: FindingCounts::default(),
            unproved_rounds: None,
            feedback: None,
            undone: Vec::new(),
            tasks: Vec::new(),
            block_code: None,
            block_reason: String::new(),
            best: None,
            calls: Vec::new(),
            usage: None,
            next: Vec::new(),
            first_reviewer: String::new(),
            last_seq: None,
            allowed: next::Allowed::default(),
            is_live: false,
        }
    }

    /// Takes in one event, and says whether it is new: delivery is at least
    /// once, and an event that was taken before changes nothing.
    pub(crate) fn take(&mut self, envelope: &Envelope) -> bool {
        if envelope.seq.is_some() && envelope.seq <= self.last_seq {
            return false;
        }
        self.last_seq = envelope.seq.or(self.last_seq);
        self.run = Some(envelope.run.clone());
        match &envelope.event {
            Event::RunStarted(started) => self.prompts.clone_from(&started.prompts),
            Event::ReviewStarted(_) | Event::ReviewFeedback(_) => {
                self.reviewer.clone_from(&self.first_reviewer);
            }
            Event::ReviewBlocked(blocked) => self.best.clone_from(&blocked.best),
            Event::CallEnded(call) => {
                let usage = self.usage.get_or_insert_default();
                usage.add(call.usage.as_ref());
                self.calls.push(call.clone());
            }
            Event::ReviewerReplaced(replaced) => self.reviewer.clone_from(&replaced.by),
            Event::ReviewIteration(round) => {
                self.verdict = Some(round.verdict);
                self.score = Some(round.scores.clone());
                self.findings.clone_from(&round.feedback);
                self.iterations.push(IterationReport {
                    iteration: round.iteration,
                    verdict: round.verdict,
                    score: round.scores.clone(),
                    feedback: round.feedback.clone(),
                    decisions: Vec::new(),
                    below_fail_level: 0,
                    check: round.check.clone(),
                    timestamp: envelope.timestamp,
                });
            }
            Event::FindingsJoined(joined) => {
                self.ledger.clone_from(&joined.findings);
                self.finding_counts.clone_from(&joined.counts);
                self.unproved_rounds = joined.unproved_rounds;
                if let Some(round) = self.iterations.last_mut() {
                    round.below_fail_level = joined.below_fail_level;
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
            Event::TaskFinished(task) => tasks::put(&mut self.tasks, TaskReport::finished(task)),
            Event::TaskSkipped(task) => tasks::put(&mut self.tasks, TaskReport::skipped(task)),
            Event::TaskStatusKept(kept) => tasks::keep_status(&mut self.tasks, kept),
            Event::RunFinished(finished) => {
                self.outcome = finished.outcome;
                self.exit = finished.outcome.exit_code().get();
                self.block_code = finished.block_code;
                self.block_reason.clone_from(&finished.block_reason);
            }
            Event::RunResumed(_) => {
                self.reviewer.clone_from(&self.first_reviewer);
                self.end(Outcome::Interrupted);
            }
            _ => {}
        }
        true
    }

    /// Sets what the run became where no event says so.
    pub(crate) fn end(&mut self, outcome: Outcome) {
        self.outcome = outcome;
        self.exit = outcome.exit_code().get();
        self.block_code = None;
        self.block_reason.clear();
        self.best = None;
    }

    /// Whether the run passed.
    pub(crate) fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Passed | Outcome::Approved)
    }

    /// Names the command to run next, for a run that was started by `command`.
    pub(crate) fn suggest(&mut self, command: &[String], state_dir: Option<&str>, is_kept: bool) {
        self.next = next::commands(self, command, state_dir, is_kept);
    }
}
