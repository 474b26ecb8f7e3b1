use review::criteria::Criteria;
use review::schema::afp::{ConfidenceLevel, Success, read_response};
use review::types::{
    CriterionName, FeedbackItem, Review, Score, Scores, SessionId, Timestamp, Verdict,
};
use serde_json::{Value, json};

use super::*;

fn request(iteration: u32, extra: Value) -> Vec<u8> {
    let mut request = json!({
        "protocol_version": "1.2",
        "iteration": iteration,
        "artifact": { "media_type": "text/markdown", "content": "# Plan\n" },
    });
    let extra = extra.as_object().unwrap().clone();
    request.as_object_mut().unwrap().extend(extra);
    serde_json::to_vec(&request).unwrap()
}

fn decisions(ids: &[&str]) -> Value {
    let items: Vec<_> = ids
        .iter()
        .map(|id| json!({ "id": id, "status": "accepted" }))
        .collect();
    json!({ "applied_feedback": { "items": items } })
}

fn scores(score: i64) -> Scores {
    let names = ["completeness", "consistency", "testability", "architecture"];
    let score = |name| {
        (
            CriterionName::new(name).unwrap(),
            Score::new(score).unwrap(),
        )
    };
    names.into_iter().map(score).collect()
}

fn review(verdict: Verdict, score: Scores, sections: &[&str]) -> Review {
    let item = |section: &&str| FeedbackItem::new(*section, "is open", "close it").unwrap();
    Review::new(verdict, score, sections.iter().map(item).collect()).unwrap()
}

fn reviewed(review: Review, criteria: &Criteria) -> Reviewed<'_> {
    Reviewed {
        review,
        criteria,
        truncated: false,
        by_rules: false,
        is_unread: false,
        fault: None,
    }
}

fn admitted(request: &[u8], state: SessionState) -> Admitted {
    match admit(request, state) {
        Admission::Review(admitted) => *admitted,
        Admission::Answered(response) => panic!("answered: {response}"),
    }
}

fn answered(request: &[u8], state: SessionState) -> String {
    match admit(request, state) {
        Admission::Answered(response) => response,
        Admission::Review(_) => panic!("reviewed"),
    }
}

/// The session after a first answer with these sections.
fn after(sections: &[&str]) -> (Vec<u8>, Exchange) {
    let first = request(1, json!({}));
    let criteria = Criteria::default();
    let review = review(Verdict::NeedsRevision, scores(90), sections);
    let answered = admitted(&first, SessionState::New).answer(reviewed(review, &criteria));
    (first, answered.exchange.unwrap())
}

fn error(response: &str) -> (u32, ErrorCode, String) {
    let response = read_response(response.as_bytes()).unwrap();
    match response.body {
        ResponseBody::Error { error } => (response.iteration.get(), error.code, error.message),
        ResponseBody::Success(_) => panic!("feedback"),
    }
}

fn success(response: &str) -> Success {
    match read_response(response.as_bytes()).unwrap().body {
        ResponseBody::Success(success) => success,
        ResponseBody::Error { error } => panic!("{error}"),
    }
}

#[test]
fn a_request_that_cannot_be_read_is_invalid() {
    for (text, iteration, message) in [
        (
            &b"no JSON"[..],
            1,
            "json - invalid JSON: expected a value at byte 0",
        ),
        (b"{\"iteration\": 3}", 3, "protocol_version - is missing"),
        (
            b"{\"protocol_version\": \"1.2\", \"iteration\": 0}",
            1,
            "iteration - expected integer from 1 to 4294967295, found 0",
        ),
    ] {
        let (echoed, code, got) = error(&answered(text, SessionState::New));
        assert_eq!((echoed, code), (iteration, ErrorCode::INVALID_REQUEST));
        assert_eq!(got, format!("schema validation failed: {message}"));
    }
    let huge = vec![b' '; MAX_REQUEST + 1];
    let (_, code, message) = error(&answered(&huge, SessionState::New));
    assert_eq!(code, ErrorCode::INVALID_REQUEST);
    assert_eq!(message, "the request has more than 16777216 bytes");
}

