//! The lines of `gemini -o stream-json`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::WireError;
use crate::stream::{Consumption, Text, ToolInput, nullable};

/// A line.
#[derive(Deserialize)]
pub(super) struct Line {
    #[serde(rename = "type")]
    pub(super) kind: LineKind,
    pub(super) session_id: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) role: Role,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) content: Text,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) tool_name: String,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) tool_id: String,
    #[serde(default)]
    pub(super) parameters: ToolInput,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) status: Status,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) severity: Severity,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) message: Text,
    pub(super) error: Option<WireError>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) stats: Stats,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineKind {
    /// The start of the call.
    Init,
    /// A prompt, or a piece of the answer of the model.
    Message,
    /// A tool call of the model.
    ToolUse,
    /// The end of a tool call.
    ToolResult,
    /// A warning, or the reason of an end without an answer.
    Error,
    /// The end of the call.
    Result,
    /// Nothing that is read.
    #[serde(other)]
    Other,
}

/// Whose message it is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// The model's.
    Assistant,
    /// That of the user or of a tool.
    #[default]
    #[serde(other)]
    Other,
}

/// How a tool call or the call itself ended.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// Well.
    Success,
    /// With an error.
    #[default]
    #[serde(other)]
    Other,
}

/// How bad an error is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Severity {
    /// It may be the reason of an end without an answer.
    Error,
    /// The call goes on.
    #[default]
    #[serde(other)]
    Other,
}

/// What the call consumed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Stats {
    pub(super) models: BTreeMap<String, ModelStats>,
}

/// The part of a model.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ModelStats {
    total_tokens: u64,
    input_tokens: u64,
    pub(super) output_tokens: u64,
    cached: u64,
}

impl ModelStats {
    /// The figures in the terms of all clients. The tokens of thoughts are only
    /// in the total.
    pub(super) fn consumption(&self) -> Consumption {
        let written = self.total_tokens.saturating_sub(self.input_tokens);
        Consumption {
            input: self.input_tokens,
            cache_read: self.cached,
            output: self.output_tokens.max(written),
            ..Consumption::default()
        }
    }
}
