//! `ralph run` and `ralph review`, from the command line to the exit code.

use serde_json::{Value, json};

use crate::scripted::{PASS, REVISE, SPEC, Scripted, filled, judging, named_pass};
use crate::support::{Ran, TestEnvironment, short};

fn statuses(report: &Value) -> Vec<(u64, &str)> {
    let tasks = report["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| {
            (
                task["id"].as_u64().unwrap(),
                task["status"].as_str().unwrap(),
            )
        })
        .collect()
}

fn accepting(commands: &[&str]) -> Scripted {
    let project = Scripted::new(commands);
    project.reviewer(&format!("echo '{PASS}'"));
    project
}

#[test]
fn the_report_has_these_fields() {
    let project = accepting(&["true"]);
    let ran = project.run(&["--format", "json"]).run().exits(0);
    assert_eq!(ran.stderr, "");
    let mut report = ran.json();
    let run = report["run"].take();
    assert_eq!(
        project.journal().parent().unwrap().file_name().unwrap(),
        run.as_str().unwrap()
    );
    assert!(report["iterations"][0]["timestamp"].take().is_string());
    assert!(report["at"].take().is_string());
    assert!(report["took_ms"].take().is_u64());
    let sent = report["iterations"][0]["left_unread"]["bytes"].take();
    assert!(sent.as_u64().unwrap() > 1_000, "{sent}");
    assert!(report["tasks"][0]["seconds"].take().is_f64());
    for prompt in report["prompts"].as_array_mut().unwrap() {
        assert_eq!(prompt["hash"].take().as_str().unwrap().len(), 64);
    }
    let score =
        json!({"architecture": 90, "completeness": 90, "consistency": 90, "testability": 90});
    assert_eq!(
        report,
        json!({
            "at": null,
            "took_ms": null,
            "v": 1, "run": null, "spec": "specs/DEMO.md", "outcome": "passed", "exit": 0,
            "reviewer": "cmd:judge",
            "prompts": [
                {"role": "reviewer", "version": 1, "hash": null},
                {"role": "applier", "version": 1, "hash": null},
            ],
            "verdict": "pass", "score": score,
            "iterations": [{
                "iteration": 1, "reviewer": "cmd:judge", "verdict": "pass", "score": score, "feedback": [],
                "below_fail_level": 0, "timestamp": null,
                "left_unread": {"bytes": null, "read": 0},
            }],
            "findings": [],
            "unproved_rounds": {"spent": 0, "allowed": 3},
            "tasks": [{
                "id": 1, "title": "Step 1", "command": "true", "status": "passed",
                "tests_run": null,
                "must_pass": null,
                "seconds": null, "cached": false, "changed_tree": false, "reason": "",
                "status_kept": null, "log": null,
            }],
            "block_code": null, "block_reason": "", "next": [],
        })
    );
}

