//! Runs one command from the spawn to the end of its output.
//!
//! One task owns the whole state and waits for one event at a time, in an order in
//! which a program that writes continuously cannot hide its end or its timeout.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdout};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::capture::Capture;
use crate::group::Leader;
use crate::input::{Input, Pipe};
use crate::output::{Output, Spill};
use crate::phase::{Clock, Phase, STOP_GRACE};
use crate::spawn::spawn;
use crate::stale::Tick;
use crate::{
    Command, Context, Ended, EndedBy, Exit, GroupId, InputRead, Limits, Overflow, Patience,
    SpawnError, SpawnFault, Stdin, Stop, Stream,
};

/// The number of bytes of standard error that are captured: the first quarter and the
/// last three quarters.
const STDERR_CAPTURE: usize = 256 * 1024;

/// Runs a command and returns its result. Dropping the future kills the group.
///
/// It requires a tokio runtime with the time and I/O drivers enabled.
///
/// # Errors
///
/// [`SpawnError`] if the program cannot be started. The result of a started program is
/// always in [`Ended`].
pub async fn run(command: Command, mut context: Context<'_>) -> Result<Ended, SpawnError> {
    let program = command.program.clone();
    if *context.stop.borrow_and_update() != Stop::Run {
        let cause = SpawnFault::Stopped;
        return Err(SpawnError { program, cause });
    }
    let mut call = Call::start(command, context)?;
    match call.wait().await {
        Ok(exit) => Ok(call.finish(exit)),
        Err(error) => Err(SpawnError {
            program,
            cause: SpawnFault::System(error),
        }),
    }
}

/// The events of a running command.
enum Event {
    Stop(Stop),
    /// A child may have ended.
    Child,
    TimeUp,
    Stdout(io::Result<usize>),
    Stderr(io::Result<usize>),
    Stdin(io::Result<usize>),
    /// A message for the program; `None` after the last one.
    Message(Option<Vec<u8>>),
}

struct Call<'a> {
    leader: Leader,
    /// SIGCHLD.
    children: Signal,
    /// Whether the leader was asked for its end: it may have ended before `children` listens.
    asked: bool,
    stop: watch::Receiver<Stop>,
    limits: Limits,
    clock: Clock,
    timer: Pin<Box<Sleep>>,
    phase: Phase,
    cut: Option<EndedBy>,
    exit: Option<Exit>,
    stdin: Input,
    messages: Option<&'a mut UnboundedReceiver<Vec<u8>>>,
    /// How much of the input was read, once the leader has ended.
    input_read: Option<InputRead>,
    left_running: bool,
    stdout: Output<'a, ChildStdout>,
    stderr: Output<'a, ChildStderr>,
    spill: Spill<'a>,
}

impl<'a> Call<'a> {
    fn start(command: Command, context: Context<'a>) -> Result<Self, SpawnError> {
        let program = command.program.clone();
        let failed = |error| SpawnError {
            program: program.clone(),
            cause: SpawnFault::System(error),
        };
        let limits = command.limits;
        let clock = Clock::start(&limits);
        let first = clock.deadline(Phase::Running).unwrap_or_else(Instant::now);
        let before = Tick::now();
        let (stdin, read_end) = match command.stdin {
            Stdin::Null => (None, None),
            Stdin::Bytes(_) | Stdin::Dialog(_) => {
                let (pipe, read_end) = Pipe::new().map_err(failed)?;
                (Some(pipe), Some(read_end))
            }
        };
        let mut leader = spawn(&command, read_end, context.groups)?;
        if let Some(started) = context.started {
            started(GroupId::of_leader(leader.pid(), before));
        }
        let children = signal(SignalKind::child()).map_err(failed)?;
        let pipes = leader.take_pipes();
        let stdout = pipes.stdout.map(ChildStdout::from_std).transpose();
        let stderr = pipes.stderr.map(ChildStderr::from_std).transpose();
        let (input, goes_on) = match command.stdin {
            Stdin::Null => (Vec::new(), false),
            Stdin::Bytes(bytes) => (bytes, false),
            Stdin::Dialog(bytes) => (bytes, true),
        };
        let answer = Capture::new(limits.capture, limits.overflow);
        let messages = Capture::new(STDERR_CAPTURE, Overflow::KeepTail);
        let redactor = context.redactor;
        Ok(Self {
            leader,
            children,
            asked: false,
            stop: context.stop,
            limits,
            clock,
            timer: Box::pin(sleep_until(first)),
            phase: Phase::Running,
            cut: None,
            exit: None,
            stdin: Input::start(stdin, input, goes_on).map_err(failed)?,
            messages: context.messages,
            input_read: None,
            left_running: false,
            stdout: Output::new(
                Stream::Stdout,
                stdout.map_err(failed)?,
                redactor.start(),
                answer,
            ),
            stderr: Output::new(
                Stream::Stderr,
                stderr.map_err(failed)?,
                redactor.start(),
                messages,
            ),
            spill: Spill {
                sink: context.sink,
                error: None,
            },
        })
    }

