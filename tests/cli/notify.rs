//! The program that is notified at the end of a run.

use std::fs;

use serde_json::Value;

use crate::scripted::{PASS, REVISE, Scripted};
use crate::support::Ran;

/// A project whose reviewer gives this answer, and whose program `bell` keeps
/// each event that it receives and then runs `script`.
fn project(answer: &str, script: &str) -> Scripted {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("cat > /dev/null; echo '{answer}'"));
    project.applier("cat > /dev/null; echo more >> \"$RALPH_SPEC\"");
    let bell = format!("cat >> \"$HOME/notices\"\n{script}");
    project.environment.program("bell", &bell);
    project.write("ralph.toml", "[notify]\ncommand = \"bell 'a b'\"\n");
    project
}

/// The events that the program received.
fn notices(project: &Scripted) -> Vec<Value> {
    let notices = fs::read_to_string(project.outside("notices")).unwrap_or_default();
    let lines = notices.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn outcomes(project: &Scripted) -> Vec<String> {
    let notices = notices(project);
    let words = notices.iter().map(|event| &event["payload"]["outcome"]);
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

fn warned(ran: &Ran, what: &str) {
    assert!(ran.stderr.contains(what), "{}", ran.stderr);
    assert!(ran.stderr.contains("warning: "), "{}", ran.stderr);
}

#[test]
fn the_end_of_a_run_is_told_as_its_last_event() {
    let project = project(
        PASS,
        "printf '%s\\n' \"$PWD\" \"$1\" \"$RALPH_RUN\" \"$RALPH_SPEC\" \"$RALPH_UNIT_DIR\" \"$SECRET-$TOKEN\" > \"$HOME/seen\"",
    );
    project.write("ralph.toml", "[notify]\ncommand = \"bell 'a b'\"\n");
    let run = project.run(&["--format", "jsonl"]);
    let run = run.env("SECRET", "no").env("TOKEN", "yes").run().exits(0);
    let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "run.finished");
    assert_eq!(notices(&project), std::slice::from_ref(&last));
    assert_eq!(last["payload"]["outcome"], "passed");
    let seen = fs::read_to_string(project.outside("seen")).unwrap();
    let root = project.environment.root();
    let (root, run) = (root.to_str().unwrap(), last["run"].as_str().unwrap());
    let seen: Vec<_> = seen.lines().collect();
    let expected = [root, "a b", run, "specs/DEMO.md", "tasks/demo", "no-yes"];
    assert_eq!(seen, expected);
    project.resume(&[]).run().exits(0);
    assert_eq!(notices(&project).len(), 1);
}

#[test]
fn a_blocked_run_a_limit_and_an_approval_are_told_too() {
    let project = project(REVISE, "");
    let one = ["--max-calls", "1", "--max-iterations", "2"];
    project.run(&one).run().exits(5);
    assert_eq!(outcomes(&project), ["limit"]);
    project.resume(&["--max-calls", "9"]).run().exits(1);
    assert_eq!(outcomes(&project), ["limit", "not_passed"]);
    let blocked = &notices(&project)[1]["payload"]["block_code"];
    assert_eq!(blocked, "max_iterations");
    project.resume(&[]).run().exits(1);
    assert_eq!(outcomes(&project).len(), 2);
    let approve = ["approve", "latest", "--by", "ann"];
    project.environment.ralph(approve).exits(0);
    assert_eq!(outcomes(&project), ["limit", "not_passed", "approved"]);
}

#[test]
fn a_run_that_touches_no_file_tells_nobody() {
    let project = project(PASS, "");
    project.run(&["--no-apply"]).run().exits(0);
    project.environment.ralph(["gate"]).exits(0);
    assert_eq!(outcomes(&project), [""; 0]);
}

#[test]
fn a_program_that_fails_is_a_warning_and_is_told_again_by_a_resume() {
    let once = "if ! [ -e \"$HOME/mark\" ]; then : > \"$HOME/mark\"; echo no bell >&2; exit 7; fi";
    let project = project(PASS, once);
    let run = project.run(&[]).run().exits(0);
    warned(&run, "it ended with exit status 7: no bell");
    let resumed = project.resume(&[]).run().exits(0);
    assert!(!resumed.stderr.contains("warning: "), "{}", resumed.stderr);
    let notices = notices(&project);
    assert_eq!(notices.len(), 2);
    assert_eq!(notices[0], notices[1]);
    project.resume(&[]).run().exits(0);
    assert_eq!(outcomes(&project).len(), 2);
}

#[test]
fn a_program_that_is_missing_is_a_warning() {
    let project = project(PASS, "");
    project.write("ralph.toml", "[notify]\ncommand = \"tools/none\"\n");
    let run = project.run(&[]).run().exits(0);
    warned(&run, "program \"tools/none\" was not found");
}

#[test]
fn a_run_killed_before_it_was_told_is_told_by_a_resume() {
    let once = "if ! [ -e \"$HOME/mark\" ]; then : > \"$HOME/mark\"; kill -9 $PPID; fi";
    for (answer, code) in [(PASS, 0), (REVISE, 1)] {
        let project = project(answer, once);
        project.run(&["--max-iterations", "1"]).run().exits(137);
        project.resume(&[]).run().exits(code);
        let notices = notices(&project);
        assert_eq!(notices.len(), 2);
        assert_eq!(notices[0], notices[1]);
        project.resume(&[]).run().exits(code);
        assert_eq!(outcomes(&project).len(), 2);
    }
}

#[test]
fn the_command_is_words_of_a_shell() {
    let project = project(PASS, "");
    project.write("ralph.toml", "[notify]\ncommand = \"bell 'a\"\n");
    let run = project.run(&[]).run().exits(2);
    assert!(
        run.stderr.contains("a quote is not closed"),
        "{}",
        run.stderr
    );
    project.write("ralph.toml", "[notify]\ncommand = \" \"\n");
    let run = project.run(&[]).run().exits(2);
    assert!(
        run.stderr
            .contains("`notify.command`: a command must name a program"),
        "{}",
        run.stderr
    );
    project.write("ralph.toml", "[notify]\ncommand = \"none\"\n");
    project.run(&[]).run().exits(0);
    assert_eq!(outcomes(&project), [""; 0]);
}
