//! The journal format: one JSON object per line.
//!
//! The first line is a [`RunRecord`]. Every later line is the start or the
//! result of a step, a pause, a signal, a resume, or the end of a process.
//! Several steps may be open: a record of a step names it, and the order of
//! results, pauses and signals is the order in which the machine received them.
//! Lines are numbered by `n` from 0; only the last line can be incomplete after a
//! crash, and it is dropped when the journal is opened.

use std::fmt;

use review_types::{Hash, ModelId, RunId, Timestamp, Usage};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::seed::Seed;
use crate::step::StepName;

/// Version of the journal format, in the field `v` of every line.
pub const JOURNAL_VERSION: u32 = 5;

/// The first record: the input of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunRecord {
    /// The run.
    pub run: RunId,
    /// Source of every nonce and id.
    pub seed: Seed,
    /// When the run was started.
    pub at: Timestamp,
    /// Version of the program that wrote the journal.
    pub version: String,
    /// The input of the run, as its application defines it.
    pub input: Value,
    /// The content of the input that fits into a record.
    pub texts: Vec<ContentRecord>,
}

/// Content inside a record; larger content is in blobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContentRecord {
    /// Hash of the content.
    pub hash: Hash,
    /// The content.
    pub text: String,
}

/// The start of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepStart {
    /// Name of the step.
    pub step: StepName,
    /// Hash of the step's name and operation.
    pub key: Hash,
    /// How often this step was started, including this time.
    pub attempt: u32,
    /// Hash of the manifest before the step, if it may change files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Hash>,
    /// Hash of the manifest that an interrupted attempt left, if it is undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Hash>,
    /// The time.
    pub at: Timestamp,
    /// The content that it added and that fits into a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<ContentRecord>,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "StepResult")]
pub struct StepResult<Out = Value> {
    /// Name of the step.
    pub step: StepName,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Its usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model or program that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<ModelId>,
    /// The agent's own session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its outcome.
    pub out: Out,
    /// Hashes of the manifests of the changes that were undone in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<Hash>,
    /// The content that it added and that fits into a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<ContentRecord>,
}

/// The start of a pause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Wait {
    /// Name of the step.
    pub step: StepName,
    /// When the pause ends.
    pub until: Timestamp,
}

/// The end of a pause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Waited {
    /// Name of the step.
    pub step: StepName,
    /// The time.
    pub at: Timestamp,
}

/// An external signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Signal")]
pub struct SignalRecord {
    /// Its name.
    pub name: String,
    /// Its payload.
    pub value: Value,
    /// The time.
    pub at: Timestamp,
}

/// The continuation of an ended run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Resumed {
    /// The changes since the run ended.
    pub changes: Value,
    /// The time.
    pub at: Timestamp,
    /// New content that fits into a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<ContentRecord>,
}

/// The reason that a process ended before its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// A signal.
    Interrupted,
    /// An internal failure.
    Broken,
}

/// The end of a process before its run. Replay skips this record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct End {
    /// The reason.
    pub reason: EndReason,
    /// The reason in words.
    pub message: String,
    /// The time.
    pub at: Timestamp,
}

/// The body of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The run itself; only the first record has it.
    Run(Box<RunRecord>),
    /// See [`StepStart`].
    Start(StepStart),
    /// See [`StepResult`].
    Result(Box<StepResult>),
    /// See [`Wait`].
    Wait(Wait),
    /// See [`Waited`].
    Waited(Waited),
    /// See [`SignalRecord`].
    Signal(SignalRecord),
    /// See [`Resumed`].
    Resumed(Resumed),
    /// See [`End`].
    End(End),
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(_) => f.write_str("a second run"),
            Self::Start(start) => write!(f, "the start of {}", start.step),
            Self::Result(result) => write!(f, "the result of {}", result.step),
            Self::Wait(wait) => write!(f, "the pause {}", wait.step),
            Self::Waited(waited) => write!(f, "the end of the pause {}", waited.step),
            Self::Signal(signal) => write!(f, "the signal {}", signal.name),
            Self::Resumed(_) => f.write_str("a resume"),
            Self::End(_) => f.write_str("the end of a process"),
        }
    }
}

/// One line of a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Number of the line, from 0.
    pub n: u64,
    /// Its body.
    pub body: Body,
}

/// A serialized line: version, number, and exactly one of the rest.
#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Journal")]
#[serde(deny_unknown_fields)]
struct WireRecord {
    v: u32,
    n: u64,
    run: Option<Box<RunRecord>>,
    start: Option<StepStart>,
    result: Option<Box<StepResult>>,
    wait: Option<Wait>,
    waited: Option<Waited>,
    signal: Option<SignalRecord>,
    resumed: Option<Resumed>,
    end: Option<End>,
}

