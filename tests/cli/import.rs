//! `ralph import`: what was planned with other tools is a unit of the project.

use crate::support::{Ran, TestEnvironment};

const PRD: &str = r#"{"project": "Notes", "userStories": [
    {"id": "US-002", "title": "Search notes", "acceptanceCriteria": ["The note is printed"],
     "priority": 2, "passes": false, "dependsOn": ["US-001"], "verify": "touch taken"},
    {"id": "US-001", "title": "Keep notes", "acceptanceCriteria": [], "priority": 1, "passes": true}
]}"#;

const TASKS: &str = "\
# Tasks: Search

## Phase 1: Setup

- [x] T001 Create src/
- [ ] T002 [P] Configure the linter

## Phase 2: Search

- [ ] T003 [US1] Write src/search.sh
";

fn import(environment: &TestEnvironment, arguments: &[&str]) -> Ran {
    environment.command([&["import"], arguments].concat()).run()
}

/// The number, status and dependencies of the tasks that `status` sees, by spec.
fn status(environment: &TestEnvironment) -> Vec<String> {
    let report = environment.ralph(["status", "--format", "json"]).exits(0);
    let report = report.json();
    let specs = report["specs"].as_array().unwrap().iter();
    let line = |spec: &serde_json::Value| {
        let tasks = spec["tasks"].as_array().unwrap().iter();
        let tasks = tasks.map(|task| {
            format!(
                "{} {}",
                task["id"],
                task["status"].as_str().unwrap_or_default()
            )
        });
        let tasks: Vec<_> = tasks.collect();
        format!("{}: {}", spec["spec"].as_str().unwrap(), tasks.join(", "))
    };
    specs.map(line).collect()
}

#[test]
fn a_prd_is_a_unit_whose_claims_the_gate_proves_or_not() {
    let environment = TestEnvironment::new();
    environment.write("prd.json", PRD);
    let dry = import(&environment, &["prd.json", "--dry-run"]).exits(0);
    assert!(
        dry.stdout.starts_with("would write specs/PRD.md\n"),
        "{dry:#?}"
    );
    assert_eq!(environment.files(""), ["prd.json"]);
    let command = "test -f {id}";
    let ran = import(&environment, &["prd.json", "--command", command]).exits(0);
    assert_eq!(
        ran.stdout,
        "wrote specs/PRD.md\n\
         wrote tasks/prd/01-us-001-keep-notes.md\n\
         wrote tasks/prd/02-us-002-search-notes.md\n\
         wrote tasks/prd/IMPLEMENTATION_PLAN.md\n\
         1 task called done, until `ralph gate` disproves it: 1 US-001\n\
         next:\nsee what is left to do:\nralph status specs/PRD.md\n"
    );
    let task = environment.read("tasks/prd/02-us-002-search-notes.md");
    let head =
        "---\ntask: 2\nstatus: pending\nbackpressure: \"test -f US-002\"\ndepends_on: [1]\n---\n";
    assert!(task.starts_with(head), "{task}");
    assert!(task.contains("\n- The note is printed\n"), "{task}");
    assert_eq!(
        status(&environment),
        ["specs/PRD.md: 1 complete, 2 pending"]
    );
    let gate = environment.ralph(["gate"]).exits(1);
    let failed = "  failed  task 1 Keep notes  failed: exit status 1\n";
    assert!(gate.stdout.contains(failed), "{gate:#?}");
    environment.write("US-001", "");
    let gate = environment.ralph(["gate"]).exits(0);
    assert!(
        gate.stdout.contains("  passed  task 1 Keep notes"),
        "{gate:#?}"
    );
    assert!(!environment.root().join("taken").exists());
    assert_eq!(environment.read("prd.json"), PRD);
}

