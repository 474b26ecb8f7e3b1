//! One call of a program, with what it leaves in the folder of the run.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use review::Step;
use review_process::{Command, Context, Ended, GroupId, Patience, Sink, SpawnError, Stream, run};
use review_store::{ChildFile, LogFile, RunDir};

use crate::AgentContext;
use crate::deltas::{DeltaRedaction, Framing};
use crate::recording::{Calls, Tape};
use crate::stream::{Standing, StreamReader};

/// Bytes of an output that a call gives before they are in a log: a file costs
/// more than all else that is done for a call, and the journal holds the answer
/// of one that succeeds.
const HELD_BACK: usize = 8 * 1024;

/// Runs a command as the call of `step` that `backend` makes, or plays it from
/// a recording. What the journal will not hold of its output is logged, and its
/// group is noted for as long as it lives. A `reader` reads the output as it
/// arrives, and says how long the command may go on.
pub(crate) async fn run_logged(
    context: &AgentContext,
    step: &Step,
    backend: &str,
    command: Command,
    reader: Option<&mut StreamReader>,
) -> Result<Ended, SpawnError> {
    let log = CallLog::new(&context.run, step);
    run_with_log(context, step, backend, command, reader, log).await
}

/// Runs a further command within the call of `step`, or plays it; its log is
/// called by `name` as well.
pub(crate) async fn run_beside(
    context: &AgentContext,
    step: &Step,
    backend: &str,
    command: Command,
    name: &str,
) -> Result<Ended, SpawnError> {
    let log = CallLog::beside(&context.run, step, name);
    run_with_log(context, step, backend, command, None, log).await
}

async fn run_with_log<'a>(
    context: &'a AgentContext,
    step: &Step,
    backend: &str,
    command: Command,
    reader: Option<&'a mut StreamReader>,
    log: CallLog<'a>,
) -> Result<Ended, SpawnError> {
    let framing = reader.as_ref().map(|_| Framing::Lines);
    let log = match framing {
        Some(framing) => log.of_events(DeltaRedaction::new(framing, &context.redactor)),
        None => log,
    };
    let mut outputs = Outputs {
        log,
        error: None,
        reader,
        tape: None,
    };
    let ended = match &*context.calls {
        Calls::Live => live(context, command, &mut outputs).await,
        Calls::Recorded(recorder) => {
            let program = command.program.clone();
            let begun = recorder.begin(context, step, backend, &command, framing);
            let begun = begun.await;
            let Some((case, tape)) = begun else {
                return Err(SpawnError::Stopped { program });
            };
            outputs.tape = Some(tape);
            let ended = live(context, command, &mut outputs).await;
            recorder
                .end(context, case, outputs.tape.take(), &ended)
                .await;
            ended
        }
        Calls::Replayed(player) => {
            let root = context.artifact.root();
            player.play(step, &command, root, &mut outputs)
        }
    }?;
    let Outputs { log, error, .. } = outputs;
    let kept = match error {
        Some(error) => Err(error),
        None if framing.is_none() && ended.success() => Ok(()),
        None => log.keep(),
    };
    if let Err(error) = kept {
        tracing::warn!("the log of step {} is not complete: {error}", step.name);
    }
    Ok(ended)
}

/// Runs the command now.
async fn live(
    context: &AgentContext,
    command: Command,
    outputs: &mut Outputs<'_>,
) -> Result<Ended, SpawnError> {
    // Declared before the call, so that a call that is dropped dies first.
    let child = Child(&context.child);
    let mut started = |group| child.note(group);
    let context = Context {
        stop: context.stop.clone(),
        groups: &context.groups,
        redactor: &context.redactor,
        sink: Some(outputs),
        started: Some(&mut started),
    };
    run(command, context).await
}

/// Where the outputs of a call go. A log that fails does not keep the reader
/// from reading.
struct Outputs<'a> {
    log: CallLog<'a>,
    error: Option<io::Error>,
    reader: Option<&'a mut StreamReader>,
    tape: Option<Tape<'a>>,
}

