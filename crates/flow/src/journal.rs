//! The journal format: one JSON object a line.
//!
//! The first line is a [`RunRecord`]. Every later line is the start or the
//! result of a step, a pause, a signal, a resume, or the end of a process.
//! Several steps may be open: what belongs to a step names it, and the order of
//! results, pauses and signals is the order in which the machine received them.
//! A line is numbered by `n` from 0; a line cut off by a crash is the last one
//! and is dropped when the journal is opened.

use std::fmt;

use review_types::{Hash, ModelId, RunId, Timestamp, Usage};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::seed::Seed;
use crate::step::StepName;

/// Version of the journal format, in the field `v` of every line.
pub const JOURNAL_VERSION: u32 = 3;

/// The first record: what was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// The run.
    pub run: RunId,
    /// Source of every nonce and id.
    pub seed: Seed,
    /// When the run was started.
    pub at: Timestamp,
    /// Version of the program that wrote the journal.
    pub version: String,
    /// What the run is about, as its application has it.
    pub input: Value,
    /// The texts of the input that fit into a record.
    pub texts: Vec<TextRecord>,
}

/// A text inside a record; larger ones are blobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextRecord {
    /// Hash of the text.
    pub hash: Hash,
    /// The text.
    pub text: String,
}

/// A step is about to be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepStart {
    /// Name of the step.
    pub step: StepName,
    /// Hash of the step's name and operation.
    pub key: Hash,
    /// How often this step was started, this time included.
    pub attempt: u32,
    /// Hash of the manifest that the step starts from, where it may change files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Hash>,
    /// Hash of the manifest of what an attempt that was cut off left, where it is
    /// undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Hash>,
    /// When.
    pub at: Timestamp,
    /// The texts it brought that fit into a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<TextRecord>,
}

/// A step was carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StepResult")
)]
pub struct StepResult<Out = Value> {
    /// Name of the step.
    pub step: StepName,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What it consumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Who carried it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<ModelId>,
    /// The agent's own session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its outcome.
    pub out: Out,
    /// Hashes of the manifests of what was undone in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<Hash>,
    /// The texts it brought that fit into a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<TextRecord>,
}

/// A pause begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wait {
    /// Name of the step.
    pub step: StepName,
    /// When the pause is over.
    pub until: Timestamp,
}

/// A pause is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waited {
    /// Name of the step.
    pub step: StepName,
    /// When.
    pub at: Timestamp,
}

/// Something came from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Signal")
)]
pub struct SignalRecord {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub value: Value,
    /// When.
    pub at: Timestamp,
}

/// A run that had ended goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resumed {
    /// What is different from where the run ended.
    pub changes: Value,
    /// When.
    pub at: Timestamp,
    /// New texts that fit into a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<TextRecord>,
}

/// What ended a process before its run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// A signal.
    Interrupted,
    /// A failure of our own.
    Broken,
}

/// A process ended before its run did. Replay skips this record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct End {
    /// Why.
    pub reason: EndReason,
    /// The same in words.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The run itself; the first record and no other.
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
    /// What it says.
    pub body: Body,
}

/// The line as it is written: version, number, and exactly one of the rest.
#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Journal")
)]
#[serde(deny_unknown_fields)]
struct Wire {
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

/// The version of a line, whatever else it holds.
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

/// A line that is written, of a kind by its name.
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

/// Appends a line, line end included; where `body` has no JSON form, `lines` is
/// as it was.
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
    /// Appends the result as line `n`, line end included, as a [`Record`] of it
    /// would be.
    ///
    /// # Errors
    /// When it has no JSON form; `lines` is then as it was.
    pub fn append_to(&self, n: u64, lines: &mut Vec<u8>) -> serde_json::Result<()> {
        append(lines, n, "result", self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Record {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Wire::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}

/// A line that is not a record of this format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("journal line {line}: {message}")]
pub struct JournalError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Record {
    /// Appends the record as one line, line end included.
    ///
    /// # Errors
    /// When a value in it has no JSON form; `lines` is then as it was.
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

    /// Reads a whole journal. What follows the last line end is a torn line
    /// and is left out; the second value is the length of what was read.
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
        let wire: Wire =
            serde_json::from_slice(line).map_err(|error| {
                match serde_json::from_slice::<Version>(line) {
                    Ok(version) if version.v != JOURNAL_VERSION => version.refused(),
                    _ => error.to_string(),
                }
            })?;
        if wire.v != JOURNAL_VERSION {
            return Err(Version { v: wire.v }.refused());
        }
        if wire.n != n {
            return Err(format!("is numbered {} instead of {n}", wire.n));
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
                "must hold exactly one of run, start, result, wait, waited, signal, resumed, end"
                    .to_owned(),
            ),
        }
    }
}
