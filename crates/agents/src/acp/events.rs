//! Our side of a conversation with an agent: its messages are read and answered.
//!
//! The answer is what the agent said after its last tool call.

use review_types::excerpt;
use serde_json::{Value as Json, json};

use super::VERSION;
use super::permission::Permissions;
use super::wire::{self, Message, Session, ToolCall};
use crate::stream::{
    Consumption, Events, Fault, FileTools, GrowingText, NoEvent, Observed, ReportedError,
    StopReason, TextTooLong, ToolEnd, ToolInput, micro_usd,
};

/// The most tool calls at once that are known by name.
const MAX_CALLS: usize = 256;

/// The requests of an agent that are answered.
const MAX_REQUESTS: u32 = 10_000;

/// The characters of what an agent is.
const MAX_DESCRIPTION: usize = 400;

/// The kinds of tools that read and write files.
const TOOLS: FileTools = FileTools {
    read: &["read"],
    write: &["edit", "delete", "move"],
};

/// The kind of tools that run commands.
const EXECUTE: &str = "execute";

/// The code of a request that is not offered.
const METHOD_NOT_FOUND: i32 = -32_601;

/// What an agent is asked.
pub(super) struct Question {
    /// The folder that it works in, as it sees it.
    pub(super) cwd: String,
    /// The session to go on in.
    pub(super) follow_up: Option<String>,
    /// The prompt; without one the agent is only asked what it is.
    pub(super) prompt: Option<String>,
    pub(super) permissions: Permissions,
}

/// The request that is to be answered next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Initialize,
    Open,
    Load,
    SetMode,
    Prompt,
    /// The prompt, which was cancelled: what is still answered does not count.
    Cancelled,
    Done,
}

/// A tool call that goes on.
struct Call {
    id: String,
    /// What sort of tool it is, as the protocol names it.
    tool: String,
    files: Vec<String>,
    is_rejected: bool,
}

/// What is held between two lines.
pub(super) struct AcpEvents {
    limit: usize,
    question: Question,
    stage: Stage,
    /// The id of the last request.
    asked: u64,
    outbox: Vec<u8>,
    agent: String,
    can_load: bool,
    session: String,
    said: GrowingText,
    calls: Vec<Call>,
    requests: u32,
    /// What the session had cost before the prompt.
    cost: f64,
}

