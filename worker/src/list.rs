//! `ralph-worker list`: which server it is, and who works.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use temporalio_protos::temporal::api::enums::v1::TaskQueueType;
use temporalio_protos::temporal::api::taskqueue::v1::{PollerInfo, TaskQueue};
use temporalio_protos::temporal::api::workflowservice::v1::{
    DescribeNamespaceRequest, DescribeTaskQueueRequest,
};
use tokio::time::{Instant, sleep};
use tonic::Status;

use crate::args::ListArgs;
use crate::engine::{Engine, NoResult, POLL, unique};

/// How old the last poll of a worker may be.
const FRESH: Duration = Duration::from_secs(15);

/// The pause before another look.
const PAUSE: Duration = Duration::from_millis(50);

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(10);

/// What a worker says of itself, as its identity.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Signature {
    pub(crate) name: String,
    /// Of ralph.
    pub(crate) version: String,
    pub(crate) slots: u32,
    /// The agents that it has; `None` for all.
    pub(crate) clients: Option<Vec<String>>,
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
    let described = engine.call(LIMIT, request, async |client, request| {
        client.describe_namespace(request).await
    });
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
            if let Err(status) = engine.poll(&engine.roll(), POLL).await {
                return status;
            }
        }
    };
    let looks = async {
        loop {
            let pollers = pollers(engine).await?;
            let own = pollers
                .iter()
                .find(|poller| poller.identity == engine.identity);
            match own.map(last_poll) {
                Some(now) => return Ok((now, pollers)),
                None => sleep(PAUSE).await,
            }
        }
    };
    let seen = tokio::select! {
        status = polls => Err(status),
        seen = looks => seen,
    };
    let (now, pollers) = seen.map_err(|status| engine.no_result(&status))?;
    let fresh = pollers
        .iter()
        .filter(|poller| now.saturating_sub(last_poll(poller)) <= FRESH);
    let mut workers: Vec<Signature> = fresh
        .filter_map(|poller| serde_json::from_str(&poller.identity).ok())
        .collect();
    workers.sort();
    Ok(workers)
}

async fn pollers(engine: &Engine) -> Result<Vec<PollerInfo>, Status> {
    let request = DescribeTaskQueueRequest {
        namespace: engine.namespace.clone(),
        task_queue: Some(TaskQueue {
            name: engine.roll(),
            ..TaskQueue::default()
        }),
        task_queue_type: TaskQueueType::Activity.into(),
        ..DescribeTaskQueueRequest::default()
    };
    let queue = engine.call(LIMIT, request, async |client, request| {
        client.describe_task_queue(request).await
    });
    Ok(queue.await?.pollers)
}

/// When a worker has polled last, by the clock of the server.
fn last_poll(poller: &PollerInfo) -> Duration {
    let seconds = poller.last_access_time.map_or(0, |time| time.seconds);
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
}
