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

/// The content of the file that the task asks for, as its block of code gives it.
fn asked_for(environment: &TestEnvironment) -> String {
    let task = environment.read("tasks/example/01-example.md");
    let block = task.split("\n```").nth(1).expect("a block of code");
    let (_, text) = block.split_once('\n').expect("a line with the language");
    format!("{text}\n")
}

/// The rules that have findings, where the programs of the environment are the only
/// ones.
fn rules_found(environment: &TestEnvironment) -> Vec<String> {
    let lint = environment
        .command(["lint", "--format", "json"])
        .env("PATH", environment.bin())
        .run()
        .exits(0);
    let findings = lint.json()["findings"].clone();
    let rules = findings.as_array().expect("findings").iter();
    rules
        .map(|finding| finding["rule"].as_str().expect("a rule").to_owned())
        .collect()
}

#[test]
fn an_empty_folder_gets_a_spec_and_a_task_to_do() {
    let environment = TestEnvironment::without_project();
    let ran = environment.ralph(["init"]).exits(0);
    let command = "test \"$(sh hello.sh World)\" = 'Hello, World!'";
    assert_eq!(
        ran.stdout,
        format!(
            "wrote specs/EXAMPLE.md\n\
             wrote tasks/example/IMPLEMENTATION_PLAN.md\n\
             wrote tasks/example/01-example.md\n\
             found no Cargo.toml, go.mod, package.json, pyproject.toml; \
             the task uses `{command}`\n\
             next:\nmake task 1 pass: `{command}`, then `ralph run`\n"
        )
    );
    assert_eq!(environment.files(""), FILES);
    assert_eq!(command_of(&environment), command);
    environment.program("sh", "exit 0");
    assert_eq!(rules_found(&environment), [""; 0]);
}

#[test]
fn the_task_fails_until_its_file_is_written() {
    let environment = TestEnvironment::without_project();
    environment.ralph(["init"]).exits(0);
    let ran = environment.ralph(["run", "--format", "json"]).exits(1);
    assert_eq!(ran.json()["outcome"], "not_passed");
    let next = ran.json()["next"][0]["text"].as_str().unwrap().to_owned();
    let step = format!("make task 1 pass: `{}`, then ", command_of(&environment));
    assert!(next.starts_with(&step), "{next}");
    environment.write("hello.sh", asked_for(&environment));
    let ran = environment.ralph(["run", "--format", "json"]).exits(0);
    assert_eq!(ran.json()["tasks"][0]["status"], "passed");
    let task = environment.read("tasks/example/01-example.md");
    assert!(task.contains("\nstatus: complete\n"), "{task}");
}

#[test]
fn the_agents_of_a_client_become_files_of_the_project() {
    let environment = TestEnvironment::new();
    let reviewer = ".opencode/agent/qualitative-reviewer.md";
    let applier = ".opencode/agent/feedback-applier.md";
    environment.write(applier, "mine\n");
    let ran = environment.ralph(["init", "--agent", "opencode"]).exits(0);
    let told = format!(
        "wrote {reviewer}\nkept {applier}, which was there already\n\
         wrote .opencode/agent/task-implementer.md\nwrote .opencode/agent/task-planner.md\n"
    );
    assert!(ran.stdout.contains(&told), "{}", ran.stdout);
    assert_eq!(environment.read(applier), "mine\n");
    let agent = environment.read(reviewer);
    let head = "---\ndescription: Reviews artifacts over the Agent Feedback Protocol 1.2.\n";
    assert!(agent.starts_with(head), "{agent}");
    environment.ralph(["init", "--agent", "claude"]).exits(2);
}

