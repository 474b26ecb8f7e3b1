//! `ralph gate --base`: what a pull request can do to that which decides about it.

use std::fs;

use serde_json::Value;

use crate::implement::{commit, git};
use crate::support::{Ran, TestEnvironment};

const SPEC: &str = "# Demo\n\n## Goal\n\nAdd two numbers.\n";
const PLAN: &str = "---\nunit: demo\ndepends_on: []\n---\n\n# Plan\n\nTwo tasks.\n";
pub(crate) const APP: &str = "echo $(($1 + $2))\n";
const NAME: &str = "echo \"sum of $1\"\n";
pub(crate) const CONFIG: &str = "[[review.criteria]]\nname = \"completeness\"\ndescription = \"Nothing is missing\"\nmin_score = 80\n";
const CI: &str = "on: pull_request\n";

/// A test file that prints what `cargo test` prints; each line of `checks` is a name,
/// a command and what it has to print.
fn suite(checks: &[(&str, &str, &str)]) -> String {
    let mut text = "n=0; bad=0\ncheck() { n=$((n + 1)); if [ \"$2\" = \"$3\" ]; then echo \"test $1 ... ok\"; \
                    else echo \"test $1 ... FAILED\"; bad=$((bad + 1)); fi; }\n"
        .to_owned();
    text.push_str(&format!("echo \"running {} tests\"\n", checks.len()));
    for (name, command, expected) in checks {
        text.push_str(&format!("check {name} \"$({command})\" \"{expected}\"\n"));
    }
    text.push_str(
        "[ $bad = 0 ] || { echo \"test result: FAILED. $((n - bad)) passed; $bad failed; 0 ignored\"; exit 101; }\n\
         echo \"test result: ok. $n passed; 0 failed; 0 ignored\"\n",
    );
    text
}

const ADDS: (&str, &str, &str) = ("adds", "sh app.sh 2 3", "5");
const NEGATES: (&str, &str, &str) = ("adds_negative", "sh app.sh 5 -3", "2");
const NAMES: (&str, &str, &str) = ("names", "sh name.sh 3", "sum of 3");

fn task(number: u32, title: &str, command: &str, listed: &[&str]) -> String {
    let rows: String = listed
        .iter()
        .map(|test| format!("| `{test}` | it works |\n"))
        .collect();
    format!(
        "---\ntask: {number}\nstatus: complete\nbackpressure: {command}\ndepends_on: []\n---\n\n# {title}\n\n\
         **Parent spec**: `/specs/DEMO.md`\n\n## Deliverables\n\n- `app.sh`\n\n## Backpressure\n\n### Must Pass\n\n| Test | Assertion |\n\
         |------|-----------|\n{rows}"
    )
}

/// A project with two complete tasks, committed on `main`, on a branch `work`.
pub(crate) fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    let identity =
        "[user]\n\tname = ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n";
    fs::write(environment.home().join(".gitconfig"), identity).unwrap();
    environment.write(".gitignore", ".ralph-review/\nhome/\n");
    environment.write("ralph.toml", CONFIG);
    environment.write(".github/workflows/ci.yml", CI);
    environment.write("specs/DEMO.md", SPEC);
    environment.write("tasks/demo/IMPLEMENTATION_PLAN.md", PLAN);
    let add = task(1, "Add", "sh tests/add.sh", &["adds", "adds_negative"]);
    environment.write("tasks/demo/01-add.md", add);
    let name = task(2, "Name", "sh tests/name.sh", &["names"]);
    environment.write("tasks/demo/02-name.md", name);
    environment.write("tests/add.sh", suite(&[ADDS, NEGATES]));
    environment.write("tests/name.sh", suite(&[NAMES]));
    environment.write("app.sh", APP);
    environment.write("name.sh", NAME);
    commit(&environment);
    git(&environment, &["switch", "-q", "-c", "work"]);
    environment
}

