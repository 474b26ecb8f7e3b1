//! The lines as they are written.

use std::collections::BTreeMap;

use review_types::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::stream::{
    Consumption, Fault, ReportedError, RetryAfter, Text, ToolInput, UsageSpan, http_status,
    micro_usd, nullable,
};

/// A line.
#[derive(Deserialize)]
pub(super) struct Line {
    #[serde(rename = "type")]
    pub(super) kind: LineKind,
    pub(super) timestamp: Option<i64>,
    #[serde(rename = "sessionID")]
    pub(super) session: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) part: Part,
    pub(super) error: Option<WireError>,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineKind {
    /// The start of a step.
    StepStart,
    /// A part of the answer.
    Text,
    /// A tool call that has ended.
    ToolUse,
    /// The end of a step.
    StepFinish,
    /// The error that ends the call.
    Error,
    /// Nothing that is read.
    #[serde(other)]
    Other,
}

/// Why a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Finish {
    /// The model is done.
    Stop,
    /// The answer is as long as it may be.
    Length,
    /// The model declined.
    ContentFilter,
    /// The client does not know.
    Unknown,
    /// Another step follows.
    #[serde(other)]
    Other,
}

/// What happened, by the type of the line.
#[derive(Default, Deserialize)]
pub(super) struct Part {
    #[serde(rename = "messageID", default, deserialize_with = "nullable")]
    pub(super) message: String,
    pub(super) text: Option<Text>,
    pub(super) reason: Option<Finish>,
    pub(super) tool: Option<String>,
    pub(super) state: Option<ToolState>,
    pub(super) tokens: Option<Tokens>,
    pub(super) cost: Option<f64>,
}

/// How a tool call went.
#[derive(Deserialize)]
pub(super) struct ToolState {
    pub(super) status: ToolStatus,
    #[serde(default)]
    pub(super) input: ToolInput,
    pub(super) error: Option<Text>,
}

/// Whether a tool did what it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolStatus {
    /// It did.
    Completed,
    /// It failed, or was not allowed.
    #[serde(other)]
    Other,
}

/// The tokens of a step.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) reasoning: u64,
    pub(super) cache: Cache,
}

/// Those of them that the cache served or took.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Cache {
    pub(super) read: u64,
    pub(super) write: u64,
}

/// An error of the client or of the model's service.
#[derive(Deserialize)]
pub(super) struct WireError {
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) data: ErrorData,
}

/// What is known of it.
#[derive(Default, Deserialize)]
pub(super) struct ErrorData {
    pub(super) message: Option<Text>,
    #[serde(rename = "statusCode")]
    pub(super) status: Option<i64>,
    #[serde(rename = "isRetryable")]
    pub(super) retryable: Option<bool>,
    #[serde(rename = "responseHeaders", default, deserialize_with = "nullable")]
    pub(super) headers: BTreeMap<String, Value>,
    #[serde(rename = "responseBody")]
    pub(super) body: Option<Text>,
}

impl Part {
    /// What a step consumed, if it is reported.
    pub(super) fn consumption(&self) -> Option<Consumption> {
        let tokens = self.tokens.as_ref()?;
        let cached = tokens.cache.read.saturating_add(tokens.cache.write);
        Some(Consumption {
            input: tokens.input.saturating_add(cached),
            cache_read: tokens.cache.read,
            cache_write: tokens.cache.write,
            output: tokens.output.saturating_add(tokens.reasoning),
            cost_micro_usd: self.cost.and_then(micro_usd),
            span: UsageSpan::Call,
        })
    }
}

impl WireError {
    /// The error in the terms of all clients.
    pub(super) fn reported(self, timestamp: Option<i64>) -> ReportedError {
        let data = self.data;
        let message = data.message.map(|text| text.0).or(self.name);
        let message = message.unwrap_or_default();
        let status = data.status.and_then(http_status);
        let header = |name: &str| data.headers.get(name)?.as_str();
        ReportedError {
            status,
            retryable: data.retryable,
            retry_after: RetryAfter::of_headers(status, header)
                .or_else(|| RetryAfter::in_body(&data.body?.0)),
            at: timestamp.map(Timestamp::from_unix_ms),
            ..ReportedError::new(Fault::Service, &message)
        }
    }
}
