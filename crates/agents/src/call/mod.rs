//! One call of a program, with what it leaves in the folder of the run.

mod log;

use std::io;

use review_process::{Command, Context, Ended, GroupId, Patience, Sink, SpawnError, Stream, run};

use crate::activity::{CallWatch, Latest, UsageOf};
use crate::client::CountReader;
use crate::cmd;
use crate::deltas::{DeltaRedaction, Framing};
use crate::recording::{Calls, Tape};
use crate::stream::{Line, Lines, StreamReader, StreamState, WaitsFor};
use crate::{AgentCall, AgentContext, Checkout};

pub(crate) use log::CallLog;

/// Who reads the output of a call as it arrives.
pub(crate) struct Listener<'a> {
    /// It says how long the command may go on.
    pub(crate) reader: &'a mut StreamReader,
    /// What the command counts elsewhere; it is read as if it were printed.
    pub(crate) counts: Option<CountReader<'a>>,
    /// What the call consumed by what was observed so far.
    pub(crate) usage: &'a UsageOf<'a>,
}

/// Runs a command of a call of `backend`, or plays it from a recording. What the
/// journal will not hold of its output goes to `log`, and its group is noted for
/// as long as it lives.
pub(crate) async fn run_logged<'a>(
    context: &'a AgentContext,
    call: &AgentCall<'_>,
    backend: &str,
    command: Command,
    mut listener: Option<Listener<'a>>,
    log: CallLog<'a>,
) -> Result<Ended, SpawnError> {
    let watch = CallWatch::start(context, call);
    let watch = watch.and_then(|call| match &mut listener {
        Some(listener) => {
            listener.reader.watch();
            Some(Watched::Events(call))
        }
        None if backend == cmd::NAME => Some(Watched::lines(call)),
        None => None,
    });
    let framing = listener.as_ref().map(|_| Framing::Lines);
    let log = match framing {
        Some(framing) => log.of_events(DeltaRedaction::new(framing, &context.redactor)),
        None => log,
    };
    let mut outputs = Outputs {
        log,
        listener,
        watch,
        tape: None,
        is_within_line: false,
    };
    let ended = match &*context.calls {
        Calls::Live => live(context, call.checkout, command, &mut outputs).await,
        Calls::Recorded(recorder) => {
            let program = command.program.clone();
            let begun = recorder.begin(context, call, backend, &command, framing);
            let begun = begun.await;
            let Some((case, tape)) = begun else {
                return Err(SpawnError::Stopped { program });
            };
            outputs.tape = Some(tape);
            let ended = live(context, call.checkout, command, &mut outputs).await;
            recorder
                .end(context, call.checkout, case, outputs.tape.take(), &ended)
                .await;
            ended
        }
        Calls::Replayed(player) => {
            // What was counted is in the recording.
            outputs.count_no_more();
            let root = call.checkout.root();
            player.play(call.step, &command, root, &mut outputs)
        }
    }?;
    let Outputs { log, .. } = outputs;
    match framing.is_none() && ended.success() {
        true => log.complete(),
        false => log.keep(),
    }
    Ok(ended)
}

/// Runs the command now.
async fn live(
    context: &AgentContext,
    checkout: &Checkout,
    command: Command,
    outputs: &mut Outputs<'_>,
) -> Result<Ended, SpawnError> {
    // Declared before the call, so that a call that is dropped dies first.
    let mut child = checkout.child.note();
    let mut started = |group: GroupId| child.write(group);
    let context = Context {
        stop: context.stop.clone(),
        groups: &context.groups,
        redactor: &context.redactor,
        sink: Some(&mut *outputs),
        started: Some(&mut started),
    };
    let command = Command {
        sandbox: checkout.sandbox.clone(),
        ..command
    };
    let ended = run(command, context).await;
    outputs.count();
    ended
}

/// The longest line of a program that is shown.
const MAX_SHOWN: usize = 4 * 1024;

