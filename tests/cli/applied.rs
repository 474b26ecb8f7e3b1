//! The decisions of an applier, as a reviewer of the Agent Feedback Protocol gets them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ran, TestEnvironment};

/// An opencode that keeps its requests and asks for the budget, again and again.
pub(crate) const OPENCODE: &str = r#"n=$(ls "$HOME" | grep -c request-)
cat > "$HOME/request-$n"
i=$((n+1))
area='{\"id\":\"c-1\",\"aspect\":\"Budget\",\"description\":\"No budget is given for a request\",\"recommendation\":\"Give 50 ms\"}'
if [ -e "$HOME/two" ]; then
  next='{\"id\":\"c-2\",\"aspect\":\"A\",\"description\":\"Step '"$i"' of the plan has no owner\",\"recommendation\":\"Name one\"}'
  area="$area,$next"
fi
feedback='{\"confidence\":{\"level\":\"high\",\"justification\":\"j\"},\"positive_points\":[],\"areas_for_improvement\":['"$area"'],\"general_summary\":\"g\"}'
text='{\"protocol_version\":\"1.2\",\"iteration\":'"$i"',\"status\":\"success\",\"feedback\":'"$feedback"'}'
line() { printf '{"type":"%s","timestamp":1,"sessionID":"ses_1","part":{"messageID":"m",%s}}\n' "$1" "$2"; }
line step_start '"type":"step-start"'
line text '"type":"text","text":"'"$text"'"'
line step_finish '"type":"step-finish","reason":"stop"'"#;