fn gate(environment: &TestEnvironment, more: &[&str]) -> Ran {
    let arguments = ["gate", "--base", "main", "--format", "json"];
    environment.ralph(arguments.iter().chain(more))
}

/// The differences as `LEVEL CODE:SUBJECT`, those of a file after its other ones.
fn differences(report: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let changes = report["compared"][0]["changes"].as_array().unwrap().iter();
    let mut found: Vec<_> = changes
        .map(|change| {
            let level = word(&change["level"]);
            format!(
                "{level} {}:{}",
                word(&change["code"]),
                word(&change["subject"])
            )
        })
        .collect();
    found.sort();
    found
}

type Edit = fn(&TestEnvironment);

/// Replaces a part of a file.
pub(crate) fn edit(environment: &TestEnvironment, path: &str, from: &str, to: &str) {
    let text = environment.read(path);
    assert!(text.contains(from), "{path}: {text}");
    environment.write(path, text.replace(from, to));
}

fn remove(environment: &TestEnvironment, path: &str) {
    fs::remove_file(environment.root().join(path)).unwrap();
}

/// What a pull request does, what the gate exits with, and the differences it names.
fn check(name: &str, change: Edit, exit: i32, expected: &[&str]) {
    let environment = project();
    change(&environment);
    git(&environment, &["add", "-A"]);
    git(&environment, &["commit", "-q", "-m", "Work"]);
    let ran = gate(&environment, &[]);
    assert_eq!(ran.code, exit, "{name}: {ran:#?}");
    assert_eq!(differences(&ran.json()), expected, "{name}: {ran:#?}");
}

#[test]
fn what_decides_is_not_weakened_by_the_change_that_it_decides_on() {
    let cases: [(&str, Edit, &[&str]); 16] = [
        (
            "a new file configures the test runner",
            |project| {
                project
                    .write("conftest.py", "collect_ignore = []\n")
                    .into_unit()
            },
            &["error runner_changed:conftest.py"],
        ),
        (
            "a minimum is lowered",
            |project| edit(project, "ralph.toml", "80", "1"),
            &["error threshold_lowered:completeness"],
        ),
        (
            "the reviewer always passes",
            |project| {
                project.write(
                    "judge.sh",
                    format!("cat > /dev/null\necho '{}'\n", crate::scripted::PASS),
                );
                edit(
                    project,
                    "ralph.toml",
                    "[[",
                    "reviewer = \"cmd:sh judge.sh\"\n\n[[",
                );
                edit(project, "specs/DEMO.md", "two numbers", "TBD numbers");
            },
            &[
                "error reviewer_changed:judge.sh",
                "error reviewer_changed:reviewer",
            ],
        ),
        (
            "a rule is off",
            |project| {
                project
                    .write("ralph.toml", format!("lint.ignore = [\"S2\"]\n{CONFIG}"))
                    .into_unit()
            },
            &["error rule_disabled:lint.ignore"],
        ),
        (
            "a listed test and its row are deleted",
            |project| {
                edit(
                    project,
                    "tasks/demo/01-add.md",
                    "| `adds_negative` | it works |\n",
                    "",
                );
                project.write("tests/add.sh", suite(&[ADDS]));
            },
            &[
                "error listed_test_removed:demo/1",
                "warning tests_gone:demo/1",
            ],
        ),
        (
            "a test is emptied with its code",
            |project| {
                project.write(
                    "tests/add.sh",
                    suite(&[("adds", "echo", ""), ("adds_negative", "echo", "")]),
                );
                project.write("app.sh", "echo 0\n");
            },
            &["error test_fails_as_it_was:demo/1"],
        ),
        (
            "a test that is not listed is deleted",
            |project| {
                edit(
                    project,
                    "tasks/demo/02-name.md",
                    "| `names` | it works |\n",
                    "",
                );
                project.write("tests/name.sh", suite(&[ADDS]));
            },
            &[
                "error listed_test_removed:demo/2",
                "warning tests_gone:demo/2",
            ],
        ),
        (
            "the command cannot fail",
            |project| {
                edit(
                    project,
                    "tasks/demo/02-name.md",
                    "sh tests/name.sh",
                    "echo ok",
                )
            },
            &["error command_changed:demo/2"],
        ),
        (
            "the command is one that always passes",
            |project| {
                edit(
                    project,
                    "tasks/demo/01-add.md",
                    "sh tests/add.sh",
                    "\"true\"",
                )
            },
            &["error command_changed:demo/1"],
        ),
        (
            "all specs and tasks are removed",
            |project| {
                for folder in ["specs", "tasks"] {
                    fs::remove_dir_all(project.root().join(folder)).unwrap();
                }
            },
            &["error task_removed:demo/1", "error task_removed:demo/2"],
        ),
        (
            "folders are looked at no more",
            |project| {
                project
                    .write(
                        "ralph.toml",
                        format!("workspace.exclude = [\"web\"]\n{CONFIG}"),
                    )
                    .into_unit()
            },
            &["error gate_definition_changed:workspace.exclude"],
        ),
        (
            "a task and its file are removed",
            |project| remove(project, "tasks/demo/02-name.md"),
            &["error task_removed:demo/2"],
        ),
        (
            "all tasks are removed",
            |project| fs::remove_dir_all(project.root().join("tasks")).unwrap(),
            &["error task_removed:demo/1", "error task_removed:demo/2"],
        ),
        (
            "a new task claims what nothing can fail",
            |project| {
                project
                    .write("tasks/demo/03-new.md", task(3, "New", "true", &[]))
                    .into_unit()
            },
            &["error command_changed:demo/3"],
        ),
        (
            "the block level is lowered",
            |project| {
                project
                    .write(
                        "ralph.toml",
                        format!("review.fail_level = \"critical\"\n{CONFIG}"),
                    )
                    .into_unit()
            },
            &["error threshold_lowered:review.fail_level"],
        ),
        (
            "a criterion is dropped for another",
            |project| edit(project, "ralph.toml", "completeness", "testability"),
            &["error threshold_lowered:completeness"],
        ),
    ];
    for (name, change, expected) in cases {
        check(name, change, 6, expected);
    }
}

