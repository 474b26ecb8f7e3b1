//! A real server, a host with a program in place of `ralph`, and relays to it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The result of the steps.
pub(crate) const OK: &str = "{\"done\":{\"ended\":{\"Ok\":1}}}";

/// How long workers may be silent.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(3);

/// The same, and how long a step waits for a worker.
const TIMEOUTS: &str = "3s,6s";

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(90);

const PROGRAM: &str = env!("CARGO_BIN_EXE_ralph-worker");

/// What each program in place of `ralph` begins with.
const PRELUDE: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
    commit=abc
    [ -e "$HOME/commit" ] && commit=$(cat "$HOME/commit")
    echo "ralph 0.1.0+$commit"
    exit
fi
case "$*" in *'--sandbox none'*) echo "error: invalid value 'none'" >&2; exit 2 ;; esac
read -r order || { echo 'error: expected an order on standard input' >&2; exit 2; }
echo "$*" >> "$HOME/args"
echo "$order" >> "$HOME/orders"
exec 3<&0
wait_for() { while [ ! -e "$HOME/$1" ]; do sleep 0.05; done; }
done_line() { echo "{\"done\":{\"ended\":$1}}"; }
listen() {
    (
        while read -r line; do
            echo "$line" >> "$HOME/heard"
            if [ "$line" = '"cancel"' ]; then done_line '{"Err":"interrupted"}'; break; fi
        done
        kill -KILL $$
    ) <&3 &
}
"#;

/// The order of a step.
pub(crate) fn order(key: &str, attempt: u32) -> String {
    format!(
        "{{\"order\":{{\"run\":\"r1\",\"step\":{{\"name\":\"task/1/work.1\",\"key\":\"{key}\",\
         \"attempt\":{attempt}}}}}}}"
    )
}

/// Lets time pass that a timeout is to notice.
pub(crate) fn pass(time: Duration) {
    thread::sleep(time);
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LIMIT, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) struct Server {
    program: PathBuf,
    folder: TempDir,
    port: u16,
    pub(crate) process: Option<Child>,
}

