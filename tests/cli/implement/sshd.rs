//! `ralph run --host` through a real sshd on loopback: `RALPH_TEST_SSHD` asks for it, and
//! without it this test says `not run` and passes.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use review_test_support::program::write_program;
use serde_json::Value;

use super::{Project, elsewhere, git};

/// A host of its own: an sshd, a home with a clone, and programs.
struct Host {
    folder: PathBuf,
    port: u16,
    sshd: Child,
}

impl Drop for Host {
    fn drop(&mut self) {
        // One that has ended needs no end.
        drop(self.sshd.kill());
        self.sshd.wait().unwrap();
    }
}

/// Kills the connection of the step that it is called in, once for each name.
const BREAK_OFF: &str = "#!/bin/sh
mkdir \"$HOME/broken-$1\" 2> /dev/null || exit 0
step=$$
until [ \"$(cat /proc/$step/comm)\" = sshd ]; do
    ssh=$(tr '\\0' '\\n' < /proc/$step/environ | sed -n 's/^LC_SSH=//p')
    step=$(sed -n 's/^PPid:\\t//p' /proc/$step/status)
done
[ $2 = ssh ] || ssh=$step
kill -9 $ssh
exec tail -f /dev/null
";

fn keygen(file: &Path) -> String {
    let mut command = Command::new("ssh-keygen");
    command
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(file);
    assert!(command.status().unwrap().success());
    fs::read_to_string(file.with_extension("pub")).unwrap()
}

impl Host {
    /// Starts a host whose key of the user is bound to a command, or to none.
    fn start(project: &Project, name: &str, command: Option<&str>) -> Self {
        let environment = &project.environment;
        let folder = environment.home().with_file_name(name);
        let (home, bin) = (folder.join("home"), folder.join("bin"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir(&bin).unwrap();
        let (root, clone) = (environment.root(), home.join("clone"));
        let (root, clone) = (root.to_str().unwrap(), clone.to_str().unwrap());
        git(environment, &["clone", "-q", root, clone]);
        for file in [".gitconfig", "task-4", "task-7"] {
            fs::copy(environment.home().join(file), home.join(file)).unwrap();
        }
        fs::copy(environment.bin().join("agent"), bin.join("agent")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ralph"), bin.join("ralph")).unwrap();
        write_program(&bin.join("break-off"), BREAK_OFF);
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        let users_key = fs::read_to_string(environment.home().join("key.pub")).unwrap();
        let bound = command.map_or_else(String::new, |command| format!("command=\"{command}\" "));
        let authorized = folder.join("authorized_keys");
        fs::write(&authorized, format!("{bound}{users_key}")).unwrap();
        let host_key = keygen(&folder.join("host_key"));
        let mut known = fs::File::options()
            .append(true)
            .create(true)
            .open(environment.home().join("known_hosts"))
            .unwrap();
        writeln!(known, "[127.0.0.1]:{port} {}", host_key.trim()).unwrap();
        let config = folder.join("sshd_config");
        let settings = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {key}\nAuthorizedKeysFile {keys}\n\
             StrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\n\
             AcceptEnv LC_SSH\nMaxStartups 100\n\
             SetEnv HOME={home} PATH={bin}:/usr/bin:/bin \"RALPH_LANE_SANDBOX={{mode='off'}}\"\n",
            key = folder.join("host_key").display(),
            keys = authorized.display(),
            home = home.display(),
            bin = bin.display(),
        );
        fs::write(&config, settings).unwrap();
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap());
        let sshd = std::env::split_paths(&path).map(|folder| folder.join("sshd"));
        let sshd = sshd
            .into_iter()
            .find(|program| program.exists())
            .expect("an sshd");
        let log = fs::File::create(folder.join("log")).unwrap();
        let mut sshd = Command::new(sshd);
        let sshd = sshd
            .args(["-D", "-e", "-f"])
            .arg(&config)
            .stderr(log)
            .spawn();
        let mut host = Self {
            folder,
            port,
            sshd: sshd.unwrap(),
        };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(host.sshd.try_wait().unwrap().is_none(), "{}", host.log());
            std::thread::yield_now();
        }
        host
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap()
    }

    /// The calls of the agent there, as task and attempt.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.folder.join("home/calls")).unwrap();
        calls.lines().map(str::to_owned).collect()
    }
}

/// Puts an ssh on PATH that knows the user's configuration alone.
fn put_ssh(project: &Project, hosts: &[(&str, u16, &str)]) {
    let home = project.environment.home();
    let mut config = String::new();
    for (name, port, known) in hosts {
        let (key, known) = (home.join("key"), home.join(known));
        config.push_str(&format!(
            "Host {name}\nHostName 127.0.0.1\nPort {port}\nIdentityFile {}\nIdentitiesOnly yes\n\
             UserKnownHostsFile {}\nGlobalKnownHostsFile /dev/null\n",
            key.display(),
            known.display(),
        ));
    }
    fs::write(home.join("ssh_config"), config).unwrap();
    project.environment.program(
        "ssh",
        "echo \"$@\" >> \"$HOME/ssh\"\n\
         exec /usr/bin/ssh -F \"$HOME/ssh_config\" -o SetEnv=LC_SSH=$$ \"$@\"",
    );
}

