//! The findings of whole runs.

use review_embedding_test::Workspace;
use review_types::{BlockCode, FindingStatus};
use serde_json::json;

use crate::support::{program, run};

const AGENTS: &str = "reviewer = \"cmd:judge\"\napplier = \"cmd:fix\"\n";

/// A project whose reviewer raises these items in each round, with scores that would pass.
fn raising(items: &[serde_json::Value]) -> Workspace {
    let workspace = Workspace::new(&[("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n")]).unwrap();
    let answer = json!({
        "verdict": "needs_revision",
        "score": {"completeness": 85, "consistency": 85, "testability": 85, "architecture": 85},
        "feedback": items,
    });
    let script = format!("cat > /dev/null; cat <<'ANSWER'\n{answer}\nANSWER");
    program(&workspace, "judge", &script);
    program(&workspace, "fix", "cat > /dev/null");
    workspace
}

fn item(issue: &str) -> serde_json::Value {
    json!({"section": "Goal", "issue": issue, "suggestion": "say it"})
}

#[tokio::test]
async fn findings_in_the_same_words_but_for_a_name_or_a_number_are_counted_each() {
    for issues in [
        &[
            "FR-1 has no acceptance criterion",
            "FR-2 has no acceptance criterion",
            "FR-3 has no acceptance criterion",
        ][..],
        &[
            "`resolve` does not say which error it raises",
            "`shorten` does not say which error it raises",
        ],
        &[
            "A timeout of 30 s is not justified",
            "A timeout of 60 s is not justified",
        ],
        &[
            "The download endpoint lacks a rate limit",
            "The upload endpoint lacks a size limit",
        ],
    ] {
        let items: Vec<_> = issues.iter().map(|issue| item(issue)).collect();
        let report = run(&raising(&items), AGENTS).await;
        assert_eq!(report.block_code, Some(BlockCode::NoChange));
        let findings = report.ledger.iter();
        let mut found: Vec<_> = findings
            .map(|finding| (&*finding.issue, finding.status))
            .collect();
        found.sort_by_key(|(issue, _)| *issue);
        let expected: Vec<_> = issues
            .iter()
            .map(|issue| (*issue, FindingStatus::Open))
            .collect();
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn a_finding_has_the_severity_that_its_reviewer_says() {
    let mut grave = item("Nobody feeds the otter");
    grave["severity"] = json!("critical");
    let report = run(&raising(&[grave, item("The zebra is striped")]), AGENTS).await;
    let findings = report.ledger.iter();
    let mut found: Vec<_> = findings
        .map(|finding| format!("{} {}", finding.severity, finding.issue))
        .collect();
    found.sort();
    let expected = [
        "critical Nobody feeds the otter",
        "major The zebra is striped",
    ];
    assert_eq!(found, expected);
}
