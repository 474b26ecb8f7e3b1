//! The effect of fixes on a document.

use review_lint::{Rule, Safety, Settings, lint};

use crate::support::{fixed_files, fixed_first, workspace};

/// The content of `path` with the fixes of one rule applied.
fn fixed(rule: Rule, path: &str, text: &str, up_to: Safety) -> String {
    let files = [(path.to_owned(), text.to_owned())];
    let settings = Settings {
        select: Some([rule].into()),
        ..Settings::default()
    };
    let report = lint(&workspace(&files, &[], &[]), &settings);
    fixed_first(&files, report.findings(), up_to)
}

fn task(lines: &str) -> String {
    format!("---\ntask: 2\n{lines}\n---\n# A\n")
}

#[test]
fn front_matter_is_fixed_in_place() {
    let cases = [
        (
            Rule::VacuousBackpressure,
            "backpressure: go test || true",
            "backpressure: go test",
        ),
        (
            Rule::VacuousBackpressure,
            "backpressure: \"go test ; exit 0\"",
            "backpressure: \"go test\"",
        ),
        (
            Rule::VacuousBackpressure,
            "backpressure: 'go test &' # x",
            "backpressure: 'go test' # x",
        ),
        (
            Rule::VacuousBackpressure,
            "backpressure: sh -c 'go test || true' # x",
            "backpressure: sh -c 'go test || true' # x",
        ),
        (
            Rule::VacuousBackpressure,
            "backpressure: \"true\"",
            "backpressure: \"true\"",
        ),
        (
            Rule::VacuousBackpressure,
            "backpressure: \"\\x67o || true\"",
            "backpressure: \"\\x67o || true\"",
        ),
    ];
    for (rule, before, after) in cases {
        let before = task(before);
        assert_eq!(
            fixed(rule, "tasks/web/02-a.md", &before, Safety::Unsafe),
            task(after)
        );
        assert_eq!(
            fixed(rule, "tasks/web/02-a.md", &before, Safety::Safe),
            before
        );
    }
}

#[test]
fn a_loose_status_is_replaced_by_the_one_it_stands_for() {
    let cases = [
        ("todo", "pending", Safety::Safe),
        ("\"In Progress\" # x", "in_progress # x", Safety::Safe),
        ("Done", "complete", Safety::Safe),
        ("compleet", "complete", Safety::Unsafe),
    ];
    for (before, after, safety) in cases {
        let text = |status: &str| task(&format!("status: {status}"));
        let fix = |up_to| {
            let path = "tasks/web/02-a.md";
            fixed(Rule::BadFrontMatter, path, &text(before), up_to)
        };
        assert_eq!(fix(Safety::Unsafe), text(after));
        let is_safe = safety == Safety::Safe;
        let expected = text(if is_safe { after } else { before });
        assert_eq!(fix(Safety::Safe), expected);
    }
    for status in ["banana", "|\n  todo", "[todo]"] {
        let text = task(&format!("status: {status}"));
        let path = "tasks/web/02-a.md";
        let seen = fixed(Rule::BadFrontMatter, path, &text, Safety::Unsafe);
        assert_eq!(seen, text);
    }
}

#[test]
fn a_section_gets_the_command_of_the_front_matter() {
    let cases = [
        (
            "```bash\n\n$ go test ./b\n```\n",
            "```bash\n\ngo test ./a\n```\n",
        ),
        (
            "~~~\ngo test ./a\ngo vet ./a\n~~~\n",
            "~~~\ngo test ./a\ngo vet ./a\n~~~\n",
        ),
        (
            "- ```bash\n  go test ./b\n  ```\n",
            "- ```bash\n  go test ./b\n  ```\n",
        ),
        ("    go test ./b\n", "    go test ./b\n"),
    ];
    for (before, after) in cases {
        let text =
            |block: &str| task("backpressure: go test ./a") + "\n## Validation Command\n\n" + block;
        let (rule, path) = (Rule::ValidationCommandDiffers, "tasks/web/02-a.md");
        let fixed = fixed(rule, path, &text(before), Safety::Unsafe);
        assert_eq!(fixed, text(after));
    }
}

#[test]
fn a_fence_is_closed_at_the_end_of_its_code() {
    let cases = [
        ("```go\nx\n", "```go\nx\n```\n", Safety::Safe),
        ("```go\nx", "```go\nx\n```\n", Safety::Safe),
        ("~~~~\n~~~\n\n", "~~~~\n~~~\n\n~~~~\n", Safety::Safe),
        (
            "```go\nx\n\n## B\n\ny\n",
            "```go\nx\n```\n\n## B\n\ny\n",
            Safety::Unsafe,
        ),
        (
            "```go\nx\n\nText.\n\n```sh\ny\n```\n",
            "```go\nx\n\nText.\n```\n\n```sh\ny\n```\n",
            Safety::Unsafe,
        ),
        ("- ```go\n  x\n", "- ```go\n  x\n", Safety::Unsafe),
    ];
    for (before, after, safety) in cases {
        let before = format!("# A\n\n{before}");
        let seen = fixed(Rule::UnclosedFence, "specs/A.md", &before, safety);
        assert_eq!(seen, format!("# A\n\n{after}"));
        if safety == Safety::Unsafe {
            let untouched = fixed(Rule::UnclosedFence, "specs/A.md", &before, Safety::Safe);
            assert_eq!(untouched, before);
        }
    }
}

