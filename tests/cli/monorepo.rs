//! A repository with several roots: each keeps its own state, and the outer one sees
//! them all.

use std::path::Path;

use serde_json::{Value, json};

use crate::scripted::{PASS, REVISE};
use crate::support::{Ran, TestEnvironment, short};

/// A task that claims to be complete, and is where `made` exists in its root.
const TASK: &str = "---\ntask: 1\nstatus: complete\nbackpressure: \"test -e made && echo 'test result: ok. 2 passed; 0 failed'\"\ndepends_on: []\n---\n\n# Make it\n\n**Parent spec**: `/specs/API.md`\n";

/// Writes a unit `api` with its spec into a root.
fn unit(environment: &TestEnvironment, root: &str) {
    let root = Path::new(root);
    environment.write(root.join("specs/API.md"), "# API\n\n## Goal\n\nAn API.\n");
    environment.write(
        root.join("tasks/api/IMPLEMENTATION_PLAN.md"),
        "---\nunit: api\ndepends_on: []\n---\n\n# Plan\n\nOne task.\n",
    );
    environment.write(root.join("tasks/api/01-make.md"), TASK);
}

/// A repository with the services `a`, whose task passes, and `b`, whose task fails.
/// Their files are the same but for that.
fn services() -> TestEnvironment {
    let environment = TestEnvironment::without_project();
    environment.write(".git/HEAD", "");
    for service in ["services/a", "services/b"] {
        unit(&environment, service);
    }
    environment.write("services/a/made", "");
    environment
}

fn from(environment: &TestEnvironment, folder: &str, arguments: &[&str]) -> Ran {
    environment.command(arguments).in_folder(folder).run()
}

/// Root, spec, status of the review and of the tasks of each spec.
fn claims(report: &Value) -> Vec<(String, String, String, Vec<String>)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let specs = report["specs"].as_array().unwrap().iter();
    let claims = specs.map(|spec| {
        let tasks = spec["tasks"].as_array().unwrap().iter();
        (
            word(&spec["root"]),
            word(&spec["spec"]),
            word(&spec["review"]["status"]),
            tasks.map(|task| word(&task["status"])).collect(),
        )
    });
    claims.collect()
}

fn claim(root: &str, review: &str, tasks: &[&str]) -> (String, String, String, Vec<String>) {
    let tasks = tasks.iter().map(|task| (*task).to_owned()).collect();
    (
        root.to_owned(),
        "specs/API.md".to_owned(),
        review.to_owned(),
        tasks,
    )
}

fn gate(environment: &TestEnvironment, folder: &str, more: &[&str], code: i32) -> Value {
    let arguments = [&["gate", "--format", "json"], more].concat();
    from(environment, folder, &arguments).exits(code).json()
}

