//! The spans of a run as a trace of OpenTelemetry, in the JSON of its protocol (OTLP).
//!
//! The names are those of its conventions for generative AI, version 0.1.0. No prompt, answer,
//! title, command, output or path of this computer is in a span.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use percent_encoding::percent_decode_str;
use review_types::{RunId, Timestamp, Usage};
use serde_json::{Value, json};

use crate::run::{RunReport, Span, SpanGroup, SpanKind, SpanState, Timeline};

/// The name of the service, unless a variable gives it another one.
const SERVICE: &str = "ralph";

/// A span of work within this process.
const INTERNAL: u8 = 1;
/// A span of a request to a service.
const CLIENT: u8 = 3;
/// The status of a span that failed, and that of others.
const ERROR: u8 = 2;
const UNSET: u8 = 0;

/// The trace of a run, as the variables of OpenTelemetry want it.
#[derive(Clone, Debug)]
pub struct TraceContext {
    resource: BTreeMap<String, String>,
    trace: String,
    /// The span that the run is a part of; empty for none.
    parent: String,
    run: RunId,
}

/// The attributes of an object that are not null.
fn attributes(object: &Value) -> Vec<Value> {
    let known = object.as_object().into_iter().flatten();
    let known = known.filter(|(_, value)| !value.is_null());
    let attributes = known.map(|(key, value)| {
        let value = match value {
            Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
            Value::Number(number) => json!({"intValue": number.to_string()}),
            text => json!({"stringValue": text}),
        };
        json!({"key": key, "value": value})
    });
    attributes.collect()
}

impl TraceContext {
    /// Returns the trace of a run in a process with these variables.
    pub fn new(run: &RunId, env: &BTreeMap<OsString, OsString>) -> Self {
        let variable = |name: &str| env.get(OsStr::new(name))?.to_str();
        let pairs = variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
        let mut resource: BTreeMap<_, _> = pairs_of(pairs).collect();
        if let Some(name) = variable("OTEL_SERVICE_NAME").filter(|name| !name.is_empty()) {
            resource.insert("service.name".to_owned(), name.to_owned());
        }
        let service = resource.entry("service.name".to_owned());
        service.or_insert_with(|| SERVICE.to_owned());
        let outer = variable("TRACEPARENT").and_then(outer_span);
        let (trace, parent) = match outer {
            Some((trace, span)) => (trace.to_owned(), span.to_owned()),
            None => (digits(run.as_str(), 32), String::new()),
        };
        Self {
            resource,
            trace,
            parent,
            run: run.clone(),
        }
    }

    /// Returns the value of `TRACEPARENT` for the programs of an attempt of a step.
    pub fn parent_of(&self, step: &str, attempt: u32) -> String {
        format!("00-{}-{}-01", self.trace, self.id(step, attempt))
    }

    /// Returns a request with these spans.
    pub fn request(&self, spans: &[Value]) -> Value {
        let resource = attributes(&json!(self.resource));
        let scope = json!({"name": SERVICE, "version": env!("CARGO_PKG_VERSION")});
        json!({"resourceSpans": [{
            "resource": {"attributes": resource},
            "scopeSpans": [{"scope": scope, "spans": spans}],
        }]})
    }

    /// The same for a span whenever it is made.
    fn id(&self, name: &str, attempt: u32) -> String {
        digits(&format!("{} {name} {attempt}", self.run), 16)
    }

    fn id_of_run(&self) -> String {
        self.id("", 0)
    }
}

/// The trace and the span in a value of `TRACEPARENT`.
fn outer_span(value: &str) -> Option<(&str, &str)> {
    let parts: Vec<_> = value.trim().split('-').collect();
    let [version, trace, span, ..] = *parts else {
        return None;
    };
    let is_id = |id: &str, digits: usize| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        id.len() == digits && id.bytes().all(is_digit) && id.bytes().any(|byte| byte != b'0')
    };
    let is_known = version.len() == 2 && version != "ff";
    (is_known && is_id(trace, 32) && is_id(span, 16)).then_some((trace, span))
}