impl AcpEvents {
    /// Asks an agent, and reads answers of at most `limit` bytes.
    pub(super) fn new(question: Question, limit: usize) -> Self {
        let mut events = Self {
            limit,
            question,
            stage: Stage::Initialize,
            asked: 0,
            outbox: Vec::new(),
            agent: String::new(),
            can_load: false,
            session: String::new(),
            said: GrowingText::default(),
            calls: Vec::new(),
            requests: 0,
            cost: 0.0,
        };
        let files = json!({"readTextFile": false, "writeTextFile": false});
        let params = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": {"fs": files, "terminal": false},
            "clientInfo": {"name": "ralph", "version": env!("CARGO_PKG_VERSION")},
        });
        events.ask(Stage::Initialize, "initialize", &params);
        events
    }

    fn ask(&mut self, stage: Stage, method: &str, params: &Json) {
        self.stage = stage;
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn send(&mut self, message: &Json) {
        self.outbox
            .extend_from_slice(message.to_string().as_bytes());
        self.outbox.push(b'\n');
    }

    /// Takes the result of the last request.
    fn answered(&mut self, result: Json, seen: &mut Observed) {
        match self.stage {
            Stage::Initialize => self.open(&result, seen),
            Stage::Open | Stage::Load => self.opened(&Session(result), seen),
            Stage::SetMode => self.prompt(),
            Stage::Prompt | Stage::Cancelled => self.turn(&result, seen),
            Stage::Done => {}
        }
    }

    fn refused(&mut self, error: &Json, seen: &mut Observed) {
        // A mode is a wish: what an agent may do is decided without it.
        if self.stage == Stage::SetMode {
            return self.prompt();
        }
        let mut error = wire::reported(error);
        if self.stage == Stage::Load && error.status.is_none() {
            error.fault = Fault::Request;
        }
        seen.error = Some(error);
        self.stage = Stage::Done;
    }

    fn fail(&mut self, why: &str, seen: &mut Observed) {
        seen.error = Some(ReportedError::new(Fault::Protocol, why));
        self.stage = Stage::Done;
    }

    fn open(&mut self, agent: &Json, seen: &mut Observed) {
        let version = &agent["protocolVersion"];
        if *version != VERSION {
            let why = format!("it speaks version {version} of the protocol, not {VERSION}");
            return self.fail(&why, seen);
        }
        let info = ["name", "version"].map(|key| agent["agentInfo"][key].as_str());
        let info: Vec<_> = info.into_iter().flatten().collect();
        self.agent = format!("{}, protocol {version}", info.join(" "));
        self.can_load = agent["agentCapabilities"]["loadSession"] == true;
        let mut params = json!({"cwd": self.question.cwd, "mcpServers": []});
        match self.question.follow_up.take().filter(|_| self.can_load) {
            Some(session) => {
                params["sessionId"] = session.as_str().into();
                self.session = session;
                self.ask(Stage::Load, "session/load", &params);
            }
            None => self.ask(Stage::Open, "session/new", &params),
        }
    }

    fn opened(&mut self, session: &Session, seen: &mut Observed) {
        if let Some(id) = session.0["sessionId"].as_str() {
            id.clone_into(&mut self.session);
        }
        if self.session.is_empty() {
            return self.fail("it opened no session", seen);
        }
        seen.note_session(&self.session);
        seen.note_model(session.model());
        if self.question.prompt.is_none() {
            seen.text = Some(self.description(session));
            seen.terminal = Some(StopReason::Stop);
            self.stage = Stage::Done;
            return;
        }
        let offered = session.modes();
        let mut wanted = self.question.permissions.modes().iter();
        let mode = wanted.find(|mode| offered.contains(mode));
        match mode.and_then(|mode| session.set_mode(&self.session, mode)) {
            Some((method, params)) => self.ask(Stage::SetMode, method, &params),
            None => self.prompt(),
        }
    }

    /// What an agent is, for people.
    fn description(&self, session: &Session) -> String {
        let modes = session.modes();
        let mut text = self.agent.trim().to_owned();
        if !modes.is_empty() {
            text += &format!("; modes {}", modes.join(", "));
        }
        excerpt(&text, MAX_DESCRIPTION)
            + match self.can_load {
                true => "; sessions can be loaded",
                false => "; each call is a new session",
            }
    }

    fn prompt(&mut self) {
        let text = self.question.prompt.take().unwrap_or_default();
        let prompt = json!([{"type": "text", "text": text}]);
        let params = json!({"sessionId": self.session, "prompt": prompt});
        self.ask(Stage::Prompt, "session/prompt", &params);
    }

    fn turn(&mut self, turn: &Json, seen: &mut Observed) {
        let stage = std::mem::replace(&mut self.stage, Stage::Done);
        seen.note_model(wire::model(turn));
        if let Some(told) = wire::consumption(turn) {
            seen.usage = Some(Consumption {
                cost_micro_usd: seen.usage.and_then(|usage| usage.cost_micro_usd),
                ..told
            });
        }
        if stage == Stage::Cancelled {
            return;
        }
        seen.terminal = match turn["stopReason"].as_str().unwrap_or_default() {
            "end_turn" => Some(StopReason::Stop),
            "max_tokens" | "max_turn_requests" => Some(StopReason::Length),
            "refusal" => Some(StopReason::Refusal),
            reason => return self.fail(&format!("its turn ended as \"{reason}\""), seen),
        };
        if seen.terminal == Some(StopReason::Stop) {
            match std::mem::take(&mut self.said).whole() {
                Err(TextTooLong) => seen.long_text = Some(self.limit as u64),
                Ok(text) => seen.text = Some(text),
            }
        }
    }

    /// Takes a part of a message of the agent. A part before the prompt is history, and
    /// one of another session does not count.
    fn says(&mut self, session: &str, text: &str, seen: &mut Observed) {
        if self.stage == Stage::Prompt && session == self.session {
            seen.show_piece(text);
            seen.denied &= text.trim().is_empty();
            self.said.push(text, self.limit);
        }
    }

    fn updated(&mut self, update: &Json, seen: &mut Observed) {
        let in_turn = self.stage == Stage::Prompt;
        match update["sessionUpdate"].as_str() {
            Some("usage_update") if update["cost"]["currency"] == "USD" => {
                self.costs(update["cost"]["amount"].as_f64().unwrap_or_default(), seen);
            }
            Some("tool_call") if in_turn => {
                self.said = GrowingText::default();
                self.tool_call(ToolCall::of(update), seen);
            }
            // What comes before the words of a user is the answer to others.
            Some("user_message_chunk") if in_turn => self.said = GrowingText::default(),
            Some("tool_call_update") if in_turn => self.tool_call(ToolCall::of(update), seen),
            _ => {}
        }
    }

    /// Takes what the session has cost, which may be the only figure of a call.
    fn costs(&mut self, usd: f64, seen: &mut Observed) {
        if !matches!(self.stage, Stage::Prompt | Stage::Cancelled) {
            self.cost = usd;
        } else if let Some(cost) = micro_usd(usd - self.cost) {
            seen.usage.get_or_insert_default().cost_micro_usd = Some(cost);
        }
    }

    fn tool_call(&mut self, told: ToolCall, seen: &mut Observed) {
        let Some(at) = self.call(&told) else {
            return seen.note_unlisted_tools(u64::from(told.end.is_some()));
        };
        let call = &self.calls[at];
        let Some(end) = told.end else {
            let input = ToolInput {
                file: call.files.first().cloned(),
                command: told.title.filter(|_| call.tool == EXECUTE),
            };
            return seen.show_tool(&TOOLS, &call.tool, &input);
        };
        let call = self.calls.swap_remove(at);
        if call.is_rejected {
            return;
        }
        seen.note_tool(&call.tool, end);
        if end == ToolEnd::Completed && TOOLS.read.contains(&&*call.tool) {
            seen.reads.extend(&call.files);
        } else if end == ToolEnd::Completed && TOOLS.write.contains(&&*call.tool) {
            seen.writes.extend(&call.files);
        }
    }

    /// Where a tool call is listed, with all that was reported of it; `None` where the list
    /// is full.
    fn call(&mut self, told: &ToolCall) -> Option<usize> {
        let mut known = self.calls.iter().rposition(|call| call.id == told.id);
        if known.is_none() && self.calls.len() < MAX_CALLS {
            self.calls.push(Call {
                id: told.id.clone(),
                tool: String::new(),
                files: Vec::new(),
                is_rejected: false,
            });
            known = Some(self.calls.len() - 1);
        }
        let call = &mut self.calls[known?];
        if let Some(tool) = &told.tool {
            call.tool.clone_from(tool);
        }
        if let Some(files) = &told.files {
            call.files.clone_from(files);
        }
        known
    }

    /// Answers a request of the agent.
    fn requested(
        &mut self,
        method: &str,
        params: &Json,
        seen: &mut Observed,
    ) -> (&'static str, Json) {
        self.requests += 1;
        seen.stuck |= self.requests > MAX_REQUESTS;
        if method != "session/request_permission" {
            let error = json!({"code": METHOD_NOT_FOUND, "message": "no such method is offered"});
            return ("error", error);
        }
        let asked = ToolCall::of(&params["toolCall"]);
        let allows = self.question.permissions.allows(&asked);
        self.said = GrowingText::default();
        if let (false, Some(at)) = (allows, self.call(&asked)) {
            self.calls[at].is_rejected = true;
            seen.note_tool(&self.calls[at].tool, ToolEnd::Denied);
        }
        ("result", wire::permission(&params["options"], allows))
    }
}

impl Events for AcpEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        match Message::read(line)? {
            Message::Chunk(session, text) => self.says(&session, &text, seen),
            Message::Update(update) => self.updated(&update, seen),
            Message::Request(id, method, params) => {
                let (key, answer) = self.requested(&method, &params, seen);
                self.send(&json!({"jsonrpc": "2.0", "id": id, key: answer}));
            }
            Message::Answer(id, answer) if id == self.asked => match answer {
                Ok(result) => self.answered(result, seen),
                Err(error) => self.refused(&error, seen),
            },
            Message::Answer(..) | Message::Other => {}
        }
        Ok(())
    }

    fn complaint(&mut self, _: &str, _: &mut Observed) {}

    fn end(&mut self, _: &mut Observed) {}

    /// A cost may come without tokens.
    fn counts(&self, usage: &Consumption) -> bool {
        usage.is_known() || usage.cost_micro_usd.is_some()
    }

    fn outbox(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    fn farewell(&mut self) -> Vec<u8> {
        if self.stage == Stage::Prompt {
            let params = json!({"sessionId": self.session});
            self.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}));
            self.stage = Stage::Cancelled;
        }
        self.outbox()
    }
}
