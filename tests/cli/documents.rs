//! The actionable-feedback document of a reviewer, from its answer to the applier and to
//! the document of the round.

use serde_json::{Value, json};

use crate::support::TestEnvironment;

fn document() -> Value {
    json!({
        "id": "fb-7",
        "timestamp": "2026-03-01T12:30:05Z",
        "iteration": {"number": 1, "max": 10, "phase": "initial"},
        "target": {"type": "document", "path": "specs/doc.md", "version": "v7"},
        "feedback_items": [
            {
                "aspect": "security", "severity": "major", "score": 0.3,
                "issue": "Section B names no limit of retries, so that a client loops",
                "location": {"type": "section", "reference": "B", "context_before": "## B"},
                "suggestion": {
                    "action": "Name the limit of retries in section B",
                    "rationale": "A reader could otherwise retry for ever",
                    "example": "at most 4 tries", "priority": 7,
                },
                "evidence": {"test_result": "1 of 9 failed", "reference": "RFC 9110"},
            },
            {
                "aspect": "completeness", "severity": "critical",
                "issue": "Section C does not say what happens on a full disk",
                "location": {"type": "line", "reference": "7-8"},
                "suggestion": {
                    "action": "Add a sentence on the full disk to section C",
                    "rationale": "Two readers would build different things",
                    "priority": 3,
                },
            },
        ],
        "overall_assessment": {
            "score": 0.4, "verdict": "reject", "confidence": 0.9,
            "summary": "The limits are missing, and nothing is said of a disk that is full.",
        },
    })
}

fn environment(answer: &str) -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/doc.md", "# A\n\n## B\n\nText.\n\n## C\n\nMore.\n");
    environment.write("ralph.toml", "[review]\ndialect = \"actionable\"\n");
    let script =
        format!("cat > \"$HOME/prompt\"\necho call >> \"$HOME/calls\"\ncat <<'END'\n{answer}\nEND");
    environment.program("judge", &script);
    environment
}

fn stored(environment: &TestEnvironment) -> Value {
    let files = environment.files(".ralph-review/runs");
    let file = files
        .iter()
        .find(|file| file.ends_with("feedback/001.json"));
    serde_json::from_str(&environment.read(file.unwrap())).unwrap()
}

#[test]
fn every_value_that_a_reviewer_gave_is_stored_as_it_was_given() {
    let given = document();
    let environment = environment(&given.to_string());
    let command = [
        "review",
        "specs/doc.md",
        "--reviewer",
        "cmd:judge",
        "--no-apply",
    ];
    environment.ralph(command).exits(1);
    let mut stored = stored(&environment);
    let additions = stored.as_object_mut().unwrap();
    additions.remove("quality_tracking");
    assert_eq!(stored, given);
    let yaml = "id: [";
    let broken = self::environment(yaml);
    broken.ralph(command).exits(3);
}
