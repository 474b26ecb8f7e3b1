//! Steps that another computer carries out: the protocol between the process that leads
//! the run and `ralph step` there, as lines of JSON on its standard input and output.
//!
//! ```text
//!   order ─────────────►            what to do, with the names of content and commits
//!         ◄───────────── want       those that are not there yet
//!   content, commits ──►            what the order names, and nothing else
//!         ◄───────────── said       what the step does while it runs
//!         ◄───────────── done       its result, with content, logs and commits
//! ```
//!
//! Until then both sides send `alive`. A step whose input ends, or that receives nothing for a
//! minute, ends its programs. Its result is kept by its key, so that a step that is ordered
//! again does nothing twice.

mod ask;
mod carry_out;
mod connection;
mod take;
mod workers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use review::events::{Envelope, PinnedPrompt};
use review_flow::{Executed, Seed, Step, Stop};
use review_lane::CommitId;
use review_tasks::{LaneOp, LaneOut};
use review_types::{Hash, Manifest, RunId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) use carry_out::STEPS;
pub use carry_out::{StepHost, carry_out_step};
pub(crate) use workers::{EngineState, Worker, Workers, find_workers};

use crate::settings::RunSettings;

/// How often each side says that it is there.
const ALIVE: Duration = Duration::from_secs(15);

/// How long a side waits for a line of the other one.
const SILENCE: Duration = Duration::from_secs(60);

/// The longest line that is read, in bytes.
pub const MAX_STEP_MESSAGE: usize = 384 << 20;

/// A step that is to be carried out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StepOrder {
    /// The version of the program that leads the run.
    version: String,
    /// The clone, below the home folder or from the root of the file system.
    folder: PathBuf,
    run: RunId,
    seed: Seed,
    /// What the run was asked to do, without what a host decides.
    settings: RunSettings,
    prompts: Vec<PinnedPrompt>,
    /// The branch that the work is for.
    target: String,
    step: Step,
    op: LaneOp,
    /// The tip of the lane, and the other commits that the step starts from.
    tip: CommitId,
    commits: Vec<CommitId>,
    /// The spec, plan and tasks as the user has them now.
    unit: Manifest,
    /// The other content that the step reads.
    contents: Vec<Hash>,
    /// Guidance of the user for the agent of the task.
    guidance: Vec<String>,
    /// What is left of the time of the run.
    time_left: Option<Duration>,
}

impl StepOrder {
    /// Returns the folder of the clone on a host with this home folder.
    pub fn folder(&self, home: &Path) -> PathBuf {
        home.join(&self.folder)
    }

    /// The content that it names: no other is sent.
    fn named(&self) -> impl Iterator<Item = Hash> {
        let unit = self.unit.files().iter().map(|file| file.hash);
        let prompts = self.prompts.iter().map(|prompt| prompt.hash);
        unit.chain(prompts).chain(self.contents.iter().copied())
    }
}

/// A line to a step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToStep {
    /// What to do.
    Order(Box<StepOrder>),
    /// Content that it wants.
    Content(Bytes),
    /// The commits that it wants, as a pack.
    Commits(Bytes),
    /// It is to end.
    Cancel,
    /// The run goes on.
    Alive,
}

/// A line of a step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromStep {
    /// What it needs first.
    Want {
        /// Content of the order.
        contents: Vec<Hash>,
        /// Commits of the order.
        commits: Vec<CommitId>,
        /// The commits that are there, if some of the order are not.
        tips: Option<Vec<CommitId>>,
    },
    /// What happens while it runs.
    Said(Envelope),
    /// It has ended.
    Done {
        /// Its result.
        ended: Result<StepResult, Stop>,
    },
    /// It goes on.
    Alive,
}

/// The result of a step.
#[derive(Debug, Serialize, Deserialize)]
pub struct StepResult {
    executed: Executed<LaneOut>,
    /// The content that it names.
    contents: Vec<Bytes>,
    /// The logs of its programs.
    logs: BTreeMap<String, Bytes>,
    /// The commits that it names, as a pack.
    commits: Option<Bytes>,
}

/// Bytes, in JSON as Base64.
#[derive(Debug)]
pub struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text);
        bytes.map(Self).map_err(serde::de::Error::custom)
    }
}

/// A message as a line.
fn line(message: &impl Serialize) -> Result<Vec<u8>, Stop> {
    let mut line = serde_json::to_vec(message).map_err(crate::error::halted)?;
    line.push(b'\n');
    Ok(line)
}
