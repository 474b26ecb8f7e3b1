//! Sends the spans of a run to a collector of OpenTelemetry at the end of its process.
//!
//! Nothing of it can fail or slow a run: what is not accepted is counted and reported at its end.

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
/// The time that a collector has to answer, and all of a run to be sent.
const LIMIT: Duration = Duration::from_secs(10);
/// The time to send a run that is stopped.
const STOPPED: Duration = Duration::from_secs(2);
/// The most spans of a request.
const BATCH: usize = 512;
/// How often a request is made again.
const RETRIES: u32 = 2;
/// The time before a second try, where the collector gives none.
const PAUSE: Duration = Duration::from_secs(1);

/// Sends the spans that events make, where there is a collector.
pub(crate) struct Traces {
    pub(crate) collector: Option<Collector>,
}

/// The collector of a run, with what is known of the run.
pub(crate) struct Collector {
    sink: JsonSink,
    /// The time that it has to answer, and all of a run to be sent.
    limit: Duration,
    stop: watch::Receiver<Stop>,
    context: Arc<TraceContext>,
    seen: Mutex<Seen>,
}

/// What is known of a run.
struct Seen {
    report: RunReport,
    timeline: Timeline,
    /// What ended before was sent by an earlier process.
    first: Timestamp,
}

/// What was sent.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sent {
    spans: usize,
    accepted: usize,
    /// Why the last ones were not accepted.
    why: String,
}

impl Collector {
    /// What an earlier process did, which has sent it.
    pub(crate) fn recall(&self, events: &[Envelope]) {
        let mut seen = self.seen();
        events.iter().for_each(|event| seen.take(event));
        if let Some((_, last)) = seen.timeline.times() {
            seen.first = last;
        }
    }

    /// What names the spans of steps to their programs.
    pub(crate) fn trace_parent(&self) -> TraceParent {
        let context = Arc::clone(&self.context);
        Arc::new(move |step: &Step| context.parent_of(step.name.as_str(), step.attempt))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what ended in this process, within the time that there is.
    async fn send_all(&self) -> Sent {
        let spans = self.seen().ended(&self.context);
        let mut sent = Sent {
            spans: spans.len(),
            ..Sent::default()
        };
        let sending = async {
            for batch in spans.chunks(BATCH) {
                match self.send(batch).await {
                    Ok(accepted) if accepted == batch.len() => sent.accepted += accepted,
                    Ok(accepted) => {
                        sent.accepted += accepted;
                        sent.why = "rejected".to_owned();
                    }
                    Err(why) => sent.why = why,
                }
            }
        };
        let limit = match *self.stop.borrow() {
            Stop::Run => self.limit,
            Stop::Stop | Stop::Kill => STOPPED.min(self.limit),
        };
        if timeout(limit, sending).await.is_err() && sent.why.is_empty() {
            sent.why = "the run was over".to_owned();
        }
        sent
    }

    /// Sends spans. Returns how many were accepted.
    ///
    /// # Errors
    /// Why none was.
    async fn send(&self, spans: &[Value]) -> Result<usize, String> {
        let request = self.context.request(spans).to_string().into_bytes();
        let mut retries = RETRIES;
        loop {
            let answer = self.sink.send(request.clone(), self.limit).await?;
            match answer.status {
                200..300 => return Ok(spans.len().saturating_sub(rejected(&answer.body))),
                429 | 502 | 503 | 504 if retries > 0 => {
                    retries -= 1;
                    let pause = match answer.retry_after {
                        Some(RetryAfter::In(pause)) => pause,
                        Some(RetryAfter::At(_)) | None => PAUSE,
                    };
                    sleep(pause).await;
                }
                status => return Err(status.to_string()),
            }
        }
    }

    /// Says how many spans were not accepted.
    fn tell(&self, sent: &Sent) {
        let lost = sent.spans - sent.accepted;
        if lost > 0 {
            let spans = plural(sent.spans, "span", "spans");
            let url = self.sink.url().as_str().trim_end_matches(PATH);
            let why = &sent.why;
            tracing::warn!("telemetry: {lost} of {spans} not accepted by {url} ({why})");
        }
    }
}

impl Seen {
    fn take(&mut self, event: &Envelope) {
        if self.report.take(event) {
            self.timeline.take(event);
        }
    }

    /// What ended in this process, and what it is a part of.
    fn ended(&self, context: &TraceContext) -> Vec<Value> {
        let trace = Trace {
            context,
            report: &self.report,
            timeline: &self.timeline,
        };
        trace.spans(self.first)
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
            limit: variables.limit(),
            stop: project.stop.clone(),
            context: Arc::new(TraceContext::new(run, &project.env)),
            seen: Mutex::new(Seen {
                report: settings.report(),
                timeline: Timeline::default(),
                first: Timestamp::UNIX_EPOCH,
            }),
        });
        Self { collector }
    }

    /// Sends the spans, and reports how many were not accepted.
    pub(crate) async fn send(&self) {
        if let Some(collector) = &self.collector {
            let sent = collector.send_all().await;
            collector.tell(&sent);
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
