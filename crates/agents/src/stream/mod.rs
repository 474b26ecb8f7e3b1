//! Reads what a client prints while it prints it, and keeps what matters.
//!
//! Bytes go in as they arrive, an [`Observed`] comes out. Reading is pure, its
//! memory is bounded by [`StreamLimits`], and how the bytes are split makes no
//! difference. Event types and fields that are not known are ignored. What the
//! observations mean is decided in [`crate::outcome`].

mod anthropic;
mod google;
mod growing;
mod lines;
mod messages;
mod observed;
mod retry_after;
mod service_error;
mod tool_input;
mod usage;
mod wire;

use std::io;
use std::sync::Arc;

use review::Allowance;
use review_process::{Patience, Sink, Stream};
use review_types::Usage;

use crate::AgentContext;
use crate::model::Model;

pub(crate) use anthropic::{MessageStop, MessageUsage};
pub(crate) use google::GoogleError;
pub(crate) use growing::{GrowingText, TextTooLong};
pub(crate) use lines::{Line, Lines};
pub(crate) use messages::Messages;
pub(crate) use tool_input::{FileTools, ToolInput};

pub use observed::{
    Fault, Observed, ReportedError, RetryAfter, StopReason, ToolEnd, ToolLog, ToolUse, WaitsFor,
};
pub use retry_after::RetryAfterError;
pub(crate) use retry_after::reset_time;
pub(crate) use service_error::{is_connection_error, is_limit, is_plan_limit, lasting_status};
pub use usage::{Consumption, UsageSpan};

pub(crate) use usage::micro_usd;
pub(crate) use wire::ErrorCode;
pub(crate) use wire::{ErrorType, Text, http_status, nullable, plain, quoted, status_after};

/// The longest line of standard error that is read.
const MAX_STDERR_LINE: usize = 256 * 1024;

/// How much of an output is held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// The longest line of standard output, in bytes.
    pub line: usize,
    /// The longest answer, in bytes.
    pub text: usize,
}

impl Default for StreamLimits {
    /// An answer of 16 MiB, in a line in which every second byte is escaped.
    fn default() -> Self {
        let text = 16 * 1024 * 1024;
        Self {
            line: 2 * text,
            text,
        }
    }
}

/// Whether it is worth to read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamState {
    /// The client has more to say.
    Open,
    /// The event was seen that ends a call; the client should exit now.
    Ended,
    /// Nothing that comes can make it an answer; the client may not end by
    /// itself.
    Hopeless,
}

/// A line that is not an event of the client.
pub(crate) struct NoEvent;

/// The events of one client.
pub(crate) trait Events: Send {
    /// Reads a line of standard output.
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent>;

    /// Reads a line of standard error.
    fn complaint(&mut self, line: &str, seen: &mut Observed);

    /// Ends both outputs.
    fn end(&mut self, seen: &mut Observed);

    /// Whether this says what a call consumed: zero tokens are unknown ones.
    fn counts(&self, usage: &Consumption) -> bool {
        usage.is_known()
    }

    /// Takes what is to be sent to a client that is talked with.
    fn outbox(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes what is to be sent to such a client before it is ended.
    fn farewell(&mut self) -> Vec<u8> {
        Vec::new()
    }
}

/// Reads both outputs of one call of a client.
pub struct StreamReader {
    events: Box<dyn Events>,
    stdout: Lines,
    stderr: Lines,
    limits: StreamLimits,
    is_spent: Option<IsSpent>,
    is_cut: bool,
    seen: Observed,
}

/// Whether a call has consumed more than it may, by what was observed so far.
pub(crate) type IsSpent = Box<dyn Fn(&Observed) -> bool + Send>;

/// Returns what cuts a call that was `asked` of a model once it has consumed more than
/// `allowance`, beside what its session had `before`; `None` where nothing is limited.
pub(crate) fn cut_when_spent(
    context: &Arc<AgentContext>,
    allowance: Allowance,
    asked: Option<&Model>,
    before: Option<Usage>,
) -> Option<IsSpent> {
    if allowance.is_unlimited() {
        return None;
    }
    let (context, asked) = (Arc::clone(context), asked.cloned());
    Some(Box::new(move |seen| {
        let usage = context.models.usage(seen, asked.as_ref(), before);
        usage.is_some_and(|usage| allowance.cut(&usage).is_some())
    }))
}

impl StreamReader {
    pub(crate) fn new(events: Box<dyn Events>, limits: StreamLimits) -> Self {
        Self {
            events,
            stdout: Lines::new(limits.line),
            stderr: Lines::new(MAX_STDERR_LINE),
            limits,
            is_spent: None,
            is_cut: false,
            seen: Observed::default(),
        }
    }

