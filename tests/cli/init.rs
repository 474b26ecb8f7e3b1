//! `ralph init`.

use crate::support::TestEnvironment;

const FILES: [&str; 3] = [
    "specs/EXAMPLE.md",
    "tasks/example/01-example.md",
    "tasks/example/IMPLEMENTATION_PLAN.md",
];

fn command_of(environment: &TestEnvironment) -> String {
    let task = environment.read("tasks/example/01-example.md");
    let line = task
        .lines()
        .find_map(|line| line.strip_prefix("backpressure: "));
    serde_json::from_str(line.unwrap()).unwrap()
}

#[test]
fn an_empty_folder_gets_a_spec_and_a_unit_that_the_rules_pass() {
    let environment = TestEnvironment::without_project();
    let ran = environment.ralph(["init"]).exits(0);
    assert_eq!(
        ran.stdout,
        "wrote specs/EXAMPLE.md\n\
         wrote tasks/example/IMPLEMENTATION_PLAN.md\n\
         wrote tasks/example/01-example.md\n\
         The task of the unit is done when this passes: \
         grep -q '^## Acceptance' specs/EXAMPLE.md\n\
         Next: ralph run --spec EXAMPLE\n"
    );
    assert_eq!(environment.files(""), FILES);
    assert_eq!(
        command_of(&environment),
        "grep -q '^## Acceptance' specs/EXAMPLE.md"
    );
    let lint = environment
        .ralph(["lint", "--format", "json", "--fail-level", "info"])
        .exits(0);
    assert_eq!(lint.json()["findings"], serde_json::json!([]));
    assert_eq!(lint.json()["verdict"], "pass");
}

#[test]
fn the_agents_of_a_client_become_files_of_the_project() {
    let environment = TestEnvironment::new();
    let reviewer = ".opencode/agent/qualitative-reviewer.md";
    let applier = ".opencode/agent/feedback-applier.md";
    environment.write(applier, "mine\n");
    let ran = environment.ralph(["init", "--agent", "opencode"]).exits(0);
    let told = format!("wrote {reviewer}\nkept  {applier}, which was there already\n");
    assert!(ran.stdout.contains(&told), "{}", ran.stdout);
    assert_eq!(environment.read(applier), "mine\n");
    let agent = environment.read(reviewer);
    let head = "---\ndescription: Reviews artifacts over the Agent Feedback Protocol 1.2.\n";
    assert!(agent.starts_with(head), "{agent}");
    assert!(environment.files("").contains(&FILES[0].to_owned()));
    environment.ralph(["init", "--agent", "claude"]).exits(2);
}

#[test]
fn what_is_there_is_kept() {
    let environment = TestEnvironment::new();
    environment.write("specs/EXAMPLE.md", "mine\n");
    let ran = environment.ralph(["init"]).exits(0);
    assert!(
        ran.stdout
            .starts_with("kept  specs/EXAMPLE.md, which was there already\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(environment.read("specs/EXAMPLE.md"), "mine\n");
    let before: Vec<_> = FILES.iter().map(|file| environment.read(file)).collect();
    environment.ralph(["init"]).exits(0);
    let after: Vec<_> = FILES.iter().map(|file| environment.read(file)).collect();
    assert_eq!(before, after);
}

#[test]
fn a_project_with_tests_is_proved_by_them() {
    type Files = &'static [(&'static str, &'static str)];
    let projects: [(&str, Files, &str); 4] = [
        (
            "cargo",
            &[
                ("Cargo.toml", "[package]\n"),
                ("src/lib.rs", "#[test]\nfn a() {}\n"),
            ],
            "cargo test",
        ),
        (
            "go",
            &[
                ("go.mod", "module m\n"),
                ("a_test.go", "func TestA(t *testing.T) {}\n"),
            ],
            "go test ./...",
        ),
        (
            "npm",
            &[
                ("package.json", "{\"scripts\":{\"test\":\"vitest run\"}}"),
                ("node_modules/.bin/vitest", ""),
                ("src/a.test.ts", ""),
            ],
            "npm test",
        ),
        (
            "pytest",
            &[
                ("pyproject.toml", ""),
                ("tests/test_a.py", "def test_a():\n    pass\n"),
            ],
            "pytest",
        ),
    ];
    for (program, files, command) in projects {
        let environment = TestEnvironment::without_project();
        environment.program(program, "exit 0");
        for (path, text) in files {
            environment.write(path, text);
        }
        environment.ralph(["init"]).exits(0);
        assert_eq!(command_of(&environment), command);
    }
}

#[test]
fn a_project_without_tests_or_without_its_program_is_proved_by_its_spec() {
    let grep = "grep -q '^## Acceptance' specs/EXAMPLE.md";
    let environment = TestEnvironment::without_project();
    environment.program("cargo", "exit 0");
    environment.write("Cargo.toml", "[package]\n");
    environment.write("src/lib.rs", "fn main() {}\n");
    environment.write("target/debug/old.rs", "#[test]\nfn a() {}\n");
    environment.ralph(["init"]).exits(0);
    assert_eq!(command_of(&environment), grep);
    let environment = TestEnvironment::without_project();
    environment.write("go.mod", "module m\n");
    environment.write("a_test.go", "func TestA(t *testing.T) {}\n");
    environment
        .command(["init"])
        .env("PATH", environment.bin())
        .run()
        .exits(0);
    assert_eq!(command_of(&environment), grep);
    let runner = ("node_modules/.bin/mocha", "");
    let test = ("test/a.js", "");
    for (missing, file) in [("a test", runner), ("a runner", test)] {
        let environment = TestEnvironment::without_project();
        environment.program("npm", "exit 0");
        environment.write("package.json", r#"{"scripts":{"test":"mocha"}}"#);
        environment.write(file.0, file.1);
        environment
            .command(["init"])
            .env("PATH", environment.bin())
            .run()
            .exits(0);
        assert_eq!(command_of(&environment), grep, "without {missing}");
    }
}

#[test]
fn what_it_writes_passes_a_run() {
    let environment = TestEnvironment::without_project();
    environment.ralph(["init"]).exits(0);
    let ran = environment.ralph(["run", "--format", "json"]).exits(0);
    assert_eq!(ran.json()["outcome"], "passed");
    assert_eq!(ran.json()["tasks"][0]["status"], "passed");
    let task = environment.read("tasks/example/01-example.md");
    assert!(task.contains("\nstatus: complete\n"), "{task}");
}
