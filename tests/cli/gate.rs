//! `ralph gate` and `ralph status`: what records prove.

use serde_json::{Value, json};

use crate::scripted::PASS;
use crate::support::{Ran, TestEnvironment};

const TASK: &str = "---\ntask: 1\nstatus: complete\nbackpressure: \"test -e made && echo 'test result: ok. 2 passed; 0 failed'\"\ndepends_on: []\n---\n\n# Make it\n\n**Parent spec**: `/specs/DEMO.md`\n";

/// A project with one task that claims to be complete, and is when `made`
/// exists.
fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n");
    environment.write(
        "tasks/demo/IMPLEMENTATION_PLAN.md",
        "---\nunit: demo\ndepends_on: []\n---\n\n# Plan\n\nOne task.\n",
    );
    environment.write("tasks/demo/01-make.md", TASK);
    environment.write("made", "");
    environment
}

fn gate(environment: &TestEnvironment, more: &[&str]) -> Ran {
    let arguments = ["gate", "--format", "json"].iter().chain(more);
    environment.ralph(arguments)
}

/// Outcome of the gate, and the status of its review and its tasks.
fn claims(report: &Value) -> (String, String, Vec<String>) {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let spec = &report["specs"][0];
    let tasks = spec["tasks"].as_array().unwrap().iter();
    (
        word(&report["outcome"]),
        word(&spec["review"]["status"]),
        tasks.map(|task| word(&task["status"])).collect(),
    )
}

fn expected(outcome: &str, review: &str, tasks: &[&str]) -> (String, String, Vec<String>) {
    let tasks = tasks.iter().map(|task| (*task).to_owned()).collect();
    (outcome.to_owned(), review.to_owned(), tasks)
}

#[test]
fn records_prove_as_much_where_no_cache_can_be_written() {
    let environment = project();
    gate(&environment, &[]).exits(0);
    let cache = environment.root().join(".ralph-review/cache");
    std::fs::remove_dir_all(&cache).unwrap();
    std::fs::write(cache, "").unwrap();
    let ran = gate(&environment, &["--offline"]).exits(0);
    assert_eq!(ran.stderr, "");
    let claimed = expected("passed", "recorded", &["recorded"]);
    assert_eq!(claims(&ran.json()), claimed);
}

#[test]
fn a_claim_is_proven_once_and_then_by_its_record() {
    let environment = project();
    let first = gate(&environment, &[]).exits(0).json();
    assert_eq!(claims(&first), expected("passed", "passed", &["passed"]));
    assert_eq!(first["specs"][0]["tasks"][0]["tests_run"], 2);
    let second = gate(&environment, &["--offline"]).exits(0).json();
    assert_eq!(
        claims(&second),
        expected("passed", "recorded", &["recorded"])
    );
    assert_eq!(second["specs"][0]["run"], Value::Null);
    assert_eq!(
        environment.read("tasks/demo/01-make.md"),
        TASK,
        "no file is touched"
    );
}

#[test]
fn records_alone_prove_nothing_of_another_tree() {
    let environment = project();
    let none = gate(&environment, &["--offline"]).exits(3).json();
    assert_eq!(
        claims(&none),
        expected("no_verdict", "unproven", &["unproven"])
    );
    gate(&environment, &[]).exits(0);
    environment.write("other", "new");
    let tree = gate(&environment, &["--offline"]).exits(3).json();
    assert_eq!(
        claims(&tree),
        expected("no_verdict", "recorded", &["unproven"])
    );
    environment.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nAnother demo.\n");
    let spec = gate(&environment, &["--offline"]).exits(3).json();
    assert_eq!(
        claims(&spec),
        expected("no_verdict", "unproven", &["unproven"])
    );
}

#[test]
fn a_claim_that_does_not_hold_fails_the_gate() {
    let environment = project();
    gate(&environment, &[]).exits(0);
    std::fs::remove_file(environment.root().join("made")).unwrap();
    let report = gate(&environment, &[]).exits(1).json();
    assert_eq!(
        claims(&report),
        expected("not_passed", "recorded", &["failed"])
    );
    let reason = report["specs"][0]["tasks"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("failed: exit status 1"), "{reason}");
    let text = "make task 1 Make it pass, or take back the status in tasks/demo/01-make.md";
    assert_eq!(report["next"], json!([{ "text": text }]));
}

