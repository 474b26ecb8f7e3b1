//! The workers of an engine, which are the hosts of a run.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use review_agents::BaseUrl;
use review_config::{EngineTable, HostName};
use review_process::{Command, Context, Environment, Limits, Redactor, SpawnFault};
use review_types::RunId;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::super::sandbox::Probe;
use super::connection::{Engine, WORKER, variables};
use crate::error::EngineError;
use crate::project::Project;
use crate::settings::RunSettings;

/// How long an engine may take to say which workers it has.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes of an error that are quoted.
const QUOTED: usize = 1024;

/// An engine and its workers, as `ralph-worker list` prints them.
#[derive(Debug, Deserialize)]
pub(crate) struct EngineState {
    /// The version of the server.
    pub(crate) server: String,
    pub(crate) namespace: String,
    /// How long results are kept.
    pub(crate) retention_days: usize,
    /// How long it took to answer.
    pub(crate) ms: u64,
    /// Those that say what they are.
    #[serde(deserialize_with = "readable")]
    pub(crate) workers: Vec<Worker>,
}

/// A worker that waits for steps.
#[derive(Debug, Deserialize)]
pub(crate) struct Worker {
    pub(crate) name: HostName,
    /// The version of ralph there.
    pub(crate) version: String,
    pub(crate) slots: NonZeroUsize,
    /// The agents that it offers; `None` for all.
    #[serde(default)]
    pub(crate) clients: Option<Vec<String>>,
}

fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Worker>, D::Error> {
    let found = Vec::<Value>::deserialize(deserializer)?.into_iter();
    let workers = found.filter_map(|worker| match serde_json::from_value(worker) {
        Ok(worker) => Some(worker),
        Err(error) => {
            tracing::warn!("a worker of the engine is left out: {error}");
            None
        }
    });
    Ok(workers.collect())
}

impl Worker {
    /// What it lacks for a run.
    fn lacks(&self, version: &str, settings: &RunSettings) -> Option<String> {
        let Self { name, clients, .. } = self;
        if self.version != version {
            return Some(format!("{name} has {}", self.version));
        }
        let clients = clients.as_ref()?;
        let mut agents = settings.implementers().map(|agent| agent.name());
        let missing = agents.find(|agent| clients.iter().all(|client| client != agent))?;
        Some(format!("{name} offers no agent `{missing}`"))
    }
}

impl Probe<'_> {
    /// Asks an engine for its workers for the project at a root.
    ///
    /// # Errors
    /// When the program for that is not here, or the engine does not answer.
    pub(crate) async fn workers(
        &self,
        root: &Path,
        url: &BaseUrl,
        table: &EngineTable,
    ) -> Result<EngineState, EngineError> {
        let engine = Engine::new(url, table, root);
        let command = Command {
            env: Environment::Only(variables(WORKER, self.env)),
            limits: Limits {
                wall: Some(PATIENCE),
                ..Limits::default()
            },
            ..Command::new(WORKER, root)
        };
        let command = command.args(engine.args("list"));
        let redactor = Redactor::none();
        let context = Context::new(self.stop.clone(), self.groups, &redactor);
        let ended = review_process::run(command, context).await;
        let ended = ended.map_err(|error| match error.cause {
            SpawnFault::NotFound => EngineError::hinted(
                format!("{WORKER}, which leads to an engine, is not on PATH"),
                "install it as ralph: `cargo install --locked --git URL ralph-worker`",
            ),
            _ => EngineError::new(error.to_string()),
        })?;
        let failed = |why: &str| EngineError::new(format!("engine: {why}"));
        if !ended.success() {
            let said = ended.stderr.tail(QUOTED);
            let last = said.lines().last().filter(|last| !last.is_empty());
            return Err(match last {
                Some(last) => failed(last.strip_prefix("error: ").unwrap_or(last)),
                None => failed(&format!("{WORKER} ended with {}", ended.exit)),
            });
        }
        let state = serde_json::from_slice(ended.stdout.complete().unwrap_or_default());
        state.map_err(|error| failed(&format!("{WORKER} says {error}")))
    }
}

/// The workers of a run, with how many steps each carries out at a time.
pub(crate) type Workers = BTreeMap<HostName, usize>;

/// Finds the workers of a run that an engine carries, which are its hosts from now on if it
/// names none; `None` for any other run.
///
/// # Errors
/// When the engine does not answer, or has no worker for the run.
pub(crate) async fn find_workers(
    project: &Project<'_>,
    settings: &mut RunSettings,
    run: &RunId,
) -> Result<Option<Workers>, EngineError> {
    let Some(url) = &settings.engine else {
        return Ok(None);
    };
    let (root, own) = (project.root.path(), project.version);
    let table = &settings.config.engine;
    let asked = Probe::of(project).workers(root, url, table).await?;
    let mut workers = asked.workers;
    workers.sort_by(|one, other| one.name.cmp(&other.name));
    let is_meant = |name: &HostName| settings.hosts.is_empty() || settings.hosts.contains(name);
    workers.retain(|worker| is_meant(&worker.name));
    let Engine { project: name, .. } = Engine::new(url, table, root);
    let polls = format!("of project {name} polls at {url}");
    for host in &settings.hosts {
        if workers.iter().all(|worker| worker.name != *host) {
            tracing::warn!("no worker {host} {polls}");
        }
    }
    let mut lacks = Vec::new();
    workers.retain(|worker| {
        let lack = worker.lacks(own, settings);
        let fits = lack.is_none();
        lacks.extend(lack);
        fits
    });
    let needs = format!(
        "run {} needs ralph {own}; {}",
        run.short(),
        lacks.join(", ")
    );
    match (workers.is_empty(), lacks.is_empty()) {
        (true, false) => {
            let hint = "install the same version of ralph there, with the agents of the run";
            return Err(EngineError::hinted(needs, hint));
        }
        (true, true) => {
            let message = format!("no worker {polls}");
            let hint = format!("`{WORKER} --engine {url} --root DIR` on a host starts one");
            return Err(EngineError::hinted(message, hint));
        }
        (false, true) => {}
        (false, false) => tracing::warn!("{needs}, and get no steps"),
    }
    if settings.hosts.is_empty() {
        settings.hosts = workers.iter().map(|worker| worker.name.clone()).collect();
    }
    let workers = workers.into_iter();
    let workers = workers.map(|worker| (worker.name, worker.slots.get()));
    Ok(Some(workers.collect()))
}
