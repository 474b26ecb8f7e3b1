use std::collections::BTreeMap;

use review_events::Envelope;
use review_types::{RunId, Score, Timestamp};
use serde_json::{Value as Json, json};

use super::*;
use crate::corrections::{Mode, read};

fn event(seq: u64, event_type: &str, payload: &Json) -> Envelope {
    let envelope = json!({
        "v": 1, "run": "r-1", "seq": seq, "timestamp": "2026-03-01T12:30:05Z",
        "type": event_type, "unit": "git", "payload": payload,
    });
    serde_json::from_value(envelope).unwrap()
}

fn drafts(events: &[Envelope]) -> Vec<Draft> {
    let minimum = Score::new(80).unwrap();
    let minimums = BTreeMap::from([
        ("clarity".to_owned(), minimum),
        ("testability".to_owned(), minimum),
    ]);
    let started = event(
        0,
        "run.started",
        &json!({"spec": "specs/GIT.md", "root": "/p"}),
    );
    RunFeedback::of([&started].into_iter().chain(events), &minimums)
}

fn summary(drafts: &[Draft]) -> Vec<(&str, &str, Option<Severity>, Vec<&str>)> {
    let all = drafts.iter();
    all.map(|draft| {
        let tags = draft.tags.iter().map(String::as_str).collect();
        (
            draft.agent.as_str(),
            draft.feedback_type.as_str(),
            draft.severity,
            tags,
        )
    })
    .collect()
}

fn round(verdict: &str) -> Envelope {
    let payload = json!({
        "iteration": 2, "verdict": verdict,
        "scores": {"clarity": 75, "testability": 20, "mood": 1},
        "feedback": [
            {"section": "Data Flow", "issue": "No limit is named. specs/GIT.md:7 [R4]", "suggestion": "Name one."},
            {"section": "Security", "issue": "The token is logged.", "suggestion": "Mask it."},
        ],
    });
    event(7, "spec.review.iteration", &payload)
}

#[test]
fn items_of_a_rejection_and_low_scores_are_feedback_for_the_applier() {
    let drafts = drafts(&[round("needs_revision")]);
    assert_eq!(
        summary(&drafts),
        [
            (
                "applier",
                "review_rejection",
                None,
                vec!["review_rejection", "data-flow", "R4"]
            ),
            (
                "applier",
                "security_finding",
                Some(Severity::High),
                vec!["security_finding", "security"]
            ),
            (
                "applier",
                "quality_score",
                Some(Severity::Low),
                vec!["quality_score", "clarity"]
            ),
            (
                "applier",
                "quality_score",
                Some(Severity::Critical),
                vec!["quality_score", "testability"]
            ),
        ]
    );
    let first = &drafts[0];
    assert_eq!(first.key, "run/r-1/7/item/0");
    assert_eq!(first.timestamp.to_string(), "2026-03-01T12:30:05Z");
    let context = Context {
        task: None,
        artifact_path: Some("specs/GIT.md".to_owned()),
        iteration: Some(2),
        session: Some("r-1".to_owned()),
        pattern: None,
    };
    assert_eq!(first.context, context);
    let said = (
        first.details.error_message.as_deref(),
        first.details.correction.as_deref(),
    );
    assert_eq!(
        said,
        (
            Some("No limit is named. specs/GIT.md:7 [R4]"),
            Some("Name one.")
        )
    );
    let score = &drafts[3].details;
    assert_eq!(
        score.quality_scores,
        BTreeMap::from([("testability".to_owned(), 20.0)])
    );
    assert_eq!(
        score.expected.as_deref(),
        Some("testability of at least 80")
    );
    assert_eq!(score.actual.as_deref(), Some("testability of 20"));
}

#[test]
fn a_pass_gives_feedback_only_for_its_low_scores() {
    let drafts = drafts(&[round("pass")]);
    let types: Vec<_> = drafts.iter().map(|draft| draft.feedback_type).collect();
    assert_eq!(types, [FeedbackType::QualityScore; 2]);
}

#[test]
fn unusable_responses_are_feedback_for_the_reviewer() {
    let hash = "0".repeat(64);
    let malformed = json!({
        "raw_output": "maybe", "raw_output_hash": hash,
        "parse_error": "no JSON object", "retry_number": 1,
    });
    let mut overruled = serde_json::to_value(round("pass")).unwrap();
    overruled["payload"]["remarks"] = json!([{"repaired": 1}, {"overruled": 2}]);
    let mut drafts = drafts(&[
        serde_json::from_value(overruled).unwrap(),
        event(8, "spec.review.malformed", &malformed),
        event(
            10,
            "feedback.unacknowledged",
            &json!({"iteration": 3, "difference": {"missing": 1, "unknown": 0, "foreign": 0}}),
        ),
    ]);
    drafts.retain(|draft| draft.agent.as_str() == "reviewer");
    let medium = Some(Severity::Medium);
    let word = "validation_failure";
    assert_eq!(
        summary(&drafts),
        [
            ("reviewer", word, medium, vec![word, "sent_back"]),
            ("reviewer", word, medium, vec![word, "malformed"]),
            ("reviewer", word, medium, vec![word, "acknowledgement"]),
        ]
    );
    let malformed = &drafts[1];
    assert_eq!(malformed.context.iteration, Some(3));
    assert_eq!(
        malformed.details.error_message.as_deref(),
        Some("no JSON object")
    );
    assert_eq!(malformed.details.actual.as_deref(), Some("maybe"));
    assert_eq!(malformed.key, "run/r-1/8/malformed/3");
    let overruled = drafts[0].details.error_message.as_deref();
    assert_eq!(
        overruled,
        Some("the response passes an artifact that 2 facts block")
    );
}