#[test]
fn a_task_that_claims_too_early_fails_without_being_run() {
    let environment = project();
    environment.write(
        "tasks/demo/02-use.md",
        TASK.replace("task: 1", "task: 2").replace("[]", "[3]"),
    );
    environment.write(
        "tasks/demo/03-plan.md",
        TASK.replace("task: 1", "task: 3")
            .replace("complete", "pending"),
    );
    let report = gate(&environment, &[]).exits(1).json();
    assert_eq!(
        claims(&report),
        expected("not_passed", "passed", &["passed", "failed"])
    );
    assert_eq!(
        report["specs"][0]["tasks"][1]["reason"],
        "depends on task 3, which is not complete"
    );
}

#[test]
fn a_spec_that_needs_revision_fails_the_gate_with_what_was_found() {
    let environment = project();
    environment.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nTBD\n");
    let report = gate(&environment, &[]).exits(1).json();
    assert_eq!(
        claims(&report),
        expected("not_passed", "failed", &["passed"])
    );
    let reason = report["specs"][0]["review"]["reason"].as_str().unwrap();
    assert!(reason.contains("[S2]"), "{reason}");
}

#[test]
fn without_a_spec_nothing_is_selected() {
    let environment = TestEnvironment::new();
    let report = gate(&environment, &[]).exits(4).json();
    assert_eq!(report["outcome"], "nothing");
    assert_eq!(report["specs"], json!([]));
    let shown = environment.ralph(["gate"]).exits(4).stdout;
    assert!(shown.starts_with("nothing to check: no specs\n"), "{shown}");
}

#[test]
fn a_gate_can_demand_that_every_task_is_complete() {
    let environment = project();
    let pending = TASK.replace("complete", "pending");
    environment.write(
        "tasks/demo/02-use.md",
        pending.replace("task: 1", "task: 2"),
    );
    let part = gate(&environment, &[]).exits(0).json();
    let warning = "1 of 2 tasks claimed to be complete; --require-all demands all";
    assert_eq!(part["warnings"], json!([warning]));
    assert_eq!(part["specs"][0]["unclaimed"], json!([2]));
    let shown = environment.ralph(["gate"]).exits(0).stdout;
    let end = format!("\npassed 2 claims in 1 spec, 0 open\nwarning: {warning}\n");
    assert!(shown.ends_with(&end), "{shown}");

    let all = gate(&environment, &["--require-all"]).exits(1).json();
    assert_eq!(
        claims(&all),
        expected("not_passed", "recorded", &["recorded", "unclaimed"])
    );
    assert_eq!(
        all["specs"][0]["tasks"][1]["reason"],
        "its status is pending, and --require-all demands complete"
    );
    assert_eq!(all["warnings"], json!([]));
    let text = all["next"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("make task 2 ("), "{text}");
    let run = ", then `ralph run specs/DEMO.md`";
    assert!(text.ends_with(run), "{text}");
    assert_eq!(all["next"].as_array().unwrap().len(), 1);
    environment
        .ralph(["run", "--spec", "specs/DEMO.md"])
        .exits(0);
    let done = gate(&environment, &["--require-all"]).exits(0).json();
    assert_eq!(done["specs"][0]["unclaimed"], json!([]));
}

#[test]
fn a_gate_shows_the_end_of_what_failed() {
    let environment = project();
    environment.write(
        "tasks/demo/01-make.md",
        TASK.replace("test -e made", "echo 'no such | index'; test -e none"),
    );
    let ran = environment
        .ralph(["gate", "--output", "markdown=gate.md"])
        .exits(1);
    let tail = "\n    | no such | index\n\nnot_passed 2 claims";
    assert!(ran.stdout.contains(tail), "{}", ran.stdout);
    let summary = environment.read("gate.md");
    let head = "### ralph gate: not_passed\n\n2 claims in 1 spec, 1 open\n";
    assert!(summary.starts_with(head), "{summary}");
    let output = "<details><summary>task 1 Make it</summary>\n\n```text\nno such | index\n```\n";
    assert!(summary.contains(output), "{summary}");
    let claim = &gate(&environment, &[]).exits(1).json()["specs"][0]["tasks"][0];
    assert_eq!(claim["output"], "no such | index\n");
}

