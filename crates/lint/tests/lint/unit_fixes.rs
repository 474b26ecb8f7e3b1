//! The effect of fixes on the plan and the tasks of a unit.

use review_lint::{Rule, Safety, Settings, lint};

use crate::support::{fixed_files, fixed_first, workspace};

const PLAN: &str = "tasks/web/IMPLEMENTATION_PLAN.md";

/// The first file with the fixes of one rule applied.
fn fixed(rule: Rule, files: &[(String, String)], up_to: Safety) -> String {
    let settings = Settings {
        select: Some([rule].into()),
        ..Settings::default()
    };
    let report = lint(&workspace(files, &[], &[]), &settings);
    fixed_first(files, report.findings(), up_to)
}

/// The plan with the fixes of one rule applied, next to tasks with this front matter.
fn fixed_plan(rule: Rule, plan: &str, tasks: &[(&str, &str)], up_to: Safety) -> String {
    let mut files = vec![(PLAN.to_owned(), plan.to_owned())];
    for (name, head) in tasks {
        let text = format!("---\n{head}\n---\n# About {name}\n");
        files.push((format!("tasks/web/{name}"), text));
    }
    fixed(rule, &files, up_to)
}

/// A task with the fixes of one rule applied, next to a first and a second task.
fn fixed_task(rule: Rule, text: &str, up_to: Safety) -> String {
    let other = |number: u32| {
        let text = format!("---\ntask: {number}\n---\n# Other\n");
        (format!("tasks/web/0{number}-other.md"), text)
    };
    let own = ("tasks/web/04-own.md".to_owned(), text.to_owned());
    fixed(rule, &[own, other(1), other(2)], up_to)
}

#[test]
fn dependencies_of_the_plan_are_copied_from_the_task() {
    let task = [
        ("01-a.md", "task: 1"),
        ("02-b.md", "task: 2\ndepends_on: [1, 3]"),
        ("03-c.md", "task: 3"),
    ];
    let cases = [
        ("|2|#1|", "|2|#1, #3|"),
        ("| 2 | 1 |", "| 2 | 1, 3 |"),
        ("2 |  None", "2 |  1, 3"),
        ("| 2 | #1 (types) |", "| 2 | #1 (types) |"),
        ("| 2 | |", "| 2 | 1, 3 |"),
        ("|2||", "|2| 1, 3 |"),
        ("| 2 |", "| 2 |"),
    ];
    for (before, after) in cases {
        let plan = |row: &str| format!("| # | Deps |\n|---|---|\n{row}\n\nText.\n");
        let rule = Rule::PlanDependenciesDiffer;
        let fixed = fixed_plan(rule, &plan(before), &task, Safety::Unsafe);
        assert_eq!(fixed, plan(after));
        let untouched = fixed_plan(rule, &plan(before), &task, Safety::Safe);
        assert_eq!(untouched, plan(before));
    }
}

#[test]
fn checks_of_the_plan_are_copied_from_the_task() {
    let cases = [
        ("`go vet`", "go test -run 'A|B'", "`go test -run 'A\\|B'`"),
        ("go vet", "[go test, go build]", "`go test && go build`"),
        ("`go vet`, `go build`", "go test", "`go test`"),
        ("`go vet`", "go test ` `", "`go vet`"),
        ("`go vet`", "\"go test\\ngo build\"", "`go vet`"),
        ("`go vet`", "[\"go test #\", go build]", "`go vet`"),
        ("`go vet`", "[go test &, go build]", "`go vet`"),
        ("`go vet`", "go test #", "`go test`"),
        ("`go test`", "\"true\"", "`go test`"),
        ("`go vet`", "go test || true", "`go vet`"),
    ];
    for (before, command, after) in cases {
        let plan = |cell: &str| format!("| # | Check |\n|---|---|\n| 2 | {cell} |\n");
        let head = format!("task: 2\nbackpressure: {command}");
        let task = [("02-a.md", head.as_str())];
        let rule = Rule::PlanCheckDiffers;
        let fixed = fixed_plan(rule, &plan(before), &task, Safety::Unsafe);
        assert_eq!(fixed, plan(after));
        let untouched = fixed_plan(rule, &plan(before), &task, Safety::Safe);
        assert_eq!(untouched, plan(before));
    }
}