#[test]
fn the_stream_tells_everything_once_and_in_order() {
    let project = Scripted::working();
    let ran = project.run(&["--format", "jsonl"]).run().exits(0);
    let (live, events): (Vec<_>, Vec<_>) = ran
        .json_lines()
        .into_iter()
        .partition(|event| event["seq"].is_null());
    // What a step did so far is reported as often as it matters.
    let states = ["agent.activity", "step.output"];
    let live: Vec<_> = live
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), &event["payload"]["step"]))
        .filter(|(kind, _)| !states.contains(kind))
        .map(|(kind, step)| format!("{kind} {}", step.as_str().unwrap()))
        .collect();
    let (call, command) = (
        [
            "step.started",
            "agent.call_started",
            "agent.answered",
            "step.finished",
        ]
        .as_slice(),
        ["step.started", "step.command", "step.finished"].as_slice(),
    );
    let expected = [
        ("review/review-1.1", call),
        ("review/apply-1", call),
        ("review/review-2.1", call),
        ("review/apply-2", call),
        ("review/review-3.1", call),
        ("task/1/gate.1.1", command),
        ("task/2/gate.1.1", command),
    ]
    .into_iter()
    .flat_map(|(step, kinds)| kinds.iter().map(move |kind| format!("{kind} {step}")));
    assert_eq!(live, Vec::from_iter(expected));
    let types: Vec<_> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "run.started",
            "spec.review.started",
            "spec.review.iteration",
            "feedback.findings",
            "spec.review.feedback",
            "feedback.decided",
            "spec.review.iteration",
            "feedback.findings",
            "spec.review.feedback",
            "feedback.decided",
            "spec.review.iteration",
            "feedback.findings",
            "spec.review.passed",
            "task.started",
            "task.finished",
            "task.status",
            "task.started",
            "task.finished",
            "task.status",
            "run.finished",
        ]
    );
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["v"], 1);
        assert_eq!(event["seq"], at);
        assert_eq!(event["run"], events[0]["run"]);
        assert_eq!(event["unit"], "demo");
    }
    assert_eq!(events[13]["task"], "demo/1");
    assert_eq!(events[19]["payload"]["outcome"], "passed");
}

#[test]
fn a_status_that_could_not_be_written_is_told_and_changes_no_verdict() {
    let project = Scripted::new(&["true", "true"]);
    let path = "tasks/demo/02-step.md";
    let listed = project
        .environment
        .read(path)
        .replace("pending", "[pending]");
    project.write(path, &listed);
    let ran = project.run(&["--tasks-only"]).run().exits(0);
    let kept = "tasks/demo/02-step.md keeps its status: the front matter is written in a way \
                that allows no safe change of the status";
    let line = format!("    warning not set to complete: {kept}\n");
    assert!(ran.stdout.contains(&line), "{}", ran.stdout);
    assert_eq!(ran.stderr, format!("warning: {kept}\n"));
    assert_eq!(project.environment.read(path), listed);

    let report = project
        .environment
        .ralph(["report", "latest", "--format", "json"]);
    let tasks = report.exits(0).json()["tasks"].clone();
    assert_eq!(tasks[0]["status_kept"], Value::Null);
    assert_eq!(tasks[1]["status"], "passed");
    assert_eq!(tasks[1]["status_kept"], kept);
}

#[test]
fn each_outcome_has_its_exit_code() {
    let revise = format!("echo '{REVISE}'");
    let low = PASS.replace("\"completeness\":90", "\"completeness\":20");
    let low = format!("echo '{low}'");
    let fix = "cat >/dev/null; echo fixed >> \"$RALPH_SPEC\"";
    let table: [(&str, &[&str], i32, &str, Value); 6] = [
        (&revise, &[], 1, "not_passed", json!("stagnated")),
        (&revise, &["--max-calls", "2"], 5, "limit", json!("budget")),
        (
            &revise,
            &["--max-iterations", "1"],
            1,
            "not_passed",
            json!("max_iterations"),
        ),
        (
            &low,
            &["--max-iterations", "1"],
            1,
            "not_passed",
            json!("below_minimum"),
        ),
        ("echo nothing", &[], 3, "no_verdict", json!("malformed")),
        (
            "tail -f /dev/null",
            &["--max-time", "300ms"],
            5,
            "limit",
            json!("run_time"),
        ),
    ];
    for (reviewer, arguments, code, outcome, block_code) in table {
        let project = Scripted::new(&["true"]);
        project.reviewer(reviewer);
        project.applier(fix);
        let arguments = [&["--format", "json"], arguments].concat();
        let ran = project.run(&arguments).run().exits(code);
        let report = ran.json();
        assert_eq!(report["outcome"], outcome, "{arguments:?}");
        assert_eq!(report["exit"], code, "{arguments:?}");
        assert_eq!(
            report["block_code"], block_code,
            "{arguments:?}: {report:#}"
        );
        assert_eq!(report["tasks"], json!([]), "{arguments:?}");
        assert_ne!(report["block_reason"], "", "{arguments:?}");
    }
}

