//! The outputs of gemini: events as lines, or, of a version that has none, one
//! object over many lines, on standard output when there is an answer, else at
//! the end of standard error, after stack traces.
//!
//! The answer is what the model said after its last tool call.

use super::error::{ErrorKind, WireError, stop_reason};
use super::line::{Line, LineKind, Role, Severity, Status};
use super::object::Report;
use review_types::Timestamp;

use crate::stream::{
    Consumption, Events, Fault, FileTools, GrowingText, Messages, NoEvent, Observed, ReportedError,
    StopReason, TextTooLong, ToolEnd, ToolInput, WaitsFor, status_after,
};

/// The most bytes that are held of the object on standard error.
const MAX_ERROR: usize = 256 * 1024;

/// The most tool calls that are listed by name: of those that run at once, and
/// of those that standard error reports.
const MAX_CALLS: usize = 256;

const TOOLS: FileTools = FileTools {
    read: &["read_file"],
    write: &["replace", "write_file"],
};

/// The messages on standard error of a call that was not started.
const REFUSALS: [&str; 3] = [
    "Error resuming session",
    "No input provided",
    "not running in a trusted directory",
];

/// The message on standard error about a format that the version does not have.
const NO_FORMAT: &str = "Argument: output-format, Given:";

/// The lines of an object whose braces stand alone at the start of theirs.
struct Collected {
    text: Vec<u8>,
    limit: usize,
    too_long: bool,
}

impl Collected {
    fn new(limit: usize) -> Self {
        Self {
            text: Vec::new(),
            limit,
            too_long: false,
        }
    }

    /// Takes a line if it belongs to an object; true when it ends one.
    fn push(&mut self, line: &[u8]) -> Option<bool> {
        if self.text.is_empty() && !line.starts_with(b"{") {
            return None;
        }
        if self.text.len() + line.len() >= self.limit {
            self.too_long = true;
            self.text = Vec::new();
            return None;
        }
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        let one_line = self.text.len() == line.len() + 1 && line.trim_ascii_end().ends_with(b"}");
        Some(one_line || line.trim_ascii_end() == b"}")
    }

    fn take(&mut self) -> (Report, bool) {
        Report::read(&std::mem::take(&mut self.text))
    }
}

/// A tool call that goes on.
struct Call {
    id: String,
    tool: String,
    input: ToolInput,
}

/// How a call ended that gave no answer.
enum CallFault {
    /// The model did not complete an answer, for this reason.
    Incomplete(String),
    /// With an error.
    Error(ReportedError),
}

/// What is held between two lines.
pub(super) struct GeminiEvents {
    limit: usize,
    /// Whether it prints events.
    is_stream: bool,
    /// Whether the event was seen that ends a call.
    is_ended: bool,
    /// Whether its end counted all that the call consumed.
    is_counted: bool,
    /// When the call began.
    start: Option<Timestamp>,
    messages: Messages,
    said: GrowingText,
    calls: Vec<Call>,
    /// Why there is no answer, if none comes.
    reason: Option<String>,
    answer: Collected,
    failure: Collected,
    failed: Option<Report>,
    attempt: Option<ReportedError>,
    /// The tools of which standard error says that they failed: the events do
    /// so as well.
    failed_tools: Vec<String>,
    more_failed_tools: u64,
}

impl GeminiEvents {
    /// Reads answers of at most `limit` bytes, in an object of at most `line`.
    pub(super) fn new(limit: usize, line: usize) -> Self {
        Self {
            limit,
            is_stream: false,
            is_ended: false,
            is_counted: false,
            start: None,
            messages: Messages::default(),
            said: GrowingText::default(),
            calls: Vec::new(),
            reason: None,
            answer: Collected::new(line),
            failure: Collected::new(MAX_ERROR),
            failed: None,
            attempt: None,
            failed_tools: Vec::new(),
            more_failed_tools: 0,
        }
    }

