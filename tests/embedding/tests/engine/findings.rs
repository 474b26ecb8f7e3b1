//! The findings of whole runs.

use review_embedding_test::Workspace;
use review_types::{BlockCode, FindingStatus, Severity};
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

#[tokio::test]
async fn a_rule_that_is_broken_is_a_critical_finding() {
    let spec = ("specs/DEMO.md", "# Demo\n\n## Goal\n\nTODO.\n");
    let workspace = Workspace::new(&[spec]).unwrap();
    program(
        &workspace,
        "fix",
        "cat > /dev/null; echo more >> \"$RALPH_SPEC\"",
    );
    let config = "reviewer = \"builtin\"\napplier = \"cmd:fix\"\nreview.max_iterations = 2\n";
    let report = run(&workspace, config).await;
    let severities: Vec<_> = report.ledger.iter().map(|one| one.severity).collect();
    assert!(severities.contains(&Severity::Critical), "{severities:?}");
}

#[tokio::test]
async fn a_finding_of_a_document_has_the_severity_of_its_item() {
    let document = json!({
        "id": "7d9f4f0e-6c1f-4c53-9d3e-0d7f2f6f7a10",
        "timestamp": "2026-01-25T15:00:00Z",
        "iteration": {"number": 1, "max": 3, "phase": "initial"},
        "target": {"type": "document", "path": "specs/DEMO.md"},
        "feedback_items": [{
            "aspect": "clarity",
            "severity": "minor",
            "issue": "The goal does not say who feeds the otter",
            "location": {"type": "section", "reference": "Goal"},
            "suggestion": {
                "action": "Name the keeper who feeds the otter",
                "rationale": "Readers then know whom to ask about it",
            },
        }],
        "overall_assessment": {
            "score": 0.7,
            "verdict": "refine",
            "summary": "One small thing is open: the goal does not say who feeds the otter.",
        },
    });
    let workspace = raising(&[]);
    let round = r"sed -n 's/^iteration.number is \([0-9]*\),.*/\1/p'";
    let numbered = "sed \"s/\\\"number\\\":1/\\\"number\\\":$round/\"";
    let script = format!("round=$({round})\n{numbered} <<'END'\n{document}\nEND");
    program(&workspace, "judge", &script);
    let fix = "cat > /dev/null; echo more >> \"$RALPH_SPEC\"";
    program(&workspace, "fix", fix);
    let config = format!("{AGENTS}[review]\ndialect = \"actionable\"\nmax_iterations = 2\n");
    let report = run(&workspace, &config).await;
    assert_eq!(report.iterations.len(), 2);
    let severities: Vec<_> = report.ledger.iter().map(|one| one.severity).collect();
    assert_eq!(severities, [Severity::Minor]);
    let run = report.run.unwrap();
    let folder = workspace.state().join("runs").join(run.as_str());
    let written = std::fs::read_to_string(folder.join("feedback/001.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["feedback_items"][0]["severity"], "minor");
    assert_eq!(written["id"], document["id"]);
}
