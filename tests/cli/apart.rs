//! Programs have nothing of the user's but their files: no terminal, no descriptor, and
//! no life of their own after the end of ralph.
#![cfg(target_os = "linux")]

use std::fs;

use crate::fifo::Fifo;
use crate::scripted::{Scripted, fixing, judging};
use crate::support::RalphCommand;
use crate::terminal::Terminal;

/// The programs of a run, by the word that they write.
const PROGRAMS: [&str; 6] = ["review", "apply", "check", "task 1", "task 2", "notify"];

/// A project all of whose programs run this script with their word in `$word`.
fn project(script: &str) -> Scripted {
    let project = Scripted::working();
    let with = |word: &str| format!("word='{word}'\n{script}\n");
    project.reviewer(&judging(&with("review")));
    project.applier(&fixing(&with("apply"), ""));
    project.environment.program("bell", &with("notify"));
    project.environment.program("look", &with("check"));
    for task in [1, 2] {
        let path = project.outside(&format!("task-{task}"));
        fs::write(path, with(&format!("task {task}"))).unwrap();
    }
    let text = "[notify]\ncommand = \"bell\"\n\n[review]\ncheck = \"look\"\n";
    project.write("ralph.toml", text);
    project
}

/// The words of the programs that wrote to a file, each once.
fn words(project: &Scripted, file: &str) -> Vec<String> {
    let text = fs::read_to_string(project.outside(file)).unwrap_or_default();
    let mut words: Vec<_> = text.lines().map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words
}

fn all() -> Vec<&'static str> {
    let mut all = PROGRAMS.to_vec();
    all.sort_unstable();
    all
}

/// A run of a session of its own whose terminal is its standard input.
pub(crate) fn on_terminal(run: RalphCommand<'_>) -> Terminal {
    let session = "exec setsid -c sh -c ': > /dev/tty && echo user >> \"$HOME/reached\"; \
                   exec \"$0\" \"$@\"' \"$0\" \"$@\"";
    Terminal::start(run.after(session), 80)
}

#[test]
fn no_program_reaches_the_terminal_of_the_user() {
    let project = project(
        "echo \"$word\" >> \"$HOME/ran\"\n\
         if (: > /dev/tty) 2> /dev/null; then echo \"$word\" >> \"$HOME/reached\"; fi",
    );
    let mut terminal = on_terminal(project.run(&[]));
    let (status, screen) = terminal.end();
    assert!(status.success(), "{screen:#?}");
    assert_eq!(words(&project, "ran"), all());
    assert_eq!(words(&project, "reached"), ["user"]);
}

#[test]
fn no_program_inherits_a_descriptor_but_the_first_three() {
    let project = project(
        "echo \"$word\" >> \"$HOME/ran\"\n\
         for open in /proc/$$/fd/*; do case $(readlink $open) in \
         */held) echo \"$word $open\" >> \"$HOME/inherited\";; esac; done",
    );
    let run = project.run(&[]).after("exec 7> \"$HOME/held\" 9>&7");
    run.run().exits(0);
    assert_eq!(words(&project, "ran"), all());
    assert_eq!(words(&project, "inherited"), [""; 0]);
}

/// Each with a child that holds a pipe, and one of these that leaves its group.
#[test]
fn all_that_programs_have_started_ends_with_a_killed_run() {
    for (word, before) in [
        ("review", ""),
        ("apply", ""),
        ("check", ""),
        ("task 1", ""),
        ("task 1", "trap '' TERM; "),
    ] {
        let outside = Scripted::new(&[]);
        let events = Fifo::new(&outside);
        let script = format!(
            "if [ \"$word\" = '{word}' ]; then exec 3> {events}\n{before}\
             sh -c '{before}tail -f /dev/null' &\n\
             set -m; sh -c '{before}tail -f /dev/null' & echo runs >&3; wait; fi"
        );
        let project = project(&script);
        let mut ralph = project.run(&[]).into_std().spawn().unwrap();
        let mut events = events.open();
        assert_eq!(events.line(), "runs", "{word}");
        ralph.kill().unwrap();
        ralph.wait().unwrap();
        assert_eq!(events.rest(), "", "{word}");
    }
}

#[test]
fn a_launcher_that_is_called_by_hand_says_what_it_is_for() {
    let project = Scripted::new(&[]);
    for arguments in [
        &["confine"][..],
        &["confine", "true"],
        &["confine", "--x", "y"],
    ] {
        let ran = project.environment.ralph(arguments).exits(2);
        assert_eq!(
            ran.stderr,
            "error: `confine` starts the programs of a run, and is not for people\n"
        );
    }
    let outcome = project
        .environment
        .ralph(["confine", "--", "sh", "-c", "echo ran; exit 7"]);
    assert_eq!((outcome.code, &*outcome.stdout), (7, "ran\n"));
}

