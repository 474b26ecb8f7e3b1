//! What an agent plans for a spec, and what can be used of its answer.

use std::collections::BTreeMap;

use review::NoSink;
use review_embedding_test::Workspace;
use review_engine::{NewUnit, Project, ReviewTarget, RunSettings, plan, write_plan};
use review_report::plan::{PlanOutcome, PlanReport};
use review_store::Root;
use review_test_support::http_server::{Server, stream};
use serde_json::json;

use crate::support::{files, program, read};

const SPEC: &str = "\
# Stack

Functions for a stack of numbers, in Python, each in a module of its own.

## Requirements

- **FR-1**: `push.push(stack, n)` MUST return a new list with `n` after the numbers of `stack`.
- **FR-2**: `pop.pop(stack)` MUST return the last number and a new list without it.

## Acceptance

- Each module has tests that `python3 -m unittest` runs.
";

const NAMES: [&str; 2] = ["push", "pop"];
const PLAN: &str = "tasks/stack/IMPLEMENTATION_PLAN.md";

/// The file of a task of the unit.
fn task(number: usize) -> (String, String) {
    let name = NAMES[number - 1];
    let text = format!(
        "---\ntask: {number}\nstatus: pending\nbackpressure: \"python3 -m unittest test_{name}\"\n\
         depends_on: []\n---\n\n# Write {name}\n\n**Parent spec**: `/specs/STACK.md`\n\
         **Task**: #{number} of 2 in implementation plan\n\n## Objective\n\n\
         Write what FR-{number} asks for, with a test.\n\n## Dependencies\n\nNone.\n\n\
         ## Deliverables\n\n- Create: `{name}.py`\n- Create: `test_{name}.py`\n\n\
         ## Backpressure\n\n### Validation Command\n\n```bash\npython3 -m unittest test_{name}\n```\n\n\
         ## NOT In Scope\n\n- The other functions.\n"
    );
    (format!("tasks/stack/0{number}-{name}.md"), text)
}

/// The file of the plan.
fn plan_file() -> (String, String) {
    let mut text = "---\nunit: stack\nspec: specs/STACK.md\ndepends_on: []\n---\n\n\
                    # Implementation plan: stack\n\n\
                    | # | Task | Depends on | Backpressure |\n|---|------|------------|--------------|\n"
        .to_owned();
    for (number, name) in (1..).zip(NAMES) {
        text += &format!(
            "| {number} | 0{number}-{name}.md | None | `python3 -m unittest test_{name}` |\n"
        );
    }
    (PLAN.to_owned(), text)
}

fn answer(files: impl IntoIterator<Item = (String, String)>) -> String {
    let files = files.into_iter();
    let files: Vec<_> = files
        .map(|(path, content)| json!({"path": path, "content": content}))
        .collect();
    json!({ "files": files }).to_string()
}

fn unit() -> Vec<(String, String)> {
    (1..=2).map(task).chain([plan_file()]).collect()
}

/// A project with a spec, and an agent that gives its answers one after another, the last one
/// ever again.
fn project(answers: &[&str]) -> Workspace {
    let workspace = Workspace::new(&[("specs/STACK.md", SPEC)]).unwrap();
    for (number, answer) in (1..).zip(answers) {
        let path = workspace.home().join(format!("answer-{number}"));
        std::fs::write(path, answer).unwrap();
    }
    let script = format!(
        "echo x >> \"$HOME/calls\"; n=$(wc -l < \"$HOME/calls\" | tr -d ' ')\n\
         cat > \"$HOME/prompt-$n\"; [ $n -le {last} ] || n={last}; cat \"$HOME/answer-$n\"",
        last = answers.len()
    );
    program(&workspace, "agent", &script);
    workspace
}

fn calls(workspace: &Workspace) -> usize {
    let calls = std::fs::read_to_string(workspace.home().join("calls"));
    calls.unwrap_or_default().lines().count()
}

fn prompt(workspace: &Workspace, call: usize) -> String {
    std::fs::read_to_string(workspace.home().join(format!("prompt-{call}"))).unwrap()
}

fn new_unit(workspace: &Workspace) -> Result<NewUnit, review_engine::EngineError> {
    let root = Root::open(&workspace.root()).unwrap();
    NewUnit::of_spec(&root, &workspace.root().join("specs/STACK.md"))
}

