//! The actionable-feedback document of a reviewer, from its answer to the applier and to
//! the document of the round.

use review_embedding_test::Workspace;
use review_engine::{ReviewTarget, RunSettings};
use review_report::Styling;
use review_report::run::{FeedbackRates, RunReport, human_summary};
use review_store::Root;
use review_types::{BlockCode, Outcome};
use serde_json::{Value, json};

use crate::support::{json as value, program, run_in};

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

/// A project whose reviewer gives this answer.
fn project(answer: &str) -> Workspace {
    let text = "# A\n\n## B\n\nText.\n\n## C\n\nMore.\n";
    let workspace = Workspace::new(&[("specs/doc.md", text)]).unwrap();
    let keep = "cat > \"$HOME/prompt\"\necho call >> \"$HOME/calls\"";
    let script = format!("{keep}\ncat <<'END'\n{answer}\nEND");
    program(&workspace, "judge", &script);
    workspace
}

fn kept(workspace: &Workspace, name: &str) -> String {
    std::fs::read_to_string(workspace.home().join(name)).unwrap()
}

/// A review of the document; nothing is applied in one round.
async fn review(workspace: &Workspace, keys: &str, rounds: u32) -> RunReport {
    let config = format!(
        "reviewer = \"cmd:judge\"\napplier = \"cmd:fix\"\n[review]\ndialect = \"actionable\"\n\
         max_iterations = {rounds}\n{keys}"
    );
    let root = Root::open(&workspace.root()).unwrap();
    let path = workspace.root().join("specs/doc.md");
    let target = ReviewTarget::of_path(&root, &path).unwrap();
    let mut settings = RunSettings::of(&workspace.config(&config).unwrap(), target);
    settings.apply = rounds > 1;
    run_in(workspace, settings, |_| {}).await
}

/// The document of the first round.
fn stored(workspace: &Workspace, report: &RunReport) -> Value {
    let run = report.run.as_ref().unwrap();
    let folder = workspace.state().join("runs").join(run.as_str());
    let text = std::fs::read_to_string(folder.join("feedback/001.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn every_value_that_a_reviewer_gave_is_stored_as_it_was_given() {
    for word in ["refine", "reject", "escalate"] {
        let mut given = document();
        given["overall_assessment"]["verdict"] = json!(word);
        let workspace = project(&given.to_string());
        let report = review(&workspace, "", 1).await;
        let mut stored = stored(&workspace, &report);
        assert_eq!(stored["derived"], Value::Null, "{word}");
        stored.as_object_mut().unwrap().remove("quality_tracking");
        assert_eq!(stored, given);
    }
}

#[tokio::test]
async fn a_round_is_as_good_as_the_overall_score_of_its_document() {
    let workspace = project("");
    for (round, score) in [(1, 0.3), (2, 0.5), (3, 0.45)] {
        let mut said = document();
        said["iteration"] = json!({"number": round, "max": 10, "phase": "refinement"});
        said["overall_assessment"]["score"] = json!(score);
        let file = workspace.home().join(format!("said-{round}"));
        std::fs::write(file, said.to_string()).unwrap();
    }
    let judge = "cat > /dev/null; cat \"$HOME/said-$RALPH_ITERATION\"";
    program(&workspace, "judge", judge);
    let fix = "cat > /dev/null; echo $RALPH_ITERATION >> specs/doc.md";
    program(&workspace, "fix", fix);
    let mut report = review(&workspace, "", 3).await;
    report.feedback = FeedbackRates::of(&report);
    assert_eq!(value(&report)["best"]["iteration"], 2);
    let tracking = &stored(&workspace, &report)["quality_tracking"];
    assert_eq!(tracking["improvement_observed"], true);
    let delta = tracking["improvement_delta"].as_f64().unwrap();
    assert!((delta - 0.2).abs() < 1e-9, "{delta}");
    let shown = human_summary(&report, None, Styling::Plain);
    assert!(shown.contains("overall score 50"), "{shown}");
    assert!(shown.contains("improved 50 %, 1 of 2"), "{shown}");
}

#[tokio::test]
async fn what_is_added_to_a_document_is_listed() {
    let mut given = document();
    given["overall_assessment"] = json!({
        "score": 0.9, "verdict": "accept",
        "summary": "All limits are given, and each of them can be tested by a reader.",
    });
    for item in given["feedback_items"].as_array_mut().unwrap() {
        item["severity"] = json!("suggestion");
    }
    let workspace = project(&given.to_string());
    let report = review(&workspace, "check = \"false\"\n", 1).await;
    let mut stored = stored(&workspace, &report);
    let added = &stored["feedback_items"][2]["evidence"]["test_result"];
    assert!(added.is_string(), "{stored:#}");
    assert_eq!(
        stored["derived"],
        json!(["/feedback_items/2", "/overall_assessment/verdict"])
    );
    assert_eq!(stored["overall_assessment"]["verdict"], "refine");
    let items = stored["feedback_items"].as_array_mut().unwrap();
    items.truncate(2);
    assert_eq!(stored["feedback_items"], given["feedback_items"]);
}

#[tokio::test]
async fn rationale_example_priority_severity_and_evidence_reach_the_applier() {
    let workspace = project(&document().to_string());
    let fix = "cat > \"$HOME/applied\"; echo x >> specs/doc.md";
    program(&workspace, "fix", fix);
    review(&workspace, "", 2).await;
    let prompt = kept(&workspace, "applied");
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

#[tokio::test]
async fn an_answer_for_another_iteration_or_target_is_refused() {
    for (pointer, wrong, message) in [
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
        *given.pointer_mut(pointer).unwrap() = wrong;
        let workspace = project(&given.to_string());
        let report = review(&workspace, "", 1).await;
        assert_eq!(report.block_code, Some(BlockCode::Malformed));
        let reason = report.block_reason;
        assert!(reason.contains(message), "{reason}");
        let calls = kept(&workspace, "calls");
        assert_eq!(calls, "call\ncall\n", "it is asked again once");
    }
}

#[tokio::test]
async fn the_prompt_names_the_iteration_and_the_target() {
    let workspace = project(&document().to_string());
    review(&workspace, "", 1).await;
    let prompt = kept(&workspace, "prompt");
    for words in [
        "iteration.number is 1, and target.path is \"specs/doc.md\" or a file in it.",
        "accept with one item of severity suggestion",
    ] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
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

#[tokio::test]
async fn an_answer_in_yaml_is_read() {
    let yaml = |severity: &str, verdict: &str| {
        let yaml = YAML.replace("SEVERITY", severity);
        yaml.replace("VERDICT", verdict)
    };
    let (revise, pass) = (yaml("major", "refine"), yaml("suggestion", "accept"));
    for (answer, outcome) in [
        (revise.clone(), Outcome::NotPassed),
        (pass.clone(), Outcome::Passed),
        (format!("```yaml\n{pass}```"), Outcome::Passed),
        (format!("Here:\n```yaml\n{revise}```"), Outcome::NotPassed),
        (format!("Here:\n```yaml\n{pass}```"), Outcome::NoVerdict),
    ] {
        let report = review(&project(&answer), "", 1).await;
        assert_eq!(report.outcome, Some(outcome), "{answer}");
    }
}
