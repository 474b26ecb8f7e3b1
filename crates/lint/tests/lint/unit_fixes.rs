//! The effect of fixes on the plan and the tasks of a unit.

use review_lint::{FileIgnores, Rule, Safety, Settings, lint};

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

/// The files of a unit with all fixes applied that are found at once.
fn fixed_unit(plan: &str, tasks: &[&str]) -> Vec<(String, String)> {
    let mut files = vec![(PLAN.to_owned(), plan.to_owned())];
    for (text, number) in tasks.iter().zip(1..) {
        let text = format!("---\ntask: {number}\n{text}");
        files.push((format!("tasks/web/0{number}-a.md"), text));
    }
    let report = lint(&workspace(&files, &[], &[]), &Settings::default());
    fixed_files(&files, report.findings(), Safety::Unsafe).0
}

#[test]
fn a_value_that_another_rule_reports_is_not_copied() {
    let plan = |rows: &str| format!("| # | Deps | Check |\n|---|---|---|\n{rows}");
    let first = "backpressure: go test ./a\n---\n# A\n\n- Create: `a.go`\n";
    let cases = [
        // A missing dependency, and one that a fix adds.
        (
            "depends_on: [1, 7]\nbackpressure: go test ./b\n---\n# B\n",
            "None | `go test ./b`",
        ),
        (
            "depends_on: []\nbackpressure: go test ./b\n---\n# B\n\n- Modify: `a.go`\n",
            "#2 | `go test ./b`",
        ),
        (
            "backpressure: go test ./b\n---\n# B\n\n- Modify: `a.go`\n",
            "#2 | `go test ./b`",
        ),
        // A command that needs the network.
        (
            "depends_on: [1]\nbackpressure: curl https://a.b/\n---\n# B\n",
            "#1 | `go test ./b`",
        ),
    ];
    for (second, cells) in cases {
        let row = |cells: &str| plan(&format!("| 1 | | `go test ./a` |\n| 2 | {cells} |\n"));
        let seen = fixed_unit(&row(cells), &[first, second]);
        assert_eq!(seen[0].1, row(cells), "{second}");
        let seen = fixed_unit(&plan("| 1 | | `go test ./a` |\n"), &[first, second]);
        assert_eq!(seen[0].1, plan("| 1 | | `go test ./a` |\n"), "{second}");
    }
    let rows = |row: &str| plan(&format!("| 1 | | `go test ./a` |\n| 2 | {row} |\n"));
    let sound = "depends_on: [1]\nbackpressure: go build ./b\n---\n# B\n";
    let seen = fixed_unit(&rows("None | `go vet ./b`"), &[first, sound]);
    assert_eq!(seen[0].1, rows("1 | `go build ./b`"));
    // Only compiling is an informational finding.
    let compiles = format!("{sound}\n## Functions to Implement\n\n`New`.\n");
    let seen = fixed_unit(&rows("None | `go vet ./b`"), &[first, &compiles]);
    assert_eq!(seen[0].1, rows("1 | `go build ./b`"));
}

#[test]
fn a_section_gets_no_command_that_another_rule_reports() {
    let task = |section: &str| {
        format!(
            "backpressure: curl https://a.b/\n---\n# A\n\n## Validation Command\n\n```\n{section}\n```\n"
        )
    };
    let seen = fixed_unit("", &[&task("go test ./a")]);
    assert_eq!(seen[1].1, format!("---\ntask: 1\n{}", task("go test ./a")));
}

