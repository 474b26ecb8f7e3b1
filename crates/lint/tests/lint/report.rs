//! Scores, verdict, review and JSON of a report.

use review_document::Unit;
use review_document::workspace::{Document, DocumentRole, Workspace};
use review_lint::{Criterion, FileIgnores, NothingChecked, Report, Rule, Settings, Severity, lint};
use review_types::{Score, Verdict};

use crate::support::workspace;

const TASK: &str = "---\ntask: 2\nbackpressure: \"go test ./review/... -run Schema\"\n---\n# Schema\n\nIn `review/schema.go`.\n\n## Notes\n\n## Must Pass\n\n| Test | Assertion |\n|---|---|\n| `TestParse` | reads |\n";

fn report(files: &[(&str, &str)], settings: &Settings) -> Report {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    lint(&workspace(&files, &[], &[]), settings)
}

fn spec(text: &str) -> Report {
    report(&[("specs/A.md", text)], &Settings::default())
}

fn scores(report: &Report) -> Vec<(&str, u8)> {
    report
        .scores()
        .iter()
        .map(|(name, score)| (name.as_str(), score.get()))
        .collect()
}

#[test]
fn an_error_blocks_whatever_the_scores() {
    let report = spec("# A\n\nThe size is TBD.\n");
    assert_eq!(report.verdict(), Some(Verdict::NeedsRevision));
    assert_eq!(
        scores(&report),
        [
            ("architecture", 100),
            ("completeness", 71),
            ("consistency", 100),
            ("testability", 100)
        ]
    );
    assert_eq!(report.below_minimum(), []);
    assert_eq!(report.cost(&report.findings()[0]), 29);
}

#[test]
fn warnings_pass_until_a_score_is_below_its_minimum() {
    let section = "## A\n\n";
    let pass = spec(&format!("# T\n\nText.\n\n{section}"));
    assert_eq!(pass.verdict(), Some(Verdict::Pass));
    let many = spec(&format!("# T\n\nText.\n\n{}", section.repeat(9)));
    assert_eq!(many.verdict(), Some(Verdict::NeedsRevision));
    assert_eq!(many.below_minimum(), [Criterion::Completeness]);
}

#[test]
fn a_clean_document_passes_with_capped_completeness() {
    let report = spec("# A\n\nText.\n");
    assert_eq!(report.verdict(), Some(Verdict::Pass));
    assert_eq!(
        report.scores().get("completeness").map(Score::get),
        Some(90)
    );
    assert_eq!(report.findings(), []);
    let review = report.review().unwrap();
    assert_eq!(
        (review.verdict(), review.feedback().len()),
        (Verdict::Pass, 0)
    );
}

#[test]
fn only_rules_with_something_to_check_are_reported() {
    let codes = |report: &Report| -> Vec<_> {
        report
            .checked()
            .iter()
            .map(|checked| checked.rule.code())
            .collect()
    };
    assert_eq!(codes(&spec("# A\n\nText.\n")), ["S1", "S2", "S3"]);
    let task = report(&[("tasks/web/02-schema.md", TASK)], &Settings::default());
    let expected = [
        "G1", "G2", "G3", "G4", "B1", "B2", "B3", "B4", "B5", "B11", "C1", "C2", "F1", "S1", "S2",
        "S3",
    ];
    assert_eq!(codes(&task), expected);
    assert_eq!(task.checked()[0].things, 1);
}

#[test]
fn without_checks_there_is_no_verdict() {
    for files in [&[("LICENSE", "text")][..], &[]] {
        let report = report(files, &Settings::default());
        assert_eq!(report.verdict(), None);
        assert_eq!(report.review(), Err(NothingChecked));
    }
    assert!(NothingChecked.to_string().contains("needs a Markdown file"));
}

