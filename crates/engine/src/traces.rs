//! Sends the spans of a run to a collector of OpenTelemetry while it goes on.
//!
//! Nothing of it can fail or slow a run: what is not accepted is counted, and told at its end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use review::EventSink;
use review::events::{Envelope, Event};
use review_agents::{JsonSink, RetryAfter};
use review_flow::{Step, TraceParent};
use review_process::Stop;
use review_report::otlp::{Trace, TraceContext, TraceSpan, pairs_of};
use review_report::run::{RunReport, Timeline};
use review_types::{RunId, plural};
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
/// The most spans that wait to be sent.
const QUEUE: usize = 2_048;
/// How often a request is made again.
const RETRIES: u32 = 2;
/// The time before that, where the collector says none.
const PAUSE: Duration = Duration::from_secs(1);

/// Sends the spans that events make.
pub(crate) struct Traces<'a> {
    collector: Option<&'a Collector>,
}

/// The collector of a run, with the spans that it gets.
pub(crate) struct Collector {
    sink: JsonSink,
    limits: Limits,
    stop: watch::Receiver<Stop>,
    context: Arc<TraceContext>,
    sent: Mutex<Sent>,
    is_over: watch::Sender<bool>,
}

/// The times within which a collector is sent to.
#[derive(Clone, Copy, Debug)]
struct Limits {
    interval: Duration,
    end: Duration,
    pause: Duration,
}

/// What there is to send of a run.
struct Sent {
    report: RunReport,
    timeline: Timeline,
    /// The numbers of the spans that are sent or wait for it.
    taken: BTreeSet<usize>,
    /// The first one of this process.
    first: usize,
    queue: VecDeque<TraceSpan>,
    spans: usize,
    lost: usize,
    /// Why the last ones were lost.
    why: String,
}

impl Collector {
    /// The collector that the variables of a process name, if they ask for traces.
    pub(crate) fn of(project: &Project<'_>, run: &RunId, settings: &RunSettings) -> Option<Self> {
        let variables = Variables(&project.env);
        let sink = variables.sink()?;
        let limits = Limits {
            interval: INTERVAL,
            end: variables.limit(),
            pause: PAUSE,
        };
        let context = TraceContext::new(run, &project.env);
        let report = settings.report();
        Some(Self::new(
            sink,
            limits,
            project.stop.clone(),
            context,
            report,
        ))
    }

    fn new(
        sink: JsonSink,
        limits: Limits,
        stop: watch::Receiver<Stop>,
        context: TraceContext,
        report: RunReport,
    ) -> Self {
        Self {
            sink,
            limits,
            stop,
            context: Arc::new(context),
            sent: Mutex::new(Sent {
                report,
                timeline: Timeline::default(),
                taken: BTreeSet::new(),
                first: 0,
                queue: VecDeque::new(),
                spans: 0,
                lost: 0,
                why: String::new(),
            }),
            is_over: watch::Sender::new(false),
        }
    }

    /// Takes in what an earlier process did and has sent.
    pub(crate) fn recall(&self, events: &[Envelope]) {
        let mut sent = self.sent();
        for event in events {
            sent.report.take(event);
            sent.timeline.take(event);
        }
        sent.steps(&self.context);
        sent.first = sent.taken.last().map_or(0, |last| last + 1);
    }

    /// What names the spans of steps to their programs.
    pub(crate) fn trace_parent(&self) -> TraceParent {
        let context = Arc::clone(&self.context);
        Arc::new(move |step: &Step| context.parent_of(step.name.as_str(), step.attempt))
    }

    fn sent(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends during `work`, and what is left after it within its time.
    async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let mut sending = pin!(self.send_all());
        let forever = async {
            (&mut sending).await;
            std::future::pending::<Infallible>().await
        };
        let done = tokio::select! {
            biased;
            done = work => done,
            never = forever => match never {},
        };
        self.is_over.send_replace(true);
        let mut stop = self.stop.clone();
        let stopped = async {
            if stop.wait_for(|stop| *stop != Stop::Run).await.is_err() {
                std::future::pending::<()>().await;
            }
            sleep(STOPPED).await;
        };
        tokio::select! {
            biased;
            () = sending => {}
            () = stopped => {}
            () = sleep(self.limits.end) => {}
        }
        self.tell();
        done
    }

