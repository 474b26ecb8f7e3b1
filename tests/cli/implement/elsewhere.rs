//! `ralph run --host`: the tests of this folder once more, where each step that may leave is
//! carried out by another process in a clone at another path, with a state folder of its own.

use std::cell::Cell;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use review_test_support::program::write_program;
use serde_json::Value;

use crate::support::{RalphCommand, Ran};

use super::{Project, cheating, git, held, landing, resolving, together, unit, working};
use crate::support::tries_every_case;

thread_local! {
    /// Whether the projects of this thread have a host for their steps.
    static IS_ELSEWHERE: Cell<bool> = const { Cell::new(false) };
}

/// The host of the steps of a project, where this thread has one.
pub(super) fn host() -> Option<&'static str> {
    IS_ELSEWHERE.get().then_some("builder")
}

impl Project {
    /// A clone of the project on the host.
    fn clone_path(&self) -> PathBuf {
        self.environment.home().with_file_name("elsewhere/clone")
    }

    /// Puts an ssh on PATH that leads to the clone, whose programs have this sandbox.
    pub(super) fn set_up_host(&self, sandbox: &str) {
        let clone = self.clone_path();
        if !clone.exists() && self.environment.root().join(".git").exists() {
            fs::create_dir_all(clone.parent().unwrap()).unwrap();
            let root = self.environment.root();
            let (root, to) = (root.to_str().unwrap(), clone.to_str().unwrap());
            git(&self.environment, &["clone", "-q", root, to]);
        }
        self.ssh(sandbox, "exec \"$@\"");
    }

    /// Puts an ssh on PATH that carries out `ralph step`, which is `"$@"`, in this way.
    fn ssh(&self, sandbox: &str, way: &str) {
        let clone = self.clone_path();
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> \"$HOME/ssh\"\neval \"host=\\${{$(($# - 2))}}\"\n\
             export XDG_STATE_HOME={state}/$host\ncd /\n\
             set -- {ralph} step --root {clone} --slots 8 --sandbox {sandbox}\n{way}\n",
            state = clone.with_file_name("state").display(),
            ralph = env!("CARGO_BIN_EXE_ralph"),
            clone = clone.display(),
        );
        write_program(&self.environment.bin().join("ssh"), &script);
    }
}

/// Runs a test with a host for its steps.
fn elsewhere(test: fn()) {
    IS_ELSEWHERE.set(true);
    test();
    IS_ELSEWHERE.set(false);
}

macro_rules! once_more {
    ($($module:ident::$test:ident),+ $(,)?) => {
        $(#[test]
        fn $test() {
            elsewhere($module::$test);
        })+
    };
}

once_more! {
    working::an_agent_implements_the_tasks_in_order_and_the_branch_has_a_commit_for_each,
    working::a_red_attempt_goes_back_with_the_output_and_the_change,
    working::a_question_parks_the_task_and_the_others_go_on,
    working::an_agent_that_removes_its_checkout_has_another_attempt,
    cheating::a_file_that_the_command_runs_is_put_back,
    cheating::hidden_tests_are_seen_by_gates_alone,
    cheating::a_nested_repository_and_a_link_out_are_named,
    landing::a_change_that_conflicts_goes_back_with_both_sides,
    resolving::a_resolution_that_keeps_both_sides_lands,
}

/// Tests with the steps of those above, in another order or with another end.
const MORE: [fn(); 13] = [
    working::the_gate_believes_what_landed,
    working::a_task_that_is_complete_already_needs_no_agent,
    working::already_satisfied_counts_only_where_the_command_passes,
    working::a_task_that_passed_without_a_change_is_recorded_where_its_file_is_not_committed,
    working::an_agent_that_fails_goes_on_with_its_files_in_the_next_attempt,
    cheating::a_weakened_test_holds_the_task,
    cheating::the_spec_the_task_and_the_configuration_are_put_back,
    held::the_printed_command_lands_a_held_task_without_another_attempt,
    landing::agents_work_at_a_time_as_the_option_says,
    landing::a_task_that_breaks_an_earlier_one_does_not_land_until_it_is_fixed,
    landing::an_answer_in_the_task_file_is_seen_and_does_not_keep_the_work_from_landing,
    together::the_task_that_broke_the_command_of_another_fixes_it_and_all_land,
    unit::three_agents_at_a_time_land_what_is_right,
];

