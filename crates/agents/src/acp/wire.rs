//! The messages of the protocol as they are written.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::stream::{
    Consumption, Fault, NoEvent, ReportedError, Text, ToolEnd, http_status, status_after,
};

/// A message of an agent.
pub(super) enum Message {
    /// The end of the request with an id: its result, or an error.
    Answer(u64, Result<Json, Json>),
    /// A request of the agent with its id, a method and parameters.
    Request(Json, String, Json),
    /// A piece of a message in a session.
    Chunk(String, String),
    /// What else it tells.
    Update(Json),
    /// Nothing that is read.
    Other,
}

/// A piece of a message. It may hold half of a character.
#[derive(Deserialize)]
struct ChunkLine {
    params: ChunkParams,
}

#[derive(Deserialize)]
struct ChunkParams {
    #[serde(default, rename = "sessionId")]
    session: Text,
    update: Chunk,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(rename = "sessionUpdate")]
    _kind: ChunkKind,
    content: Block,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChunkKind {
    AgentMessageChunk,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default)]
    text: Text,
}

impl Message {
    pub(super) fn read(line: &[u8]) -> Result<Self, NoEvent> {
        if let Ok(chunk) = serde_json::from_slice::<ChunkLine>(line) {
            let ChunkParams { session, update } = chunk.params;
            return Ok(Self::Chunk(session.0, update.content.text.0));
        }
        let message = serde_json::from_slice(line);
        let message = message.or_else(|_| serde_json::from_slice(&without_halves(line)));
        let mut message: Json = message.map_err(|_| NoEvent)?;
        let can_be_answered = message.get("id").is_some_and(is_id);
        let [id, method, params, error, result] = ["id", "method", "params", "error", "result"]
            .map(|key| match message.get_mut(key) {
                Some(value) => value.take(),
                None => Json::Null,
            });
        Ok(match (method.as_str(), id.as_u64()) {
            (Some("session/update"), _) => Self::Update(params["update"].clone()),
            (Some(method), _) if can_be_answered => Self::Request(id, method.into(), params),
            (None, Some(id)) if error.is_null() => Self::Answer(id, Ok(result)),
            (None, Some(id)) => Self::Answer(id, Err(error)),
            (Some(_) | None, _) => Self::Other,
        })
    }
}

/// The most bytes of a name or an id that is kept or sent back.
const MAX_NAME: usize = 512;

/// The most files of a tool call.
const MAX_FILES: usize = 64;

/// The most bytes of the path of one.
const MAX_PATH: usize = 4 * 1024;

/// Whether a request with this id can be answered.
fn is_id(id: &Json) -> bool {
    id.is_null() || id.is_number() || id.as_str().is_some_and(is_name)
}

fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME
}

/// The line with `\u{fffd}` for each half of a character, which is not a character.
fn without_halves(line: &[u8]) -> Vec<u8> {
    let mut line = line.to_vec();
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += match half(&line[at..]) {
            Some(Half::First) if half(&line[at + 6..]) == Some(Half::Second) => 12,
            Some(_) => {
                line[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            None if *byte == b'\\' => 2,
            None => 1,
        };
    }
    line
}

#[derive(PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// The half of a character whose escape `text` starts with.
fn half(text: &[u8]) -> Option<Half> {
    let [b'\\', b'u', b'd' | b'D', third, rest @ ..] = text else {
        return None;
    };
    let is_escape = rest.len() >= 2 && rest[..2].iter().all(u8::is_ascii_hexdigit);
    match third.to_ascii_lowercase() {
        b'8' | b'9' | b'a' | b'b' if is_escape => Some(Half::First),
        b'c'..=b'f' if is_escape => Some(Half::Second),
        _ => None,
    }
}

/// A tool call, or what became known of it since.
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) tool: Option<String>,
    pub(super) title: Option<String>,
    pub(super) files: Option<Vec<String>>,
    pub(super) end: Option<ToolEnd>,
}