/// Plans the spec with the agent of a configuration, and writes what can be used.
async fn planned_by(
    workspace: &Workspace,
    config: &str,
    change: impl FnOnce(&mut Project<'_>),
) -> PlanReport {
    let mut project = workspace.project(&NoSink).unwrap();
    change(&mut project);
    let config = workspace.config(config).unwrap();
    let unit = new_unit(workspace).unwrap();
    let target = ReviewTarget::File {
        path: unit.spec.clone(),
    };
    let mut settings = RunSettings::of(&config, target);
    settings.config.task.implementer = config.task.implementer;
    let report = Box::pin(plan(&project, settings, &unit)).await.unwrap();
    match report.outcome {
        PlanOutcome::Proposed => write_plan(&project.root, report).unwrap(),
        _ => report,
    }
}

async fn planned(workspace: &Workspace) -> PlanReport {
    let config = "[task]\nimplementer = \"cmd:agent\"\n";
    planned_by(workspace, config, |_| {}).await
}

/// What blocks a plan, each with its path.
fn problems(report: &PlanReport) -> Vec<String> {
    let blocking = report.problems.iter().filter(|problem| problem.blocks);
    let line = blocking.map(|problem| {
        let path = problem.path.as_deref().unwrap_or_default();
        format!("{path} {}", problem.message)
    });
    line.collect()
}

#[tokio::test]
async fn a_plan_whose_commands_name_no_tests_says_so_once() {
    let lists = |(path, text): (String, String)| {
        let table = "### Must Pass\n\n| Test | Asserts |\n|---|---|\n| `test_it` | it works |\n\n";
        let text = text.replace("## NOT In Scope", &format!("{table}## NOT In Scope"));
        (path, text)
    };
    let report = planned(&project(&[&answer(unit().into_iter().map(lists))])).await;
    assert_eq!(report.outcome, PlanOutcome::Written);
    let said = report.problems.iter().map(|problem| &*problem.message);
    let said: Vec<_> = said.filter(|said| said.contains("by name")).collect();
    assert_eq!(
        said,
        ["listed tests are not checked by name in tasks 1, 2: \
          tests are not named by `unittest` without `-v`"]
    );
}

#[tokio::test]
async fn what_is_wrong_goes_back_with_the_answer() {
    let mut wrong = unit();
    let command = "backpressure: \"python3 -m unittest test_push\"\n";
    wrong[0].1 = wrong[0].1.replace(command, "");
    let workspace = project(&["I would write two tasks.", &answer(wrong), &answer(unit())]);
    let report = planned(&workspace).await;
    assert_eq!(report.outcome, PlanOutcome::Written);
    assert_eq!(report.usage.calls, 3);
    assert!(!prompt(&workspace, 1).contains("last answer"));
    let second = prompt(&workspace, 2);
    for part in [
        "last answer>>>\nI would write two tasks.\n<<<",
        "\njson: no object with the key files; answer with one JSON object",
    ] {
        assert!(second.contains(part), "{second}");
    }
    let third = prompt(&workspace, 3);
    let part = "\ntasks/stack/01-push.md: has no command";
    assert!(third.contains(part), "{third}");
}

#[tokio::test]
async fn after_three_answers_that_are_wrong_nothing_is_written() {
    let mut tasks = unit();
    tasks.pop();
    let workspace = project(&[&answer(tasks)]);
    let report = planned(&workspace).await;
    assert_eq!(report.outcome, PlanOutcome::Rejected);
    let missing = " the answer has no IMPLEMENTATION_PLAN.md";
    assert!(
        problems(&report).contains(&missing.to_owned()),
        "{report:#?}"
    );
    assert_eq!(calls(&workspace), 3);
    assert_eq!(files(&workspace), ["specs/STACK.md"]);
}

#[tokio::test]
async fn only_new_files_of_the_unit_are_written() {
    let long = format!("tasks/stack/05-{}.md", "x".repeat(195));
    let is_long = format!("{long} has a name of 201 bytes; at most 200 are used");
    for (path, why) in [
        (
            "src/evil.md",
            "src/evil.md is not directly in tasks/stack, the folder of the tasks",
        ),
        (
            "tasks/stack/deep/05-x.md",
            "tasks/stack/deep/05-x.md is not directly in tasks/stack, the folder of the tasks",
        ),
        (
            "tasks/stack/05-x.py",
            "tasks/stack/05-x.py is neither a plan nor a task; its name must end with .md",
        ),
        (
            "tasks/stack/01-PUSH.md",
            "tasks/stack/01-push.md differs from another file only in the case of its letters",
        ),
        (
            "tasks/stack/README.md",
            "tasks/stack/README.md is neither a plan nor a task; the name of a task starts with \
             its number",
        ),
        (
            "tasks/stack/05-a\u{1b}[31m\n.md",
            "tasks/stack/05-a\\u{1b}[31m\\n.md has a control character in its name",
        ),
        (&long, &is_long),
        ("../out.md", " files[3].path: ../out.md is outside the root"),
        (
            "/etc/out.md",
            "etc/out.md is not directly in tasks/stack, the folder of the tasks",
        ),
    ] {
        let more = (path.to_owned(), "# X\n".to_owned());
        let workspace = project(&[&answer(unit().into_iter().chain([more]))]);
        let report = planned(&workspace).await;
        assert_eq!(problems(&report), [why], "{path}");
        assert_eq!(files(&workspace), ["specs/STACK.md"], "{path}");
    }
}

#[tokio::test]
async fn a_planner_that_changes_the_spec_is_noticed() {
    let workspace = project(&[&answer(unit())]);
    let script = "cat > /dev/null; echo x >> specs/STACK.md; cat \"$HOME/answer-1\"";
    program(&workspace, "agent", script);
    let report = planned(&workspace).await;
    assert_eq!(report.outcome, PlanOutcome::NoAnswer);
    let reason = report.reason.unwrap();
    let changed = "`cmd:agent` changed specs/STACK.md, which it may only read; the change is kept; \
                   if it was made by hand while the planner ran, plan again";
    assert!(reason.contains(changed), "{reason}");
    assert_eq!(files(&workspace), ["specs/STACK.md"]);
}

#[tokio::test]
async fn what_exists_is_not_overwritten() {
    let (path, text) = plan_file();
    let ours = text.replace("# Imp", "# Our imp");
    let workspace = project(&[&answer(unit())]);
    workspace.write(&path, &ours).unwrap();
    let report = planned(&workspace).await;
    let exists = format!("{PLAN} exists already, and is not overwritten");
    assert_eq!(problems(&report), [exists]);
    let shown = format!("file {path}>>>\n---\nunit: stack");
    assert!(prompt(&workspace, 1).contains(&shown));
    assert_eq!(files(&workspace), ["specs/STACK.md", PLAN]);

    let workspace = project(&[&answer(unit()), &answer((1..=2).map(task))]);
    workspace.write(&path, &ours).unwrap();
    let report = planned(&workspace).await;
    assert_eq!(
        (report.outcome, report.usage.calls),
        (PlanOutcome::Written, 2)
    );
    assert_eq!(read(&workspace, &path), ours);
    assert_eq!(read(&workspace, &task(2).0), task(2).1);

    let workspace = project(&[&answer(unit())]);
    let out = workspace.home().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::create_dir(workspace.root().join("tasks")).unwrap();
    std::os::unix::fs::symlink(&out, workspace.root().join("tasks/stack")).unwrap();
    let report = planned(&workspace).await;
    assert_eq!(problems(&report).len(), 3, "{report:#?}");
    assert_eq!(std::fs::read_dir(out).unwrap().count(), 0);
}

#[tokio::test]
async fn a_spec_with_tasks_is_not_planned_again() {
    let workspace = project(&[&answer(unit())]);
    assert_eq!(planned(&workspace).await.outcome, PlanOutcome::Written);
    let again = new_unit(&workspace).unwrap_err();
    assert_eq!(
        again.to_string(),
        "specs/STACK.md has 2 tasks already, in tasks/stack"
    );
}

#[tokio::test]
async fn secrets_are_in_no_file() {
    let (path, text) = task(1);
    let leaky = text.replace("The other", "Key s3cr3t-of-the-eels. The other");
    let files = unit().into_iter().skip(1).chain([(path.clone(), leaky)]);
    let workspace = project(&[&answer(files)]);
    let config = "[task]\nimplementer = \"cmd:agent\"\n";
    let secret = |project: &mut Project<'_>| {
        let variables: BTreeMap<&str, &str> = [("EELS_API_KEY", "s3cr3t-of-the-eels")].into();
        for (name, value) in variables {
            project.env.insert(name.into(), value.into());
        }
    };
    let report = planned_by(&workspace, config, secret).await;
    assert_eq!(report.outcome, PlanOutcome::Written);
    assert!(!format!("{report:?}").contains("s3cr3t"), "{report:#?}");
    let written = read(&workspace, &path);
    assert!(written.contains("Key [redacted]. The other"), "{written}");
    assert_eq!(calls(&workspace), 1);
}

#[tokio::test]
async fn a_model_behind_an_api_plans() {
    let text = answer(unit());
    let said = json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
    let server = Server::always(stream(&format!("data: {said}\n\ndata: [DONE]\n\n")));
    let workspace = project(&[]);
    let profile = format!(
        "[http.local]\napi = \"chat_completions\"\nbase_url = \"{}\"\nmodel = \"m-1\"\n\
         [task]\nimplementer = \"http:local\"\n",
        server.url()
    );
    workspace.write("notes.txt", "").unwrap();
    let report = planned_by(&workspace, &profile, |_| {}).await;
    assert_eq!(report.outcome, PlanOutcome::Written);
    assert_eq!(read(&workspace, &task(2).0), task(2).1);
    let body = &server.asked()[0].body;
    assert!(body.contains("notes.txt\\nspecs/STACK.md\\n"), "{body}");
}
