//! One call of a program, with what it leaves in the folder of the run.

mod log;

use std::io;

use review_process::{Command, Context, Ended, GroupId, Patience, Sink, SpawnError, Stream, run};

use crate::activity::{CallWatch, Latest, UsageOf};
use crate::cmd;
use crate::stream::{Line, Lines, Observed, StreamReader};
use crate::{AgentCall, AgentContext};

pub(crate) use log::CallLog;

/// Who reads the output of a call as it arrives.
pub(crate) struct Listener<'a> {
    /// It says how long the command may go on.
    pub(crate) reader: &'a mut StreamReader,
    /// What the call consumed by what was observed so far.
    pub(crate) usage: &'a UsageOf<'a>,
}

/// Runs a command of a call of `backend`, whose events `reader` reads.
pub(crate) async fn run_observed(
    context: &AgentContext,
    call: &AgentCall<'_>,
    backend: &str,
    command: Command,
    mut reader: StreamReader,
    usage: &UsageOf<'_>,
) -> Result<(Ended, Observed), SpawnError> {
    let log = CallLog::new(&context.run, call.step);
    let reads = Listener {
        reader: &mut reader,
        usage,
    };
    let ended = run_logged(context, call, backend, command, Some(reads), log).await?;
    Ok((ended, reader.finish()))
}

/// Runs a command of a call of `backend`. What the journal will not hold of its
/// output goes to `log`, and its group is noted for as long as it lives.
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
    let prints_events = listener.is_some();
    let log = match prints_events {
        true => log.of_events(&context.redactor),
        false => log,
    };
    let mut outputs = Outputs {
        log,
        listener,
        watch,
    };
    // Declared before the call, so that a call that is dropped dies first.
    let mut child = call.checkout.child.note();
    let mut started = |group: GroupId| child.write(group);
    let environment = Context {
        stop: context.stop.clone(),
        groups: &context.groups,
        redactor: &context.redactor,
        sink: Some(&mut outputs),
        messages: None,
        started: Some(&mut started),
    };
    let sandbox = call.checkout.sandbox.clone().or(command.sandbox);
    let command = Command { sandbox, ..command };
    let ended = run(command, environment).await?;
    let Outputs { log, .. } = outputs;
    match !prints_events && ended.success() {
        true => log.complete(),
        false => log.keep(),
    }
    Ok(ended)
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
}

impl Sink for Outputs<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if let Some(listener) = &mut self.listener {
            listener.reader.write(stream, bytes)?;
        }
        if let Some(watch) = self.watch.as_mut().filter(|_| !bytes.is_empty()) {
            watch.take(stream, bytes, self.listener.as_ref());
        }
        self.log.write(stream, bytes);
        Ok(())
    }

    fn patience(&self) -> Patience {
        let listener = self.listener.as_ref();
        listener.map_or(Patience::Limits, |listener| listener.reader.patience())
    }

    fn reply(&mut self) -> Vec<u8> {
        let listener = self.listener.as_mut();
        listener.map_or_else(Vec::new, |listener| listener.reader.reply())
    }

    fn farewell(&mut self) -> Vec<u8> {
        let listener = self.listener.as_mut();
        listener.map_or_else(Vec::new, |listener| listener.reader.farewell())
    }
}