impl ToolCall {
    pub(super) fn of(told: &Json) -> Self {
        let text = |key: &str| told[key].as_str().map(str::to_owned);
        let path = |at: &Json| {
            let path = at["path"].as_str().filter(|path| path.len() <= MAX_PATH);
            path.unwrap_or_default().to_owned()
        };
        let content = told["content"].as_array().into_iter().flatten();
        let diffs = content.filter(|block| block["type"] == "diff");
        let files = told["locations"].as_array();
        let files = files.map(|files| files.iter().chain(diffs).map(path).collect::<Vec<_>>());
        let name = |key| text(key).filter(|name| is_name(name));
        Self {
            id: name("toolCallId").unwrap_or_default(),
            tool: name("kind"),
            title: text("title"),
            files: files.filter(|files| files.len() <= MAX_FILES),
            end: match told["status"].as_str() {
                Some("completed") => Some(ToolEnd::Completed),
                Some("failed") => Some(ToolEnd::Failed),
                Some(_) | None => None,
            },
        }
    }
}

/// The answer to a request for a permission that allows it once, or rejects it.
pub(super) fn permission(options: &Json, allows: bool) -> Json {
    let kind = if allows { "allow_once" } else { "reject_once" };
    let mut options = options.as_array().into_iter().flatten();
    let option = options.find(|option| option["kind"] == kind);
    let id = option.and_then(|option| option["optionId"].as_str());
    let outcome = match id.filter(|id| is_name(id)) {
        Some(id) => json!({"outcome": "selected", "optionId": id}),
        None => json!({"outcome": "cancelled"}),
    };
    json!({"outcome": outcome})
}

/// The response of an agent that opened a session.
pub(super) struct Session(pub(super) Json);

impl Session {
    /// The names of its modes.
    pub(super) fn modes(&self) -> Vec<&str> {
        let offered = self.0["modes"]["availableModes"].as_array();
        let options = || self.option("mode")["options"].as_array();
        let modes = offered.or_else(options).into_iter().flatten();
        modes
            .filter_map(|mode| mode["id"].as_str().or(mode["value"].as_str()))
            .collect()
    }

    /// The request that sets a mode which is not set, with its parameters.
    pub(super) fn set_mode(&self, session: &str, mode: &str) -> Option<(&'static str, Json)> {
        let modes = &self.0["modes"];
        if modes.is_object() {
            let params = json!({"sessionId": session, "modeId": mode});
            return (modes["currentModeId"] != mode).then_some(("session/set_mode", params));
        }
        let option = self.option("mode");
        let params = json!({"sessionId": session, "configId": option["id"], "value": mode});
        (option["currentValue"] != mode).then_some(("session/set_config_option", params))
    }

    /// The model that answers, unless the agent chooses with each call.
    pub(super) fn model(&self) -> &str {
        let option = self.option("model")["currentValue"].as_str();
        match option.or(self.0["models"]["currentModelId"].as_str()) {
            None | Some("auto" | "default") => "",
            Some(model) => model,
        }
    }

    fn option(&self, category: &str) -> &Json {
        let options = self.0["configOptions"].as_array();
        let mut options = options.into_iter().flatten();
        let found = options.find(|option| option["category"] == category);
        found.unwrap_or(&Json::Null)
    }
}

/// What a turn consumed, if the agent says so: in the protocol's own place, or where gemini
/// has it. Some agents count the tokens of the cache and of thoughts among the others, and
/// some beside them.
pub(super) fn consumption(turn: &Json) -> Option<Consumption> {
    let (usage, quota) = (&turn["usage"], &turn["_meta"]["quota"]["token_count"]);
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    let output = count("outputTokens").saturating_add(count("thoughtTokens"));
    let read = count("totalTokens").saturating_sub(output);
    let told = match usage.is_object() {
        true => Consumption {
            input: read.max(count("inputTokens")),
            cache_read: count("cachedReadTokens"),
            cache_write: count("cachedWriteTokens"),
            output,
            ..Consumption::default()
        },
        false => Consumption {
            input: quota["input_tokens"].as_u64().unwrap_or(0),
            output: quota["output_tokens"].as_u64().unwrap_or(0),
            ..Consumption::default()
        },
    };
    told.is_known().then_some(told)
}

/// The model that wrote most of a turn, if the agent says so.
pub(super) fn model(turn: &Json) -> &str {
    let models = turn["_meta"]["quota"]["model_usage"].as_array();
    let models = models.into_iter().flatten();
    let busiest = models.max_by_key(|model| model["token_count"]["output_tokens"].as_u64());
    busiest.map_or("", |model| model["model"].as_str().unwrap_or_default())
}