    /// Waits until the leader has ended and its output is read.
    async fn wait(&mut self) -> io::Result<Exit> {
        loop {
            match self.exit {
                Some(exit) if !self.stdout.is_open() && !self.stderr.is_open() => return Ok(exit),
                Some(exit) if self.is_time_up() => return Ok(exit),
                _ => {}
            }
            match self.next().await {
                Event::Stop(stop) => self.on_stop(stop),
                Event::Child => self.on_child()?,
                Event::TimeUp => self.on_time_up(),
                Event::Stdin(wrote) => self.stdin.wrote(&wrote),
                Event::Message(Some(message)) => self.stdin.send(&message),
                Event::Message(None) => {
                    self.messages = None;
                    self.stdin.finish();
                }
                Event::Stdout(read) => {
                    self.stdout.take(&read, &mut self.spill);
                    self.stdin.send(&self.spill.reply());
                    self.check_size();
                    self.apply_sink_limit();
                }
                Event::Stderr(read) => {
                    self.stderr.take(&read, &mut self.spill);
                    self.apply_sink_limit();
                }
            }
        }
    }

    async fn next(&mut self) -> Event {
        let deadline = self.clock.deadline(self.phase);
        if let Some(deadline) = deadline
            && (self.timer.is_elapsed() || self.timer.deadline() > deadline)
        {
            self.timer.as_mut().reset(deadline);
        }
        let children = async {
            if std::mem::replace(&mut self.asked, true) {
                let _some_child = self.children.recv().await;
            }
        };
        let (stdin, stdout, stderr) = (&mut self.stdin, &mut self.stdout, &mut self.stderr);
        let messages = &mut self.messages;
        let message = async {
            match messages {
                Some(messages) => messages.recv().await,
                None => std::future::pending().await,
            }
        };
        let transfer = async {
            tokio::select! {
                read = stdout.read() => Event::Stdout(read),
                read = stderr.read() => Event::Stderr(read),
                wrote = stdin.write() => Event::Stdin(wrote),
                message = message => Event::Message(message),
            }
        };
        tokio::select! {
            biased;
            stop = changed(&mut self.stop) => Event::Stop(stop),
            () = children, if self.exit.is_none() => Event::Child,
            () = &mut self.timer, if deadline.is_some() => Event::TimeUp,
            event = transfer => event,
        }
    }

    fn on_stop(&mut self, stop: Stop) {
        match stop {
            Stop::Run => {}
            Stop::Stop => self.end(EndedBy::Stopped, STOP_GRACE),
            Stop::Kill => {
                if let Phase::Running | Phase::Warned { .. } | Phase::Asked { .. } = self.phase {
                    self.cut.get_or_insert(EndedBy::Stopped);
                    self.kill();
                }
            }
        }
    }

    fn on_child(&mut self) -> io::Result<()> {
        if let Some(exit) = self.leader.ended()? {
            self.reap(exit);
        }
        Ok(())
    }

