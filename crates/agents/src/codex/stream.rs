//! The lines of `codex exec --json`.
//!
//! The answer is the last message of the agent before `turn.completed`. Lines
//! and items of type `error` are also used for warnings and for reconnecting:
//! only `turn.failed` fails a call.

use serde::Deserialize;
use serde::de::IgnoredAny;

use review::events::ActionKind;

use super::command::{FilesRead, files_read};
use crate::stream::{
    Consumption, ErrorType, Events, Fault, NoEvent, Observed, ReportedError, StopReason, Text,
    ToolEnd, UsageSpan, WaitsFor, status_after,
};

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: LineKind,
    #[serde(rename = "thread_id")]
    thread: Option<String>,
    message: Option<Text>,
    item: Option<Item>,
    usage: Option<WireUsage>,
    error: Option<WireError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum LineKind {
    #[serde(rename = "thread.started")]
    ThreadStarted,
    #[serde(rename = "item.started")]
    ItemStarted,
    #[serde(rename = "item.completed")]
    ItemCompleted,
    #[serde(rename = "turn.completed")]
    TurnCompleted,
    #[serde(rename = "turn.failed")]
    TurnFailed,
    #[serde(rename = "error")]
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type", default)]
    kind: ItemKind,
    text: Option<Text>,
    message: Option<Text>,
    status: Option<ItemStatus>,
    exit_code: Option<i64>,
    command: Option<Known<String>>,
    changes: Option<Known<Vec<FileChange>>>,
}