#[test]
fn a_requirement_gets_the_next_free_number() {
    let before = "- **FR-09**: a\n- **FR-09**: b\n- `FR-02`: c\n- [FR-09] D\n";
    let after = "- **FR-09**: a\n- **FR-10**: b\n- `FR-02`: c\n- [FR-11] D\n";
    let fixed = |up_to| fixed(Rule::DuplicateRequirementId, "specs/A.md", before, up_to);
    assert_eq!(fixed(Safety::Unsafe), after);
    assert_eq!(fixed(Safety::Safe), before);
}

#[test]
fn a_missing_section_is_inserted_before_the_one_that_follows_it() {
    let prompt = "\n\n_Write this section, or `None.` with the reason._\n";
    let cases = [
        (
            "# T\n\n## C\n\nx\n",
            format!("# T\n\n## A{prompt}\n## C\n\nx\n"),
        ),
        (
            "# T\n\n## A\n\nx\n",
            format!("# T\n\n## A\n\nx\n\n## C{prompt}"),
        ),
        ("# T\n## C\nx", format!("# T\n\n## A{prompt}\n## C\nx")),
        ("## A\nx", format!("## A\nx\n\n## C{prompt}")),
        (
            "# T\r\n\r\n## C\r\n\r\nx\r\n",
            format!("# T\n\n## A{prompt}\n## C\n\nx\n").replace('\n', "\r\n"),
        ),
        ("## A\n\n```\nx\n", "## A\n\n```\nx\n".to_owned()),
        (
            "## A\n\n```sh\nx\n```go\ny\n```\n",
            "## A\n\n```sh\nx\n```go\ny\n```\n".to_owned(),
        ),
    ];
    let settings = Settings {
        select: Some([Rule::MissingSection].into()),
        required_sections: ["A", "C"].map(str::to_owned).to_vec(),
        ..Settings::default()
    };
    for (before, after) in cases {
        let files = [("specs/A.md".to_owned(), before.to_owned())];
        let report = lint(&workspace(&files, &[], &[]), &settings);
        let done = |up_to| fixed_first(&files, report.findings(), up_to);
        assert_eq!(done(Safety::Unsafe), after);
        assert_eq!(done(Safety::Safe), before);
    }
}

#[test]
fn an_added_section_causes_no_findings() {
    let settings = Settings {
        required_sections: vec!["Limits".to_owned()],
        ..Settings::default()
    };
    let text = "# Cache\n\nIt keeps pages.\n";
    let files = [("specs/A.md".to_owned(), text.to_owned())];
    let before = lint(&workspace(&files, &[], &[]), &settings);
    let (after, applied) = fixed_files(&files, before.findings(), Safety::Unsafe);
    assert_eq!(before.findings()[0].rule, Rule::MissingSection);
    assert_eq!(applied.len(), 1);
    let after = lint(&workspace(&after, &[], &[]), &settings);
    assert_eq!(after.findings(), []);
}

#[test]
fn lines_added_by_a_fix_have_the_line_ends_of_the_document() {
    let cases = [
        (
            Rule::UnclosedFence,
            "# A\n\n```\nx\n",
            "# A\n\n```\nx\n```\n",
        ),
        (Rule::UnclosedFence, "# A\n\n```\nx", "# A\n\n```\nx\n```\n"),
        (
            Rule::ValidationCommandDiffers,
            "---\ntask: 2\nbackpressure: [go test ./a, go vet ./a]\n---\n# Validation command\n\n```\ngo vet\n```\n",
            "---\ntask: 2\nbackpressure: [go test ./a, go vet ./a]\n---\n# Validation command\n\n```\ngo test ./a\ngo vet ./a\n```\n",
        ),
    ];
    for (rule, before, after) in cases {
        for end in ["\n", "\r\n"] {
            let (before, after) = (before.replace('\n', end), after.replace('\n', end));
            let first = (
                "tasks/web/01-a.md".to_owned(),
                "---\ntask: 1\n---\n".to_owned(),
            );
            let files = [("tasks/web/02-a.md".to_owned(), before), first];
            let settings = Settings {
                select: Some([rule].into()),
                ..Settings::default()
            };
            let report = lint(&workspace(&files, &[], &[]), &settings);
            let done = fixed_first(&files, report.findings(), Safety::Unsafe);
            assert_eq!(done, after, "{rule}");
        }
    }
}