#[test]
fn a_file_that_tests_load_is_one_of_them() {
    let environment = project();
    git(&environment, &["switch", "-q", "main"]);
    environment.write("tests/expected.sh", "sum=5\n");
    let loads = ("adds", "sh app.sh 2 3", "$sum");
    let text = suite(&[loads, NEGATES]);
    environment.write("tests/add.sh", format!(". tests/expected.sh\n{text}"));
    git(&environment, &["add", "-A"]);
    git(&environment, &["commit", "-q", "-m", "Load"]);
    git(&environment, &["switch", "-q", "-c", "later"]);
    environment.write("tests/expected.sh", "sum=$(sh app.sh 2 3)\n");
    environment.write("app.sh", "[ $1 = 2 ] && echo 0 || echo $(($1 + $2))\n");
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    let report = gate(&environment, &[]).exits(6).json();
    assert_eq!(differences(&report), ["error test_fails_as_it_was:demo/1"]);
}

#[test]
fn a_change_that_fails_by_itself_fails_as_without_a_base() {
    let cases: [(&str, Edit, &str); 3] = [
        (
            "a test file is deleted",
            |project| remove(project, "tests/name.sh"),
            "demo/02-name.md,line=1,endLine=1,col=1,title=ralph gate::task 2 Name: failed: exit status",
        ),
        (
            "a listed test is deleted",
            |project| project.write("tests/add.sh", suite(&[ADDS])).into_unit(),
            "demo/01-add.md,line=1,endLine=1,col=1,title=ralph gate::task 1 Add: tests_missing: listed test `adds_negative` did not run",
        ),
        (
            "a new task claims work that is not there",
            |project| {
                let text = task(4, "Later", "sh tests/later.sh", &["later"]);
                project.write("tasks/demo/04-later.md", text).into_unit()
            },
            "demo/04-later.md,line=1,endLine=1,col=1,title=ralph gate::task 4 Later: failed: exit status",
        ),
    ];
    for (name, change, shown) in cases {
        check(name, change, 1, &[]);
        let environment = project();
        change(&environment);
        let ran = environment.ralph(["gate", "--base", "main", "--format", "github"]);
        let expected = format!("::error file=tasks/{shown}");
        assert!(ran.stdout.contains(&expected), "{name}: {ran:#?}");
    }
}

