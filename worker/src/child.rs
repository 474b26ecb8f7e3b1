//! A program that carries out one step, in a process group of its own.

use std::convert::Infallible;
use std::env;
use std::ffi::OsString;
use std::future::pending;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Split};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::engine::Failed;

/// How often a step is sent a sign that its run goes on.
const ALIVE: Duration = Duration::from_secs(15);

/// How long a step may take to end at a word, and then at a signal.
const ENDS: [(Duration, Signal); 2] = [
    (Duration::from_secs(10), Signal::TERM),
    (Duration::from_secs(5), Signal::KILL),
];

/// How long it may go on after its last line.
const GRACE: Duration = Duration::from_secs(2);

pub(crate) struct Child {
    process: tokio::process::Child,
    group: Option<Pid>,
    out: Split<BufReader<ChildStdout>>,
    /// The last line on its standard error, once that has ended.
    complaint: JoinHandle<String>,
    /// Whether its standard output has ended.
    has_printed: bool,
    status: Option<ExitStatus>,
}

/// The program, without what leads to the server: its agents could lead runs with that.
pub(crate) fn ralph() -> Command {
    let mut ralph = Command::new("ralph");
    for (name, _) in env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"RALPH_ENGINE") {
            ralph.env_remove(name);
        }
    }
    ralph
}

impl Child {
    /// Starts `ralph`, and returns where lines to it are written.
    pub(crate) fn start(args: &[OsString]) -> io::Result<(Self, ChildStdin)> {
        let mut process = ralph()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let taken = (
            process.stdin.take(),
            process.stdout.take(),
            process.stderr.take(),
        );
        let (Some(stdin), Some(out), Some(err)) = taken else {
            return Err(io::Error::other("ralph has no pipes"));
        };
        let group = process
            .id()
            .and_then(|id| Pid::from_raw(id.try_into().ok()?));
        let child = Self {
            process,
            group,
            out: BufReader::new(out).split(b'\n'),
            complaint: tokio::spawn(pass_on(err)),
            has_printed: false,
            status: None,
        };
        Ok((child, stdin))
    }

    /// The next line that it prints; `None` when it has ended, whatever it has started may
    /// still print.
    pub(crate) async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            if self.has_printed && self.status.is_some() {
                return None;
            }
            let is_ending = self.has_printed || self.status.is_some();
            tokio::select! {
                line = self.out.next_segment(), if !self.has_printed => match line {
                    Ok(Some(line)) => return Some(line),
                    _ => self.has_printed = true,
                },
                status = self.process.wait(), if self.status.is_none() => {
                    self.status = status.ok();
                }
                () = sleep(GRACE), if is_ending => return None,
            }
        }
    }

    /// Why it printed no result. Where it was killed, by the system for want of memory for
    /// one, another attempt may end well.
    pub(crate) async fn failure(&mut self) -> Failed {
        self.finish().await;
        let status = self
            .status
            .map(|status| status.to_string())
            .unwrap_or_default();
        let complaint = timeout(GRACE, &mut self.complaint).await;
        let complaint = complaint.ok().and_then(Result::ok).unwrap_or_default();
        let why = format!("`ralph step` ended with {status}{complaint}");
        match self.status.and_then(|status| status.signal()) {
            Some(_) => Failed::for_now(why),
            None => Failed::at_last(why),
        }
    }

    /// Ends it, to which `cancel` was written; `keep` returns whether a line is its last one.
    pub(crate) async fn end(&mut self, mut keep: impl FnMut(Vec<u8>) -> bool) {
        for (limit, signal) in ENDS {
            let rest = async {
                while let Some(line) = self.next_line().await {
                    if keep(line) {
                        break;
                    }
                }
            };
            if timeout(limit, rest).await.is_ok() {
                return;
            }
            self.signal(signal);
        }
    }

    /// Waits for its end, and ends what is left of its group.
    pub(crate) async fn finish(&mut self) {
        if self.status.is_none() {
            self.status = timeout(GRACE, self.process.wait())
                .await
                .ok()
                .and_then(Result::ok);
        }
        self.signal(Signal::KILL);
        if self.status.is_none() {
            self.status = self.process.wait().await.ok();
        }
    }

    fn signal(&self, signal: Signal) {
        // A group that is gone needs no signal.
        let _gone = self.group.map(|group| kill_process_group(group, signal));
    }
}

/// Passes on what it complains of, and returns the last of it.
async fn pass_on(err: ChildStderr) -> String {
    let mut lines = BufReader::new(err).split(b'\n');
    let mut last = String::new();
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = String::from_utf8_lossy(&line);
        eprintln!("{line}");
        last = format!(": {line}");
    }
    last
}

/// Writes lines, and between them a sign that the run goes on. It never ends: what a program
/// no longer reads is seen by what it prints.
pub(crate) async fn feed(
    mut stdin: ChildStdin,
    mut lines: UnboundedReceiver<Vec<u8>>,
) -> Infallible {
    loop {
        let mut line = match timeout(ALIVE, lines.recv()).await {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(_) => b"\"alive\"".to_vec(),
        };
        line.push(b'\n');
        if stdin.write_all(&line).await.is_err() {
            break;
        }
    }
    pending().await
}
