//! What a call leaves in the folder of the run.

use std::io::{self, Write};

use review_flow::Step;
use review_process::{Redactor, Stream};
use review_store::{LogFile, RunDir};
use serde::Deserialize;

use crate::stream::{GrowingText, Line, Lines, StreamLimits, Text};

/// Bytes of an output that a call gives before they are in a log: a file costs
/// more than all else that is done for a call, and the journal holds the answer
/// of one that succeeds.
const HELD_BACK: usize = 8 * 1024;

/// The outputs of an attempt of a step, each in a file of its own. The first
/// bytes of an answer are held back until there are more, or the call failed. A
/// log that fails is reported at its end, and does not stop the reading.
pub(crate) struct CallLog<'a> {
    call: Call<'a>,
    answer: AnswerLog<'a>,
    stderr: Option<LogFile>,
    held: Vec<u8>,
    error: Option<io::Error>,
}

/// The call that a log is of.
struct Call<'a> {
    run: &'a RunDir,
    step: &'a Step,
    /// The name of a further command of the attempt.
    beside: Option<&'a str>,
}

impl Call<'_> {
    fn log(&self, output: &str) -> LogFile {
        let name = self.step.name.as_str().replace('/', ".");
        let attempt = self.step.attempt;
        self.run.log(&match self.beside {
            Some(beside) => format!("{name}-{attempt}.{beside}.{output}"),
            None => format!("{name}-{attempt}.{output}"),
        })
    }
}

/// Where an answer goes.
#[derive(Default)]
struct AnswerLog<'a> {
    file: Option<LogFile>,
    /// Where it comes in events.
    messages: Option<WholeMessages<'a>>,
}

impl AnswerLog<'_> {
    fn is_started(&self) -> bool {
        self.file.is_some()
    }

    fn write(&mut self, call: &Call<'_>, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.get_or_insert_with(|| call.log("stdout"));
        match &mut self.messages {
            None => file.write_all(bytes),
            Some(messages) => file.write_all(&messages.push(bytes)),
        }
    }

    fn finish(mut self, call: &Call<'_>) -> io::Result<()> {
        let rest = self.messages.take().map(WholeMessages::finish);
        self.write(call, &rest.unwrap_or_default())
    }
}

/// The events of a client with every message whole: in pieces of one, which a
/// secret can be spread over, nothing is redacted.
struct WholeMessages<'a> {
    lines: Lines,
    message: Message<'a>,
}

/// A message whose pieces still come.
struct Message<'a> {
    redactor: &'a Redactor,
    limit: usize,
    text: Option<GrowingText>,
}

/// What tells a piece of a message from an event that is logged as it is.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Event {
    #[serde(rename = "type")]
    kind: Kind,
    /// Of gemini.
    delta: bool,
    content: Text,
    /// Of opencode.
    part: Part,
    /// Of an agent that is talked with.
    params: Params,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// Claude's pieces of a message, which it prints whole as well.
    StreamEvent,
    /// A part of a message of opencode, which may not be all of it.
    Text,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    text: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    update: Update,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Update {
    #[serde(rename = "sessionUpdate")]
    kind: Updated,
    content: Part,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
enum Updated {
    #[serde(
        rename = "agent_message_chunk",
        alias = "agent_thought_chunk",
        alias = "user_message_chunk"
    )]
    Chunk,
    #[default]
    #[serde(other)]
    Other,
}

impl<'a> WholeMessages<'a> {
    fn new(redactor: &'a Redactor) -> Self {
        let limits = StreamLimits::default();
        Self {
            lines: Lines::new(limits.line),
            message: Message {
                redactor,
                limit: limits.text,
                text: None,
            },
        }
    }

    /// Takes the next bytes and returns what is to be written.
    fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Self { lines, message } = self;
        let mut out = Vec::with_capacity(bytes.len());
        lines.push(bytes, &mut |line| message.take(line, &mut out));
        out
    }

    fn finish(mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let message = &mut self.message;
        self.lines.finish(&mut |line| message.take(line, &mut out));
        message.end(&mut out);
        out
    }
}

