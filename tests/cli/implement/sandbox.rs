//! What agents and commands can do outside of their checkouts, with each sandbox that
//! works here, and the report where none does.

use std::fs;

use serde_json::Value;

use super::Project;
use crate::support::Ran;

/// Sandboxes that hold a program to its files.
pub(super) const TOOLS: [&str; 2] = ["bwrap", "landlock"];

/// Runs with a sandbox; `None`, after a look at the report of that, where it does not work
/// on this machine.
pub(super) fn run_in(project: &Project, sandbox: &str, options: &[&str]) -> Option<Ran> {
    let options = [&["--sandbox", sandbox], options].concat();
    let ran = project.sandboxed(&options).env("PROBE", "1").run();
    if ran.stderr.contains("no sandbox works here") {
        assert!(
            ran.stderr.starts_with(&format!(
                "error: sandbox_missing: no sandbox works here: {sandbox}: "
            )),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.code, 2);
        assert!(project.calls().is_empty());
        return None;
    }
    assert_eq!(project.report()["sandbox"]["sandbox"], sandbox);
    Some(ran)
}

/// A project whose agents may write notes to a folder of the home, in a sandbox too.
fn project(dependencies: &[&str]) -> Project {
    let project = Project::new(dependencies);
    project.environment.write(
        "ralph.toml",
        "[lane]\nsandbox = { write = [\"~/notes\"], hide = [\"~/secret\"] }\n",
    );
    for folder in ["notes", "secret", ".cache"] {
        fs::create_dir(project.environment.home().join(folder)).unwrap();
    }
    fs::write(project.environment.home().join("secret/key"), "key\n").unwrap();
    project.environment.program(
        "agent",
        "cat > /dev/null\n\
         echo \"$RALPH_TASK.$RALPH_ATTEMPT\" >> \"$HOME/notes/calls\"\n\
         script=\"$HOME/task-$RALPH_TASK\"\n\
         if [ -e \"$script\" ]; then . \"$script\"; else echo $RALPH_TASK > $RALPH_TASK.txt; fi",
    );
    project.commit();
    project
}

/// Each way out, as a word and a command that must fail.
fn ways_out(project: &Project) -> Vec<(&'static str, String)> {
    let root = project.environment.root();
    let root = root.display();
    vec![
        ("checkout", format!("echo x > {root}/leak.txt")),
        ("edit", format!("echo x >> {root}/specs/DEMO.md")),
        ("remove", format!("rm {root}/specs/DEMO.md")),
        ("hook", format!("echo x > {root}/.git/hooks/post-commit")),
        (
            "config",
            format!("git -C {root} config core.hooksPath /tmp"),
        ),
        (
            "ref",
            format!("git -C {root} update-ref refs/heads/other HEAD"),
        ),
        ("state", format!("echo x > {root}/.ralph-review/leak")),
        (
            "mount",
            format!("mount -o remount,rw,bind {root} && echo x > {root}/leak.txt"),
        ),
        ("home", "echo x > \"$HOME/leak\"".to_owned()),
        ("lane", "echo x > \"$LANE/lane.git/HEAD\"".to_owned()),
        (
            "object",
            "echo x > \"$LANE/lane.git/objects/leak\"".to_owned(),
        ),
        ("note", "echo x > \"$LANE/lane.json\"".to_owned()),
        ("index", "echo x > \"$LANE/index/leak\"".to_owned()),
        ("sibling", "echo x > \"$LANE/tasks/leak\"".to_owned()),
        ("verify", "echo x > \"$LANE/verify/leak\"".to_owned()),
        (
            "environment",
            // Root may read it in spite of landlock.
            "[ \"$RALPH_ROLE\" != implementer ] || [ $(id -u) = 0 -a $SANDBOX != bwrap ] \
             && exit 1; grep -lz ^PROBE=1 /proc/[0-9]*/environ"
                .to_owned(),
        ),
        // The same value again.
        (
            "kernel",
            "v=$(cat /proc/sys/kernel/core_pattern) && printf '%s\\n' \"$v\" \
             > /proc/sys/kernel/core_pattern"
                .to_owned(),
        ),
        ("sysrq", ": >> /proc/sysrq-trigger".to_owned()),
        ("secret", "cat \"$HOME/secret/key\" >&2".to_owned()),
    ]
}

/// A script that notes the ways out that a program takes.
fn probe(project: &Project, notes: &str, sandbox: &str) -> String {
    let mut script = format!("SANDBOX={sandbox}\n");
    script += "LANE=$(cd \"$PWD/../../..\" && pwd)\n[ -d \"$LANE/verify\" ] || LANE=$(cd \
               \"$PWD/../..\" && pwd)\n";
    for (word, command) in ways_out(project) {
        script.push_str(&format!(
            "if ({command}) 2>/dev/null >/dev/null; then echo {word}; fi >> \"$HOME/notes/{notes}\"\n"
        ));
    }
    script
}

