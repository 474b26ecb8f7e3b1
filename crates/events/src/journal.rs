//! The journal format: one JSON object a line.
//!
//! The first line is a [`RunRecord`]. Every later line is the begin or the
//! result of a step, a pause, a resume, or the end of a process. A line is
//! numbered by `n` from 0; a line cut off by a crash is the last one and is
//! dropped when the journal is opened.

use std::num::NonZeroU32;

use review_types::{Hash, Manifest, ModelId, RunId, Timestamp, UnitId, Usage};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::AgentRole;

/// Version of the journal format, in the field `v` of every line.
pub const JOURNAL_VERSION: u32 = 2;

/// 32 random bytes from which every nonce and id of a run is derived; written
/// as hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seed(Hash);

impl Seed {
    /// Wraps 32 random bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Hash::from_bytes(bytes))
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

/// The machine a record belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MachineName {
    /// The review loop.
    Review,
    /// The task graph.
    Task,
}

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
    /// Absolute path of the root.
    pub root: String,
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The unit, if the spec has one.
    pub unit: Option<UnitId>,
    /// The artifact's files at the start.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Value>"))]
    pub manifest: Manifest,
    /// Contents of the artifact's files that fit into a record.
    pub texts: Vec<TextRecord>,
    /// The instructions of the roles, which a resume gives again. Their texts
    /// are kept like the artifact's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<PinnedPrompt>,
    /// The resolved configuration. Variables appear by name, never by value.
    pub config: Value,
    /// The command line.
    pub command: Vec<String>,
    /// Version of the program that wrote the journal.
    pub version: String,
}

/// The version of a role's instructions that a run gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PinnedPrompt {
    /// Whose instructions they are.
    pub role: AgentRole,
    /// Number of the version, from 1.
    pub version: NonZeroU32,
    /// Hash of their text.
    pub hash: Hash,
}

/// A text that lies inside a record; larger ones are blobs.
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
pub struct Begin {
    /// Name of the step.
    pub step: String,
    /// Hash of the step's name and operation.
    pub key: Hash,
    /// How often this step was begun, this time included.
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
    pub step: String,
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
    /// What came of it.
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
    pub step: String,
    /// When the pause is over.
    pub until: Timestamp,
}

/// A pause is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waited {
    /// Name of the step.
    pub step: String,
    /// When.
    pub at: Timestamp,
}

/// A run that had ended goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resumed {
    /// The machine that is fed the changes.
    pub machine: MachineName,
    /// What is different from where the run ended.
    pub changes: Value,
    /// When.
    pub at: Timestamp,
    /// New texts of the artifact that fit into a record.
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
    /// See [`Begin`].
    Begin(Begin),
    /// See [`StepResult`].
    Result(Box<StepResult>),
    /// See [`Wait`].
    Wait(Wait),
    /// See [`Waited`].
    Waited(Waited),
    /// See [`Resumed`].
    Resumed(Resumed),
    /// See [`End`].
    End(End),
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
    begin: Option<Begin>,
    result: Option<Box<StepResult>>,
    wait: Option<Wait>,
    waited: Option<Waited>,
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

/// A line that is no record of this format.
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
            Body::Begin(begin) => append(lines, n, "begin", begin),
            Body::Result(result) => result.append_to(n, lines),
            Body::Wait(wait) => append(lines, n, "wait", wait),
            Body::Waited(waited) => append(lines, n, "waited", waited),
            Body::Resumed(resumed) => append(lines, n, "resumed", resumed),
            Body::End(end) => append(lines, n, "end", end),
        }
    }

    /// Reads a whole journal. What follows the last line end is a torn line
    /// and is left out; the second value is the length of what was read.
    ///
    /// # Errors
    /// [`JournalError`] for the first line that is no record, has another
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
            wire.begin.map(Body::Begin),
            wire.result.map(Body::Result),
            wire.wait.map(Body::Wait),
            wire.waited.map(Body::Waited),
            wire.resumed.map(Body::Resumed),
            wire.end.map(Body::End),
        ]
        .into_iter()
        .flatten();
        match (bodies.next(), bodies.next()) {
            (Some(body), None) => Ok(Self { n, body }),
            _ => Err(
                "must hold exactly one of run, begin, result, wait, waited, resumed, end"
                    .to_owned(),
            ),
        }
    }
}