#[test]
fn one_gate_writes_several_reports() {
    let environment = project();
    std::fs::remove_file(environment.root().join("made")).unwrap();
    let ran = environment.ralph([
        "gate",
        "--output",
        "junit=out.xml",
        "--output",
        "json=out.json",
    ]);
    let ran = ran.exits(1);
    assert!(
        ran.stdout.contains("next:\nmake task 1 Make it pass"),
        "{}",
        ran.stdout
    );
    let xml = environment.read("out.xml");
    assert!(
        xml.contains("<testsuites name=\"ralph gate\" tests=\"2\" failures=\"1\" errors=\"0\"")
    );
    assert!(
        xml.contains("<failure message=\"failed: exit status 1"),
        "{xml}"
    );
    let json: Value = serde_json::from_str(&environment.read("out.json")).unwrap();
    assert_eq!(json["exit"], 1);
}

#[test]
fn a_report_can_be_written_to_what_is_no_file() {
    let environment = project();
    let arguments = ["gate", "--quiet", "--output", "json=/dev/stdout"];
    let printed = environment.ralph(arguments).exits(0).stdout;
    let (result, json) = printed.split_once('\n').unwrap();
    assert_eq!(result, "passed 2 claims in 1 spec, 0 open");
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["exit"], 0);
    let folder = environment.ralph(["gate", "--output", "json=."]).exits(2);
    assert!(folder.stderr.contains("error: "), "{folder:#?}");
}

