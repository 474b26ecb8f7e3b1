//! The task as an agent is given it.

use review::events::AttemptCode;
use review_agents::{BriefFile, Checkout, Rejection, TaskBrief};
use review_flow::{ContentStore, Stop};
use review_tasks::{PlannedTask, RejectedAttempt};

use crate::error::halted;
use crate::settings::ReviewTarget;

/// The files and results of which a brief is made.
pub(super) struct Brief<'a> {
    target: &'a ReviewTarget,
    task: &'a PlannedTask,
    file: Vec<u8>,
    spec: Vec<u8>,
    rejected: Option<(RejectedAttempt, Vec<u8>)>,
    guidance: Vec<String>,
}

impl<'a> Brief<'a> {
    /// Reads the files of a task from its checkout.
    pub(super) fn read(
        checkout: &Checkout,
        target: &'a ReviewTarget,
        task: &'a PlannedTask,
        last: Option<RejectedAttempt>,
        guidance: Vec<String>,
        texts: &ContentStore,
    ) -> Result<Self, Stop> {
        let read = |path: &str| checkout.artifact.read(path).map_err(halted);
        let rejected = last.map(|mut last| {
            // An output may quote what is hidden.
            if !task.hidden.is_empty() && last.code != AttemptCode::ChangeRejected {
                last.tail = None;
            }
            let tail = last.tail.map(|hash| texts.get(&hash).map_err(halted));
            let tail = tail.transpose()?.map(|tail| tail.to_vec());
            Ok((last, tail.unwrap_or_default()))
        });
        Ok(Self {
            target,
            task,
            file: read(&task.path)?,
            spec: read(target.spec())?,
            rejected: rejected.transpose()?,
            guidance,
        })
    }

    pub(super) fn of_attempt(&self, attempt: u32, is_interrupted: bool) -> TaskBrief<'_> {
        let file = |path, text| BriefFile {
            path,
            text,
            is_part: false,
        };
        TaskBrief {
            number: self.task.number,
            title: &self.task.title,
            file: file(&self.task.path, &self.file),
            spec: file(self.target.spec(), &self.spec),
            unit_dir: self.target.unit_dir().unwrap_or_default(),
            commands: &self.task.commands,
            must_pass: &self.task.must_pass,
            attempt,
            is_interrupted,
            rejection: self.rejected.as_ref().map(|(last, tail)| Rejection {
                code: last.code,
                reason: &last.reason,
                tail,
            }),
            guidance: &self.guidance,
        }
    }
}