/// The pairs of a list such as `a=1,b=two%20words`. What has no name is skipped.
pub fn pairs_of(list: &str) -> impl Iterator<Item = (String, String)> {
    let pairs = list.split(',').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(key, value)| (key.trim(), value.trim()));
    pairs
        .filter(|(key, _)| !key.is_empty())
        .map(|(key, value)| {
            let value = percent_decode_str(value).decode_utf8_lossy();
            (key.to_owned(), value.into_owned())
        })
}

/// The first hexadecimal digits of the hash of a string.
fn digits(text: &str, digits: usize) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    hash.chars().take(digits).collect()
}

/// A run as a trace.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    /// What it is a part of.
    pub context: &'a TraceContext,
    /// What it did.
    pub report: &'a RunReport,
    /// When it did what.
    pub timeline: &'a Timeline,
}

impl Trace<'_> {
    /// Returns the run, those of its rounds and tasks in which something has ended, and
    /// its steps and pauses that ended from `since` on.
    pub fn spans(&self, since: Timestamp) -> Vec<Value> {
        let mut groups = BTreeMap::new();
        let mut steps = Vec::new();
        for span in self.timeline.spans() {
            let Some(end) = span.end else { continue };
            if let Some(group) = span.group {
                let (_, last) = groups.entry(group).or_insert((span.start, end));
                *last = end.max(*last);
            }
            if end >= since {
                steps.push(self.step(span, end));
            }
        }
        let run = self.timeline.times().map(|times| self.run(times));
        let groups = groups.into_iter();
        let groups = groups.map(|(group, times)| self.group(group, times));
        run.into_iter().chain(groups).chain(steps).collect()
    }

    fn run(&self, times: (Timestamp, Timestamp)) -> Value {
        let of = json!({
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.agent.name": SERVICE,
            "ralph.run": self.context.run,
            "ralph.spec": self.report.spec,
            "ralph.outcome": self.report.outcome,
            "ralph.block_code": self.report.block_code,
        });
        let id = self.context.id_of_run();
        let mut span = self.span(id, "invoke_workflow ralph", times, &of);
        span["parentSpanId"] = json!(self.context.parent);
        span
    }

    fn group(&self, group: SpanGroup, times: (Timestamp, Timestamp)) -> Value {
        let id = self.id_of(group);
        match group {
            SpanGroup::Round(number) => {
                let rounds = self.report.iterations.iter();
                let round = rounds.rev().find(|round| round.iteration == number);
                let scores = round.into_iter().flat_map(|round| {
                    let at = nanos(round.timestamp.clamp(times.0, times.1));
                    round.score.iter().map(move |(name, score)| {
                        let of = attributes(&json!({
                            "gen_ai.evaluation.name": name,
                            "gen_ai.evaluation.score.value": f64::from(score.get()),
                        }));
                        let name = "gen_ai.evaluation.result";
                        json!({"timeUnixNano": at, "name": name, "attributes": of})
                    })
                });
                let of = json!({"ralph.round": number});
                let mut span = self.span(id, &format!("review {}", group.name()), times, &of);
                span["events"] = scores.collect();
                span
            }
            SpanGroup::Task(number) => {
                let mut tasks = self.report.tasks.iter();
                let of = tasks.find(|task| task.id == number).map(|task| {
                    let accepted = task.change.iter().map(|change| change.attempt);
                    let attempts = task.attempts.iter().map(|attempt| attempt.attempt);
                    json!({
                        "ralph.task": number,
                        "ralph.attempts": attempts.chain(accepted).max(),
                        "ralph.state": task.status,
                        "ralph.tests_run": task.tests_run,
                    })
                });
                self.span(id, &group.name(), times, &of.unwrap_or_default())
            }
        }
    }

    fn id_of(&self, group: SpanGroup) -> String {
        self.context.id(&group.name(), 0)
    }

    fn step(&self, span: &Span, end: Timestamp) -> Value {
        let failure = match span.state {
            SpanState::Interrupted => Some("interrupted"),
            SpanState::Finished | SpanState::Open => span.failure,
        };
        let parent = match span.group {
            Some(group) => self.id_of(group),
            None => self.context.id_of_run(),
        };
        let (id, name, kind, mut of) = match span.kind {
            SpanKind::Wait => {
                let start = span.start.unix_ms();
                let id = format!("wait {} {parent} {start}", span.name);
                let id = self.context.id(&id, 0);
                (id, "wait".to_owned(), INTERNAL, json!({}))
            }
            SpanKind::Step => {
                let (name, kind, mut of) = called(span);
                of["ralph.step"] = json!(span.name);
                (self.context.id(&span.name, span.attempt), name, kind, of)
            }
        };
        of["error.type"] = json!(failure);
        let mut made = self.span(id, &name, (span.start, end), &of);
        made["kind"] = json!(kind);
        made["parentSpanId"] = json!(parent);
        made["status"]["code"] = json!(if failure.is_some() { ERROR } else { UNSET });
        made
    }

    /// A span that is a part of the run.
    fn span(
        &self,
        id: String,
        name: &str,
        (start, end): (Timestamp, Timestamp),
        of: &Value,
    ) -> Value {
        json!({
            "traceId": self.context.trace,
            "spanId": id,
            "parentSpanId": self.context.id_of_run(),
            "name": name,
            "kind": INTERNAL,
            "startTimeUnixNano": nanos(start),
            "endTimeUnixNano": nanos(end),
            "attributes": attributes(of),
            "events": [],
            "status": {"code": UNSET},
        })
    }
}