#[test]
fn honest_changes_pass_and_what_is_worth_a_look_is_a_warning() {
    let cases: [(&str, Edit, &[&str]); 18] = [
        (
            "documentation only",
            |project| project.write("README.md", "# Sum\n").into_unit(),
            &[],
        ),
        (
            "a new task with its test",
            |project| {
                project.write(
                    "tasks/demo/03-zero.md",
                    task(3, "Zero", "sh tests/zero.sh", &["zero"]),
                );
                project.write("tests/zero.sh", suite(&[("zero", "sh app.sh 0 0", "0")]));
            },
            &[],
        ),
        (
            "another behaviour with its test and spec",
            |project| {
                edit(
                    project,
                    "specs/DEMO.md",
                    "Add two numbers.",
                    "Add two numbers and one.",
                );
                project.write("app.sh", "echo $(($1 + $2 + 1))\n");
                let adds = [
                    ("adds", "sh app.sh 2 3", "6"),
                    ("adds_negative", "sh app.sh 5 -3", "3"),
                ];
                project.write("tests/add.sh", suite(&adds));
            },
            &["warning test_fails_as_it_was:demo/1"],
        ),
        (
            "a test file that moved",
            |project| {
                git(project, &["mv", "tests/add.sh", "tests/sum.sh"]);
                edit(
                    project,
                    "tasks/demo/01-add.md",
                    "tests/add.sh",
                    "tests/sum.sh",
                );
            },
            &["warning command_changed:demo/1"],
        ),
        (
            "a new dependency",
            |project| {
                project
                    .write("requirements.txt", "six==1.16.0\n")
                    .into_unit()
            },
            &[],
        ),
        (
            "a formatter over everything",
            |project| {
                for path in ["tests/add.sh", "tests/name.sh", "app.sh", "name.sh"] {
                    let text = project.read(path);
                    project.write(path, format!("# Formatted.\n{text}"));
                }
                edit(project, "ralph.toml", " = ", "  =  ");
            },
            &["warning gate_definition_changed:ralph.toml"],
        ),
        (
            "a raised threshold",
            |project| edit(project, "ralph.toml", "80", "85"),
            &["warning gate_definition_changed:ralph.toml"],
        ),
        (
            "a renamed task",
            |project| {
                git(
                    project,
                    &["mv", "tasks/demo/01-add.md", "tasks/demo/01-sum.md"],
                );
                edit(project, "tasks/demo/01-sum.md", "# Add", "# Sum");
            },
            &[],
        ),
        (
            "a task that is open again",
            |project| edit(project, "tasks/demo/02-name.md", "complete", "pending"),
            &["warning claim_withdrawn:demo/2"],
        ),
        (
            "one more test in a suite",
            |project| {
                let zero = ("zero", "sh app.sh 0 0", "0");
                project.write("tests/add.sh", suite(&[ADDS, NEGATES, zero]));
            },
            &[],
        ),
        (
            "another workflow",
            |project| {
                project
                    .write(".github/workflows/ci.yml", "on: push\n")
                    .into_unit()
            },
            &["warning gate_definition_changed:.github/workflows/ci.yml"],
        ),
        (
            "a rule that is on now",
            |project| {
                let rules =
                    "lint.required_sections = [\"Goal\"]\nlint.severities = { B4 = \"error\" }\n";
                project
                    .write("ralph.toml", format!("{rules}{CONFIG}"))
                    .into_unit()
            },
            &["warning gate_definition_changed:ralph.toml"],
        ),
        (
            "a task of which a part is another task now",
            |project| {
                edit(
                    project,
                    "tasks/demo/01-add.md",
                    "| `adds_negative` | it works |\n",
                    "",
                );
                let text = task(3, "Negative", "sh tests/negative.sh", &["adds_negative"]);
                project.write("tasks/demo/03-negative.md", text);
                project.write("tests/add.sh", suite(&[ADDS]));
                project.write("tests/negative.sh", suite(&[NEGATES]));
            },
            &[
                "warning listed_test_removed:demo/1",
                "warning tests_gone:demo/1",
            ],
        ),
        (
            "a task that is two others now",
            |project| {
                remove(project, "tasks/demo/01-add.md");
                for (number, test) in [(3, ADDS), (4, NEGATES)] {
                    let (name, file) = (test.0, format!("tests/{}.sh", test.0));
                    let text = task(number, name, &format!("sh {file}"), &[name]);
                    project.write(format!("tasks/demo/0{number}-{name}.md"), text);
                    project.write(file, suite(&[test]));
                }
            },
            &["warning task_removed:demo/1"],
        ),
        (
            "a spec in other words",
            |project| {
                edit(
                    project,
                    "specs/DEMO.md",
                    "Add two numbers.",
                    "The sum of two numbers is printed.",
                )
            },
            &[],
        ),
        (
            "a comment in a test",
            |project| {
                let text = project.read("tests/add.sh");
                let text = format!("# A sum of two numbers.\n{text}");
                project.write("tests/add.sh", text).into_unit()
            },
            &[],
        ),
        (
            "a claim that is withdrawn with its code and its test",
            |project| {
                edit(project, "tasks/demo/02-name.md", "complete", "pending");
                remove(project, "tests/name.sh");
                remove(project, "name.sh");
            },
            &["warning claim_withdrawn:demo/2"],
        ),
        (
            "code alone",
            |project| {
                project
                    .write("app.sh", "a=$1; echo $((a + $2))\n")
                    .into_unit()
            },
            &[],
        ),
    ];
    for (name, change, expected) in cases {
        check(name, change, 0, expected);
    }
}

