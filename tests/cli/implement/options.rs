//! Which agent implements the tasks of a run, and when none can.

use serde_json::json;

use crate::scripted::Scripted;

/// A unit of one task, and a spec without tasks.
fn project() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write("specs/OTHER.md", "# Other\n");
    project
}

#[test]
fn a_dry_run_says_who_implements_the_tasks() {
    let project = project();
    let tasks = ["DEMO", "--tasks-only", "--dry-run"];
    let shown = |options: &[&str]| {
        let arguments = [&tasks[..], options].concat();
        project.run(&arguments).run().exits(0)
    };
    let implemented = "would implement and run the tasks of demo\n  implementer cmd:./agent.sh\n";
    let plain = "would run the tasks of demo\n";
    let given = ["--implementer", "cmd:./agent.sh"];
    assert_eq!(shown(&given).stdout, implemented);
    assert_eq!(shown(&[]).stdout, plain);
    let json = shown(&["--implementer", "claude:opus", "--format", "json"]).json();
    assert_eq!(json["implementer"], "claude:opus");
    assert_eq!(shown(&["--format", "json"]).json().get("implementer"), None);

    project.write("ralph.toml", "[task]\nimplementer = \"cmd:./agent.sh\"\n");
    assert_eq!(shown(&[]).stdout, implemented);
    assert_eq!(
        shown(&["--land", "never", "--attempts", "5"]).stdout,
        implemented
    );
    assert_eq!(shown(&["--implementer", "none"]).stdout, plain);
    assert_eq!(shown(&["--no-apply"]).stdout, plain);
    let other = project.run(&["OTHER", "--dry-run"]).run().exits(0);
    assert!(
        other.stdout.ends_with("would run no task\n"),
        "{}",
        other.stdout
    );
}

#[test]
fn an_agent_that_cannot_implement_is_refused() {
    let project = project();
    let claude = ["--implementer", "claude"];
    for (arguments, expected) in [
        (
            [&["OTHER"], &claude[..]].concat(),
            "error: no unit belongs to specs/OTHER.md, so it has no tasks to implement\n",
        ),
        (
            vec!["DEMO", "--implementer", "builtin"],
            "error: builtin has no tools that edit files and run commands, so it cannot implement \
             tasks\n  hint: name a client, such as claude, or a program: cmd:PROGRAM\n",
        ),
        (
            vec!["DEMO", "--implementer", "claude,builtin"],
            "error: builtin has no tools that edit files and run commands, so it cannot implement \
             tasks\n",
        ),
        (
            [&["DEMO", "--no-apply"], &claude[..]].concat(),
            "'--no-apply' cannot be used with '--implementer <BACKEND>'\n",
        ),
        (
            [&["DEMO", "--no-tasks"], &claude[..]].concat(),
            "'--no-tasks' cannot be used with '--implementer <BACKEND>'\n",
        ),
        (
            vec!["DEMO", "--land", "branch"],
            "error: --attempts, --dirty, --engine, --host, --land, --sandbox and --target are for tasks that an agent \
             implements\n  hint: name the agent with --implementer or in task.implementer\n",
        ),
        (
            [&["DEMO", "--target", "a b"], &claude[..]].concat(),
            "the name of a branch must be one that git takes, got \"a b\"",
        ),
        (
            [&["DEMO", "--dirty", "keep"], &claude[..]].concat(),
            "[possible values: refuse, include, ignore]",
        ),
    ] {
        let ran = project.run(&arguments).run().exits(2);
        assert!(
            ran.stderr.contains(expected),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    assert!(!project.environment.root().join(".ralph-review").exists());
}

#[test]
fn doctor_checks_the_implementer_of_the_configuration() {
    let project = project();
    let check = |implementer: &str| {
        let text = format!("[task]\nimplementer = \"{implementer}\"\n");
        project.write("ralph.toml", &text);
        let ran = project.environment.ralph(["doctor", "--format", "json"]);
        let checks = ran.json()["checks"].clone();
        let mut checks = checks.as_array().unwrap().iter();
        let found = checks.find(|check| check["name"] == "implementer");
        found.map(|check| (check["state"].clone(), check["message"].clone()))
    };
    assert_eq!(check("none"), None);
    let (state, message) = check("cmd:sh -c true").unwrap();
    assert_eq!(state, json!("ok"));
    assert!(
        message
            .as_str()
            .unwrap()
            .starts_with("cmd:sh -c true, found at ")
    );
    let (state, message) = check("builtin").unwrap();
    assert_eq!(state, json!("error"));
    assert!(
        message
            .as_str()
            .unwrap()
            .starts_with("builtin has no tools")
    );
}