impl Message<'_> {
    fn take(&mut self, line: Line<'_>, out: &mut Vec<u8>) {
        let Line::Whole(line) = line else { return };
        let event: Event = serde_json::from_slice(line).unwrap_or_default();
        let update = event.params.update;
        match (event.kind, event.delta, update.kind) {
            (Kind::StreamEvent, ..) => {}
            (Kind::Text, ..) => self.piece(&event.part.text),
            (Kind::Other, true, _) => self.piece(&event.content),
            (Kind::Other, false, Updated::Chunk) => self.piece(&update.content.text),
            (Kind::Other, false, Updated::Other) => {
                self.end(out);
                out.extend_from_slice(line);
                out.push(b'\n');
            }
        }
    }

    fn piece(&mut self, text: &Text) {
        let message = self.text.get_or_insert_default();
        message.push(&text.0, self.limit);
    }

    /// Writes the message at hand; of one over the limit nothing is kept.
    fn end(&mut self, out: &mut Vec<u8>) {
        let Some(Ok(text)) = self.text.take().map(GrowingText::whole) else {
            return;
        };
        let text = self.redactor.redact(text.as_bytes());
        let text = String::from_utf8_lossy(&text);
        let message = serde_json::json!({"type": "message", "content": text});
        out.extend_from_slice(format!("{message}\n").as_bytes());
    }
}

impl<'a> CallLog<'a> {
    /// The log of the attempt of a step.
    pub(crate) fn new(run: &'a RunDir, step: &'a Step) -> Self {
        Self {
            call: Call {
                run,
                step,
                beside: None,
            },
            answer: AnswerLog::default(),
            stderr: None,
            held: Vec::new(),
            error: None,
        }
    }

    /// The log of a further command of the attempt.
    pub(crate) fn beside(run: &'a RunDir, step: &'a Step, name: &'a str) -> Self {
        let mut log = Self::new(run, step);
        log.call.beside = Some(name);
        log
    }

    /// The log of an answer that comes in events.
    pub(crate) fn of_events(mut self, redactor: &'a Redactor) -> Self {
        self.answer.messages = Some(WholeMessages::new(redactor));
        self
    }

