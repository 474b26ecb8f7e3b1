//! Conversions in both directions.

use serde_json::{Value as Json, json};

use review_schema::actionable::{DocumentId, Mode, read};
use review_types::Timestamp;

use super::convert::{converted, detect};
use super::to::{NewDocument, Written};
use super::{DocumentForm, FeedbackFormat, document, documents};
use crate::style::plain;

const ALL: [FeedbackFormat; 3] = [
    FeedbackFormat::Actionable,
    FeedbackFormat::Afp,
    FeedbackFormat::Review,
];

fn source() -> Json {
    json!({
        "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
        "timestamp": "2026-03-01T12:30:05Z",
        "iteration": { "number": 2, "max": 3, "phase": "refinement" },
        "target": { "type": "code", "path": "src/auth.rs" },
        "feedback_items": [
            {
                "aspect": "completeness",
                "severity": "major",
                "score": 0.345,
                "issue": "The empty token is accepted as equal to every token",
                "location": { "type": "line", "reference": "42-48" },
                "suggestion": {
                    "action": "Refuse the empty token before the comparison",
                    "rationale": "Nobody can pass without a token any more"
                },
                "evidence": { "metric": "coverage 40" }
            },
            {
                "aspect": "clarity",
                "severity": "minor",
                "issue": "The name `cmp` says nothing of its constant time",
                "location": { "type": "function", "reference": "cmp()" },
                "suggestion": {
                    "action": "Rename `cmp` to `equal_in_constant_time`",
                    "rationale": "Readers see why it is not a plain comparison"
                }
            }
        ],
        "overall_assessment": {
            "score": 0.5,
            "verdict": "reject",
            "summary": "The empty token is accepted, and a name hides why the code looks as it does.",
            "confidence": 0.9
        },
        "mood": "fine"
    })
}

fn new() -> NewDocument {
    NewDocument {
        id: DocumentId::new("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b4").unwrap(),
        timestamp: Timestamp::UNIX_EPOCH,
    }
}

fn convert(source: &Json, from: FeedbackFormat, to: FeedbackFormat) -> (Json, Vec<String>) {
    let Written { output, remarks } = converted(&source.to_string(), from, to, new()).unwrap();
    (output, remarks)
}

fn from_source(to: FeedbackFormat) -> (Json, Vec<String>) {
    convert(&source(), FeedbackFormat::Actionable, to)
}

#[test]
fn each_output_is_detected_and_leads_back_to_a_valid_document() {
    for format in ALL {
        let (output, _) = from_source(format);
        assert_eq!(detect(&output.to_string()), Some(format));
        let (back, _) = convert(&output, format, FeedbackFormat::Actionable);
        let (document, _) = read(&back.to_string(), Mode::Import).unwrap();
        let items = document.feedback_items.as_slice();
        assert_eq!(items.len(), 2, "{format:?}");
        assert!(
            items[0]
                .issue
                .as_str()
                .contains("The empty token is accepted"),
            "{format:?}"
        );
    }
    assert_eq!(detect("{}"), None);
    assert_eq!(detect("x"), None);
}

#[test]
fn a_document_in_its_own_format_is_unchanged() {
    let converted = from_source(FeedbackFormat::Actionable);
    assert_eq!(converted, (source(), Vec::new()));
}

#[test]
fn a_review_gets_the_verdict_the_places_and_the_least_scores() {
    let (output, remarks) = from_source(FeedbackFormat::Review);
    let expected = json!({
        "verdict": "needs_revision",
        "score": { "completeness": 35 },
        "feedback": [
            {
                "section": "src/auth.rs:42-48",
                "issue": "The empty token is accepted as equal to every token",
                "suggestion": "Refuse the empty token before the comparison",
                "severity": "major"
            },
            {
                "section": "cmp()",
                "issue": "The name `cmp` says nothing of its constant time",
                "suggestion": "Rename `cmp` to `equal_in_constant_time`",
                "severity": "minor"
            }
        ]
    });
    assert_eq!(output, expected);
    let lost = [
        "lost: id",
        "lost: timestamp",
        "lost: target",
        "lost: overall score",
        "lost: aspect of items",
        "lost: score of items",
        "lost: rationale of items",
        "lost: evidence of items",
        "lost: iteration",
        "lost: confidence",
        "lost: summary",
        "changed: verdict from reject to needs_revision",
    ];
    assert_eq!(remarks, lost);
}

#[test]
fn severities_survive_the_way_to_a_review_or_a_response_and_back() {
    for format in [FeedbackFormat::Review, FeedbackFormat::Afp] {
        let (output, remarks) = from_source(format);
        assert!(
            !remarks.iter().any(|line| line.contains("severity")),
            "{remarks:?}"
        );
        let (back, _) = convert(&output, format, FeedbackFormat::Actionable);
        let severity = |at: usize| back["feedback_items"][at]["severity"].clone();
        let both = (severity(0), severity(1));
        assert_eq!(both, (json!("major"), json!("minor")), "{format:?}");
    }
}

