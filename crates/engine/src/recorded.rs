//! The result of a recorded call, as one object.

use review_agents::{Ending, Observed, Replayed, ToolEnd, Transcript, UsageSpan};
use review_types::{Failure, LimitKind, Timestamp, plural};
use serde::Serialize;

use crate::args::ReplayArgs;
use crate::output::Version;

/// The most notes of one call.
const MAX_NOTES: usize = 32;

/// The result of `ralph agents replay`.
#[derive(Default, Serialize)]
pub(super) struct ReplayReport {
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
#[derive(Serialize)]
struct TextReport {
    hash: String,
    bytes: usize,
}

/// What the call consumed.
#[derive(Serialize)]
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
#[derive(Default, Serialize)]
struct RecordingReport {
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_lines_total: Option<u64>,
}

/// A recorded call, read.
pub(super) struct Recorded {
    pub(super) ending: Ending,
    pub(super) replayed: Replayed,
    pub(super) cut: Option<CutOutput>,
}

/// A part of standard output in place of the whole.
#[derive(Clone, Copy)]
pub(super) struct CutOutput {
    lines: usize,
    total: u64,
}

impl CutOutput {
    /// The part that a recording holds, unless it holds all.
    pub(super) fn of(transcript: &Transcript) -> Option<Self> {
        let lines = transcript.stdout.split_inclusive(|byte| *byte == b'\n');
        Some(Self {
            total: transcript.stdout_lines_total?,
            lines: lines.count(),
        })
    }
}

impl ReplayReport {
    pub(super) fn new(args: &ReplayArgs, recorded: &Recorded) -> Self {
        let Recorded { replayed, cut, .. } = recorded;
        let seen = &replayed.seen;
        let text = replayed.outcome.is_ok().then_some(seen.text.as_ref());
        let mut report = Self {
            outcome: "answer",
            backend: args.backend.to_string(),
            case: args.case.display().to_string(),
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
            | Failure::ProtocolError
            | Failure::ReviewerWrote { .. }
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
fn notes(recorded: &Recorded) -> Vec<String> {
    let Recorded {
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
