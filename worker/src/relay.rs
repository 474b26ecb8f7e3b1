//! `ralph-worker relay`: speaks with a run as `ralph step` would, and has a worker do it.
//! A relay that ends leaves the step as it is: the next one for it takes its result.

use std::cell::Cell;
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
use tokio::time::{MissedTickBehavior, interval};
use tonic::Status;

use crate::activity_id::ActivityId;
use crate::args::RelayArgs;
use crate::engine::{ATTEMPTS, Engine, Known, NoResult, unique};
use crate::list::workers;
use crate::pieces::{pack, unpack};
use crate::step::{Asks, Order, ToStep, Want};

/// How often the run is sent a sign that the step goes on.
const ALIVE: Duration = Duration::from_secs(15);

/// The error where the run has closed the input.
const GOES_ON: &str = "the run no longer listens; the step goes on";

pub(crate) async fn relay(args: RelayArgs) -> Result<(), NoResult> {
    let identity = format!("relay {}", unique());
    let engine = Engine::new(&args.engine, args.project, identity, args.patience)?;
    let mut input = lines_of_stdin();
    let order = input.recv().await.as_deref().and_then(Order::read);
    let relay = Relay {
        engine,
        order: order.ok_or("expected an order on standard input")?,
        host: args.host,
        is_started: watch::Sender::new(false),
        is_cancelled: Cell::new(false),
    };
    let (to_want, answers) = unbounded_channel();
    let says = async {
        let mut ticks = interval(ALIVE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            print(b"\"alive\"").map_err(|error| NoResult::from(error.to_string()))?;
        }
    };
    let lines = tokio::select! {
        lines = relay.result(answers) => lines,
        ended = relay.listen(input, to_want) => Err(match ended {
            Ok(()) => GOES_ON.into(),
            Err(status) => relay.engine.no_result(&status),
        }),
        ended = says => ended,
    };
    Ok(print(&lines?).map_err(|error| error.to_string())?)
}

struct Relay {
    engine: Engine,
    order: Order,
    /// The worker.
    host: String,
    is_started: watch::Sender<bool>,
    is_cancelled: Cell<bool>,
}

impl Relay {
    /// The lines with which the step ends.
    async fn result(&self, mut answers: UnboundedReceiver<Vec<u8>>) -> Result<Vec<u8>, NoResult> {
        let engine = &self.engine;
        let outcome = loop {
            let outcome = self.carried_out(&mut answers).await;
            let outcome = outcome.map_err(|status| engine.no_result(&status))?;
            // Steps of other runs may have all its slots.
            let is_busy = async || {
                let workers = workers(engine).await?;
                Ok::<_, NoResult>(workers.iter().any(|worker| worker.name == self.host))
            };
            if !was_not_taken(&outcome) || !is_busy().await? {
                break outcome;
            }
        };
        let lines = unpack(engine, lines_of(outcome, &self.host)?).await;
        lines.map_err(|status| engine.no_result(&status))
    }

    /// Starts the step, or finds it, and waits for its end.
    async fn carried_out(
        &self,
        answers: &mut UnboundedReceiver<Vec<u8>>,
    ) -> Result<ActivityExecutionOutcome, Status> {
        let mut is_own = self.start().await?;
        let mut known = Known::default();
        let mut asked: Option<Asked> = None;
        loop {
            let seen = tokio::select! {
                seen = self.engine.follow(&self.order.id, &mut known) => seen?,
                Some(line) = answers.recv(), if asked.is_some() => {
                    let whole = asked.take_if(|asked| {
                        asked.lines.push(line);
                        asked.lines.len() >= asked.wants
                    });
                    if let Some(Asked { answer, lines, .. }) = whole {
                        let lines = pack(&self.engine, &answer, lines).await?;
                        self.engine.keep(&answer, lines).await?;
                    }
                    continue;
                }
            };
            if let Some(outcome) = seen.outcome {
                let is_result = matches!(outcome.value, Some(Value::Result(_)));
                if is_result || is_own || self.is_cancelled.get() {
                    return Ok(outcome);
                }
                // It was ordered by an earlier process of the run, and ended with that.
                is_own = self.start().await?;
                known = Known::default();
                continue;
            }
            let details = seen.info.and_then(|info| info.heartbeat_details);
            let asks = details
                .iter()
                .find_map(|details| details.payloads.first())
                .and_then(|asks| serde_json::from_slice::<Asks>(&asks.data).ok());
            let Some(asks) = asks else { continue };
            if asked.is_none() && self.engine.kept(&asks.answer).await?.is_none() {
                asked = Some(ask(asks)?);
            }
        }
    }

    /// Starts the step; `false` if it was started before.
    async fn start(&self) -> Result<bool, Status> {
        let Order { id, .. } = &self.order;
        let order = pack(&self.engine, id, vec![self.order.attempt(1)]).await?;
        let started = self.engine.start(id, &self.host, order).await?;
        self.is_started.send_replace(true);
        Ok(started)
    }

    /// Reads the lines of the run, until it closes the input.
    async fn listen(
        &self,
        mut input: UnboundedReceiver<Vec<u8>>,
        to_want: UnboundedSender<Vec<u8>>,
    ) -> Result<(), Status> {
        while let Some(line) = input.recv().await {
            match serde_json::from_slice(&line) {
                Ok(ToStep::Content(_) | ToStep::Commits(_)) => {
                    // What is not waited for is not needed.
                    drop(to_want.send(line));
                }
                Ok(ToStep::Cancel) => {
                    self.is_cancelled.set(true);
                    let mut is_started = self.is_started.subscribe();
                    // Its sender is there.
                    drop(is_started.wait_for(|is_started| *is_started).await);
                    self.engine.cancel(&self.order.id).await?;
                }
                Ok(ToStep::Order(_) | ToStep::Alive) => {}
                Err(error) => return Err(Status::invalid_argument(error.to_string())),
            }
        }
        Ok(())
    }
}

/// What the run was asked.
struct Asked {
    /// How many lines answer it.
    wants: usize,
    /// The name by which they are to be kept.
    answer: ActivityId,
    /// Those that have arrived.
    lines: Vec<Vec<u8>>,
}

/// Asks the run for what its step wants.
fn ask(asks: Asks) -> Result<Asked, Status> {
    let line = asks.want.get();
    let want: Want =
        serde_json::from_str(line).map_err(|error| Status::invalid_argument(error.to_string()))?;
    print(format!("{{\"want\":{line}}}").as_bytes())
        .map_err(|error| Status::failed_precondition(error.to_string()))?;
    Ok(Asked {
        wants: want.answers(),
        answer: asks.answer,
        lines: Vec::new(),
    })
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

/// The lines that the run gets at the end of its step; or the reason why they are missing.
fn lines_of(outcome: ActivityExecutionOutcome, host: &str) -> Result<Payloads, String> {
    let failure = match outcome.value {
        Some(Value::Result(lines)) => return Ok(lines),
        Some(Value::Failure(failure)) => failure,
        None => Failure::default(),
    };
    let details = match failure.failure_info {
        Some(FailureInfo::ApplicationFailureInfo(info)) => info.details,
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
