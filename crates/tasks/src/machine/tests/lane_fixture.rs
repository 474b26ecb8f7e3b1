//! A scripted executor of the lane, on which all succeeds unless a test says otherwise.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use review::config::{Convergence, Keep, LoopConfig};
use review::criteria::Criteria;
use review::machine::{BaseState, LedgerUpdate, ReadReview, ReviewOp, ReviewOut, RoundFindings};
use review::{Budget, Subject};
use review_flow::{Command, Input, Machine, Seed, StepName, Turn};
use review_lane::{CommitId, Pick, TestsPolicy, TreeId};
use review_types::{AckDifference, FindingCounts, Score, Scores, Timestamp, Verdict};

use super::fixture::{OPTIONS, result_of};
use crate::machine::{
    AgentClaim, CommandFailure, FailureCause, GateKind, LaneOp, LaneOptions, LaneOut, MergedTrees,
    PlannedTask, Ran, RanTests, SomeTests, TaskChanges, TaskDone, TaskMachine, TaskNotice, TaskOp,
    TaskOptions, TaskOut, TaskPlan, Worked,
};

const UNLIMITED: Budget = Budget {
    max_calls: None,
    max_tokens: None,
    max_cost: None,
};

pub(super) const LANE: LaneOptions = LaneOptions {
    agents: Vec::new(),
    pick: Pick::Ralph,
    limits: UNLIMITED,
    attempts: NonZeroU32::new(3).expect("not 0"),
    retries: 2,
    tests: TestsPolicy::Hold,
    check: None,
    check_every: NonZeroU32::MAX,
    review: None,
    seed: Seed::from_bytes([7; 32]),
};

pub(super) fn machine(plan: TaskPlan, jobs: u32) -> TaskMachine {
    machine_of(plan, jobs, LANE)
}

pub(super) fn machine_of(plan: TaskPlan, jobs: u32, lane: LaneOptions) -> TaskMachine {
    let options = TaskOptions {
        jobs: NonZeroU32::new(jobs).expect("not 0"),
        lane: Some(lane),
        ..OPTIONS
    };
    TaskMachine::new(Arc::new(plan), options)
}

fn hex(name: &str) -> String {
    review_flow::hash_bytes(name.as_bytes()).to_string()
}

/// Returns a commit for a name.
pub(super) fn commit(name: &str) -> CommitId {
    hex(name).parse().expect("hex digits")
}

/// Returns a tree for a name.
pub(super) fn tree(name: &str) -> TreeId {
    hex(name).parse().expect("hex digits")
}

pub(super) fn green() -> Ran {
    Ran::default()
}

pub(super) fn red(cause: FailureCause) -> Ran {
    Ran {
        failure: Some(CommandFailure {
            step: 1,
            steps: 1,
            cause,
        }),
        ..Ran::default()
    }
}

pub(super) fn exit_1() -> Ran {
    red(FailureCause::Exit { status: 1 })
}

/// Returns a run that passed, with tests that are gone and skipped since it ran before.
pub(super) fn tested(names: &str, gone: &[&str], skipped: &[&str]) -> Ran {
    let some = |names: &[&str]| SomeTests {
        count: u64::try_from(names.len()).expect("few"),
        first: names.iter().map(|name| (*name).to_owned()).collect(),
    };
    Ran {
        tests: Some(Box::new(RanTests {
            names: review_flow::hash_bytes(names.as_bytes()),
            gone: some(gone),
            skipped: some(skipped),
            known: 2,
            is_named: true,
            new: SomeTests::default(),
            inherited: None,
            lists_ran: false,
            lists_pass: false,
        })),
        ..Ran::default()
    }
}

pub(super) fn says(says: AgentClaim) -> LaneOut {
    LaneOut::Worked(Worked::Done {
        says,
        beside: None,
        left_running: false,
    })
}

pub(super) fn snapshot(name: &str, files: u32) -> LaneOut {
    LaneOut::Snapshot {
        commit: commit(name),
        tree: tree(name),
        files,
        fault: None,
        restored: Vec::new(),
    }
}

/// Returns the document about a change as an artifact.
pub(super) fn base(tree: &TreeId) -> BaseState {
    let hash = review_flow::hash_bytes(tree.to_string().as_bytes());
    BaseState {
        artifact: hash,
        manifest: hash,
    }
}

/// Returns a review with a verdict and the highest scores.
pub(super) fn read(verdict: Verdict) -> LaneOut {
    LaneOut::Reviewed(Box::new(ReviewOut::Read(ReadReview {
        verdict,
        scores: best_scores(),
        items: u32::from(verdict != Verdict::Pass),
        overall: None,
        review: review_flow::hash_bytes(b"review"),
        answer: None,
        undelivered: None,
        left_unread: None,
        doubt: None,
        remarks: Vec::new(),
        proved: 0,
        vague: None,
        document: None,
        escalated: false,
        has_ids: false,
        acks: AckDifference::default(),
        check: None,
    })))
}