/// A value of a known type, or of another one, which is ignored.
#[derive(Deserialize)]
#[serde(untagged)]
enum Known<T> {
    Value(T),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct FileChange {
    path: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ItemKind {
    AgentMessage,
    Error,
    Reasoning,
    TodoList,
    /// A tool of this name.
    #[serde(untagged)]
    Tool(String),
}

impl Default for ItemKind {
    fn default() -> Self {
        Self::Tool(String::new())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ItemStatus {
    Completed,
    Declined,
    #[serde(other)]
    Other,
}

/// What a thread has consumed so far.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    input_tokens: u64,
    cached_input_tokens: u64,
    cache_write_input_tokens: u64,
    output_tokens: u64,
}

#[derive(Deserialize)]
struct WireError {
    message: Text,
}

/// The body of a service's answer, where it is all that the client says.
#[derive(Deserialize)]
struct Body {
    error: BodyError,
}

#[derive(Deserialize)]
struct BodyError {
    #[serde(rename = "type")]
    kind: ErrorType,
}

/// What is held between two lines.
pub(super) struct CodexEvents {
    limit: usize,
    last_message: Option<String>,
    too_long: bool,
    complained: Option<String>,
}

impl CodexEvents {
    /// Reads answers of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            last_message: None,
            too_long: false,
            complained: None,
        }
    }

    fn item(&mut self, item: Item, seen: &mut Observed) {
        match (item.kind, item.text, item.message) {
            (ItemKind::AgentMessage, Some(text), _) => self.message(text.0, seen),
            (ItemKind::Error, _, Some(message)) => seen.note_warning(&message.0),
            (
                ItemKind::Reasoning | ItemKind::TodoList | ItemKind::Error | ItemKind::AgentMessage,
                ..,
            ) => {}
            (ItemKind::Tool(name), ..) => {
                let end = match (item.status, item.exit_code) {
                    (Some(ItemStatus::Declined), _) => ToolEnd::Denied,
                    (Some(ItemStatus::Completed) | None, None | Some(0)) => ToolEnd::Completed,
                    (Some(ItemStatus::Completed | ItemStatus::Other) | None, _) => ToolEnd::Failed,
                };
                seen.note_tool(&name, end);
                if end != ToolEnd::Denied {
                    note_files(item.command, item.changes, seen);
                }
            }
        }
    }

    fn message(&mut self, text: String, seen: &mut Observed) {
        if !text.trim().is_empty() {
            seen.denied = false;
        }
        self.too_long = text.len() > self.limit;
        self.last_message = (!self.too_long).then_some(text);
    }
}

/// Shows an item to those who watch.
fn show(item: &Item, seen: &mut Observed) {
    let Some(latest) = &mut seen.latest else {
        return;
    };
    match (&item.kind, &item.command, &item.changes) {
        (ItemKind::AgentMessage | ItemKind::Reasoning, ..) => {
            latest.says(item.text.as_ref().map_or("", |text| &text.0));
        }
        (ItemKind::Tool(_), Some(Known::Value(command)), _) => {
            latest.acts(ActionKind::Runs, command);
        }
        (ItemKind::Tool(_), _, Some(Known::Value(changes))) => {
            if let Some(change) = changes.last() {
                latest.acts(ActionKind::Edits, &change.path);
            }
        }
        (ItemKind::Tool(name), ..) => latest.acts(ActionKind::Uses, name),
        (ItemKind::Error | ItemKind::TodoList, ..) => {}
    }
}

/// Notes the files that a command names and reads, and those that were changed.
fn note_files(
    command: Option<Known<String>>,
    changes: Option<Known<Vec<FileChange>>>,
    seen: &mut Observed,
) {
    match command {
        Some(Known::Value(command)) => {
            let FilesRead { files, is_all } = files_read(&command);
            seen.reads.extend(files);
            if !is_all {
                seen.reads.set_partial();
            }
        }
        Some(Known::Other(IgnoredAny)) => seen.reads.set_partial(),
        None => {}
    }
    match changes {
        Some(Known::Value(changes)) => seen.writes.extend(changes.iter().map(|one| &one.path)),
        Some(Known::Other(IgnoredAny)) => seen.writes.set_partial(),
        None => {}
    }
}

/// Notes what the thread has consumed, where that is reported.
fn count(usage: Option<WireUsage>, seen: &mut Observed) {
    let Some(usage) = usage else { return };
    seen.usage = Some(Consumption {
        input: usage.input_tokens,
        cache_read: usage.cached_input_tokens,
        cache_write: usage.cache_write_input_tokens,
        output: usage.output_tokens,
        cost_micro_usd: None,
        span: UsageSpan::Session,
    });
}

/// Tells an answer that was cut by the model from a failure.
fn fail(message: &str, seen: &mut Observed) {
    match message.split_once("Incomplete response returned, reason: ") {
        Some((_, reason)) if reason.starts_with("max_output_tokens") => {
            seen.terminal = Some(StopReason::Length);
        }
        Some((_, reason)) if reason.starts_with("content_filter") => {
            seen.terminal = Some(StopReason::Refusal);
        }
        _ => seen.error = Some(ReportedError::new(Fault::Service, message).status(status(message))),
    }
}

/// The status that the message names, or that the body stands for which is all
/// there is of the message. Of an unknown model only the service's words are
/// left.
fn status(message: &str) -> Option<u16> {
    if message.contains("does not exist or you do not have access to it") {
        return Some(404);
    }
    status_after(message, &["unexpected status ", "last status: "]).or_else(|| {
        let body: Body = serde_json::from_str(message).ok()?;
        body.error.kind.status()
    })
}

impl Events for CodexEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        let line: Line = serde_json::from_slice(line).map_err(|_| NoEvent)?;
        match (line.kind, line.item, line.message) {
            (LineKind::ThreadStarted, ..) => {
                seen.note_session(line.thread.as_deref().unwrap_or_default());
            }
            (LineKind::ItemStarted, Some(item), _) => show(&item, seen),
            (LineKind::ItemCompleted, Some(item), _) => {
                show(&item, seen);
                self.item(item, seen);
            }
            (LineKind::TurnCompleted, ..) => {
                seen.terminal = Some(StopReason::Stop);
                count(line.usage, seen);
            }
            (LineKind::TurnFailed, ..) => {
                let message = line.error.map(|error| error.message.0);
                fail(&message.unwrap_or_default(), seen);
            }
            (LineKind::Error, _, Some(message)) => {
                if message.0.starts_with("Reconnecting") {
                    seen.note_retry(WaitsFor::after(&message.0));
                }
                self.complained = Some(message.0);
            }
            (
                LineKind::ItemStarted | LineKind::ItemCompleted | LineKind::Error | LineKind::Other,
                ..,
            ) => {}
        }
        Ok(())
    }

    fn complaint(&mut self, line: &str, seen: &mut Observed) {
        if line.contains("thread/resume failed") || line.starts_with("error: ") {
            let error = ReportedError::new(Fault::Request, line);
            seen.error.get_or_insert(error);
        }
    }

    fn end(&mut self, seen: &mut Observed) {
        if seen.terminal == Some(StopReason::Stop) {
            seen.text = self.last_message.take();
            seen.long_text = self.too_long.then_some(self.limit as u64);
        } else if let (None, None, Some(message)) = (seen.terminal, &seen.error, &self.complained) {
            fail(message, seen);
        }
    }
}