/// A root `web` of its own, with a task and a test, beside that of [`project`].
fn nested() -> TestEnvironment {
    let environment = project();
    git(&environment, &["switch", "-q", "main"]);
    root(&environment, "web");
    git(&environment, &["add", "-A"]);
    git(&environment, &["commit", "-q", "-m", "Web"]);
    git(&environment, &["switch", "-q", "-C", "work"]);
    environment
}

fn root(environment: &TestEnvironment, at: &str) {
    let path = |path: &str| format!("{at}/{path}");
    environment.write(path("ralph.toml"), CONFIG);
    environment.write(path("specs/PAGE.md"), "# Page\n\n## Goal\n\nOne page.\n");
    let plan = PLAN.replace("demo", "page");
    environment.write(path("tasks/page/IMPLEMENTATION_PLAN.md"), plan);
    let task = task(1, "Show", "sh tests/page.sh", &["shows"]);
    let task = task.replace("DEMO", "PAGE");
    environment.write(path("tasks/page/01-show.md"), task);
    let test = suite(&[("shows", "sh page.sh", "page")]);
    environment.write(path("tests/page.sh"), test);
    environment.write(path("page.sh"), "echo page\n");
}

#[test]
fn a_root_that_is_checked_no_more_is_named_with_what_was_complete_there() {
    let task = "web/tasks/page/01-show.md";
    let cases: [(&str, Edit, i32, &[&str]); 6] = [
        (
            "the root is removed",
            |project| fs::remove_dir_all(project.root().join("web")).unwrap(),
            6,
            &["error task_removed:web"],
        ),
        (
            "it moved",
            |project| git(project, &["mv", "web", "frontend"]).into_unit(),
            6,
            &["error task_removed:web"],
        ),
        (
            "its configuration and its specs are removed, not its tasks",
            |project| {
                remove(project, "web/ralph.toml");
                fs::remove_dir_all(project.root().join("web/specs")).unwrap();
            },
            6,
            &["error task_removed:web"],
        ),
        (
            "git ignores it now",
            |project| {
                let rules = project.read(".gitignore") + "web/\n";
                project.write(".gitignore", rules).into_unit()
            },
            6,
            &["error task_removed:web"],
        ),
        (
            "its configuration alone is removed",
            |project| remove(project, "web/ralph.toml"),
            6,
            &[],
        ),
        (
            "a file of it differs",
            |project| project.write("web/README.md", "# Page\n").into_unit(),
            0,
            &[],
        ),
    ];
    for (name, change, exit, expected) in cases {
        let environment = nested();
        change(&environment);
        git(&environment, &["add", "-A"]);
        git(&environment, &["commit", "-q", "-m", "Work"]);
        let ran = gate(&environment, &[]);
        assert_eq!(ran.code, exit, "{name}: {ran:#?}");
        assert_eq!(differences(&ran.json()), expected, "{name}: {ran:#?}");
    }
    let environment = nested();
    let without = environment.read(task).replace("complete", "pending");
    git(&environment, &["switch", "-q", "main"]);
    environment.write(task, without);
    git(&environment, &["commit", "-q", "-a", "-m", "Open"]);
    git(&environment, &["switch", "-q", "-C", "work"]);
    git(&environment, &["rm", "-q", "-r", "web"]);
    let open = gate(&environment, &[]).exits(0).json();
    assert_eq!(differences(&open), ["warning gate_definition_changed:web"]);
}

