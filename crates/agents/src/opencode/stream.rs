//! The lines of `opencode run --format json`.
//!
//! There is no event that ends a call: the last step that stopped does. Its
//! texts are the answer; texts of earlier messages are talk before a tool call.

use std::time::Duration;

use review_types::Timestamp;
use serde::Deserialize;

use crate::stream::{
    Consumption, Events, Fault, NoEvent, Observed, ReportedError, RetryAfter, StopReason, Text,
    ToolEnd, UsageSpan, http_status, micro_usd, quoted,
};

/// Empty steps in a row after which the client will not stop by itself.
const MAX_EMPTY_STEPS: u32 = 3;

/// How a tool's error begins when its permission was rejected.
const REJECTIONS: [&str; 2] = [
    "The user rejected permission",
    "The user has specified a rule which prevents you",
];

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    timestamp: Option<i64>,
    #[serde(rename = "sessionID")]
    session: Option<String>,
    #[serde(default)]
    part: Part,
    error: Option<WireError>,
}

#[derive(Default, Deserialize)]
struct Part {
    #[serde(rename = "messageID", default)]
    message: String,
    text: Option<Text>,
    reason: Option<String>,
    tool: Option<String>,
    state: Option<ToolState>,
    tokens: Option<Tokens>,
    cost: Option<f64>,
}

#[derive(Deserialize)]
struct ToolState {
    status: String,
    error: Option<Text>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input: u64,
    output: u64,
    reasoning: u64,
    cache: Cache,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cache {
    read: u64,
    write: u64,
}

#[derive(Deserialize)]
struct WireError {
    name: Option<String>,
    #[serde(default)]
    data: ErrorData,
}

#[derive(Default, Deserialize)]
struct ErrorData {
    message: Option<Text>,
    #[serde(rename = "statusCode")]
    status: Option<i64>,
    #[serde(rename = "isRetryable")]
    retryable: Option<bool>,
    #[serde(rename = "responseHeaders", default)]
    headers: Headers,
}

#[derive(Default, Deserialize)]
struct Headers {
    #[serde(rename = "retry-after")]
    seconds: Option<String>,
    #[serde(rename = "retry-after-ms")]
    milliseconds: Option<String>,
}

/// The texts of one message, up to the limit of an answer.
#[derive(Default)]
struct Message {
    id: String,
    text: String,
    too_long: bool,
}

impl Message {
    fn push(&mut self, text: &str, limit: usize) {
        if self.too_long || text.len() > limit - self.text.len() {
            self.too_long = true;
            self.text = String::new();
        } else {
            self.text.push_str(text);
        }
    }
}

/// What is held between two lines.
pub(crate) struct OpencodeEvents {
    limit: usize,
    current: Message,
    answer: Option<Message>,
    last_step: Option<String>,
    says_something: bool,
    empty_steps: u32,
    rejected: bool,
}

impl OpencodeEvents {
    /// Reads answers of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            current: Message::default(),
            answer: None,
            last_step: None,
            says_something: false,
            empty_steps: 0,
            rejected: false,
        }
    }

    fn step_start(&mut self, message: String, seen: &mut Observed) {
        if self.last_step.as_ref() == Some(&message) {
            seen.retries += 1;
            return;
        }
        if self
            .answer
            .as_ref()
            .is_none_or(|answer| answer.id != message)
        {
            seen.terminal = None;
        }
        self.last_step = Some(message);
        self.says_something = false;
    }

    fn text(&mut self, message: String, text: &str, seen: &mut Observed) {
        self.says_something = true;
        if !text.trim().is_empty() {
            seen.denied = false;
        }
        if let Some(answer) = self.answer.as_mut().filter(|answer| answer.id == message) {
            answer.push(text, self.limit);
            return;
        }
        if self.current.id != message {
            self.current = Message {
                id: message,
                ..Message::default()
            };
        }
        self.current.push(text, self.limit);
    }

    fn tool_use(&mut self, tool: &str, state: Option<ToolState>, seen: &mut Observed) {
        self.says_something = true;
        let end = match state {
            Some(state) if state.status == "completed" => ToolEnd::Completed,
            Some(ToolState {
                error: Some(error), ..
            }) if REJECTIONS.iter().any(|said| error.0.starts_with(said)) => ToolEnd::Denied,
            _ => ToolEnd::Failed,
        };
        seen.note_tool(tool, end);
    }

    fn step_finish(&mut self, part: &Part, seen: &mut Observed) {
        self.last_step = None;
        add_usage(part, seen);
        // The protocol's own example has no reason.
        let reason = part.reason.as_deref().unwrap_or("stop");
        seen.terminal = match reason {
            "stop" => {
                self.answer_with(&part.message);
                Some(StopReason::Stop)
            }
            "length" => Some(StopReason::Length),
            "content-filter" => Some(StopReason::Refusal),
            _ => None,
        };
        self.empty_steps = match reason {
            "unknown" if !self.says_something => self.empty_steps + 1,
            _ => 0,
        };
        self.says_something = false;
        seen.stuck |= self.empty_steps >= MAX_EMPTY_STEPS;
    }

    fn answer_with(&mut self, message: &str) {
        if self
            .answer
            .as_ref()
            .is_some_and(|answer| answer.id == message)
        {
            return;
        }
        let current = std::mem::take(&mut self.current);
        self.answer = Some(if current.id == message {
            current
        } else {
            Message {
                id: message.to_owned(),
                ..Message::default()
            }
        });
    }
}