#[test]
fn a_reviewer_whose_answer_is_only_supposed_is_asked_again() {
    let supposed =
        format!("cat <<'E'\nThe answer would be {PASS} if it were good, but it is not.\nE");
    let project = Scripted::new(&["true"]);
    project.reviewer(&supposed);
    let report = project.run(&["--format", "json"]).run().exits(3).json();
    assert_eq!(report["block_code"], "malformed");
    let reason = report["block_reason"].as_str().unwrap();
    let expected = "the sentence around the pass puts it in doubt (\"would\")";
    assert!(reason.contains(expected), "{reason}");
    assert_eq!(project.calls(), ["review 1", "review 1"]);

    let project = Scripted::new(&["true"]);
    project.reviewer(&format!(
        "if [ -e \"$HOME/again\" ]; then echo '{PASS}'; else : > \"$HOME/again\"; {supposed}\nfi"
    ));
    project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), ["review 1", "review 1"]);
}

#[test]
fn what_cannot_be_meant_ends_with_2() {
    let project = Scripted::new(&[]);
    project.write("specs/OTHER.md", "# Other\n");
    for arguments in [
        &["run"] as &[&str],
        &["run", "--spec", "MISSING"],
        &["run", "--spec", "DEMO", "--reviewer", "bultin"],
        &["run", "--spec", "DEMO", "--max-iterations", "0"],
        &["run", "--spec", "DEMO", "--no-tasks", "--tasks-only"],
        &["review", "specs/MISSING.md"],
        &["resume", "latest"],
    ] {
        let ran = project.environment.ralph(arguments).exits(2);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(ran.stderr.starts_with("error: "), "{arguments:?}: {ran:#?}");
    }
}

#[test]
fn a_spec_without_tasks_has_nothing_to_run_alone() {
    let environment = TestEnvironment::new();
    environment.write("specs/ALONE.md", SPEC);
    let ran = environment.ralph(["run", "--tasks-only", "--format", "json"]);
    let report = ran.exits(4).json();
    assert_eq!(report["outcome"], "nothing");
    assert_eq!(report["exit"], 4);
}

#[test]
fn without_apply_there_is_one_round_and_no_file_changes() {
    let project = Scripted::new(&["false"]);
    project.reviewer(&format!("echo '{REVISE}'"));
    let before = project.artifact();
    let arguments = ["--no-apply", "--format", "json"];
    let report = project.run(&arguments).run().exits(1).json();
    assert_eq!(report["iterations"].as_array().unwrap().len(), 1);
    assert_eq!(report["findings"][0]["issue"], "it is not fixed");
    assert_eq!(project.calls(), ["review 1"]);
    assert_eq!(project.artifact(), before);
    let arguments = ["--no-apply", "--keep-going", "--format", "json"];
    let report = project.run(&arguments).run().exits(1).json();
    assert_eq!(statuses(&report), [(1, "failed")]);
    assert_eq!(project.artifact(), before);
}

/// Options, the reviewer's answer, and what follows: exit code, tasks, reviews.
type StageCase<'a> = (&'a [&'a str], &'a str, i32, &'a [(u64, &'a str)], usize);

#[test]
fn stages_are_chosen_by_option() {
    let table: [StageCase<'_>; 6] = [
        (&[], PASS, 0, &[(1, "passed")], 1),
        (&["--no-tasks"], PASS, 0, &[], 1),
        (&["--tasks-only"], REVISE, 0, &[(1, "passed")], 0),
        (&["--max-iterations", "1"], REVISE, 1, &[], 1),
        (
            &["--max-iterations", "1", "--keep-going"],
            REVISE,
            1,
            &[(1, "passed")],
            1,
        ),
        (&["--keep-going"], PASS, 0, &[(1, "passed")], 1),
    ];
    for (arguments, answer, code, tasks, reviews) in table {
        let project = Scripted::new(&["true"]);
        project.reviewer(&format!("echo '{answer}'"));
        let arguments = [arguments, &["--format", "json"]].concat();
        let report = project.run(&arguments).run().exits(code).json();
        assert_eq!(statuses(&report), tasks, "{arguments:?}");
        assert_eq!(project.calls().len(), reviews, "{arguments:?}");
    }
}