fn blocked(code: &str) -> Envelope {
    let payload = json!({
        "code": code, "reason": "why it is blocked", "iterations": [],
        "recovery_actions": [], "path": "specs/GIT.md",
    });
    event(20, "spec.review.blocked", &payload)
}

#[test]
fn only_blocks_caused_by_the_applier_are_feedback_for_it() {
    for (code, expected) in [
        (
            "applier_failed",
            Some(("validation_failure", Severity::Medium)),
        ),
        ("stagnated", None),
        ("malformed", None),
    ] {
        let drafts = drafts(&[round("pass"), blocked(code)]);
        let found = drafts.get(2).map(|draft| {
            assert_eq!(
                (draft.agent.as_str(), draft.context.iteration),
                ("applier", Some(2))
            );
            assert_eq!(
                draft.details.error_message.as_deref(),
                Some("why it is blocked")
            );
            (draft.feedback_type.as_str(), draft.severity.unwrap())
        });
        assert_eq!(found, expected, "{code}");
    }
}

#[test]
fn an_item_keeps_its_severity_and_its_aspect_decides_on_security_before_its_section() {
    for (section, aspect, severity, expected) in [
        (
            "Uploads",
            json!("security"),
            "critical",
            ("security_finding", Severity::Critical),
        ),
        (
            "Uploads",
            json!("security"),
            "major",
            ("security_finding", Severity::High),
        ),
        (
            "Security",
            json!("clarity"),
            "major",
            ("review_rejection", Severity::High),
        ),
        (
            "Security",
            json!(null),
            "critical",
            ("security_finding", Severity::Critical),
        ),
        (
            "Data",
            json!(null),
            "minor",
            ("review_rejection", Severity::Medium),
        ),
    ] {
        let item = json!({
            "section": section, "issue": "The token is logged.", "suggestion": "Mask it.",
            "severity": severity, "details": {"aspect": aspect},
        });
        let payload = json!({
            "iteration": 2, "verdict": "needs_revision", "scores": {},
            "feedback": [item],
        });
        let drafts = drafts(&[event(7, "spec.review.iteration", &payload)]);
        let (word, severity) = expected;
        assert_eq!(
            (drafts[0].feedback_type.as_str(), drafts[0].severity),
            (word, Some(severity))
        );
    }
}

#[test]
fn a_write_by_an_agent_that_may_not_is_a_security_finding_once() {
    let wrote = json!({"outcome": "wrote_files", "paths": ["a.md"]});
    let killed = json!({"outcome": "failed", "by": {"signal": 9}});
    for (failure, count) in [(wrote, 1), (killed, 0)] {
        let failed = json!({
            "iteration": 1,
            "error": {"failure": failure, "message": "it wrote a.md"},
        });
        let found = drafts(&[event(3, "spec.review.reviewer_failed", &failed)]);
        assert_eq!(found.len(), count);
        let mut applier = serde_json::to_value(blocked("applier_failed")).unwrap();
        applier["payload"]["applier_error"] = failed["error"].clone();
        let mut of_applier = drafts(&[serde_json::from_value(applier).unwrap()]);
        assert_eq!(of_applier.len(), 1);
        of_applier.truncate(count);
        let of_reviewer = found.iter().map(|draft| (draft, "reviewer"));
        let of_applier = of_applier.iter().map(|draft| (draft, "applier"));
        for (draft, agent) in of_reviewer.chain(of_applier) {
            assert_eq!(
                (draft.agent.as_str(), draft.severity),
                (agent, Some(Severity::High))
            );
            assert_eq!(draft.feedback_type, FeedbackType::SecurityFinding);
            assert_eq!(draft.tags, ["security_finding", "wrote_files"]);
        }
    }
}

#[test]
fn a_failed_task_is_a_test_failure() {
    for (state, is_told) in [
        ("passed", false),
        ("failed", true),
        ("timed_out", true),
        ("no_tests", true),
        ("no_command", true),
        ("skipped", false),
        ("not_run", false),
    ] {
        let finished = json!({
            "task": 7, "title": "t", "state": state, "tests_run": null, "took_ms": 5,
            "cached": false, "changed_tree": false, "reason": "exit status 1",
            "tail": "2 tests failed\n", "log": null,
        });
        let drafts = drafts(&[event(5, "task.finished", &finished)]);
        assert_eq!(drafts.len(), usize::from(is_told), "{state}");
        for draft in drafts {
            assert_eq!(draft.severity, Some(Severity::High));
            assert_eq!(draft.tags, ["test_failure", state]);
            let expected = match state {
                "failed" => "2 tests failed",
                _ => "exit status 1",
            };
            assert_eq!(draft.details.error_message.as_deref(), Some(expected));
            assert_eq!(draft.details.actual.as_deref(), Some("2 tests failed"));
        }
    }
}

