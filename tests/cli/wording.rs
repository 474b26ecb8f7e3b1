//! The wording rules of actionable feedback, in the answers of reviewers.

use serde_json::{Value, json};

use crate::support::{Ran, TestEnvironment};

const VAGUE: &str = r#"{"section":"B","issue":"Code could be better","suggestion":"Consider improving this","severity":"critical"}"#;
const CLEAR: &str = r#"{"section":"C","issue":"No limit is given","suggestion":"Name the limit"}"#;
fn answer(verdict: &str, items: &[&str]) -> String {
    let score = r#"{"completeness":90,"consistency":90,"testability":90,"architecture":90}"#;
    let items = items.join(",");
    format!(r#"{{"verdict":"{verdict}","score":{score},"feedback":[{items}]}}"#)
}

/// A reviewer that keeps its prompts and gives these answers, the last one again and
/// again.
fn judge(environment: &TestEnvironment, answers: &[String]) {
    let mut script =
        "n=$(ls \"$HOME\" | grep -c prompt-)\ncat > \"$HOME/prompt-$n\"\ncase $n in\n".to_owned();
    for (at, answer) in answers.iter().enumerate() {
        let pattern = match at + 1 == answers.len() {
            true => "*".to_owned(),
            false => at.to_string(),
        };
        script += &format!("{pattern}) cat <<'END'\n{answer}\nEND\n;;\n");
    }
    environment.program("judge", &(script + "esac"));
}

fn environment(answers: &[String]) -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/doc.md", "# A\n\n## B\n\nText.\n\n## C\n\nMore.\n");
    judge(&environment, answers);
    environment
}

fn review(environment: &TestEnvironment, arguments: &[&str]) -> Ran {
    let base = [
        "review",
        "specs/doc.md",
        "--no-apply",
        "--reviewer",
        "cmd:judge",
    ];
    environment.ralph([&base, arguments].concat())
}

fn calls(environment: &TestEnvironment) -> usize {
    let names = std::fs::read_dir(environment.home()).unwrap();
    names
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_str().unwrap().starts_with("prompt-")
        })
        .count()
}

fn prompt(environment: &TestEnvironment, number: usize) -> String {
    std::fs::read_to_string(environment.home().join(format!("prompt-{number}"))).unwrap()
}

fn issues(report: &Value) -> Vec<&str> {
    let items = report["iterations"][0]["feedback"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["issue"].as_str().unwrap())
        .collect()
}

#[test]
fn a_vague_answer_goes_back_once_and_what_stays_vague_is_kept_and_counted() {
    let environment = environment(&[answer("needs_revision", &[CLEAR, VAGUE])]);
    let report = review(&environment, &["--format", "json"]).exits(1).json();
    assert_eq!(calls(&environment), 2);
    let asked = prompt(&environment, 1);
    for words in [
        "feedback[1].issue - \"could be better\" is vague",
        "(rule issue.vague), in \"Code could be better\"",
        "(rule action.advisory), in \"Consider improving this\"",
        "Keep all other items",
    ] {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    let round = &report["iterations"][0];
    assert_eq!(
        issues(&report),
        ["No limit is given", "Code could be better"]
    );
    assert_eq!(round["feedback"][1]["severity"], "critical");
    assert_eq!(
        round["vague"],
        json!([
            {"item": 1, "rule": "issue.vague", "phrase": "could be better"},
            {"item": 1, "rule": "action.advisory", "phrase": "consider"},
        ])
    );
}

#[test]
fn a_document_and_a_response_are_asked_in_their_own_words() {
    let item = json!({
        "aspect": "clarity", "severity": "major", "issue": "Section B could be better",
        "location": {"type": "section", "reference": "B"},
        "suggestion": {
            "action": "Name the limit of retries", "rationale": "Two readers would differ here",
        },
    });
    let document = json!({
        "id": "3f6c1a2e-9a3b-4c8d-8e2f-0123456789ab", "timestamp": "2026-03-01T12:30:05Z",
        "iteration": {"number": 1, "max": 1, "phase": "final"},
        "target": {"type": "document", "path": "specs/doc.md"},
        "feedback_items": [item],
        "overall_assessment": {
            "score": 0.6, "verdict": "refine",
            "summary": "One limit is missing, so that two readers would build different things.",
        },
    });
    let environment = environment(&[document.to_string()]);
    environment.write("ralph.toml", "[review]\ndialect = \"actionable\"\n");
    review(&environment, &[]).exits(1);
    assert_eq!(calls(&environment), 2);
    let asked = prompt(&environment, 1);
    assert!(
        asked.contains("feedback_items[0].issue - \"could be better\" is vague"),
        "{asked}"
    );

    let response = json!({
        "protocol_version": "1.2", "iteration": 1, "status": "success",
        "feedback": {
            "confidence": {"level": "high", "justification": "read"}, "positive_points": [],
            "areas_for_improvement": [{
                "id": "c-1", "aspect": "B", "description": "No limit is given",
                "recommendation": "Maybe name one",
            }],
            "general_summary": "one point",
        },
    });
    environment.write("ralph.toml", "");
    let response = serde_json::to_string(&response.to_string()).unwrap();
    environment.program(
        "opencode",
        &format!(
            r#"n=$(ls "$HOME" | grep -c prompt-)
cat > "$HOME/prompt-$n"
cat <<'END'
{{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{{"type":"step-start","messageID":"m"}}}}
{{"type":"text","timestamp":1,"sessionID":"ses_1","part":{{"type":"text","messageID":"m","text":{response}}}}}
{{"type":"step_finish","timestamp":1,"sessionID":"ses_1","part":{{"type":"step-finish","messageID":"m","reason":"stop"}}}}
END"#
        ),
    );
    environment
        .ralph([
            "review",
            "specs/doc.md",
            "--no-apply",
            "--reviewer",
            "opencode",
        ])
        .exits(1);
    let asked: Value = serde_json::from_str(&prompt(&environment, 3)).unwrap();
    let retry = &asked["review"]["retry"];
    let field = "feedback.areas_for_improvement[0].recommendation";
    assert_eq!(retry["field"], field);
    let message = retry["message"].as_str().unwrap();
    assert!(message.contains("\"maybe\" is advice"), "{message}");
}
