use review_document::Unit;
use review_document::workspace::{Document, DocumentRole, PathSet, Workspace};

use super::*;

/// The tests of a table that `command` certainly misses, and the number that it
/// certainly selects; `None` if the selection is unknown.
fn selection(command: &str, tests: &[&str], extra: &str) -> Option<(Vec<String>, usize)> {
    let rows: String = tests
        .iter()
        .map(|test| format!("| `{test}` | x |\n"))
        .collect();
    let text = format!(
        "---\ntask: 1\nbackpressure: '{}'\n---\n# T\n\n{extra}\n\n## Must Pass\n\n| Test | Assertion |\n|---|---|\n{rows}",
        command.replace('\'', "''")
    );
    let files = [("tasks/u/01-a.md", text.as_str())];
    let workspace = Workspace {
        documents: vec![Document::parse(
            files[0].0,
            DocumentRole::Task,
            text.as_str(),
        )],
        unit: Some(Unit::load("u".parse().unwrap(), "tasks/u", files)),
        paths: PathSet::from_iter(["tests/test_files.py", "src/parse.rs"]),
        ..Workspace::default()
    };
    let settings = crate::Settings::default();
    let facts = Facts::new(&workspace, &settings);
    let selection = facts.tasks[0].selection(&facts)?;
    let missed = selection
        .missed
        .iter()
        .map(|test| test.name.to_owned())
        .collect();
    Some((missed, selection.selected))
}

/// A command, the listed tests, the document around them, the missed tests, and the number
/// of selected ones.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static [&'static str],
    usize,
);

#[test]
fn each_runner_selects_by_its_own_rules() {
    let cases: [Case; 16] = [
        (
            "go test ./a -run Schema",
            &["TestA", "TestSchema_x", "PRDStatus"],
            "",
            &["TestA"],
            1,
        ),
        (
            "go test -run A ./a && go test -run B ./b",
            &["TestA", "TestB", "TestC"],
            "",
            &["TestC"],
            2,
        ),
        (
            "cargo test schema",
            &["schema::a", "types::b", "c"],
            "",
            &["types::b", "c"],
            1,
        ),
        ("cargo test parse", &["a", "b::c"], "", &["b::c"], 0),
        (
            "cargo test cache",
            &["a"],
            "```rust\nmod cache;\n```",
            &[],
            0,
        ),
        (
            "cargo test cache",
            &["a"],
            "```rust\nfn cache() {}\n```",
            &["a"],
            0,
        ),
        ("cargo test cache", &["a"], "Makes `src/cache.rs`.", &[], 0),
        (
            "cargo test -- --exact a::b",
            &["a::b", "b", "a::bc", "c"],
            "",
            &["a::bc", "c"],
            1,
        ),
        ("pytest -k x", &["test_x", "test_y"], "", &["test_y"], 1),
        (
            "pytest -k files",
            &["test_x", "a.py::test_y"],
            "",
            &["a.py::test_y"],
            0,
        ),
        (
            "pytest -k Store",
            &["test_x"],
            "```py\nclass TestStore:\n```",
            &[],
            0,
        ),
        (
            "vitest run -t parses",
            &["parses a", "A > b"],
            "",
            &["A > b"],
            1,
        ),
        (
            "vitest run -t Store",
            &["parses a"],
            "```ts\ndescribe('Store')\n```",
            &[],
            0,
        ),
        ("vitest run -t Store", &["parses a"], "## The Store", &[], 0),
        ("vitest run -t nothing", &["parses a"], "", &["parses a"], 0),
        ("mocha -f '(a'", &["x (a)", "y"], "", &["y"], 1),
    ];
    for (command, tests, extra, missed, selected) in cases {
        let expected = missed
            .iter()
            .map(|&name| name.to_owned())
            .collect::<Vec<_>>();
        assert_eq!(
            selection(command, tests, extra),
            Some((expected, selected)),
            "{command}"
        );
    }
}

#[test]
fn there_is_no_selection_if_any_test_may_run() {
    for command in [
        "go test ./...",
        "go test -run A ./a && go test ./b",
        "go test -run A ./a && make test",
        "go test -run A ./a && npm test",
        "go test -run 'A(' ./a",
        "go test -run \"$F\" ./a",
        "go build ./...",
        "pytest -k 'a b'",
        "cargo nextest run -E 'test(x)'",
        "bash ci.sh",
    ] {
        assert_eq!(
            selection(command, &["TestA", "test_b"], ""),
            None,
            "{command}"
        );
    }
    assert_eq!(selection("go test -run A ./a", &["PRDStatus"], ""), None);
    let many = vec!["go test -run A ./a"; MAX_FILTERS + 1].join(" && ");
    assert_eq!(selection(&many, &["TestB"], ""), None);
}

#[test]
fn other_programs_next_to_a_filter_do_not_hide_it() {
    let found = selection("docker compose up -d && go test -run A ./a", &["TestB"], "");
    assert_eq!(found, Some((vec!["TestB".to_owned()], 0)));
}