/// A server, if there is a program for it.
pub(crate) fn server() -> Option<Server> {
    let Some(program) = std::env::var_os("TEMPORAL_SERVER") else {
        println!("not run: no temporal server");
        return None;
    };
    let mut server = Server {
        program: program.into(),
        folder: tempfile::tempdir().unwrap(),
        port: free_port(),
        process: None,
    };
    server.start();
    Some(server)
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Server {
    pub(crate) fn start(&mut self) {
        let process = Command::new(&self.program)
            .args(["server", "start-dev", "--headless", "--log-level", "never"])
            .args(["--sqlite-pragma", "journal_mode=WAL"])
            .args(["--sqlite-pragma", "synchronous=NORMAL"])
            // As a server has them that is not for development.
            .args([
                "--dynamic-config-value",
                "matching.numTaskqueueReadPartitions=4",
            ])
            .args([
                "--dynamic-config-value",
                "matching.numTaskqueueWritePartitions=4",
            ])
            .args(["--port", &self.port.to_string(), "--db-filename"])
            .arg(self.folder.path().join("db"))
            .env("HOME", self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.process = Some(process.unwrap());
        until("the server", || {
            let list = Command::new(PROGRAM)
                .args(["list", "--project", "p", "--engine", &self.url()])
                .output();
            list.unwrap().status.success()
        });
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A host, and the home of runs that use it.
pub(crate) struct Host {
    folder: TempDir,
    url: String,
    timeouts: &'static str,
}

impl Host {
    /// A host whose steps do this.
    pub(crate) fn new(server: &Server, step: &str) -> Self {
        Self::with(server, step, TIMEOUTS)
    }

    pub(crate) fn with(server: &Server, step: &str, timeouts: &'static str) -> Self {
        let host = Self::at(server.url(), timeouts);
        let ralph = host.folder.path().join("bin/ralph");
        let step = step.replace("done 1", "done_line '{\"Ok\":1}'; : > \"$HOME/ended\"");
        fs::write(&ralph, format!("{PRELUDE}{step}\n")).unwrap();
        fs::set_permissions(&ralph, fs::Permissions::from_mode(0o755)).unwrap();
        host
    }

    /// A host whose server is not there.
    pub(crate) fn nowhere() -> Self {
        Self::at(format!("http://127.0.0.1:{}", free_port()), TIMEOUTS)
    }

    fn at(url: String, timeouts: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "home", "p"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            url,
            timeouts,
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("p").canonicalize().unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        let bin = self.folder.path().join("bin");
        command
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .env("HOME", self.home());
        command
    }

    fn worker_command(&self, slots: u32, sandbox: &str) -> Command {
        let mut command = self.command();
        command
            .args(["--engine", &self.url, "--timeouts", self.timeouts])
            .args([
                "--name",
                "b1",
                "--slots",
                &slots.to_string(),
                "--clients",
                "a,b",
                "--sandbox",
                sandbox,
            ])
            .arg("--root")
            .arg(self.root());
        command
    }

    pub(crate) fn worker(&self) -> Worker {
        self.worker_with(2)
    }

    /// Starts the worker, and waits until it waits for steps.
    pub(crate) fn worker_with(&self, slots: u32) -> Worker {
        let log = fs::File::create(self.home().join("worker.log")).unwrap();
        let worker = Worker {
            process: self
                .worker_command(slots, "off")
                .stderr(log)
                .spawn()
                .unwrap()
                .into(),
        };
        self.wait_for_listed("\"b1\"");
        worker
    }

    pub(crate) fn wait_for_listed(&self, what: &str) {
        until(what, || self.list(&[]).0.contains(what));
    }

    /// Why a worker is refused that has its state here.
    pub(crate) fn refused_worker(&self, state: &Path, sandbox: &str) -> String {
        let mut worker = self.worker_command(2, sandbox);
        let ended = worker.env("XDG_STATE_HOME", state).output().unwrap();
        assert_eq!(ended.status.code(), Some(1));
        String::from_utf8(ended.stderr).unwrap()
    }

    pub(crate) fn relay(&self) -> Relay {
        self.relay_with(&[])
    }

    pub(crate) fn relay_with(&self, options: &[&str]) -> Relay {
        let mut process = self
            .command()
            .args([
                "relay",
                "--project",
                "p",
                "--host",
                "b1",
                "--engine",
                &self.url,
            ])
            .args(["--timeouts", self.timeouts])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Relay {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process: process.into(),
        }
    }

    /// What `list` prints.
    pub(crate) fn list(&self, options: &[&str]) -> (String, String) {
        self.list_at(&self.url, options, &[])
    }

    pub(crate) fn list_at(
        &self,
        url: &str,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> (String, String) {
        let mut list = self.command();
        list.args(["list", "--project", "p", "--engine", url]);
        list.args(options).envs(variables.iter().copied());
        let listed = list.current_dir(self.home()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(listed.stdout), text(listed.stderr))
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.home().join(name)).unwrap_or_default()
    }

    pub(crate) fn touch(&self, name: &str) {
        fs::write(self.home().join(name), "").unwrap();
    }

    /// The orders that steps were started with.
    pub(crate) fn orders(&self) -> Vec<String> {
        self.read("orders").lines().map(str::to_owned).collect()
    }

    pub(crate) fn wait_for_orders(&self, count: usize) {
        until("a step", || self.orders().len() >= count);
    }

    pub(crate) fn wait_for_file(&self, name: &str) {
        until(name, || {
            !self.read(name).is_empty() || self.home().join(name).exists()
        });
    }

    pub(crate) fn wait_for_heard(&self, line: &str) {
        until(line, || {
            self.read("heard").lines().any(|heard| heard == line)
        });
    }

    pub(crate) fn wait_for_end_of(&self, process: &str) {
        assert_ne!(process, "");
        until("the end of a process", || {
            !Path::new("/proc").join(process).exists()
        });
    }
}

/// A process that ends with its test.
struct Process(Child);

impl From<Child> for Process {
    fn from(child: Child) -> Self {
        Self(child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

pub(crate) struct Worker {
    process: Process,
}

impl Worker {
    pub(crate) fn id(&self) -> u32 {
        self.process.0.id()
    }

    pub(crate) fn kill(self) {
        drop(self.process);
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &id]).status();
        assert!(kill.unwrap().success());
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn drains(mut self) {
        self.signal("TERM");
        let status = self.process.0.wait().unwrap();
        assert!(status.success());
    }
}

pub(crate) struct Relay {
    process: Process,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Relay {
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// All lines that it prints; several signs that it goes on are one line.
    pub(crate) fn lines(&mut self) -> Vec<String> {
        let mut lines: Vec<_> = self.output.by_ref().lines().map(Result::unwrap).collect();
        lines.dedup();
        lines
    }

    /// Its exit code and its standard error.
    pub(crate) fn exit(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        let err = self.process.0.stderr.as_mut().unwrap();
        err.read_to_string(&mut said).unwrap();
        (self.process.0.wait().unwrap().code(), said)
    }

    pub(crate) fn kill(self) {
        drop(self.process);
    }
}