#[test]
fn a_review_of_a_response_has_none_of_its_ids() {
    let (response, _) = from_source(FeedbackFormat::Afp);
    let areas = response["feedback"]["areas_for_improvement"].as_array();
    assert_eq!(areas.unwrap()[0]["id"], "area-01");
    let (review, remarks) = convert(&response, FeedbackFormat::Afp, FeedbackFormat::Review);
    assert_eq!(review["feedback"][0]["id"], Json::Null);
    assert!(remarks.contains(&"lost: id of items".to_owned()));
}

#[test]
fn a_response_keeps_the_ids_of_its_areas() {
    let (mut response, _) = from_source(FeedbackFormat::Afp);
    response["feedback"]["areas_for_improvement"][0]["id"] = json!("rate-1");
    response["review"]["evidence"] = json!({ "rate-1": { "severity": "major" } });
    let (again, remarks) = convert(&response, FeedbackFormat::Afp, FeedbackFormat::Afp);
    let ids = [0, 1].map(|at| again["feedback"]["areas_for_improvement"][at]["id"].clone());
    assert_eq!(ids, [json!("rate-1"), json!("area-02")]);
    assert_eq!(again["review"]["evidence"], response["review"]["evidence"]);
    assert_eq!(remarks, [""; 0]);
}

#[test]
fn a_stream_of_the_protocol_is_a_response_and_a_document_lists_what_is_filled_in() {
    let response = json!({
        "protocol_version": "1.2", "iteration": 3, "status": "success", "feedback": {
            "confidence": { "level": "medium", "justification": "" },
            "positive_points": [],
            "areas_for_improvement": [{
                "id": "r", "aspect": "Rota", "description": "No rota is named in the text",
                "recommendation": "Add the rota below the contacts"
            }],
            "general_summary": ""
        }
    });
    let part = |kind: &str, part: Json| json!({ "type": kind, "part": part }).to_string();
    let stream = [
        part("step_start", json!({ "type": "step-start" })),
        part(
            "text",
            json!({ "type": "text", "text": response.to_string() }),
        ),
        part(
            "step_finish",
            json!({ "tokens": { "input": 100, "output": 200 } }),
        ),
    ];
    let stream = stream.join("\n");
    assert_eq!(detect(&stream), Some(FeedbackFormat::Afp));
    let (from, to) = (FeedbackFormat::Afp, FeedbackFormat::Actionable);
    let Written { output, .. } = converted(&stream, from, to, new()).unwrap();
    let derived = [
        "/id",
        "/timestamp",
        "/iteration/max",
        "/iteration/phase",
        "/target/path",
        "/target/type",
        "/overall_assessment/confidence",
    ];
    let listed = output["derived"].as_array().unwrap();
    assert_eq!(listed[..derived.len()], derived.map(Json::from));
    assert_eq!(output, convert(&response, from, to).0);
}

#[test]
fn a_document_does_not_accept_what_has_a_critical_item() {
    let review = json!({ "verdict": "pass", "score": {}, "feedback": [{
        "section": "API", "issue": "SQL injection by the name", "suggestion": "use parameters",
        "severity": "critical"
    }]});
    let (document, remarks) = convert(&review, FeedbackFormat::Review, FeedbackFormat::Actionable);
    assert_eq!(document["overall_assessment"]["verdict"], "refine");
    assert_eq!(
        remarks[0],
        "changed: verdict from accept to refine: an item is critical"
    );
    assert!(read(&document.to_string(), Mode::Import).is_ok());
}

#[test]
fn what_is_not_valid_is_reported() {
    let invalid = |text: &str, from| {
        converted(text, from, FeedbackFormat::Review, new())
            .unwrap_err()
            .errors
    };
    let mut document = source();
    document["feedback_items"][0]["severity"] = json!("high");
    let remarks = invalid(&document.to_string(), FeedbackFormat::Actionable);
    assert_eq!(remarks.len(), 1);
    assert!(
        remarks[0].starts_with("field.unknown_word /feedback_items/0/severity: "),
        "{remarks:?}"
    );
    let error = r#"{"protocol_version":"1.2","iteration":1,"status":"error",
        "error":{"code":"internal_error","message":"broken"}}"#;
    assert_eq!(
        invalid(error, FeedbackFormat::Afp),
        ["the response is an error: broken"]
    );
    let pass = json!({ "verdict": "pass", "score": {}, "feedback": [] });
    let none = converted(
        &pass.to_string(),
        FeedbackFormat::Review,
        FeedbackFormat::Actionable,
        new(),
    );
    assert_eq!(
        none.unwrap_err().errors,
        ["nothing to convert: no areas for improvement, and a document needs at least one item"]
    );
}