fn best_scores() -> Scores {
    let names = Criteria::default().names().into_iter();
    names.map(|name| (name, Score::MAX)).collect()
}

/// Returns the findings of a round, some of which block a pass.
pub(super) fn joined(blocking: u32) -> LaneOut {
    LaneOut::Reviewed(Box::new(ReviewOut::Ledger(LedgerUpdate {
        ledger: review_flow::hash_bytes(b"ledger"),
        counts: FindingCounts::default(),
        round: RoundFindings {
            blocking: (0..blocking).collect(),
            ..RoundFindings::default()
        },
    })))
}

/// Returns options with which changes are reviewed, with the findings of each round.
pub(super) fn reviewed() -> LaneOptions {
    let config = LoopConfig {
        convergence: Some(Convergence {
            keep: Keep::Last,
            patience: NonZeroU32::MAX,
        }),
        ..LoopConfig::new(Subject::new("", "", ""))
    };
    LaneOptions {
        review: Some(Arc::new(config)),
        ..LANE
    }
}

/// Answers an operation as if all succeeded, except that no command passes before work.
pub(super) fn success(step: &StepName, op: &LaneOp) -> LaneOut {
    let name = step.as_str();
    match op {
        LaneOp::Open => LaneOut::Opened {
            opened: None,
            tip: commit("base"),
            tree: tree("base"),
        },
        LaneOp::Pick { tasks, .. } => LaneOut::Picked(tasks.last().map(|last| last.task)),
        LaneOp::Checkout { .. } => LaneOut::CheckedOut,
        LaneOp::Work { .. } => says(AgentClaim::Done),
        LaneOp::Snapshot { .. } => snapshot(name, 1),
        LaneOp::Account { .. } => LaneOut::Accounted {
            entries: Vec::new(),
            more: 0,
        },
        LaneOp::Merge { change, .. } => LaneOut::Merged {
            trees: MergedTrees::of(
                TreeId::try_from(change.commit.to_string()).expect("hex digits"),
            ),
        },
        LaneOp::Gate { kind, .. } => LaneOut::Gated(match kind {
            GateKind::Before => exit_1(),
            _ => green(),
        }),
        LaneOp::WriteChange { tree, .. } => LaneOut::ChangeWritten { base: base(tree) },
        LaneOp::Review { op, .. } => match &**op {
            ReviewOp::Apply(_) => LaneOut::Feedback {
                text: review_flow::hash_bytes(name.as_bytes()),
                items: 1,
                first: "it does too much".to_owned(),
            },
            ReviewOp::Ledger(_) => joined(0),
            _ => read(Verdict::Pass),
        },
        LaneOp::Advance { .. } | LaneOp::Complete { .. } => LaneOut::Advanced {
            tip: commit(name),
            tree: tree(name),
        },
        LaneOp::Carry { tip } => LaneOut::Carried {
            commit: tip.clone(),
            // Commits and trees have the same names.
            tree: TreeId::try_from(tip.to_string()).expect("hex digits"),
        },
        LaneOp::Land { .. } => LaneOut::Landed {
            branch: "main".to_owned(),
            is_checked_out: true,
        },
        LaneOp::Record { .. } => LaneOut::Recorded,
    }
}

/// The results of steps that do not simply succeed, by their names.
pub(super) type Script = BTreeMap<&'static str, LaneOut>;

/// A run of a machine with a scripted executor.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// The steps and notices in order, one line each.
    pub(super) lines: Vec<String>,
    pub(super) ops: Vec<(StepName, TaskOp)>,
    pub(super) notices: Vec<TaskNotice>,
    pub(super) waits: Vec<(String, Duration)>,
    pub(super) inputs: Vec<Input<TaskOut, TaskChanges>>,
    pub(super) done: Option<TaskDone>,
}

impl Course {
    /// Drives a machine to its end; `answer` gives the results of operations on the lane,
    /// and `next` picks which of several open steps ends first.
    pub(super) fn drive(
        machine: &mut TaskMachine,
        first: Input<TaskOut, TaskChanges>,
        mut answer: impl FnMut(&StepName, &LaneOp) -> LaneOut,
        mut next: impl FnMut(usize) -> usize,
    ) -> Self {
        let mut course = Self::default();
        let mut open = Vec::new();
        let mut input = first;
        while course.done.is_none() {
            course.inputs.push(input.clone());
            let turn = machine.next(input);
            course.take(&turn);
            open.extend(turn.commands);
            if course.done.is_some() {
                break;
            }
            assert!(!open.is_empty(), "it asks for nothing and is not done");
            assert!(course.inputs.len() < 10_000, "it never ends");
            input = match open.remove(next(open.len())) {
                Command::Do { step, op } => {
                    let out = match &op {
                        TaskOp::Lane(op) => TaskOut::Lane(answer(&step, op)),
                        TaskOp::Status { .. } => TaskOut::Status { kept: None },
                        TaskOp::Backpressure { .. } => panic!("agents implement the tasks"),
                    };
                    result_of(step, out)
                }
                Command::Wait { step, .. } => Input::Waited {
                    step,
                    at: Timestamp::UNIX_EPOCH,
                },
                Command::Cancel { step } => panic!("{step} is cancelled"),
            };
        }
        course
    }

