//! A server, workers, and a project whose agents, setup and gates wait where a test wants.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long a worker may be silent, and how long a step waits for one.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(4);
const TIMEOUTS: &str = "4s,8s";

/// Waits until something is there.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} never came");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The server, if there is one here.
pub(crate) fn server() -> Option<PathBuf> {
    let server = std::env::var_os("TEMPORAL_SERVER").map(PathBuf::from);
    if server.is_none() {
        println!("not run: TEMPORAL_SERVER names no server");
    }
    server
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// A process that is killed with the test.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    fn start(command: &mut Command) -> Self {
        Self(command.process_group(0).spawn().unwrap())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.0.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits for its end, which has this status.
    pub(crate) fn exits(&mut self, code: i32) {
        let ended = wait_for("the end of a process", || self.0.try_wait().unwrap());
        assert_eq!(ended.code(), Some(code), "{ended}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A line to the server that can be cut.
pub(crate) struct Line {
    is_cut: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    fn new(from: u16, to: u16) -> Self {
        let line = Self {
            is_cut: Arc::default(),
            streams: Arc::default(),
        };
        let (is_cut, streams) = (Arc::clone(&line.is_cut), Arc::clone(&line.streams));
        let listener = TcpListener::bind(("127.0.0.1", from)).unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Ok(there) = TcpStream::connect(("127.0.0.1", to)) else {
                    continue;
                };
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let pairs = [(&stream, &there), (&there, &stream)];
                for (from, to) in pairs {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    thread::spawn(move || {
                        // The end of one side is that of the other.
                        drop(io::copy(&mut from, &mut to));
                        drop(to.shutdown(Shutdown::Both));
                    });
                }
                streams.lock().unwrap().extend([stream, there]);
            }
        });
        line
    }

    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for stream in self.streams.lock().unwrap().drain(..) {
            // It may be closed already.
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    pub(crate) fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

/// A project at home, with a server and workers.
pub(crate) struct Site {
    folder: PathBuf,
    port: u16,
    server_port: u16,
    server_program: PathBuf,
    server: Option<Process>,
    pub(crate) line: Line,
    workers: BTreeMap<String, Process>,
    /// How many steps a worker carries out at a time.
    pub(crate) slots: u32,
    /// Seconds for which a relay waits for the server.
    pub(crate) patience: u32,
}

static SITES: AtomicU32 = AtomicU32::new(0);

/// The programs of a site: `reaches NAME` says that something is reached and waits while a
/// test holds it.
const PROGRAMS: [(&str, &str); 4] = [
    (
        "reaches",
        "echo \"$1 ${HOME##*/} $$\" >> CONTROL/log\nwhile [ -e CONTROL/hold-$1 ]; do sleep 0.05; done",
    ),
    (
        "agent",
        "cat > /dev/null\nreaches work\nmkdir -p $RALPH_UNIT\ncd $RALPH_UNIT\n\
         script=CONTROL/agent-$RALPH_TASK\nif [ -e $script ]; then . $script; else echo $RALPH_TASK > $RALPH_TASK.txt; fi",
    ),
    ("prepare", "[ -z \"$RALPH_TASK\" ] || reaches checkout"),
    (
        "judge",
        "[ -e $1.txt ] || exit 1\nreaches gate\ngrep -qx ${1##*/} $1.txt",
    ),
];

impl Site {
    /// A project with a unit of so many tasks that depend on nothing, and workers of these
    /// names; `None` without a server.
    pub(crate) fn new(tasks: u32, workers: &[&str]) -> Option<Self> {
        let server_program = server()?;
        let number = SITES.fetch_add(1, Ordering::SeqCst);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.join(format!("site-{}-{number}", std::process::id()));
        let (port, server_port) = (free_port(), free_port());
        let mut site = Self {
            folder,
            port,
            server_port,
            server_program,
            server: None,
            line: Line::new(port, server_port),
            workers: BTreeMap::new(),
            slots: 4,
            patience: 60,
        };
        for folder in ["bin", "control", "home"] {
            fs::create_dir_all(site.folder.join(folder)).unwrap();
        }
        site.programs();
        site.start_server();
        site.user("home");
        site.write("home/project/ralph.toml", "[lane]\nsetup = [\"prepare\"]\n");
        site.unit("demo", tasks);
        site.git("home", &["init", "-q"]);
        site.commit("Start");
        for name in workers {
            let clone = site.folder.join(name);
            site.user(name);
            site.git(
                "home",
                &["clone", "-q", ".", &format!("{}/project", clone.display())],
            );
            site.start_worker(name);
        }
        for name in workers {
            site.wait_for_worker(name);
        }
        Some(site)
    }

    /// Waits until a worker waits for steps.
    pub(crate) fn wait_for_worker(&self, name: &str) {
        wait_for("a worker", || {
            let list = self.list();
            list.contains(&format!("\"name\":\"{name}\"")).then_some(())
        });
    }

    /// A user of git on a computer of the site.
    fn user(&self, side: &str) {
        let config = "[user]\n\tname = Ann\n\temail = ann@example.org\n\
                      [init]\n\tdefaultBranch = main\n";
        self.write(&format!("{side}/.gitconfig"), config);
    }

    fn programs(&self) {
        let control = self.folder.join("control").display().to_string();
        let mut programs: Vec<(&str, String)> = PROGRAMS
            .iter()
            .map(|(name, script)| (*name, script.replace("CONTROL", &control)))
            .collect();
        // Its process is that of the relay.
        let relay = format!(
            "[ $1 = relay ] && echo $$ >> {control}/relays\nexec {bin}/worker \"$@\" --timeouts {TIMEOUTS}",
            bin = self.folder.join("bin").display(),
        );
        programs.push(("ralph-worker", relay));
        for (name, script) in programs {
            let path = self.folder.join("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let ralph = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debug/ralph");
        let ralph = ralph.canonicalize().expect("ralph of the main workspace");
        // A build beside the tests changes neither.
        self.keep(&ralph, "ralph");
        self.keep(Path::new(env!("CARGO_BIN_EXE_ralph-worker")), "worker");
    }

    fn keep(&self, program: &Path, name: &str) {
        let to = self.folder.join("bin").join(name);
        if fs::hard_link(program, &to).is_err() {
            fs::copy(program, to).unwrap();
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).unwrap_or_default()
    }

    /// Writes a unit whose task `N` wants that the file `NAME/N.txt` holds `N`.
    pub(crate) fn unit(&self, name: &str, tasks: u32) {
        let spec = format!("home/project/specs/{}.md", name.to_uppercase());
        self.write(&spec, "# Demo\n\n## Goal\n\nFiles with numbers.\n");
        let folder = format!("home/project/tasks/{name}");
        let plan = format!(
            "---\nspec: specs/{}.md\n---\n\n# Plan\n",
            name.to_uppercase()
        );
        self.write(&format!("{folder}/IMPLEMENTATION_PLAN.md"), &plan);
        for number in 1..=tasks {
            let task = format!(
                "---\ntask: {number}\nstatus: pending\ndepends_on: []\n\
                 backpressure: judge {name}/{number}\n---\n\n# Task {number}\n\nWrite the file.\n"
            );
            self.write(&format!("{folder}/{number:02}-task.md"), &task);
        }
    }

    pub(crate) fn commit(&self, subject: &str) {
        self.git("home", &["add", "-A"]);
        self.git("home", &["commit", "-q", "-m", subject]);
    }

    fn open_log(&self, side: &str) -> File {
        let path = self.folder.join(format!("control/{side}.log"));
        let mut options = File::options();
        options.create(true).append(true).open(path).unwrap()
    }

    /// A command of a user of a computer of the site.
    fn command(&self, program: &str, side: &str) -> Command {
        let bin = self.folder.join("bin");
        let path = std::env::var("PATH").unwrap();
        let log = self.open_log(side);
        let mut command = Command::new(match program.contains('/') || program == "git" {
            true => PathBuf::from(program),
            false => bin.join(program),
        });
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.folder.join(side))
            .env("RALPH_LANE_SANDBOX", "{mode='off'}")
            .env("RALPH_ENGINE_PATIENCE", format!("{}s", self.patience))
            .current_dir(self.folder.join(side).join("project"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        command
    }

    pub(crate) fn git(&self, side: &str, arguments: &[&str]) -> String {
        let mut git = self.command("git", side);
        let git = git
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let output = git.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What `ralph-worker list` prints.
    fn list(&self) -> String {
        let url = self.url();
        let mut list = self.command("ralph-worker", "home");
        list.args(["list", "--engine", &url, "--namespace", "default"]);
        let output = list.args(["--project", "project"]).stdout(Stdio::piped());
        String::from_utf8(output.output().unwrap().stdout).unwrap()
    }

    pub(crate) fn start_server(&mut self) {
        let port = self.server_port.to_string();
        let log = self.open_log("server");
        let mut server = Command::new(&self.server_program);
        server
            .args(["server", "start-dev", "--headless", "--log-level", "error"])
            .args(["--port", &port, "--db-filename"])
            .arg(self.folder.join("server.db"))
            .args([
                "--sqlite-pragma",
                "journal_mode=WAL",
                "--sqlite-pragma",
                "synchronous=NORMAL",
            ])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        self.server = Some(Process::start(&mut server));
        let list = |site: &Self| site.list().contains("workers").then_some(());
        let home = self.folder.join("home/project");
        fs::create_dir_all(home).unwrap();
        wait_for("the server", || list(self));
    }

    /// Cuts the line, and waits until a worker has seen it.
    pub(crate) fn cut_line(&self, worker: &str) {
        self.line.cut();
        wait_for("the warning of a worker", || {
            self.log(worker).contains("; trying again").then_some(())
        });
    }

    pub(crate) fn kill_server(&mut self) {
        self.server.take().unwrap().kill();
    }

    pub(crate) fn start_worker(&mut self, name: &str) {
        let url = self.url();
        let mut worker = self.command("ralph-worker", name);
        worker
            .args(["--engine", &url, "--namespace", "default", "--root", "."])
            .args(["--name", name, "--sandbox", "off"])
            .args(["--slots", &self.slots.to_string()]);
        let worker = Process::start(&mut worker);
        self.workers.insert(name.to_owned(), worker);
    }

    pub(crate) fn worker(&mut self, name: &str) -> &mut Process {
        self.workers.get_mut(name).unwrap()
    }

    /// Starts a run of a unit by the engine.
    pub(crate) fn run(&self, unit: &str, options: &[&str]) -> Process {
        let mut run = self.command("ralph", "home");
        let spec = format!("specs/{}.md", unit.to_uppercase());
        run.args(["run", &spec, "--tasks-only", "--implementer", "cmd:agent"]);
        Process::start(run.args(options))
    }

    pub(crate) fn run_by_engine(&self) -> Process {
        self.run("demo", &["--engine", &self.url()])
    }

    pub(crate) fn ralph(&self, arguments: &[&str]) -> Process {
        Process::start(self.command("ralph", "home").args(arguments))
    }

    /// Has whatever reaches this wait.
    pub(crate) fn hold(&self, what: &str) {
        self.write(&format!("control/hold-{what}"), "");
    }

    pub(crate) fn release(&self, what: &str) {
        fs::remove_file(self.folder.join(format!("control/hold-{what}"))).unwrap();
    }

    /// The processes that have reached this, of one side.
    pub(crate) fn reached(&self, what: &str, side: &str) -> Vec<u32> {
        let log = self.read("control/log");
        let lines = log.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let lines = lines.filter(|line| line[..2] == [what, side]);
        lines.map(|line| line[2].parse().unwrap()).collect()
    }

    /// Waits until this is reached once more than `before` times.
    pub(crate) fn wait_until(&self, what: &str, side: &str, before: usize) -> u32 {
        wait_for(what, || self.reached(what, side).get(before).copied())
    }

    /// How often a checkout was made, an agent was called, and a gate judged its work, on
    /// one side.
    pub(crate) fn work_of(&self, side: &str) -> [usize; 3] {
        ["checkout", "work", "gate"].map(|what| self.reached(what, side).len())
    }

    /// The process of the relay that was started last.
    pub(crate) fn relay(&self) -> Pid {
        let relays = self.read("control/relays");
        let pid = relays.lines().last().unwrap().parse().unwrap();
        Pid::from_raw(pid).unwrap()
    }

    /// The subjects of the commits of the branch, the oldest first.
    pub(crate) fn landed(&self) -> Vec<String> {
        let log = self.git("home", &["log", "--reverse", "--format=%s"]);
        log.lines().map(str::to_owned).collect()
    }

    pub(crate) fn report(&self) -> Value {
        let mut report = self.command("ralph", "home");
        let report = report.args(["report", "latest", "--format", "json"]);
        let output = report.stdout(Stdio::piped()).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The states of the tasks in the report, by number.
    pub(crate) fn states(&self) -> Vec<String> {
        let report = self.report();
        let tasks = report["tasks"].as_array().unwrap().iter();
        let states = tasks.map(|task| task["status"].as_str().unwrap().to_owned());
        states.collect()
    }

    /// What the processes of one side have printed.
    pub(crate) fn log(&self, side: &str) -> String {
        self.read(&format!("control/{side}.log"))
    }

    /// The folder of the site with its programs, whose names no other site has.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut text = String::new();
            for log in ["home.log", "one.log", "two.log", "log"] {
                writeln!(text, "{log}:\n{}", self.read(&format!("control/{log}"))).unwrap();
            }
            println!("{text}");
        }
        self.workers.clear();
        self.server = None;
        for pid in of_site(&self.folder) {
            // It may have ended.
            let _ = kill_process(pid, Signal::KILL);
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The processes that have the programs of a site on their PATH.
pub(crate) fn of_site(folder: &Path) -> Vec<Pid> {
    let path = format!("PATH={}/bin:", folder.display());
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| {
        let variables = fs::read(entry.path().join("environ")).ok()?;
        let variables = String::from_utf8_lossy(&variables);
        let is_its = variables
            .split('\0')
            .any(|variable| variable.starts_with(&path));
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Pid::from_raw(pid).filter(|_| is_its)
    });
    pids.collect()
}

pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A process that was not waited for is a zombie.
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