/// The names of these variables that each program had, by its word.
fn variables(project: &Scripted, prefix: &str) -> Vec<String> {
    let seen = words(project, "seen");
    let of = |line: &String| line.split_once('=').map(|(name, _)| name.to_owned());
    let names = seen.iter().filter_map(of);
    let mut names: Vec<_> = names.filter(|line| line.contains(prefix)).collect();
    names.dedup();
    names
}

/// Notes the environment of each program.
const NOTING: &str =
    "echo \"$word\" >> \"$HOME/ran\"; env | sed \"s/^/$word: /\" >> \"$HOME/seen\"";

#[test]
fn no_program_of_a_hook_is_led_to_the_repository_of_the_hook() {
    let project = project(NOTING);
    let mut run = project.run(&[]);
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_PREFIX",
        "GIT_COMMON_DIR",
        "GIT_CONFIG_PARAMETERS",
        "GIT_OBJECT_DIRECTORY",
    ] {
        run = run.env(name, "/nowhere");
    }
    run.env("GIT_AUTHOR_NAME", "Ann").run().exits(0);
    assert_eq!(words(&project, "ran"), all());
    // Commands see the environment of the user, agents a short list.
    let commands = ["check", "notify", "task 1", "task 2"];
    let commands = commands.map(|word| format!("{word}: GIT_AUTHOR_NAME"));
    assert_eq!(variables(&project, " GIT_"), commands);
}

#[test]
fn a_command_that_judges_does_not_know_that_it_does() {
    let project = project(NOTING);
    let outer = |run: RalphCommand<'_>| {
        let run = run
            .env("RALPH_ROLE", "implementer")
            .env("RALPH_RUN", "outer");
        run.env("RALPH_ITERATION", "7").run().exits(0);
    };
    outer(project.run(&[]));
    let judging = ["check", "task 1", "task 2"].map(|word| format!("{word}: RALPH_NAME"));
    let agents = |name: &String| name.starts_with("review") || name.starts_with("apply");
    let mut seen = variables(&project, " RALPH_");
    seen.retain(|name| !agents(name) && !name.starts_with("notify"));
    assert_eq!(seen, judging);
    fs::remove_file(project.outside("seen")).unwrap();
    // Without the records of the run the gate runs the commands itself.
    let state = project.outside("state");
    let state = ["--state-dir", state.to_str().unwrap(), "gate"];
    outer(project.environment.command(state));
    let tasks = ["task 1", "task 2"].map(|word| format!("{word}: RALPH_NAME"));
    let mut seen = variables(&project, " RALPH_");
    seen.retain(|name| name.starts_with("task"));
    assert_eq!(seen, tasks);
}

#[test]
fn a_commit_with_a_hook_that_runs_ralph_has_what_was_staged_and_no_more() {
    let project = Scripted::new(&[
        "cd \"$(mktemp -d)\" && git init -q . && echo hi > scratch.txt && git add scratch.txt",
    ]);
    let home = project.environment.home();
    let config = "[user]\n\tname = Ann\n\temail = ann@example.org\n";
    fs::write(home.join(".gitconfig"), config).unwrap();
    crate::implement::commit(&project.environment);
    let git = |arguments: &[&str]| crate::implement::git(&project.environment, arguments);
    let worktree = project.outside("worktree");
    git(&[
        "worktree",
        "add",
        "-q",
        worktree.to_str().unwrap(),
        "-b",
        "feature",
    ]);
    for (hook, words) in [
        ("pre-commit", &["run", "--spec", "DEMO", "--tasks-only"][..]),
        ("commit-msg", &["gate"]),
    ] {
        let ralph = env!("CARGO_BIN_EXE_ralph");
        let path = project.environment.root().join(".git/hooks").join(hook);
        let script = format!("#!/bin/sh\nexec {ralph} {} >&2\n", words.join(" "));
        fs::write(&path, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }
    let there = ["-C", worktree.to_str().unwrap()];
    let there = |arguments: &[&str]| git(&[&there, arguments].concat());
    fs::write(worktree.join("note.md"), "a note\n").unwrap();
    there(&["add", "note.md"]);
    there(&["commit", "-q", "-m", "Mine"]);
    let listed = there(&["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(listed, "note.md");
    // The run has written the status of its task.
    assert_eq!(
        there(&["status", "--porcelain"]),
        " M tasks/demo/01-step.md"
    );
}
