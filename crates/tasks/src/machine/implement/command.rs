//! The commands that have to pass with the work of all tasks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use review_lane::TreeId;

use super::work::KnownTests;
use crate::machine::lane::{GateCommand, GateKind, LaneOp};
use crate::machine::op::Ran;
use crate::machine::plan::PlannedTask;

/// What makes two commands the same: their steps and the tests that must pass.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CommandKey {
    steps: Vec<String>,
    must_pass: Vec<String>,
}

impl CommandKey {
    pub(super) fn of(task: &PlannedTask) -> Self {
        Self {
            steps: task.commands.clone(),
            must_pass: task.must_pass.clone(),
        }
    }
}

/// The last runs of commands on one tree, which are not repeated.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeRuns {
    tree: Option<TreeId>,
    ran: BTreeMap<CommandKey, Ran>,
}

impl TreeRuns {
    /// Notes a run on a tree; what is known of another tree is forgotten. Because of a pass
    /// on another computer no run is left out here.
    pub(super) fn note(&mut self, tree: &TreeId, command: CommandKey, ran: &Ran) {
        if ran.elsewhere && ran.failure.is_none() {
            return;
        }
        if self.tree.as_ref() != Some(tree) {
            self.tree = Some(tree.clone());
            self.ran.clear();
        }
        self.ran.insert(command, ran.clone());
    }

    /// Returns the last run of a command on a tree.
    pub(super) fn last(&self, tree: &TreeId, command: &CommandKey) -> Option<&Ran> {
        let is_of = self.tree.as_ref() == Some(tree);
        self.ran.get(command).filter(|_| is_of)
    }

    /// Returns whether a command passed on a tree in which nothing was left by any other run.
    pub(super) fn proves(&self, tree: &TreeId, command: &CommandKey) -> bool {
        let last = self.last(tree, command);
        last.is_some_and(|ran| ran.fresh && ran.failure.is_none())
    }
}

impl GateCommand {
    pub(super) fn key(&self) -> CommandKey {
        match self {
            Self::Task(task) => CommandKey::of(task),
            Self::Check(command) => CommandKey {
                steps: vec![command.clone()],
                must_pass: Vec::new(),
            },
        }
    }

    /// Returns the operation that runs it on a tree.
    pub(super) fn run_on(&self, tree: &TreeId, kind: GateKind, known: &KnownTests) -> LaneOp {
        LaneOp::Gate {
            command: self.clone(),
            tree: tree.clone(),
            kind,
            known: Vec::from_iter(known.get(&self.key().steps).copied()),
        }
    }

    /// Notes the tests that it runs without the work of any task.
    pub(super) fn note_tests(&self, known: &mut KnownTests, ran: &Ran) {
        if let Some(tests) = &ran.tests {
            known.insert(self.key().steps, tests.names);
        }
    }
}

/// Writes it with what it is of, as `` `cargo test` of task 1 ``.
impl fmt::Display for GateCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(task) => write!(f, "`{}` of task {}", task.commands.join("; "), task.number),
            Self::Check(command) => write!(f, "`{command}` (`lane.check`)"),
        }
    }
}

/// Returns each command of these tasks once, with the last task that has it, and then the
/// one of `lane.check`.
pub(super) fn distinct(
    members: &[&PlannedTask],
    others: &[&PlannedTask],
    check: Option<&str>,
) -> VecDeque<GateCommand> {
    let mut known = BTreeSet::new();
    let mut commands = VecDeque::new();
    for task in members.iter().rev().chain(others.iter().rev()) {
        let proves = !task.commands.is_empty();
        if proves && known.insert(CommandKey::of(task)) {
            commands.push_front(GateCommand::Task((*task).clone()));
        }
    }
    let check = check.map(|command| GateCommand::Check(command.to_owned()));
    commands.extend(check.filter(|check| !known.contains(&check.key())));
    commands
}