    pub(super) fn scripted(
        machine: &mut TaskMachine,
        first: Input<TaskOut, TaskChanges>,
        script: &Script,
    ) -> Self {
        let mut used: Vec<&str> = Vec::new();
        let course = Self::drive(
            machine,
            first,
            |step, op| match script.get_key_value(step.as_str()) {
                Some((name, out)) => {
                    used.push(name);
                    out.clone()
                }
                None => success(step, op),
            },
            |_| 0,
        );
        for name in script.keys() {
            assert!(
                used.contains(name),
                "{name} is never asked for: {course:#?}"
            );
        }
        course
    }

    pub(super) fn take(&mut self, turn: &Turn<TaskMachine>) {
        for notice in &turn.notices {
            self.lines.extend(line(notice));
        }
        self.notices.extend(turn.notices.iter().cloned());
        for command in &turn.commands {
            match command {
                Command::Do { step, op } => {
                    self.lines.push(step.to_string());
                    self.ops.push((step.clone(), op.clone()));
                }
                Command::Wait { step, delay } => {
                    self.lines.push(format!("wait {}s", delay.as_secs()));
                    self.waits.push((step.to_string(), *delay));
                }
                Command::Cancel { .. } => {}
            }
        }
        if let Some(done) = &turn.done {
            let blocked = done.blocked.iter();
            self.lines
                .extend(blocked.map(|blocked| format!("{}: {}", blocked.code, blocked.reason)));
        }
        self.done.clone_from(&turn.done);
    }

    /// Returns the operation of the step with this name.
    pub(super) fn op(&self, name: &str) -> &LaneOp {
        let found = self.ops.iter().find(|(step, _)| step.as_str() == name);
        match found {
            Some((_, TaskOp::Lane(op))) => op,
            other => panic!("{name} is {other:?}"),
        }
    }

    /// Returns the lines about attempts, landing and ends, without the steps and pauses.
    pub(super) fn reports(&self) -> Vec<&str> {
        let lines = self.lines.iter().map(String::as_str);
        let is_step = |line: &&str| !line.contains(' ') || line.starts_with("wait ");
        lines.filter(|line| !is_step(line)).collect()
    }
}

/// Writes a notice as one line; none for those of every task.
fn line(notice: &TaskNotice) -> Option<String> {
    Some(match notice {
        TaskNotice::Started(_) | TaskNotice::LaneOpened(_) => return None,
        TaskNotice::Called(call) => match call.task {
            Some(task) => format!("called for {task}.{}", call.iteration),
            None => format!("called for pick {}", call.iteration),
        },
        TaskNotice::Finished(finished, _) => {
            let (task, reason) = (finished.task, &finished.reason);
            let state = finished.state.as_str();
            match reason.is_empty() {
                true => format!("{state} {task}"),
                false => format!("{state} {task}: {reason}"),
            }
        }
        TaskNotice::Status(status) if status.kept.is_some() => format!("kept {}", status.task),
        TaskNotice::Status(status) => format!("{} {}", status.status, status.task),
        TaskNotice::Attempted(attempt, _) => format!(
            "attempt {}.{} {}: {}{}",
            attempt.task,
            attempt.attempt,
            attempt.code,
            attempt.reason,
            match attempt.retry_in_ms {
                Some(_) => ", repeated",
                None => "",
            }
        ),
        TaskNotice::Reviewed(reviewed) => format!(
            "review {} of {}.{}: {}",
            reviewed.round.iteration, reviewed.task, reviewed.attempt, reviewed.round.read.verdict
        ),
        TaskNotice::OnLane(on_lane) => {
            let flags = on_lane.flags.iter().map(|flag| format!(" {}", flag.code));
            format!("change of {}{}", on_lane.task, flags.collect::<String>())
        }
        TaskNotice::Landed(landed) => {
            format!("landed {:?} on {}", numbers(&landed.tasks), &*landed.branch)
        }
        TaskNotice::NotLanded(lane) => {
            format!(
                "not landed {:?}: {}: {}",
                numbers(&lane.tasks),
                lane.code,
                lane.reason
            )
        }
    })
}

fn numbers(tasks: &[review_types::TaskNumber]) -> Vec<u32> {
    tasks.iter().map(|task| task.get()).collect()
}

/// Returns the task with a file that claims that it is complete.
pub(super) fn complete(task: PlannedTask) -> PlannedTask {
    PlannedTask {
        claims: review_types::TaskStatus::Complete,
        ..task
    }
}
