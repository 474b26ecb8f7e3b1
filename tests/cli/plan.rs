//! `ralph plan`: an agent answers with the files of a unit, and what can be used of them is
//! written.

use std::fs;

use serde_json::json;

use crate::implement::{commit, git};
use crate::support::{Ran, TestEnvironment};

const SPEC: &str = "\
# Stack

Functions for a stack of numbers, in Python, each in a module of its own.

## Requirements

- **FR-1**: `push.push(stack, n)` MUST return a new list with `n` after the numbers of `stack`.
- **FR-2**: `pop.pop(stack)` MUST return the last number and a new list without it.
- **FR-3**: `peek.peek(stack)` MUST return the last number.
- **FR-4**: `total.total(stack)` MUST return the sum of the numbers.

## Acceptance

- Each module has tests that `python3 -m unittest` runs.
";

/// The name of a task, the code that it asks for, and what its test asserts.
const TASKS: [(&str, &str, &str); 4] = [
    ("push", "stack + [n]", "push([1], 2), [1, 2]"),
    ("pop", "(stack[-1], stack[:-1])", "pop([1, 2]), (2, [1])"),
    ("peek", "stack[-1]", "peek([1, 2]), 2"),
    ("total", "sum(stack)", "total([1, 2]), 3"),
];

/// The file of a task of the unit.
fn task(number: usize) -> (String, String) {
    let name = TASKS[number - 1].0;
    let text = format!(
        "---\ntask: {number}\nstatus: pending\nbackpressure: \"python3 -m unittest test_{name}\"\n\
         depends_on: []\n---\n\n# Write {name}\n\n**Parent spec**: `/specs/STACK.md`\n\
         **Task**: #{number} of 4 in implementation plan\n\n## Objective\n\n\
         Write what FR-{number} asks for, with a test.\n\n## Dependencies\n\nNone.\n\n\
         ## Deliverables\n\n- Create: `{name}.py`\n- Create: `test_{name}.py`\n\n\
         ## Backpressure\n\n### Validation Command\n\n```bash\npython3 -m unittest test_{name}\n```\n\n\
         ## NOT In Scope\n\n- The other functions.\n"
    );
    (format!("tasks/stack/0{number}-{name}.md"), text)
}

/// The file of the plan.
fn plan() -> (String, String) {
    let mut text = "---\nunit: stack\nspec: specs/STACK.md\ndepends_on: []\n---\n\n\
                    # Implementation plan: stack\n\n\
                    | # | Task | Depends on | Backpressure |\n|---|------|------------|--------------|\n"
        .to_owned();
    for (number, (name, ..)) in (1..).zip(TASKS) {
        text += &format!(
            "| {number} | 0{number}-{name}.md | None | `python3 -m unittest test_{name}` |\n"
        );
    }
    ("tasks/stack/IMPLEMENTATION_PLAN.md".to_owned(), text)
}

fn answer(files: impl IntoIterator<Item = (String, String)>) -> String {
    let files = files.into_iter();
    let files: Vec<_> = files
        .map(|(path, content)| json!({"path": path, "content": content}))
        .collect();
    json!({ "files": files }).to_string()
}

fn unit() -> Vec<(String, String)> {
    (1..=4).map(task).chain([plan()]).collect()
}

/// A project with a spec, and an agent that gives its answers one after another, the last
/// one ever again, and implements what it planned.
fn project(answers: &[&str]) -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/STACK.md", SPEC);
    for (at, answer) in answers.iter().enumerate() {
        fs::write(
            environment.home().join(format!("answer-{}", at + 1)),
            answer,
        )
        .unwrap();
    }
    let mut script = format!(
        "if [ -z \"${{RALPH_TASK:-}}\" ]; then\n\
         echo x >> \"$HOME/calls\"; n=$(wc -l < \"$HOME/calls\" | tr -d ' ')\n\
         cat > \"$HOME/prompt-$n\"; [ $n -le {last} ] || n={last}; cat \"$HOME/answer-$n\"; exit\n\
         fi\ncase $RALPH_TASK in\n",
        last = answers.len()
    );
    for (number, (name, code, asserts)) in (1..).zip(TASKS) {
        let arguments = if name == "push" { "stack, n" } else { "stack" };
        script += &format!(
            "{number}) echo 'def {name}({arguments}): return {code}' > {name}.py\n\
             printf '%s\\n' 'import unittest' 'from {name} import {name}' '' \
             'class Test(unittest.TestCase):' '    def test_{name}(self): self.assertEqual({asserts})' > test_{name}.py;;\n"
        );
    }
    environment.program("agent", &format!("{script}esac"));
    environment
}