#[test]
fn a_row_of_the_plan_follows_a_fix_of_dependencies() {
    let (loops, alone) = ("depends_on: [1, 2]", "depends_on: [1]");
    let (lacks, has) = ("depends_on: [7]", "depends_on: [1, 7]");
    let cases = [
        // An earlier difference is reported and left to another fix.
        (loops, "1, 2", alone, "1"),
        (loops, "1", alone, "1"),
        (loops, "all", alone, "all"),
        (loops, "None", alone, "None"),
        (lacks, "#7", has, "#1"),
        (lacks, "None", has, "1"),
        (lacks, "", has, "1"),
        // A value that cannot be written into the plan is not written at all.
        (loops, "1, 2 (types)", loops, "1, 2 (types)"),
        (lacks, "None (parallel)", lacks, "None (parallel)"),
    ];
    for (before, cell, after, new) in cases {
        let plan = |cell: &str| format!("| # | Deps |\n|---|---|\n| 1 | None |\n| 2 | {cell} |\n");
        let task = |head: &str| format!("{head}\n---\n# B\n\nTask #1 must be complete.\n");
        let seen = fixed_unit(&plan(cell), &["---\n# A\n", &task(before)]);
        assert_eq!(seen[0].1, plan(new), "{before}, {cell}");
        assert_eq!(
            seen[2].1,
            format!("---\ntask: 2\n{}", task(after)),
            "{cell}"
        );
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
fn a_row_is_inserted_by_its_number() {
    let tasks = [
        ("01-a.md", "task: 1\nbackpressure: go vet"),
        (
            "02-b.md",
            "task: 2\nbackpressure: [a | b, c]\ndepends_on: [1]",
        ),
        ("03-c.md", "task: 3\nbackpressure: x"),
    ];
    let cases = [
        (
            "| # | File | Title | Deps | Check | Note |\n|-|-|-|-|-|-|\n| 1 | [x](01-a.md) | a | - | `x` | |\n| #3 | 03-c.md | c | #1 | `x` | |\n",
            "| # | File | Title | Deps | Check | Note |\n|-|-|-|-|-|-|\n| 1 | [x](01-a.md) | a | - | `x` | |\n| 2 | [x](02-b.md) | About 02-b.md | #1 | `a \\| b && c` | |\n| #3 | 03-c.md | c | #1 | `x` | |\n",
        ),
        (
            "> | # | File | Deps |\r\n> |-|-|-|\r\n> | #2 | `02-b` | - |\r\n> | #3 | 03-c.md | |",
            "> | # | File | Deps |\r\n> |-|-|-|\r\n> | #1 | 01-a.md | None |\r\n> | #2 | `02-b` | - |\r\n> | #3 | 03-c.md | |",
        ),
        (
            "|#|Deps|\n|-|-|\n|1||\n|2||",
            "|#|Deps|\n|-|-|\n|1||\n|2||\n| 3 | None |",
        ),
    ];
    for (before, after) in cases {
        let seen = fixed_plan(Rule::TaskNotInPlan, before, &tasks, Safety::Safe);
        assert_eq!(seen, after);
    }
}

#[test]
fn a_dependency_is_added_in_the_style_of_the_list() {
    let cases = [
        ("depends_on: []", "depends_on: [1]"),
        ("depends_on: [ ]", "depends_on: [1 ]"),
        ("depends_on: [2] # x", "depends_on: [1, 2] # x"),
        ("depends_on: [ 2 ]", "depends_on: [ 1, 2 ]"),
        ("depends_on: [\n  2\n]", "depends_on: [\n  1, 2\n]"),
        ("depends_on: [2,]", "depends_on: [1, 2,]"),
        ("depends_on: [2 # x\n]", "depends_on: [1, 2 # x\n]"),
        ("depends_on:\n  - 2", "depends_on:\n  - 2\n  - 1"),
        ("depends_on: 2", "depends_on: 2"),
        ("depends_on:", "depends_on: [1]"),
        ("status: pending", "status: pending\ndepends_on: [1]"),
    ];
    for (before, after) in cases {
        let text =
            |line: &str| format!("---\ntask: 4\n{line}\n---\n# A\n\nTask #1 must be done.\n");
        let rule = Rule::UndeclaredDependency;
        assert_eq!(fixed_task(rule, &text(before), Safety::Unsafe), text(after));
        assert_eq!(fixed_task(rule, &text(before), Safety::Safe), text(before));
    }
}

#[test]
fn a_stated_position_is_corrected_digit_by_digit() {
    let text = |place: &str| format!("---\ntask: 4\n---\n# A\n\n**Task**: #{place} in the plan\n");
    let number = fixed_task(Rule::WrongTaskNumber, &text("31 of 3"), Safety::Safe);
    assert_eq!(number, text("4 of 3"));
    let count = fixed_task(Rule::WrongTaskCount, &text("4 of 12"), Safety::Safe);
    assert_eq!(count, text("4 of 3"));
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

#[test]
fn one_fix_updates_a_moved_spec_in_all_files() {
    let task = |number: u32, spec: &str| {
        let path = format!("tasks/web/0{number}-a.md");
        let text = format!("---\ntask: {number}\n---\n# A\n\nParent spec: `{spec}`\n");
        (path, text)
    };
    let files = [
        task(1, "/specs/A.md"),
        task(2, "/specs/B.md#x"),
        task(3, "/specs/C.md"),
        task(4, "/specs/A.md"),
    ];
    let paths = ["specs/done/A.md", "specs/done/B.md", "x/C.md", "y/C.md"];
    let workspace = workspace(&files, &paths.map(str::to_owned), &[]);
    let changed = |ignored: &str| {
        let ignores = FileIgnores {
            files: ignored.parse().unwrap(),
            rules: [Rule::MovedParentSpec].into(),
        };
        let settings = Settings {
            select: Some([Rule::MovedParentSpec].into()),
            per_file_ignores: vec![ignores],
            ..Settings::default()
        };
        let report = lint(&workspace, &settings);
        assert_eq!(report.findings().len(), 1);
        let (after, _) = fixed_files(&files, report.findings(), Safety::Safe);
        let lines = after.iter().map(|(_, text)| text.lines().last().unwrap());
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let line = |spec: &str| format!("Parent spec: `{spec}`");
    let fixed = [
        line("/specs/done/A.md"),
        line("/specs/done/B.md#x"),
        line("/specs/C.md"),
        line("/specs/done/A.md"),
    ];
    assert_eq!(changed("none.md"), fixed);
    let mut without = fixed;
    without[1] = line("/specs/B.md#x");
    assert_eq!(changed("02-a.md"), without);
}
