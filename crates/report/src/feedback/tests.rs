//! Conversions in both directions.

use serde_json::{Value as Json, json};

use review_schema::actionable::{DocumentId, Mode, read};
use review_types::Timestamp;

use super::FeedbackFormat;
use super::convert::{converted, detect};
use super::to::{NewDocument, Written};

const ALL: [FeedbackFormat; 6] = [
    FeedbackFormat::Actionable,
    FeedbackFormat::Afp,
    FeedbackFormat::Review,
    FeedbackFormat::Sarif,
    FeedbackFormat::Rdjson,
    FeedbackFormat::Codex,
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
fn a_document_keeps_its_unknown_fields_and_its_locations_are_fixed() {
    let (output, remarks) = from_source(FeedbackFormat::Actionable);
    let mut expected = source();
    expected["feedback_items"][0]["location"]["type"] = json!("range");
    let changed = "changed: type of the location of 1 item from line to range";
    assert_eq!((output, remarks), (expected, vec![changed.to_owned()]));
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
        "lost: iteration",
        "lost: target",
        "lost: overall score",
        "lost: confidence",
        "lost: summary",
        "lost: aspect of 2 items",
        "lost: item score of 1 item",
        "lost: rationale of 2 items",
        "lost: evidence of 1 item",
        "changed: verdict from reject to needs_revision",
    ];
    assert_eq!(remarks, lost);
}

#[test]
fn findings_of_tools_have_their_places_and_levels() {
    let (sarif, _) = from_source(FeedbackFormat::Sarif);
    let first = &sarif["runs"][0]["results"][0];
    assert_eq!(first["level"], "error");
    assert_eq!(first["ruleId"], "completeness");
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/auth.rs");
    assert_eq!(place["region"], json!({ "startLine": 42, "endLine": 48 }));
    assert_eq!(
        sarif["runs"][0]["results"][1]["properties"]["section"],
        "cmp()"
    );
    let (rdjson, remarks) = from_source(FeedbackFormat::Rdjson);
    let second = &rdjson["diagnostics"][1];
    assert_eq!(second["severity"], "WARNING");
    assert_eq!(second["location"], json!({ "path": "src/auth.rs" }));
    assert!(
        remarks.contains(&"lost: location of 1 item".to_owned()),
        "{remarks:?}"
    );
    let (codex, _) = from_source(FeedbackFormat::Codex);
    assert_eq!(codex["overall_correctness"], "patch is incorrect");
    assert_eq!(codex["findings"][0]["priority"], 1);
    let range = &codex["findings"][0]["code_location"]["line_range"];
    assert_eq!(*range, json!({ "start": 42, "end": 48 }));
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
fn the_severity_of_a_sarif_result_survives_the_way_there_and_back() {
    let (sarif, _) = from_source(FeedbackFormat::Sarif);
    let (back, remarks) = convert(&sarif, FeedbackFormat::Sarif, FeedbackFormat::Actionable);
    let severity = |at: usize| back["feedback_items"][at]["severity"].clone();
    assert_eq!((severity(0), severity(1)), (json!("major"), json!("minor")));
    assert_eq!(back["target"]["path"], "src/auth.rs");
    assert_eq!(
        back["feedback_items"][0]["location"],
        json!({ "type": "range", "reference": "42-48" })
    );
    assert!(remarks.contains(&"derived: /id".to_owned()), "{remarks:?}");
    assert!(remarks.contains(&"derived: /overall_assessment/verdict".to_owned()));
}

#[test]
fn levels_of_others_become_severities() {
    let log = json!({ "version": "2.1.0", "runs": [{ "results": [
        { "level": "error", "message": { "text": "The first thing is wrong here" } },
        { "message": { "text": "The second thing is wrong here" } },
        { "level": "note", "message": { "text": "The third thing is wrong here" } },
        { "level": "info", "ruleIndex": -1, "message": { "text": "The fourth thing is wrong here" },
          "locations": [{ "physicalLocation": null }] },
    ]}]});
    let (output, _) = convert(&log, FeedbackFormat::Sarif, FeedbackFormat::Actionable);
    let items = output["feedback_items"].as_array().unwrap();
    let severities: Vec<_> = items.iter().map(|item| item["severity"].clone()).collect();
    assert_eq!(severities, ["critical", "minor", "suggestion", "minor"]);
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
    assert_eq!(
        invalid("{}", FeedbackFormat::Rdjson),
        ["no rdjson: missing field `diagnostics` at line 1 column 2"]
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