fn add_usage(part: &Part, seen: &mut Observed) {
    let Some(tokens) = &part.tokens else { return };
    let cached = tokens.cache.read.saturating_add(tokens.cache.write);
    let step = Consumption {
        input: tokens.input.saturating_add(cached),
        cache_read: tokens.cache.read,
        cache_write: tokens.cache.write,
        output: tokens.output.saturating_add(tokens.reasoning),
        cost_micro_usd: part.cost.and_then(micro_usd),
        span: UsageSpan::Call,
    };
    seen.usage.get_or_insert_default().add(&step);
}

impl WireError {
    fn reported(self, timestamp: Option<i64>) -> ReportedError {
        let data = self.data;
        let message = data.message.map(|text| text.0).or(self.name);
        let message = message.unwrap_or_default();
        let milliseconds = data.headers.milliseconds;
        let milliseconds = milliseconds.and_then(|text| text.trim().parse().ok());
        let wait = milliseconds.map(|ms| RetryAfter::In(Duration::from_millis(ms)));
        let seconds = || data.headers.seconds.and_then(|text| text.parse().ok());
        ReportedError {
            status: data.status.and_then(http_status),
            retryable: data.retryable,
            retry_after: wait.or_else(seconds),
            at: timestamp.map(Timestamp::from_unix_ms),
            ..ReportedError::new(Fault::Service, &message)
        }
    }
}

impl Events for OpencodeEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        let line: Line = serde_json::from_slice(line).map_err(|_| NoEvent)?;
        seen.note_session(line.session.as_deref().unwrap_or_default());
        let part = line.part;
        match (line.kind.as_str(), part.text.as_ref(), line.error) {
            ("step_start", ..) => self.step_start(part.message, seen),
            ("text", Some(text), _) => self.text(part.message, &text.0, seen),
            ("tool_use", ..) => {
                self.tool_use(part.tool.as_deref().unwrap_or_default(), part.state, seen);
            }
            ("step_finish", ..) => self.step_finish(&part, seen),
            ("error", _, Some(error)) => seen.error = Some(error.reported(line.timestamp)),
            _ => {}
        }
        Ok(())
    }

    fn complaint(&mut self, line: &str, seen: &mut Observed) {
        if line.contains("auto-rejecting") {
            seen.note_warning(line);
            self.rejected = true;
        } else if line.contains("Falling back") && line.contains("agent") {
            seen.note_wrong_agent(quoted(line).unwrap_or_default());
        } else if line.contains("Session not found")
            || line.contains("You must provide a message or a command")
        {
            let error = ReportedError::new(Fault::Request, line);
            seen.error.get_or_insert(error);
        }
    }

    fn end(&mut self, seen: &mut Observed) {
        let stopped = seen.terminal == Some(StopReason::Stop);
        match self.answer.take().filter(|_| stopped) {
            Some(answer) if answer.too_long => seen.long_text = Some(self.limit as u64),
            Some(answer) => seen.text = Some(answer.text),
            None => {}
        }
        // The outputs have no common order, so that a text may have come later.
        seen.denied |= self.rejected && seen.is_blank();
    }
}