/// A document with every field that there is.
fn full() -> Json {
    json!({
        "id": "3f6c1a2e-9a3b-4c8d-8e2f-0123456789ab",
        "timestamp": "2026-03-01T12:30:05Z",
        "iteration": {"number": 2, "max": 5, "phase": "refinement"},
        "target": {"type": "code", "path": "src/a.rs", "version": "abc123", "context": "login"},
        "feedback_items": [{
            "aspect": "security", "severity": "critical", "score": 0.3,
            "issue": "The token is compared byte by byte, which tells how much fits",
            "location": {
                "type": "function", "reference": "check\u{202e}()",
                "context_before": "fn check() {", "context_after": "}",
            },
            "suggestion": {
                "action": "Compare the tokens in constant time",
                "rationale": "The time no longer tells how much of it fits",
                "example": "equal(a, b)", "priority": 3,
            },
            "evidence": {"test_result": "1 failed", "metric": "12 us", "reference": "CWE-208"},
        }],
        "overall_assessment": {
            "score": 0.4, "verdict": "reject", "confidence": 0.9,
            "summary": "The comparison of tokens tells an attacker how much of it fits.",
        },
        "quality_tracking": {
            "feedback_followed": true, "improvement_observed": true, "improvement_delta": 0.25,
            "feedback_clarity_score": 0.5,
        },
    })
}

#[test]
fn a_document_is_shown_with_all_that_it_holds() {
    let (feedback, _) = read(&full().to_string(), Mode::Default).unwrap();
    let shown = plain(&document(&feedback));
    for words in [
        "  confidence: 0.90\n",
        "  reference: check\u{fffd}()\n",
        "  priority: 3\n",
        "  context_before: fn check() {\n",
        "  context_after: }\n",
        "  test_result: 1 failed\n",
        "  metric: 12 us\n",
        "  reference: CWE-208\n",
        "    feedback_clarity_score: 0.50\n    feedback_followed: true\n",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn a_conversion_names_each_loss_and_each_change() {
    for to in [FeedbackFormat::Afp, FeedbackFormat::Review] {
        let (_, remarks) = convert(&full(), FeedbackFormat::Actionable, to);
        for remark in [
            "lost: target",
            "lost: context of items",
            "lost: quality_tracking",
            "changed: verdict from reject to needs_revision",
        ] {
            assert!(
                remarks.iter().any(|one| one == remark),
                "{remark}: {remarks:?}"
            );
        }
    }
    let response = json!({
        "protocol_version": "1.2", "iteration": 1, "status": "success",
        "feedback": {
            "confidence": {"level": "high", "justification": "read twice"}, "positive_points": [],
            "areas_for_improvement": [{
                "id": "scope-1", "aspect": "Scope", "description": "No limit is given",
                "recommendation": "Name one",
            }],
            "general_summary": "one point",
        },
    });
    let (_, remarks) = convert(&response, FeedbackFormat::Afp, FeedbackFormat::Afp);
    assert_eq!(remarks, ["lost: confidence.justification"]);
}

/// The lines and codes of what is wrong with the documents of a string, document by document.
fn found(text: &str, form: DocumentForm, mode: Mode) -> Vec<Vec<String>> {
    let documents = documents(text, form, mode);
    let diagnostics = documents.iter().map(|one| {
        let diagnostics = one.diagnostics.iter();
        let lines = diagnostics.map(|one| format!("{} {}", one.line, one.code));
        lines.collect()
    });
    diagnostics.collect()
}

#[test]
fn lines_of_json_are_documents_with_the_lines_of_their_file() {
    let first = full().to_string();
    let other = first.replace("3f6c1a2e-", "");
    let lines = format!("{first}\n\n{other}\nnot json\n");
    assert_eq!(DocumentForm::of_text(&lines), DocumentForm::Jsonl);
    let found = found(&lines, DocumentForm::Jsonl, Mode::Default);
    let counts: Vec<_> = found.iter().map(Vec::len).collect();
    let [clean, unnamed, broken] = &found[..] else {
        panic!("{found:?}")
    };
    let added: Vec<_> = unnamed.iter().filter(|one| one.starts_with("3 ")).collect();
    assert_eq!(added.len(), clean.len() + 1, "{counts:?} {found:?}");
    assert!(unnamed.contains(&"3 id.not_uuid".to_owned()), "{unnamed:?}");
    assert_eq!(broken, &["4 document.syntax"]);
}

#[test]
fn yaml_that_is_not_valid_is_an_error_with_its_line() {
    for (text, expected) in [
        ("id: 1\nid: 2\n", "2 key.duplicate"),
        ("a: 1\nb: [1\n", "2 document.syntax"),
    ] {
        let found = found(text, DocumentForm::Yaml, Mode::Default);
        assert_eq!(found, [[expected]]);
    }
}

#[test]
fn rules_beyond_the_published_schema_are_errors_in_every_mode() {
    let mut document = full();
    document["id"] = json!("fb-001");
    document["iteration"] = json!({"number": 10, "max": 5, "phase": "final"});
    document["overall_assessment"]["verdict"] = json!("accept");
    document["feedback_items"][0]["location"] = json!({"type": "line", "reference": "line 42"});
    for mode in [Mode::Default, Mode::Strict] {
        let checked = documents(&document.to_string(), DocumentForm::Json, mode);
        let errors = checked[0].diagnostics.iter().filter(|one| one.is_error());
        let codes: Vec<_> = errors.map(|one| one.code.to_string()).collect();
        for code in [
            "id.not_uuid",
            "location.reference",
            "iteration.beyond_max",
            "verdict.inconsistent",
        ] {
            assert!(codes.iter().any(|one| one == code), "{code}: {codes:?}");
        }
    }
}
