//! The lines as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::stream::{
    Consumption, Fault, MessageStop, MessageUsage, ReportedError, RetryAfter, Text, ToolInput,
    UsageSpan, http_status, micro_usd, nullable,
};

/// A line.
#[derive(Deserialize)]
pub(super) struct Line {
    #[serde(rename = "type")]
    pub(super) kind: LineKind,
    pub(super) subtype: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) message: Option<Message>,
    pub(super) error_status: Option<i64>,
    pub(super) error: Option<Text>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) is_error: bool,
    pub(super) api_error_status: Option<i64>,
    pub(super) result: Option<Text>,
    pub(super) structured_output: Option<Json>,
    pub(super) stop_reason: Option<MessageStop>,
    pub(super) total_cost_usd: Option<f64>,
    pub(super) usage: Option<MessageUsage>,
    #[serde(rename = "modelUsage", default, deserialize_with = "nullable")]
    pub(super) models: BTreeMap<String, ModelUsage>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) permission_denials: Vec<Denial>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) errors: Vec<Text>,
    pub(super) event: Option<ServiceEvent>,
    pub(super) rate_limit_info: Option<Json>,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineKind {
    /// The client itself.
    System,
    /// The model.
    Assistant,
    /// The user, or a tool.
    User,
    /// An event of the model's service, passed on.
    StreamEvent,
    /// The state of a limit of the user's plan.
    RateLimitEvent,
    /// The end of the call.
    Result,
    /// Nothing that is read.
    #[serde(other)]
    Other,
}

/// An event of the service: the start of a message, or what is new in it.
#[derive(Deserialize)]
pub(super) struct ServiceEvent {
    pub(super) message: Option<Message>,
    pub(super) usage: Option<MessageUsage>,
}

/// When a limit of the user's plan that is reached ends.
pub(super) fn limit_end(info: &Json) -> Option<RetryAfter> {
    let is_reached = info.get("status")?.as_str()? == "rejected";
    is_reached.then(|| RetryAfter::of_json(info))?
}

/// The status that the word of a message stands for which the client made up.
pub(super) fn status_of(error: &str) -> Option<u16> {
    match error {
        "authentication_failed" => Some(401),
        "billing_error" => Some(402),
        "invalid_request" => Some(400),
        "rate_limit" => Some(429),
        "server_error" => Some(500),
        _ => None,
    }
}

/// What the model or a tool said.
#[derive(Deserialize)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) content: Content,
    pub(super) usage: Option<MessageUsage>,
}

/// The content of a message: parts, or a string, which is not read.
#[derive(Default)]
pub(super) struct Content(pub(super) Vec<Part>);

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> serde::de::Visitor<'de> for Parts {
            type Value = Content;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an array or a string")
            }

            fn visit_bytes<E>(self, _: &[u8]) -> Result<Content, E> {
                Ok(Content::default())
            }

            fn visit_str<E>(self, _: &str) -> Result<Content, E> {
                Ok(Content::default())
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, seq: A) -> Result<Content, A::Error> {
                let parts = serde::de::value::SeqAccessDeserializer::new(seq);
                Vec::deserialize(parts).map(Content)
            }
        }
        deserializer.deserialize_any(Parts)
    }
}

/// A string, a tool call or its result.
#[derive(Deserialize)]
pub(super) struct Part {
    #[serde(rename = "type", default)]
    pub(super) kind: PartKind,
    pub(super) text: Option<Text>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) input: ToolInput,
    pub(super) tool_use_id: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) is_error: bool,
}

/// What a part is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PartKind {
    /// A tool call.
    ToolUse,
    /// The result of one.
    ToolResult,
    /// Nothing that is read.
    #[default]
    #[serde(other)]
    Other,
}

/// The work of one model.
#[derive(Deserialize)]
pub(super) struct ModelUsage {
    #[serde(rename = "outputTokens", default)]
    pub(super) output: u64,
}

/// A tool call that was not allowed.
#[derive(Deserialize)]
pub(super) struct Denial {
    #[serde(default)]
    pub(super) tool_name: String,
    #[serde(default)]
    pub(super) tool_use_id: String,
}

/// What a call consumed, at the client's own figure of its cost.
pub(super) fn consumption(usage: &MessageUsage, cost: Option<f64>) -> Consumption {
    Consumption {
        input: usage.input(),
        cache_read: usage.cache_read_input_tokens,
        cache_write: usage.cache_creation_input_tokens,
        output: usage.output_tokens,
        cost_micro_usd: cost.and_then(micro_usd),
        span: UsageSpan::Call,
    }
}

impl Line {
    /// The error that the line is, in the terms of all clients.
    pub(super) fn reported(self) -> ReportedError {
        let errors: Vec<_> = self.errors.into_iter().map(|text| text.0).collect();
        let message = match (self.result, errors.is_empty()) {
            (Some(result), _) => result.0,
            (None, false) => errors.join("; "),
            (None, true) => self.subtype.unwrap_or_default(),
        };
        let status = self.api_error_status.and_then(http_status);
        ReportedError::new(Fault::Service, &message).status(status)
    }
}