#[test]
fn a_request_of_the_greatest_size_is_read() {
    let mut request = request(1, json!({}));
    request.resize(MAX_REQUEST, b' ');
    assert_eq!(
        admitted(&request, SessionState::New)
            .request()
            .iteration
            .get(),
        1
    );
}

#[test]
fn each_iteration_has_its_turn() {
    let (first, known) = after(&["Scope"]);
    let known = || SessionState::Known(known.clone());
    let with = |iteration| request(iteration, decisions(&["scope-01"]));
    assert_eq!(
        admitted(&first, SessionState::Unknown)
            .request()
            .iteration
            .get(),
        1
    );
    assert_eq!(admitted(&with(2), known()).request().iteration.get(), 2);
    for (iteration, state, message) in [
        (
            2,
            SessionState::New,
            "iteration: 2 needs the session of the iterations before it",
        ),
        (
            2,
            SessionState::Unknown,
            "iteration: 2 needs a session that is known here; start with iteration 1 and without a \
             session",
        ),
        (3, known(), "iteration: must be 2, got 3"),
        (
            1,
            known(),
            "iteration: 1 was answered already, to another request",
        ),
    ] {
        let (echoed, code, got) = error(&answered(&with(iteration), state));
        assert_eq!((echoed, code), (iteration, ErrorCode::INVALID_REQUEST));
        assert_eq!(got, message);
    }
}

#[test]
fn identical_bytes_get_the_answer_that_they_got() {
    let (first, known) = after(&["Scope"]);
    let response = known.response().to_owned();
    assert_eq!(answered(&first, SessionState::Known(known)), response);
}

#[test]
fn texts_and_three_formats_are_reviewed() {
    for (media_type, is_reviewed) in [
        ("text/markdown", true),
        ("text/x-rust; charset=utf-8", true),
        ("TEXT/PLAIN", true),
        ("application/json", true),
        ("application/ld+json", true),
        ("application/yaml", true),
        ("application/x-yaml", true),
        ("application/toml", true),
        ("application/pdf", false),
        ("image/png", false),
        ("image/json", false),
        ("application/jsonp", false),
    ] {
        let artifact = json!({ "artifact": { "media_type": media_type, "content": "x" } });
        let request = request(1, artifact);
        match admit(&request, SessionState::New) {
            Admission::Review(_) => assert!(is_reviewed, "{media_type}"),
            Admission::Answered(response) => {
                assert!(!is_reviewed, "{media_type}: {response}");
                let (_, code, message) = error(&response);
                assert_eq!(code, ErrorCode::UNSUPPORTED_MEDIA_TYPE);
                let start = format!("artifacts of type {media_type} are not reviewed");
                assert!(message.starts_with(&start), "{message}");
            }
        }
    }
}

#[test]
fn a_follow_up_reports_the_decisions_on_the_feedback() {
    let (_, known) = after(&["Scope", "Goals"]);
    let silent = request(2, json!({}));
    let (_, code, message) = error(&answered(&silent, SessionState::Known(known)));
    assert_eq!(code, ErrorCode::INVALID_REQUEST);
    assert_eq!(
        message,
        "applied_feedback: is missing; the last response gave 2 items to decide on"
    );
}

#[test]
fn after_nothing_to_improve_there_is_nothing_to_decide() {
    let criteria = Criteria::default();
    let passed = review(Verdict::Pass, scores(90), &[]);
    let first = admitted(&request(1, json!({})), SessionState::New);
    let known = first.answer(reviewed(passed, &criteria)).exchange.unwrap();
    let second = admitted(&request(2, json!({})), SessionState::Known(known));
    assert_eq!(second.warnings(), Vec::<String>::new());
}