    /// Sends until the work is over and nothing is left.
    async fn send_all(&self) {
        let mut over = self.is_over.subscribe();
        loop {
            let waited = timeout(self.limits.interval, over.wait_for(|is_over| *is_over));
            let is_over = waited.await.is_ok();
            self.sent().collect(&self.context, is_over);
            loop {
                let batch: Vec<_> = self.sent().queue.iter().take(BATCH).cloned().collect();
                if batch.is_empty() {
                    break;
                }
                let rejected = self.send(&batch).await;
                let mut sent = self.sent();
                sent.queue.drain(..batch.len());
                if let Some((spans, why)) = rejected {
                    sent.lose(spans, why);
                }
            }
            if is_over {
                return;
            }
        }
    }

    /// Sends spans; the number of those that were not accepted, and why.
    async fn send(&self, spans: &[TraceSpan]) -> Option<(usize, String)> {
        let request = self.context.request(spans).to_string().into_bytes();
        let mut retries = RETRIES;
        loop {
            let answer = match self.sink.send(request.clone()).await {
                Ok(answer) => answer,
                Err(why) => return Some((spans.len(), why)),
            };
            match answer.status {
                200..300 => {
                    let rejected = rejected(&answer.body).min(spans.len());
                    return (rejected > 0).then(|| (rejected, "rejected".to_owned()));
                }
                429 | 502 | 503 | 504 if retries > 0 => {
                    retries -= 1;
                    let pause = match answer.retry_after {
                        Some(RetryAfter::In(pause)) => pause,
                        Some(RetryAfter::At(_)) | None => self.limits.pause,
                    };
                    sleep(pause.min(self.limits.end)).await;
                }
                status => return Some((spans.len(), status.to_string())),
            }
        }
    }

    /// Says how many spans were not accepted.
    fn tell(&self) {
        let mut sent = self.sent();
        let left = std::mem::take(&mut sent.queue).len();
        if left > 0 {
            sent.lose(left, "the run was over".to_owned());
        }
        if sent.lost > 0 {
            let spans = plural(sent.spans, "span", "spans");
            let url = self.sink.url().as_str().trim_end_matches(PATH);
            let Sent { lost, why, .. } = &*sent;
            tracing::warn!("telemetry: {lost} of {spans} not accepted by {url} ({why})");
        }
    }
}

impl Sent {
    /// The steps that have ended and are not taken.
    fn steps(&mut self, context: &TraceContext) -> Vec<TraceSpan> {
        let trace = Trace {
            context,
            report: &self.report,
            timeline: &self.timeline,
        };
        trace.steps(|at| self.taken.insert(at))
    }

    /// Takes what has ended, and at the end of the run what it is a part of.
    fn collect(&mut self, context: &TraceContext, is_over: bool) {
        let mut new = self.steps(context);
        if is_over {
            let trace = Trace {
                context,
                report: &self.report,
                timeline: &self.timeline,
            };
            new.extend(trace.groups(|at| at >= self.first));
        }
        self.spans += new.len();
        let room = QUEUE - self.queue.len();
        if new.len() > room {
            self.lose(new.len() - room, "too many at once".to_owned());
        }
        self.queue.extend(new.into_iter().take(room));
    }

    fn lose(&mut self, spans: usize, why: String) {
        self.lost += spans;
        self.why = why;
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
            Ok(url) => Some(JsonSink::new(url, headers, self.limit())),
            Err(error) => {
                tracing::warn!("no traces are sent: OTEL_EXPORTER_OTLP_ENDPOINT {error}");
                None
            }
        }
    }
}

impl<'a> Traces<'a> {
    pub(crate) const fn new(collector: Option<&'a Collector>) -> Self {
        Self { collector }
    }

    /// Sends during `work`, and what is left of it.
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        match self.collector {
            Some(collector) => collector.during(work).await,
            None => work.await,
        }
    }
}

impl EventSink for Traces<'_> {
    fn emit(&self, event: &Envelope) {
        if let Some(collector) = self.collector {
            let mut sent = collector.sent();
            if sent.report.take(event) {
                sent.timeline.take(event);
            }
        }
    }

    fn progress(&self, event: &Envelope) {
        if let (Some(collector), Event::StepStarted(_) | Event::StepFinished(_)) =
            (self.collector, &event.event)
        {
            collector.sent().timeline.take(event);
        }
    }
}

#[cfg(test)]
mod tests;
