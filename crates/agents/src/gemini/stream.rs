//! The outputs of `gemini -o json`: one object over many lines, on standard
//! output when there is an answer, else at the end of standard error, after
//! stack traces.

use super::object::{ErrorKind, Report, WireError};
use crate::stream::{
    Consumption, Events, Fault, GoogleError, NoEvent, Observed, ReportedError, StopReason, ToolEnd,
    UsageSpan, http_status, status_after,
};

/// The most bytes that are held of the object on standard error.
const MAX_ERROR: usize = 256 * 1024;

/// What standard error says of a call that was not begun.
const REFUSALS: [&str; 3] = [
    "Error resuming session",
    "No input provided",
    "not running in a trusted directory",
];

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

/// What is held between two lines.
pub(super) struct GeminiEvents {
    limit: usize,
    answer: Collected,
    failure: Collected,
    failed: Option<Report>,
    attempt: Option<ReportedError>,
}

impl GeminiEvents {
    /// Reads answers of at most `limit` bytes, in an object of at most `line`.
    pub(super) fn new(limit: usize, line: usize) -> Self {
        Self {
            limit,
            answer: Collected::new(line),
            failure: Collected::new(MAX_ERROR),
            failed: None,
            attempt: None,
        }
    }

    fn report(&self, report: Report, whole: bool, seen: &mut Observed) {
        seen.note_session(report.session.as_deref().unwrap_or_default());
        note_models(&report, seen);
        let text = report.response.map(|text| text.0);
        let blank = text.as_ref().is_none_or(|text| text.trim().is_empty());
        match report.error {
            Some(error) if blank && error.kind == Some(ErrorKind::InvalidStream) => {
                seen.note_warning(&error.message.unwrap_or_default().0);
            }
            Some(error) => {
                seen.error = Some(error.reported());
                return;
            }
            None => {}
        }
        if text.as_ref().is_some_and(|text| text.len() > self.limit) {
            seen.long_text = Some(self.limit as u64);
            return;
        }
        if whole && text.is_some() {
            seen.terminal = Some(StopReason::Stop);
        }
        if text.is_some() {
            seen.text = text;
        }
    }
}

fn note_models(report: &Report, seen: &mut Observed) {
    let busiest = report
        .models
        .iter()
        .max_by_key(|(_, model)| model.tokens.candidates);
    let Some((name, _)) = busiest else { return };
    seen.note_model(name);
    let sum = seen.usage.get_or_insert_default();
    for model in report.models.values() {
        let tokens = &model.tokens;
        sum.add(&Consumption {
            input: tokens.prompt,
            cache_read: tokens.cached,
            cache_write: 0,
            output: tokens.candidates.saturating_add(tokens.thoughts),
            cost_micro_usd: None,
            span: UsageSpan::Call,
        });
    }
}

impl WireError {
    fn reported(self) -> ReportedError {
        let message = self.message.unwrap_or_default().0;
        let told = GoogleError::of_body(message.as_bytes());
        let told = told.as_ref();
        let status = self.code.and_then(http_status);
        let mut error = ReportedError::new(Fault::Service, &message);
        error.status = status.or_else(|| told?.status());
        error.retry_after = told.and_then(GoogleError::retry_after);
        error
    }
}

impl Events for GeminiEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
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
            seen.retries += u32::from(line.contains("Retrying"));
            let status = status_after(line, &["failed with status "]);
            self.attempt = Some(ReportedError::new(Fault::Service, line).status(status));
        } else if let Some(tool) = line.strip_prefix("Error executing tool ") {
            let tool = tool.split_once(':').map_or(tool, |(name, _)| name);
            seen.note_tool(tool, ToolEnd::Failed);
        } else if REFUSALS.iter().any(|said| line.contains(said)) {
            let error = ReportedError::new(Fault::Request, line);
            seen.error.get_or_insert(error);
        }
    }

    fn end(&mut self, seen: &mut Observed) {
        if !self.answer.text.is_empty() {
            let (report, whole) = self.answer.take();
            self.report(report, whole, seen);
        }
        if seen.terminal.is_some() {
            return;
        }
        if let Some(report) = self.failed.take() {
            self.report(report, false, seen);
        }
        if seen.text.is_none() && seen.error.is_none() {
            seen.error = self.attempt.take();
        }
    }
}
