//! JSON-RPC lines of the Model Context Protocol, in both of its eras: since 2026-07-28
//! each request names its version, in older ones a handshake does.

use serde_json::{Value as Json, json};

/// The revision in which each request names its version.
const STATELESS: &str = "2026-07-28";

/// The revisions with a handshake, the newest first.
const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The key of `_meta` with the version of a request.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The key of `_meta` with the server of a result.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const UNSUPPORTED_VERSION: i32 = -32022;

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// It waits for an answer.
    Request(Request),
    /// The client does not wait for the answer to this request any more.
    Cancelled(Json),
    /// A notification that asks for nothing, or an answer to what was never asked.
    Ignored,
}

/// A request, ready to be answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// Its id: a string or an integer.
    pub(super) id: Json,
    /// What it asks for.
    pub(super) method: String,
    /// What it asks for it with.
    pub(super) params: Json,
    is_stateless: bool,
}

impl Message {
    /// Reads a line.
    ///
    /// # Errors
    /// The answer to a line that is not a message that can be answered otherwise.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Json> {
        let message: Json = serde_json::from_slice(line)
            .map_err(|error| failure(&Json::Null, PARSE_ERROR, &format!("not JSON: {error}")))?;
        let id = message.get("id").unwrap_or(&Json::Null);
        let wrong = |text: &str| failure(id, INVALID_REQUEST, text);
        if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return Err(wrong("not a JSON-RPC 2.0 message"));
        }
        let Some(method) = message.get("method") else {
            return Ok(Self::Ignored);
        };
        let method = method
            .as_str()
            .ok_or_else(|| wrong("method is not a string"))?;
        let params = message.get("params").cloned().unwrap_or_default();
        if id.is_null() {
            return Ok(match (method, params.get("requestId")) {
                ("notifications/cancelled", Some(request)) => Self::Cancelled(request.clone()),
                _ => Self::Ignored,
            });
        }
        if !id.is_string() && !id.is_i64() && !id.is_u64() {
            let text = "id is neither a string nor an integer";
            return Err(failure(&Json::Null, INVALID_REQUEST, text));
        }
        let version = params["_meta"][VERSION_KEY].as_str();
        if let Some(requested) = version.filter(|version| *version != STATELESS) {
            let text = format!("unsupported protocol version {requested}");
            let mut answer = failure(id, UNSUPPORTED_VERSION, &text);
            answer["error"]["data"] = json!({"supported": [STATELESS], "requested": requested});
            return Err(answer);
        }
        Ok(Self::Request(Request {
            id: id.clone(),
            is_stateless: version.is_some() || method == "server/discover",
            method: method.to_owned(),
            params,
        }))
    }
}

impl Request {
    /// The answer to a handshake, in the version of the client where it is known.
    pub(super) fn initialized(&self) -> Json {
        let asked = &self.params["protocolVersion"];
        let known = WITH_HANDSHAKE.iter().find(|version| asked == **version);
        self.result(json!({
            "protocolVersion": known.unwrap_or(&WITH_HANDSHAKE[0]),
            "capabilities": {"tools": {}},
            "serverInfo": server(),
            "instructions": INSTRUCTIONS,
        }))
    }

    /// The answer to the question which versions there are.
    pub(super) fn discovered(&self) -> Json {
        let versions: Vec<_> = [STATELESS].into_iter().chain(WITH_HANDSHAKE).collect();
        self.listed(json!({
            "supportedVersions": versions,
            "capabilities": {"tools": {}},
            "instructions": INSTRUCTIONS,
        }))
    }

