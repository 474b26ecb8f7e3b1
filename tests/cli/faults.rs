//! Programs that do not behave: none of them makes a verdict.

use std::fs;

use serde_json::Value;

use crate::scripted::{PASS, REVISE, Scripted, filled, fixing, judging, named_pass};
use crate::support::TestEnvironment;

/// The report of a run whose reviewer is a script.
fn review_by(script: &str, arguments: &[&str]) -> (i32, Value) {
    let project = Scripted::new(&[]);
    project.reviewer(script);
    let arguments = [&["--no-tasks", "--format", "json"], arguments].concat();
    let ran = project.run(&arguments).run();
    (ran.code, ran.json())
}

#[test]
fn a_reviewer_that_fails_gives_no_verdict_whatever_it_wrote() {
    let pass = format!("echo '{PASS}'");
    let table: [(&str, String, &[&str], &str); 7] = [
        (
            "a status",
            format!("{pass}; echo broken pump >&2; exit 7"),
            &[],
            "the reviewer failed: `judge` ended with exit status 7; \
             its standard error ended with:\nbroken pump",
        ),
        (
            "a status without a word",
            format!("{pass}; exit 1"),
            &[],
            "the reviewer failed: `judge` ended with exit status 1; \
             it wrote nothing to its standard error",
        ),
        (
            "a signal",
            format!("{pass}; kill -9 $$"),
            &[],
            "the reviewer failed: `judge` was ended by signal 9",
        ),
        (
            "no end",
            format!("{pass}; tail -f /dev/null"),
            &["--call-timeout", "200ms"],
            "the reviewer failed: `judge` was not done after 200ms and was \
             ended; `agent.call_timeout` gives it more",
        ),
        (
            "silence",
            format!("{pass}; tail -f /dev/null"),
            &["--idle-timeout", "200ms"],
            "the reviewer failed: `judge` said nothing for 200ms and was \
             ended; `agent.idle_timeout` gives it more",
        ),
        (
            "100 MB in lines",
            format!("{pass}; yes '{pass}' | head -c 100000000"),
            &[],
            "the reviewer failed: `judge` wrote more than 16777216 bytes, \
             which is not read",
        ),
        (
            "100 MB in one line",
            format!("{pass}; head -c 100000000 /dev/zero | tr '\\0' x"),
            &[],
            "the reviewer failed: `judge` wrote more than 16777216 bytes, \
             which is not read",
        ),
    ];
    for (name, script, arguments, reason) in table {
        let (code, report) = review_by(&script, arguments);
        assert_eq!(code, 3, "{name}: {report:#}");
        assert_eq!(report["outcome"], "no_verdict", "{name}");
        assert_eq!(report["block_code"], "reviewer_failed", "{name}");
        assert_eq!(report["verdict"], Value::Null, "{name}");
        assert!(
            report["block_reason"].as_str().unwrap().starts_with(reason),
            "{name}: {report:#}"
        );
    }
}

#[test]
fn a_reviewer_that_never_stops_talking_ends_at_the_limit_of_its_call() {
    let (code, report) = review_by(
        "while :; do printf x; done",
        &["--call-timeout", "200ms", "--idle-timeout", "1m"],
    );
    assert_eq!(code, 3);
    assert_eq!(report["block_code"], "reviewer_failed");
}

