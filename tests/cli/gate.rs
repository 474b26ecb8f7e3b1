//! `ralph gate` and `ralph status`: what records prove.

use serde_json::{Value, json};

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
fn one_gate_writes_several_reports_without_colours() {
    let environment = project();
    std::fs::remove_file(environment.root().join("made")).unwrap();
    let root = environment.root();
    let outputs = [
        "junit=out.xml",
        "json=out.json",
        "human=out.txt",
        "gitlab=out.gitlab",
    ];
    let outputs = outputs.iter().flat_map(|output| ["--output", output]);
    let ran = environment
        .command(["gate", "--color", "always"].into_iter().chain(outputs))
        .env("CI_PROJECT_DIR", root.parent().unwrap())
        .run()
        .exits(1);
    assert!(ran.stdout.contains("make task 1 Make it pass"), "{ran:#?}");
    assert!(ran.stdout.contains('\u{1b}'), "{ran:#?}");
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
    let kept = environment.read("out.txt");
    assert!(kept.contains("next:\nmake task 1 Make it pass"), "{kept}");
    assert!(!kept.contains('\u{1b}'), "{kept:?}");
    // Paths are those of the checkout.
    let quality: Value = serde_json::from_str(&environment.read("out.gitlab")).unwrap();
    let folder = root.file_name().unwrap().to_str().unwrap();
    let path = format!("{folder}/tasks/demo/01-make.md");
    assert_eq!(quality[0]["location"]["path"], path);
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