#[test]
fn what_is_there_is_kept() {
    let environment = TestEnvironment::new();
    environment.write("specs/EXAMPLE.md", "mine\n");
    let ran = environment.ralph(["init"]).exits(0);
    assert!(
        ran.stdout
            .starts_with("kept specs/EXAMPLE.md, which was there already\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(environment.read("specs/EXAMPLE.md"), "mine\n");
    let before: Vec<_> = FILES.iter().map(|file| environment.read(file)).collect();
    let again = environment.ralph(["init"]).exits(0);
    assert!(
        again
            .stdout
            .ends_with("\nnext:\nsee what is left to do:\nralph status\n"),
        "{}",
        again.stdout
    );
    let after: Vec<_> = FILES.iter().map(|file| environment.read(file)).collect();
    assert_eq!(before, after);
}

#[test]
fn plans_of_other_tools_are_named_before_the_example() {
    for (file, text, path) in [
        ("TODO.md", "- [ ] Cards\n", "TODO.md"),
        ("prd.json", "{}", "prd.json"),
        (
            "openspec/changes/a/tasks.md",
            "- [ ] 1.1 a\n",
            "openspec/changes/a",
        ),
    ] {
        let environment = TestEnvironment::without_project();
        environment.write("openspec/changes/a/proposal.md", "# Why\n");
        environment.write(file, text);
        let ran = environment.ralph(["init"]).exits(0);
        let next = format!(
            "\nnext:\ntake over what is planned there:\nralph import {path}\nmake task 1 pass: "
        );
        assert!(ran.stdout.contains(&next), "{}", ran.stdout);
    }
}

#[test]
fn below_the_root_it_says_where_it_writes() {
    let environment = TestEnvironment::without_project();
    environment.write(".git/HEAD", "ref: refs/heads/main\n");
    environment.write("services/api/pyproject.toml", "");
    environment.program("pytest", "exit 0");
    let folder = environment.root().join("services/api");
    let ran = environment.command(["init"]).in_folder(&folder).run();
    let line = "the root of the project is [ROOT]; \
                `ralph init --root .` makes this folder one\n";
    let ran = ran.exits(0);
    assert!(ran.stdout.starts_with(line), "{}", ran.stdout);
    let here = environment
        .command(["init", "--root", "."])
        .in_folder(&folder);
    let here = here.run().exits(0).stdout;
    assert!(here.starts_with("wrote specs/EXAMPLE.md\n"), "{here}");
    assert!(here.contains("\nfound pyproject.toml; the task uses `pytest`\n"));
}

#[test]
fn there_is_no_example_next_to_specs_of_the_project() {
    let environment = TestEnvironment::without_project();
    environment.write("specs/MINE.md", "# Mine\n");
    let ran = environment.ralph(["init", "--agent", "opencode"]).exits(0);
    let end = "task-planner.md\n\
               no example is written next to specs/MINE.md\n\
               next:\nsee what is left to do:\nralph status\n";
    assert!(ran.stdout.ends_with(end), "{}", ran.stdout);
    assert_eq!(environment.files("specs"), ["specs/MINE.md"]);
    environment.write("specs/OTHER.md", "# Other\n");
    let ran = environment.ralph(["init"]).exits(0);
    assert_eq!(
        ran.stdout,
        "no example is written next to specs/MINE.md, specs/OTHER.md\n\
         next:\nsee what is left to do:\nralph status\n"
    );
}

/// A project by its marker, the programs that it has, the line about it, and the
/// command of its task.
type Found = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
    &'static str,
    &'static str,
);

const FOUND: [Found; 7] = [
    (
        &[("Cargo.toml", "[package]\n")],
        &["cargo"],
        "found Cargo.toml; the task uses `cargo test`",
        "ls tests/example.rs && cargo test",
    ),
    (
        &[("go.mod", "module m\n")],
        &["go"],
        "found go.mod; the task uses `go test -v ./...`",
        "ls example/example_test.go && go test -v ./...",
    ),
    (
        &[("go.mod", "module m\n")],
        &[],
        "found go.mod, but `go` is not on PATH; the task uses `go test -v ./...`",
        "ls example/example_test.go && go test -v ./...",
    ),
    (
        &[("pyproject.toml", "")],
        &[],
        "found pyproject.toml, but `pytest` is not on PATH; the task uses `pytest`",
        "ls tests/test_example.py && pytest",
    ),
    (
        &[("package.json", r#"{"scripts":{"test":"mocha"}}"#)],
        &["npm", "node"],
        "found package.json; the task uses `node --test test/node/example.mjs`",
        "ls test/node/example.mjs && node --test test/node/example.mjs",
    ),
    (
        &[
            (
                "package.json",
                r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
            ),
            ("package-lock.json", "{}"),
        ],
        &["npm", "node"],
        "found package.json; the task uses `node --test test/node/example.mjs`\n\
         for agents that implement tasks, `lane.setup = [\"npm ci\"]` in ralph.toml prepares \
         their checkouts",
        "ls test/node/example.mjs && node --test test/node/example.mjs",
    ),
    (
        &[
            ("package.json", "{}"),
            ("yarn.lock", ""),
            ("ralph.toml", ""),
        ],
        &["yarn", "node"],
        "found package.json; the task uses `node --test test/node/example.mjs`",
        "ls test/node/example.mjs && node --test test/node/example.mjs",
    ),
];

#[test]
fn what_was_found_decides_the_command_and_is_said() {
    for (files, programs, found, command) in FOUND {
        let environment = TestEnvironment::without_project();
        for program in programs {
            environment.program(program, "exit 0");
        }
        for (path, text) in files {
            environment.write(path, text);
        }
        let ran = environment
            .command(["init"])
            .env("PATH", environment.bin())
            .run()
            .exits(0);
        let end = format!("\n{found}\nnext:\nmake task 1 pass: `{command}`, then `ralph run`\n");
        assert!(ran.stdout.ends_with(&end), "{}", ran.stdout);
        assert_eq!(command_of(&environment), command);
        environment.program("sh", "exit 0");
        environment.program("ls", "exit 0");
        let of_path = programs.is_empty().then_some("B10");
        assert_eq!(
            rules_found(&environment),
            Vec::from_iter(of_path),
            "{found}"
        );
    }
}

#[test]
fn the_tests_of_a_project_pass_only_with_the_one_that_is_asked_for() {
    let environment = TestEnvironment::without_project();
    let counts = "echo 'test example_task ... ok'; echo 'test result: ok. 2 passed; 0 failed'";
    environment.program("cargo", counts);
    environment.write("Cargo.toml", "[package]\n");
    environment.ralph(["init"]).exits(0);
    environment.ralph(["run"]).exits(1);
    environment.write("tests/example.rs", asked_for(&environment));
    environment.ralph(["run"]).exits(0);
}
