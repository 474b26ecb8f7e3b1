//! `ralph-worker relay`: speaks with a run as `ralph step` would, and has a worker do it.
//! A relay that ends leaves the step as it is: the next one for it takes its result.

use std::io::{self, BufRead as _, Write as _};
use std::thread;
use std::time::Duration;

use temporalio_protos::temporal::api::activity::v1::ActivityExecutionOutcome;
use temporalio_protos::temporal::api::activity::v1::activity_execution_outcome::Value;
use temporalio_protos::temporal::api::common::v1::Payloads;
use temporalio_protos::temporal::api::enums::v1::TimeoutType;
use temporalio_protos::temporal::api::failure::v1::Failure;
use temporalio_protos::temporal::api::failure::v1::failure::FailureInfo;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::sleep;
use tonic::Status;

use crate::args::RelayArgs;
use crate::engine::{Activity, Engine, NoResult};
use crate::list::workers;
use crate::pieces::{pack, payloads, unpack};
use crate::step::{FromStep, Order, STEP, ToStep};

/// How often the run hears that the step goes on.
const ALIVE: Duration = Duration::from_secs(15);

/// How often a step is given to its worker.
const ATTEMPTS: i32 = 3;

pub(crate) async fn relay(args: RelayArgs) -> Result<(), NoResult> {
    let identity = format!("relay@{}", std::process::id());
    let engine = Engine::new(&args.engine, args.project.clone(), identity, args.patience)?;
    let mut input = lines_of_stdin();
    let order = input.recv().await.as_deref().and_then(Order::read);
    let order = order.ok_or("expected an order on standard input")?;
    let (to_want, answers) = unbounded_channel();
    let (started, _) = watch::channel(false);
    let outcome = async {
        engine.version().await?;
        let outcome = loop {
            let outcome = carried_out(&engine, &order, &args.host, &started);
            let outcome = outcome.await.map_err(|status| engine.no_result(&status))?;
            // Steps of other runs may have all its slots.
            let is_busy = async || {
                let workers = workers(&engine).await?;
                Ok::<_, NoResult>(workers.iter().any(|worker| worker.name == args.host))
            };
            if !was_not_taken(&outcome) || !is_busy().await? {
                break outcome;
            }
        };
        let lines = lines_of(outcome, &args)?;
        let lines = unpack(&engine, lines).await;
        lines.map_err(|status| engine.no_result(&status))
    };
    let wants = async {
        wait_for(&started).await;
        let ended = answer_wants(&engine, &order, answers).await;
        Err(ended.map_or_else(|status| engine.no_result(&status), |()| GOES_ON.into()))
    };
    let listens = async {
        listen(&engine, &order, input, to_want, &started)
            .await
            .map_err(|status| engine.no_result(&status))?;
        Err(GOES_ON.into())
    };
    let says = async {
        loop {
            print(b"\"alive\"").map_err(|error| NoResult::from(error.to_string()))?;
            sleep(ALIVE).await;
        }
    };
    let lines = tokio::select! {
        lines = outcome => lines,
        ended = wants => ended,
        ended = listens => ended,
        ended = says => ended,
    };
    for line in lines? {
        print(&line).map_err(|error| error.to_string())?;
    }
    Ok(())
}

const GOES_ON: &str = "the run no longer listens; the step goes on";

/// Starts the step, or finds it, and waits for its end.
async fn carried_out(
    engine: &Engine,
    order: &Order,
    host: &str,
    started: &watch::Sender<bool>,
) -> Result<ActivityExecutionOutcome, Status> {
    let activity = Activity {
        kind: STEP,
        id: &order.id,
        queue: &engine.queue_of(host),
        input: payloads(vec![order.clone().attempt(1)]),
        to_start: Some(engine.timeouts.to_start),
        heartbeat: engine.timeouts.heartbeat,
        attempts: ATTEMPTS,
    };
    engine.start(activity).await?;
    started.send_replace(true);
    engine.outcome(&order.id).await
}

async fn wait_for(started: &watch::Sender<bool>) {
    // The sender is there.
    drop(started.subscribe().wait_for(|is_started| *is_started).await);
}