    /// Makes a call hopeless at the event after which `is_spent` is true of it:
    /// no later one is read.
    pub(crate) fn until(self, is_spent: Option<IsSpent>) -> Self {
        Self { is_spent, ..self }
    }

    /// Keeps the last activity and message of the agent as well.
    pub(crate) fn watch(&mut self) {
        self.seen.latest = Some(Box::default());
    }

    /// Takes bytes of standard output.
    pub fn stdout(&mut self, bytes: &[u8]) {
        self.lines(|lines, each| lines.push(bytes, each));
    }

    /// Reads the lines that `take` passes on, up to the one that is too much.
    fn lines(&mut self, take: impl FnOnce(&mut Lines, &mut dyn FnMut(Line<'_>))) {
        let Self {
            events,
            stdout,
            limits,
            is_spent,
            is_cut,
            seen,
            ..
        } = self;
        take(stdout, &mut |line| {
            if *is_cut {
                return;
            }
            read(events.as_mut(), line, limits.line, seen);
            let is_spent = is_spent.as_ref().is_some_and(|is_spent| is_spent(seen));
            *is_cut = is_spent && state(seen) == StreamState::Open;
        });
    }

    /// Takes bytes of standard error.
    pub fn stderr(&mut self, bytes: &[u8]) {
        let (events, seen) = (&mut self.events, &mut self.seen);
        self.stderr
            .push(bytes, &mut |line| complain(events.as_mut(), line, seen));
    }

    /// What was observed so far.
    pub(crate) fn seen(&self) -> &Observed {
        &self.seen
    }

    /// Whether it is worth to read on.
    pub fn state(&self) -> StreamState {
        match self.is_cut {
            true => StreamState::Hopeless,
            false => state(&self.seen),
        }
    }

    /// Ends both outputs.
    pub fn finish(mut self) -> Observed {
        self.lines(Lines::finish);
        let (events, seen) = (&mut self.events, &mut self.seen);
        self.stderr
            .finish(&mut |line| complain(events.as_mut(), line, seen));
        events.end(seen);
        seen.waits = None;
        if !seen.is_blank() {
            seen.usage = seen.usage.take().filter(|usage| events.counts(usage));
        }
        self.seen
    }
}

impl Sink for StreamReader {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match stream {
            Stream::Stdout => self.stdout(bytes),
            Stream::Stderr => self.stderr(bytes),
        }
        Ok(())
    }

    fn patience(&self) -> Patience {
        match self.state() {
            StreamState::Open => match self.seen.waits {
                None => Patience::Limits,
                Some(WaitsFor::Service) => Patience::Retrying,
                Some(WaitsFor::Network) => Patience::Connecting,
            },
            StreamState::Ended => Patience::Grace,
            StreamState::Hopeless => Patience::Spent,
        }
    }

    fn reply(&mut self) -> Vec<u8> {
        self.events.outbox()
    }

    fn farewell(&mut self) -> Vec<u8> {
        self.events.farewell()
    }
}

/// Whether it is worth to read on after what was seen.
fn state(seen: &Observed) -> StreamState {
    if seen.stuck || seen.long_line.is_some() || seen.long_text.is_some() {
        StreamState::Hopeless
    } else if seen.terminal.is_some() || seen.error.is_some() {
        StreamState::Ended
    } else {
        StreamState::Open
    }
}

fn read(events: &mut dyn Events, line: Line<'_>, limit: usize, seen: &mut Observed) {
    match line {
        Line::Whole(line) if line.trim_ascii().is_empty() => {}
        Line::Whole(line) => {
            let waited = seen.waits.take();
            if events.event(line, seen).is_err() {
                seen.waits = waited;
                seen.unread_lines += 1;
            }
        }
        Line::TooLong => seen.long_line = Some(limit as u64),
    }
}

fn complain(events: &mut dyn Events, line: Line<'_>, seen: &mut Observed) {
    if let Line::Whole(line) = line {
        let line = plain(&String::from_utf8_lossy(line));
        seen.note_stderr(&line);
        events.complaint(&line, seen);
    }
}
