//! Has an agent work on a task in its checkout.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use review::Allowance;
use review_agents::{Backend, Claim, ImplementRequest};
use review_flow::{ContentStore, Executed, Nonce, Step, Stop, session_id};
use review_lane::Lane;
use review_store::LaneDir;
use review_tasks::{AgentClaim, LaneOut, PlannedTask, RejectedAttempt, Worked};
use review_types::{BlockCode, SandboxKind};

use super::LaneExecutor;
use super::brief::Brief;
use super::environment::Role;
use super::watch::Seen;
use crate::agents::Agents;
use crate::error::halted;
use crate::inbox::task_guidance;

/// The folder of the lane with the databases of clients.
const CLIENTS: &str = "clients";

impl LaneExecutor<'_> {
    pub(super) async fn work(
        &self,
        step: Step,
        task: &PlannedTask,
        attempt: u32,
        (agent, last, allowance): (usize, Option<RejectedAttempt>, Allowance),
        texts: &ContentStore,
    ) -> Result<Executed<LaneOut>, Stop> {
        let lane = self.lane().await?;
        self.hidden(&task.hidden);
        let place = lane.task_place(task.number);
        if !place.root.is_dir() {
            // An interrupted attempt removed it: the snapshot says so.
            return Ok(Executed::local(LaneOut::Worked(Worked::Done {
                says: AgentClaim::Done,
                beside: None,
                left_running: false,
            })));
        }
        let settings = &self.run.settings;
        let seat = self.seats.of(task.number)?;
        let doing = self.doing(&place, Role::Implementer);
        let doing = doing.of(task.number, &seat).at(attempt);
        let mut chain = self.implementer.iter();
        let backend = chain
            .nth(agent)
            .ok_or_else(|| halted("the run has no such agent"))?;
        let client = self.client_state(lane, task.number, backend)?;
        let (checkout, _confined) = self.agent_checkout(lane, doing, client).await?;
        let agents = Agents::new(settings, &self.context, &checkout);
        let agent = agents.implementer(backend);
        let agent = agent.map_err(halted)?;
        let guidance = task_guidance(&self.run.dir, task.number).map_err(halted)?;
        let brief = Brief::read(&checkout, &settings.target, task, last, guidance, texts)?;
        let request = ImplementRequest {
            brief: brief.of_attempt(attempt, step.attempt > 1),
            nonce: Nonce::new(&self.seed, &step.name, "implement"),
            session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
            allowance,
            step: step.clone(),
        };
        let watched = self.watch(lane, &place).await?;
        let done = agent.implement(request).await;
        let seen = watched.seen().await?;
        if let Seen::Leak(reason) = seen {
            let usage = match &done {
                Ok(done) => done.usage,
                Err(error) => error.usage,
            };
            return Ok(Executed {
                usage,
                ..Executed::local(LaneOut::Blocked {
                    code: BlockCode::Tampered,
                    reason,
                })
            });
        }
        match done {
            Ok(done) => Ok(Executed {
                by: Some(done.by),
                session: done.session,
                usage: done.usage,
                ..Executed::local(LaneOut::Worked(Worked::Done {
                    says: says(done.says),
                    beside: match seen {
                        Seen::Change(what) => Some(what),
                        Seen::Nothing | Seen::Leak(_) => None,
                    },
                    // The process of bubblewrap itself may end after its command.
                    left_running: done.left_running
                        && self.in_force().await?.opened().sandbox != SandboxKind::Bwrap,
                }))
            }),
            Err(error) => match self.cut()? {
                Some(cut) => Ok(Executed::local(cut)),
                None => {
                    let usage = error.usage;
                    Ok(Executed {
                        usage,
                        ..Executed::local(LaneOut::Worked(Worked::Failed(error)))
                    })
                }
            },
        }
    }
}

fn says(claim: Claim) -> AgentClaim {
    match claim {
        Claim::Done => AgentClaim::Done,
        Claim::AlreadySatisfied => AgentClaim::AlreadySatisfied,
        Claim::Question(text) => AgentClaim::Question { text },
        Claim::Unusable(reason) => AgentClaim::Unusable { reason },
    }
}

/// What a client keeps outside of its checkout.
#[derive(Default)]
pub(super) struct ClientState {
    /// The folders that it writes to, which are there.
    pub(super) folders: Vec<PathBuf>,
    /// The variable that says where its database is: in the lane, for each task apart, and for
    /// the call that picks one.
    pub(super) database: Option<(OsString, OsString)>,
}

impl LaneExecutor<'_> {
    /// The folders of a client, which it would create as well.
    pub(super) fn client_state(
        &self,
        lane: &Lane,
        task: impl fmt::Display,
        backend: &Backend,
    ) -> Result<ClientState, Stop> {
        let env = &self.run.project.env;
        let own = lane.path().join(CLIENTS).join(task.to_string());
        let client = backend.client();
        let database = client.and_then(|client| client.database_in(&own, env));
        let mut folders = backend.state_folders(env);
        folders.extend(database.is_some().then_some(own));
        for folder in &folders {
            create(folder)?;
        }
        Ok(ClientState { folders, database })
    }
}

fn create(folder: &Path) -> Result<(), Stop> {
    let created = LaneDir::at(folder.to_owned()).create_folder("");
    created.map(|_| ()).map_err(halted)
}