/// The code of a request that needs a login first.
const AUTH_REQUIRED: i64 = -32_000;

/// The code of an error of the agent itself, which has those of its service as well.
const INTERNAL_ERROR: i64 = -32_603;

/// What comes before a status in the words of agents.
const STATUS: [&str; 3] = ["API Error: ", "status code ", "status "];

/// An error in place of a result.
pub(super) fn reported(error: &Json) -> ReportedError {
    let data = &error["data"];
    let said = [&error["message"], &data["details"]].map(|one| one.as_str().unwrap_or_default());
    let message = said.join(" ");
    let code = error["code"].as_i64().unwrap_or(INTERNAL_ERROR);
    let in_data = data["status"].as_i64().or(data["statusCode"].as_i64());
    let status = match code {
        AUTH_REQUIRED => Some(401),
        code => http_status(code)
            .or_else(|| http_status(in_data?))
            .or_else(|| status_after(&message, &STATUS)),
    };
    let fault = match status.is_some() || code == INTERNAL_ERROR {
        true => Fault::Service,
        false => Fault::Request,
    };
    ReportedError::new(fault, message.trim()).status(status)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let expected = ReportedError::new(fault, message).status(status);
            assert_eq!(reported(&error), expected);
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
            (
                json!({"usage": {"outputTokens": u64::MAX, "thoughtTokens": 1}}),
                0,
                u64::MAX,
            ),
        ] {
            let told = consumption(&turn).unwrap();
            assert_eq!((told.input, told.output), (input, output));
        }
        assert_eq!(consumption(&json!({"stopReason": "end_turn"})), None);
    }

    #[test]
    fn a_piece_of_a_message_may_hold_half_of_a_character() {
        let line = br#"{"method":"session/update","params":{"update":{"content":{"type":"text","text":"a\ud83d"},"sessionUpdate":"agent_message_chunk"}}}"#;
        let Ok(Message::Chunk(_, text)) = Message::read(line) else {
            panic!("no chunk")
        };
        assert!(text.starts_with("a\u{fffd}"), "{text}");
    }

    #[test]
    fn a_message_with_half_of_a_character_is_read() {
        for (title, expected) in [
            (r"a\ud83d", "a\u{fffd}"),
            (r"\ude00b", "\u{fffd}b"),
            (r"\uD83D\uD83D\uDE00", "\u{fffd}\u{1f600}"),
            (r"\\ud83d\ud83d", "\\ud83d\u{fffd}"),
        ] {
            let line = format!(
                r#"{{"method":"session/update","params":{{"update":{{"title":"{title}"}}}}}}"#
            );
            let Ok(Message::Update(update)) = Message::read(line.as_bytes()) else {
                panic!("{line}")
            };
            assert_eq!(update["title"], expected);
        }
    }

    #[test]
    fn a_request_is_answered_by_an_id_that_is_not_too_long() {
        let long = json!("i".repeat(MAX_NAME + 1));
        for (id, is_answered) in [
            (json!("a"), true),
            (json!(0), true),
            (json!(null), true),
            (json!(["a"]), false),
            (long, false),
        ] {
            let line = json!({"id": id, "method": "fs/read_text_file"}).to_string();
            let read = Message::read(line.as_bytes());
            let found = matches!(read, Ok(Message::Request(found, ..)) if found == id);
            assert_eq!(found, is_answered, "{line}");
        }
    }

    #[test]
    fn of_a_tool_call_only_so_much_is_kept() {
        let path = "p".repeat(MAX_PATH + 1);
        let name = "n".repeat(MAX_NAME + 1);
        let told = ToolCall::of(&json!({
            "toolCallId": name, "kind": name, "locations": [{"path": path}, {"path": "/a"}],
        }));
        assert_eq!((&*told.id, told.tool), ("", None));
        assert_eq!(told.files, Some(vec![String::new(), "/a".to_owned()]));
        let many = vec![json!({"path": "/a"}); MAX_FILES + 1];
        assert_eq!(ToolCall::of(&json!({ "locations": many })).files, None);
        let long = json!([{"kind": "allow_once", "optionId": name}]);
        let cancelled = json!({"outcome": {"outcome": "cancelled"}});
        assert_eq!(permission(&long, true), cancelled);
    }
}