#[test]
fn junit_tells_failures_with_their_output_and_what_was_skipped() {
    let environment = project();
    let failing = TASK.replace("test -e made", "echo 'a < b'; test -e none");
    environment.write("tasks/demo/01-make.md", failing);
    environment.write(
        "tasks/demo/02-use.md",
        TASK.replace("task: 1", "task: 2").replace("[]", "[1]"),
    );
    let ran = environment.ralph(["gate", "--format", "junit"]).exits(1);
    let start = ran
        .stdout
        .find("    <testcase classname=\"specs/DEMO.md\" name=\"task 1");
    let (head, tasks) = ran.stdout.split_at(start.expect("the case of task 1"));
    assert_eq!(
        head.matches("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"")
            .count(),
        2,
        "{head}"
    );
    let tasks: Vec<_> = tasks.lines().map(str::trim).collect();
    assert!(tasks[1].starts_with("<failure message=\"failed: exit status 1 (log: "));
    assert_eq!(
        tasks[2..4],
        ["<system-out>a &lt; b", "</system-out>"],
        "{tasks:#?}"
    );
    assert_eq!(
        tasks[6], "<skipped message=\"waits for #1\">waits for #1</skipped>",
        "{tasks:#?}"
    );
    let report = gate(&environment, &[]).exits(1).json();
    let claimed = expected("not_passed", "recorded", &["failed", "skipped"]);
    assert_eq!(claims(&report), claimed);
}

#[test]
fn junit_has_a_failure_where_a_unit_cannot_be_trusted() {
    let environment = project();
    environment.program("judge", &format!("echo '{PASS}'"));
    environment.write("tasks/demo/02-use.md", TASK.replace("[]", "[7]"));
    let given = ["gate", "--format", "junit", "--reviewer", "cmd:judge"];
    let ran = environment.ralph(given).exits(1);
    let counts = "tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\"";
    assert!(ran.stdout.contains(counts), "{}", ran.stdout);
    let case = "    <testcase classname=\"specs/DEMO.md\" name=\"unit\" time=\"0.000\">\n      \
                <failure message=\"tasks/demo/02-use.md:2: task number 1 is used twice";
    assert!(ran.stdout.contains(case), "{}", ran.stdout);
}

#[test]
fn what_is_to_be_run_next_is_what_the_gate_was_asked() {
    let environment = project();
    environment.write("specs/OTHER.md", "# Other\n\n## Goal\n\nMore.\n");
    environment.program(
        "judge",
        r#"echo '{"verdict":"needs_revision","score":{"completeness":60,"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"Goal","issue":"it is not fixed","suggestion":"fix it"}]}'"#,
    );
    let given = ["--reviewer", "cmd:judge --fast", "--state-dir", "my state"];
    let report = gate(&environment, &given).exits(1).json();
    let next = |spec: &str| {
        json!({
            "text": "review it",
            "command": format!(
                "ralph run {spec} --reviewer 'cmd:judge --fast' --state-dir 'my state'"
            ),
        })
    };
    assert_eq!(
        report["next"],
        json!([next("specs/DEMO.md"), next("specs/OTHER.md")])
    );
    let shown = environment.ralph(["gate", "--offline"]).exits(3).stdout;
    assert!(
        shown.contains("next:\nreview it and run its tasks:\nralph run specs/DEMO.md\n"),
        "{shown}"
    );
}

#[test]
fn a_spec_of_another_project_is_run_by_its_whole_path() {
    let (here, other) = (TestEnvironment::new(), project());
    let spec = other.root().join("specs/DEMO.md");
    let spec = spec.to_str().unwrap();
    let report = gate(&here, &[spec, "--offline"]).exits(3).json();
    assert_eq!(report["next"][0]["command"], format!("ralph run {spec}"));
}

#[test]
fn a_report_in_a_file_has_no_colours() {
    let environment = project();
    let output = ["--color", "always", "--output", "human=gate.txt"];
    let shown = gate(&environment, &output).exits(0).json();
    assert_eq!(shown["outcome"], "passed");
    let kept = environment.read("gate.txt");
    assert!(
        kept.starts_with("specs/DEMO.md\n  passed  review"),
        "{kept}"
    );
    assert!(!kept.contains('\u{1b}'), "{kept:?}");
}

#[test]
fn github_is_told_of_every_claim_that_does_not_hold() {
    let environment = project();
    std::fs::remove_file(environment.root().join("made")).unwrap();
    let ran = environment
        .command(["gate"])
        .env("GITHUB_ACTIONS", "true")
        .run();
    let ran = ran.exits(1);
    let annotation = "::error file=tasks/demo/01-make.md,line=1,endLine=1,col=1,title=ralph gate::task 1 Make it: failed: exit status 1";
    assert!(ran.stderr.contains(annotation), "{}", ran.stderr);
    let checkout = environment.root();
    let checkout = checkout.parent().unwrap();
    let part = environment
        .command(["gate"])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_WORKSPACE", checkout.to_str().unwrap());
    let part = part.run().exits(1);
    let folder = environment.root();
    let folder = folder.file_name().unwrap().to_str().unwrap();
    let from_checkout = format!("::error file={folder}/tasks/demo/01-make.md,");
    assert!(part.stderr.contains(&from_checkout), "{}", part.stderr);
    let printed = environment
        .command(["gate", "--format", "github"])
        .env("GITHUB_ACTIONS", "true")
        .run();
    let printed = printed.exits(1);
    assert!(printed.stdout.contains(annotation), "{}", printed.stdout);
    assert!(!printed.stderr.contains("::error"), "{}", printed.stderr);
    let elsewhere = environment.command(["gate"]).env("GITHUB_ACTIONS", "false");
    let elsewhere = elsewhere.run().exits(1);
    assert!(
        !elsewhere.stderr.contains("::error"),
        "{}",
        elsewhere.stderr
    );
}

#[test]
fn what_a_gate_runs_has_a_line_at_its_start_and_one_with_its_time_at_its_end() {
    let environment = project();
    let stderr = environment.ralph(["gate"]).exits(0).stderr;
    let lines: Vec<_> = stderr.lines().collect();
    let [started, ended] = lines[..] else {
        panic!("{stderr}");
    };
    let command = "demo/1: test -e made && echo 'test result: ok. 2 passed; 0 failed'";
    assert_eq!(started, format!("runs  {command}"));
    let time = ended.strip_prefix(&format!("ended {command}  "));
    assert!(time.is_some_and(|time| time.ends_with('s')), "{stderr}");
    let recorded = environment.ralph(["gate"]).exits(0);
    assert_eq!(recorded.stderr, "");
    std::fs::remove_file(environment.root().join("made")).unwrap();
    let quiet = environment.ralph(["gate", "--quiet"]).exits(1);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn each_finding_of_a_review_is_an_annotation_at_its_line() {
    let environment = project();
    environment.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n\nTBD\n");
    let task = format!("{TASK}\nTBD\n");
    environment.write("tasks/demo/01-make.md", task);
    let ran = environment.ralph(["gate", "--format", "github"]).exits(1);
    let places: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("[S2]"))
        .map(|line| line.split_once(",endLine").unwrap().0)
        .collect();
    assert_eq!(
        places,
        [
            "::error file=specs/DEMO.md,line=7",
            "::error file=tasks/demo/01-make.md,line=12"
        ]
    );
}

/// Rule, level, file and lines of each result of a SARIF log.
fn results(log: &Value) -> Vec<Value> {
    let results = log["runs"][0]["results"].as_array().unwrap().iter();
    let results = results.map(|result| {
        let place = &result["locations"][0]["physicalLocation"];
        let (uri, region) = (&place["artifactLocation"]["uri"], &place["region"]);
        let lines = [&region["startLine"], &region["endLine"]];
        json!([result["ruleId"], result["level"], uri, lines])
    });
    results.collect()
}

#[test]
fn a_sarif_log_has_a_result_for_each_annotation() {
    let environment = project();
    environment.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n\nTBD\n");
    std::fs::remove_file(environment.root().join("made")).unwrap();
    environment.write(
        "tasks/demo/02-use.md",
        TASK.replace("task: 1", "task: 2").replace("[]", "[1]"),
    );
    let log = environment
        .ralph(["gate", "--format", "sarif"])
        .exits(1)
        .json();
    assert_eq!(
        json!(results(&log)),
        json!([
            ["claim_failed", "error", "tasks/demo/01-make.md", [1, 1]],
            ["review", "error", "specs/DEMO.md", [7, 7]],
            ["review", "warning", "tasks/demo/01-make.md", [8, 8]],
            ["review", "warning", "tasks/demo/02-use.md", [8, 8]],
        ])
    );
    let run = &log["runs"][0];
    assert_eq!(
        run["invocations"],
        json!([{ "executionSuccessful": true, "exitCode": 1 }])
    );
    assert_eq!(
        run["properties"],
        json!({ "v": 1, "outcome": "not_passed" })
    );
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["suppressions"], json!([]));
    }
    let shown = environment.ralph(["gate", "--format", "github"]).exits(1);
    let counts = ["::error ", "::warning "].map(|level| shown.stdout.matches(level).count());
    assert_eq!(counts, [2, 2], "{shown:#?}");
}