/// A call that is watched.
enum Watched<'a> {
    /// By the events that it prints.
    Events(CallWatch<'a>),
    /// By its lines.
    Lines {
        call: CallWatch<'a>,
        latest: Latest,
        stdout: Lines,
        stderr: Lines,
    },
}

impl<'a> Watched<'a> {
    fn lines(call: CallWatch<'a>) -> Self {
        Self::Lines {
            call,
            latest: Latest::default(),
            stdout: Lines::new(MAX_SHOWN),
            stderr: Lines::new(MAX_SHOWN),
        }
    }

    /// Reports what is known after some output.
    fn take(&mut self, stream: Stream, bytes: &[u8], listener: Option<&Listener<'_>>) {
        match (self, listener) {
            (Self::Events(call), Some(listener)) => {
                let seen = listener.reader.seen();
                if let Some(latest) = &seen.latest {
                    call.report(latest, seen.model.as_deref(), (listener.usage)(seen));
                }
            }
            (Self::Events(_), None) => {}
            (
                Self::Lines {
                    call,
                    latest,
                    stdout,
                    stderr,
                },
                _,
            ) => {
                let lines = match stream {
                    Stream::Stdout => stdout,
                    Stream::Stderr => stderr,
                };
                lines.push(bytes, &mut |line| {
                    if let Line::Whole(line) = line {
                        latest.says(&String::from_utf8_lossy(line));
                    }
                });
                call.report(latest, None, None);
            }
        }
    }
}

/// Where the outputs of a call go.
struct Outputs<'a> {
    log: CallLog<'a>,
    listener: Option<Listener<'a>>,
    /// Who watches the call, if anybody does.
    watch: Option<Watched<'a>>,
    tape: Option<Tape<'a>>,
    /// Whether standard output has begun a line and not ended it.
    is_within_line: bool,
}

impl Outputs<'_> {
    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        match (&mut self.listener, stream) {
            (Some(listener), Stream::Stdout) => listener.reader.stdout(bytes),
            (Some(listener), Stream::Stderr) => listener.reader.stderr(bytes),
            (None, _) => {}
        }
        if let Some(watch) = self.watch.as_mut().filter(|_| !bytes.is_empty()) {
            watch.take(stream, bytes, self.listener.as_ref());
        }
        if let (Stream::Stdout, Some(last)) = (stream, bytes.last()) {
            self.is_within_line = *last != b'\n';
        }
        if let Some(tape) = &mut self.tape {
            tape.write(stream, bytes);
        }
        self.log.write(stream, bytes);
    }

    /// Takes what was counted elsewhere, until the event that ends the call
    /// tells it.
    fn count(&mut self) {
        let Some(Listener {
            reader,
            counts: Some(counts),
            ..
        }) = &mut self.listener
        else {
            return;
        };
        let seen = reader.seen();
        let (Some(session), None) = (&seen.session, seen.terminal) else {
            return;
        };
        for event in counts.read(session) {
            let before = if self.is_within_line { "\n" } else { "" };
            self.take(Stream::Stdout, format!("{before}{event}\n").as_bytes());
        }
    }

    fn count_no_more(&mut self) {
        if let Some(listener) = &mut self.listener {
            listener.counts = None;
        }
    }
}

impl Sink for Outputs<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        self.take(stream, bytes);
        if stream == Stream::Stdout && !self.is_within_line {
            self.count();
        }
        Ok(())
    }

    fn patience(&self) -> Patience {
        let Some(listener) = &self.listener else {
            return Patience::Limits;
        };
        match listener.reader.state() {
            StreamState::Open => match listener.reader.seen().waits {
                None => Patience::Limits,
                Some(WaitsFor::Service) => Patience::Retrying,
                Some(WaitsFor::Network) => Patience::Connecting,
            },
            StreamState::Ended => Patience::Grace,
            StreamState::Hopeless => Patience::Spent,
        }
    }
}
