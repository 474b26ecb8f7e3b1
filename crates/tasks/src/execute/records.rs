//! Completion records: compared before a command, written after it.

use std::collections::BTreeMap;

use review::events::{Approval, MustPass, TestResult};
use review_document::file_hash;
use review_flow::Stop;
use review_store::{Reader, RecordLookup, TaskRecord, TreeHash};
use review_types::{Hash, TaskNumber};

use super::{TaskExecutor, halted};
use crate::machine::{PlannedTask, Ran, TaskPlan};

/// The state on which a command runs.
pub(super) struct Proof {
    file: Hash,
    /// `None` for a tree with too many files, for which nothing can be proved.
    pub(super) tree: Option<TreeHash>,
}

impl TaskExecutor {
    /// Returns the records that prove the tasks of a plan, for the gate and status reports.
    ///
    /// # Errors
    /// When files of the unit or the tree cannot be read.
    pub async fn proven(&self, plan: &TaskPlan) -> Result<BTreeMap<TaskNumber, TaskRecord>, Stop> {
        let mut proven = BTreeMap::new();
        for task in plan.tasks() {
            let proof = self.proof(task).await?;
            if let Some(record) = self.recorded(task, &proof) {
                proven.insert(task.number, record);
            }
        }
        Ok(proven)
    }

    pub(super) async fn proof(&self, task: &PlannedTask) -> Result<Proof, Stop> {
        let source = Reader::new(&self.context.root).read(&task.path);
        Ok(Proof {
            file: file_hash(&source.map_err(|error| halted(&error))?),
            tree: self.tree().await?,
        })
    }

    async fn tree(&self) -> Result<Option<TreeHash>, Stop> {
        let tree = self.tree.hash(&self.context).await;
        tree.map_err(|error| halted(&error))
    }

    /// Returns the record that proves a task. An unreadable record proves nothing, and is
    /// replaced by the next one.
    pub(super) fn recorded(&self, task: &PlannedTask, proof: &Proof) -> Option<TaskRecord> {
        let tree = proof.tree?;
        match self.context.state.records().task(&self.unit, task.number) {
            RecordLookup::Record(record) => {
                let proves = record.proves(&task.commands, &task.must_pass, proof.file, tree);
                let unknown = |listed: &MustPass| listed.count(TestResult::Unknown);
                let unknown = record.must_pass.as_ref().map_or(0, unknown);
                let is_named = unknown == 0 || !self.context.require_names;
                (proves && is_named).then_some(record)
            }
            RecordLookup::Unreadable(bad) => {
                tracing::warn!("{bad}");
                None
            }
            RecordLookup::Nothing => None,
        }
    }

    /// Records that a task is complete whose command passed on the files as they are now.
    ///
    /// # Errors
    /// When its file or the tree cannot be read, or the record cannot be written.
    pub async fn record_landed(
        &self,
        task: &PlannedTask,
        proved: (&Ran, Option<&Approval>),
    ) -> Result<(), Stop> {
        let proof = self.proof(task).await?;
        self.put_record(task, &proof, proof.tree, proved)
    }

    /// Records a run that passed; returns whether it, or a concurrent command, changed
    /// the tree, which was `group` when the first of them started.
    pub(super) async fn keep_record(
        &self,
        task: &PlannedTask,
        proof: &Proof,
        group: Option<TreeHash>,
        ran: &Ran,
    ) -> Result<bool, Stop> {
        let now = self.tree().await?;
        let changed = now != proof.tree || now != group;
        self.put_record(task, proof, proof.tree.filter(|_| !changed), (ran, None))?;
        Ok(changed)
    }

    fn put_record(
        &self,
        task: &PlannedTask,
        proof: &Proof,
        tree: Option<TreeHash>,
        (ran, approval): (&Ran, Option<&Approval>),
    ) -> Result<(), Stop> {
        let record = TaskRecord {
            command: task.commands.clone(),
            exit: 0,
            tests_run: ran.tests_run,
            must_pass: ran.must_pass.clone(),
            task: proof.file,
            tree,
            run: self.context.run.id().clone(),
            took_ms: ran.took_ms,
            at: self.context.clock.now(),
            approved: approval.cloned(),
        };
        let records = self.context.state.records();
        let put = records.put_task(&self.unit, task.number, &record);
        put.map_err(|error| halted(&error))
    }
}
