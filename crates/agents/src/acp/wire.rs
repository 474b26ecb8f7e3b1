//! The messages of the protocol as they are written.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::stream::{Consumption, Fault, ReportedError, Text, http_status, nullable, status_after};

/// What every message has.
#[derive(Deserialize)]
pub(super) struct Envelope {
    pub(super) id: Option<Json>,
    pub(super) method: Option<Method>,
    pub(super) error: Option<WireError>,
    #[serde(default, deserialize_with = "nullable")]
    params: Update<UpdateKind>,
}

/// What an agent asks or tells.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Method {
    #[serde(rename = "session/update")]
    Update,
    #[serde(rename = "session/request_permission")]
    RequestPermission,
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Update<T> {
    update: T,
}

#[derive(Default, Deserialize)]
struct UpdateKind {
    #[serde(rename = "sessionUpdate", default)]
    kind: Updated,
}

/// What an update is about.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Updated {
    AgentMessageChunk,
    ToolCall,
    ToolCallUpdate,
    UsageUpdate,
    #[default]
    #[serde(other)]
    Other,
}

impl Envelope {
    pub(super) fn updated(&self) -> Updated {
        self.params.update.kind
    }
}

#[derive(Deserialize)]
struct Params<T> {
    params: T,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Default + Deserialize<'de>"))]
struct Answered<T> {
    #[serde(default, deserialize_with = "nullable")]
    result: T,
}

/// The update of a line.
pub(super) fn update<'l, T: Default + Deserialize<'l>>(line: &'l [u8]) -> serde_json::Result<T> {
    serde_json::from_slice::<Params<Update<T>>>(line).map(|line| line.params.update)
}

/// The parameters of a line.
pub(super) fn params<'l, T: Deserialize<'l>>(line: &'l [u8]) -> serde_json::Result<T> {
    serde_json::from_slice::<Params<T>>(line).map(|line| line.params)
}

/// The result of a line.
pub(super) fn result<'l, T: Default + Deserialize<'l>>(line: &'l [u8]) -> serde_json::Result<T> {
    serde_json::from_slice::<Answered<T>>(line).map(|line| line.result)
}

/// A piece of what an agent says.
#[derive(Default, Deserialize)]
pub(super) struct Chunk {
    content: Block,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Block {
    text: Text,
}

impl Chunk {
    pub(super) fn text(self) -> String {
        self.content.text.0
    }
}

/// A tool call, or what became known of it since.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolCall {
    pub(super) tool_call_id: String,
    pub(super) title: Option<Text>,
    pub(super) kind: Option<ToolKind>,
    pub(super) status: Option<ToolStatus>,
    pub(super) locations: Option<Vec<Location>>,
}

/// What a tool does.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolKind {
    Read,
    Edit,
    Delete,
    Move,
    Execute,
    #[default]
    #[serde(other)]
    Other,
}

impl ToolKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Execute => "execute",
            Self::Other => "other",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolStatus {
    Completed,
    Failed,
    #[serde(other)]
    Other,
}

/// A file that a tool is about.
#[derive(Deserialize)]
pub(super) struct Location {
    pub(super) path: String,
}

