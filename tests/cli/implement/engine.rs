//! `ralph run --engine` and `ralph doctor --engine`, with a `ralph-worker` that carries out
//! each step in a clone at another path, with a state folder of its own.

use std::fs;
use std::path::PathBuf;

use review_test_support::program::write_program;

use super::{Project, git};
use crate::support::{RalphCommand, Ran};

const URL: &str = "http://temporal:7233";

/// A project of one commit with an engine, where these workers wait for steps and `relay`,
/// which is `"$@"`, is carried out in this way.
struct Carried {
    project: Project,
}

impl Carried {
    fn new(dependencies: &[&str], workers: &[&str], way: &str) -> Self {
        let carried = Self {
            project: Project::committed(dependencies),
        };
        let environment = &carried.project.environment;
        let (root, clone) = (environment.root(), carried.clone_path());
        fs::create_dir_all(clone.parent().unwrap()).unwrap();
        let (root, to) = (root.to_str().unwrap(), clone.to_str().unwrap());
        git(environment, &["clone", "-q", root, to]);
        let version = environment.ralph(["--version"]).stdout;
        let version = version.trim().strip_prefix("ralph ").unwrap();
        let workers: Vec<_> = workers
            .iter()
            .map(|name| worker(name, version, "null"))
            .collect();
        carried.list(&workers);
        carried.relay(way);
        carried
    }

    fn clone_path(&self) -> PathBuf {
        self.project
            .environment
            .home()
            .with_file_name("elsewhere/clone")
    }

    fn relay(&self, way: &str) {
        let clone = self.clone_path();
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> \"$HOME/worker\"\nenv >> \"$HOME/variables\"\n\
             [ $1 = list ] && exec cat \"$HOME/workers\"\neval \"host=\\${{$#}}\"\n\
             export XDG_STATE_HOME={state}/$host\ncd /\n\
             set -- {ralph} step --root {clone} --slots 8 --sandbox off\n{way}\n",
            state = clone.with_file_name("state").display(),
            ralph = env!("CARGO_BIN_EXE_ralph"),
            clone = clone.display(),
        );
        let bin = self.project.environment.bin();
        write_program(&bin.join("ralph-worker"), &script);
    }

    /// What `ralph-worker list` prints.
    fn list(&self, workers: &[String]) {
        let list = format!(
            "{{\"server\":\"1.32.0\",\"namespace\":\"default\",\"retention_days\":1,\"ms\":2,\
             \"workers\":[{}]}}",
            workers.join(",")
        );
        fs::write(self.project.environment.home().join("workers"), list).unwrap();
    }

    fn run(&self, options: &[&str]) -> RalphCommand<'_> {
        self.project.run(&[&["--engine", URL], options].concat())
    }

    fn resume(&self, options: &[&str]) -> Ran {
        let resume = ["resume"].iter().chain(options);
        let resume = self.project.environment.command(resume);
        resume.env("RALPH_LANE_SANDBOX", "{mode='off'}").run()
    }

    /// What `ralph-worker` was asked for, one line each.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.project.environment.home().join("worker"));
        let calls = calls.unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }
}

fn worker(name: &str, version: &str, clients: &str) -> String {
    format!("{{\"name\":\"{name}\",\"version\":\"{version}\",\"slots\":3,\"clients\":{clients}}}")
}

#[test]
fn each_step_is_an_order_to_a_worker_that_waits() {
    let carried = Carried::new(&["[]"], &["build1"], "exec \"$@\"");
    let run = carried
        .run(&[])
        .env("RALPH_ENGINE_KEY", "the key of the engine")
        .env("RALPH_TASK_JOBS", "1");
    run.run().exits(0);
    let list = format!("list --engine {URL} --namespace default --project project");
    let relay = format!(
        "relay --engine {URL} --namespace default --project project --patience 600s --host build1"
    );
    // The gate before the work, checkout, work, snapshot and the gate after it.
    assert_eq!(carried.calls(), [&[list][..], &vec![relay; 5]].concat());
    assert_eq!(carried.project.states(), ["landed"]);
    let variables = carried.project.environment.home().join("variables");
    let variables = fs::read_to_string(variables).unwrap();
    assert!(variables.contains("RALPH_ENGINE_KEY=the key of the engine\n"));
    assert!(!variables.contains("RALPH_TASK_JOBS"), "{variables}");
}

#[test]
fn what_keeps_a_run_from_its_engine_is_said_before_it_starts() {
    let own = {
        let version = Carried::new(&["[]"], &[], "").project;
        let version = version.environment.ralph(["--version"]).stdout;
        version.trim().strip_prefix("ralph ").unwrap().to_owned()
    };
    let none = "error: no worker of project project polls at http://temporal:7233\n\
                \x20 hint: `ralph-worker --engine http://temporal:7233 --root DIR` on a host starts one\n";
    let other = worker("build2", "9.9.9", "null");
    for (workers, options, error) in [
        (vec![], &["--engine", URL][..], none.to_owned()),
        (
            vec![worker("build1", &own, "null")],
            &["--engine", URL, "--host", "build3"],
            format!("warning: no worker build3 of project project polls at {URL}\n{none}"),
        ),
        (
            vec![other],
            &["--engine", URL],
            format!(" needs ralph {own}; build2 has 9.9.9\n"),
        ),
        (
            vec![
                worker("build2", &own, "[\"claude\"]"),
                "{\"name\":1}".to_owned(),
            ],
            &["--engine", URL],
            format!(" needs ralph {own}; build2 offers no agent `cmd`\n"),
        ),
        (
            vec![],
            &["--engine"],
            "error: --engine needs an address\n  hint: name it, or set engine.url\n".to_owned(),
        ),
    ] {
        let carried = Carried::new(&["[]"], &[], "");
        carried.list(&workers);
        let ran = carried.project.run(options).run().exits(2);
        assert!(ran.stderr.contains(&error), "{error}\n{}", ran.stderr);
        assert!(
            !carried
                .project
                .environment
                .root()
                .join(".ralph-review/runs")
                .exists()
        );
    }
    let carried = Carried::new(&["[]"], &[], "");
    let program = carried.project.environment.bin().join("ralph-worker");
    write_program(
        &program,
        "#!/bin/sh\necho 'error: no server answers' >&2\nexit 1\n",
    );
    let ran = carried.run(&[]).run().exits(2);
    let error = "error: engine: no server answers\n";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
    fs::remove_file(program).unwrap();
    let ran = carried.run(&[]).run().exits(2);
    let error = "error: ralph-worker, which leads to an engine, is not on PATH\n  hint: install it";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
}

