//! Keeps the calls of a run.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use review_flow::Seed;
use review_flow::Step;
use review_process::{Command, Ended, EndedBy, Redactor, SpawnError, Stream};
use review_store::{Action, FileError, LogFile, RecordingDir};
use review_types::PromptRead;
use serde::Serialize;

use super::HttpTape;
use super::sent::SentRequest;
use super::tree::Files;
use super::{INDEX_FILE, RUN_FILE, RecordedCall, RecordedRun, RecordingError, VERSION};
use crate::caller::prompt_read;
use crate::deltas::{DeltaRedaction, Framing};
use crate::ending::Ending;
use crate::transcript::Meta;
use crate::{AgentCall, AgentContext, Checkout};

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
    /// The files of the project before it, unless it can change none.
    before: Option<Files>,
}

/// Where the outputs of a call are kept while it is made.
pub(crate) struct Tape<'a> {
    stdout: LogFile,
    deltas: Option<DeltaRedaction<'a>>,
    stderr: LogFile,
    error: Option<FileError>,
}

impl Tape<'_> {
    /// Keeps bytes; after the first failure no more.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let (file, deltas) = match stream {
            Stream::Stdout => (&mut self.stdout, self.deltas.as_mut()),
            Stream::Stderr => (&mut self.stderr, None),
        };
        let mut write = |bytes: &[u8]| keep(file, bytes, &mut self.error);
        match deltas {
            Some(deltas) => deltas.push(bytes, &mut write),
            None => write(bytes),
        }
    }

    fn finish(mut self) -> Result<(), FileError> {
        if let Some(deltas) = self.deltas.take() {
            deltas.finish(&mut |bytes| keep(&mut self.stdout, bytes, &mut self.error));
        }
        self.error.map_or(Ok(()), Err)
    }
}

fn keep(file: &mut LogFile, bytes: &[u8], error: &mut Option<FileError>) {
    if error.is_none() {
        let written = file.write_all(bytes);
        *error = written.err().map(|error| not_written(file.path(), error));
    }
}

/// How a call ended.
struct End {
    ending: Ending,
    took: Option<Duration>,
    prompt: Option<PromptRead>,
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

    /// Begins to keep a call of a program, which prints events if there is a
    /// `framing`; `None` if that cannot be done, and then the call is not to be
    /// made.
    pub(crate) async fn begin<'a>(
        &self,
        context: &'a AgentContext,
        call: &AgentCall<'_>,
        backend: &str,
        command: &Command,
        framing: Option<Framing>,
    ) -> Option<(Case, Tape<'a>)> {
        let sent = SentRequest::of_command(command);
        let begun = async {
            let mut case = self.case(call.step, backend, &sent, &context.redactor)?;
            let grows = |output| self.dir.growing(&format!("{}.{output}", case.call.case));
            let tape = Tape {
                stdout: grows("stdout")?,
                deltas: framing.map(|framing| DeltaRedaction::new(framing, &context.redactor)),
                stderr: grows("stderr")?,
                error: None,
            };
            case.before = Some(Files::now(context, call.checkout).await?);
            Ok((case, tape))
        };
        begun.await.map_err(|error| self.fail(&error)).ok()
    }

    /// Begins to keep a call over HTTP, which changes no file; `None` as for
    /// [`Self::begin`].
    pub(crate) fn begin_http<'a>(
        &self,
        step: &Step,
        backend: &str,
        sent: &SentRequest,
        redactor: &'a Redactor,
    ) -> Option<(Case, HttpTape<'a>)> {
        let begin = || {
            let case = self.case(step, backend, sent, redactor)?;
            let file = self
                .dir
                .growing(&format!("{}.http.jsonl", case.call.case))?;
            Ok((case, HttpTape::new(file, redactor)))
        };
        begin().map_err(|error| self.fail(&error)).ok()
    }

    fn case(
        &self,
        step: &Step,
        backend: &str,
        sent: &SentRequest,
        redactor: &Redactor,
    ) -> Result<Case, RecordingError> {
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
        let stdin = redactor.redact(&sent.stdin);
        self.dir.write(&format!("{}.stdin", call.case), &stdin)?;
        Ok(Case {
            meta: sent.meta(&call.case, redactor),
            before: None,
            call,
        })
    }

    /// Keeps how a call ended and what it changed. One that was cut off with
    /// the run is not listed.
    pub(crate) async fn end(
        &self,
        context: &AgentContext,
        checkout: &Checkout,
        case: Case,
        tape: Option<Tape<'_>>,
        ended: &Result<Ended, SpawnError>,
    ) {
        let end = match ended {
            Ok(ended) if ended.cut == Some(EndedBy::Stopped) => return,
            Err(SpawnError::Stopped { .. }) => return,
            Ok(ended) => End {
                ending: Ending::from(ended),
                took: Some(ended.took),
                prompt: prompt_read(ended.input),
            },
            Err(error) => End {
                ending: Ending::NotStarted(error.program().display().to_string()),
                took: None,
                prompt: None,
            },
        };
        let kept = tape.map_or(Ok(()), Tape::finish);
        if let Err(error) = self.try_end(context, checkout, case, kept, end).await {
            self.fail(&error);
        }
    }

    /// The same for a call over HTTP.
    pub(crate) async fn end_http(
        &self,
        context: &AgentContext,
        checkout: &Checkout,
        case: Case,
        tape: HttpTape<'_>,
        ending: &Ending,
    ) {
        // Nobody but us sends a signal to a call over HTTP.
        if matches!(ending, Ending::Signalled(_)) {
            return;
        }
        let end = End {
            ending: ending.clone(),
            took: Some(tape.elapsed()),
            prompt: None,
        };
        if let Err(error) = self
            .try_end(context, checkout, case, tape.finish(), end)
            .await
        {
            self.fail(&error);
        }
    }

    async fn try_end(
        &self,
        context: &AgentContext,
        checkout: &Checkout,
        case: Case,
        kept: Result<(), FileError>,
        end: End,
    ) -> Result<(), RecordingError> {
        let Case { call, meta, before } = case;
        kept?;
        let meta = Meta {
            wall_s: end.took.map(|took| took.as_secs_f64()),
            prompt: end.prompt,
            ..meta.with_ending(&end.ending)
        };
        let case = &call.case;
        write_json(&self.dir, &format!("{case}.meta.json"), &meta)?;
        if let Some(before) = before {
            let after = Files::now(context, checkout).await?;
            let changes = after.changes(&before, context, checkout, &self.dir.blobs())?;
            write_json(&self.dir, &format!("{case}.tree.json"), &changes)?;
        }
        let mut line = json(self.dir.path(), &call)?;
        line.push(b'\n');
        let mut state = self.state();
        let listed = state.index.write_all(&line);
        Ok(listed.map_err(|error| not_written(state.index.path(), error))?)
    }
}

pub(super) fn not_written(path: &Path, source: io::Error) -> FileError {
    FileError {
        path: path.to_owned(),
        action: Action::Written,
        source,
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