    /// An answer that stays true as long as the server runs.
    pub(super) fn listed(&self, mut result: Json) -> Json {
        if self.is_stateless {
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
        self.result(result)
    }

    /// An answer.
    pub(super) fn result(&self, mut result: Json) -> Json {
        if self.is_stateless {
            result["resultType"] = json!("complete");
            result["_meta"] = json!({SERVER_KEY: server()});
        }
        json!({"jsonrpc": "2.0", "id": self.id, "result": result})
    }

    /// The answer to a request for what there is not.
    pub(super) fn unknown(&self) -> Json {
        let text = format!("no method {}", self.method);
        failure(&self.id, METHOD_NOT_FOUND, &text)
    }

    /// The answer to a call that names no tool, or arguments that it does not have.
    pub(super) fn invalid(&self, why: &str) -> Json {
        failure(&self.id, INVALID_PARAMS, why)
    }

    /// The notice that a call is still at work, if it asked for such notices.
    pub(super) fn progressed(&self, seconds: u64, text: &str) -> Option<Json> {
        let token = self.params["_meta"].get("progressToken")?;
        Some(json!({
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": token, "progress": seconds, "message": text},
        }))
    }
}

const INSTRUCTIONS: &str = "ralph checks specs and tasks by rules, and has documents reviewed. \
    Findings name a place and what to write instead. Only a person approves, waives or lands.";

fn server() -> Json {
    json!({"name": "ralph", "version": env!("RALPH_VERSION")})
}

fn failure(id: &Json, code: i32, message: &str) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request(line: &Json) -> Request {
        match Message::parse(line.to_string().as_bytes()) {
            Ok(Message::Request(request)) => request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_handshake_is_answered_in_the_version_of_the_client_or_in_the_newest() {
        for (asked, answered) in [("2025-06-18", "2025-06-18"), ("2030-01-01", "2025-11-25")] {
            let line = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": {"protocolVersion": asked, "capabilities": {}}});
            let answer = request(&line).initialized();
            assert_eq!(answer["result"]["protocolVersion"], answered);
            assert_eq!(answer["result"]["serverInfo"]["name"], "ralph");
            assert!(answer["result"].get("resultType").is_none(), "{answer}");
        }
    }

    #[test]
    fn a_request_that_names_its_version_gets_what_that_version_asks_for() {
        let line = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list",
            "params": {"_meta": {VERSION_KEY: STATELESS, "progressToken": 7}}});
        let request = request(&line);
        let notice = request.progressed(10, "at work").unwrap();
        assert_eq!(notice["params"]["progressToken"], 7);
        let answer = request.listed(json!({"tools": []}));
        let expected = json!({"jsonrpc": "2.0", "id": "a", "result": {"tools": [],
            "ttlMs": 0, "cacheScope": "private", "resultType": "complete",
            "_meta": {SERVER_KEY: server()}}});
        assert_eq!(answer, expected);
    }

    #[test]
    fn what_cannot_be_answered_is_an_error_with_its_code() {
        let unknown = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list",
            "params": {"_meta": {VERSION_KEY: "2027-01-01"}}});
        for (line, code, id) in [
            ("{", PARSE_ERROR, Json::Null),
            ("[]", INVALID_REQUEST, Json::Null),
            (
                r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
                INVALID_REQUEST,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
                INVALID_REQUEST,
                Json::Null,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
                INVALID_REQUEST,
                json!(1),
            ),
            (&unknown.to_string(), UNSUPPORTED_VERSION, json!(3)),
        ] {
            let answer = Message::parse(line.as_bytes()).unwrap_err();
            assert_eq!(
                (&answer["error"]["code"], &answer["id"]),
                (&json!(code), &id),
                "{line}"
            );
        }
        let answer = Message::parse(unknown.to_string().as_bytes()).unwrap_err();
        let expected = json!({"supported": [STATELESS], "requested": "2027-01-01"});
        assert_eq!(answer["error"]["data"], expected);
    }

    #[test]
    fn a_notification_is_answered_by_nothing() {
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                Message::Ignored,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Message::Ignored),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}"#,
                Message::Cancelled(json!("x")),
            ),
        ] {
            assert_eq!(Message::parse(line.as_bytes()), Ok(expected));
        }
    }

    proptest! {
        #[test]
        fn any_line_is_a_message_or_an_error(line: Vec<u8>, method in "[a-z/]{0,16}", id: i64) {
            let _ = Message::parse(&line);
            let line = json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string();
            match Message::parse(line.as_bytes()) {
                Ok(Message::Request(request)) => prop_assert_eq!(request.id, json!(id)),
                Ok(other) => prop_assert!(false, "{:?}", other),
                Err(answer) => prop_assert_eq!(&answer["id"], &json!(id)),
            }
        }
    }
}