    /// The timer may fire early, since output extends the idle time.
    fn on_time_up(&mut self) {
        let now = Instant::now();
        match self.phase {
            Phase::Running => {
                if let Some(cut) = self.clock.reached(now) {
                    self.end(cut, self.limits.grace);
                }
            }
            Phase::Warned {
                terminate_at,
                grace,
            } if terminate_at <= now => {
                self.leader.terminate();
                self.phase = Phase::asked(now, grace);
            }
            Phase::Asked { kill_at } if kill_at <= now => self.kill(),
            Phase::Killed { give_up_at } if give_up_at <= now => {
                self.reap(Exit::Signal(rustix::process::Signal::KILL.as_raw()));
            }
            Phase::Warned { .. }
            | Phase::Asked { .. }
            | Phase::Killed { .. }
            | Phase::Draining { .. } => {}
        }
    }

    fn is_time_up(&self) -> bool {
        let deadline = self.clock.deadline(self.phase);
        deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    fn check_size(&mut self) {
        if self.limits.overflow == Overflow::Stop && self.stdout.overflows() {
            let limit = self.limits.capture as u64;
            self.stdout.stop_keeping();
            self.cut.get_or_insert(EndedBy::TooLarge(limit));
            self.end(EndedBy::TooLarge(limit), self.limits.grace);
        }
    }

    /// Counts what was read, if the sink takes it for output.
    fn apply_sink_limit(&mut self) {
        let patience = self.spill.patience();
        match patience {
            Patience::Retrying => self.clock.retries(),
            Patience::Connecting => self.clock.connects(),
            Patience::Limits | Patience::Grace | Patience::Spent => self.clock.output_received(),
        }
        match patience {
            Patience::Limits | Patience::Retrying | Patience::Connecting => self.clock.linger(None),
            Patience::Grace => {
                self.stdin.finish();
                self.clock.linger(Some(self.limits.grace));
            }
            Patience::Spent => self.end(EndedBy::Dismissed, self.limits.grace),
        }
    }

    /// Terminates the group, after the farewell of a dialog, keeping the first reason and
    /// the shortest grace period.
    fn end(&mut self, cut: EndedBy, grace: Duration) {
        let asked = Phase::asked(Instant::now(), grace);
        match self.phase {
            Phase::Running => {
                self.cut.get_or_insert(cut);
                let farewell = self.spill.farewell();
                self.stdin.send(&farewell);
                self.stdin.finish();
                self.phase = match farewell.is_empty() {
                    true => {
                        self.leader.terminate();
                        asked
                    }
                    false => Phase::warned(Instant::now(), grace),
                };
            }
            Phase::Warned {
                grace: ref mut given,
                ..
            } => *given = grace.min(*given),
            Phase::Asked { .. } => {
                if self.clock.deadline(asked) < self.clock.deadline(self.phase) {
                    self.phase = asked;
                }
            }
            Phase::Killed { .. } | Phase::Draining { .. } => {}
        }
    }

    fn kill(&mut self) {
        self.leader.kill();
        self.phase = Phase::killed(Instant::now());
    }

    fn reap(&mut self, exit: Exit) {
        let has_left = self.leader.finish();
        self.left_running = self.cut.is_none() && has_left;
        self.input_read = self.stdin.end();
        self.exit = Some(exit);
        self.phase = Phase::draining(Instant::now());
    }

    fn finish(mut self, exit: Exit) -> Ended {
        let stdout = self.stdout.finish(&mut self.spill);
        // The last line is decided only now.
        let is_too_large = self.limits.overflow == Overflow::Stop && stdout.complete().is_none();
        let too_large = is_too_large.then_some(EndedBy::TooLarge(self.limits.capture as u64));
        Ended {
            exit,
            cut: self.cut.or(too_large),
            input: self.input_read,
            left_running: self.left_running,
            stdout,
            stderr: self.stderr.finish(&mut self.spill),
            took: self.clock.elapsed(),
            spill_error: self.spill.error,
        }
    }
}

/// Waits for the next stop signal; a dropped sender never sends one.
async fn changed(stop: &mut watch::Receiver<Stop>) -> Stop {
    match stop.changed().await {
        Ok(()) => *stop.borrow_and_update(),
        Err(_) => std::future::pending().await,
    }
}