#[test]
fn a_command_that_proves_nothing_is_not_copied() {
    let tests = "\n## Must Pass\n\n| Test |\n|---|\n| `TestA` |\n| `TestB` |\n";
    let cases = [
        ("go test ./a", tests, true),
        ("\"true\"", "", false),
        ("go test ./a || true", "", false),
        ("[go test ./a, \"true\"]", "", false),
        ("go test ./a -run TestC", tests, false),
        ("go test ./a -run TestA", tests, false),
        ("go test ./a -run TestA", "", true),
        ("go build ./a", tests, false),
        ("go build ./a", "", true),
    ];
    for (command, tests, is_copied) in cases {
        let task = format!(
            "---\ntask: 2\nbackpressure: {command}\n---\n# A\n{tests}\n## Validation Command\n\n```\ngo test ./...\n```\n"
        );
        let task = ("tasks/web/02-a.md".to_owned(), task);
        let plan = "| # | Check |\n|---|---|\n| 2 | `go test ./...` |\n";
        let plan = (PLAN.to_owned(), plan.to_owned());
        let files = [task.clone(), plan.clone()];
        let section = fixed(Rule::ValidationCommandDiffers, &files, Safety::Unsafe);
        assert_eq!(section != task.1, is_copied, "{command}");
        let files = [plan.clone(), task];
        let cell = fixed(Rule::PlanCheckDiffers, &files, Safety::Unsafe);
        assert_eq!(cell != plan.1, is_copied, "{command}");
    }
}

#[test]
fn dependencies_on_a_duplicate_number_are_left_alone() {
    let files = [
        ("a", "1\n---\n# A\n\n- Create: `a.go`\n"),
        ("b", "2\n---\n# B\n"),
        ("c", "2\ndepends_on: [1, 2]\n---\n# C\n"),
        ("d", "3\n---\n# D\n\nTask #2 must be complete.\n"),
    ];
    let files = files.map(|(name, text)| {
        let path = format!("tasks/web/{name}.md");
        (path, format!("---\ntask: {text}"))
    });
    let report = lint(&workspace(&files, &[], &[]), &Settings::default());
    let (after, _) = fixed_files(&files, report.findings(), Safety::Unsafe);
    assert_eq!(after, files);
}

#[test]
fn a_stated_position_is_corrected_digit_by_digit() {
    let text = |place: &str| format!("---\ntask: 4\n---\n# A\n\n**Task**: #{place} in the plan\n");
    let number = fixed_task(Rule::WrongTaskNumber, &text("31 of 3"), Safety::Safe);
    assert_eq!(number, text("4 of 3"));
    let twice = text("3 of 3").replace("task: 4", "task: 2");
    assert_eq!(
        fixed_task(Rule::WrongTaskNumber, &twice, Safety::Unsafe),
        twice
    );
}

#[test]
fn a_moved_spec_gets_its_current_path() {
    let other = ("specs/done/A.md".to_owned(), "# A\n".to_owned());
    let text = |spec: &str| format!("---\ntask: 4\n---\n# A\n\n**Parent spec**: {spec}\n");
    for (before, after) in [
        ("`/specs/A.md`", "`/specs/done/A.md`"),
        ("[A](../../specs/A.md#b)", "[A](/specs/done/A.md#b)"),
    ] {
        let own = ("tasks/web/04-own.md".to_owned(), text(before));
        let files = [own, other.clone()];
        let seen = fixed(Rule::MovedParentSpec, &files, Safety::Safe);
        assert_eq!(seen, text(after));
    }
    let named_alike = ("docs/A.md".to_owned(), "# A\n".to_owned());
    let own = ("tasks/web/04-own.md".to_owned(), text("A.md"));
    let seen = fixed(
        Rule::MovedParentSpec,
        &[own, other, named_alike],
        Safety::Unsafe,
    );
    assert_eq!(seen, text("A.md"));
}
