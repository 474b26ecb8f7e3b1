//! Takes what a host answers, after the checks that it would have had at home.

use std::io::Write as _;
use std::path::PathBuf;

use review_config::HostName;
use review_flow::{ContentStore, Executed, Stop};
use review_tasks::{LaneOp, LaneOut, Ran, Worked};

use super::super::{LaneExecutor, fault, stopped};
use super::{Bytes, StepOrder, StepResult};
use crate::error::halted;

impl LaneExecutor<'_> {
    /// Takes the result of a step, after the checks that it would have had here.
    pub(super) async fn take(
        &self,
        (host, order): (&HostName, &StepOrder),
        result: StepResult,
        texts: &ContentStore,
    ) -> Result<Executed<LaneOut>, Stop> {
        let mut executed = result.executed;
        match (&order.op, &mut executed.out) {
            (_, LaneOut::Cut(_) | LaneOut::Blocked { .. })
            | (LaneOp::Checkout { .. }, LaneOut::CheckedOut)
            | (LaneOp::Work { .. }, LaneOut::Worked(Worked::Done { .. })) => {}
            (LaneOp::Work { .. }, LaneOut::Worked(Worked::Failed(error))) => {
                error.message = format!("host {host}: {}", error.message);
            }
            (LaneOp::Checkout { .. }, LaneOut::SetupFailed(ran))
            | (LaneOp::Gate { .. }, LaneOut::Gated(ran) | LaneOut::SetupFailed(ran)) => {
                self.bring_home(ran)
            }
            (
                LaneOp::Snapshot {
                    task,
                    attempt,
                    base,
                },
                LaneOut::Snapshot {
                    commit,
                    tree,
                    files,
                    fault: their_fault,
                    ..
                },
            ) => {
                let pack = result.commits;
                let Bytes(pack) = pack.ok_or_else(|| halted("a host sends no commit"))?;
                self.lane().await?.unpack(pack).await.map_err(stopped)?;
                let made = Some(&*commit);
                let accepted = self.take_snapshot(task, *attempt, base, made).await?;
                *tree = accepted.tree;
                *files = u32::try_from(accepted.files).unwrap_or(u32::MAX);
                if let Some(found) = &accepted.fault {
                    *their_fault = Some(fault(found));
                }
            }
            _ => return Err(halted("a host answers with a result of another step")),
        }
        let of_step = format!("{}-", order.step.name.as_str().replace('/', "."));
        for (name, Bytes(log)) in result.logs {
            if name.contains(&of_step) {
                self.run.dir.log(&name).write_all(&log).map_err(halted)?;
            }
        }
        for Bytes(content) in result.contents {
            texts.put(content);
        }
        Ok(executed)
    }

    /// Marks a run of a command as that of another computer; its log is here now.
    fn bring_home(&self, ran: &mut Ran) {
        ran.elsewhere = true;
        if let Some(log) = &mut ran.log {
            let name = PathBuf::from(&*log);
            let name = name.file_name().unwrap_or_default().to_string_lossy();
            let root = self.run.project.root.path();
            *log = self.run.dir.log(&name).shown(root);
        }
    }
}