#[test]
fn decisions_are_acknowledged_by_their_ids() {
    let (_, known) = after(&["Scope", "Goals"]);
    let second = request(2, decisions(&["goals-02", "other-01", "scope-01"]));
    let second = admitted(&second, SessionState::Known(known));
    assert_eq!(second.warnings(), Vec::<String>::new());
    let criteria = Criteria::default();
    let next = review(Verdict::NeedsRevision, scores(90), &["Limits"]);
    let answered = second.answer(reviewed(next, &criteria));
    let statuses = |success: &Success| -> Vec<(String, ProcessingStatus)> {
        let ack = success.applied_feedback_ack().unwrap();
        let items = ack.items.iter();
        items
            .map(|item| (item.id.to_string(), item.processing_status))
            .collect()
    };
    assert_eq!(
        statuses(&success(&answered.response)),
        [
            ("goals-02".to_owned(), ProcessingStatus::Acknowledged),
            ("other-01".to_owned(), ProcessingStatus::UnknownId),
            ("scope-01".to_owned(), ProcessingStatus::Acknowledged),
        ]
    );
    let known = answered.exchange.unwrap();
    let third = request(3, decisions(&["scope-01", "limits-01"]));
    let third = admitted(&third, SessionState::Known(known));
    let passed = review(Verdict::Pass, scores(90), &[]);
    let answered = third.answer(reviewed(passed, &criteria));
    let acks = statuses(&success(&answered.response));
    assert!(
        acks.iter()
            .all(|(_, status)| *status == ProcessingStatus::Acknowledged),
        "{acks:?}"
    );
}

#[test]
fn missing_or_unexplained_decisions_are_reported() {
    let (_, known) = after(&["Scope", "Goals"]);
    let items =
        json!({ "applied_feedback": { "items": [{ "id": "goals-02", "status": "partial" }] } });
    let second = admitted(&request(2, items), SessionState::Known(known));
    assert_eq!(
        second.warnings(),
        [
            "the partial decision on goals-02 has no explanation",
            "no decision on scope-01",
        ]
    );
}

#[test]
fn a_review_becomes_feedback() {
    let mut score = scores(90);
    score.insert(
        CriterionName::new("testability").unwrap(),
        Score::new(40).unwrap(),
    );
    let criteria = Criteria::default();
    let review = review(Verdict::NeedsRevision, score, &["Scope", "Scope"]);
    let first = admitted(&request(1, json!({})), SessionState::New);
    let answered = first.answer(reviewed(review.clone(), &criteria));
    let success = success(&answered.response);
    assert_eq!(success.outcome(), None);
    assert_eq!(success.applied_feedback_ack(), None);
    let feedback = success.feedback();
    assert_eq!(feedback.confidence.level, ConfidenceLevel::High);
    assert_eq!(
        feedback.confidence.justification,
        "The review scored 4 criteria."
    );
    let points: Vec<_> = feedback
        .positive_points
        .iter()
        .map(|point| (&*point.aspect, &*point.justification))
        .collect();
    let good = "It scores 90; 70 is enough.";
    let expected = ["completeness", "consistency", "architecture"].map(|name| (name, good));
    assert_eq!(points, expected);
    let items = &feedback.areas_for_improvement;
    let ids: Vec<_> = items.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["scope-01", "scope-02"]);
    assert!(items.as_slice()[1].says_the_same(&review.feedback()[1]));
    assert_eq!(
        feedback.general_summary,
        "The artifact needs a revision: 2 areas for improvement."
    );
}

#[test]
fn a_verdict_is_given_to_whom_it_was_asked_for_by() {
    let asked = request(1, json!({ "review": { "review_id": "r-7" } }));
    let criteria = Criteria::default();
    let passed = review(Verdict::Pass, scores(90), &["Scope"]);
    let answered = admitted(&asked, SessionState::New).answer(reviewed(passed, &criteria));
    let success = success(&answered.response);
    let outcome = success.outcome().unwrap();
    assert_eq!(outcome.review_id.as_deref(), Some("r-7"));
    assert_eq!(outcome.end_id, None);
    assert_eq!(outcome.verdict, Verdict::Pass);
    assert_eq!(outcome.score, scores(90));
    assert_eq!(
        success.feedback().general_summary,
        "The artifact passes; 1 change would make it better."
    );
}

