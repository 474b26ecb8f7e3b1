//! The actionable-feedback document of a reviewer, from its answer to the applier and to
//! the document of the round.

use serde_json::{Value, json};

use crate::support::{Ran, TestEnvironment};

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

fn review(environment: &TestEnvironment, arguments: &[&str]) -> Ran {
    let base = ["review", "specs/doc.md", "--reviewer", "cmd:judge"];
    environment.ralph([&base, arguments].concat())
}

fn stored(environment: &TestEnvironment) -> Value {
    let files = environment.files(".ralph-review/runs");
    let file = files
        .iter()
        .find(|file| file.ends_with("feedback/001.json"));
    serde_json::from_str(&environment.read(file.unwrap())).unwrap()
}

/// A stored document without what the loop adds.
fn without_additions(mut stored: Value) -> Value {
    let root = stored.as_object_mut().unwrap();
    root.remove("derived");
    root.remove("quality_tracking");
    stored
}

#[test]
fn every_value_that_a_reviewer_gave_is_stored_as_it_was_given() {
    for word in ["refine", "reject", "escalate"] {
        let mut given = document();
        given["overall_assessment"]["verdict"] = json!(word);
        let environment = environment(&given.to_string());
        review(&environment, &["--no-apply"]).exits(1);
        let stored = stored(&environment);
        assert_eq!(stored["derived"], Value::Null, "{word}");
        assert_eq!(without_additions(stored), given);
    }
}

#[test]
fn a_round_is_as_good_as_the_overall_score_of_its_document() {
    let said = |number: u32, score: f64| {
        let mut document = document();
        document["iteration"] = json!({"number": number, "max": 10, "phase": "refinement"});
        document["overall_assessment"]["score"] = json!(score);
        document.to_string()
    };
    let environment = environment("");
    for (round, score) in [(1, 0.3), (2, 0.5), (3, 0.45)] {
        std::fs::write(
            environment.home().join(format!("said-{round}")),
            said(round, score),
        )
        .unwrap();
    }
    environment.program(
        "judge",
        "cat > /dev/null; cat \"$HOME/said-$RALPH_ITERATION\"",
    );
    environment.program(
        "fix",
        "cat > /dev/null; echo $RALPH_ITERATION >> specs/doc.md",
    );
    let arguments = [
        "--applier",
        "cmd:fix",
        "--max-iterations",
        "3",
        "--format",
        "json",
    ];
    let report = review(&environment, &arguments).exits(1).json();
    assert_eq!(report["best"]["iteration"], 2, "{report}");
    let tracking = &stored(&environment)["quality_tracking"];
    assert_eq!(tracking["improvement_observed"], true);
    let delta = tracking["improvement_delta"].as_f64().unwrap();
    assert!((delta - 0.2).abs() < 1e-9, "{delta}");
    let shown = environment.ralph(["report", "latest"]).stdout;
    assert!(shown.contains("overall score 50"), "{shown}");
    assert!(shown.contains("improved 50 %, 1 of 2"), "{shown}");
}

#[test]
fn what_ralph_adds_to_a_document_is_listed() {
    let mut given = document();
    given["overall_assessment"] = json!({
        "score": 0.9, "verdict": "accept",
        "summary": "All limits are given, and each of them can be tested by a reader.",
    });
    for item in given["feedback_items"].as_array_mut().unwrap() {
        item["severity"] = json!("suggestion");
    }
    let environment = environment(&given.to_string());
    environment.write(
        "ralph.toml",
        "[review]\ndialect = \"actionable\"\ncheck = \"false\"\n",
    );
    review(&environment, &["--no-apply"]).exits(1);
    let mut stored = stored(&environment);
    let added = stored["feedback_items"][2]["evidence"]["test_result"].clone();
    assert!(added.is_string(), "{stored:#}");
    assert_eq!(
        stored["derived"],
        json!(["/feedback_items/2", "/overall_assessment/verdict"])
    );
    assert_eq!(stored["overall_assessment"]["verdict"], "refine");
    let items = stored["feedback_items"].as_array_mut().unwrap();
    items.truncate(2);
    assert_eq!(
        without_additions(stored)["feedback_items"],
        given["feedback_items"]
    );
}

#[test]
fn rationale_example_priority_severity_and_evidence_reach_the_applier() {
    let environment = environment(&document().to_string());
    environment.program("fix", "cat > \"$HOME/applied\"; echo x >> specs/doc.md");
    let apply = ["--applier", "cmd:fix", "--max-iterations", "2"];
    review(&environment, &apply);
    let prompt = std::fs::read_to_string(environment.home().join("applied")).unwrap();
    for words in [
        "\"severity\": \"critical\"",
        "\"rationale\": \"A reader could otherwise retry for ever\"",
        "\"example\": \"at most 4 tries\"",
        "\"priority\": 7",
        "\"priority\": 3",
        "\"test_result\": \"1 of 9 failed\"",
        "\"reference\": \"RFC 9110\"",
    ] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
}

#[test]
fn an_answer_for_another_iteration_or_target_is_refused() {
    for (pointer, value, message) in [
        (
            "/iteration/number",
            json!(7),
            "iteration.number: must be 1, the number of this round, got 7",
        ),
        (
            "/target/path",
            json!("/etc/passwd"),
            "target.path: must be specs/doc.md, which is reviewed, got /etc/passwd",
        ),
    ] {
        let mut given = document();
        *given.pointer_mut(pointer).unwrap() = value;
        let environment = environment(&given.to_string());
        let report = review(&environment, &["--no-apply", "--format", "json"])
            .exits(3)
            .json();
        let reason = report["block_reason"].as_str().unwrap();
        assert!(reason.contains(message), "{reason}");
        let calls = std::fs::read_to_string(environment.home().join("calls")).unwrap();
        assert_eq!(calls, "call\ncall\n", "it is asked again once");
    }
}

#[test]
fn the_prompt_names_the_iteration_and_the_target() {
    let environment = environment(&document().to_string());
    review(&environment, &["--no-apply"]).exits(1);
    let prompt = std::fs::read_to_string(environment.home().join("prompt")).unwrap();
    let words = "iteration.number is 1, and target.path is \"specs/doc.md\" or a file in it.";
    assert!(prompt.contains(words), "{prompt}");
    assert!(
        prompt.contains("accept with one item of severity suggestion"),
        "{prompt}"
    );
}

const YAML: &str = "id: fb-7
timestamp: 2026-03-01T12:30:05Z
iteration: {number: 1, max: 10, phase: initial}
target: {type: document, path: specs/doc.md}
feedback_items:
  - aspect: clarity
    severity: SEVERITY
    issue: Section B names no limit of retries
    location: {type: section, reference: B}
    suggestion:
      action: Name the limit of retries in section B
      rationale: A reader could otherwise retry for ever
overall_assessment:
  score: 0.9
  verdict: VERDICT
  summary: One limit is missing, so that two readers would build different things.
";

#[test]
fn an_answer_in_yaml_is_read() {
    let yaml = |severity: &str, verdict: &str| {
        YAML.replace("SEVERITY", severity)
            .replace("VERDICT", verdict)
    };
    for (answer, code) in [
        (yaml("major", "refine"), 1),
        (yaml("suggestion", "accept"), 0),
        (format!("```yaml\n{}```", yaml("suggestion", "accept")), 0),
        (format!("Here:\n```yaml\n{}```", yaml("major", "refine")), 1),
        (
            format!("Here:\n```yaml\n{}```", yaml("suggestion", "accept")),
            3,
        ),
    ] {
        let environment = environment(&answer);
        review(&environment, &["--no-apply"]).exits(code);
    }
}
