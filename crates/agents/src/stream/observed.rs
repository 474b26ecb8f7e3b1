//! What was observed in the output of a client, in one form for all.

use std::time::Duration;

use review_types::Timestamp;

use super::service_error::is_connection_error;
use super::tool_input::{FileTools, ToolInput};
use super::usage::Consumption;
use crate::Paths;
use crate::activity::Latest;

/// The most tool calls of one call that are listed by name.
const MAX_TOOLS: usize = 256;

/// The most warnings of one call that are kept.
const MAX_WARNINGS: usize = 16;

/// The most bytes that are kept of a name or an id.
const MAX_NAME: usize = 512;

/// The most bytes that are kept of a message.
const MAX_MESSAGE: usize = 2 * 1024;

/// Everything that was observed of a call in what the client printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// The answer, once the client has delivered it in full.
    pub text: Option<String>,
    /// The client's own session.
    pub session: Option<String>,
    /// The model, if the client names it.
    pub model: Option<String>,
    /// What the call consumed, if the client says so.
    pub usage: Option<Consumption>,
    /// Why the model stopped, once the event was seen that ends a call.
    pub terminal: Option<StopReason>,
    /// The error that the client ended with.
    pub error: Option<ReportedError>,
    /// What the agent did with tools.
    pub tools: ToolLog,
    /// The files that tools read, as the agent names them.
    pub reads: Paths,
    /// The files that tools wrote, as the agent names them.
    pub writes: Paths,
    /// Whether a permission was rejected and nothing was answered after it.
    pub denied: bool,
    /// The agent that was asked and is not the one that answered.
    pub wrong_agent: Option<String>,
    /// Whether the client repeats empty steps without end.
    pub stuck: bool,
    /// The limit in bytes of a line that was longer.
    pub long_line: Option<u64>,
    /// The limit in bytes of an answer that was longer.
    pub long_text: Option<u64>,
    /// The lines of standard output that are no event.
    pub unread_lines: u64,
    /// How often the client asked its model again.
    pub retries: u32,
    /// What the client waits for now, if it has said nothing else since.
    pub waits: Option<WaitsFor>,
    /// What the client warned of; none of it made the call fail.
    pub warnings: Vec<String>,
    /// The end of what the client wrote to standard error.
    pub stderr_tail: String,
    /// What the agent did and said last; `None` where no one watches.
    pub(crate) latest: Option<Box<Latest>>,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It had said all.
    Stop,
    /// A limit of its output was reached.
    Length,
    /// It declined.
    Refusal,
}

/// What a client waits for before it asks its model again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The service of its model, which answered and did not do what it was asked.
    Service,
    /// A connection to it.
    Network,
}

impl WaitsFor {
    /// What a client waits for after an error with this message.
    pub(crate) fn after(message: &str) -> Self {
        match is_connection_error(message) {
            true => Self::Network,
            false => Self::Service,
        }
    }
}

/// Whose fault a reported error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The model or its service failed.
    Service,
    /// The client could not do what it was asked: no such session, no input,
    /// a wrong option.
    Request,
    /// The client broke its protocol, as the message says in words of ours.
    Protocol,
}

/// An error, in the words of the client where it gave one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedError {
    /// Whose fault it is.
    pub fault: Fault,
    /// The HTTP status, if it is known.
    pub status: Option<u16>,
    /// The message of the client.
    pub message: String,
    /// Whether the client thinks that another try may help.
    pub retryable: Option<bool>,
    /// How long the service wants to be left alone.
    pub retry_after: Option<RetryAfter>,
    /// When the client said so.
    pub at: Option<Timestamp>,
}

impl ReportedError {
    /// An error of which no more is known.
    pub(crate) fn new(fault: Fault, message: &str) -> Self {
        Self {
            fault,
            status: None,
            message: shortened(message, MAX_MESSAGE),
            retryable: None,
            retry_after: None,
            at: None,
        }
    }

    /// Sets the HTTP status.
    pub(crate) fn status(mut self, status: Option<u16>) -> Self {
        self.status = status;
        self
    }
}

/// When a service may be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// After this time.
    In(Duration),
    /// At this instant.
    At(Timestamp),
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEnd {
    /// The tool did its work.
    Completed,
    /// The tool failed.
    Failed,
    /// The agent was not allowed to use it so.
    Denied,
}

/// One tool call that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub tool: String,
    /// How it ended.
    pub end: ToolEnd,
}

/// The tool calls, of which the first few hundred are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolLog {
    listed: Vec<ToolUse>,
    total: u64,
    denied: u64,
}

impl ToolLog {
    /// The listed calls, in the order in which they ended.
    pub fn listed(&self) -> &[ToolUse] {
        &self.listed
    }

    /// The number of all calls.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The number of calls that were not allowed.
    pub fn denied(&self) -> u64 {
        self.denied
    }
}

impl Observed {
    /// Whether a call that ends now has delivered its answer: the event that
    /// ends it was seen, it was not an error, and the answer is not blank.
    pub fn is_complete(&self) -> bool {
        self.terminal == Some(StopReason::Stop) && self.error.is_none() && !self.is_blank()
    }

    /// Whether the answer is missing or blank.
    pub fn is_blank(&self) -> bool {
        self.text.as_ref().is_none_or(|text| text.trim().is_empty())
    }

    /// Shows a tool call at its start to those who watch.
    pub(crate) fn show_tool(&mut self, known: &FileTools, tool: &str, input: &ToolInput) {
        if let Some(latest) = &mut self.latest {
            latest.uses(known, tool, input);
        }
    }

