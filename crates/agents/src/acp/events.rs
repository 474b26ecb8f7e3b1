//! Our side of a talk with an agent: what it says is read, and answered.
//!
//! The answer is what the agent said after its last tool call.

use serde_json::{Value as Json, json};

use super::VERSION;
use super::permission::Permissions;
use super::wire::{
    self, Chunk, Envelope, Initialized, Method, PermissionRequest, Session, ToolCall, ToolKind,
    ToolStatus, Turn, TurnStop, Updated, UsageUpdate, WireError,
};
use crate::stream::{
    Events, Fault, FileTools, GrowingText, NoEvent, Observed, ReportedError, StopReason,
    TextTooLong, ToolEnd, ToolInput, micro_usd,
};

/// The most tool calls at once that are known by name.
const MAX_CALLS: usize = 256;

/// The requests of an agent that are answered.
const MAX_REQUESTS: u32 = 10_000;

/// The kinds of tools that read and write files.
const TOOLS: FileTools = FileTools {
    read: &["read"],
    write: &["edit", "delete", "move"],
};

const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;

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
    Done,
}

/// A tool call that goes on.
struct Call {
    id: String,
    kind: ToolKind,
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
    /// What the session had cost before the prompt, and since.
    cost: [f64; 2],
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
            cost: [0.0; 2],
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

    /// Takes the answer to the last request.
    fn answered(&mut self, line: &[u8], seen: &mut Observed) -> serde_json::Result<()> {
        match self.stage {
            Stage::Initialize => self.open(&wire::result(line)?, seen),
            Stage::Open | Stage::Load => self.opened(&wire::result(line)?, seen),
            Stage::SetMode => self.prompt(),
            Stage::Prompt => self.turn(&wire::result(line)?, seen),
            Stage::Done => {}
        }
        Ok(())
    }

    fn refused(&mut self, error: WireError, seen: &mut Observed) {
        // A mode is a wish: what an agent may do is decided without it.
        if self.stage == Stage::SetMode {
            return self.prompt();
        }
        let mut error = error.reported();
        if self.stage == Stage::Load && error.status.is_none() {
            error.fault = Fault::Request;
        }
        seen.error = Some(error);
        self.stage = Stage::Done;
    }

    fn fail(&mut self, why: &str, seen: &mut Observed) {
        seen.error = Some(ReportedError::new(Fault::Request, why));
        self.stage = Stage::Done;
    }

