//! `ralph-worker list`: the version of the server, and its workers.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use temporalio_protos::temporal::api::enums::v1::{DescribeTaskQueueMode, TaskQueueType};
use temporalio_protos::temporal::api::taskqueue::v1::{PollerInfo, TaskQueueVersionSelection};
use temporalio_protos::temporal::api::workflowservice::v1::{
    DescribeNamespaceRequest, DescribeTaskQueueRequest,
};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tonic::Status;

use crate::args::ListArgs;
use crate::engine::{Client, Engine, NoResult, queue, unique};

/// How old the last poll of a worker may be.
pub(crate) const FRESH: Duration = Duration::from_secs(15);

/// How often is looked at most, and the pauses before.
const LOOKS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(50);

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(10);

/// What a worker is, as its identity among the pollers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Signature {
    pub(crate) name: String,
    /// Differs from that of any other worker of its name.
    pub(crate) id: String,
    /// Of ralph.
    pub(crate) version: String,
    pub(crate) slots: u32,
    /// The agents that it has; `None` for all.
    pub(crate) clients: Option<Vec<String>>,
}

impl Signature {
    pub(crate) fn identity(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }
}

#[derive(Serialize)]
struct Listing {
    server: String,
    namespace: String,
    retention_days: i64,
    ms: u128,
    workers: Vec<Signature>,
}

pub(crate) async fn list(args: ListArgs) -> Result<(), NoResult> {
    let identity = format!("list {}", unique());
    let engine = Engine::new(&args.engine, args.project, identity, Duration::ZERO)?;
    let server = engine.version().await?;
    let namespace = engine.namespace.clone();
    let request = DescribeNamespaceRequest {
        namespace: namespace.clone(),
        ..DescribeNamespaceRequest::default()
    };
    let begun = Instant::now();
    let described = engine.call(LIMIT, request, Client::describe_namespace);
    let described = described
        .await
        .map_err(|status| engine.no_result(&status))?;
    let ms = begun.elapsed().as_millis();
    let retention = described
        .config
        .and_then(|config| config.workflow_execution_retention_ttl);
    let listing = Listing {
        server,
        namespace,
        retention_days: retention.map_or(0, |time| time.seconds / (24 * 60 * 60)),
        ms,
        workers: workers(&engine).await?,
    };
    println!(
        "{}",
        serde_json::to_string(&listing).map_err(|error| error.to_string())?
    );
    Ok(())
}

/// The workers that are on the roll.
pub(crate) async fn workers(engine: &Engine) -> Result<Vec<Signature>, NoResult> {
    // A poll of one's own shows what time it is there.
    let polls = async {
        loop {
            if let Err(status) = engine.poll(&engine.roll(), &engine.identity).await {
                return status;
            }
        }
    };
    let looks = async {
        let mut ticks = interval_at(Instant::now() + PAUSE, PAUSE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for _ in 0..LOOKS {
            ticks.tick().await;
            let pollers = pollers(engine).await?;
            let own = pollers
                .iter()
                .find(|poller| poller.identity == engine.identity);
            if let Some(now) = own.map(last_poll) {
                return Ok((now, pollers));
            }
        }
        Err(Status::deadline_exceeded("it does not list who polls"))
    };
    let seen = tokio::select! {
        status = polls => Err(status),
        seen = looks => seen,
    };
    let (now, mut pollers) = seen.map_err(|status| engine.no_result(&status))?;
    pollers.retain(|poller| now.saturating_sub(last_poll(poller)) <= FRESH);
    // One that has another version now is there by both.
    pollers.sort_by_key(last_poll);
    let signed = pollers
        .iter()
        .filter_map(|poller| serde_json::from_str(&poller.identity).ok());
    let workers: BTreeMap<_, _> = signed
        .map(|worker: Signature| ((worker.name.clone(), worker.id.clone()), worker))
        .collect();
    Ok(workers.into_values().collect())
}

/// Those of each partition, which the server knows in this mode alone.
#[expect(deprecated, reason = "nothing else knows them")]
async fn pollers(engine: &Engine) -> Result<Vec<PollerInfo>, Status> {
    let activities = TaskQueueType::Activity.into();
    // What the server has shown of a version, it shows for 5 s: this one it has never shown.
    let versions = TaskQueueVersionSelection {
        build_ids: vec![unique()],
        unversioned: true,
        ..TaskQueueVersionSelection::default()
    };
    let request = DescribeTaskQueueRequest {
        namespace: engine.namespace.clone(),
        task_queue: queue(&engine.roll()),
        api_mode: DescribeTaskQueueMode::Enhanced.into(),
        task_queue_types: vec![activities],
        versions: Some(versions),
        report_pollers: true,
        ..DescribeTaskQueueRequest::default()
    };
    let queue = engine.call(LIMIT, request, Client::describe_task_queue);
    let versions = queue.await?.versions_info.into_values();
    let queues = versions.filter_map(|mut version| version.types_info.remove(&activities));
    Ok(queues.flat_map(|queue| queue.pollers).collect())
}

/// When a worker has polled last, by the clock of the server.
fn last_poll(poller: &PollerInfo) -> Duration {
    let time = poller.last_access_time.unwrap_or_default();
    let part = |number: i64| u64::try_from(number).unwrap_or(0);
    Duration::from_secs(part(time.seconds)) + Duration::from_nanos(part(time.nanos.into()))
}