/// The name and kind of the span of a step, and what is known of the agent that it calls.
fn called(span: &Span) -> (String, u8, Value) {
    let agent = match span.word() {
        "review" => "reviewer",
        "apply" => "applier",
        "work" => "implementer",
        word if span.by.is_some() => word,
        word => return (word.to_owned(), INTERNAL, json!({})),
    };
    let by = span.by.as_ref();
    // A service on this computer may name its model by a path.
    let model = by.and_then(|by| by.model.as_deref());
    let model = model.filter(|model| !model.contains(['\\', '~']) && !model.starts_with('/'));
    let (operation, name, kind) = match model {
        Some(model) if by.is_some_and(|by| by.backend == "http") => {
            ("chat", format!("chat {model}"), CLIENT)
        }
        _ => ("invoke_agent", format!("invoke_agent {agent}"), INTERNAL),
    };
    let tokens = span.usage.filter(Usage::has_tokens);
    let cost = span.usage.and_then(|usage| usage.cost_micro_usd);
    #[expect(clippy::cast_precision_loss, reason = "no call costs billions")]
    let cost = cost.map(|micro| micro as f64 / 1e6);
    let of = json!({
        "gen_ai.operation.name": operation,
        "gen_ai.agent.name": agent,
        "gen_ai.provider.name": by.map(|by| provider(&by.backend)),
        "gen_ai.response.model": model,
        "gen_ai.usage.input_tokens": tokens.map(|usage| usage.input_tokens),
        "gen_ai.usage.output_tokens": tokens.map(|usage| usage.output_tokens),
        "ralph.cost_usd": cost,
    });
    (name, kind, of)
}

/// The name of the conventions for who makes the models of a backend, else its own.
fn provider(backend: &str) -> &str {
    match backend {
        "claude" => "anthropic",
        "codex" => "openai",
        "gemini" => "gcp.gemini",
        other => other,
    }
}

/// Nanoseconds since 1970.
fn nanos(at: Timestamp) -> String {
    at.unix_ms().saturating_mul(1_000_000).to_string()
}

#[cfg(test)]
mod tests;