#[test]
fn nothing_is_contacted_because_of_an_address_in_the_configuration() {
    let carried = Carried::new(&["[]"], &["build1"], "exec \"$@\"");
    let command = carried.project.run(&[]).env("RALPH_ENGINE_URL", URL);
    command.run().exits(0);
    assert_eq!(carried.calls(), [""; 0]);
    carried.project.task(1, "[]", "grep -qx 2 2.txt");
    carried.project.agent(1, "echo 2 > 2.txt");
    carried.project.git(&["commit", "-qam", "Another command"]);
    let command = carried.project.run(&[]).env("RALPH_ENGINE", URL);
    command.run().exits(0);
    assert_eq!(carried.calls().len(), 6);
}

#[test]
fn the_tasks_of_a_worker_that_is_gone_go_on_at_another_and_a_resume_takes_them_back() {
    let gone = "echo 'ralph-worker: two took no step in 10 min' >&2; exit 1";
    let way = format!("[ $host = two ] && {{ {gone}; }}\nexec \"$@\"");
    let carried = Carried::new(&["[]"], &["one", "two"], &way);
    let ran = carried.run(&[]).run().exits(0);
    assert_eq!(carried.project.states(), ["landed"]);
    let to_it = carried.calls();
    let to_it = to_it.iter().filter(|call| call.ends_with("--host two"));
    assert_eq!(to_it.count(), 1);
    let warning = "two took no step in 10 min; it gets no more steps of this run";
    assert_eq!(ran.stderr.matches(warning).count(), 1, "{}", ran.stderr);

    let away = "echo 'http://temporal:7233 cannot be reached' >&2; exit 3";
    let carried = Carried::new(&["[]"], &["one", "two"], away);
    let ran = carried.run(&[]).run().exits(3);
    let error = "exit status 3: http://temporal:7233 cannot be reached\n  hint: `ralph resume ";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
    // The list, and one order: the other worker is not asked.
    assert_eq!(carried.calls().len(), 2);

    for (options, to) in [
        (&["--host", "local"][..], ""),
        (&["--engine", URL], "three"),
    ] {
        let carried = Carried::new(&["[]"], &["one"], gone);
        let ran = carried.run(&[]).run().exits(3);
        let error = "no host is left: host one: ";
        assert!(ran.stderr.contains(error), "{}", ran.stderr);
        // A run goes on with the workers that it had.
        let version = carried.project.environment.ralph(["--version"]).stdout;
        let version = version.trim().strip_prefix("ralph ").unwrap();
        carried.list(&[worker("three", version, "[\"cmd\"]")]);
        carried.relay("exec \"$@\"");
        let refused = carried.resume(&[]).exits(2);
        let error = "no worker one of project project polls at http://temporal:7233";
        assert!(refused.stderr.contains(error), "{}", refused.stderr);
        let before = carried.calls().len();
        carried.resume(options).exits(0);
        assert_eq!(carried.project.states(), ["landed"]);
        let calls = carried.calls().split_off(before);
        let is_to = |call: &String| call.ends_with(&format!("--host {to}"));
        assert_eq!(
            calls.iter().filter(|call| is_to(call)).count(),
            calls.len().saturating_sub(1)
        );
        assert_eq!(calls.is_empty(), to.is_empty());
    }
}

#[test]
fn doctor_names_the_engine_and_its_workers() {
    let carried = Carried::new(&["[]"], &[], "");
    let environment = &carried.project.environment;
    let doctor = || {
        let ran = environment.ralph(["doctor", "--engine", URL]).exits(0);
        let lines = ran.stdout.lines();
        let lines = lines.skip_while(|line| !line.contains(": engine: "));
        let lines = lines.take_while(|line| !line.contains(": clients"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let engine =
        "ok: engine: Temporal 1.32.0, namespace default, results kept 1 day; reachable in 2 ms";
    let hint = format!("  hint: `ralph-worker --engine {URL} --root DIR` on a host starts one");
    let none = "warning: worker: none of this project waits for steps";
    assert_eq!(doctor()[..3], [engine, none, &hint]);
    let version = environment.ralph(["--version"]).stdout;
    let version = version.trim().strip_prefix("ralph ").unwrap();
    carried.list(&[
        worker("build1", version, "[\"claude\",\"codex\"]"),
        worker("build2", "9.9.9", "null"),
    ]);
    let expected = [
        engine.to_owned(),
        format!("ok: worker: build1: ralph {version}, 3 slots, claude, codex"),
        "warning: worker: build2: ralph 9.9.9, 3 slots".to_owned(),
        format!("  hint: install ralph {version} there"),
    ];
    assert_eq!(doctor()[..4], expected);
}