#[test]
fn comments_of_users_concern_the_agent_that_erred() {
    let run = RunId::new("r-1").unwrap();
    let (finding, issue) = ("f-0123456789ab", "No limit is named.");
    for (speech, agent, tag, message) in [
        (
            CommentKind::Waived { finding, issue },
            "reviewer",
            "waived",
            Some(issue),
        ),
        (
            CommentKind::Upheld { finding, issue },
            "applier",
            "upheld",
            Some(issue),
        ),
        (CommentKind::Guided, "applier", "guided", None),
    ] {
        let said = UserComment {
            run: &run,
            artifact: "specs/GIT.md",
            at: Timestamp::UNIX_EPOCH,
            speech,
            words: "It is meant so.",
        };
        let draft = said.draft();
        assert_eq!((draft.agent.as_str(), draft.severity), (agent, None));
        assert_eq!(draft.tags, ["human_correction", tag]);
        assert_eq!(draft.details.error_message.as_deref(), message);
        assert_eq!(draft.details.correction.as_deref(), Some("It is meant so."));
        assert_eq!(
            draft.key,
            UserComment {
                at: Timestamp::from_unix_ms(9),
                ..said
            }
            .draft()
            .key
        );
    }
}

#[test]
fn a_correction_is_feedback_for_its_agent() {
    let line = json!({
        "date": "2026-03-02", "timestamp": "2026-03-02T10:30:00Z", "agent": "api-dev",
        "session_id": "s-1", "correction_type": "code_completeness",
        "ai_action": {"summary": "Wrote the upload", "file": "src/up.rs:42"},
        "user_correction": {"summary": "A limit was wanted", "verbatim": "Cap it at 10 MiB"},
        "pattern_inferred": "missing-validation", "context": {"task": "uploads"},
        "severity": "high", "source": "explicit",
    });
    let text = line.to_string();
    let correction = read(text.as_bytes(), 1, Mode::Default).object.unwrap();
    let draft = Draft::of_correction(&correction);
    assert_eq!(
        (draft.agent.as_str(), draft.severity),
        ("api-dev", Some(Severity::High))
    );
    assert_eq!(draft.timestamp.to_string(), "2026-03-02T10:30:00Z");
    let context = Context {
        task: Some("uploads".to_owned()),
        artifact_path: Some("src/up.rs".to_owned()),
        iteration: None,
        session: Some("s-1".to_owned()),
        pattern: Some("missing-validation".to_owned()),
    };
    assert_eq!(draft.context, context);
    let details = Details {
        error_message: Some("Wrote the upload".to_owned()),
        expected: Some("Cap it at 10 MiB".to_owned()),
        correction: Some("A limit was wanted".to_owned()),
        ..Details::default()
    };
    assert_eq!(draft.details, details);
    let tags = [
        "human_correction",
        "code_completeness",
        "explicit",
        "missing-validation",
    ];
    assert_eq!(draft.tags, tags);
}

#[test]
fn an_entry_is_redacted_and_its_id_is_derived_from_its_key() {
    let draft = drafts(&[round("needs_revision")]).swap_remove(1);
    let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3";
    let entry = draft.entry(&|text| text.replace("token", "[redacted]"), &|key| {
        assert_eq!(key, "run/r-1/7/item/1");
        id.parse().unwrap()
    });
    assert_eq!(entry.id.as_str(), id);
    assert_eq!(
        entry.details.error_message.as_deref(),
        Some("The [redacted] is logged.")
    );
    assert_eq!(entry.context.artifact_path.as_deref(), Some("specs/GIT.md"));
}

#[test]
fn collecting_an_entry_takes_five_steps() {
    let draft = drafts(&[round("needs_revision")]).swap_remove(0);
    let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3";
    let entry = draft.entry(&str::to_owned, &|_| id.parse().unwrap());
    let run = RunId::new("r-1").unwrap();
    let events = steps(&entry, Some(&run), Timestamp::UNIX_EPOCH)
        .map(|event| serde_json::to_value(event).unwrap());
    let types: Vec<_> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let expected = [
        "capture_context",
        "extract_details",
        "assign_severity",
        "tag_feedback",
        "store_entry",
    ];
    assert_eq!(
        types,
        expected.map(|step| format!("learning.feedback_collection.{step}"))
    );
    for event in &events {
        let expected = json!({
            "trigger": "review_rejection",
            "agent": "applier",
            "id": id,
            "file": format!("20260301T123005Z-{id}.json"),
        });
        assert_eq!(
            (&event["run"], &event["payload"]),
            (&json!("r-1"), &expected)
        );
    }
}