impl Sink for Outputs<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match (&mut self.reader, stream) {
            (Some(reader), Stream::Stdout) => reader.stdout(bytes),
            (Some(reader), Stream::Stderr) => reader.stderr(bytes),
            (None, _) => {}
        }
        if let Some(tape) = &mut self.tape {
            tape.write(stream, bytes);
        }
        if self.error.is_none() {
            self.error = self.log.write(stream, bytes).err();
        }
        Ok(())
    }

    fn patience(&self) -> Patience {
        match self.reader.as_ref().map(|reader| reader.standing()) {
            Some(Standing::Open) | None => Patience::Limits,
            Some(Standing::Ended) => Patience::Grace,
            Some(Standing::Hopeless) => Patience::Spent,
        }
    }
}

/// The outputs of an attempt of a step, each in a file of its own. The first
/// bytes of an answer are held back until there are more, or the call failed.
pub(crate) struct CallLog<'a> {
    answer: AnswerLog<'a>,
    stderr: LogFile,
    held: Vec<u8>,
}

/// Where an answer goes, without the secrets that are spread over its events.
struct AnswerLog<'a> {
    file: LogFile,
    deltas: Option<DeltaRedaction<'a>>,
    is_begun: bool,
}

impl AnswerLog<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_begun = true;
        let Some(deltas) = &mut self.deltas else {
            return self.file.write_all(bytes);
        };
        let mut written = Ok(());
        deltas.push(bytes, &mut |bytes| {
            append(&mut self.file, bytes, &mut written)
        });
        written
    }

    fn finish(mut self) -> io::Result<()> {
        let mut written = Ok(());
        if let Some(deltas) = self.deltas.take() {
            deltas.finish(&mut |bytes| append(&mut self.file, bytes, &mut written));
        }
        written
    }
}

/// Appends to a file, unless that has failed before.
fn append(file: &mut LogFile, bytes: &[u8], written: &mut io::Result<()>) {
    if written.is_ok() {
        *written = file.write_all(bytes);
    }
}

impl<'a> CallLog<'a> {
    /// The log of the attempt of a step.
    pub(crate) fn new(run: &RunDir, step: &Step) -> Self {
        Self::named(run, step, "")
    }

    /// The log of a further command of the attempt.
    fn beside(run: &RunDir, step: &Step, name: &str) -> Self {
        Self::named(run, step, &format!(".{name}"))
    }

    fn named(run: &RunDir, step: &Step, suffix: &str) -> Self {
        let log = |output: &str| {
            let name = step.name.as_str().replace('/', ".");
            run.log(&format!("{name}-{}{suffix}.{output}", step.attempt))
        };
        Self {
            answer: AnswerLog {
                file: log("stdout"),
                deltas: None,
                is_begun: false,
            },
            stderr: log("stderr"),
            held: Vec::new(),
        }
    }

    /// The log of an answer that comes in events.
    pub(crate) fn of_events(mut self, deltas: DeltaRedaction<'a>) -> Self {
        self.answer.deltas = Some(deltas);
        self
    }

    /// Takes the next bytes of one output.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match stream {
            Stream::Stdout => self.write_answer(bytes),
            Stream::Stderr => self.stderr.write_all(bytes),
        }
    }

    fn write_answer(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.answer.is_begun && self.held.len() + bytes.len() <= HELD_BACK {
            self.held.extend_from_slice(bytes);
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        self.answer.write(&held)?;
        self.answer.write(bytes)
    }

    /// Writes what is held back.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.answer.write(&held)?;
        self.answer.finish()
    }

    /// Writes what is held back, if anything was written.
    #[cfg(feature = "http")]
    pub(crate) fn complete(self) -> io::Result<()> {
        match self.answer.is_begun {
            true => self.keep(),
            false => Ok(()),
        }
    }
}

/// The note of a child; it is taken away when the call is over or dropped.
struct Child<'a>(&'a Mutex<ChildFile>);

impl Child<'_> {
    fn note(&self, group: GroupId) {
        if let Err(error) = self.file().write(&group.to_string()) {
            tracing::warn!("a run after a crash could not end process group {group}: {error}");
        }
    }

    fn file(&self) -> MutexGuard<'_, ChildFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Child<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.file().clear() {
            tracing::warn!("the note of a call that is over cannot be removed: {error}");
        }
    }
}