#[test]
fn a_sarif_log_of_a_gate_without_a_verdict_is_that_of_a_failed_execution() {
    let environment = project();
    let ran = environment.ralph(["gate", "--offline", "--format", "sarif"]);
    let log = ran.exits(3).json();
    assert_eq!(
        log["runs"][0]["invocations"],
        json!([{ "executionSuccessful": false, "exitCode": 3 }])
    );
    assert_eq!(
        json!(results(&log)),
        json!([
            ["claim_unproven", "error", "tasks/demo/01-make.md", [1, 1]],
            ["claim_unproven", "error", "specs/DEMO.md", [1, 1]],
        ])
    );
    environment.ralph(["gate"]).exits(0);
    let log = environment
        .ralph(["gate", "--format", "sarif"])
        .exits(0)
        .json();
    assert_eq!(results(&log), [Value::Null; 0]);
}

#[test]
fn a_report_of_code_quality_has_the_fields_of_gitlab_and_the_same_fingerprint_each_time() {
    let environment = project();
    std::fs::remove_file(environment.root().join("made")).unwrap();
    let root = environment.root();
    let checkout = root.parent().unwrap().to_str().unwrap();
    let report = || {
        let output = ["gate", "--output", "gitlab=gate.json"];
        let gate = environment.command(output).env("CI_PROJECT_DIR", checkout);
        gate.run().exits(1);
        let report: Value = serde_json::from_str(&environment.read("gate.json")).unwrap();
        report
    };
    let mut first = report();
    let task = environment.read("tasks/demo/01-make.md");
    environment.write(
        "tasks/demo/01-make.md",
        task.replace("test -e made", "exit 3"),
    );
    let second = report();
    let other = "task 1 Make it: failed: exit status 3";
    assert_eq!(second[0]["description"], other);
    assert_eq!(first[0]["fingerprint"], second[0]["fingerprint"]);
    let entry = first[0].as_object_mut().unwrap();
    let description = entry.remove("description").unwrap();
    assert_eq!(description, "task 1 Make it: failed: exit status 1");
    let fingerprint = entry.remove("fingerprint").unwrap();
    assert_eq!(fingerprint.as_str().unwrap().len(), 64);
    let folder = root.file_name().unwrap().to_str().unwrap();
    assert_eq!(
        first,
        json!([{
            "check_name": "claim_failed",
            "severity": "critical",
            "location": {
                "path": format!("{folder}/tasks/demo/01-make.md"),
                "lines": { "begin": 1 },
            },
        }])
    );
}

