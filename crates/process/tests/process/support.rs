//! Commands, contexts and a clock for the tests.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use review_process::{
    Command, Context, Ended, GroupId, Groups, Limits, Overflow, Patience, Redactor, Sink,
    SpawnError, Stop, Stream, run,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::sync::watch;

/// No time limit, and a memory limit that no test reaches by accident.
pub(crate) const UNLIMITED: Limits = Limits {
    wall: None,
    idle: None,
    connect: None,
    grace: Duration::from_secs(10),
    capture: 4 * 1024 * 1024,
    overflow: Overflow::KeepTail,
};

/// A shell that runs `script` without time limits.
pub(crate) fn sh(script: &str) -> Command {
    let mut command = Command::new("sh", ".").args(["-c", script]);
    command.limits = UNLIMITED;
    command
}

/// Runs a command that is never stopped.
pub(crate) async fn run_alone(command: Command) -> Result<Ended, SpawnError> {
    let (groups, redactor) = (Groups::default(), Redactor::default());
    let (_stopper, stop) = watch::channel(Stop::Run);
    run(command, Context::new(stop, &groups, &redactor)).await
}

/// Runs a script, which must start.
pub(crate) async fn run_sh(script: &str) -> Ended {
    run_alone(sh(script)).await.unwrap()
}

const THE_END: &str = "\n(the program has ended)\n";

/// Redacts a string in one piece and byte by byte, with equal results.
pub(crate) fn redact(redactor: &Redactor, text: &str) -> String {
    let (mut redaction, mut clean) = (redactor.start(), Vec::new());
    for byte in text.bytes() {
        redaction.push(&[byte], &mut |bytes| clean.extend_from_slice(bytes));
    }
    redaction.finish(&mut |bytes| clean.extend_from_slice(bytes));
    let clean = String::from_utf8(clean).unwrap();
    assert_eq!(redactor.redact(text.as_bytes()), clean.as_bytes());
    clean
}

/// A call whose output can be observed, and which can be stopped.
pub(crate) struct Watched {
    pub(crate) groups: Groups,
    pub(crate) redactor: Redactor,
    pub(crate) stopper: watch::Sender<Stop>,
    pub(crate) log: watch::Sender<String>,
    pub(crate) group: watch::Sender<Option<GroupId>>,
}

impl Watched {
    pub(crate) fn new() -> Self {
        Self {
            groups: Groups::default(),
            redactor: Redactor::default(),
            stopper: watch::Sender::new(Stop::Run),
            log: watch::Sender::new(String::new()),
            group: watch::Sender::new(None),
        }
    }

    pub(crate) async fn run(&self, command: Command) -> Result<Ended, SpawnError> {
        let mut log = Log(self.log.clone());
        let group = self.group.clone();
        let mut started = move |id| {
            group.send_replace(Some(id));
        };
        let mut context = Context::new(self.stopper.subscribe(), &self.groups, &self.redactor);
        context.sink = Some(&mut log);
        context.started = Some(&mut started);
        let ended = run(command, context).await;
        self.log.send_modify(|log| log.push_str(THE_END));
        ended
    }

    /// Waits until the program has written a line that starts with `word`, and returns
    /// the rest of that line. Fails if the program ends first.
    pub(crate) async fn said(&self, word: &str) -> String {
        let rest = |log: &str| {
            let whole = log
                .split_inclusive('\n')
                .filter(|line| line.ends_with('\n'));
            let found = whole.filter_map(|line| line.strip_prefix(word)).next();
            found.map(|rest| rest.trim().to_owned())
        };
        let mut log = self.log.subscribe();
        let log = log
            .wait_for(|log| rest(log).is_some() || log.ends_with(THE_END))
            .await
            .unwrap();
        rest(&log).unwrap()
    }

    /// Waits until the program has written the number of a process, and opens a handle
    /// of that process.
    pub(crate) async fn process(&self, word: &str) -> Process {
        Process::open(self.said(word).await.parse().unwrap())
    }
}

/// Marks the relevant output as complete.
pub(crate) const ALL: &str = "that is all";

/// Marks further output as irrelevant.
pub(crate) const ENOUGH: &str = "say no more";

/// Marks the output as that of a program that tries again.
pub(crate) const RETRYING: &str = "trying again";

/// Marks the output as that of a program that waits for the network.
pub(crate) const OFFLINE: &str = "waiting for network";

/// Appends both streams to one string, and applies the marks above.
struct Log(watch::Sender<String>);

impl Sink for Log {
    fn write(&mut self, _: Stream, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        self.0.send_modify(|log| log.push_str(&text));
        Ok(())
    }

    fn patience(&self) -> Patience {
        match self.0.borrow().lines().last() {
            Some(ALL) => Patience::Grace,
            Some(ENOUGH) => Patience::Spent,
            Some(RETRYING) => Patience::Retrying,
            Some(OFFLINE) => Patience::Connecting,
            Some(_) | None => Patience::Limits,
        }
    }
}

/// A handle of a process that need not be a child.
pub(crate) struct Process(OwnedFd);

impl Process {
    pub(crate) fn open(pid: i32) -> Self {
        Self(pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()).unwrap())
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.ends_within(0)
    }

    /// Whether the process ends, with a wait long enough for any machine.
    pub(crate) fn ends(&self) -> bool {
        self.ends_within(60)
    }

    fn ends_within(&self, tv_sec: i64) -> bool {
        let patience = Timespec { tv_sec, tv_nsec: 0 };
        let mut handles = [PollFd::new(&self.0, PollFlags::IN)];
        retry_on_intr(|| poll(&mut handles, Some(&patience))).unwrap() > 0
    }
}

/// Keeps a paused clock at its time until it is advanced explicitly.
pub(crate) struct Frozen {
    _release: std::sync::mpsc::Sender<()>,
}

impl Frozen {
    /// The clock of tokio does not advance while a blocking task is running.
    pub(crate) fn clock() -> Self {
        let (release, released) = std::sync::mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || released.recv().is_ok());
        tokio::time::pause();
        Self { _release: release }
    }

    /// Lets other tasks react, then advances the clock by slightly more, since timers
    /// are rounded up.
    pub(crate) async fn advance(&self, seconds: u64) {
        settle().await;
        tokio::time::advance(Duration::from_secs(seconds) + Duration::from_millis(1)).await;
        settle().await;
    }
}

/// Lets concurrent calls react.
async fn settle() {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}
