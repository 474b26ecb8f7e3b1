//! `ralph demo`: what an agent that lies and cheats gets, without a key or a project.

use std::fs;
use std::path::PathBuf;

use crate::support::TestEnvironment;

/// The folder of the demo in the temporary folder of a test.
fn folder(temporary: &std::path::Path) -> PathBuf {
    let mut entries = fs::read_dir(temporary).unwrap();
    entries.next().unwrap().unwrap().path()
}

#[test]
fn the_lie_and_the_cheat_are_said_and_the_work_lands() {
    let environment = TestEnvironment::new();
    let temporary = environment.home().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let command = environment.command(["demo"]);
    let command = command.env("TMPDIR", temporary.to_str().unwrap());
    // Settings of the user decide nothing.
    let command = command.env("RALPH_IMPLEMENTER", "cmd:false");
    let ran = command.env("RALPH_TASK_ATTEMPTS", "1").run().exits(0);
    let parts = [
        "is a spec, a task, and two tests that must pass.\n",
        "  task 1  attempt 1  no_change: the agent changed no file\n",
        "  task 1  attempt 2  gate_red: exit status 1; restored, since it may not change them: tests/greet.sh\n",
        "    | not ok 2 - refuses no name\n",
        "  task 1  on_lane  Greet by name  2 tests, 2 listed tests passed",
        "\npassed\n",
        "1. The agent said \"Done. All tests pass.\" It had changed nothing.\n",
        " && ralph report latest\n",
        "\nralph gate\n",
        "\nralph init\n",
    ];
    let places = parts.map(|part| ran.stdout.find(part));
    assert!(places.iter().all(Option::is_some), "{places:?}: {ran:#?}");
    assert!(places.is_sorted(), "{places:?}: {ran:#?}");
    let project = folder(&temporary).join("greet");
    let inside = project.strip_prefix(environment.home()).unwrap();
    let told = format!("cd [HOME]/{} && ", inside.display());
    assert!(ran.stdout.contains(&told), "{ran:#?}");
    let written = fs::read_to_string(project.join("greet.sh")).unwrap();
    assert!(written.ends_with("echo \"Hello, $1!\"\n"), "{written}");
    let task = fs::read_to_string(project.join("tasks/greet/01-greet.md")).unwrap();
    assert!(task.contains("status: complete\n"), "{task}");
    for suggested in [&["report", "latest"][..], &["gate"]] {
        let command = environment.command(suggested).in_folder(&project);
        command.run().exits(0);
    }
    let home: Vec<_> = fs::read_dir(environment.home()).unwrap().collect();
    assert_eq!(home.len(), 1, "nothing is written outside: {home:?}");
}

#[test]
fn what_did_not_work_is_not_told_as_if_it_had() {
    let environment = TestEnvironment::new();
    let bin = environment.home().join("bin");
    fs::create_dir(&bin).unwrap();
    for program in ["sh", "git"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(program))
            .find(|path| path.exists());
        std::os::unix::fs::symlink(found.unwrap(), bin.join(program)).unwrap();
    }
    // The agent and the tests of the demo have no `cat` there.
    let command = environment.command(["demo"]).env("PATH", &bin);
    let command = command.env("RALPH_LANE_SANDBOX", "{mode='off'}");
    let ran = command.run().exits(1);
    assert!(
        !ran.stdout.contains("Only this reached the branch"),
        "{ran:#?}"
    );
}

#[test]
fn without_git_the_demo_says_what_is_missing() {
    let environment = TestEnvironment::new();
    let command = environment.command(["demo"]).env("PATH", "/nonexistent");
    let ran = command.run().exits(2);
    assert!(
        ran.stderr.starts_with("error: git cannot commit: "),
        "{ran:#?}"
    );
    assert!(ran.stderr.contains("hint: install git"), "{ran:#?}");
}