/// The version of a line, ignoring the rest.
#[derive(Deserialize)]
struct Version {
    v: u32,
}

impl Version {
    fn refused(&self) -> String {
        format!(
            "expected format {JOURNAL_VERSION}, found format {}, written by another build of \
             ralph; start a new run, the old one stays as it is",
            self.v
        )
    }
}

/// A line to write, with the name of its kind.
struct Line<'a, T> {
    n: u64,
    kind: &'static str,
    body: &'a T,
}

impl<T: Serialize> Serialize for Line<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_struct("Journal", 3)?;
        line.serialize_field("v", &JOURNAL_VERSION)?;
        line.serialize_field("n", &self.n)?;
        line.serialize_field(self.kind, self.body)?;
        line.end()
    }
}

/// Appends a line, including the line break; leaves `lines` unchanged if `body`
/// cannot be serialized.
fn append<T: Serialize>(
    lines: &mut Vec<u8>,
    n: u64,
    kind: &'static str,
    body: &T,
) -> serde_json::Result<()> {
    let before = lines.len();
    if let Err(error) = serde_json::to_writer(&mut *lines, &Line { n, kind, body }) {
        lines.truncate(before);
        return Err(error);
    }
    lines.push(b'\n');
    Ok(())
}

impl<Out: Serialize> StepResult<Out> {
    /// Appends the result as line `n`, including the line break, like a [`Record`] of
    /// it.
    ///
    /// # Errors
    /// When it cannot be serialized; `lines` is then unchanged.
    pub fn append_to(&self, n: u64, lines: &mut Vec<u8>) -> serde_json::Result<()> {
        append(lines, n, "result", self)
    }
}

impl schemars::JsonSchema for Record {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        WireRecord::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WireRecord::json_schema(generator)
    }
}

/// A line that is not a record of this format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("journal line {line}: {message}")]
pub struct JournalError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The error.
    pub message: String,
}

impl Record {
    /// Appends the record as one line, including the line break.
    ///
    /// # Errors
    /// When a value in it cannot be serialized; `lines` is then unchanged.
    pub fn append_to(&self, lines: &mut Vec<u8>) -> serde_json::Result<()> {
        let n = self.n;
        match &self.body {
            Body::Run(run) => append(lines, n, "run", run),
            Body::Start(start) => append(lines, n, "start", start),
            Body::Result(result) => result.append_to(n, lines),
            Body::Wait(wait) => append(lines, n, "wait", wait),
            Body::Waited(waited) => append(lines, n, "waited", waited),
            Body::Signal(signal) => append(lines, n, "signal", signal),
            Body::Resumed(resumed) => append(lines, n, "resumed", resumed),
            Body::End(end) => append(lines, n, "end", end),
        }
    }

    /// Parses a whole journal. An incomplete last line is ignored; the second value is
    /// the length of the complete lines.
    ///
    /// # Errors
    /// [`JournalError`] for the first line that is not a record, has another
    /// format version, or is numbered out of order.
    pub fn read_all(journal: &[u8]) -> Result<(Vec<Self>, usize), JournalError> {
        let whole = journal
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |last| last + 1);
        let records = journal[..whole]
            .split_inclusive(|byte| *byte == b'\n')
            .enumerate()
            .map(|(index, line)| {
                Self::from_line(line, index as u64).map_err(|message| JournalError {
                    line: index + 1,
                    message,
                })
            })
            .collect::<Result<_, _>>()?;
        Ok((records, whole))
    }

    fn from_line(line: &[u8], n: u64) -> Result<Self, String> {
        let wire: WireRecord = serde_json::from_slice(line).map_err(|error| {
            match serde_json::from_slice::<Version>(line) {
                Ok(version) if version.v != JOURNAL_VERSION => version.refused(),
                _ => error.to_string(),
            }
        })?;
        if wire.v != JOURNAL_VERSION {
            return Err(Version { v: wire.v }.refused());
        }
        if wire.n != n {
            return Err(format!("expected line number {n}, found {}", wire.n));
        }
        let mut bodies = [
            wire.run.map(Body::Run),
            wire.start.map(Body::Start),
            wire.result.map(Body::Result),
            wire.wait.map(Body::Wait),
            wire.waited.map(Body::Waited),
            wire.signal.map(Body::Signal),
            wire.resumed.map(Body::Resumed),
            wire.end.map(Body::End),
        ]
        .into_iter()
        .flatten();
        match (bodies.next(), bodies.next()) {
            (Some(body), None) => Ok(Self { n, body }),
            _ => Err(
                "expected exactly one of run, start, result, wait, waited, signal, resumed, end"
                    .to_owned(),
            ),
        }
    }
}
