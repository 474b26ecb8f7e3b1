//! The lines of `gemini -o stream-json`, and its reports of errors on standard
//! error.
//!
//! The answer is what the model said after its last tool call.

use super::error::stop_reason;
use super::line::{Line, LineKind, Role, Severity, Status};

use crate::stream::{
    Consumption, Events, Fault, FileTools, GrowingText, NoEvent, Observed, ReportedError,
    StopReason, TextTooLong, ToolEnd, ToolInput, WaitsFor, status_after,
};

/// The most tool calls at once that are listed by name.
const MAX_CALLS: usize = 256;

const TOOLS: FileTools = FileTools {
    read: &["read_file"],
    write: &["replace", "write_file"],
};

/// The messages on standard error of a call that was not started, the last one
/// of a version that prints no events.
const REFUSALS: [&str; 4] = [
    "Error resuming session",
    "No input provided",
    "not running in a trusted directory",
    "Argument: output-format, Given:",
];

/// A tool call that goes on.
struct Call {
    id: String,
    tool: String,
    input: ToolInput,
}

/// What is held between two lines.
pub(super) struct GeminiEvents {
    limit: usize,
    /// Whether the event was seen that ends a call.
    is_ended: bool,
    said: GrowingText,
    calls: Vec<Call>,
    /// Why the model did not answer, if it did not.
    reason: Option<String>,
    attempt: Option<ReportedError>,
}

impl GeminiEvents {
    /// Reads answers of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            is_ended: false,
            said: GrowingText::default(),
            calls: Vec::new(),
            reason: None,
            attempt: None,
        }
    }

    fn line(&mut self, line: Line, seen: &mut Observed) {
        match line.kind {
            LineKind::Init => seen.note_session(line.session_id.as_deref().unwrap_or_default()),
            LineKind::Message if line.role == Role::Assistant => {
                seen.show_piece(&line.content.0);
                self.said.push(&line.content.0, self.limit);
            }
            LineKind::ToolUse => {
                self.said = GrowingText::default();
                seen.show_tool(&TOOLS, &line.tool_name, &line.parameters);
                if self.calls.len() < MAX_CALLS {
                    self.calls.push(Call {
                        id: line.tool_id,
                        tool: line.tool_name,
                        input: line.parameters,
                    });
                }
            }
            LineKind::ToolResult => self.tool_result(&line, seen),
            LineKind::Error if line.severity == Severity::Error => {
                self.reason = Some(line.message.0);
            }
            LineKind::Error => seen.note_warning(&line.message.0),
            LineKind::Result if !self.is_ended => self.result(line, seen),
            LineKind::Message | LineKind::Result | LineKind::Other => {}
        }
    }

    fn tool_result(&mut self, line: &Line, seen: &mut Observed) {
        let at = self.calls.iter().position(|call| call.id == line.tool_id);
        let Some(at) = at else {
            seen.note_unlisted_tools(1);
            return;
        };
        let end = match line.status {
            Status::Success => ToolEnd::Completed,
            Status::Other => ToolEnd::Failed,
        };
        let Call { tool, input, .. } = self.calls.swap_remove(at);
        seen.note_file_tool(&TOOLS, &tool, &input, end);
    }

    /// Notes the end of a call, with what its model said last.
    fn result(&mut self, line: Line, seen: &mut Observed) {
        self.is_ended = true;
        let models = &line.stats.models;
        let busiest = models.iter().max_by_key(|(_, stats)| stats.output_tokens);
        seen.note_model(busiest.map_or("", |(name, _)| name));
        seen.usage = models.values().map(|stats| stats.consumption()).reduce(sum);
        let reason = self.reason.take();
        match (line.status, line.error) {
            (_, Some(error)) => {
                seen.error = Some(error.reported());
                return;
            }
            (Status::Other, None) => {
                let why = reason.unwrap_or_default();
                if let Some(reason) = stop_reason(&why) {
                    seen.note_warning(&why);
                    seen.terminal = Some(reason);
                    return;
                }
                if !self.said.is_blank() {
                    seen.error = Some(ReportedError::new(Fault::Service, &why));
                    return;
                }
                seen.note_warning(&why);
            }
            (Status::Success, None) => {
                if let Some(reason) = reason {
                    seen.note_warning(&reason);
                }
            }
        }
        match std::mem::take(&mut self.said).whole() {
            Err(TextTooLong) => seen.long_text = Some(self.limit as u64),
            Ok(text) => {
                seen.terminal = Some(StopReason::Stop);
                seen.text = Some(text);
            }
        }
    }
}

fn sum(mut sum: Consumption, more: Consumption) -> Consumption {
    sum.add(&more);
    sum
}

impl Events for GeminiEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        let line = serde_json::from_slice(line).map_err(|_| NoEvent)?;
        self.line(line, seen);
        Ok(())
    }

    fn complaint(&mut self, line: &str, seen: &mut Observed) {
        if line.starts_with("Attempt ") {
            if line.contains("Retrying") {
                seen.note_retry(WaitsFor::after(line));
            }
            let status = status_after(line, &["failed with status "]);
            self.attempt = Some(ReportedError::new(Fault::Service, line).status(status));
        } else if REFUSALS.iter().any(|said| line.contains(said)) {
            let error = ReportedError::new(Fault::Request, line.trim());
            seen.error.get_or_insert(error);
        }
    }

    fn end(&mut self, seen: &mut Observed) {
        if seen.terminal.is_none() && seen.text.is_none() && seen.error.is_none() {
            seen.error = self.attempt.take();
        }
    }
}
