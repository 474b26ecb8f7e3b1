//! The commits of the lane in order, and which of them can have broken a command.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use review_types::TaskNumber;

use super::LaneTip;
use super::command::CommandKey;
use crate::machine::plan::PlannedTask;

/// The commits of the lane that are not landed, in order. Position 0 is the commit that
/// they start from.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail {
    base: Option<LaneTip>,
    commits: Vec<TrailCommit>,
    /// The position up to which no commit can have broken a command: it passed later.
    innocent: BTreeMap<CommandKey, usize>,
    /// The commands that fail without the work of any task, and never passed since.
    fails_before: BTreeSet<CommandKey>,
}

/// A commit of the lane.
#[derive(Clone, Debug)]
struct TrailCommit {
    /// `None` for one that no task is known of.
    task: Option<TaskNumber>,
    tip: LaneTip,
    /// The runner files that it changes.
    configured: Vec<String>,
}

/// A commit that changes runner files.
#[derive(Clone, Debug)]
pub(super) struct Configured {
    pub(super) position: usize,
    pub(super) task: TaskNumber,
    pub(super) files: Vec<String>,
}

impl Trail {
    /// Takes in the tip of a lane that was opened, which may be known.
    pub(super) fn open(&mut self, tip: &LaneTip) {
        match self.at(self.end()) {
            None => self.base = Some(tip.clone()),
            Some(last) if last == tip => {}
            Some(_) => self.commits.push(TrailCommit {
                task: None,
                tip: tip.clone(),
                configured: Vec::new(),
            }),
        }
    }

    /// Appends the commit of a task whose command passed with the change of that commit on
    /// the one of a position. If it fails there later, this very commit is to blame: it passed
    /// with what earlier runs had left behind.
    pub(super) fn push(
        &mut self,
        task: &PlannedTask,
        tip: &LaneTip,
        configured: &[String],
        passed_at: usize,
    ) {
        self.commits.push(TrailCommit {
            task: Some(task.number),
            tip: tip.clone(),
            configured: configured.to_vec(),
        });
        self.note_passed(CommandKey::of(task), passed_at);
    }

    /// Notes that no commit up to a position can have broken a command.
    pub(super) fn note_passed(&mut self, command: CommandKey, at: usize) {
        self.fails_before.remove(&command);
        let known = self.innocent.entry(command).or_default();
        *known = at.max(*known);
    }

    /// Returns the position up to which no commit can have broken a command; `None` if it
    /// never passed on the lane.
    pub(super) fn innocent(&self, command: &CommandKey) -> Option<usize> {
        self.innocent.get(command).copied()
    }

    /// Notes that a command fails without the work of any task.
    pub(super) fn note_fails_before(&mut self, command: CommandKey) {
        self.fails_before.insert(command);
    }

    /// Returns whether a command fails without the work of any task, and never passed since.
    pub(super) fn fails_before(&self, command: &CommandKey) -> bool {
        self.fails_before.contains(command)
    }

    /// Returns the position of the last commit.
    pub(super) const fn end(&self) -> usize {
        self.commits.len()
    }

    /// Returns the commit at a position.
    pub(super) fn at(&self, position: usize) -> Option<&LaneTip> {
        match position.checked_sub(1) {
            None => self.base.as_ref(),
            Some(at) => self.commits.get(at).map(|commit| &commit.tip),
        }
    }

    /// Returns the task whose commit is at a position.
    pub(super) fn task_at(&self, position: usize) -> Option<TaskNumber> {
        let at = position.checked_sub(1)?;
        self.commits.get(at).and_then(|commit| commit.task)
    }

    /// Returns the commits that change runner files, the last one first.
    pub(super) fn configured(&self) -> VecDeque<Configured> {
        let commits = self.commits.iter().enumerate().rev();
        let configured = commits.filter_map(|(at, commit)| {
            let files = commit.configured.clone();
            let task = commit.task.filter(|_| !files.is_empty())?;
            Some(Configured {
                position: at + 1,
                task,
                files,
            })
        });
        configured.collect()
    }

    /// Returns the tasks whose commits are up to a position, each once, by number.
    pub(super) fn tasks_up_to(&self, position: usize) -> BTreeSet<TaskNumber> {
        let commits = self.commits.iter().take(position);
        commits.filter_map(|commit| commit.task).collect()
    }

    /// Starts over from the last commit, which is landed with all before it: all commands
    /// passed.
    pub(super) fn land(&mut self) {
        self.base = self
            .commits
            .pop()
            .map(|commit| commit.tip)
            .or(self.base.take());
        self.commits.clear();
        self.fails_before.clear();
        for position in self.innocent.values_mut() {
            *position = 0;
        }
    }
}