/// An applier that states these decisions, the last one again and again.
fn environment(decisions: &[&str]) -> TestEnvironment {
    let reports = decisions.iter();
    let reports =
        reports.map(|decision| format!(r#"{{"applied_feedback":{{"items":[{decision}]}}}}"#));
    reporting(&reports.collect::<Vec<_>>())
}

/// An applier that ends with these reports, the last one again and again.
fn reporting(reports: &[String]) -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/doc.md", "# A\n\n## Budget\n\nText.\n");
    environment.program("opencode", OPENCODE);
    let mut script = "n=$(ls \"$HOME\" | grep -c applied-)\ncat > \"$HOME/applied-$n\"\n\
                      echo more >> specs/doc.md\ncase $n in\n"
        .to_owned();
    for (at, report) in reports.iter().enumerate() {
        let pattern = match at + 1 == reports.len() {
            true => "*".to_owned(),
            false => at.to_string(),
        };
        script += &format!("{pattern}) cat <<'END'\n{report}\nEND\n;;\n");
    }
    environment.program("fix", &(script + "esac"));
    environment
}

fn review(environment: &TestEnvironment, rounds: &str) -> Ran {
    let agents = ["--reviewer", "opencode", "--applier", "cmd:fix"];
    let arguments = ["--set", "review.keep=last", "--max-iterations", rounds];
    environment.ralph([&["review", "specs/doc.md"], &agents[..], &arguments].concat())
}

/// The decisions that the request of a round reports.
fn reported(environment: &TestEnvironment, round: usize) -> Value {
    let file = environment.home().join(format!("request-{}", round - 1));
    let request: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    request["applied_feedback"]["items"].clone()
}

#[test]
fn a_rejection_is_reported_as_one_in_whatever_form_it_is_written() {
    for (decision, expected, noted) in [
        (
            r#"{"id":"c-1","status":"rejected","reason_code":"out-of-scope","explanation":"not ours"}"#,
            json!([{"id": "c-1", "status": "rejected", "reason_code": "out_of_scope", "explanation": "not ours"}]),
            "(written as \"out-of-scope\")",
        ),
        (
            r#"{"id":"c-1","status":"rejected","reason_code":"OUT_OF_SCOPE"}"#,
            json!([{"id": "c-1", "status": "rejected", "reason_code": "out_of_scope"}]),
            "(written as \"OUT_OF_SCOPE\")",
        ),
        (
            r#"{"id":"c-1","status":"rejected"}"#,
            json!([{"id": "c-1", "status": "rejected", "reason_code": "unspecified"}]),
            "rejected Budget: unspecified",
        ),
        (
            r#"{"id":"C-1","status":"Rejected.","reason_code":17}"#,
            json!([{"id": "c-1", "status": "rejected", "reason_code": "unspecified"}]),
            "(written as \"17\")",
        ),
    ] {
        let environment = environment(&[decision]);
        let ran = review(&environment, "2").exits(1);
        assert_eq!(reported(&environment, 2), expected);
        assert!(ran.stdout.contains(noted), "{}", ran.stdout);
    }
}

#[test]
fn a_decision_that_cannot_be_read_goes_back_once() {
    let clear = r#"{"id":"c-1","status":"rejected","reason_code":"incorrect"}"#;
    let partial = |message: &str| {
        let why = format!("something changed there; the decision cannot be read ({message})");
        json!([{
            "id": "c-1", "status": "partial", "reason_code": "unreadable", "explanation": why,
        }])
    };
    for (odd, field, message) in [
        (
            r#"{"applied_feedback":{"items":[{"id":"c-1","status":"wontfix"}]}}"#,
            "applied_feedback.items[c-1] - the decision",
            "status must be one of [accepted rejected partial], got: wontfix",
        ),
        (
            r#"[{"id":"c-1","status":"declined"}]"#,
            "applied_feedback.items[c-1] - the decision",
            "status must be one of [accepted rejected partial], got: declined",
        ),
        (
            r#"{"applied_feedback":{"items":[{"id":"c-7","status":"rejected"}]}}"#,
            "applied_feedback - it",
            "names c-7, which is the id of no item",
        ),
        (
            r#"{"applied_feedback":{"items":[{"id":"c-1","status":"rejected""#,
            "applied_feedback - it",
            "is not complete JSON",
        ),
        (
            "- c-1: rejected, the product decides",
            "applied_feedback.items[c-1] - the decision",
            "is in no form that is read",
        ),
        (
            "applied_feedback:\n  items:\n    - id: c-1\n      status: rejected",
            "applied_feedback - it",
            "is not complete JSON",
        ),
    ] {
        let clear_report = format!(r#"{{"applied_feedback":{{"items":[{clear}]}}}}"#);
        for (second, expected) in [
            (
                clear_report.as_str(),
                json!([{"id": "c-1", "status": "rejected", "reason_code": "incorrect"}]),
            ),
            // What changed at its place decides, and is no implementation of all of it.
            (odd, partial(message)),
        ] {
            let environment = reporting(&[odd.to_owned(), second.to_owned()]);
            review(&environment, "2").exits(1);
            let asked = fs::read_to_string(environment.home().join("applied-1")).unwrap();
            let reason = format!("{field} {message}");
            assert!(asked.contains(&reason), "{reason}: {asked}");
            assert!(!environment.home().join("applied-2").exists());
            assert_eq!(reported(&environment, 2), expected, "{odd}");
            let text = environment.read("specs/doc.md");
            assert_eq!(text.matches("more").count(), 1, "the first edit was undone");
        }
    }
}

#[test]
fn the_reason_of_a_rejection_is_reported_again_when_its_finding_is_raised_again() {
    let decisions = r#"{"id":"c-1","status":"rejected","reason_code":"out_of_scope","explanation":"not ours"},{"id":"c-2","status":"accepted"}"#;
    let environment = environment(&[decisions]);
    fs::write(environment.home().join("two"), "").unwrap();
    review(&environment, "3");
    let expected = json!([
        {"id": "c-1", "status": "rejected", "reason_code": "out_of_scope", "explanation": "not ours"},
        {"id": "c-2", "status": "accepted"},
    ]);
    assert_eq!(reported(&environment, 2), expected);
    let shown = fs::read_to_string(environment.home().join("applied-1")).unwrap();
    assert!(!shown.contains("\"c-1\""), "it is not shown again: {shown}");
    assert_eq!(reported(&environment, 3), expected);
}

#[test]
fn a_revision_that_leads_to_a_pass_without_scores_is_an_improvement() {
    let environment = environment(&[r#"{"id":"c-1","status":"accepted"}"#]);
    // What is asked for is done once.
    let program = OPENCODE.replace(
        "feedback='{",
        "grep -q more specs/doc.md && area=\nfeedback='{",
    );
    environment.program("opencode", &program);
    review(&environment, "3").exits(0);
    let report = environment.ralph(["report", "latest"]).exits(0).stdout;
    for line in [
        "  improved 100 %, 1 of 1 (target > 80 %)\n",
        "  clear 100 %, 1 of 1\n",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
}
