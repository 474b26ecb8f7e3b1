//! Calls of agents that were recorded, read without calling anything.

use std::path::Path;

use review_agents::HttpTranscript;
use review_agents::{
    Ending, Observed, RecordedBackend, Replayed, StreamLimits, ToolEnd, Transcript,
    TranscriptError, UsageSpan,
};
use review_report::Version;
use review_types::{Failure, LimitKind, Timestamp, plural};
use serde::Serialize;

/// The most notes of one call.
const MAX_NOTES: usize = 32;

/// The result of a recorded call. This is the object that `ralph agents replay`
/// prints.
#[derive(Debug, Default, Serialize)]
pub struct CallReport {
    v: Version,
    outcome: &'static str,
    backend: String,
    case: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retryable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    got: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    tools: u64,
    denied: Vec<String>,
    recording: RecordingReport,
    notes: Vec<String>,
}

/// A string, described without showing it.
#[derive(Debug, Serialize)]
struct TextReport {
    hash: String,
    bytes: usize,
}

/// What the call consumed.
#[derive(Debug, Serialize)]
struct UsageReport {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_tokens: u64,
    cache_write_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micro_usd: Option<u64>,
    of: &'static str,
}

/// Whether all that the client printed was there to be read.
#[derive(Debug, Default, Serialize)]
struct RecordingReport {
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_lines_total: Option<u64>,
}

/// A recorded call, read.
pub struct RecordedCall {
    ending: Ending,
    replayed: Replayed,
    cut: Option<CutOutput>,
}

/// A part of standard output in place of the whole.
#[derive(Clone, Copy)]
struct CutOutput {
    lines: usize,
    total: u64,
}

impl CutOutput {
    /// The part that a recording holds, unless it holds all.
    fn of(transcript: &Transcript) -> Option<Self> {
        let lines = transcript.stdout.split_inclusive(|byte| *byte == b'\n');
        Some(Self {
            total: transcript.stdout_lines_total?,
            lines: lines.count(),
        })
    }
}

impl RecordedCall {
    /// Reads the recording of a call: `case` is the path of its files without their
    /// endings.
    ///
    /// # Errors
    /// When a file cannot be read or is not a recording.
    pub fn read(backend: &RecordedBackend, case: &Path) -> Result<Self, TranscriptError> {
        let limits = StreamLimits::default();
        match backend {
            RecordedBackend::Client(client) => Transcript::read(case).map(|transcript| Self {
                replayed: transcript.replay(*client, limits),
                cut: CutOutput::of(&transcript),
                ending: transcript.ending,
            }),
            RecordedBackend::Http(_) => HttpTranscript::read(case).map(|transcript| Self {
                ending: transcript.ending().clone(),
                replayed: transcript.replay(limits),
                cut: None,
            }),
        }
    }

    /// Whether the call gave an answer.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        self.replayed.outcome.is_ok()
    }
}

impl CallReport {
    /// The report of a call, with its backend and its recording as they were
    /// named.
    #[must_use]
    pub fn new(backend: String, case: String, recorded: &RecordedCall) -> Self {
        let RecordedCall { replayed, cut, .. } = recorded;
        let seen = &replayed.seen;
        let text = replayed.outcome.is_ok().then_some(seen.text.as_ref());
        let mut report = Self {
            outcome: "answer",
            backend,
            case,
            text: text.flatten().map(|text| TextReport::new(text)),
            session: seen.session.clone(),
            model: seen.model.clone(),
            usage: UsageReport::new(seen),
            status: replayed.status.map(i32::from),
            retryable: seen.error.as_ref().and_then(|error| error.retryable),
            message: seen.error.as_ref().map(|error| error.message.clone()),
            tools: seen.tools.total(),
            denied: denied(seen),
            recording: RecordingReport {
                cut: cut.is_some(),
                stdout_lines_total: cut.map(|cut| cut.total),
            },
            notes: notes(recorded),
            ..Self::default()
        };
        if let Err(failure) = &replayed.outcome {
            report.set_failure(failure);
        }
        report
    }

    fn set_failure(&mut self, failure: &Failure) {
        self.outcome = failure.as_str();
        match failure {
            Failure::RateLimited { retry_at } => self.retry_at = *retry_at,
            Failure::Failed { status } => self.status = Some(*status),
            Failure::Hung { limit, after_ms } => {
                (self.limit, self.after_ms) = (Some(*limit), Some(*after_ms));
            }
            Failure::Offline { after_ms } => self.after_ms = *after_ms,
            Failure::Killed { signal } => self.signal = Some(*signal),
            Failure::WrongAgent { asked, got } => {
                (self.asked, self.got) = (Some(asked.clone()), got.clone());
            }
            Failure::PermissionDenied
            | Failure::AuthFailed
            | Failure::ModelError { .. }
            | Failure::Refused
            | Failure::Truncated
            | Failure::EmptyAnswer
            | Failure::SpawnFailed { .. }
            | Failure::SetupFailed
            | Failure::ProtocolError
            | Failure::Unread
            | Failure::WroteFiles { .. }
            | Failure::TooLarge { .. } => {}
        }
    }
}

impl TextReport {
    fn new(text: &str) -> Self {
        Self {
            hash: review_flow::hash_bytes(text.as_bytes()).to_string(),
            bytes: text.len(),
        }
    }
}

impl UsageReport {
    fn new(seen: &Observed) -> Option<Self> {
        seen.usage.map(|usage| Self {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_read_tokens: usage.cache_read,
            cache_write_tokens: usage.cache_write,
            cost_micro_usd: usage.cost_micro_usd,
            of: match usage.span {
                UsageSpan::Call => "call",
                UsageSpan::Session => "session",
            },
        })
    }
}

fn denied(seen: &Observed) -> Vec<String> {
    let tools = seen.tools.listed().iter();
    tools
        .filter(|tool| tool.end == ToolEnd::Denied)
        .map(|tool| tool.tool.clone())
        .collect()
}

/// What is worth to know beside the outcome.
fn notes(recorded: &RecordedCall) -> Vec<String> {
    let RecordedCall {
        replayed,
        cut,
        ending,
    } = recorded;
    let seen = &replayed.seen;
    let mut notes = Vec::new();
    if let Some(CutOutput { lines, total }) = cut {
        notes.push(format!(
            "the recording holds {lines} of {total} lines of standard output; only this part was read"
        ));
    }
    if replayed.outcome.is_ok() && !matches!(ending, Ending::Exited(_)) {
        notes.push("the client lingered after its answer and was ended".to_owned());
    }
    if replayed.outcome.is_ok() && seen.usage.is_none() {
        notes.push("what the call consumed is unknown".to_owned());
    }
    if seen.retries > 0 {
        let retries = usize::try_from(seen.retries).unwrap_or(usize::MAX);
        let retries = plural(retries, "time", "times");
        notes.push(format!("the client asked its model again {retries}"));
    }
    if seen.unread_lines > 0 {
        let lines = usize::try_from(seen.unread_lines).unwrap_or(usize::MAX);
        let lines = plural(lines, "line", "lines");
        notes.push(format!("no event in {lines} of standard output"));
    }
    let warnings = seen.warnings.iter().map(|text| format!("warned: {text}"));
    notes.extend(warnings);
    notes.truncate(MAX_NOTES);
    notes
}
