//! Completion records: compared before a command, written after it.

use std::collections::BTreeSet;

use review::Halt;
use review_document::file_hash;
use review_types::{Hash, TaskNumber};

use super::{TaskExecutor, halted};
use crate::machine::{PlannedTask, Ran};
use crate::record::{RECORD_VERSION, Subject, TaskRecord};

/// What a command is about to be run on.
pub(super) struct Proof {
    file: Hash,
    tree: Hash,
}

impl TaskExecutor {
    /// The tasks that a record proves: what the gate and a status report go by.
    ///
    /// # Errors
    /// When files of the unit, the tree or the records cannot be read.
    pub async fn proven(&self) -> Result<BTreeSet<TaskNumber>, Halt> {
        let mut proven = BTreeSet::new();
        for task in self.plan.tasks() {
            let proof = self.proof(task).await?;
            if self.recorded(task, &proof)?.is_some() {
                proven.insert(task.number);
            }
        }
        Ok(proven)
    }

    pub(super) async fn proof(&self, task: &PlannedTask) -> Result<Proof, Halt> {
        let source = self.context.files.read(&task.path);
        let source =
            source.map_err(|error| halted(&format!("{} cannot be read", task.path), &error))?;
        Ok(Proof {
            file: file_hash(&source),
            tree: self.tree().await?,
        })
    }

    async fn tree(&self) -> Result<Hash, Halt> {
        let tree = self.tree.hash(&self.context).await;
        tree.map_err(|error| halted("the tree cannot be read", &error))
    }

    /// The record that proves a task. One that cannot be understood proves
    /// nothing, and is replaced by the next.
    pub(super) fn recorded(
        &self,
        task: &PlannedTask,
        proof: &Proof,
    ) -> Result<Option<TaskRecord>, Halt> {
        let bytes = self.context.files.record(task.number).map_err(|error| {
            halted(
                &format!("the record of task {} cannot be read", task.number),
                &error,
            )
        })?;
        let record = bytes.and_then(|bytes| serde_json::from_slice::<TaskRecord>(&bytes).ok());
        let subject = Subject {
            command: &task.commands,
            file: proof.file,
            tree: proof.tree,
        };
        Ok(record.filter(|record| record.proves(&subject)))
    }

    /// Records a run that passed; says whether it changed the tree.
    pub(super) async fn keep_record(
        &self,
        task: &PlannedTask,
        proof: &Proof,
        ran: &Ran,
    ) -> Result<bool, Halt> {
        let changed = self.tree().await? != proof.tree;
        let record = TaskRecord {
            v: RECORD_VERSION,
            task: task.number,
            command: task.commands.clone(),
            exit: 0,
            tests_run: ran.tests_run,
            took_ms: ran.took_ms,
            file: proof.file,
            tree: (!changed).then_some(proof.tree),
            run: self.context.run.clone(),
            at: self.context.clock.now(),
        };
        let failed = |error: &dyn std::error::Error| {
            halted(
                &format!("the record of task {} cannot be written", task.number),
                error,
            )
        };
        let json = serde_json::to_vec(&record).map_err(|error| failed(&error))?;
        let written = self.context.files.write_record(task.number, &json);
        written.map_err(|error| failed(&error))?;
        Ok(changed)
    }
}
