//! Plays recorded calls.

use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use review_flow::Seed;
use review_flow::Step;
use review_process::{Command, Ended, InputRead, Sink, SpawnError, Stream};
use review_store::{RecordingDir, Root};
use review_types::PromptRead;
use serde::de::DeserializeOwned;

use super::{
    Change, INDEX_FILE, RUN_FILE, RecordedCall, RecordedRun, RecordingError, VERSION, tree,
};
use crate::http::HttpTranscript;
use crate::transcript::{Transcript, read_file};

/// Plays the calls of a recorded run, in their order.
#[derive(Debug)]
pub struct Player {
    dir: RecordingDir,
    seed: Seed,
    calls: Vec<RecordedCall>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    played: usize,
    fault: Option<String>,
}

impl Player {
    /// Opens a recording.
    ///
    /// # Errors
    /// [`RecordingError`] names the file that is missing or damaged.
    pub fn open(folder: &Path) -> Result<Self, RecordingError> {
        let dir = RecordingDir::open(folder)?;
        let path = dir.path().join(RUN_FILE);
        let run: RecordedRun = parse(&path, &read_file(&path)?)?;
        if run.v != VERSION {
            let message = format!("it has version {}, and {VERSION} is read", run.v);
            return Err(RecordingError::Damaged { path, message });
        }
        let path = dir.path().join(INDEX_FILE);
        let index = read_file(&path)?;
        let lines = index
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let calls: Vec<RecordedCall> = lines
            .map(|line| parse(&path, line))
            .collect::<Result<_, _>>()?;
        for call in &calls {
            let parts: Vec<_> = Path::new(&call.case).components().collect();
            if !matches!(parts[..], [Component::Normal(_)]) {
                let message = format!("\"{}\" is not a valid name of a case", call.case);
                return Err(RecordingError::Damaged { path, message });
            }
        }
        Ok(Self {
            dir,
            seed: run.seed,
            calls,
            state: Mutex::default(),
        })
    }

    /// The seed of the recorded run.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    pub(super) fn fault(&self) -> Option<String> {
        self.state().fault.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays the next call, which must be one of `step`: changes the files
    /// below `root` and gives the outputs to `sink`.
    ///
    /// # Errors
    /// As the recorded call; a recording that does not fit becomes the fault
    /// of this player.
    pub(crate) fn play(
        &self,
        step: &Step,
        command: &Command,
        root: &Root,
        sink: &mut dyn Sink,
    ) -> Result<Ended, SpawnError> {
        let program = command.program.clone();
        let Some(played) = self.checked(self.next(step, root)) else {
            return Err(SpawnError::Stopped { program });
        };
        let Some(end) = played.ending.ended() else {
            return Err(SpawnError::NotFound { program });
        };
        let (stdout, stderr) = (&played.stdout, &played.stderr);
        let written = sink.write(Stream::Stdout, stdout);
        let written = written.and_then(|()| sink.write(Stream::Stderr, stderr));
        let ended = Ended::replayed(end, stdout, stderr, &command.limits);
        let input = played
            .prompt
            .map(|PromptRead { bytes, read }| InputRead { bytes, read });
        Ok(Ended {
            input,
            spill_error: written.err(),
            ..ended
        })
    }

    /// The next call, which must be one of `step` over HTTP; `None` as for a
    /// recording that does not fit.
    pub(crate) fn play_http(&self, step: &Step) -> Option<HttpTranscript> {
        let next = self.next_call(step);
        let read = next.and_then(|call| Ok(HttpTranscript::read(&self.file(&call.case))?));
        self.checked(read)
    }

    /// Makes what does not fit the fault of this player.
    fn checked<T>(&self, played: Result<T, RecordingError>) -> Option<T> {
        let fault = |error: RecordingError| {
            self.state().fault.get_or_insert(error.to_string());
        };
        played.map_err(fault).ok()
    }

    fn next(&self, step: &Step, root: &Root) -> Result<Transcript, RecordingError> {
        let call = self.next_call(step)?;
        let transcript = Transcript::read(&self.file(&call.case))?;
        let path = self.file(&format!("{}.tree.json", call.case));
        let changes: Vec<Change> = parse(&path, &read_file(&path)?)?;
        tree::apply(&changes, root, &self.dir.blobs(), step.name.as_str())?;
        Ok(transcript)
    }

    fn next_call(&self, step: &Step) -> Result<&RecordedCall, RecordingError> {
        let name = || step.name.to_string();
        let call = {
            let mut state = self.state();
            let call = self.calls.get(state.played);
            state.played += 1;
            call.ok_or_else(|| RecordingError::Missing { step: name() })?
        };
        if call.step != step.name.as_str() {
            let recorded = call.step.clone();
            return Err(RecordingError::OtherStep {
                step: name(),
                recorded,
            });
        }
        if call.op_hash != step.key {
            return Err(RecordingError::OtherOp { step: name() });
        }
        Ok(call)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, RecordingError> {
    serde_json::from_slice(bytes).map_err(|error| RecordingError::Damaged {
        path: path.to_owned(),
        message: error.to_string(),
    })
}
