//! The lines of `opencode run --format json`.
//!
//! No event ends a call: the last step that stopped does. Its `text` parts are the
//! answer; those of earlier messages are comments before a tool call.

use super::wire::{Finish, Line, LineKind, Part, ToolState, ToolStatus};
use crate::stream::{
    Events, Fault, FileTools, GrowingText, NoEvent, Observed, ReportedError, StopReason,
    TextTooLong, ToolEnd, WaitsFor, quoted,
};

/// Empty steps in a row after which the client does not stop on its own.
const MAX_EMPTY_STEPS: u32 = 3;

const TOOLS: FileTools = FileTools {
    read: &["read"],
    write: &["edit", "multiedit", "write"],
};

/// How a tool's error begins when its permission was rejected.
const REJECTIONS: [&str; 2] = [
    "The user rejected permission",
    "The user has specified a rule which prevents you",
];

/// The content parts of one message.
#[derive(Default)]
struct Message {
    id: String,
    text: GrowingText,
}

/// What is held between two lines.
pub(super) struct OpencodeEvents {
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
    pub(super) fn new(limit: usize) -> Self {
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
            seen.note_retry(WaitsFor::Service);
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
        seen.show_text(text);
        self.says_something = true;
        if !text.trim().is_empty() {
            seen.denied = false;
        }
        if let Some(answer) = self.answer.as_mut().filter(|answer| answer.id == message) {
            answer.text.push(text, self.limit);
            return;
        }
        if self.current.id != message {
            self.current = Message {
                id: message,
                ..Message::default()
            };
        }
        self.current.text.push(text, self.limit);
    }

    fn tool_use(&mut self, tool: &str, state: Option<ToolState>, seen: &mut Observed) {
        self.says_something = true;
        let end = match &state {
            Some(state) if state.status == ToolStatus::Completed => ToolEnd::Completed,
            Some(ToolState {
                error: Some(error), ..
            }) if REJECTIONS.iter().any(|said| error.0.starts_with(said)) => ToolEnd::Denied,
            _ => ToolEnd::Failed,
        };
        let input = state.map(|state| state.input).unwrap_or_default();
        seen.show_tool(&TOOLS, tool, &input);
        seen.note_file_tool(&TOOLS, tool, &input, end);
    }

    fn step_finish(&mut self, part: &Part, seen: &mut Observed) {
        self.last_step = None;
        if let Some(step) = part.consumption() {
            seen.usage.get_or_insert_default().add(&step);
        }
        // The protocol's own example has no reason.
        let reason = part.reason.unwrap_or(Finish::Stop);
        seen.terminal = match reason {
            Finish::Stop => {
                self.answer_with(&part.message);
                Some(StopReason::Stop)
            }
            Finish::Length => Some(StopReason::Length),
            Finish::ContentFilter => Some(StopReason::Refusal),
            Finish::Unknown | Finish::Other => None,
        };
        self.empty_steps = match reason == Finish::Unknown && !self.says_something {
            true => self.empty_steps + 1,
            false => 0,
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

impl Events for OpencodeEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        let line: Line = serde_json::from_slice(line).map_err(|_| NoEvent)?;
        seen.note_session(line.session.as_deref().unwrap_or_default());
        let part = line.part;
        match (line.kind, part.text.as_ref(), line.error) {
            (LineKind::StepStart, ..) => self.step_start(part.message, seen),
            (LineKind::Text, Some(text), _) => self.text(part.message, &text.0, seen),
            (LineKind::ToolUse, ..) => {
                self.tool_use(part.tool.as_deref().unwrap_or_default(), part.state, seen);
            }
            (LineKind::StepFinish, ..) => self.step_finish(&part, seen),
            (LineKind::Error, _, Some(error)) => seen.error = Some(error.reported(line.timestamp)),
            (LineKind::Text | LineKind::Error | LineKind::Other, ..) => {}
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
        let answer = self.answer.take().filter(|_| stopped);
        match answer.map(|answer| answer.text.whole()) {
            Some(Err(TextTooLong)) => seen.long_text = Some(self.limit as u64),
            Some(Ok(text)) => seen.text = Some(text),
            None => {}
        }
        // The outputs have no common order, so that a text may have come later.
        seen.denied |= self.rejected && seen.is_blank();
    }
}
