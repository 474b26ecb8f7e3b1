//! Keeps the calls of a run.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use review::Step;
use review::events::Seed;
use review_process::{Command, Cut, Ended, Environment, Redactor, SpawnError, Stdin, Stream};
use review_store::{FileError, LogFile, RecordingDir};
use serde::Serialize;

use super::tree::Files;
use super::{INDEX_FILE, RUN_FILE, RecordedCall, RecordedRun, RecordingError, VERSION};
use crate::AgentContext;
use crate::ending::Ending;
use crate::transcript::Meta;

/// Keeps the calls of a run in a folder.
#[derive(Debug)]
pub struct Recorder {
    dir: RecordingDir,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    index: LogFile,
    calls: u32,
    fault: Option<String>,
}

/// A call that is being made.
pub(crate) struct Case {
    call: RecordedCall,
    meta: Meta,
    before: Files,
}

/// Where the outputs of a call are kept while it is made.
pub(crate) struct Tape {
    stdout: LogFile,
    stderr: LogFile,
    error: Option<io::Error>,
}

impl Tape {
    /// Keeps bytes; after the first failure no more.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let file = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        if self.error.is_none() {
            self.error = file.write_all(bytes).err();
        }
    }
}

impl Recorder {
    /// A recording of the run with this seed, in a folder that is empty or not
    /// there yet.
    ///
    /// # Errors
    /// When the folder holds something or cannot be written.
    pub fn create(folder: &Path, seed: Seed) -> Result<Self, RecordingError> {
        let dir = RecordingDir::create(folder)?;
        write_json(&dir, RUN_FILE, &RecordedRun { v: VERSION, seed })?;
        let index = dir.growing(INDEX_FILE)?;
        let state = State {
            index,
            calls: 0,
            fault: None,
        };
        Ok(Self {
            dir,
            state: Mutex::new(state),
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn fault(&self) -> Option<String> {
        self.state().fault.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, error: &RecordingError) {
        let fault = format!("the recording cannot be kept: {error}");
        self.state().fault.get_or_insert(fault);
    }

    /// Begins to keep a call of `backend`; `None` if that cannot be done, and
    /// then the call is not to be made.
    pub(crate) async fn begin(
        &self,
        context: &AgentContext,
        step: &Step,
        backend: &str,
        command: &Command,
    ) -> Option<(Case, Tape)> {
        let begun = self.try_begin(context, step, backend, command).await;
        begun.map_err(|error| self.fail(&error)).ok()
    }

    async fn try_begin(
        &self,
        context: &AgentContext,
        step: &Step,
        backend: &str,
        command: &Command,
    ) -> Result<(Case, Tape), RecordingError> {
        let seq = {
            let mut state = self.state();
            state.calls += 1;
            state.calls
        };
        let name = step.name.as_str();
        let call = RecordedCall {
            case: format!("{seq:03}-{}-{}", name.replace('/', "."), step.attempt),
            seq,
            step: name.to_owned(),
            attempt: step.attempt,
            backend: backend.to_owned(),
            op_hash: step.key,
        };
        let case = &call.case;
        let stdin = match &command.stdin {
            Stdin::Null => Vec::new(),
            Stdin::Bytes(bytes) => context.redactor.redact(bytes),
        };
        self.dir.write(&format!("{case}.stdin"), &stdin)?;
        let tape = Tape {
            stdout: self.dir.growing(&format!("{case}.stdout"))?,
            stderr: self.dir.growing(&format!("{case}.stderr"))?,
            error: None,
        };
        let case = Case {
            meta: meta(case, command, &context.redactor),
            before: Files::now(context).await?,
            call,
        };
        Ok((case, tape))
    }

    /// Keeps how a call ended and what it changed. One that was cut off with
    /// the run is not listed.
    pub(crate) async fn end(
        &self,
        context: &AgentContext,
        case: Case,
        tape: Option<Tape>,
        ended: &Result<Ended, SpawnError>,
    ) {
        let stopped = match ended {
            Ok(ended) => ended.cut == Some(Cut::Stopped),
            Err(error) => matches!(error, SpawnError::Stopped { .. }),
        };
        if stopped {
            return;
        }
        if let Err(error) = self.try_end(context, case, tape, ended).await {
            self.fail(&error);
        }
    }

    async fn try_end(
        &self,
        context: &AgentContext,
        case: Case,
        tape: Option<Tape>,
        ended: &Result<Ended, SpawnError>,
    ) -> Result<(), RecordingError> {
        let Case { call, meta, before } = case;
        let written = |path: &Path, error| FileError {
            path: path.to_owned(),
            action: review_store::Action::Written,
            source: error,
        };
        if let Some(Tape {
            stdout,
            error: Some(error),
            ..
        }) = tape
        {
            return Err(written(stdout.path(), error).into());
        }
        let (ending, wall_s) = match ended {
            Ok(ended) => (Ending::from(ended), Some(ended.took.as_secs_f64())),
            Err(error) => (
                Ending::NotStarted(error.program().display().to_string()),
                None,
            ),
        };
        let meta = Meta {
            wall_s,
            ..meta.with_ending(&ending)
        };
        let after = Files::now(context).await?;
        let changes = after.changes(&before, context, &self.dir.blobs())?;
        let case = &call.case;
        write_json(&self.dir, &format!("{case}.meta.json"), &meta)?;
        write_json(&self.dir, &format!("{case}.tree.json"), &changes)?;
        let mut line = json(self.dir.path(), &call)?;
        line.push(b'\n');
        let mut state = self.state();
        let listed = state.index.write_all(&line);
        Ok(listed.map_err(|error| written(state.index.path(), error))?)
    }
}

fn meta(case: &str, command: &Command, redactor: &Redactor) -> Meta {
    let clean = |text: &OsStr| {
        let clean = redactor.redact(text.as_encoded_bytes());
        String::from_utf8_lossy(&clean).into_owned()
    };
    let (Environment::Only(variables) | Environment::Inherit { set: variables }) = &command.env;
    let argv = std::iter::once(command.program.as_os_str());
    let argv = argv.chain(command.args.iter().map(AsRef::as_ref));
    Meta {
        name: case.to_owned(),
        argv: argv.map(clean).collect(),
        env: variables
            .iter()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), clean(value)))
            .collect(),
        ..Meta::default()
    }
}

fn write_json(
    dir: &RecordingDir,
    name: &str,
    value: &impl Serialize,
) -> Result<(), RecordingError> {
    Ok(dir.write(name, &json(&dir.path().join(name), value)?)?)
}

fn json(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, RecordingError> {
    serde_json::to_vec(value).map_err(|error| RecordingError::Damaged {
        path: path.to_owned(),
        message: error.to_string(),
    })
}