fn run(environment: &TestEnvironment, arguments: &[&str]) -> Ran {
    let plan = ["plan", "STACK", "--implementer", "cmd:agent"];
    environment.command([&plan, arguments].concat()).run()
}

fn calls(environment: &TestEnvironment) -> usize {
    let calls = fs::read_to_string(environment.home().join("calls"));
    calls.unwrap_or_default().lines().count()
}

/// The files of the project but the state of runs.
fn files(environment: &TestEnvironment) -> Vec<String> {
    let mut files = environment.files(".");
    files.retain(|path| !path.starts_with(".ralph-review/"));
    files
}

/// The walk of a new user: a spec, and two commands.
#[test]
fn a_spec_is_planned_and_then_implemented() {
    let environment = project(&[&answer(unit())]);
    fs::write(
        environment.home().join(".gitconfig"),
        "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n",
    )
    .unwrap();
    environment.write(".gitignore", "__pycache__/\n.ralph-review/\n");
    commit(&environment);

    let planned = run(&environment, &[]).exits(0);
    assert_eq!(planned.stderr, "asking cmd:agent to plan specs/STACK.md\n");
    let end = "wrote tasks/stack/04-total.md\nwrote tasks/stack/IMPLEMENTATION_PLAN.md\n\
               planned: 4 tasks in tasks/stack\n\
               \x20 task 1  Write push  `python3 -m unittest test_push`\n\
               \x20 task 2  Write pop  `python3 -m unittest test_pop`\n\
               \x20 task 3  Write peek  `python3 -m unittest test_peek`\n\
               \x20 task 4  Write total  `python3 -m unittest test_total`\n\
               next:\nhave the tasks implemented:\n\
               ralph run specs/STACK.md --implementer cmd:agent\n";
    assert!(planned.stdout.ends_with(end), "{}", planned.stdout);
    for (path, text) in unit() {
        assert_eq!(environment.read(path), text);
    }

    let next = planned.stdout.lines().last().unwrap();
    let next: Vec<_> = next.split(' ').skip(1).collect();
    let landed = environment.command(next).run();
    landed.exits(0);
    assert_eq!(
        git(&environment, &["log", "--format=%s"]),
        "Write total\nWrite peek\nWrite pop\nWrite push\nStart"
    );
    assert!(environment.read("total.py").contains("sum(stack)"));
    let proved = ["gate", "--offline", "--require-all"];
    environment.ralph(proved).exits(0);
    let status = environment
        .ralph(["status", "STACK", "--format", "json"])
        .exits(0)
        .json();
    let tasks = status["specs"][0]["tasks"].as_array().unwrap();
    assert!(
        tasks.iter().all(|task| task["status"] == "complete"),
        "{status}"
    );
}