#[test]
fn a_review_names_section_line_rule_and_replacement() {
    let report = report(
        &[
            ("specs/SCHEMA.md", "# Schema\n\nText.\n"),
            ("tasks/web/02-schema.md", TASK),
        ],
        &Settings::default(),
    );
    let review = report.review().unwrap();
    let items: Vec<_> = review
        .feedback()
        .iter()
        .map(|item| (item.section(), item.issue(), item.suggestion()))
        .collect();
    assert_eq!(
        items,
        [
            (
                "02-schema.md > Front matter",
                "The filter `-run Schema` does not select the listed test `TestParse`. tasks/web/02-schema.md:3 [B3]",
                "Change `-run Schema` so that it selects `TestParse`."
            ),
            (
                "02-schema.md > Notes",
                "The section `Notes` is empty. tasks/web/02-schema.md:9 [S1]",
                "Write the content of `Notes`, write `None.` with the reason, or remove the heading."
            ),
        ]
    );
    assert_eq!(review.score(), report.scores());
}

#[test]
fn a_section_of_a_single_file_does_not_name_it() {
    let review = spec("# A\n\n## B\n\n### C\n\nTBD\n").review().unwrap();
    assert_eq!(review.feedback()[0].section(), "B > C");
}

#[test]
fn a_minimum_above_the_cap_is_explained() {
    let settings = Settings {
        min_scores: [(Criterion::Completeness, Score::new(95).unwrap())].into(),
        ..Settings::default()
    };
    let report = report(&[("specs/A.md", "# A\n\nText.\n")], &settings);
    let review = report.review().unwrap();
    assert_eq!(review.verdict(), Verdict::NeedsRevision);
    assert_eq!(review.feedback()[0].section(), "completeness");
    assert!(
        review.feedback()[0]
            .issue()
            .contains("completeness at 90 at most")
    );
}

#[test]
fn suppressed_findings_are_counted_and_cost_nothing() {
    let text = "# A\n\nText.\n\n## B\n\n<!-- ralph-ignore S2, S1: open until the review -->\n\nTBD\n\n## C\n\nTBD\n";
    let report = spec(text);
    let lines = |findings: &[review_lint::Finding]| -> Vec<_> {
        findings
            .iter()
            .map(|finding| finding.position.line)
            .collect()
    };
    assert_eq!(lines(report.findings()), [13]);
    assert_eq!(lines(report.suppressed()), [9]);
    assert_eq!(
        report.scores().get("completeness").map(Score::get),
        Some(71)
    );
}

#[test]
fn a_suppression_before_the_second_heading_applies_to_the_file() {
    for comment in [
        "<!-- ralph-ignore S: a template -->\n\n# A\n\n",
        "# A\n\n<!-- ralph-ignore S: a template -->\n\n",
    ] {
        let report = spec(&format!("{comment}## B\n\nTBD\n"));
        assert_eq!(report.findings(), [], "{comment}");
        assert_eq!(report.suppressed().len(), 1);
    }
    for comment in [
        "<!-- ralph-ignore S2 -->",
        "<!-- ralph-ignore S2: -->",
        "<!-- ralph-ignore B1: x -->",
        "<!-- ignore S2: x -->",
    ] {
        let report = spec(&format!("# A\n\n{comment}\n\nTBD\n"));
        assert_eq!(report.findings().len(), 1, "{comment}");
    }
}

#[test]
fn front_matter_is_suppressed_from_any_section() {
    let comment = "# A\n\nText.\n\n## B\n\n<!-- ralph-ignore B2, S2: a draft -->\n\nText.\n";
    let text = format!("---\ntask: 1\nbackpressure: \"true\"\n---\nTBD\n\n{comment}");
    let report = report(&[("tasks/web/01-a.md", &text)], &Settings::default());
    let rules = |findings: &[review_lint::Finding]| -> Vec<_> {
        let findings = findings.iter();
        let found = findings.map(|finding| (finding.rule, finding.position.line));
        found
            .filter(|(rule, _)| [Rule::VacuousBackpressure, Rule::UndecidedText].contains(rule))
            .collect()
    };
    assert_eq!(rules(report.suppressed()), [(Rule::VacuousBackpressure, 3)]);
    assert_eq!(rules(report.findings()), [(Rule::UndecidedText, 5)]);
}