#[test]
fn a_removed_root_is_one_line_that_a_maintainer_allows_by_its_name() {
    let environment = nested();
    git(&environment, &["rm", "-q", "-r", "web"]);
    let shown = environment
        .ralph(["gate", "--base", "main"])
        .exits(6)
        .stdout;
    let line = "  error  web/ralph.toml:1  task_removed:web: the root web is no longer checked \
                at this path, with 1 complete task: page/1 (Show)\n";
    assert!(shown.contains(line), "{shown}");
    gate(&environment, &["--allow", "task_removed:web"]).exits(0);
    let one_spec = ["gate", "DEMO", "--base", "main"];
    environment.ralph(one_spec).exits(0);
    environment
        .ralph(["gate", "--base", "main", "--root", "."])
        .exits(0);
}

#[test]
fn a_root_that_the_base_leaves_out_may_go() {
    let cases: [Edit; 2] = [
        |project| {
            let text = format!("workspace.exclude = [\"web\"]\n{CONFIG}");
            project.write("ralph.toml", text).into_unit()
        },
        |project| {
            let rules = project.read(".gitignore") + "web/\n";
            project.write(".gitignore", rules).into_unit()
        },
    ];
    for leave_out in cases {
        let environment = nested();
        git(&environment, &["switch", "-q", "main"]);
        leave_out(&environment);
        git(&environment, &["commit", "-q", "-a", "-m", "Leave out"]);
        git(&environment, &["switch", "-q", "-C", "work"]);
        git(&environment, &["rm", "-q", "-r", "web"]);
        let report = gate(&environment, &[]).exits(0).json();
        assert_eq!(differences(&report), [""; 0]);
    }
}

/// Drops the path that a write returns, so that a table can hold it as one expression.
trait IntoUnit: Sized {
    fn into_unit(self) {}
}

impl IntoUnit for std::path::PathBuf {}
impl IntoUnit for String {}