/// Whether no worker took a step in time.
fn was_not_taken(outcome: &ActivityExecutionOutcome) -> bool {
    let failure = match &outcome.value {
        Some(Value::Failure(failure)) => failure.failure_info.as_ref(),
        Some(Value::Result(_)) | None => None,
    };
    matches!(
        failure,
        Some(FailureInfo::TimeoutFailureInfo(info))
            if info.timeout_type() == TimeoutType::ScheduleToStart
    )
}

/// What the run is told of the end of its step; or why there is nothing to tell.
fn lines_of(outcome: ActivityExecutionOutcome, args: &RelayArgs) -> Result<Payloads, String> {
    let failure = match outcome.value {
        Some(Value::Result(lines)) => return Ok(lines),
        Some(Value::Failure(failure)) => failure,
        None => Failure::default(),
    };
    let host = &args.host;
    let details = match failure.failure_info {
        Some(FailureInfo::ApplicationFailureInfo(info)) => info.details,
        Some(FailureInfo::CanceledFailureInfo(info)) => info.details,
        Some(FailureInfo::TimeoutFailureInfo(info)) => {
            let is_taken = info.timeout_type() != TimeoutType::ScheduleToStart;
            return Err(match is_taken {
                true => format!("the worker {host} was lost {ATTEMPTS} times"),
                false => format!("no worker {host} took the step"),
            });
        }
        _ => None,
    };
    let details =
        details.filter(|details| details.payloads.iter().any(|line| !line.data.is_empty()));
    details.ok_or_else(|| format!("the worker {host}: {}", failure.message))
}

/// Hears what the run says, until it says no more.
async fn listen(
    engine: &Engine,
    order: &Order,
    mut input: UnboundedReceiver<Vec<u8>>,
    to_want: UnboundedSender<Vec<u8>>,
    started: &watch::Sender<bool>,
) -> Result<(), Status> {
    while let Some(line) = input.recv().await {
        match serde_json::from_slice(&line) {
            Ok(ToStep::Content(_) | ToStep::Commits(_)) => {
                // What is not waited for is not needed.
                drop(to_want.send(line));
            }
            Ok(ToStep::Cancel) => {
                wait_for(started).await;
                engine.cancel(&order.id).await?;
            }
            Ok(ToStep::Order(_) | ToStep::Alive) => {}
            Err(error) => return Err(Status::invalid_argument(error.to_string())),
        }
    }
    Ok(())
}

/// Asks the run for what its step wants, until the run answers no more.
async fn answer_wants(
    engine: &Engine,
    order: &Order,
    mut answers: UnboundedReceiver<Vec<u8>>,
) -> Result<(), Status> {
    let queue = engine.queue_of_home(&order.key);
    loop {
        let task = engine.next_task(&queue).await?;
        let input = task.input.unwrap_or_default();
        let Some(line) = input.payloads.into_iter().next().map(|line| line.data) else {
            continue;
        };
        let Ok(FromStep::Want(want)) = serde_json::from_slice(&line) else {
            continue;
        };
        print(&line).map_err(|error| Status::unavailable(error.to_string()))?;
        let answer = async {
            let mut lines = Vec::new();
            while lines.len() < want.answers() {
                let Some(line) = answers.recv().await else {
                    break;
                };
                lines.push(line);
            }
            lines
        };
        let beats = async {
            loop {
                sleep(engine.pulse()).await;
                // A step that wants it no longer is seen by its result.
                drop(engine.heartbeat(&task.task_token).await);
            }
        };
        let lines = tokio::select! {
            lines = answer => lines,
            () = beats => continue,
        };
        if lines.len() < want.answers() {
            return Ok(());
        }
        let result = pack(engine, &task.activity_id, lines).await?;
        engine.complete(&task.task_token, result).await?;
    }
}

/// The lines of the standard input. The process may end while one is waited for.
fn lines_of_stdin() -> UnboundedReceiver<Vec<u8>> {
    let (to, lines) = unbounded_channel();
    thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
            if to.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn print(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line)?;
    out.write_all(b"\n")?;
    out.flush()
}
