//! Sends the spans of a run to a collector of OpenTelemetry while it goes on.
//!
//! Nothing of it can fail or slow a run: what is not accepted is counted, and told at its end.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use review::EventSink;
use review::events::{Envelope, Event};
use review_agents::{JsonSink, RetryAfter};
use review_flow::{Step, TraceParent};
use review_process::Stop;
use review_report::otlp::{Trace, TraceContext, pairs_of};
use review_report::run::{RunReport, Timeline};
use review_types::{RunId, Timestamp, plural};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::project::Project;
use crate::settings::RunSettings;

/// The path of a collector that takes traces.
const PATH: &str = "/v1/traces";
/// The collector that no variable names.
const COLLECTOR: &str = "http://localhost:4318";
/// The time that a collector has to answer, and all that is left of a run to be sent.
const LIMIT: Duration = Duration::from_secs(10);
/// The time to send what is left of a run that is stopped.
const STOPPED: Duration = Duration::from_secs(2);
/// The time between two looks at what has ended.
const INTERVAL: Duration = Duration::from_secs(5);
/// The most spans of a request.
const BATCH: usize = 512;
/// How often a request is made again.
const RETRIES: u32 = 2;
/// The time before that, where the collector says none.
const PAUSE: Duration = Duration::from_secs(1);

/// Sends the spans that events make, where there is a collector.
pub(crate) struct Traces {
    pub(crate) collector: Option<Collector>,
}

/// The collector of a run, with what is known of the run.
pub(crate) struct Collector {
    sink: JsonSink,
    /// The time between two looks at what has ended.
    interval: Duration,
    /// The time that it has to answer, and all that is left of a run to be sent.
    limit: Duration,
    stop: watch::Receiver<Stop>,
    context: Arc<TraceContext>,
    seen: Mutex<Seen>,
}

/// What is known of a run, and what of it was sent.
struct Seen {
    report: RunReport,
    timeline: Timeline,
    /// What ended before was sent by an earlier process.
    first: Timestamp,
    /// What ended before was taken to be sent.
    taken: Timestamp,
    accepted: usize,
    /// Why the last ones were not accepted.
    why: String,
}

impl Collector {
    /// What an earlier process did, which has sent it.
    pub(crate) fn recall(&self, events: &[Envelope]) {
        let mut seen = self.seen();
        events.iter().for_each(|event| seen.take(event));
        seen.first = seen.last();
        seen.taken = seen.first;
    }

    /// What names the spans of steps to their programs.
    pub(crate) fn trace_parent(&self) -> TraceParent {
        let context = Arc::clone(&self.context);
        Arc::new(move |step: &Step| context.parent_of(step.name.as_str(), step.attempt))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends during `work`, and what is left after it within its time.
    async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let (over, is_over) = watch::channel(false);
        let work = async {
            let done = work.await;
            over.send_replace(true);
            done
        };
        let sending = async {
            tokio::select! {
                biased;
                () = self.send_all(is_over.clone()) => {}
                () = self.give_up(is_over.clone()) => {}
            }
        };
        let (done, ()) = tokio::join!(work, sending);
        self.tell();
        done
    }

    /// Sends until the work is over and nothing is left.
    async fn send_all(&self, mut is_over: watch::Receiver<bool>) {
        loop {
            let waited = timeout(self.interval, is_over.wait_for(|is_over| *is_over));
            let is_over = waited.await.is_ok();
            let spans = self.seen().ended(&self.context, is_over);
            for batch in spans.chunks(BATCH) {
                let rejected = self.send(batch).await;
                let mut seen = self.seen();
                seen.accepted += batch.len();
                if let Err((spans, why)) = rejected {
                    seen.accepted -= spans;
                    seen.why = why;
                }
            }
            if is_over {
                return;
            }
        }
    }

    /// Waits until the work is over, and then as long as what is left may be sent.
    async fn give_up(&self, mut is_over: watch::Receiver<bool>) {
        let mut stop = self.stop.clone();
        let stopped = async {
            let stop = stop.wait_for(|stop| *stop != Stop::Run).await.is_ok();
            sleep(if stop { STOPPED } else { self.limit }).await;
        };
        if is_over.wait_for(|is_over| *is_over).await.is_ok() {
            tokio::select! {
                () = stopped => {}
                () = sleep(self.limit) => {}
            }
        }
    }

    /// Sends spans.
    ///
    /// # Errors
    /// The number of those that were not accepted, and why.
    async fn send(&self, spans: &[Value]) -> Result<(), (usize, String)> {
        let request = self.context.request(spans).to_string().into_bytes();
        let mut retries = RETRIES;
        loop {
            let answer = self.sink.send(request.clone(), self.limit).await;
            let answer = answer.map_err(|why| (spans.len(), why))?;
            match answer.status {
                200..300 => {
                    return match rejected(&answer.body).min(spans.len()) {
                        0 => Ok(()),
                        rejected => Err((rejected, "rejected".to_owned())),
                    };
                }
                429 | 502 | 503 | 504 if retries > 0 => {
                    retries -= 1;
                    let pause = match answer.retry_after {
                        Some(RetryAfter::In(pause)) => pause,
                        Some(RetryAfter::At(_)) | None => PAUSE,
                    };
                    sleep(pause.min(self.limit)).await;
                }
                status => return Err((spans.len(), status.to_string())),
            }
        }
    }