#[test]
fn what_is_decided_here_is_the_same_with_a_host() {
    let tests = if tries_every_case() {
        &MORE[..]
    } else {
        &MORE[..1]
    };
    for test in tests {
        elsewhere(*test);
    }
}

/// A project of one commit whose host carries out steps in this way.
fn project(dependencies: &[&str], way: &str) -> Project {
    let project = Project::committed(dependencies);
    project.set_up_host("off");
    project.ssh("off", way);
    project
}

fn run(project: &Project) -> Ran {
    command(project).run()
}

fn command(project: &Project) -> RalphCommand<'_> {
    let arguments = [
        "run",
        "specs/DEMO.md",
        "--tasks-only",
        "--implementer",
        "cmd:agent",
        "--host",
        "builder",
    ];
    let command = project.environment.command(arguments);
    command.env("RALPH_LANE_SANDBOX", "{mode='off'}")
}

/// A value without times and without names that differ in each run.
pub(super) fn normal(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let is_id =
                |word: &str| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_time = text.len() >= 20 && text.ends_with('Z') && text.as_bytes()[10] == b'T';
            let words = text.split_inclusive(|char: char| !char.is_ascii_alphanumeric());
            let words = words.map(|word| {
                let plain = word.trim_end_matches(|char: char| !char.is_ascii_alphanumeric());
                match is_id(plain) {
                    true => word.replace(plain, "ID"),
                    false => word.to_owned(),
                }
            });
            Value::String(if is_time {
                "TIME".to_owned()
            } else {
                words.collect()
            })
        }
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(members) => {
            let is_time = |key: &str| key.ends_with("_ms") || key.ends_with("seconds");
            // There is none here.
            let members = members.iter().filter(|(key, _)| *key != "checkout");
            let members = members.map(|(key, value)| match is_time(key) {
                true => (key.clone(), Value::Null),
                false => (key.clone(), normal(value)),
            });
            members.collect::<serde_json::Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The numbered events and the report of a run in which one attempt fails and three change
/// nothing.
fn events_and_report() -> (Vec<Value>, Value) {
    let project = Project::committed(&["[]", "[1]", "[]"]);
    project.agent(
        1,
        "[ $RALPH_ATTEMPT = 2 ] && echo 1 > 1.txt || echo wrong > 1.txt",
    );
    project.agent(3, "true");
    let ran = project.run(&["--format", "jsonl"]).run();
    let report = project.report();
    let run = report["run"].as_str().unwrap();
    let read = |text: &str| {
        let text = project.environment.normalized(text).replace(run, "RUN");
        normal(&serde_json::from_str(&text).unwrap())
    };
    let events = ran.stdout.lines().map(read);
    let events = events.filter(|event| event["seq"].is_u64());
    (events.collect(), read(&report.to_string()))
}

#[test]
fn events_and_report_are_those_of_a_run_without_hosts() {
    let (events, mut report) = events_and_report();
    IS_ELSEWHERE.set(true);
    let (mut theirs, mut their_report) = events_and_report();
    // The command line names the host.
    for report in [&mut report, &mut their_report] {
        report.as_object_mut().unwrap().remove("command");
    }
    assert!(events.len() > 10, "{events:#?}");
    for (own, their) in events.iter().zip(theirs.drain(..)) {
        assert_eq!(*own, their);
    }
    assert_eq!(report, their_report);
}

#[test]
fn ssh_gets_no_terminal_and_nothing_of_the_user() {
    let project = project(&["[]"], "exec \"$@\"");
    run(&project).exits(0);
    let calls = fs::read_to_string(project.environment.home().join("ssh")).unwrap();
    let expected = "-T -oBatchMode=yes -oForwardAgent=no -oClearAllForwardings=yes \
                    -oServerAliveInterval=15 -- builder ralph step";
    // The gate before the work, checkout, work, snapshot and the gate after it.
    assert_eq!(calls.lines().collect::<Vec<_>>(), [expected; 5]);
    for name in ["-oProxyCommand=x", "a b", ""] {
        let option = format!("--host={name}");
        let refused = project.run(&[&option]).run().exits(2);
        assert!(refused.stderr.contains("--host"), "{}", refused.stderr);
    }
}

#[test]
fn the_configuration_names_what_ssh_is_given_and_where_the_clone_is() {
    let project = Project::new(&["[]"]);
    let clone = project.clone_path();
    let table = format!(
        "[hosts.big]\nssh = \"ann@build1\"\nroot = '{}'\nslots = 1\n",
        clone.display()
    );
    project.environment.write("ralph.toml", table);
    project.commit();
    project.set_up_host("off");
    let way = format!("exec {} step --sandbox off", env!("CARGO_BIN_EXE_ralph"));
    project.ssh("off", &way);
    project.run(&["--host", "big"]).run().exits(0);
    let calls = fs::read_to_string(project.environment.home().join("ssh")).unwrap();
    assert!(calls.contains(" -- ann@build1 ralph step"), "{calls}");
    assert_eq!(project.states(), ["landed"]);
}

#[test]
fn an_agent_whose_process_is_killed_goes_on_in_the_same_checkout() {
    let project = project(&["[]"], "echo $$ > \"$HOME/step\"; exec \"$@\"");
    project.agent(
        1,
        "[ -e half ] && echo 1 > 1.txt && exit; touch half; kill -9 $(cat \"$HOME/step\"); cat",
    );
    let ran = run(&project).exits(0);
    assert_eq!(project.calls(), ["1.1", "1.1"]);
    assert_eq!(project.states(), ["landed"]);
    let warning = "warning: host builder: the connection ended with signal 9";
    assert_eq!(ran.stderr.matches(warning).count(), 1, "{}", ran.stderr);
    let prompt = project.prompt(1, 1);
    assert!(prompt.contains("interrupted"), "{prompt}");
}

#[test]
fn a_result_that_is_lost_on_its_way_is_taken_when_it_is_asked_for_again() {
    for (kill, is_killed) in [("", false), ("kill -9 $leader; ", true)] {
        let way = format!(
            "leader=$PPID; \"$@\" | while IFS= read -r line; do case \"$line\" in
                '{{\"done\"'*'\"worked\"'*) if [ ! -e \"$HOME/lost\" ]; then
                    touch \"$HOME/lost\"; {kill}exit 1; fi;; esac
                printf '%s\\n' \"$line\"; done"
        );
        let project = project(&["[]"], &way);
        let ended = command(&project).into_std().status().unwrap();
        assert!(project.environment.home().join("lost").exists());
        if is_killed {
            assert_eq!(ended.signal(), Some(9));
            let resume = project.environment.command(["resume"]);
            resume
                .env("RALPH_LANE_SANDBOX", "{mode='off'}")
                .run()
                .exits(0);
        }
        assert_eq!(project.calls(), ["1.1"]);
        assert_eq!(project.states(), ["landed"]);
    }
}

/// A shell command that kills a process once, whose id is in a file of the home.
fn kills(process: &str) -> String {
    format!(
        "[ -e \"$HOME/killed\" ] || {{ touch \"$HOME/killed\"; kill -9 $(cat \"$HOME/{process}\"); \
         exec tail -f /dev/null; }}"
    )
}

#[test]
fn a_kill_in_any_step_lands_each_task_once_and_repeats_no_call_that_ended() {
    // In which step the connection, or the process that leads the run, is killed.
    for (step, process, calls) in [
        ("checkout", "step", 1),
        ("checkout", "leader", 1),
        ("work", "leader", 2),
        ("gate", "step", 1),
        ("gate", "leader", 1),
    ] {
        let unit = Project::new(&["[]"]);
        let (kill, nothing) = (kills(process), "true".to_owned());
        let of = |name: &str| if name == step { &kill } else { &nothing };
        let setup = format!("[ -z \"$RALPH_ATTEMPT\" ] || {{ {}; }}", of("checkout"));
        let config = format!("[lane]\nsetup = ['''{setup}''']\n");
        unit.environment.write("ralph.toml", config);
        let gate = format!("if [ -e 1.txt ]; then {}; fi; grep -qx 1 1.txt", of("gate"));
        unit.task(1, "[]", &gate);
        unit.commit();
        unit.set_up_host("off");
        let pids = "echo $$ > \"$HOME/step\"; echo $PPID > \"$HOME/leader\"; exec \"$@\"";
        unit.ssh("off", pids);
        unit.agent(1, &format!("{}; echo 1 > 1.txt", of("work")));
        let ran = command(&unit).into_std().output().unwrap();
        assert_eq!(
            ran.status.success(),
            process == "step",
            "{step} {process} {ran:?}"
        );
        assert!(unit.environment.home().join("killed").exists(), "{step}");
        if process == "leader" {
            let resume = unit.environment.command(["resume"]);
            resume
                .env("RALPH_LANE_SANDBOX", "{mode='off'}")
                .run()
                .exits(0);
        }
        assert_eq!(unit.calls(), vec!["1.1"; calls], "{step} {process}");
        assert_eq!(unit.log(), ["Task 1", "Start"], "{step} {process}");
    }
}

#[test]
fn a_host_without_the_client_is_named() {
    let project = project(&["[]"], "PATH=/usr/bin:/bin exec \"$@\"");
    let ran = run(&project).exits(1);
    let reason = "agent_unavailable: host builder: program \"agent\" was not found; check its";
    assert!(ran.stdout.contains(reason), "{}", ran.stdout);
}

#[test]
fn a_host_that_carries_out_nothing_ends_the_run_and_a_resume_goes_on() {
    for (way, code, tries, error) in [
        (
            "echo 'ssh: connect to host builder' >&2; exit 255",
            3,
            3,
            "no host is left: host builder: the connection ended with exit status 255: ssh: connect \
             to host builder\n  hint: `ralph resume ",
        ),
        (
            "exec \"$@\" --bogus",
            3,
            3,
            "the connection ended with exit status 2: unexpected argument '--bogus' found\n",
        ),
        (
            "echo 'No key is known.\nHost key verification failed.\r' >&2; exit 255",
            2,
            1,
            "host builder: ssh does not know its key; run `ssh builder`, then resume\n",
        ),
    ] {
        let project = project(&["[]"], way);
        let ran = run(&project).exits(code);
        assert!(ran.stderr.contains(error), "{}", ran.stderr);
        assert!(!ran.stderr.contains("Usage"), "{}", ran.stderr);
        let calls = fs::read_to_string(project.environment.home().join("ssh")).unwrap();
        assert_eq!(calls.lines().count(), tries);
        project.set_up_host("off");
        project.environment.ralph(["resume"]).exits(0);
        assert_eq!(project.states(), ["landed"]);
    }
}

#[test]
fn a_host_has_a_limit_of_warnings() {
    let way = "for n in $(seq 30); do echo \"warning: $n\" >&2; echo $n >&2; done; exec \"$@\"";
    let project = project(&["[]"], way);
    let ran = run(&project).exits(0);
    let warnings: Vec<_> = ran.stderr.lines().collect();
    let expected: Vec<_> = (1..=20)
        .map(|n| format!("warning: host builder: {n}"))
        .collect();
    assert_eq!(warnings, expected);
}

#[test]
fn the_tasks_of_a_host_that_is_gone_go_on_at_another() {
    let project = project(&["[]"], "");
    let way = "[ -e \"$HOME/gone\" ] && [ $host = two ] && exit 255\n\
               echo $$ > \"$HOME/step\"; exec \"$@\"";
    project.ssh("off", way);
    project.agent(
        1,
        "[ $RALPH_ATTEMPT = 1 ] && touch \"$HOME/gone\" && kill -9 $(cat \"$HOME/step\"); echo 1 > 1.txt",
    );
    let ran = project.run(&["--host", "one,two"]).run().exits(0);
    assert_eq!(project.states(), ["landed"]);
    let warning =
        "warning: host two: the connection ended with exit status 255; it gets no more steps";
    assert_eq!(ran.stderr.matches(warning).count(), 1, "{}", ran.stderr);
}

#[test]
fn a_resume_takes_the_steps_back_or_gives_them_to_another_host() {
    for (hosts, lines) in [("local", 3), ("other", 8)] {
        let project = project(&["[]"], "exit 255");
        run(&project).exits(3);
        project.set_up_host("off");
        let resume = project.environment.command(["resume", "--host", hosts]);
        resume
            .env("RALPH_LANE_SANDBOX", "{mode='off'}")
            .run()
            .exits(0);
        assert_eq!(project.states(), ["landed"]);
        let calls = fs::read_to_string(project.environment.home().join("ssh")).unwrap();
        assert_eq!(calls.lines().count(), lines, "{calls}");
        let last = calls.lines().last().unwrap();
        assert_eq!(
            last.contains("-- other ralph step"),
            hosts == "other",
            "{last}"
        );
    }
}

#[test]
fn the_steps_of_each_task_are_carried_out_on_one_of_several_hosts() {
    let project = project(&["[]", "[]"], "exec \"$@\"");
    project
        .run(&["--host", "one,two", "--jobs", "2"])
        .run()
        .exits(0);
    let calls = fs::read_to_string(project.environment.home().join("ssh")).unwrap();
    for host in ["one", "two"] {
        let to_it = format!("-- {host} ralph step");
        // The gate before the work, checkout, work, snapshot and a gate after it.
        assert!(calls.matches(&to_it).count() >= 5, "{calls}");
    }
    assert_eq!(project.states(), ["landed", "landed"]);
}

#[test]
fn an_order_or_a_result_that_was_changed_on_its_way_is_refused() {
    let order = |change: &str| format!("sed -u '{change}' | \"$@\"");
    let result = |change: &str| format!("\"$@\" | sed -u '{change}'");
    for (way, why) in [
        (
            order("s/grep -qx 1 1.txt/true/g"),
            "tasks/demo/01-task.md has other commands than the order",
        ),
        (
            order("s/\"version\":\"[^\"]*\"/\"version\":\"9.9.9\"/"),
            "the run needs ralph 9.9.9, and this is ralph ",
        ),
        (
            order("s/^{\"content\":\"..../{\"content\":\"AAAA/"),
            "content arrives that is not wanted, or is damaged",
        ),
        (
            result("s/\"executed\":{\"out\":{\"gated\".*/x/"),
            "a line of a host: ",
        ),
        (
            result("s/\"checked_out\"/\"recorded\"/"),
            "a host answers with a result of another step",
        ),
        (
            result("s/\"commits\":\"[^\"]*/\"commits\":null,\"x\":\"/"),
            "a host sends no commit",
        ),
    ] {
        let project = project(&["[]"], &way);
        let ran = run(&project).exits(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
        assert_eq!(project.log(), ["Start"]);
    }
}

#[test]
fn a_host_writes_no_logs_but_those_of_its_step() {
    let other = "\"$@\" | sed -u 's/\"task.1.gate.1.1-1/\"task.2.gate.1.1-1/g'";
    for (way, is_written) in [("exec \"$@\"", true), (other, false)] {
        let project = project(&["[]"], way);
        run(&project).exits(0);
        let files = project.environment.files(".ralph-review/runs");
        let has = |log: &str| files.iter().any(|file| file.ends_with(log));
        assert_eq!(has("logs/task.1.gate.1.1-1"), is_written, "{files:?}");
        assert!(!has("logs/task.2.gate.1.1-1"), "{files:?}");
    }
}

#[test]
fn a_host_forgets_runs_whose_last_step_is_a_month_old() {
    let project = project(&["[]"], "exec \"$@\"");
    run(&project).exits(0);
    let lanes = project
        .clone_path()
        .with_file_name("state/builder/ralph/lanes");
    let runs = || {
        let of_clone = fs::read_dir(&lanes).unwrap().next().unwrap().unwrap();
        let runs = fs::read_dir(of_clone.path()).unwrap();
        runs.map(|run| run.unwrap().path()).collect::<Vec<_>>()
    };
    let first = runs();
    let steps = fs::File::open(first[0].join("steps")).unwrap();
    for (days, left) in [(29, 2), (31, 2)] {
        let at = SystemTime::now() - Duration::from_hours(days * 24);
        steps.set_modified(at).unwrap();
        run(&project).exits(0);
        assert_eq!(runs().len(), left, "{days}");
    }
    assert!(!first[0].exists());
}

#[test]
fn a_host_that_goes_on_after_its_result_is_not_waited_for() {
    let talk = "while echo '\"alive\"'; do sleep 0.1; done";
    let once =
        format!("[ -e \"$HOME/once\" ] && exec \"$@\"; touch \"$HOME/once\"; \"$@\"; {talk}");
    let endless = project(&["[]"], &once);
    run(&endless).exits(0);
    assert_eq!(endless.states(), ["landed"]);
    let hash = "a".repeat(64);
    let want = format!(
        "echo '{{\"want\":{{\"contents\":[\"{hash}\"],\"commits\":[],\"tips\":null}}}}'; {talk}"
    );
    let ran = run(&project(&["[]"], &want)).exits(2);
    let error = "a host wants content aaaaaaaaaaaa that its order does not name";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
}

#[test]
fn a_signal_ends_the_run_and_the_agent_on_the_host_and_a_resume_goes_on() {
    let project = project(&["[]"], "echo $PPID > \"$HOME/leader\"; exec \"$@\"");
    project.agent(
        1,
        "[ -e \"$HOME/agent\" ] && echo 1 > 1.txt && exit; echo $$ > \"$HOME/agent\"
         kill -INT $(cat \"$HOME/leader\"); exec tail -f /dev/null",
    );
    let ran = run(&project).exits(130);
    assert!(ran.stdout.contains("\ninterrupted\n"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("ordered again"), "{}", ran.stderr);
    let agent = fs::read_to_string(project.environment.home().join("agent")).unwrap();
    assert!(!PathBuf::from("/proc").join(agent.trim()).exists());
    let resume = project.environment.command(["resume"]);
    resume
        .env("RALPH_LANE_SANDBOX", "{mode='off'}")
        .run()
        .exits(0);
    assert_eq!(project.states(), ["landed"]);
}

#[test]
fn a_time_that_no_clock_has_is_no_limit() {
    let time = "s/\"time_left\":{\"secs\":[0-9]*/\"time_left\":{\"secs\":18446744073709551615/";
    let project = project(&["[]"], &format!("sed -u '{time}' | \"$@\""));
    run(&project).exits(0);
    assert_eq!(project.states(), ["landed"]);
}

#[test]
fn a_step_that_waits_for_its_turn_ends_with_the_time_of_the_run() {
    // It takes the time that a step has to end itself.
    if !crate::support::tries_every_case() {
        return;
    }
    let project = project(&["[]"], "while echo '\"alive\"'; do sleep 1; done");
    let ran = project
        .run(&["--host", "builder", "--max-time", "1s", "--format", "json"])
        .run();
    assert_eq!(ran.json()["block_code"], "run_time");
}

#[test]
fn a_pass_that_a_host_only_claims_lands_nothing() {
    let failure = "s/\"failure\":{[^}]*}}[^}]*}/\"failure\":null/";
    let project = project(&["[]"], &format!("\"$@\" | sed -u '{failure}'"));
    project.agent(1, "echo wrong > 1.txt");
    let ran = run(&project).exits(1);
    assert_eq!(project.log(), ["Start"], "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn an_agent_that_a_host_does_not_offer_is_not_called() {
    let project = project(&["[]"], "exec \"$@\" --clients codex,claude");
    let ran = run(&project).exits(2);
    let error = "host builder: no agent `cmd` is offered here";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
    assert_eq!(project.calls(), [""; 0]);
}

#[test]
fn ignored_files_that_checkouts_need_do_not_travel_and_are_named() {
    let unit = Project::new(&["[]"]);
    unit.task(1, "[]", "test -e 1.txt");
    unit.environment.write(".gitignore", ".env\nlocal/\n");
    unit.environment
        .write(".worktreeinclude", "/.env\nlocal/\n*.pem\n");
    unit.commit();
    unit.set_up_host("off");
    unit.environment.write(".env", "KEY=1\n");
    fs::create_dir(unit.clone_path().join("local")).unwrap();
    fs::write(unit.clone_path().join("local/key"), "of the host").unwrap();
    unit.agent(1, "[ ! -e .env ] && cp local/key 1.txt");
    let ran = run(&unit).exits(0);
    assert_eq!(unit.calls(), ["1.1"]);
    let warning =
        "warning: host builder: the clone lacks files that `.worktreeinclude` names: .env";
    assert_eq!(ran.stderr.matches(warning).count(), 1, "{}", ran.stderr);
    assert_eq!(unit.environment.read("1.txt"), "of the host");
}