/// The roots that `status` lists.
fn roots(environment: &TestEnvironment, folder: &str) -> Vec<String> {
    let status = from(environment, folder, &["status", "--format", "json"]).json();
    let specs = status["specs"].as_array().unwrap().iter();
    specs
        .map(|spec| spec["root"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_gate_proves_each_claim_in_its_own_root_and_ends_with_the_worst() {
    let environment = services();
    let report = gate(&environment, "", &[], 1);
    let proved = [
        claim("services/a", "passed", &["passed"]),
        claim("services/b", "passed", &["failed"]),
    ];
    assert_eq!(claims(&report), proved);
    assert_eq!(report["outcome"], "not_passed");
    let step = "make task 1 Make it pass, or take back the status in \
                services/b/tasks/api/01-make.md";
    assert_eq!(report["next"], json!([{ "text": step }]));
    let human = environment.ralph(["gate", "--offline"]).exits(3).stdout;
    assert_eq!(
        human,
        "services/a/specs/API.md\n  recorded  review by builtin\n  recorded  task 1 Make it\n\n\
         services/b/specs/API.md\n  recorded  review by builtin\n  unproven  task 1 Make it  no \
         recorded passing run belongs to this tree\n\n\
         no_verdict 4 claims in 2 specs, 1 open\nnext:\nrun its tasks:\n\
         ralph run services/b/specs/API.md\n"
    );
    environment.write("services/b/made", "");
    let report = gate(&environment, "", &[], 0);
    let proved = [
        claim("services/a", "recorded", &["recorded"]),
        claim("services/b", "recorded", &["passed"]),
    ];
    assert_eq!(claims(&report), proved);
}

#[test]
fn records_of_a_root_are_the_same_wherever_the_user_is() {
    let environment = services();
    gate(&environment, "services/a", &[], 0);
    let of_a = claim("services/a", "recorded", &["recorded"]);
    let of_b = claim("services/b", "unproven", &["unproven"]);
    let seen = gate(&environment, "", &["--offline"], 3);
    assert_eq!(claims(&seen), [of_a.clone(), of_b]);
    // From the outside, and from beside it.
    gate(&environment, "", &["services/b"], 1);
    gate(&environment, "services/a", &["../b/specs/API.md"], 1);
    let inside = gate(&environment, "services/b", &["--offline"], 3);
    assert_eq!(claims(&inside), [claim(".", "recorded", &["unproven"])]);
    let seen = gate(&environment, "", &["services/a", "--offline"], 0);
    assert_eq!(claims(&seen), [of_a]);
    let states = ["", "services", "services/a", "services/b"]
        .map(|root| environment.root().join(root).join(".ralph-review").exists());
    assert_eq!(states, [false, false, true, true]);
}

#[test]
fn a_state_folder_that_is_named_has_a_part_for_each_root() {
    let environment = services();
    let state = environment.home().join("state");
    let state = ["--state-dir", state.to_str().unwrap()];
    gate(&environment, "", &state, 1);
    let offline = [&state[..], &["--offline"]].concat();
    let inside = gate(&environment, "services/a", &offline, 0);
    assert_eq!(claims(&inside), [claim(".", "recorded", &["recorded"])]);
    let records = |part: &str| {
        let folder = environment.home().join("state").join(part);
        folder.join("records").is_dir()
    };
    assert_eq!(
        ["", "roots/services/a", "roots/services/b"].map(records),
        [false, true, true]
    );
}

#[test]
fn status_lists_each_root_with_commands_for_where_the_user_is() {
    let environment = services();
    let pending = TASK.replace("status: complete", "status: pending");
    environment.write("services/b/tasks/api/01-make.md", pending);
    gate(&environment, "", &["services/a"], 0);
    let human = environment.ralph(["status"]).exits(0).stdout;
    assert_eq!(
        human,
        "services/a/specs/API.md  reviewed\n  task 1  complete  Make it  recorded\n\
         services/b/specs/API.md  not reviewed as it is\n  task 1  pending  Make it\n  \
         next:\n  make task 1 (Make it) pass in services/b: `test -e made && echo 'test result: ok. \
         2 passed; 0 failed'`, then `ralph run services/b/specs/API.md`\n"
    );
    assert_eq!(
        roots(&environment, "services"),
        ["services/a", "services/b"]
    );
    assert_eq!(roots(&environment, "services/b"), ["."]);
    let outer = environment.root();
    let by_option = ["--root", outer.to_str().unwrap(), "status"];
    let none = from(&environment, "services/b", &by_option).exits(4);
    assert_eq!(none.stderr, "no specs; `ralph init` writes a first one\n");
}

#[test]
fn excluded_folders_have_no_roots_also_where_an_inner_root_excludes_them() {
    let environment = services();
    for root in [
        "",
        "services/a/parts/deep",
        "examples/x",
        "services/a/fixtures/y",
    ] {
        unit(&environment, root);
    }
    environment.write("ralph.toml", "[workspace]\nexclude = [\"examples\"]\n");
    let inner = "[workspace]\nexclude = [\"fixtures/*\"]\n";
    environment.write("services/a/ralph.toml", inner);
    let deep = "services/a/parts/deep";
    assert_eq!(
        roots(&environment, ""),
        [".", "services/a", deep, "services/b"]
    );
    assert_eq!(roots(&environment, "services/a"), [".", "parts/deep"]);
    let named = gate(&environment, "", &["examples/x", "--offline"], 3);
    let unproven = claim("examples/x", "unproven", &["unproven"]);
    assert_eq!(claims(&named), [unproven], "one that is named is checked");
}

#[test]
fn each_root_has_its_own_configuration() {
    let environment = services();
    environment.program("judge", &format!("cat > /dev/null; echo '{REVISE}'"));
    environment.write("services/a/ralph.toml", "reviewer = \"cmd:judge\"\n");
    environment.write("services/b/made", "");
    let report = gate(&environment, "", &[], 1);
    let proved = [
        claim("services/a", "failed", &["passed"]),
        claim("services/b", "passed", &["passed"]),
    ];
    assert_eq!(claims(&report), proved);
    environment.write("services/a/ralph.toml", "reviewer = 1\n");
    let broken = environment.ralph(["gate"]).exits(2);
    assert!(
        broken.stderr.contains("services/a/ralph.toml:1"),
        "{broken:#?}"
    );
}

#[test]
fn a_spec_is_named_in_the_whole_repository_where_it_is_the_only_one() {
    let environment = services();
    environment.write("services/b/specs/ONLY.md", "# Only\n\n## Goal\n\nOne.\n");
    let run = ["run", "only", "--no-tasks", "--format", "json"];
    let report = environment.ralph(run).exits(0).json();
    assert_eq!(report["spec"], "specs/ONLY.md");
    let several = environment.ralph(["run", "api"]).exits(2);
    assert_eq!(
        several.stderr,
        "error: \"api\" names several specs: services/a/specs/API.md, services/b/specs/API.md\n  \
         hint: there is services/a/specs/API.md\n  hint: there is services/b/specs/API.md\n"
    );
    let chart = ["status", "services/a", "--format", "mermaid"];
    environment.ralph(chart).exits(0);
}

#[test]
fn each_suite_of_a_report_names_its_root() {
    let environment = services();
    let outputs = ["--output", "junit=gate.xml", "--output", "markdown=gate.md"];
    let arguments = [&["gate", "--format", "github"], &outputs[..]].concat();
    let annotations = environment.ralph(arguments).exits(1).stdout;
    assert_eq!(
        annotations,
        "::error file=services/b/tasks/api/01-make.md,line=1,endLine=1,col=1,title=ralph gate\
         ::task 1 Make it: failed: exit status 1\n"
    );
    let junit = environment.read("gate.xml");
    for suite in ["services/a/specs/API.md", "services/b/specs/API.md"] {
        assert!(
            junit.contains(&format!("<testsuite name=\"{suite}\"")),
            "{junit}"
        );
    }
    let row = "| services/b/specs/API.md | task 1 Make it | **failed** |";
    assert!(environment.read("gate.md").contains(row));
}

#[test]
fn a_run_of_another_root_is_found_by_its_id_and_its_commands_work_from_the_outside() {
    let environment = services();
    environment.program("judge", &format!("cat > /dev/null; echo '{REVISE}'"));
    environment.program("fix", "cat > /dev/null; echo More. >> specs/API.md");
    let agents = ["--reviewer", "cmd:judge", "--applier", "cmd:fix"];
    let spec = [&["run", "services/a/specs/API.md"], &agents[..]].concat();
    let limit = ["--max-iterations", "1", "--format", "json"];
    let report = environment.ralph([&spec[..], &limit].concat()).exits(1);
    let report = report.json();
    let id = report["run"].as_str().unwrap();
    let steps = report["next"].as_array().unwrap();
    let resume = format!("ralph resume {} --max-iterations 4", short(id));
    assert_eq!(steps[0]["command"], json!(resume), "{report:#}");
    let edit = steps[1]["text"].as_str().unwrap();
    assert!(edit.starts_with("edit services/a/specs/API.md"), "{edit}");
    let shown = |folder: &str, run: &str| {
        let report = from(&environment, folder, &["report", run, "--format", "json"]);
        report.json()["run"].clone()
    };
    for run in ["latest", &id[..13], id] {
        assert_eq!(shown("", run), json!(id), "{run}");
        assert_eq!(shown("services/a", run), json!(id), "{run}");
    }
    from(&environment, "services/b", &["report", "latest"]).exits(2);
    let list = environment
        .ralph(["report", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(list["runs"][0]["root"], "services/a");
    assert_eq!(list["runs"][0]["spec"], "specs/API.md");
    let findings = environment.ralph(["findings", "list", "--format", "json"]);
    let finding = findings.exits(0).json()["findings"][0]["id"].clone();
    environment
        .ralph(["findings", "show", finding.as_str().unwrap()])
        .exits(0);
    let words = shell_words::split(&resume).unwrap();
    environment.program("judge", &format!("cat > /dev/null; echo '{PASS}'"));
    environment.ralph(words.iter().skip(1)).exits(0);
    let cleaned = environment
        .ralph(["clean", id, "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(cleaned["runs"][0]["root"], "services/a");
    assert_eq!(cleaned["runs"][0]["state"], "removed");
    assert_eq!(environment.files("services/a/.ralph-review/runs"), [""; 0]);
}

#[test]
fn a_run_that_an_id_does_not_reach_is_named_by_its_folder() {
    let environment = services();
    environment.program("judge", &format!("cat > /dev/null; echo '{REVISE}'"));
    environment.program("fix", "cat > /dev/null; echo More. >> specs/API.md");
    let agents = ["--reviewer", "cmd:judge", "--applier", "cmd:fix"];
    let run = [&["run", "../a/specs/API.md"], &agents[..]].concat();
    let limit = ["--max-iterations", "1", "--format", "json"];
    let report = from(&environment, "services/b", &[&run[..], &limit].concat());
    let report = report.exits(1).json();
    let id = report["run"].as_str().unwrap();
    let resume = report["next"][0]["command"].as_str().unwrap();
    let run = format!("services/a/.ralph-review/runs/{id}");
    let path = environment.root().join(run);
    let expected = format!("ralph resume {} --max-iterations 4", path.display());
    assert_eq!(resume, environment.normalized(&expected));
    let resume = expected;
    environment.program("judge", &format!("cat > /dev/null; echo '{PASS}'"));
    let words = shell_words::split(&resume).unwrap();
    let words: Vec<_> = words.iter().skip(1).map(String::as_str).collect();
    from(&environment, "services/b", &words).exits(0);
}

#[test]
fn the_state_of_a_nested_root_is_no_part_of_the_tree_of_the_outer_one() {
    let environment = services();
    unit(&environment, "");
    environment.write("made", "");
    environment.write("services/b/made", "");
    gate(&environment, "", &[], 0);
    let proved =
        [".", "services/a", "services/b"].map(|root| claim(root, "recorded", &["recorded"]));
    assert_eq!(claims(&gate(&environment, "", &["--offline"], 0)), proved);
    environment.write("services/a/made", "now\n");
    let proved = [
        claim(".", "recorded", &["unproven"]),
        claim("services/a", "recorded", &["unproven"]),
        claim("services/b", "recorded", &["recorded"]),
    ];
    assert_eq!(claims(&gate(&environment, "", &["--offline"], 3)), proved);
}

#[test]
fn a_program_of_the_configuration_is_in_its_root_and_one_that_is_typed_starts_here() {
    let environment = services();
    let program = environment.program("judge", &format!("cat > /dev/null; echo '{PASS}'"));
    let judge = environment.write("services/a/tools/judge.sh", "");
    std::fs::copy(&program, &judge).unwrap();
    let typed = |folder, words: &[&str], reviewer, code| {
        let words = [words, &["--reviewer", reviewer]].concat();
        from(&environment, folder, &words).exits(code);
    };
    let specs = "services/a/specs";
    typed(specs, &["run"], "cmd:../tools/judge.sh", 0);
    typed(specs, &["run"], "cmd:./tools/judge.sh", 3);
    typed(
        "",
        &["run", "services/a"],
        "cmd:services/a/tools/judge.sh",
        0,
    );
    typed("services/b", &["run", "../a"], "cmd:../a/tools/judge.sh", 0);
    environment.write(
        "services/a/ralph.toml",
        "reviewer = \"cmd:./tools/judge.sh\"\n",
    );
    from(&environment, specs, &["run"]).exits(0);
    from(&environment, specs, &["doctor"]).exits(0);
    environment.write(
        "services/a/specs/API.md",
        "# API\n\n## Goal\n\nA new API.\n",
    );
    let gate = gate(&environment, "", &["services/a"], 0);
    let review = &gate["specs"][0]["review"];
    assert_eq!(review["name"], "review by cmd:./tools/judge.sh");
    assert_eq!(review["status"], "passed");
}

#[test]
fn lint_checks_all_roots() {
    let environment = services();
    let lint = environment
        .ralph(["lint", "--format", "json"])
        .exits(0)
        .json();
    let findings = lint["findings"].as_array().unwrap().iter();
    let places = findings.map(|finding| [&finding["root"], &finding["path"]]);
    assert_eq!(
        places.collect::<Vec<_>>(),
        [
            [&json!("services/a"), &json!("tasks/api/01-make.md")],
            [&json!("services/b"), &json!("tasks/api/01-make.md")]
        ]
    );
    let cause = &lint["deductions"][0]["cause"]["rule"];
    assert_eq!(cause["path"], "services/a/tasks/api/01-make.md", "{lint:#}");
}

#[test]
fn the_paths_of_a_run_of_another_root_are_announced() {
    let environment = services();
    let run = environment.ralph(["run", "services/a"]).exits(0);
    assert_eq!(run.stderr, "paths are those of services/a\n");
    let report = environment.ralph(["report", "latest"]).exits(0);
    assert_eq!(report.stderr, "paths are those of services/a\n");
    let quiet = environment.ralph(["-q", "report", "latest"]).exits(0);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn an_agent_of_the_outer_root_writes_no_records_of_the_roots_below() {
    let environment = services();
    unit(&environment, "");
    gate(&environment, "services/a", &[], 0);
    let known = environment.read("services/a/.ralph-review/records/api/1.json");
    let forged = "services/b/.ralph-review/records/api/1.json";
    let copies = "mkdir -p services/b/.ralph-review/records/api\n\
                  cp services/a/.ralph-review/records/api/1.json services/b/.ralph-review/records/api/\n\
                  echo {} > services/a/.ralph-review/records/api/1.json";
    let judge = format!("cat > /dev/null\n{copies}\necho '{PASS}'");
    environment.program("judge", &judge);
    let run = ["run", "API", "--reviewer", "cmd:judge", "--format", "json"];
    let report = environment.ralph(run).exits(3).json();
    assert_eq!(report["block_code"], "reviewer_failed");
    let reason = report["block_reason"].as_str().unwrap();
    for service in ["services/a", "services/b"] {
        let record = format!("{service}/.ralph-review/records/api/1.json");
        assert!(reason.contains(&record), "{reason}");
    }
    let now = environment.read("services/a/.ralph-review/records/api/1.json");
    assert_eq!(now, known);
    assert!(!environment.root().join(forged).exists());
}

#[test]
fn the_top_of_a_repository_with_projects_gets_no_example_and_is_ready_for_a_run() {
    let environment = services();
    let init = environment.ralph(["init"]).exits(0);
    assert_eq!(
        init.stdout,
        "no example is written next to services/a/specs/API.md, services/b/specs/API.md\n\
         next:\nsee what is left to do:\nralph status\n"
    );
    assert!(!environment.root().join("specs").exists());
    let doctor = environment.ralph(["doctor"]).exits(0).stdout;
    assert!(doctor.contains("ok: specs: 2 specs\n"), "{doctor}");
    environment.ralph(["init", "--root", "."]).exits(0);
    assert!(environment.root().join("specs/EXAMPLE.md").is_file());
}