#[test]
fn a_checklist_without_a_command_is_pending_and_grows_with_its_file() {
    let environment = TestEnvironment::new();
    environment.write(
        "TODO.md",
        "# Shop\n\n- [x] Cards\n  - [x] Visa\n- [ ] Cash\n",
    );
    for command in ["run", "import"] {
        let ran = environment.ralph([command, "TODO.md"]);
        match command {
            "run" => {
                let ran = ran.exits(2);
                let expected = "error: TODO.md has 1 open box and no tasks\n  \
                                hint: `ralph import TODO.md` makes tasks of them\n  \
                                hint: `ralph review TODO.md` reviews it as a document\n";
                assert_eq!(ran.stderr, expected);
            }
            _ => {
                let ran = ran.exits(0);
                let pending = "2 tasks called done, and pending since no command proves it: 1 cards, 2 visa\n";
                let open = "next:\ngive 3 tasks a command: `ralph import TODO.md --command CMD`, where {id} is the id \
                            of a task, or `backpressure` in the front matter\n\
                            see what is left to do:\nralph status specs/TODO.md\n";
                for line in [pending, open] {
                    assert!(ran.stdout.contains(line), "{line}: {ran:#?}");
                }
            }
        }
    }
    for command in ["run", "status"] {
        let ran = environment.ralph([command, "TODO.md"]).exits(2);
        let elsewhere = "error: the tasks in tasks/todo are those of specs/TODO.md, not of TODO.md\n  \
                         hint: name specs/TODO.md\n";
        assert_eq!(ran.stderr, elsewhere);
    }
    let pending = "specs/TODO.md: 1 pending, 2 pending, 3 pending";
    assert_eq!(status(&environment), [pending]);
    let gate = environment.ralph(["gate"]).exits(1);
    assert!(
        gate.stdout.contains("No backpressure command."),
        "{gate:#?}"
    );

    let kept = "kept specs/TODO.md, which was there already\n\
                kept tasks/todo/IMPLEMENTATION_PLAN.md, which was there already\n";
    let next = "next:\nsee what is left to do:\nralph status specs/TODO.md\n";
    let cash = environment.read("tasks/todo/03-cash.md");
    let own = cash.replace("pending\n", "pending\nbackpressure: sh own.sh\n");
    environment.write("tasks/todo/03-cash.md", &own);
    let visa = environment.read("tasks/todo/02-visa.md");
    let given = import(&environment, &["TODO.md", "--command", "sh {id}.sh"]).exits(0);
    assert_eq!(
        given.stdout,
        format!(
            "added the command to tasks/todo/01-cards.md\n\
             added the command to tasks/todo/02-visa.md\n{kept}{next}"
        )
    );
    let expected = visa.replace("pending\n", "pending\nbackpressure: \"sh visa.sh\"\n");
    assert_eq!(environment.read("tasks/todo/02-visa.md"), expected);
    assert_eq!(environment.read("tasks/todo/03-cash.md"), own);
    let again = import(&environment, &["TODO.md", "--command", "sh all.sh"]).exits(0);
    assert_eq!(again.stdout, format!("{kept}{next}"));
    let before: Vec<_> = environment.files("tasks");
    let cards = environment.read("tasks/todo/01-cards.md");
    environment.write(
        "TODO.md",
        "# Shop\n\n- [ ] Cards\n  - [x] Visa\n- [ ] Ship\n- [ ] Cash\n",
    );
    let again = import(&environment, &["TODO.md", "--command", "sh all.sh"]).exits(0);
    assert_eq!(
        again.stdout,
        "wrote tasks/todo/04-ship.md\n\
         kept specs/TODO.md, which was there already\n\
         kept tasks/todo/IMPLEMENTATION_PLAN.md, which was there already\n\
         1 task whose file differs from the source, which you edit where it is wrong: 1 cards\n\
         1 task to add to the table of the plan: 4 ship\n\
         next:\nsee what is left to do:\nralph status specs/TODO.md\n"
    );
    assert_eq!(environment.read("tasks/todo/01-cards.md"), cards);
    assert_eq!(environment.files("tasks").len(), before.len() + 1);
}

#[test]
fn a_feature_of_spec_kit_keeps_its_spec_and_is_seen_by_every_command() {
    let environment = TestEnvironment::new();
    environment.write(
        "specs/001-search/spec.md",
        "# Search\n\n- **FR-1**: It finds notes.\n",
    );
    environment.write("specs/001-search/tasks.md", TASKS);
    let import_it = "ralph import specs/001-search";
    for (arguments, code) in [
        (&["run"][..], 2),
        (&["run", "specs/001-search"], 2),
        (&["status"], 4),
        (&["gate"], 4),
        (&["import", "tasks"], 2),
    ] {
        if arguments == ["import", "tasks"] {
            environment.write("tasks/notes.txt", "");
        }
        let ran = environment.ralph(arguments).exits(code);
        let said = ran.stdout.clone() + &ran.stderr;
        assert!(said.contains(import_it), "{arguments:?}: {said}");
    }
    let ran = import(
        &environment,
        &["specs/001-search", "--command", "test -f {id}.done"],
    )
    .exits(0);
    let kept = "kept specs/001-search/spec.md, which was there already\n";
    assert!(ran.stdout.contains(kept), "{ran:#?}");
    let spec = "specs/001-search/spec.md";
    let expected = format!("{spec}: 1 complete, 2 pending, 3 pending");
    assert_eq!(status(&environment), [expected]);
    let last = environment.read("tasks/001-search/03-t003-us1-write-src-search-sh.md");
    assert!(last.contains("\ndepends_on: [1, 2]\n"), "{last}");
    let gate = environment.ralph(["gate"]).exits(1);
    let failed = "  failed  task 1 Create src/  failed: exit status 1\n";
    assert!(gate.stdout.contains(failed), "{gate:#?}");
    environment.write("T001.done", "");
    environment.ralph(["gate"]).exits(0);
    for name in [&[][..], &["001-search"], &["specs/001-search"]] {
        let ran = environment
            .ralph([&["run", "--dry-run"], name].concat())
            .exits(0);
        let said =
            format!("would review unit 001-search: {spec} and the tasks in tasks/001-search\n");
        assert!(ran.stdout.starts_with(&said), "{name:?}: {ran:#?}");
    }
}