/// A question for a permission, and what can be answered.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionRequest {
    pub(super) tool_call: ToolCall,
    options: Vec<PermissionOption>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PermissionOption {
    option_id: String,
    kind: OptionKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OptionKind {
    AllowOnce,
    RejectOnce,
    #[serde(other)]
    Other,
}

impl PermissionRequest {
    /// The answer that allows this once, or rejects it.
    pub(super) fn outcome(&self, allows: bool) -> Json {
        let kind = match allows {
            true => OptionKind::AllowOnce,
            false => OptionKind::RejectOnce,
        };
        let option = self.options.iter().find(|option| option.kind == kind);
        let outcome = match option {
            Some(option) => json!({"outcome": "selected", "optionId": option.option_id}),
            None => json!({"outcome": "cancelled"}),
        };
        json!({"outcome": outcome})
    }
}

/// What an agent is, and can.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Initialized {
    pub(super) protocol_version: u64,
    pub(super) agent_capabilities: Capabilities,
    #[serde(deserialize_with = "nullable")]
    pub(super) agent_info: AgentInfo,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Capabilities {
    pub(super) load_session: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct AgentInfo {
    pub(super) name: String,
    pub(super) version: String,
}

/// A session.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Session {
    pub(super) session_id: Option<String>,
    #[serde(deserialize_with = "nullable")]
    modes: Modes,
    #[serde(deserialize_with = "nullable")]
    models: Models,
    #[serde(deserialize_with = "nullable")]
    config_options: Vec<Json>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Modes {
    current_mode_id: String,
    available_modes: Vec<Mode>,
}

#[derive(Deserialize)]
struct Mode {
    id: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Models {
    current_model_id: String,
}

impl Session {
    /// The names of its modes.
    pub(super) fn modes(&self) -> Vec<&str> {
        let modes = self.modes.available_modes.iter();
        let modes: Vec<_> = modes.map(|mode| mode.id.as_str()).collect();
        if !modes.is_empty() {
            return modes;
        }
        let options = self
            .option("mode")
            .and_then(|mode| mode["options"].as_array());
        let values = options.into_iter().flatten();
        values.filter_map(|one| one["value"].as_str()).collect()
    }

    /// The request that sets a mode which is not set, with its parameters.
    pub(super) fn set_mode(&self, session: &str, mode: &str) -> Option<(&'static str, Json)> {
        if self.modes.current_mode_id == mode {
            return None;
        }
        if !self.modes.available_modes.is_empty() {
            let params = json!({"sessionId": session, "modeId": mode});
            return Some(("session/set_mode", params));
        }
        let option = self.option("mode")?;
        let params = json!({"sessionId": session, "configId": option["id"], "value": mode});
        (option["currentValue"] != mode).then_some(("session/set_config_option", params))
    }

    /// The model that answers, unless the agent chooses with each call.
    pub(super) fn model(&self) -> &str {
        let option = self.option("model");
        let option = option.and_then(|model| model["currentValue"].as_str());
        match option.unwrap_or(&self.models.current_model_id) {
            "auto" | "default" => "",
            model => model,
        }
    }

    fn option(&self, category: &str) -> Option<&Json> {
        let mut options = self.config_options.iter();
        options.find(|option| option["category"] == category)
    }
}

/// The end of a turn.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Turn {
    pub(super) stop_reason: TurnStop,
    usage: Option<WireUsage>,
    #[serde(rename = "_meta", deserialize_with = "nullable")]
    meta: Meta,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TurnStop {
    EndTurn,
    MaxTokens,
    MaxTurnRequests,
    Refusal,
    Cancelled,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WireUsage {
    input_tokens: u64,
    output_tokens: u64,
    cached_read_tokens: Option<u64>,
    cached_write_tokens: Option<u64>,
    thought_tokens: Option<u64>,
    total_tokens: u64,
}

/// Where gemini says what it consumed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    quota: Quota,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Quota {
    token_count: TokenCount,
    model_usage: Vec<ModelUsage>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct TokenCount {
    input_tokens: u64,
    output_tokens: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ModelUsage {
    model: String,
    token_count: TokenCount,
}

impl Turn {
    /// What it consumed, if the agent says so. Some agents count the tokens of the cache
    /// and of thoughts among the others, and some beside them.
    pub(super) fn consumption(&self) -> Option<Consumption> {
        if let Some(usage) = self.usage {
            let output = usage.output_tokens + usage.thought_tokens.unwrap_or(0);
            let read = usage.total_tokens.saturating_sub(output);
            return Some(Consumption {
                input: read.max(usage.input_tokens),
                cache_read: usage.cached_read_tokens.unwrap_or(0),
                cache_write: usage.cached_write_tokens.unwrap_or(0),
                output,
                ..Consumption::default()
            });
        }
        let TokenCount {
            input_tokens,
            output_tokens,
        } = self.meta.quota.token_count;
        let told = Consumption {
            input: input_tokens,
            output: output_tokens,
            ..Consumption::default()
        };
        told.is_known().then_some(told)
    }

    /// The model that wrote most of it, if the agent says so.
    pub(super) fn model(&self) -> &str {
        let models = self.meta.quota.model_usage.iter();
        let busiest = models.max_by_key(|model| model.token_count.output_tokens);
        busiest.map_or("", |model| &model.model)
    }
}

/// What a session has cost so far.
#[derive(Default, Deserialize)]
pub(super) struct UsageUpdate {
    cost: Option<Cost>,
}

#[derive(Deserialize)]
struct Cost {
    amount: f64,
    currency: String,
}

impl UsageUpdate {
    /// The cost in US dollars.
    pub(super) fn usd(&self) -> Option<f64> {
        let cost = self.cost.as_ref()?;
        (cost.currency == "USD").then_some(cost.amount)
    }
}

/// An error in place of a result.
#[derive(Deserialize)]
pub(super) struct WireError {
    code: i64,
    #[serde(default, deserialize_with = "nullable")]
    message: Text,
    #[serde(default)]
    data: Json,
}

/// The code of a request that needs a login first.
const AUTH_REQUIRED: i64 = -32_000;

/// The code of an error of the agent itself, which has those of its service as well.
const INTERNAL_ERROR: i64 = -32_603;

/// What comes before a status in the words of agents.
const STATUS: [&str; 3] = ["API Error: ", "status code ", "status "];

impl WireError {
    pub(super) fn reported(self) -> ReportedError {
        let details = self.data["details"].as_str().unwrap_or_default();
        let message = [self.message.0.as_str(), details].join(" ");
        let message = message.trim();
        let in_data = ["status", "statusCode"].map(|key| self.data[key].as_i64());
        let status = match self.code {
            AUTH_REQUIRED => Some(401),
            code => http_status(code)
                .or_else(|| http_status(in_data.into_iter().flatten().next()?))
                .or_else(|| status_after(message, &STATUS)),
        };
        let is_of_service = status.is_some() || self.code == INTERNAL_ERROR;
        let fault = match is_of_service {
            true => Fault::Service,
            false => Fault::Request,
        };
        ReportedError::new(fault, message).status(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(error: Json) -> (Fault, Option<u16>, String) {
        let error: WireError = serde_json::from_value(error).unwrap();
        let ReportedError {
            fault,
            status,
            message,
            ..
        } = error.reported();
        (fault, status, message)
    }

    #[test]
    fn an_error_is_that_of_the_service_where_a_status_or_its_code_says_so() {
        for (error, fault, status, message) in [
            (
                json!({"code": -32000, "message": "Authentication required"}),
                Fault::Service,
                Some(401),
                "Authentication required",
            ),
            (
                json!({"code": 429, "message": "slow down"}),
                Fault::Service,
                Some(429),
                "slow down",
            ),
            (
                json!({"code": -32603, "message": "Internal error: API Error: 400 bad request",
                       "data": {"errorKind": "unknown"}}),
                Fault::Service,
                Some(400),
                "Internal error: API Error: 400 bad request",
            ),
            (
                json!({"code": -32603, "message": "Internal error", "data": {"status": 503, "details": "no"}}),
                Fault::Service,
                Some(503),
                "Internal error no",
            ),
            (
                json!({"code": -32602, "message": "Invalid params: session not found: x"}),
                Fault::Request,
                None,
                "Invalid params: session not found: x",
            ),
        ] {
            let expected = (fault, status, message.to_owned());
            assert_eq!(reported(error), expected);
        }
    }

    #[test]
    fn tokens_of_cache_and_thoughts_are_counted_once() {
        for (turn, input, output) in [
            (
                json!({"usage": {"inputTokens": 10, "outputTokens": 5, "cachedReadTokens": 80,
                                 "cachedWriteTokens": 10, "totalTokens": 105}}),
                100,
                5,
            ),
            (
                json!({"usage": {"inputTokens": 100, "outputTokens": 20, "thoughtTokens": 5,
                                 "cachedReadTokens": null, "totalTokens": 120}}),
                100,
                25,
            ),
            (
                json!({"_meta": {"quota": {"token_count": {"input_tokens": 7, "output_tokens": 3}}}}),
                7,
                3,
            ),
        ] {
            let turn: Turn = serde_json::from_value(turn).unwrap();
            let told = turn.consumption().unwrap();
            assert_eq!((told.input, told.output), (input, output));
        }
        let silent: Turn = serde_json::from_value(json!({"stopReason": "end_turn"})).unwrap();
        assert_eq!(silent.consumption(), None);
    }
}