#[test]
fn a_maintainer_lets_a_difference_pass_by_name_and_every_report_says_so() {
    let environment = project();
    edit(&environment, "ralph.toml", "80", "1");
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    let name = "threshold_lowered:completeness";
    let report = gate(&environment, &["--allow", name]).exits(0).json();
    assert_eq!(report["compared"][0]["changes"][0]["allowed"], true);
    let by_variable = environment.command(["gate", "--base", "main"]);
    let shown = by_variable
        .env("RALPH_GATE_ALLOW", name)
        .run()
        .exits(0)
        .stdout;
    assert!(
        shown.contains(&format!(
            "{name}: the minimum of completeness is lower (before: 80; now: 1) [allowed]"
        )),
        "{shown}"
    );
    let arguments = ["gate", "--base", "main", "--allow", name, "--format"];
    let printed = |format| {
        environment
            .ralph(arguments.iter().chain(&[format]))
            .exits(0)
    };
    let result = &printed("sarif").json()["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "threshold_lowered");
    let allowed = serde_json::json!([{
        "kind": "external", "status": "accepted", "justification": "allowed by its name",
    }]);
    assert_eq!(result["suppressions"], allowed);
    assert_eq!(printed("gitlab").stdout, "[]\n");
    assert_eq!(printed("github").stdout, "");
    let refused = gate(&environment, &["--allow", "threshold:completeness"]).exits(2);
    assert!(
        refused.stderr.contains("must be one of [threshold_lowered"),
        "{refused:#?}"
    );
}

#[test]
fn what_the_change_itself_allows_does_not_count_and_what_the_base_allows_does() {
    let environment = project();
    let allow = "gate.allow = [\"threshold_lowered:completeness\"]\n";
    environment.write(
        "ralph.toml",
        format!("{allow}{}", CONFIG.replace("80", "1")),
    );
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    gate(&environment, &[]).exits(6);
    git(&environment, &["switch", "-q", "main"]);
    environment.write("ralph.toml", format!("{allow}{CONFIG}"));
    git(&environment, &["commit", "-q", "-a", "-m", "Allow"]);
    git(&environment, &["switch", "-q", "-c", "later"]);
    environment.write(
        "ralph.toml",
        format!("{allow}{}", CONFIG.replace("80", "1")),
    );
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    gate(&environment, &[]).exits(0);
}

#[test]
fn a_key_of_the_base_that_is_gone_is_passed_over() {
    let environment = project();
    git(&environment, &["switch", "-q", "main"]);
    environment.write("ralph.toml", format!("review.evidence = \"ask\"\n{CONFIG}"));
    git(&environment, &["commit", "-q", "-a", "-m", "Old"]);
    git(&environment, &["switch", "-q", "-c", "later"]);
    environment.write("ralph.toml", CONFIG.replace("80", "1"));
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    let report = gate(&environment, &[]).exits(6).json();
    assert_eq!(
        differences(&report),
        ["error threshold_lowered:completeness"]
    );
}

#[test]
fn each_format_shows_the_differences_at_their_places() {
    let environment = project();
    edit(&environment, "ralph.toml", "80", "1");
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    let shown = |format: &str| {
        let arguments = ["gate", "--base", "main", "--format", format];
        environment.ralph(arguments).exits(6).stdout
    };
    let sentence =
        "threshold_lowered:completeness: the minimum of completeness is lower (before: 80; now: 1)";
    for (format, expected) in [
        ("human", format!("  error  ralph.toml:1  {sentence}\n")),
        (
            "github",
            format!(
                "::error file=ralph.toml,line=1,endLine=1,col=1,title=ralph gate::{sentence}\n"
            ),
        ),
        ("junit", format!("<failure message=\"{sentence}\">")),
        (
            "markdown",
            "| ralph.toml:1 | **error** | threshold\\_lowered:completeness: ".to_owned(),
        ),
        (
            "sarif",
            format!(
                "\"message\":{{\"text\":\"{sentence}\"}},\"partialFingerprints\":{{\"ralphGate/v1\":\"threshold_lowered:completeness\"}}"
            ),
        ),
        (
            "sarif",
            "\"shortDescription\":{\"text\":\"A minimum score, or the severity that blocks, is lower than in the base.\"}".to_owned(),
        ),
        (
            "gitlab",
            format!("\"description\":\"{sentence}\",\"fingerprint\":\""),
        ),
    ] {
        let shown = shown(format);
        assert!(shown.contains(&expected), "{format}: {shown}");
    }
    let human = shown("human");
    assert!(human.contains(": 1 difference, 1 error\n"), "{human}");
    let next = "undo what fails in comparison with main, or let a maintainer allow it: --allow threshold_lowered:completeness";
    assert!(human.contains(next), "{human}");
}

#[test]
fn a_base_that_is_not_in_the_clone_is_named_with_the_way_to_get_it() {
    let environment = project();
    let unknown = environment.ralph(["gate", "--base", "nowhere"]).exits(2);
    assert!(
        unknown
            .stderr
            .contains("base nowhere: git has no such commit"),
        "{unknown:#?}"
    );
    environment.write("app.sh", "a=$1; echo $((a + $2))\n");
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    let clone = TestEnvironment::without_project();
    let from = format!("file://{}", environment.root().display());
    fs::remove_dir_all(clone.root()).ok();
    fs::create_dir_all(clone.root()).unwrap();
    git(
        &clone,
        &[
            "clone", "-q", "--depth", "1", "--branch", "work", &from, ".",
        ],
    );
    for command in [
        &["gate", "--base", "origin/main"][..],
        &[
            "run",
            "--spec",
            "DEMO",
            "--no-apply",
            "--base",
            "origin/main",
        ],
    ] {
        let shallow = clone.ralph(command).exits(2);
        assert!(shallow.stderr.contains("a shallow clone"), "{shallow:#?}");
        assert!(
            shallow.stderr.contains("git fetch --unshallow"),
            "{shallow:#?}"
        );
    }
    git(&clone, &["remote", "set-branches", "origin", "*"]);
    git(&clone, &["fetch", "-q", "--unshallow"]);
    clone.ralph(["gate", "--base", "origin/main"]).exits(0);
}

#[test]
fn a_shallow_clone_that_reaches_to_the_base_is_compared() {
    let environment = project();
    edit(&environment, "ralph.toml", "80", "1");
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    let clone = TestEnvironment::without_project();
    let from = format!("file://{}", environment.root().display());
    let shallow = ["clone", "-q", "--depth", "2", "--no-single-branch"];
    let arguments = [&shallow[..], &["--branch", "work", &from, "."]].concat();
    git(&clone, &arguments);
    let ran = clone.ralph(["gate", "--base", "origin/main", "--format", "json"]);
    let ran = ran.exits(6);
    assert_eq!(
        differences(&ran.json()),
        ["error threshold_lowered:completeness"]
    );
}

#[test]
fn the_merge_that_a_service_checks_is_compared_with_the_branch_it_is_for() {
    let environment = project();
    edit(&environment, "tasks/demo/02-name.md", "complete", "pending");
    git(&environment, &["commit", "-q", "-a", "-m", "Work"]);
    git(&environment, &["switch", "-q", "main"]);
    edit(&environment, "ralph.toml", "80", "90");
    git(&environment, &["commit", "-q", "-a", "-m", "Raise"]);
    git(&environment, &["switch", "-q", "--detach"]);
    git(&environment, &["merge", "-q", "--no-edit", "work"]);
    let report = gate(&environment, &[]).exits(0).json();
    assert_eq!(differences(&report), ["warning claim_withdrawn:demo/2"]);
}

#[test]
fn the_ci_of_a_change_is_told_that_nothing_is_compared() {
    let environment = project();
    for target in ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"] {
        let in_ci = |value| {
            let plain = environment.command(["gate"]).env("CI", value);
            plain.env(target, "main").run().exits(0).stderr
        };
        let told = in_ci("true");
        let expected = "what decides is compared with nothing: `--base origin/main` compares it \
                        with the target of this change";
        assert!(told.contains(expected), "{told}");
        let elsewhere = in_ci("");
        assert!(!elsewhere.contains("--base"), "{elsewhere}");
    }
}