    fn open(&mut self, agent: &Initialized, seen: &mut Observed) {
        let version = agent.protocol_version;
        if version != VERSION {
            let why = format!("it speaks version {version} of the protocol, not {VERSION}");
            return self.fail(&why, seen);
        }
        let info = &agent.agent_info;
        self.agent = format!("{} {}, protocol {version}", info.name, info.version);
        self.can_load = agent.agent_capabilities.load_session;
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
        if let Some(id) = &session.session_id {
            self.session.clone_from(id);
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
        text + match self.can_load {
            true => "; sessions can be loaded",
            false => "; each call is a new session",
        }
    }

    fn prompt(&mut self) {
        let text = self.question.prompt.take().unwrap_or_default();
        let prompt = json!([{"type": "text", "text": text}]);
        let params = json!({"sessionId": self.session, "prompt": prompt});
        self.cost[0] = self.cost[1];
        self.ask(Stage::Prompt, "session/prompt", &params);
    }

    fn turn(&mut self, turn: &Turn, seen: &mut Observed) {
        self.stage = Stage::Done;
        seen.note_model(turn.model());
        let [before, now] = self.cost;
        let cost = micro_usd(now - before);
        let mut usage = turn.consumption();
        if let (Some(_), None) = (cost, usage) {
            usage = Some(Default::default());
        }
        if let Some(usage) = &mut usage {
            usage.cost_micro_usd = cost;
        }
        seen.usage = usage;
        seen.terminal = match turn.stop_reason {
            TurnStop::EndTurn => Some(StopReason::Stop),
            TurnStop::MaxTokens | TurnStop::MaxTurnRequests => Some(StopReason::Length),
            TurnStop::Refusal => Some(StopReason::Refusal),
            TurnStop::Cancelled => return self.fail("it cancelled its turn", seen),
            TurnStop::Other => return self.fail("it does not say why its turn ended", seen),
        };
        if seen.terminal == Some(StopReason::Stop) {
            match std::mem::take(&mut self.said).whole() {
                Err(TextTooLong) => seen.long_text = Some(self.limit as u64),
                Ok(text) => seen.text = Some(text),
            }
        }
    }

    /// Takes what an agent tells. What it tells before the prompt is history.
    fn updated(
        &mut self,
        updated: Updated,
        line: &[u8],
        seen: &mut Observed,
    ) -> serde_json::Result<()> {
        let in_turn = self.stage == Stage::Prompt;
        match updated {
            Updated::UsageUpdate => {
                let told = wire::update::<UsageUpdate>(line)?.usd();
                self.cost[1] = told.unwrap_or(self.cost[1]);
            }
            Updated::AgentMessageChunk if in_turn => {
                let text = wire::update::<Chunk>(line)?.text();
                seen.show_piece(&text);
                seen.denied &= text.trim().is_empty();
                self.said.push(&text, self.limit);
            }
            Updated::ToolCall if in_turn => {
                self.said = GrowingText::default();
                self.tool_call(wire::update(line)?, seen);
            }
            Updated::ToolCallUpdate if in_turn => self.tool_call(wire::update(line)?, seen),
            _ => {}
        }
        Ok(())
    }

    fn tool_call(&mut self, told: ToolCall, seen: &mut Observed) {
        let at = self.call(&told);
        let Some(call) = at.map(|at| &self.calls[at]) else {
            let has_ended = told
                .status
                .is_some_and(|status| status != ToolStatus::Other);
            seen.note_unlisted_tools(u64::from(has_ended));
            return;
        };
        let tool = call.kind.as_str();
        let end = match told.status {
            Some(ToolStatus::Completed) => ToolEnd::Completed,
            Some(ToolStatus::Failed) => ToolEnd::Failed,
            Some(ToolStatus::Other) | None => {
                let title = told.title.map(|title| title.0);
                let input = ToolInput {
                    file: call.files.first().cloned(),
                    command: title.filter(|_| call.kind == ToolKind::Execute),
                };
                return seen.show_tool(&TOOLS, tool, &input);
            }
        };
        let call = at.map(|at| self.calls.swap_remove(at));
        let Some(call) = call.filter(|call| !call.is_rejected) else {
            return;
        };
        seen.note_tool(tool, end);
        if end == ToolEnd::Completed && call.kind == ToolKind::Read {
            seen.reads.extend(&call.files);
        } else if end == ToolEnd::Completed && TOOLS.write.contains(&tool) {
            seen.writes.extend(&call.files);
        }
    }

    /// Where a tool call is listed, with all that was told of it; nowhere beyond a number.
    fn call(&mut self, told: &ToolCall) -> Option<usize> {
        let is_it = |call: &Call| call.id == told.tool_call_id;
        let mut known = self.calls.iter().rposition(is_it);
        if known.is_none() && self.calls.len() < MAX_CALLS {
            self.calls.push(Call {
                id: told.tool_call_id.clone(),
                kind: ToolKind::default(),
                files: Vec::new(),
                is_rejected: false,
            });
            known = Some(self.calls.len() - 1);
        }
        let call = &mut self.calls[known?];
        call.kind = told.kind.unwrap_or(call.kind);
        if let Some(locations) = &told.locations {
            call.files = locations.iter().map(|at| at.path.clone()).collect();
        }
        known
    }

    /// Answers a request of the agent.
    fn requested(&mut self, method: Method, id: &Json, line: &[u8], seen: &mut Observed) {
        self.requests += 1;
        seen.stuck |= self.requests > MAX_REQUESTS;
        let error = |code: i32, message: &str| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        if method != Method::RequestPermission {
            return self.send(&error(METHOD_NOT_FOUND, "no such method is offered"));
        }
        let Ok(request) = wire::params::<PermissionRequest>(line) else {
            return self.send(&error(INVALID_PARAMS, "the request cannot be read"));
        };
        let allows = self.question.permissions.allows(&request.tool_call);
        self.said = GrowingText::default();
        if let (false, Some(at)) = (allows, self.call(&request.tool_call)) {
            self.calls[at].is_rejected = true;
            seen.note_tool(self.calls[at].kind.as_str(), ToolEnd::Denied);
        }
        let result = request.outcome(allows);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
}

impl Events for AcpEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        let message: Envelope = serde_json::from_slice(line).map_err(|_| NoEvent)?;
        let is_answer = message.id.as_ref().and_then(Json::as_u64) == Some(self.asked);
        let updated = message.updated();
        match (message.method, message.id, message.error) {
            (Some(Method::Update), ..) => {
                let read = self.updated(updated, line, seen);
                return read.map_err(|_| NoEvent);
            }
            (Some(method), Some(id), _) => self.requested(method, &id, line, seen),
            (None, Some(_), Some(error)) if is_answer => self.refused(error, seen),
            (None, Some(_), None) if is_answer => {
                if let Err(error) = self.answered(line, seen) {
                    self.fail(&format!("its answer cannot be read: {error}"), seen);
                }
            }
            (Some(_), None, _) | (None, ..) => {}
        }
        Ok(())
    }

    fn complaint(&mut self, _: &str, _: &mut Observed) {}

    fn end(&mut self, _: &mut Observed) {}

    fn outbox(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    fn farewell(&mut self) -> Vec<u8> {
        if self.stage == Stage::Prompt {
            let params = json!({"sessionId": self.session});
            self.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}));
        }
        self.outbox()
    }
}