    fn line(&mut self, line: Line, seen: &mut Observed) {
        match line.kind {
            LineKind::Init => {
                self.start = line.at();
                seen.note_session(line.session_id.as_deref().unwrap_or_default());
            }
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
            LineKind::TokenCount if !self.is_counted => self.token_count(&line, seen),
            LineKind::Result if !self.is_ended => self.result(line, seen),
            LineKind::Message | LineKind::TokenCount | LineKind::Result | LineKind::Other => {}
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

    /// Counts a message of the model; those of earlier calls are in the files of
    /// the session as well.
    fn token_count(&mut self, line: &Line, seen: &mut Observed) {
        let (Some(start), Some(at)) = (self.start, line.at()) else {
            return;
        };
        if at >= start {
            self.messages
                .tell(line.id.as_deref(), line.tokens.consumption());
            seen.usage = Some(self.messages.total());
            seen.note_model(line.model.as_deref().unwrap_or_default());
        }
    }

    fn result(&mut self, line: Line, seen: &mut Observed) {
        self.is_ended = true;
        let models = &line.stats.models;
        let busiest = models.iter().max_by_key(|(_, stats)| stats.output_tokens);
        seen.note_model(busiest.map_or("", |(name, _)| name));
        self.count(models.values().map(|stats| stats.consumption()), seen);
        let reason = self.reason.take();
        let fault = match (line.status, line.error) {
            (_, Some(error)) => Some(CallFault::Error(error.reported())),
            (Status::Other, None) => Some(CallFault::Incomplete(reason.unwrap_or_default())),
            (Status::Success, None) => {
                reason.inspect(|reason| seen.note_warning(reason));
                None
            }
        };
        let said = std::mem::take(&mut self.said);
        self.end_with(fault, Some(said), true, seen);
    }

    fn report(&mut self, report: Report, whole: bool, seen: &mut Observed) {
        seen.note_session(report.session.as_deref().unwrap_or_default());
        let models = &report.models;
        let busiest = models
            .iter()
            .max_by_key(|(_, model)| model.tokens.candidates);
        seen.note_model(busiest.map_or("", |(name, _)| name));
        let models = models.values().map(|model| model.tokens.consumption());
        self.count(models, seen);
        let said = report.response.map(|response| {
            let mut said = GrowingText::default();
            said.push(&response.0, self.limit);
            said
        });
        let fault = report.error.map(CallFault::of_object);
        self.end_with(fault, said, whole, seen);
    }

    /// Notes what the models of the call consumed, if that is reported; an error may
    /// report nothing about it.
    fn count(&mut self, models: impl Iterator<Item = Consumption>, seen: &mut Observed) {
        let sum = models.reduce(|mut sum, model| {
            sum.add(&model);
            sum
        });
        self.is_counted |= sum.as_ref().is_some_and(Consumption::is_known);
        seen.usage = sum.filter(|_| self.is_counted).or(seen.usage).or(sum);
    }

    /// Notes the end of a call, with what its model said last.
    fn end_with(
        &self,
        fault: Option<CallFault>,
        said: Option<GrowingText>,
        whole: bool,
        seen: &mut Observed,
    ) {
        let is_blank = said.as_ref().is_none_or(GrowingText::is_blank);
        match fault {
            Some(CallFault::Error(error)) => {
                seen.error = Some(error);
                return;
            }
            Some(CallFault::Incomplete(why)) => match stop_reason(&why) {
                Some(reason) => {
                    seen.note_warning(&why);
                    seen.terminal = Some(reason);
                    return;
                }
                None if is_blank => seen.note_warning(&why),
                None => {
                    seen.error = Some(ReportedError::new(Fault::Service, &why));
                    return;
                }
            },
            None => {}
        }
        match said.map(GrowingText::whole) {
            Some(Err(TextTooLong)) => seen.long_text = Some(self.limit as u64),
            Some(Ok(text)) => {
                seen.terminal = whole.then_some(StopReason::Stop).or(seen.terminal);
                seen.text = Some(text);
            }
            None => {}
        }
    }

    /// Only standard error tells which tools failed of a client that prints no
    /// events, and nothing which files they read.
    fn note_failed_tools(&mut self, seen: &mut Observed) {
        if !self.is_stream {
            seen.note_unlisted_files();
            for tool in &self.failed_tools {
                seen.note_tool(tool, ToolEnd::Failed);
            }
            seen.note_unlisted_tools(self.more_failed_tools);
        }
    }
}

impl CallFault {
    /// The error of an object.
    fn of_object(error: WireError) -> Self {
        match error.kind {
            Some(ErrorKind::InvalidStream) => Self::Incomplete(error.message.unwrap_or_default().0),
            Some(ErrorKind::Other) | None => Self::Error(error.reported()),
        }
    }
}

impl Events for GeminiEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        if let Ok(line) = serde_json::from_slice(line) {
            self.is_stream = true;
            self.line(line, seen);
            return Ok(());
        }
        if self.is_stream {
            return Err(NoEvent);
        }
        let ended = self.answer.push(line);
        if self.answer.too_long {
            seen.long_line = Some(self.answer.limit as u64);
        }
        if ended.ok_or(NoEvent)? {
            let (report, whole) = self.answer.take();
            self.report(report, whole, seen);
        }
        Ok(())
    }

    fn complaint(&mut self, line: &str, seen: &mut Observed) {
        match self.failure.push(line.as_bytes()) {
            Some(true) => {
                let (report, _) = self.failure.take();
                self.failed = report
                    .error
                    .is_some()
                    .then_some(report)
                    .or(self.failed.take());
                return;
            }
            Some(false) => return,
            None => {}
        }
        if line.starts_with("Attempt ") {
            if line.contains("Retrying") {
                seen.note_retry(WaitsFor::after(line));
            }
            let status = status_after(line, &["failed with status "]);
            self.attempt = Some(ReportedError::new(Fault::Service, line).status(status));
        } else if let Some(tool) = line.strip_prefix("Error executing tool ") {
            let tool = tool.split_once(':').map_or(tool, |(name, _)| name);
            match self.failed_tools.len() < MAX_CALLS {
                true => self.failed_tools.push(tool.to_owned()),
                false => self.more_failed_tools += 1,
            }
        } else if line.contains(NO_FORMAT) {
            let error = ReportedError::new(Fault::Format, line.trim());
            seen.error.get_or_insert(error);
        } else if REFUSALS.iter().any(|said| line.contains(said)) {
            let error = ReportedError::new(Fault::Request, line);
            seen.error.get_or_insert(error);
        }
    }

    fn end(&mut self, seen: &mut Observed) {
        self.note_failed_tools(seen);
        if !self.is_stream && !self.answer.text.is_empty() {
            let (report, whole) = self.answer.take();
            self.report(report, whole, seen);
        }
        if seen.terminal.is_some() {
            return;
        }
        let failed = self.failed.take();
        if let Some(report) = failed.filter(|_| seen.error.is_none()) {
            self.report(report, false, seen);
        }
        if seen.text.is_none() && seen.error.is_none() {
            seen.error = self.attempt.take();
        }
    }
}