#[test]
fn filter_rules_check_every_filter() {
    let rows = "### Must Pass\n\n| Test | Assertion |\n|---|---|\n| `TestKeep` | Keeps |\n";
    let text = format!(
        "---\ntask: 1\nbackpressure:\n  - go test ./a -run TestKeep\n  - go test ./b -run TestDrop\n\
         \x20 - go test ./c -run TestMove\n---\n# A\n\n{rows}"
    );
    let report = report(&[("tasks/web/01-a.md", &text)], &Settings::default());
    for rule in [Rule::FilterSelectsNothing, Rule::FilterMissesTests] {
        let mut checked = report.checked().iter();
        let checked = checked.find(|checked| checked.rule == rule);
        assert_eq!(checked.map(|checked| checked.things), Some(3), "{rule}");
    }
}

#[test]
fn json_has_the_documented_fields() {
    let report = report(&[("tasks/web/02-schema.md", TASK)], &Settings::default());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        json["findings"][0],
        serde_json::json!({
            "id": report.findings()[0].id.as_str(),
            "rule": "B3",
            "name": "filter-selects-nothing",
            "severity": "error",
            "criterion": "testability",
            "path": "tasks/web/02-schema.md",
            "line": 3,
            "column": 37,
            "end_line": 3,
            "heading": "",
            "message": "The filter `-run Schema` does not select the listed test `TestParse`.",
            "suggestion": "Change `-run Schema` so that it selects `TestParse`.",
            "fix": null,
        })
    );
    let fenced = serde_json::to_value(spec("# A\n\n```\nx\n")).unwrap();
    assert_eq!(
        fenced["findings"][0]["fix"],
        serde_json::json!({
            "safety": "safe",
            "edits": [{"span": {"start": 11, "end": 11}, "text": "```\n"}],
        })
    );
    assert_eq!(json["verdict"], "needs_revision");
    assert_eq!(json["checked"][0], "G1");
    assert_eq!(json["suppressed"], serde_json::json!([]));
    let keys: Vec<_> = json.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "checked",
            "deductions",
            "findings",
            "scores",
            "suppressed",
            "verdict"
        ]
    );
}

#[test]
fn a_document_that_was_not_read_to_its_end_does_not_pass() {
    let long = "x".repeat(review_document::markdown::OUTLINE_LIMIT + 1);
    let report = spec(&long);
    assert_eq!(report.findings()[0].rule, Rule::EmptySection);
    assert_eq!(report.verdict(), Some(Verdict::NeedsRevision));
    let workspace = Workspace {
        documents: vec![Document::parse(
            "a.md",
            DocumentRole::Spec,
            b"# A\n\nok \xff",
        )],
        ..Workspace::default()
    };
    let report = lint(&workspace, &Settings::default());
    assert_eq!(report.findings()[0].rule, Rule::BadFrontMatter);
    assert_eq!(report.findings()[0].position.line, 3);
}

#[test]
fn a_task_that_is_not_read_to_its_end_is_reported_once() {
    let path = "tasks/web/01-a.md";
    let bytes = b"---\ntask: 1\nbackpressure: cargo test\n---\n# A\n\nText \xff.\n";
    let parse = |path, role| Document::parse(path, role, bytes);
    let workspace = Workspace {
        documents: vec![
            parse(path, DocumentRole::Task),
            parse("specs/A.md", DocumentRole::Spec),
        ],
        unit: Some(Unit::load(
            "web".parse().unwrap(),
            "tasks/web",
            [(path, bytes)],
        )),
        ..Workspace::default()
    };
    let report = lint(&workspace, &Settings::default());
    let findings = report.findings().iter();
    let found: Vec<_> = findings
        .filter(|finding| finding.rule == Rule::BadFrontMatter)
        .map(|finding| (finding.path.as_str(), finding.position.line))
        .collect();
    assert_eq!(found, [(path, 7), ("specs/A.md", 7)]);
}