#[test]
fn what_a_run_left_is_checked_by_its_records() {
    let environment = project();
    environment.ralph(["run"]).exits(0);
    let report = gate(&environment, &["--from-run", "latest"])
        .exits(0)
        .json();
    assert_eq!(
        claims(&report),
        expected("passed", "recorded", &["recorded"])
    );
    std::fs::remove_file(environment.root().join("made")).unwrap();
    environment.ralph(["run"]).exits(1);
    let report = gate(&environment, &["--from-run", "latest"])
        .exits(1)
        .json();
    assert_eq!(report["outcome"], "not_passed");
}

#[test]
fn status_shows_claims_and_records() {
    let environment = project();
    let tasks = |environment: &TestEnvironment| {
        let status = environment
            .ralph(["status", "--format", "json"])
            .exits(0)
            .json();
        let spec = status["specs"][0].clone();
        (spec["reviewed"].clone(), spec["tasks"].clone())
    };
    let task = |recorded: bool| {
        json!([{
            "id": 1, "title": "Make it", "status": "complete", "recorded": recorded,
            "depends_on": [],
            "command": "test -e made && echo 'test result: ok. 2 passed; 0 failed'",
        }])
    };
    assert_eq!(tasks(&environment), (json!(false), task(false)));
    assert_eq!(environment.files(".").len(), 4, "looking leaves nothing");
    environment.ralph(["run"]).exits(0);
    assert_eq!(tasks(&environment), (json!(true), task(true)));
    let human = environment.ralph(["status", "DEMO"]).exits(0);
    assert_eq!(
        human.stdout,
        "specs/DEMO.md  reviewed\n  task 1  complete  Make it  recorded\n"
    );
}

#[test]
fn status_names_the_next_ready_task_with_its_command() {
    let environment = project();
    let pending = TASK.replace("status: complete", "status: pending");
    environment.write("tasks/demo/01-make.md", pending);
    let human = environment.ralph(["status"]).exits(0).stdout;
    let next = "\n  next:\n  make task 1 (Make it) pass: `test -e made && echo 'test result: ok. \
                2 passed; 0 failed'`, then `ralph run specs/DEMO.md`\n";
    assert!(human.ends_with(next), "{human}");
    let inside = environment.command(["status", "--format", "json"]);
    let status = inside.in_folder("specs").run().exits(0).json();
    let text = status["specs"][0]["next"][0]["text"].as_str().unwrap();
    assert!(text.ends_with("then `ralph run DEMO.md`"), "{text}");
    environment.ralph(["run"]).exits(0);
    let status = environment.ralph(["status", "--format", "json"]);
    assert_eq!(status.exits(0).json()["specs"][0]["next"], json!([]));
}