    /// Shows a string to those who watch.
    pub(crate) fn show_text(&mut self, text: &str) {
        if let Some(latest) = &mut self.latest {
            latest.says(text);
        }
    }

    /// Shows a piece of a string to those who watch.
    pub(crate) fn show_piece(&mut self, piece: &str) {
        if let Some(latest) = &mut self.latest {
            latest.continues(piece);
        }
    }

    /// Notes a session; the first one stays.
    pub(crate) fn note_session(&mut self, id: &str) {
        note_name(&mut self.session, id);
    }

    /// Notes the model; the first one stays.
    pub(crate) fn note_model(&mut self, name: &str) {
        note_name(&mut self.model, name);
    }

    /// Notes a tool call that has ended.
    pub(crate) fn note_tool(&mut self, tool: &str, end: ToolEnd) {
        self.tools.total += 1;
        if end == ToolEnd::Denied {
            self.tools.denied += 1;
            self.denied = true;
        }
        if self.tools.listed.len() < MAX_TOOLS {
            let tool = shortened(tool, MAX_NAME);
            self.tools.listed.push(ToolUse { tool, end });
        }
    }

    /// Notes a tool call that has ended, and what it did to the file that it was
    /// called with.
    pub(crate) fn note_file_tool(
        &mut self,
        known: &FileTools,
        tool: &str,
        input: &ToolInput,
        end: ToolEnd,
    ) {
        self.note_tool(tool, end);
        let Some(file) = input.file.as_ref().filter(|_| end == ToolEnd::Completed) else {
            return;
        };
        if known.read.contains(&tool) {
            self.reads.insert(file);
        } else if known.write.contains(&tool) {
            self.writes.insert(file);
        }
    }

    /// Notes tool calls of which only the number is known.
    pub(crate) fn note_unlisted_tools(&mut self, calls: u64) {
        self.tools.total += calls;
        if calls > 0 {
            self.note_unlisted_files();
        }
    }

    /// Notes that not every file is reported which tools read or wrote.
    pub(crate) fn note_unlisted_files(&mut self) {
        self.reads.set_partial();
        self.writes.set_partial();
    }

    /// Notes that the client asks its model again, and what it waits for before.
    pub(crate) fn note_retry(&mut self, waits: WaitsFor) {
        self.retries += 1;
        self.waits = Some(waits);
    }

    /// Notes that the client warned of something.
    pub(crate) fn note_warning(&mut self, message: &str) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(shortened(message, MAX_MESSAGE));
        }
    }

    /// Notes that another agent answers than `asked`.
    pub(crate) fn note_wrong_agent(&mut self, asked: &str) {
        self.wrong_agent = Some(shortened(asked, MAX_NAME));
    }

    /// Notes a line of standard error; only the last lines are kept.
    pub(crate) fn note_stderr(&mut self, line: &str) {
        let tail = &mut self.stderr_tail;
        tail.push_str(&shortened(line, MAX_MESSAGE));
        tail.push('\n');
        if tail.len() > 2 * MAX_MESSAGE {
            let start = tail.ceil_char_boundary(tail.len() - MAX_MESSAGE);
            let line = tail[start..]
                .find('\n')
                .map_or(start, |end| start + end + 1);
            tail.drain(..if line < tail.len() { line } else { start });
        }
    }
}

fn note_name(known: &mut Option<String>, name: &str) {
    if known.is_none() && !name.is_empty() && name.len() <= MAX_NAME {
        *known = Some(name.to_owned());
    }
}

fn shortened(text: &str, limit: usize) -> String {
    text[..text.floor_char_boundary(limit)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_stays_and_one_without_end_is_no_name() {
        let mut seen = Observed::default();
        seen.note_session("");
        seen.note_session(&"x".repeat(MAX_NAME + 1));
        assert_eq!(seen.session, None);
        let longest = "x".repeat(MAX_NAME);
        seen.note_session(&longest);
        seen.note_session("later");
        assert_eq!(seen.session, Some(longest));
    }

    #[test]
    fn tools_and_warnings_are_listed_up_to_a_number() {
        let mut seen = Observed::default();
        for _ in 0..=MAX_TOOLS {
            seen.note_tool("read", ToolEnd::Completed);
        }
        seen.note_unlisted_tools(3);
        assert_eq!(seen.tools.listed().len(), MAX_TOOLS);
        assert_eq!(seen.tools.total(), MAX_TOOLS as u64 + 4);
        assert_eq!((seen.tools.denied(), seen.denied), (0, false));
        for _ in 0..=MAX_WARNINGS {
            seen.note_warning(&"\u{e9}".repeat(MAX_MESSAGE));
        }
        assert_eq!(seen.warnings.len(), MAX_WARNINGS);
        assert_eq!(seen.warnings[0].len(), MAX_MESSAGE);
    }

    #[test]
    fn of_standard_error_whole_last_lines_are_kept() {
        let mut seen = Observed::default();
        let line = "y".repeat(99);
        (0..40).for_each(|_| seen.note_stderr(&line));
        assert_eq!(seen.stderr_tail.len(), 4_000);
        seen.note_stderr(&line);
        assert_eq!(seen.stderr_tail, format!("{line}\n").repeat(20));
        seen.note_stderr(&"z".repeat(MAX_MESSAGE));
        seen.note_stderr(&"z".repeat(MAX_MESSAGE));
        let tail = format!("{}\n", "z".repeat(MAX_MESSAGE - 1));
        assert_eq!(seen.stderr_tail, tail);
    }
}