#[test]
fn a_configured_severity_applies_to_all_findings_of_its_rule() {
    let files = [("specs/A.md", "# A\n\nTBD\n\n## B\n")];
    let severities = [
        (Rule::UndecidedText, Severity::Info),
        (Rule::EmptySection, Severity::Error),
    ];
    let settings = Settings {
        severities: severities.into(),
        ..Settings::default()
    };
    let report = report(&files, &settings);
    let seen: Vec<_> = report
        .findings()
        .iter()
        .map(|finding| (finding.rule, finding.severity))
        .collect();
    assert_eq!(seen, severities);
    let load = Severity::Info.weight() + Severity::Error.weight();
    assert!((report.load() - load).abs() < 1e-9);
}

#[test]
fn rules_are_disabled_in_the_files_of_a_pattern() {
    let files = [
        ("specs/A.md", "# A\n\nTBD\n\n## B\n"),
        (
            "tasks/web/02-schema.md",
            "---\ntask: 2\nbackpressure: cargo test\n---\n# S\n\nTBD\n",
        ),
    ];
    let off = FileIgnores {
        files: "specs/*.md".parse().unwrap(),
        rules: [Rule::UndecidedText].into(),
    };
    let settings = Settings {
        select: Some([Rule::UndecidedText, Rule::EmptySection].into()),
        per_file_ignores: vec![off],
        ..Settings::default()
    };
    let report = report(&files, &settings);
    let seen: Vec<_> = report
        .findings()
        .iter()
        .map(|finding| (finding.rule.code(), finding.path.as_str()))
        .collect();
    assert_eq!(
        seen,
        [("S1", "specs/A.md"), ("S2", "tasks/web/02-schema.md")]
    );
    assert_eq!(report.suppressed(), []);
}

#[test]
fn a_rule_that_is_disabled_in_all_its_files_is_not_reported_as_checked() {
    let spec = ("specs/A.md", "# A\n\nThe size is TBD.\n");
    let task = (
        "tasks/web/02-schema.md",
        "---\ntask: 2\nbackpressure: cargo test\n---\n# S\n\nText.\n",
    );
    let off = |files: &[&str]| -> Vec<FileIgnores> {
        let each = files.iter().map(|files| FileIgnores {
            files: files.parse().unwrap(),
            rules: Rule::ALL.iter().copied().collect(),
        });
        each.collect()
    };
    for (files, patterns, expected) in [
        (&[spec][..], &["A.md"][..], &[][..]),
        (&[spec], &["B.md"], &["S2"]),
        (&[spec, task], &["A.md"], &["B1", "S2"]),
        (&[spec, task], &["tasks/**"], &["S2"]),
        (&[spec, task], &["tasks/**", "specs/*"], &[]),
    ] {
        let settings = Settings {
            select: Some([Rule::UndecidedText, Rule::NoBackpressure].into()),
            per_file_ignores: off(patterns),
            ..Settings::default()
        };
        let report = report(files, &settings);
        let checked: Vec<_> = report.checked().iter().map(|one| one.rule.code()).collect();
        assert_eq!(checked, expected, "{patterns:?}");
        assert_eq!(report.verdict().is_none(), expected.is_empty());
    }
}

#[test]
fn suppressions_without_a_reason_or_a_known_rule_are_reported() {
    let text = "# A\n\nText.\n\n<!-- ralph-ignore S2, S1: later -->\n\n## B\n\n\
                <!-- ralph-ignore S: a template -->\n\nTBD\n\n## C\n\n\
                <!-- ralph-ignore S2 -->\n<!-- ralph-ignore X7, S3: why not -->\n\nText.\n";
    let report = report(&[("specs/A.md", text)], &Settings::default());
    assert_eq!(report.findings(), []);
    let invalid = report.invalid_suppressions().iter();
    let invalid: Vec<_> = invalid
        .map(|one| (&*one.path, one.line, &*one.message))
        .collect();
    let no_reason = "The suppression has no reason; write one after a colon.";
    assert_eq!(
        invalid,
        [
            ("specs/A.md", 15, no_reason),
            ("specs/A.md", 16, "Unknown rule \"X7\"."),
        ]
    );
}