#[test]
fn a_run_names_every_task_without_a_command_and_asks_which_spec_is_meant() {
    let environment = TestEnvironment::new();
    environment.write(
        "specs/001-search/spec.md",
        "# Search\n\n- **FR-1**: It finds notes.\n",
    );
    environment.write("specs/001-search/tasks.md", TASKS);
    import(&environment, &["specs/001-search"]).exits(0);
    let ran = environment.ralph(["run"]).exits(1);
    let task = |name: &str| format!("tasks/001-search/{name}.md:1");
    let tasks = [
        "01-t001-create-src",
        "02-t002-configure-the-linter",
        "03-t003-us1-write-src-search-sh",
    ];
    let next = format!(
        "\nnext:\ngive {} a command: `backpressure` in the front matter, or `ralph import PATH \
         --command CMD` where they were imported, then `ralph resume ",
        tasks.map(task).join(", ")
    );
    assert!(ran.stdout.contains(&next), "{ran:#?}");
    environment.write("specs/NOTES.md", "# Notes\n");
    let several = environment.ralph(["run"]).exits(2);
    assert_eq!(
        several.stderr,
        "error: there are 2 specs; say which one\n\
         \x20 hint: there is specs/NOTES.md\n\
         \x20 hint: there is specs/001-search/spec.md\n"
    );
}

#[test]
fn a_change_of_openspec_is_a_unit_of_its_proposal_and_two_do_not_mix() {
    let environment = TestEnvironment::without_project();
    environment.write(
        "openspec/changes/archive/old/proposal.md",
        "# Old\n\nGone.\n",
    );
    for change in ["add-search", "add-tags"] {
        let folder = format!("openspec/changes/{change}");
        environment.write(format!("{folder}/proposal.md"), "# Why\n\nIt is missing.\n");
        environment.write(
            format!("{folder}/tasks.md"),
            "## 1. Data\n- [x] 1.1 Store\n- [ ] 1.2 Fill\n",
        );
        environment.write(
            format!("{folder}/specs/notes/spec.md"),
            "# Notes\n\nFound.\n",
        );
    }
    environment.write("ralph.toml", "");
    let several = import(&environment, &["openspec"]).exits(2);
    let expected = "error: name one of these to import: openspec/changes/add-search, openspec/changes/add-tags\n";
    assert_eq!(several.stderr, expected);
    for change in ["add-search", "add-tags"] {
        let folder = format!("openspec/changes/{change}");
        import(&environment, &[&folder, "--command", "test -f {id}"]).exits(0);
    }
    let line = |change| format!("openspec/changes/{change}/proposal.md: 1 complete, 2 pending");
    assert_eq!(status(&environment), [line("add-search"), line("add-tags")]);
    environment.write("1.1", "");
    environment.ralph(["gate"]).exits(0);
    environment.write(
        "openspec/changes/add-tags/proposal.md",
        "# Why

TBD
",
    );
    let lint = environment.ralph(["lint"]);
    let found = "--> openspec/changes/add-tags/proposal.md:3:1";
    assert!(lint.stdout.contains(found), "{lint:#?}");
}

#[test]
fn what_cannot_be_imported_says_why_and_writes_nothing() {
    let environment = TestEnvironment::new();
    environment.write("large.md", "- [ ] a\n".repeat(200_000));
    environment.write("binary.md", [0xff, 0xfe]);
    environment.write("plain.md", "# Words\n");
    environment.write("bad.json", "{");
    environment.write("two.json", r#"{"tasks": [], "stories": []}"#);
    environment.write("a.txt", "- [ ] a\n");
    environment.write("specs/TAKEN.md", "# Taken\n");
    environment.write(
        "specs/tasks/taken/01-a.md",
        "---\ntask: 1\nbackpressure: ls\n---\n# A\n",
    );
    environment.write("taken.md", "- [ ] a\n");
    let before = environment.files("");
    for (arguments, code, expected) in [
        (&["none.md"][..], 2, "no such file or folder: none.md"),
        (&["../home", "--root", "."], 2, "outside"),
        (&["large.md"], 2, "large.md is larger than 1 MiB"),
        (&["binary.md"], 2, "binary.md is not UTF-8"),
        (
            &["plain.md"],
            1,
            "it has no task: no line is like `- [ ] text`",
        ),
        (
            &["bad.json"],
            2,
            "cannot import bad.json: it is not a valid prd.json: EOF",
        ),
        (
            &["two.json"],
            2,
            "it is not a valid prd.json: duplicate field `userStories`",
        ),
        (
            &["a.txt"],
            2,
            "a.txt is not a prd.json, Markdown with boxes",
        ),
        (
            &["taken.md"],
            2,
            "specs/TAKEN.md has its tasks in specs/tasks/taken",
        ),
        (&["plain.md", "--command", ""], 2, "a value is required"),
    ] {
        let ran = import(&environment, arguments).exits(code);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(
            ran.stderr.contains(expected),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    assert_eq!(environment.files(""), before);
}