fn notes(project: &Project, name: &str) -> String {
    let path = project.environment.home().join("notes").join(name);
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn no_way_leads_out_of_a_sandbox_for_agents_setup_and_gates() {
    for tool in TOOLS {
        let project = project(&[]);
        let script = probe(&project, "agent", tool);
        fs::write(
            project.environment.home().join("gate.sh"),
            probe(&project, "gate", tool),
        )
        .unwrap();
        fs::write(
            project.environment.home().join("setup.sh"),
            probe(&project, "setup", tool),
        )
        .unwrap();
        project.environment.write(
            "ralph.toml",
            format!(
                "{}setup = [\". $HOME/setup.sh\"]\n",
                project.environment.read("ralph.toml")
            ),
        );
        project.task(1, "[]", ". $HOME/gate.sh; grep -qx 1 1.txt");
        project.commit();
        project.agent(1, &format!("{script}\necho 1 > 1.txt"));
        let Some(ran) = run_in(&project, tool, &[]) else {
            continue;
        };
        ran.exits(0);
        for of in ["agent", "gate", "setup"] {
            assert_eq!(notes(&project, of), "", "{tool} {of}");
        }
        assert_eq!(project.states(), ["landed"]);
        assert_eq!(project.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn without_a_sandbox_the_ways_are_open_and_it_is_reported() {
    let project = project(&["[]"]);
    let script = probe(&project, "agent", "off");
    project.agent(1, &format!("{script}\necho 1 > 1.txt"));
    project.sandboxed(&["--sandbox", "off"]).run();
    assert!(notes(&project, "agent").starts_with("checkout\nedit\nremove\n"));
    assert_eq!(
        project.report()["sandbox"],
        serde_json::json!({"sandbox": "off", "reason": ""})
    );
}

#[test]
fn a_file_that_the_sandbox_denies_is_named_with_the_key_that_opens_it() {
    let project = project(&["[]"]);
    project.agent(1, "echo x > \"$HOME/out.log\"");
    for tool in TOOLS {
        let Some(ran) = run_in(&project, tool, &["--attempts", "1"]) else {
            continue;
        };
        let named = format!("if it was the sandbox ({tool}) that denied task 1 a file outside");
        let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&named), "{text}");
        assert!(
            text.contains("name its folder in `lane.sandbox.write`"),
            "{text}"
        );
    }
}

#[test]
fn hidden_files_of_the_user_are_not_found_either() {
    for tool in TOOLS {
        let project = project(&["[]"]);
        let environment = &project.environment;
        let test = "grep -qx 1 1.txt || { echo it is 1; false; }\n";
        environment.write("hidden/test.sh", test);
        let task = environment.read("tasks/demo/01-task.md");
        let task = task.replace("task: 1\n", "task: 1\nhidden: hidden/**\n");
        let task = task.replace("grep -qx 1 1.txt", "sh hidden/test.sh");
        environment.write("tasks/demo/01-task.md", task);
        project.commit();
        let root = environment.root().display().to_string();
        project.agent(
            1,
            &format!(
                "for place in {root}/hidden/test.sh {root}/.git/HEAD \"$PWD\"/../../../lane.git/HEAD; do \
                 cat $place && echo $place; done >> \"$HOME/notes/found\"\n\
                 grep -rhs 'it is 1' {root}/.ralph-review >> \"$HOME/notes/found\"\n\
                 git log --format=%s >> \"$HOME/notes/log\"\n\
                 cat {root}/specs/DEMO.md > /dev/null && echo 1 > 1.txt"
            ),
        );
        if run_in(&project, tool, &[]).is_none() {
            continue;
        }
        assert_eq!(project.states(), ["landed"], "{tool}");
        assert_eq!(notes(&project, "found"), "", "{tool}");
        assert_eq!(notes(&project, "log"), "The project\n", "{tool}");
    }
}

#[test]
fn siblings_are_not_seen() {
    for tool in TOOLS {
        let project = project(&["[]", "[]"]);
        project.agent(
            2,
            "cat \"$PWD\"/../../1/*/1.txt > \"$HOME/notes/seen\" 2>/dev/null; echo 2 > 2.txt",
        );
        let Some(_) = run_in(&project, tool, &["--land", "never"]) else {
            continue;
        };
        assert_eq!(notes(&project, "seen"), "", "{tool}");
        assert_eq!(project.states(), ["on_lane", "on_lane"], "{tool}");
    }
}

/// A process that leaves its group and its session and would write later.
#[test]
fn a_daemon_ends_with_its_agent() {
    for tool in TOOLS {
        let project = project(&["[]"]);
        project.task(1, "[]", "sleep 1; grep -qx 1 1.txt && [ ! -e late.txt ]");
        project.commit();
        project.agent(
            1,
            "setsid nohup sh -c 'sleep 0.5; echo late > late.txt; echo late > \"$HOME/notes/late\"' \
             >/dev/null 2>&1 < /dev/null &\n\
             echo 1 > 1.txt",
        );
        let Some(ran) = run_in(&project, tool, &[]) else {
            continue;
        };
        ran.exits(0);
        assert_eq!(notes(&project, "late"), "", "{tool}");
        let flags = project.report()["tasks"][0]["change"]["flags"].take();
        let flag = serde_json::json!({
            "code": "left_running",
            "reason": "the agent left processes running, which were ended",
        });
        let is_flagged = flags.as_array().is_some_and(|flags| flags.contains(&flag));
        assert_eq!(is_flagged, tool != "bwrap", "{tool}: {flags}");
    }
}

#[test]
fn caches_temporary_files_and_devices_can_be_written() {
    for tool in TOOLS {
        let project = project(&["[]"]);
        project.agent(
            1,
            "set -e; echo x > \"$XDG_CACHE_HOME/x\"; echo x > \"$TMPDIR/x\"; mktemp > /dev/null; \
             echo x > /dev/null; mkdir -p a/b; mv a c; echo 1 > 1.txt; git add -A; git commit -q -m x",
        );
        let Some(ran) = run_in(&project, tool, &[]) else {
            continue;
        };
        ran.exits(0);
        assert_eq!(project.log(), ["Task 1", "Start"], "{tool}");
    }
}

#[test]
fn the_exit_status_and_the_time_limit_of_a_command_are_its_own_in_a_sandbox() {
    for tool in TOOLS {
        let project = project(&["[]"]);
        project.agent(1, "exit 7");
        let options = ["--attempts", "1"];
        let Some(ran) = run_in(&project, tool, &options) else {
            continue;
        };
        ran.exits(1);
        let attempt = &project.report()["tasks"][0]["attempts"][0];
        let reason = attempt["reason"].as_str().unwrap();
        assert!(reason.contains("exit status 7"), "{tool}: {reason}");
        project.agent(1, "sleep 600");
        let ran = project
            .sandboxed(&["--sandbox", tool, "--attempts", "1", "--call-timeout", "1s"])
            .run();
        ran.exits(1);
        let rejected = project.rejected(1);
        assert!(
            rejected.iter().all(|code| code == "agent_failed"),
            "{rejected:?}"
        );
    }
}

#[test]
fn root_is_told_by_doctor_what_its_sandbox_leaves_open() {
    for (tool, open) in [
        ("bwrap", "the keyrings"),
        ("landlock", "the clock, the host name"),
    ] {
        let project = project(&["[]", "[]"]);
        let Some(ran) = run_in(&project, tool, &[]) else {
            continue;
        };
        assert!(!ran.stderr.contains("as root"), "{ran:#?}");
        let set = format!("lane.sandbox.mode={tool}");
        let doctor = project
            .environment
            .ralph(["doctor", "--set", &set])
            .exits(0);
        let said = format!("ok: sandbox: {tool}; as root ralph keeps no program from {open}");
        let is_root = review_process::is_root();
        assert_eq!(doctor.stdout.contains(&said), is_root, "{doctor:#?}");
    }
}

#[test]
fn a_sandbox_that_is_required_and_does_not_work_refuses_the_run() {
    let project = project(&["[]"]);
    for mode in ["required", "bwrap"] {
        let ran = project
            .sandboxed(&["--sandbox", mode])
            .env("PATH", project.environment.bin())
            .run();
        // Without git on PATH nothing else is looked at.
        ran.exits(2);
    }
    project
        .environment
        .program("bwrap", "echo no namespaces >&2; exit 1");
    let ran = project.sandboxed(&["--sandbox", "bwrap"]).run().exits(2);
    assert_eq!(
        ran.stderr,
        "error: sandbox_missing: no sandbox works here: bwrap: exit status 1: no namespaces\n  hint: install \
         bubblewrap, or let agents work without a sandbox: --sandbox off\n"
    );
    assert!(project.calls().is_empty());
    assert!(
        !project
            .environment
            .root()
            .join(".ralph-review/runs")
            .exists()
    );
}

#[test]
fn auto_takes_the_first_that_works_and_says_when_none_does() {
    let project = project(&["[]"]);
    project
        .environment
        .program("bwrap", "echo no namespaces >&2; exit 1");
    let ran = project.sandboxed(&[]).run().exits(0);
    let sandbox = project.report()["sandbox"].clone();
    match sandbox["sandbox"].as_str() {
        Some("landlock") => assert_eq!(sandbox["reason"], ""),
        Some("unsandboxed") => {
            let reason = sandbox["reason"].as_str().unwrap();
            assert!(reason.starts_with("bwrap: exit status 1: no namespaces; landlock: "));
            assert!(
                ran.stdout.contains("unsandboxed: agents could write"),
                "{}",
                ran.stdout
            );
        }
        other => panic!("{other:?}"),
    }
    let doctor = project
        .environment
        .ralph(["doctor", "--format", "json"])
        .json();
    let checks = doctor["checks"].as_array().unwrap();
    let check = checks
        .iter()
        .find(|check| check["name"] == "sandbox")
        .unwrap();
    let message = check["message"].as_str().unwrap();
    let said = sandbox["sandbox"].as_str().unwrap();
    assert!(message.starts_with(said), "{message}");
    assert_eq!(check["state"], Value::from("ok"));
}

/// A run whose agent writes a file to its checkout and to the user's.
#[test]
fn an_agent_that_writes_to_the_users_checkout_without_a_sandbox_stops_the_run() {
    let project = project(&["[]", "[]"]);
    let root = project.environment.root();
    project.agent(1, &format!("echo 1 > 1.txt; cp 1.txt {}", root.display()));
    let ran = project.sandboxed(&["--sandbox", "off"]).run().exits(6);
    let report = project.report();
    assert_eq!(report["block_code"], "tampered");
    assert_eq!(
        report["block_reason"],
        "an agent wrote to your checkout, outside of its own: 1.txt"
    );
    assert_eq!(project.states(), ["parked", "not_run"]);
    assert!(ran.stdout.contains("look at these files with `git status`"));
    assert_eq!(project.environment.read("1.txt"), "1\n");
    fs::remove_file(root.join("1.txt")).unwrap();
    project.agent(1, "echo 1 > 1.txt");
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.states(), ["landed", "landed"]);
}

#[test]
fn changes_of_the_user_meanwhile_are_a_note() {
    let project = project(&["[]"]);
    let root = project.environment.root();
    let root = root.display();
    project.agent(
        1,
        &format!(
            "echo 1 > 1.txt; echo mine > {root}/users.txt; git -C {root} branch other; \
             echo x > {root}/.git/hooks/post-commit"
        ),
    );
    let ran = project.sandboxed(&["--sandbox", "off"]).run().exits(0);
    let note = "while an agent worked, these changed in your checkout: users.txt, branches, hooks";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let flags = &project.report()["tasks"][0]["change"]["flags"];
    assert_eq!(
        *flags,
        serde_json::json!([{"code": "checkout_changed", "reason": note}])
    );
    assert_eq!(project.states(), ["landed"]);
}

/// Agents have these files as the user has them.
#[test]
fn what_the_user_commits_meanwhile_was_not_written_by_an_agent() {
    let project = Project::committed(&["[]"]);
    project.environment.write("draft.txt", "draft\n");
    let path = "tasks/demo/01-task.md";
    let text = project.environment.read(path);
    project
        .environment
        .write(path, format!("{text}\nPlease.\n"));
    let root = project.environment.root();
    let root = root.display();
    let commit = format!("git -C {root} add -A; git -C {root} commit -q -m Mine");
    project.agent(1, &format!("echo 1 > 1.txt; {commit}"));
    project.run(&["--dirty", "include"]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Mine", "Start"]);
}

#[test]
fn a_branch_of_the_user_that_loses_commits_meanwhile_stops_the_run() {
    let project = project(&["[]"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "Second"]);
    let root = project.environment.root();
    let root = root.display();
    project.agent(
        1,
        &format!("echo 1 > 1.txt; git -C {root} update-ref refs/heads/main HEAD~1"),
    );
    project.sandboxed(&["--sandbox", "off"]).run().exits(6);
    assert_eq!(
        project.report()["block_reason"],
        "an agent wrote to your checkout, outside of its own: branch main, which lost commits"
    );
    assert_eq!(project.log(), ["Start"]);
}

#[test]
fn settings_of_the_users_repository_that_lead_to_a_checkout_stop_the_run() {
    let project = project(&["[]"]);
    let root = project.environment.root();
    let root = root.display();
    project.agent(
        1,
        &format!("echo 1 > 1.txt; git -C {root} config core.hooksPath \"$PWD/hooks\""),
    );
    project.sandboxed(&["--sandbox", "off"]).run().exits(6);
    assert_eq!(
        project.report()["block_reason"],
        "an agent wrote to your checkout, outside of its own: .git/config"
    );
}