#[test]
fn a_dry_run_does_nothing() {
    let project = accepting(&["true"]);
    let ran = project.run(&["--dry-run"]).run().exits(0);
    assert_eq!(
        ran.stdout,
        "would review unit demo: specs/DEMO.md and the tasks in tasks/demo\n  \
         reviewer cmd:judge, applier cmd:fix, at most 10 rounds\n\
         would run the tasks of demo if the review passes\n"
    );
    assert_eq!(project.calls(), [""; 0]);
    assert!(!project.environment.root().join(".ralph-review").exists());
}

#[test]
fn a_dry_run_is_told_to_programs_as_well() {
    let project = accepting(&["true"]);
    let review =
        |rounds| json!({"reviewer": "cmd:judge", "applier": "cmd:fix", "max_iterations": rounds});
    let table: [(&[&str], Value, &str); 5] = [
        (&["--format", "json"], review(10), "if_passed"),
        (&["--format", "jsonl"], review(10), "if_passed"),
        (
            &["--format", "json", "--no-apply", "--no-tasks"],
            review(1),
            "none",
        ),
        (&["--format", "json", "--keep-going"], review(10), "all"),
        (&["--format", "json", "--tasks-only"], Value::Null, "all"),
    ];
    for (arguments, review, tasks) in table {
        let arguments = [arguments, &["--dry-run"]].concat();
        let told = project.run(&arguments).run().exits(0).json();
        assert_eq!(
            told,
            json!({
                "v": 1,
                "dry_run": true,
                "spec": "specs/DEMO.md",
                "unit": "demo",
                "review": review,
                "tasks": tasks,
            }),
            "{arguments:?}"
        );
    }
    project.write("docs/A.md", "# A\n\nText.\n");
    let review = ["review", "docs/A.md", "--dry-run", "--format", "json"];
    let told = project.environment.ralph(review).exits(0).json();
    assert_eq!(told["spec"], "docs/A.md");
    assert_eq!(
        (&told["unit"], &told["tasks"]),
        (&Value::Null, &json!("none"))
    );
    assert_eq!(told["review"]["reviewer"], "builtin");
}

#[test]
fn a_near_unit_is_linked_by_its_name_or_by_its_plan() {
    let plan = "tasks/shortener/IMPLEMENTATION_PLAN.md";
    let project = || {
        let environment = TestEnvironment::new();
        environment.write("specs/url-shortener.md", "# URLs\n\n## Goal\n\nShort.\n");
        environment.write(plan, "---\nunit: shortener\n---\n\n# Plan\n");
        environment
    };
    let linked = |environment: &TestEnvironment| {
        let ran = environment.ralph(["status", "--format", "json"]).exits(0);
        (ran.json()["specs"][0]["unit"].clone(), ran.stderr)
    };
    let note = format!(
        "no unit belongs to specs/url-shortener.md, so it is reviewed alone; if \
         tasks/shortener is its unit, rename it to tasks/url-shortener, or set `spec: \
         specs/url-shortener.md` in {plan}\n"
    );
    let alone = project();
    assert_eq!(linked(&alone), (Value::Null, note));

    let root = alone.root();
    std::fs::rename(
        root.join("tasks/shortener"),
        root.join("tasks/url-shortener"),
    )
    .unwrap();
    assert_eq!(linked(&alone), (json!("url-shortener"), String::new()));

    let named = project();
    named.write(
        plan,
        "---\nunit: shortener\nspec: specs/url-shortener.md\n---\n",
    );
    assert_eq!(linked(&named), (json!("shortener"), String::new()));

    let taken = project();
    taken.write("specs/shortener.md", "# Shortener\n");
    let shown = taken.ralph(["status", "url-shortener"]).exits(0);
    assert_eq!(shown.stderr, "");
}