    /// Takes the next bytes of one output; after the first failure no more.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if self.error.is_some() {
            return;
        }
        let written = match stream {
            Stream::Stdout => self.write_answer(bytes),
            Stream::Stderr => {
                let file = self.stderr.get_or_insert_with(|| self.call.log("stderr"));
                file.write_all(bytes)
            }
        };
        self.error = written.err();
    }

    fn write_answer(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.answer.is_started() && self.held.len() + bytes.len() <= HELD_BACK {
            self.held.extend_from_slice(bytes);
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        self.answer.write(&self.call, &held)?;
        self.answer.write(&self.call, bytes)
    }

    /// Writes what is held back.
    pub(crate) fn keep(mut self) {
        let step = &self.call.step.name;
        let kept = match self.error.take() {
            Some(error) => Err(error),
            None => {
                let held = self.answer.write(&self.call, &self.held);
                held.and_then(|()| self.answer.finish(&self.call))
            }
        };
        if let Err(error) = kept {
            tracing::warn!("the log of step {step} is not complete: {error}");
        }
    }

    /// Writes what is held back, if anything was written or failed to be.
    pub(crate) fn complete(self) {
        if self.answer.is_started() || self.error.is_some() {
            self.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use review::types::RunId;
    use review_flow::{StepName, hash_bytes};
    use review_store::StateDir;

    use super::*;

    /// What a call leaves: the names of its files, and what they hold.
    fn left(take: impl FnOnce(&RunDir, &Step)) -> BTreeMap<String, String> {
        let state = StateDir::temporary().unwrap();
        let run = state.create_run(&RunId::new("r1").unwrap()).unwrap();
        let step = Step {
            name: StepName::new("review", 0, "review-1.1"),
            key: hash_bytes(b"a"),
            was_stopped: false,
            attempt: 2,
        };
        take(&run, &step);
        let Ok(files) = fs::read_dir(run.path().join("logs")) else {
            return BTreeMap::new();
        };
        let files = files.map(|file| file.unwrap().path()).map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        });
        files.collect()
    }

    /// The files of the attempt, by the end of their names.
    fn files<const N: usize>(files: [(&str, &str); N]) -> BTreeMap<String, String> {
        let named = files.map(|(end, text)| (format!("review.review-1.1-2.{end}"), text.into()));
        named.into()
    }

    #[test]
    fn a_short_answer_is_written_only_when_it_is_kept() {
        let short = "x".repeat(HELD_BACK);
        let dropped = left(|run, step| {
            let mut log = CallLog::new(run, step);
            log.write(Stream::Stdout, short.as_bytes());
        });
        assert_eq!(dropped, files([]));
        let kept = left(|run, step| {
            let mut log = CallLog::new(run, step);
            log.write(Stream::Stdout, short.as_bytes());
            log.keep();
        });
        assert_eq!(kept, files([("stdout", &short)]));
    }

    #[test]
    fn a_long_answer_is_written_whole_as_it_comes() {
        let half = "x".repeat(HELD_BACK / 2 + 1);
        let all = left(|run, step| {
            let mut log = CallLog::new(run, step);
            for part in [&half, &half, "the end"] {
                log.write(Stream::Stdout, part.as_bytes());
            }
        });
        assert_eq!(all, files([("stdout", &format!("{half}{half}the end"))]));
    }

    #[test]
    fn the_log_of_a_complete_answer_is_completed_only_where_it_was_started() {
        let completed = |answer: &str| {
            left(|run, step| {
                let mut log = CallLog::new(run, step);
                log.write(Stream::Stdout, answer.as_bytes());
                log.complete();
            })
        };
        assert_eq!(completed("short"), files([]));
        let long = "x".repeat(HELD_BACK + 1);
        assert_eq!(completed(&long), files([("stdout", &long)]));
    }

    /// What is logged of events that arrive in pieces of `size` bytes.
    fn logged(events: &str, size: usize) -> String {
        let redactor = Redactor::new(["k3y-of-the-eels"]);
        let mut messages = WholeMessages::new(&redactor);
        let mut out = Vec::new();
        for piece in events.as_bytes().chunks(size) {
            out.extend(messages.push(piece));
        }
        out.extend(messages.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_message_is_logged_whole_and_a_secret_in_its_pieces_is_not() {
        let piece = |text: &str| {
            format!(r#"{{"type":"message","role":"assistant","content":"{text}","delta":true}}"#)
        };
        let (init, end) = (r#"{"type":"init"}"#, r#"{"type":"result","delta":1}"#);
        let events = [
            init,
            &piece("a k3y-of"),
            &piece("-the-eels"),
            &piece(" b"),
            end,
        ];
        let whole = r#"{"content":"a [redacted] b","type":"message"}"#;
        let expected = format!("{init}\n{whole}\n{end}\n");
        for size in [1, 7, 1000] {
            assert_eq!(logged(&events.join("\n"), size), expected);
        }
        let cut = [init, &piece("half of")].join("\n");
        let expected = format!("{init}\n{}\n", r#"{"content":"half of","type":"message"}"#);
        assert_eq!(logged(&cut, 1000), expected);
    }

    #[test]
    fn pieces_that_a_client_repeats_whole_are_not_logged() {
        let piece = r#"{"type":"stream_event","event":{"delta":{"text":"k3y-of"}}}"#;
        let whole = r#"{"type":"assistant","message":{"content":"[redacted]"}}"#;
        let events = format!("{piece}\n{whole}\nno event\n");
        assert_eq!(logged(&events, 1000), format!("{whole}\nno event\n"));
    }

    #[test]
    fn standard_error_is_written_at_once_and_a_further_command_has_its_own_files() {
        let said = left(|run, step| {
            let mut log = CallLog::new(run, step);
            log.write(Stream::Stderr, b"one, ");
            log.write(Stream::Stderr, b"two");
            let mut beside = CallLog::beside(run, step, "export");
            beside.write(Stream::Stderr, b"three");
            beside.write(Stream::Stdout, b"four");
            beside.keep();
        });
        let expected = [
            ("stderr", "one, two"),
            ("export.stderr", "three"),
            ("export.stdout", "four"),
        ];
        assert_eq!(said, files(expected));
    }
}