/// A unit of 20 tasks whose connections break where an agent or a command says so.
fn unit() -> Project {
    let project = Project::new(&["[]"; 20]);
    for (task, way) in [(5, "sshd"), (8, "ssh")] {
        let breaks = format!("if [ -e {task}.txt ]; then break-off gate-{task} {way}; fi");
        project.task(task, "[]", &format!("{breaks}; grep -qx {task} {task}.txt"));
    }
    project.environment.write(
        "ralph.toml",
        "[lane]\nsetup = ['''case $RALPH_TASK in 3) break-off checkout-3 sshd;; \
         6) break-off checkout-6 ssh;; esac''']\n\
         [hosts.two]\nroot = \"clone\"\n",
    );
    for (task, way) in [(4, "sshd"), (7, "ssh")] {
        let script = format!("break-off work-{task} {way}; echo {task} > {task}.txt");
        project.agent(task, &script);
    }
    project.environment.program("break-off", "");
    project.commit();
    project
}

/// The report of a run, without what differs in each and the command line.
fn report_of(project: &Project) -> Value {
    let mut report = project.report();
    let run = report["run"].as_str().unwrap().to_owned();
    report.as_object_mut().unwrap().remove("command");
    // Four tasks at a time land in the order in which they end.
    let landed = report["landed"][0]["tasks"].as_array_mut().unwrap();
    landed.sort_by_key(Value::as_u64);
    let text = project.environment.normalized(&report.to_string());
    elsewhere::normal(&serde_json::from_str(&text.replace(&run, "RUN")).unwrap())
}

/// The processes that have a folder in their environment.
fn processes_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let path = entry.unwrap().path();
        let variables = fs::read(path.join("environ")).unwrap_or_default();
        if String::from_utf8_lossy(&variables).contains(folder.to_str().unwrap()) {
            let command = fs::read(path.join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&command).replace('\0', " "));
        }
    }
    found
}

#[test]
fn twenty_tasks_on_two_hosts_land_once_though_connections_break_in_each_step() {
    if std::env::var_os("RALPH_TEST_SSHD").is_none() {
        let line = b"not run: RALPH_TEST_SSHD asks for no sshd\n";
        std::io::stderr().write_all(line).unwrap();
        return;
    }
    let here = unit();
    here.run(&["--jobs", "4"]).run().exits(0);

    let project = unit();
    let home = project.environment.home();
    keygen(&home.join("key"));
    let clone = home.with_file_name("one").join("home/clone");
    let bound = format!(
        "ralph step --root {} --slots 8 --clients cmd --sandbox off",
        clone.display()
    );
    let one = Host::start(&project, "one", Some(&bound));
    let two = Host::start(&project, "two", None);
    put_ssh(
        &project,
        &[
            ("one", one.port, "known_hosts"),
            ("two", two.port, "known_hosts"),
            ("unknown", one.port, "none"),
        ],
    );

    let unknown = project.run(&["--host", "unknown"]).run().exits(2);
    let error = "host unknown: ssh does not know its key; run `ssh unknown`, then resume\n";
    assert!(unknown.stderr.contains(error), "{}", unknown.stderr);
    let calls = fs::read_to_string(home.join("ssh")).unwrap();
    assert_eq!(calls.lines().count(), 1, "{calls}");

    let ran = project.run(&["--host", "one,two", "--jobs", "4"]).run();
    let said = format!("{}{}{}{}", ran.stdout, ran.stderr, one.log(), two.log());
    let ran = ran.exits(0);
    for step in [
        "checkout-3",
        "checkout-6",
        "work-4",
        "work-7",
        "gate-5",
        "gate-8",
    ] {
        let is_broken = |host: &Host| {
            host.folder
                .join("home")
                .join(format!("broken-{step}"))
                .exists()
        };
        assert!(is_broken(&one) != is_broken(&two), "{step}: {said}");
    }
    assert_eq!(
        ran.stderr.matches("the step is ordered again").count(),
        6,
        "{said}"
    );
    assert!(!ran.stderr.contains("no more steps"), "{said}");
    assert_eq!(report_of(&project), report_of(&here), "{said}");
    let mut log = project.log();
    log.sort();
    let mut expected: Vec<_> = (1..=20).map(|task| format!("Task {task}")).collect();
    expected.push("Start".to_owned());
    expected.sort();
    assert_eq!(log, expected);
    // Only the calls that were cut are made again.
    let mut calls = [one.calls(), two.calls()].concat();
    calls.sort();
    let again = [4, 7].into_iter();
    let mut expected: Vec<_> = (1..=20)
        .chain(again)
        .map(|task| format!("{task}.1"))
        .collect();
    expected.sort();
    assert_eq!(calls, expected);
    assert_eq!(project.calls(), [""; 0]);
    drop((one, two));
    assert_eq!(processes_in(home.parent().unwrap()), [""; 0]);
}