#[test]
fn a_run_of_tasks_that_has_none_says_so() {
    let project = Scripted::new(&[]);
    let ran = project.run(&["--tasks-only"]).run().exits(4);
    assert!(
        ran.stdout.starts_with("\nnothing: no task to run\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_follows_a_resumed_look_is_the_run_that_may_apply() {
    let project = Scripted::new(&[]);
    project.reviewer(&format!("echo '{REVISE}'"));
    let ran = project.run(&["--no-apply"]).run().exits(1);
    let next = ran.next_command().unwrap();
    let resume = ["resume", "latest", "--max-iterations", "1"];
    let resumed = project.environment.ralph(resume).exits(1);
    assert_eq!(resumed.next_command(), Some(next));
    assert_eq!(next, "run --reviewer cmd:judge --applier cmd:fix");
}

#[test]
fn each_program_of_a_run_is_noted_and_so_is_its_end() {
    let project = accepting(&["true"]);
    project.run(&[]).run().exits(0);
    let notes = project.journal().with_file_name("children");
    let notes = std::fs::read_to_string(notes).unwrap();
    let (mut ended, mut started): (Vec<_>, Vec<_>) =
        notes.lines().partition(|line| line.starts_with('-'));
    for line in &mut ended {
        *line = &line[1..];
    }
    ended.sort_unstable();
    started.sort_unstable();
    assert_eq!(started, ended);
    assert_ne!(started, [""; 0]);
}

/// Runs the command that a report says to run next.
fn copied(project: &Scripted, ran: &Ran) -> Ran {
    let command = ran.next_command().unwrap_or_else(|| panic!("{ran:#?}"));
    project.environment.ralph(command.split(' '))
}

#[test]
fn the_command_to_run_next_goes_on() {
    let project = Scripted::working();
    let ran = project.run(&["--max-calls", "2"]).run().exits(5);
    copied(&project, &ran).exits(0);
    let all = [
        "review 1", "apply 1", "review 2", "apply 2", "review 3", "task 1", "task 2",
    ];
    let put_back = [&all[..2], &all[1..]].concat();
    assert_eq!(
        project.calls(),
        put_back,
        "what was not reviewed was restored"
    );

    let project = Scripted::working();
    let ran = project.run(&["--max-iterations", "1"]).run().exits(1);
    copied(&project, &ran).exits(0);
    assert_eq!(project.calls(), all);

    let project = Scripted::working();
    let state = ["--max-calls", "2", "--state-dir", "state"];
    let ran = project.run(&state).run().exits(5);
    copied(&project, &ran).exits(0);
    assert_eq!(project.calls(), put_back);
}

#[test]
fn a_resume_after_an_outage_asks_the_reviewer_and_calls_no_applier_again() {
    let project = Scripted::working();
    let out = "if [ $RALPH_ITERATION = 2 ] && ! [ -e \"$HOME/up\" ]; then exit 1; fi";
    project.reviewer(&judging(out));
    let ran = project.run(&[]).run().exits(3);
    assert!(!ran.stdout.contains("best version"), "{}", ran.stdout);
    std::fs::write(project.outside("up"), "").unwrap();
    let before = project.calls();
    project.forget_calls();
    copied(&project, &ran).exits(0);
    let after = project.calls();
    assert_eq!(before.last().unwrap(), "review 2");
    assert_eq!(after[..3], ["review 2", "apply 2", "review 3"]);
}

#[test]
fn a_spec_is_named_by_name_by_path_and_in_any_case() {
    for name in [
        "DEMO",
        "demo",
        "DEMO.md",
        "specs/DEMO.md",
        "./specs/DEMO.md",
    ] {
        let project = accepting(&["true"]);
        project.write("specs/OTHER.md", "# Other\n");
        for spec in [&["--spec", name][..], &[name]] {
            let arguments = [spec, &["--format", "json"]].concat();
            let report = project.run(&arguments).run().exits(0).json();
            assert_eq!(report["spec"], "specs/DEMO.md", "{spec:?}");
        }
        let report = project.run(&["--spec", name, "--format", "json"]);
        let report = report.run().exits(0).json();
        assert_eq!(statuses(&report), [(1, "passed")], "{name}");
    }
}

#[test]
fn the_embedded_reviewer_ends_when_nothing_was_changed() {
    let project = Scripted::new(&[]);
    project.task(1, "[]", "echo ok | cat");
    project.task(2, "[1]", "");
    let before = project.artifact();
    let report = project
        .environment
        .ralph(["run", "--format", "json"])
        .exits(1)
        .json();
    assert_eq!(report["outcome"], "not_passed");
    assert_eq!(report["block_code"], "no_change");
    assert_eq!(report["iterations"].as_array().unwrap().len(), 1);
    assert_eq!(project.artifact(), before);
}

#[test]
fn unchanged_tasks_are_not_run_again() {
    let project = accepting(&["echo ran >> \"$HOME/calls\"", "true"]);
    project.run(&[]).run().exits(0);
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    assert_eq!(report["tasks"][0]["cached"], true);
    assert_eq!(report["tasks"][1]["cached"], true);
    assert_eq!(project.calls(), ["review 1", "ran", "review 1"]);
    let ran = project.run(&["--tasks-only"]).run().exits(0);
    assert!(
        ran.stdout.contains("unchanged, recorded earlier"),
        "{ran:#?}"
    );
    project.write("specs/DEMO.md", "# Another demo\n");
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    assert_eq!(report["tasks"][0]["cached"], false);
}

#[test]
fn a_failed_task_skips_what_waits_for_it_and_nothing_else() {
    let project = accepting(&["true", "echo out of paper; exit 3", "true"]);
    project.task(4, "[1]", "true");
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    assert_eq!(report["block_code"], "task_failed");
    assert_eq!(
        statuses(&report),
        [(1, "passed"), (2, "failed"), (3, "skipped"), (4, "passed")]
    );
    assert_eq!(report["tasks"][2]["reason"], "waits for #2");
    let log = report["tasks"][1]["log"].as_str().unwrap();
    let log = project.environment.root().join(log);
    assert!(
        std::fs::read_to_string(log)
            .unwrap()
            .contains("out of paper\n")
    );
    let ran = project.run(&[]).run().exits(1);
    assert!(
        ran.stdout.contains("    | out of paper\n    log: "),
        "{ran:#?}"
    );
    assert!(
        ran.stdout.contains("skipped  Step 3  waits for #2\n"),
        "{ran:#?}"
    );
    let next = "next:\nmake task 2 pass: `echo out of paper; exit 3`, then `ralph resume ";
    assert!(ran.stdout.contains(next), "{ran:#?}");
    project.task(2, "[1]", "true");
    let ran = project.resume(&[]).run().exits(0);
    assert!(ran.stdout.contains("4 of 4 tasks passed"), "{ran:#?}");
}

#[test]
fn a_task_that_proves_nothing_fails() {
    for (command, status, reason) in [
        ("", "no_command", ""),
        ("cargo test", "no_tests", ""),
        ("sleep-forever", "timed_out", ""),
    ] {
        let project = accepting(&[]);
        let output = "echo 'running 0 tests'; echo; \
                      echo 'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; \
                      0 filtered out; finished in 0.00s'";
        project.environment.program("cargo", output);
        project
            .environment
            .program("sleep-forever", "exec tail -f /dev/null");
        let command = serde_json::to_string(command).unwrap();
        project.write(
            "tasks/demo/01-step.md",
            format!(
                "---\ntask: 1\nstatus: complete\nbackpressure: {command}\ntimeout: 300ms\n\
                 depends_on: []\n---\n\n# Step\n\n**Parent spec**: `/specs/DEMO.md`\n"
            ),
        );
        let report = project.run(&["--format", "json"]).run().exits(1).json();
        assert_eq!(statuses(&report), [(1, status)], "{command}: {report:#}");
        assert_eq!(report["outcome"], "not_passed", "{command}");
        assert_ne!(report["tasks"][0]["reason"], reason, "{command}");
        let task = project.environment.read("tasks/demo/01-step.md");
        assert!(task.contains("\nstatus: pending\n"), "{command}: {task}");
    }
}

#[test]
fn review_takes_files_and_folders_and_the_worst_code_wins() {
    let environment = TestEnvironment::new();
    environment.write("docs/GOOD.md", "# Good\n");
    environment.write("docs/more/BAD.md", "# Bad\n");
    environment.write("docs/more/GOOD.md", "# Good\n");
    environment.write("docs/more/bad.txt", "# Bad\n");
    environment.program(
        "judge",
        &format!("if grep -q '^# Bad'; then echo '{REVISE}'; else echo '{PASS}'; fi"),
    );
    let review = |paths: &[&str]| {
        let options = ["--reviewer", "cmd:judge", "--no-apply", "--format", "json"];
        environment.ralph([&["review"], paths, &options].concat())
    };
    for (paths, code) in [
        (&["docs/GOOD.md"] as &[&str], 0),
        (&["docs/more/BAD.md"], 1),
        (&["docs/more"], 1),
        (&["docs"], 0),
        (&["docs/GOOD.md", "docs/more/BAD.md"], 1),
        (&["docs/more/BAD.md", "docs/GOOD.md"], 1),
    ] {
        let ran = review(paths).exits(code);
        let specs: Vec<_> = ran
            .json_lines()
            .iter()
            .map(|report| report["spec"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(specs, paths);
    }
}

#[test]
fn a_review_of_nothing_is_no_review() {
    let project = accepting(&[]);
    project.write("docs/notes.txt", "no Markdown\n");
    let review = ["review", "specs/DEMO.md", "docs", "--reviewer", "cmd:judge"];
    let ran = project.environment.ralph(review).exits(4);
    assert_eq!(ran.stderr, "error: no *.md file in [ROOT]/docs\n");
    let review = [
        "review",
        "specs/DEMO.md",
        "docs/no.md",
        "--reviewer",
        "cmd:judge",
    ];
    let ran = project.environment.ralph(review).exits(2);
    assert_eq!(
        ran.stderr,
        "error: no such file or folder: [ROOT]/docs/no.md\n"
    );
    assert_eq!(
        project.calls(),
        [""; 0],
        "the paths are looked at before the first review"
    );
}

#[test]
fn the_points_of_the_embedded_reviewer_are_in_reports_and_shown_on_request() {
    let environment = TestEnvironment::new();
    environment.write("specs/A.md", "# A\n\n## Goal\n\nThe size is TBD.\n");
    let quiet = environment.ralph(["run"]).exits(1).stdout;
    assert!(!quiet.contains("-29"), "{quiet}");
    let shown = environment
        .ralph(["report", "latest", "-v"])
        .exits(0)
        .stdout;
    let line = "    completeness 71 (-29: S2 specs/A.md:5)\n";
    assert!(shown.contains(line), "{shown}");
    let live = environment.ralph(["run", "-v"]).exits(1).stdout;
    assert!(live.contains(line), "{live}");
    let report = environment
        .ralph(["run", "--format", "json"])
        .exits(1)
        .json();
    let rule = json!({"code": "S2", "path": "specs/A.md", "line": 5, "findings": 1});
    assert_eq!(
        report["iterations"][0]["deductions"],
        json!([{"criterion": "completeness", "points": 29, "cause": {"rule": rule}}])
    );
}

#[test]
fn quiet_leaves_the_outcome_and_verbose_adds_the_answers() {
    let project = Scripted::new(&[]);
    let beside = format!("(echo 'I compared all.'; echo '{}')", named_pass());
    project.reviewer(&filled(&beside));
    let quiet = project.run(&["--no-tasks", "-q"]).run().exits(0);
    assert_eq!((&*quiet.stdout, &*quiet.stderr), ("passed\n", ""));
    let verbose = project.run(&["--no-tasks", "-v"]).run().exits(0);
    let answer = "  the reviewer answered:\n    | I compared all.\n    | {\"review_id\":";
    assert!(verbose.stdout.contains(answer), "{verbose:#?}");
    let usual = project.run(&["--no-tasks"]).run().exits(0);
    assert!(!usual.stdout.contains("I compared"), "{usual:#?}");
    project.reviewer("exit 1");
    let failed = project.run(&["--no-tasks", "-q"]).run().exits(3);
    let lines: Vec<_> = failed.stdout.lines().collect();
    assert!(
        lines[0].starts_with("no_verdict (reviewer_failed): "),
        "{failed:#?}"
    );
    assert!(!failed.stdout.contains("next:"), "{failed:#?}");
}

#[test]
fn what_a_program_prints_is_reported_without_secrets_while_it_runs() {
    let project = Scripted::new(&[]);
    project.reviewer(&format!(
        "echo 'I use the key sk-0123456789-secret in specs/DEMO.md' >&2; echo '{PASS}'"
    ));
    let command = project.run(&["--no-tasks", "--format", "jsonl"]);
    let command = command.env("JUDGE_TOKEN", "sk-0123456789-secret");
    let events = command.run().exits(0).json_lines();
    let says = events
        .iter()
        .filter(|event| event["type"] == "agent.activity")
        .filter_map(|event| event["payload"]["says"].as_str());
    let says: Vec<_> = says.collect();
    assert!(!says.is_empty(), "{events:#?}");
    assert!(
        !says.iter().any(|line| line.contains("secret")),
        "{says:#?}"
    );
}

#[test]
fn a_resume_without_a_run_takes_the_only_one_that_can_go_on() {
    let project = Scripted::new(&["true"]);
    let resume = |arguments: &[&str]| {
        let words = [&["resume"], arguments].concat();
        project.environment.ralph(words)
    };
    let none = resume(&[]).exits(2).stderr;
    assert!(none.starts_with("error: no run can go on\n"), "{none}");
    project.reviewer(&format!("cat > /dev/null; echo '{REVISE}'"));
    project.applier("cat > /dev/null; echo More. >> \"$RALPH_SPEC\"");
    let blocked = || {
        let run = project.run(&["--max-iterations", "1", "--format", "json"]);
        run.run().exits(1).json()["run"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = blocked();
    let resumed = resume(&["--max-iterations", "2", "--format", "json"]);
    assert_eq!(resumed.exits(1).json()["run"], first.as_str());
    let second = blocked();
    let several = resume(&[]).exits(2).stderr;
    assert_eq!(
        several,
        format!(
            "error: 2 runs can go on: name one\n  hint: `ralph resume {}` for specs/DEMO.md\n  \
             hint: `ralph resume {}` for specs/DEMO.md\n",
            short(&second),
            short(&first)
        )
    );
    for (name, run) in [
        ("latest", &second),
        ("latest~1", &first),
        (short(&first), &first),
        (&first[..23], &first),
    ] {
        let shown = ["report", name, "--format", "json"];
        let shown = project.environment.ralph(shown).exits(0).json();
        assert_eq!(shown["run"], run.as_str(), "{name}");
    }
}