    /// Says how many spans were not accepted.
    fn tell(&self) {
        let seen = self.seen();
        let (lost, spans) = seen.lost(&self.context);
        if lost > 0 {
            let spans = plural(spans, "span", "spans");
            let url = self.sink.url().as_str().trim_end_matches(PATH);
            let why = match &*seen.why {
                "" => "the run was over",
                why => why,
            };
            tracing::warn!("telemetry: {lost} of {spans} not accepted by {url} ({why})");
        }
    }
}

impl Seen {
    fn new(report: RunReport) -> Self {
        Self {
            report,
            timeline: Timeline::default(),
            first: Timestamp::UNIX_EPOCH,
            taken: Timestamp::UNIX_EPOCH,
            accepted: 0,
            why: String::new(),
        }
    }

    fn take(&mut self, event: &Envelope) {
        if self.report.take(event) {
            self.timeline.take(event);
        }
    }

    /// The time of the last event.
    fn last(&self) -> Timestamp {
        let times = self.timeline.times();
        times.map_or(Timestamp::UNIX_EPOCH, |(_, last)| last)
    }

    fn trace<'a>(&'a self, context: &'a TraceContext) -> Trace<'a> {
        Trace {
            context,
            report: &self.report,
            timeline: &self.timeline,
        }
    }

    /// What has ended since the last time, and at the end of the run what it is a part of.
    fn ended(&mut self, context: &TraceContext, is_over: bool) -> Vec<Value> {
        let (from, until) = (self.taken, self.last());
        self.taken = until;
        let trace = self.trace(context);
        if !is_over {
            return trace.steps(from..until);
        }
        let mut spans = trace.steps(from..);
        spans.extend(trace.groups());
        spans
    }

    /// How many spans of this process were not accepted, of how many.
    fn lost(&self, context: &TraceContext) -> (usize, usize) {
        let trace = self.trace(context);
        let spans = trace.steps(self.first..).len() + trace.groups().len();
        (spans - self.accepted, spans)
    }
}

/// The number of spans that a collector rejects in an answer that accepts others.
fn rejected(answer: &[u8]) -> usize {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let rejected = &answer["partialSuccess"]["rejectedSpans"];
    let number = rejected
        .as_u64()
        .or_else(|| rejected.as_str()?.parse().ok());
    usize::try_from(number.unwrap_or_default()).unwrap_or(usize::MAX)
}

/// The variables of OpenTelemetry. An empty one is as one that is not set.
struct Variables<'a>(&'a BTreeMap<OsString, OsString>);

impl<'a> Variables<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        let value = self.0.get(OsStr::new(name))?.to_str()?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// What holds for traces alone, else for all that is sent.
    fn of_traces(&self, name: &str) -> Option<&'a str> {
        let own = self.get(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"));
        own.or_else(|| self.get(&format!("OTEL_EXPORTER_OTLP_{name}")))
    }

    fn limit(&self) -> Duration {
        let limit = self.of_traces("TIMEOUT").and_then(|ms| ms.parse().ok());
        limit.map_or(LIMIT, Duration::from_millis)
    }

    fn sink(&self) -> Option<JsonSink> {
        let exporters = self.get("OTEL_TRACES_EXPORTER").unwrap_or_default();
        let is_off = self.get("OTEL_SDK_DISABLED");
        let is_off = is_off.is_some_and(|is_off| is_off.eq_ignore_ascii_case("true"));
        if is_off || !exporters.split(',').any(|one| one.trim() == "otlp") {
            return None;
        }
        if let Some(other) = self.of_traces("PROTOCOL").filter(|it| *it != "http/json") {
            tracing::warn!("traces are sent as http/json, and not as {other}");
        }
        let all = self.get("OTEL_EXPORTER_OTLP_ENDPOINT").unwrap_or(COLLECTOR);
        let all = format!("{}{PATH}", all.trim_end_matches('/'));
        let url = self.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let headers = pairs_of(self.of_traces("HEADERS").unwrap_or_default());
        match url.unwrap_or(&all).parse() {
            Ok(url) => Some(JsonSink::new(url, headers)),
            Err(error) => {
                tracing::warn!("no traces are sent: the endpoint of OpenTelemetry {error}");
                None
            }
        }
    }
}

impl Traces {
    /// Those that the variables of a process ask for.
    pub(crate) fn of(project: &Project<'_>, run: &RunId, settings: &RunSettings) -> Self {
        let variables = Variables(&project.env);
        let collector = variables.sink().map(|sink| Collector {
            sink,
            interval: INTERVAL,
            limit: variables.limit(),
            stop: project.stop.clone(),
            context: Arc::new(TraceContext::new(run, &project.env)),
            seen: Mutex::new(Seen::new(settings.report())),
        });
        Self { collector }
    }

    /// Sends during `work`, and what is left of it.
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        match &self.collector {
            Some(collector) => collector.during(work).await,
            None => work.await,
        }
    }
}

impl EventSink for Traces {
    fn emit(&self, event: &Envelope) {
        if let Some(collector) = &self.collector {
            collector.seen().take(event);
        }
    }

    fn progress(&self, event: &Envelope) {
        if let (Some(collector), Event::StepStarted(_) | Event::StepFinished(_)) =
            (&self.collector, &event.event)
        {
            collector.seen().timeline.take(event);
        }
    }
}

#[cfg(test)]
mod tests;
