//! The lines of `claude -p`, with `--output-format json` or `stream-json`.
//!
//! Both end with the same `result`; the `subtype` of an error is `success` as well,
//! so that `is_error` decides.

use serde_json::Value as Json;

use super::wire::{
    Denial, Line, LineKind, Message, Part, PartKind, consumption, limit_end, status_of,
};
use crate::stream::{
    Consumption, Events, Fault, FileTools, MessageStop, MessageUsage, Messages, NoEvent, Observed,
    ReportedError, RetryAfter, StopReason, Text, ToolEnd, ToolInput, WaitsFor, http_status,
    micro_usd, quoted,
};

/// The most tool calls that are listed by name.
const MAX_CALLS: usize = 256;

const TOOLS: FileTools = FileTools {
    read: &["Read"],
    write: &["Edit", "MultiEdit", "NotebookEdit", "Write"],
};

/// The messages on standard error of a call that was not started.
const REFUSALS: [&str; 4] = [
    "No conversation found with session ID",
    "is already in use",
    "Input must be provided",
    "error: unknown option",
];

/// A tool call, and whether its result has come and was no error.
struct Call {
    id: String,
    tool: String,
    input: ToolInput,
    succeeded: Option<bool>,
}

/// What is held between two lines.
pub(super) struct ClaudeEvents {
    limit: usize,
    calls: Vec<Call>,
    more_calls: u64,
    messages: Messages,
    retried: Option<(Option<u16>, String)>,
    /// The status of the last message that the client made up.
    status: Option<u16>,
    limit_ends: Option<RetryAfter>,
}

impl ClaudeEvents {
    /// Reads answers of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            calls: Vec::new(),
            more_calls: 0,
            messages: Messages::default(),
            retried: None,
            status: None,
            limit_ends: None,
        }
    }

    fn part(&mut self, part: Part, seen: &mut Observed) {
        if part.kind == PartKind::ToolUse {
            seen.show_tool(
                &TOOLS,
                part.name.as_deref().unwrap_or_default(),
                &part.input,
            );
        } else if let Some(text) = &part.text {
            seen.show_text(&text.0);
        }
        match (part.kind, part.id, part.tool_use_id) {
            (PartKind::ToolUse, Some(_), _) if self.calls.len() >= MAX_CALLS => {
                self.more_calls += 1;
            }
            (PartKind::ToolUse, Some(id), _) => self.calls.push(Call {
                id,
                tool: part.name.unwrap_or_default(),
                input: part.input,
                succeeded: None,
            }),
            (PartKind::ToolResult, _, Some(id)) => {
                if let Some(call) = self.calls.iter_mut().rfind(|call| call.id == id) {
                    call.succeeded = Some(!part.is_error);
                }
            }
            (PartKind::ToolUse | PartKind::ToolResult | PartKind::Other, ..) => {}
        }
    }

    /// Only the end of a call tells which of its tools were not allowed.
    fn note_tools(&mut self, denials: &[Denial], seen: &mut Observed) {
        let calls = std::mem::take(&mut self.calls);
        let denied = |id: &str| denials.iter().any(|denial| denial.tool_use_id == id);
        for call in calls.iter().filter(|call| !denied(&call.id)) {
            let end = match call.succeeded {
                Some(true) => ToolEnd::Completed,
                Some(false) => ToolEnd::Failed,
                None => continue,
            };
            seen.note_file_tool(&TOOLS, &call.tool, &call.input, end);
        }
        for denial in denials {
            seen.note_tool(&denial.tool_name, ToolEnd::Denied);
        }
        seen.note_unlisted_tools(std::mem::take(&mut self.more_calls));
    }

    /// Counts what is reported of a message: the current one without an id.
    fn count(&mut self, id: Option<&str>, usage: Option<&MessageUsage>, seen: &mut Observed) {
        if let Some(usage) = usage {
            self.messages.tell(id, consumption(usage, None));
            seen.usage = Some(self.messages.total());
        }
    }

    fn message(&mut self, message: Message, seen: &mut Observed) {
        let model = message.model.as_deref().unwrap_or_default();
        seen.note_model(model_name(model));
        self.count(message.id.as_deref(), message.usage.as_ref(), seen);
        message
            .content
            .0
            .into_iter()
            .for_each(|part| self.part(part, seen));
    }

    fn result(&mut self, line: Line, seen: &mut Observed) {
        self.note_tools(&line.permission_denials, seen);
        let busiest = line.models.iter().max_by_key(|(_, usage)| usage.output);
        seen.note_model(busiest.map_or("", |(model, _)| model_name(model)));
        let is_error = line.is_error || line.subtype.as_deref().is_some_and(is_error_subtype);
        seen.usage = total(&line, is_error, seen.usage);
        let reason = stop_reason(line.stop_reason, line.result.as_ref(), is_error);
        if is_error && reason == StopReason::Stop {
            let mut error = line.reported();
            error.status = error.status.or(self.status);
            error.retry_after = self.limit_ends;
            seen.error = Some(error);
            return;
        }
        seen.terminal = Some(reason);
        if !is_error {
            self.answer(line.structured_output.as_ref(), line.result, seen);
        }
    }

    /// The object that was checked against the schema comes before the plain answer.
    fn answer(&self, structured: Option<&Json>, result: Option<Text>, seen: &mut Observed) {
        let text = match structured {
            Some(object) if object.is_object() => object.to_string(),
            _ => result.unwrap_or_default().0,
        };
        if text.len() > self.limit {
            seen.long_text = Some(self.limit as u64);
            return;
        }
        seen.text = Some(text);
        seen.denied &= seen.is_blank();
    }
}