#[test]
fn a_missing_program_is_named() {
    let project = Scripted::new(&[]);
    for (program, cause) in [
        ("no-such-judge", "no-such-judge"),
        ("./no/such/judge", "[ROOT]/no/such/judge"),
    ] {
        let ran = project
            .environment
            .ralph([
                "run",
                "--format",
                "json",
                "--reviewer",
                &format!("cmd:{program}"),
            ])
            .exits(3);
        let report = ran.json();
        assert_eq!(report["block_code"], "reviewer_failed");
        let reason = report["block_reason"].as_str().unwrap();
        assert!(reason.contains(cause), "{reason}");
        assert!(reason.contains("reviewer"), "{reason}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_once_more() {
    for (name, script) in [
        ("nothing", "cat >/dev/null"),
        ("blanks", "cat >/dev/null; echo; echo '  '"),
        ("prose", "cat >/dev/null; echo looks good to me"),
        ("no UTF-8", "cat >/dev/null; printf '\\377\\376\\300'"),
        (
            "half",
            "cat >/dev/null; echo '{\"verdict\":\"pass\",\"score\":{'",
        ),
    ] {
        let project = Scripted::new(&[]);
        project.reviewer(script);
        let ran = project.run(&["--format", "json"]).run().exits(3);
        let report = ran.json();
        assert_eq!(report["outcome"], "no_verdict", "{name}");
        assert_eq!(report["block_code"], "malformed", "{name}");
        assert_eq!(report["iterations"], serde_json::json!([]), "{name}");
        assert_eq!(project.calls(), ["review 1", "review 1"], "{name}");
        let reason = report["block_reason"].as_str().unwrap();
        let expected = "no usable answer, also after 1 retry: ";
        assert!(reason.starts_with(expected), "{name}: {reason}");
    }
}

#[test]
fn the_second_question_names_what_was_wrong_with_the_first_answer() {
    let project = Scripted::new(&[]);
    project.reviewer(&format!(
        "cat > \"$HOME/prompt-$(wc -l < \"$HOME/calls\")\"\n\
         if [ -e \"$HOME/prompt-2\" ]; then echo '{PASS}'; else echo 'no verdict at all'; fi"
    ));
    let ran = project.run(&["--no-tasks", "--format", "json"]).run();
    assert_eq!(ran.exits(0).json()["outcome"], "passed");
    let prompt = |name| fs::read_to_string(project.outside(name)).unwrap();
    assert!(!prompt("prompt-1").contains("no verdict at all"));
    assert!(prompt("prompt-2").contains("no verdict at all"));
    assert!(prompt("prompt-2").contains("no JSON object found in output"));
}

#[test]
fn odd_programs_with_a_verdict_are_read() {
    let pass = format!("echo '{PASS}'");
    for (name, script) in [
        ("reads nothing", pass.clone()),
        ("closes its input", format!("exec 0<&-; {pass}")),
        ("talks on standard error", format!("{pass}; echo later >&2")),
        ("leaves a grandchild", format!("tail -f /dev/null & {pass}")),
        (
            "leaves a session",
            format!("setsid tail -f /dev/null & echo $! > \"$HOME/pid\"; {pass}"),
        ),
        (
            "prose around, with both ids",
            filled(&format!(
                "(echo Here it is:; echo '{}'; echo Thanks.)",
                named_pass()
            )),
        ),
        (
            "writes before it reads",
            format!("head -c 1000000 /dev/zero | tr '\\0' ' '; cat >/dev/null; {pass}"),
        ),
    ] {
        let project = Scripted::new(&[]);
        let long = format!("# Demo\n\n{}", "A line of a long spec.\n".repeat(40_000));
        project.write("specs/DEMO.md", long);
        project.reviewer(&script);
        let ran = project.run(&["--no-tasks", "--format", "json"]).run();
        if let Ok(pid) = fs::read_to_string(project.outside("pid")) {
            let ended = std::process::Command::new("kill").arg(pid.trim()).status();
            assert!(ended.is_ok(), "{name}");
        }
        let report = ran.exits(0).json();
        assert_eq!(report["outcome"], "passed", "{name}");
        assert_eq!(report["verdict"], "pass", "{name}");
    }
}

#[test]
fn an_applier_that_fails_leaves_the_artifact_as_it_was() {
    let project = Scripted::working();
    let before = project.artifact();
    project.applier(&fixing("", "echo no more ink >&2; exit 4"));
    let ran = project.run(&["--format", "json"]).run().exits(3);
    let report = ran.json();
    assert_eq!(report["outcome"], "no_verdict");
    assert_eq!(report["block_code"], "applier_failed");
    assert_eq!(report["verdict"], "needs_revision");
    let reason = report["block_reason"].as_str().unwrap();
    assert!(
        reason.contains("`fix` ended with exit status 4"),
        "{reason}"
    );
    assert!(reason.contains("no more ink"), "{reason}");
    assert_eq!(project.artifact(), before);
    assert_eq!(project.calls(), ["review 1", "apply 1"]);
}

#[test]
fn a_failed_call_is_made_again_by_a_resume() {
    let project = Scripted::working();
    project.reviewer("exit 1");
    project.run(&[]).run().exits(3);
    project.reviewer(&judging(""));
    project.resume(&[]).run().exits(0);
    let all = [
        "review 1", "review 1", "apply 1", "review 2", "apply 2", "review 3",
    ];
    assert_eq!(project.calls()[..6], all);
}

#[test]
fn a_reviewer_that_changes_the_artifact_is_named_and_its_change_is_kept() {
    let project = Scripted::new(&[]);
    project.reviewer(&format!("echo '# Mine' > \"$RALPH_SPEC\"; echo '{PASS}'"));
    let ran = project.run(&["--format", "json"]).run().exits(3);
    let report = ran.json();
    assert_eq!(report["outcome"], "no_verdict");
    assert_eq!(report["block_code"], "reviewer_failed");
    assert_eq!(report["verdict"], Value::Null);
    assert_eq!(
        report["block_reason"],
        "the reviewer failed: `cmd:judge` changed specs/DEMO.md, which it may \
         only read; the change is kept; if it was made by hand while the reviewer ran, resume the \
         run"
    );
    assert_eq!(project.environment.read("specs/DEMO.md"), "# Mine\n");
}

#[test]
fn an_answer_keeps_the_words_that_a_passed_variable_holds() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("echo '{REVISE}'"));
    project.write("ralph.toml", "[agent]\npass_env = [\"MODE\"]\n");
    let run = project.run(&["--no-apply", "--format", "json"]);
    let ran = run.env("MODE", "needs_revision").run();
    assert_eq!(ran.exits(1).json()["verdict"], "needs_revision");
}