#[test]
fn a_dry_run_prints_the_files_and_writes_none() {
    let environment = project(&[&answer(unit())]);
    let shown = run(&environment, &["--dry-run"]).exits(0);
    let (path, text) = task(1);
    assert!(
        shown.stdout.starts_with(&format!("{path}\n{text}\n")),
        "{}",
        shown.stdout
    );
    assert!(
        shown
            .stdout
            .contains("\nproposed: 4 tasks in tasks/stack; nothing is written\n"),
        "{}",
        shown.stdout
    );
    let report = run(&environment, &["--dry-run", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(report["outcome"], "proposed");
    assert_eq!(report["files"][0]["text"], text);
    assert_eq!(
        report["tasks"][3]["command"],
        "python3 -m unittest test_total"
    );
    assert_eq!(report["by"]["prompt"], "plan/v1 planner/v1");
    assert_eq!(report["calls"], 1);
    assert_eq!(files(&environment), ["specs/STACK.md"]);
}

#[test]
fn a_spec_with_tasks_is_not_planned_again() {
    let environment = project(&[&answer(unit())]);
    run(&environment, &[]).exits(0);
    let again = run(&environment, &[]).exits(2);
    assert_eq!(
        again.stderr,
        "error: specs/STACK.md has 4 tasks already, in tasks/stack\n  hint: `ralph run \
         specs/STACK.md` runs them; remove them first to plan the spec again\n"
    );
    assert_eq!(calls(&environment), 1);
}

#[test]
fn an_agent_that_needs_an_answer_writes_nothing() {
    let question = r#"{"outcome": "question", "text": "Integers or floats?"}"#;
    let environment = project(&[question]);
    let asked = run(&environment, &[]).exits(1);
    let start = "not planned: question: Integers or floats?\n";
    assert!(asked.stdout.starts_with(start), "{}", asked.stdout);
    let end = "next:\nanswer it in specs/STACK.md, then `ralph plan specs/STACK.md --implementer \
               cmd:agent`\n";
    assert!(asked.stdout.ends_with(end), "{}", asked.stdout);
}

#[test]
fn a_signal_ends_the_planning() {
    let environment = project(&[]);
    environment.program("agent", "kill -INT $PPID; exec sleep 600");
    let ended = run(&environment, &[]).exits(130);
    assert!(
        ended
            .stderr
            .ends_with("error: the planning was interrupted; nothing was written\n"),
        "{}",
        ended.stderr
    );
    assert_eq!(files(&environment), ["specs/STACK.md"]);
}

/// Killed once the first file is there: how many follow is up to the machine.
#[test]
fn a_plan_that_was_killed_while_it_was_written_is_planned_again() {
    let mut files = unit();
    for (_, text) in &mut files[1..4] {
        *text += &"x".repeat(256 << 10);
    }
    for _ in 0..2 {
        let environment = project(&[&answer(files.clone())]);
        let ready = ["plan", "STACK", "--implementer", "cmd:agent"];
        let mut planning = environment.command(ready).into_std().spawn().unwrap();
        while !environment.root().join(&files[0].0).exists() {
            assert!(planning.try_wait().unwrap().is_none());
            std::thread::yield_now();
        }
        planning.kill().unwrap();
        planning.wait().unwrap();
        let written = environment.files("tasks");
        let is_complete = files.iter().all(|(path, _)| written.contains(path));
        let again = run(&environment, &[]).exits(if is_complete { 2 } else { 0 });
        let removed = again.stderr.starts_with("removed ");
        assert_eq!(removed, !is_complete, "{}", again.stderr);
        let paths: Vec<_> = files.iter().map(|(path, _)| path.clone()).collect();
        assert_eq!(environment.files("tasks"), paths);
        for (path, text) in &files {
            assert_eq!(&environment.read(path), text);
        }
    }
}

#[test]
fn an_agent_that_fails_and_a_limit_have_their_exit_codes() {
    let environment = project(&["{}"]);
    let limited = run(
        &environment,
        &["--set", "run.max_calls=1", "--format", "json"],
    )
    .exits(5);
    let report = limited.json();
    assert_eq!(
        (&report["outcome"], &report["reason"]),
        (&json!("limit"), &json!("the budget of 1 call is used up"))
    );
    environment.program("agent", "echo no >&2; exit 3");
    let failed = run(&environment, &["--format", "json"]).exits(3).json();
    assert_eq!(failed["outcome"], "no_answer");
    let reason = failed["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("cmd:agent gave no answer: `agent` ended with exit status 3"),
        "{reason}"
    );

    let limit = ["--set", "run.max_cost=1"];
    let refused = run(&environment, &limit).exits(2);
    assert!(
        refused
            .stderr
            .contains("error: a limit of cost cannot be kept"),
        "{}",
        refused.stderr
    );
}

#[test]
fn who_plans_is_named_by_the_option_or_the_configuration() {
    let environment = project(&[&answer(unit())]);
    let nobody = environment.ralph(["plan", "STACK"]).exits(2);
    assert_eq!(
        nobody.stderr,
        "error: no agent is named that plans and implements tasks\n  hint: name it with \
         --implementer or in task.implementer\n"
    );
    environment.write("ralph.toml", "[task]\nimplementer = \"cmd:agent\"\n");
    let planned = environment.ralph(["plan"]).exits(0);
    assert!(
        planned.stdout.ends_with("\nralph run specs/STACK.md\n"),
        "{}",
        planned.stdout
    );
    let rules = ["plan", "STACK", "--implementer", "builtin"];
    fs::remove_dir_all(environment.root().join("tasks")).unwrap();
    environment.ralph(rules).exits(2);
}