/// What the whole call consumed: the result says it, but where it is an error
/// that counts nothing, and the messages before it were `counted`.
fn total(line: &Line, is_error: bool, counted: Option<Consumption>) -> Option<Consumption> {
    let told = line.usage.as_ref();
    let told = told.map(|usage| consumption(usage, line.total_cost_usd));
    let counts = |total: &Consumption| total.is_known() || !is_error;
    let cost_micro_usd = line.total_cost_usd.and_then(micro_usd);
    let counted = counted.map(|counted| Consumption {
        cost_micro_usd,
        ..counted
    });
    told.filter(counts).or(counted).or(told)
}

/// The name of a model without the size of its window: `opus[1m]` is `opus`. A
/// message that the client made up has no model.
fn model_name(name: &str) -> &str {
    match name.strip_prefix('<') {
        Some(_) => "",
        None => name.split_once('[').map_or(name, |(name, _)| name),
    }
}

fn is_error_subtype(subtype: &str) -> bool {
    subtype.starts_with("error")
}

/// Why the model stopped; a limit of the client itself is reported only
/// in the words of its error.
fn stop_reason(stop: Option<MessageStop>, result: Option<&Text>, is_error: bool) -> StopReason {
    let says = |words| is_error && result.is_some_and(|text| text.0.contains(words));
    match stop.map_or(StopReason::Stop, StopReason::from) {
        StopReason::Stop if says("output token maximum") => StopReason::Length,
        reason => reason,
    }
}

impl Events for ClaudeEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        let line: Line = serde_json::from_slice(line).map_err(|_| NoEvent)?;
        seen.note_session(line.session_id.as_deref().unwrap_or_default());
        match (line.kind, line.subtype.as_deref()) {
            (LineKind::System, Some("init")) => {
                seen.note_model(model_name(line.model.as_deref().unwrap_or_default()));
            }
            (LineKind::System, Some("api_retry")) => {
                let status = line.error_status.and_then(http_status);
                // Without a status there was no answer: the connection failed.
                seen.note_retry(status.map_or(WaitsFor::Network, |_| WaitsFor::Service));
                self.retried = Some((status, line.error.unwrap_or_default().0));
            }
            (LineKind::RateLimitEvent, _) => {
                self.limit_ends = line.rate_limit_info.as_ref().and_then(limit_end);
            }
            (LineKind::Assistant | LineKind::User, _) => {
                self.status = line.error.and_then(|error| status_of(&error.0));
                if let Some(message) = line.message {
                    self.message(message, seen);
                }
            }
            (LineKind::StreamEvent, _) => {
                if let Some(event) = line.event {
                    let message = event.message.as_ref();
                    let id = message.and_then(|message| message.id.as_deref());
                    let usage = message.and_then(|message| message.usage.as_ref());
                    self.count(id, usage.or(event.usage.as_ref()), seen);
                }
            }
            (LineKind::Result, _) => self.result(line, seen),
            (LineKind::System | LineKind::Other, _) => {}
        }
        Ok(())
    }

    fn complaint(&mut self, line: &str, seen: &mut Observed) {
        if line.contains("--agent ") && line.contains(" not found") {
            seen.note_wrong_agent(quoted(line).unwrap_or_default());
        } else if REFUSALS.iter().any(|said| line.contains(said)) {
            let error = ReportedError::new(Fault::Request, line);
            seen.error.get_or_insert(error);
        }
    }

    fn end(&mut self, seen: &mut Observed) {
        self.note_tools(&[], seen);
        if let (None, None, Some((status, message))) = (seen.terminal, &seen.error, &self.retried) {
            seen.error = Some(ReportedError::new(Fault::Service, message).status(*status));
        }
    }
}
