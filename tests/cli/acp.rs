//! Agents of the Agent Client Protocol in runs.

use std::fs;
use std::io::Write as _;

use review_test_support::acp_agent::{AGENT, program};
use review_test_support::program::write_program;
use serde_json::Value;

use crate::implement::{commit, git, write_unit};
use crate::support::{RalphCommand, Ran, TestEnvironment};

const SPEC: &str = "# Demo\n\n## Goal\n\nBe fast.\n";

/// Reviews: a spec that says `fixed` passes.
const JUDGES: &str = r#"
ids
score() { printf '{"completeness":%s,"consistency":%s,"testability":%s,"architecture":%s}' $1 $1 $1 $1; }
verdict() {
    says "$(quoted "{\"review_id\":\"$review_id\",\"end_id\":\"$end_id\",\"verdict\":\"$1\",\"score\":$(score $2),\"feedback\":[$3]}")"
    ends end_turn
}
if grep -q fixed specs/DEMO.md; then
    verdict pass 95
else
    verdict needs_revision 60 '{"section":"Goal","issue":"No target is given.","suggestion":"State a limit.","severity":"major","quote":"Be fast."}'
fi"#;

/// Edits the spec, where it may.
const MENDS: &str = r#"
asks edit "$PWD/specs/DEMO.md" && echo fixed >> specs/DEMO.md
says '"Done."'; ends end_turn"#;

/// A project with an agent that reviews and one that applies, each of which does something
/// before.
fn project(before_review: &str, before_apply: &str) -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/DEMO.md", SPEC);
    for (name, turn) in [
        ("judge", format!("{before_review}\n{JUDGES}")),
        ("mend", format!("{before_apply}\n{MENDS}")),
    ] {
        agent(&environment, name, &turn);
    }
    environment
}

fn agent(environment: &TestEnvironment, name: &str, turn: &str) {
    let text = program(AGENT, r#"{"sessionId":"s"}"#, turn);
    write_program(&environment.bin().join(name), &text);
}

fn run<'a>(environment: &'a TestEnvironment, spec: &str, sandbox: &str) -> RalphCommand<'a> {
    let run = ["run", "--spec", spec, "--format", "json"];
    let agents = ["--reviewer", "acp:judge", "--applier", "acp:mend"];
    environment
        .command([&run[..], &agents].concat())
        .env("RALPH_LANE_SANDBOX", format!("{{mode='{sandbox}'}}"))
}

fn received(environment: &TestEnvironment) -> Vec<String> {
    let received = fs::read_to_string(environment.home().join("received")).unwrap();
    let messages = received.lines().map(serde_json::from_str::<Value>);
    let methods = messages.filter_map(|message| Some(message.unwrap()["method"].as_str()?.into()));
    methods.collect()
}

#[test]
fn an_agent_reviews_another_applies_and_the_review_goes_on_in_its_session() {
    let environment = project("", "");
    let report = run(&environment, "specs/DEMO.md", "off")
        .run()
        .exits(0)
        .json();
    assert_eq!(report["outcome"], "passed", "{report:#}");
    assert_eq!(report["iterations"].as_array().unwrap().len(), 2);
    let spec = format!("{SPEC}fixed\n");
    assert_eq!(environment.read("specs/DEMO.md"), spec);
    let opened: Vec<_> = received(&environment)
        .into_iter()
        .filter(|method| method.starts_with("session/") && method != "session/prompt")
        .collect();
    assert_eq!(opened, ["session/new", "session/new", "session/load"]);
}

#[test]
fn a_run_that_is_killed_in_a_turn_ends_its_agent_and_goes_on_when_it_is_resumed() {
    let kill = "if [ ! -e \"$HOME/killed\" ]; then echo $$ > \"$HOME/killed\"\n\
                kill -9 $PPID; exec tail -f /dev/null; fi";
    for (before_review, before_apply) in [(kill, ""), ("", kill)] {
        let environment = project(before_review, before_apply);
        let killed = run(&environment, "specs/DEMO.md", "off").run();
        assert_ne!(killed.code, 0);
        let resumed = environment.ralph(["resume", "latest", "--format", "json"]);
        let report = resumed.exits(0).json();
        assert_eq!(report["outcome"], "passed", "{report:#}");
        assert_eq!(environment.read("specs/DEMO.md"), format!("{SPEC}fixed\n"));
        let agent = fs::read_to_string(environment.home().join("killed")).unwrap();
        // One that has ended and is not waited for has no arguments any more.
        let arguments = fs::read(format!("/proc/{}/cmdline", agent.trim()));
        assert_eq!(arguments.unwrap_or_default(), b"");
    }
}

