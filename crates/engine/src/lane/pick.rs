//! Has the agent pick the next of several tasks that are ready.

use review::Allowance;
use review_agents::{Inquiry, InquiryRequest, PickPrompt};
use review_flow::{Executed, Nonce, Step, Stop, session_id};
use review_lane::Place;
use review_store::LaneDir;
use review_tasks::{LaneOut, ReadyTask};
use review_types::TaskNumber;

use super::LaneExecutor;
use super::environment::Role;
use crate::agents::Agents;
use crate::error::halted;

/// The folder of the lane in which the agent picks.
const PICK: &str = "pick";

impl LaneExecutor<'_> {
    /// Asks the agent in a folder with the unit and nothing else, so that nothing that it
    /// writes there is part of a change.
    pub(super) async fn pick(
        &self,
        step: Step,
        tasks: &[ReadyTask],
        allowance: Allowance,
    ) -> Result<Executed<LaneOut>, Stop> {
        let lane = self.lane().await?;
        let folder = LaneDir::at(lane.path().to_owned());
        folder.remove(PICK).map_err(halted)?;
        let folder = folder.create_folder(PICK).map_err(halted)?;
        let place = Place {
            top: folder.clone(),
            root: folder,
        };
        self.show_unit(&place)?;
        let settings = &self.run.settings;
        let backend = self.implementer.first();
        let client = self.client_state(lane, PICK, backend)?;
        let doing = self.doing(&place, Role::Implementer);
        let (checkout, _confined) = self.agent_checkout(lane, doing, client).await?;
        let agents = Agents::new(settings, &self.context, &checkout);
        let agent = agents.implementer(backend);
        let agent = agent.map_err(halted)?;
        let listed = serde_json::to_value(tasks).map_err(halted)?;
        let request = InquiryRequest {
            inquiry: Inquiry::Pick(PickPrompt { tasks: &listed }),
            nonce: Nonce::new(&self.seed, &step.name, "marker"),
            session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
            allowance,
            step,
        };
        match agent.ask(request).await {
            Ok(reply) => {
                let picked = PickPrompt::read(&reply.text);
                let is_ready = |picked: &TaskNumber| tasks.iter().any(|one| one.task == *picked);
                let picked = picked.filter(is_ready);
                if picked.is_none() {
                    let reason = "its answer names none of those that can start";
                    tell_not_picked(tasks, reason);
                }
                Ok(Executed {
                    by: Some(reply.by),
                    session: reply.session,
                    usage: reply.usage,
                    ..Executed::local(LaneOut::Picked(picked))
                })
            }
            Err(error) => match self.cut()? {
                Some(cut) => Ok(Executed::local(cut)),
                None => {
                    tell_not_picked(tasks, &error.message);
                    let usage = error.usage;
                    Ok(Executed {
                        usage,
                        ..Executed::local(LaneOut::NotPicked(error))
                    })
                }
            },
        }
    }
}

/// Warns that the first task starts since the agent picked none.
fn tell_not_picked(tasks: &[ReadyTask], reason: &str) {
    if let Some(first) = tasks.first() {
        tracing::warn!(
            "the agent picked no task, so task {} is next: {reason}",
            first.task
        );
    }
}