#[test]
fn the_end_of_a_request_is_named_only_if_the_reviewer_got_the_text() {
    let asked = request(
        1,
        json!({ "review": { "review_id": "r-7", "end_id": "e7d1" } }),
    );
    let criteria = Criteria::default();
    for (is_unread, end_id) in [(false, Some("e7d1")), (true, None)] {
        let passed = review(Verdict::Pass, scores(90), &[]);
        let answered = admitted(&asked, SessionState::New).answer(Reviewed {
            is_unread,
            ..reviewed(passed, &criteria)
        });
        let success = success(&answered.response);
        let outcome = success.outcome().unwrap();
        assert_eq!(outcome.end_id.as_deref(), end_id);
    }
}

#[test]
fn a_pass_below_a_minimum_asks_for_what_it_lacks() {
    let asked = request(1, json!({ "review": { "review_id": "r-7" } }));
    let criteria = Criteria::default();
    let mut score = scores(90);
    score.insert(
        CriterionName::new("testability").unwrap(),
        Score::new(69).unwrap(),
    );
    let passed = review(Verdict::Pass, score, &[]);
    let answered = admitted(&asked, SessionState::New).answer(reviewed(passed, &criteria));
    let success = success(&answered.response);
    assert_eq!(success.outcome().unwrap().verdict, Verdict::NeedsRevision);
    let (id, _) = success
        .feedback()
        .areas_for_improvement
        .iter()
        .next()
        .unwrap();
    assert_eq!(id.as_str(), "testability-01");
}

#[test]
fn a_pass_without_scores_is_of_medium_confidence() {
    let criteria = Criteria::default();
    let passed = review(Verdict::Pass, Scores::default(), &[]);
    let first = admitted(&request(1, json!({})), SessionState::New);
    let answered = first.answer(Reviewed {
        truncated: true,
        ..reviewed(passed, &criteria)
    });
    let success = success(&answered.response);
    let feedback = success.feedback();
    assert_eq!(feedback.confidence.level, ConfidenceLevel::Medium);
    assert_eq!(
        feedback.confidence.justification,
        "The review gave no scores."
    );
    assert_eq!(success.verdict(), Verdict::Pass);
    assert_eq!(
        feedback.general_summary,
        "The artifact passes; nothing is left to improve. \
         There was more feedback than is listed here."
    );
}

#[test]
fn a_failed_review_leaves_the_session_as_it_was() {
    let (_, known) = after(&["Scope"]);
    let second = request(2, decisions(&["scope-01"]));
    let answered = admitted(&second, SessionState::Known(known)).fail("no time".to_owned());
    assert_eq!(answered.exchange, None);
    let expected = (2, ErrorCode::INTERNAL_ERROR, "no time".to_owned());
    assert_eq!(error(&answered.response), expected);
}

#[test]
fn a_session_is_read_as_it_was_written() {
    let (_, known) = after(&["Scope"]);
    let text = serde_json::to_string(&known).unwrap();
    assert_eq!(serde_json::from_str::<Exchange>(&text).unwrap(), known);
}

#[test]
fn a_response_travels_in_three_lines() {
    let session = SessionId::new("ses_1").unwrap();
    let [start, end] = [5, 9].map(Timestamp::from_unix_ms);
    let at = Moments { start, end };
    let lines = messages(&session, b"request", "{}", at);
    let [start, text, finish] = lines.each_ref().map(|line| {
        let line = serde_json::to_value(line).unwrap();
        assert_eq!(line["sessionID"], "ses_1");
        assert_eq!(line["part"]["sessionID"], "ses_1");
        line
    });
    assert_eq!(start["type"], "step_start");
    assert_eq!(
        (&text["type"], &text["part"]["text"]),
        (&json!("text"), &json!("{}"))
    );
    assert_eq!(text["part"]["time"], json!({ "start": 5, "end": 9 }));
    assert_eq!(
        (&finish["type"], &finish["part"]["reason"]),
        (&json!("step_finish"), &json!("stop"))
    );
    let ids: std::collections::BTreeSet<_> = [&start, &text, &finish]
        .map(|line| line["part"]["id"].to_string())
        .into();
    assert_eq!(ids.len(), 3);
    assert_eq!(lines, messages(&session, b"request", "{}", at));
}