#[test]
fn a_journal_that_cannot_grow_breaks_the_run_and_is_resumed() {
    let project = Scripted::working();
    let line = "if [ -e \"$HOME/mark\" ]; then cat >/dev/null; \
                else : > \"$HOME/mark\"; head -c 20000 /dev/zero | tr '\\0' ' '; fi";
    project.reviewer(&judging(line));
    let state = ["--state-dir", "my state"];
    let limited = project.run(&state).with_files_up_to(24);
    let ran = limited.run().exits(2);
    assert!(
        ran.stderr.contains("the journal cannot be written"),
        "{ran:#?}"
    );
    let next = ran.next_command().unwrap();
    assert!(next.starts_with("resume "), "{next}");
    assert!(next.ends_with(" --state-dir 'my state'"), "{next}");
    let hint = format!("hint: go on with `ralph {next}`\n");
    assert!(ran.stderr.ends_with(&hint), "{ran:#?}");
    project.resume(&state).run().exits(0);
    let spec = project.environment.read("specs/DEMO.md");
    assert!(spec.ends_with("fixed 1\nfixed 2\n"), "{spec}");
}

#[test]
fn a_command_that_meets_the_limit_of_file_sizes_says_so_and_leaves_no_part_of_a_file() {
    let lesson = ".aiwg/.lessons/reviewer/0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201.json";
    let add = [
        "corrections",
        "add",
        "--agent",
        "a",
        "--correction-type",
        "code_quality",
        "--ai-action",
        "Wrote it",
        "--user-correction",
        "Changed it",
        "--verbatim",
        "No",
    ];
    let edit = [
        "learn",
        "decide",
        "0192f0c1",
        "--by",
        "ann",
        "--text",
        "Name the unit of each number.",
    ];
    let table: &[(&[&str], i32, &str)] = &[
        (
            &add,
            2,
            "error: [ROOT]/.claude/user-corrections.jsonl cannot be written: ",
        ),
        (
            &["corrections", "import"],
            2,
            "patterns.json cannot be created: ",
        ),
        (
            &["corrections", "capture"],
            0,
            "warning: nothing was captured: ",
        ),
        (
            &["learn", "decide", "0192f0c1", "--approve", "--by", "ann"],
            2,
            "cannot be created: ",
        ),
        (&edit, 2, "cannot be created: "),
        (&["learn", "run"], 2, "cannot be created: "),
        (
            &["init", "--hooks", "claude", "--yes"],
            2,
            "cannot be created: ",
        ),
    ];
    for (arguments, code, message) in table {
        let environment = TestEnvironment::new();
        environment.write("ralph.toml", "[learning]\n");
        environment.write(
            lesson,
            "{\"id\": \"0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201\", \"agent\": \"reviewer\", \
             \"lesson_text\": \"Name units.\", \"source_feedback\": [\"a\"]}",
        );
        environment.write(".claude/user-corrections.jsonl", "");
        let before = environment.read(lesson);
        let hook = "{\"hook_event_name\": \"UserPromptSubmit\", \"session_id\": \"s\", \
                    \"prompt\": \"too complex\"}";
        let ran = environment.command(*arguments).with_files_up_to(0);
        let ran = ran.stdin(hook).run().exits(*code);
        assert!(
            ran.stderr.contains(message) && ran.stderr.contains("File too large"),
            "{arguments:?}: {ran:#?}"
        );
        assert_eq!(environment.read(".claude/user-corrections.jsonl"), "");
        assert_eq!(environment.read(lesson), before);
        let left = environment.files(".");
        let left: Vec<_> = left.iter().filter(|file| file.ends_with(".tmp")).collect();
        assert!(left.is_empty(), "{arguments:?}: {left:?}");
    }
}