/// The result of a run in a sandbox, where one works.
fn confined(environment: &TestEnvironment, spec: &str, sandbox: &str) -> Option<Ran> {
    let ran = run(environment, spec, sandbox).run();
    if ran.stderr.contains("no sandbox works here") {
        let refused = format!("error: sandbox_missing: no sandbox works here: {sandbox}: ");
        assert!(ran.stderr.starts_with(&refused), "{}", ran.stderr);
        assert_eq!(ran.code, 2);
        let line = format!("not run: {sandbox} does not work here\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    }
    Some(ran)
}

#[test]
fn in_a_sandbox_an_agent_writes_to_its_own_folders_and_to_what_it_applies() {
    let tries = "for file in src.rs specs/DEMO.md; do\n\
                 if (echo theirs >> $file) 2> /dev/null; then echo $file >> \"$HOME/.NAME/wrote\"; fi\n\
                 done; sed -i /theirs/d specs/DEMO.md 2> /dev/null";
    for sandbox in ["bwrap", "landlock"] {
        let [judge, mend] = ["judge", "mend"].map(|name| tries.replace("NAME", name));
        let environment = project(&judge, &mend);
        environment.write("src.rs", "ours\n");
        for name in [".judge", ".mend"] {
            fs::create_dir(environment.home().join(name)).unwrap();
        }
        let Some(ran) = confined(&environment, "specs/DEMO.md", sandbox) else {
            continue;
        };
        assert_eq!(ran.exits(0).json()["outcome"], "passed", "{sandbox}");
        let wrote = |name: &str| {
            let wrote = environment.home().join(name).join("wrote");
            fs::read_to_string(wrote).unwrap_or_default()
        };
        assert_eq!(wrote(".judge"), "", "{sandbox}");
        assert_eq!(wrote(".mend"), "specs/DEMO.md\n", "{sandbox}");
        assert_eq!(environment.read("src.rs"), "ours\n");
    }
}

#[test]
fn in_a_sandbox_an_agent_that_applies_to_the_root_leaves_no_hook_and_no_record() {
    let tries = "for file in .git/hooks/pre-commit .ralph-review/theirs; do\n\
                 echo theirs 2> /dev/null > $file\ndone";
    for sandbox in ["bwrap", "landlock"] {
        let environment = TestEnvironment::new();
        environment.write("DEMO.md", SPEC);
        environment.write(".git/hooks/ours", "");
        for (name, turn) in [("judge", JUDGES), ("mend", &format!("{tries}\n{MENDS}"))] {
            agent(
                &environment,
                name,
                &turn.replace("specs/DEMO.md", "DEMO.md"),
            );
        }
        let Some(ran) = confined(&environment, "DEMO.md", sandbox) else {
            continue;
        };
        assert_eq!(ran.exits(0).json()["outcome"], "passed", "{sandbox}");
        let found = ["hooks/pre-commit", "../.ralph-review/theirs"];
        let found = found.map(|path| environment.root().join(".git").join(path).exists());
        assert_eq!(found, [false, false], "{sandbox}");
    }
}

#[test]
fn an_agent_implements_a_task() {
    let environment = TestEnvironment::new();
    write_unit(&environment, &["[]"]);
    commit(&environment);
    let turn = "asks execute sh && echo 1 > 1.txt; says '\"Done.\"'; ends end_turn";
    agent(&environment, "worker", turn);
    let run = ["run", "--spec", "specs/DEMO.md", "--tasks-only"];
    let agents = ["--implementer", "acp:worker", "--format", "json"];
    let report = environment.ralph([&run[..], &agents].concat());
    let report = report.exits(0).json();
    assert_eq!(report["tasks"][0]["status"], "landed", "{report:#}");
    assert_eq!(git(&environment, &["show", "HEAD:1.txt"]), "1");
}

#[test]
fn a_doctor_says_what_an_agent_is_and_why_it_cannot_be_asked() {
    let environment = TestEnvironment::new();
    let session = r#"{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a"},{"id":"plan"}]}}"#;
    let lines = AGENT.replace("1.0.0", r"1.0.0\nreviewer: ok");
    let text = program(&lines, session, "");
    write_program(&environment.bin().join("judge"), &text);
    environment.program("mute", "echo 'no login' >&2; exit 3");
    for (agent, code, expected) in [
        (
            "acp:judge --fast",
            0,
            "reviewer: acp:judge --fast, Scripted 1.0.0 reviewer: ok, protocol 1; modes a, plan; \
             sessions can be loaded",
        ),
        ("acp:mute", 1, "reviewer: acp:mute: `mute` failed: no login"),
        (
            "acp:gone acp",
            1,
            "reviewer: acp:gone acp: program \"gone\" was not found; check its spelling and PATH",
        ),
    ] {
        let ran = environment.ralph(["doctor", "--reviewer", agent]);
        assert_eq!(ran.code, code, "{}", ran.stdout);
        assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    }
}
