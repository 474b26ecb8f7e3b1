//! Properties of every answer.

use proptest::prelude::*;
use review_schema::{Dialect, Mode, Options, measure};

use crate::support::invariants::holds_on_any_bytes;
use crate::support::truth::{
    Choices, never_passes, spoilt_document, spoilt_response, spoilt_revision,
};

/// Pieces of strings with many deviations.
const PIECES: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "'",
    "“",
    "”",
    "\\",
    "\\\"",
    "\\u12",
    "\\ud83d",
    "\n",
    " ",
    "\u{a0}",
    "//",
    "/*",
    "*/",
    "#",
    "...",
    "<think>",
    "</think>",
    "\"verdict\":",
    "verdict: ",
    "\"pass\"",
    "\"needs_revision\"",
    "\"score\":",
    "\"scores\":",
    "\"feedback\":",
    "\"result\":",
    "\"error\":",
    "\"text\":",
    r#"{"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}"#,
    r#"{"section": "a", "issue": "b", "suggestion": "c"}"#,
    r#"{"verdict": "pass", "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}}"#,
    "85",
    "-1.5e3",
    "1e400",
    "true",
    "None",
    "NaN",
    "word",
];

/// Fields of plain answers, some of them with deviations.
const MEMBERS: [&str; 27] = [
    r#""verdict": "pass""#,
    r#""verdict": "needs_revision""#,
    r#""verdict": "PASS""#,
    r#""Verdict": "pass""#,
    r#""score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}"#,
    r#""score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95, "extra": 7}"#,
    r#""score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95, "extra": "x"}"#,
    r#""score": {"completeness": -0, "consistency": 85, "testability": 80, "architecture": 95}"#,
    r#""score": {"completeness": 85.0, "consistency": 85, "testability": 80, "architecture": 95}"#,
    r#""score": {"completeness": 90, "Completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}"#,
    r#""scores": {}"#,
    r#""feedback": [{"section": "a", "issue": "b", "suggestion": "c"}]"#,
    r#""feedback": [{"section": "a", "issue": "b", "suggestion": "c", "more": 1e400}]"#,
    r#""feedback": [{"section": "...", "issue": "...", "suggestion": "..."}]"#,
    r#""feedback": [{"section": "a", "issue": "\ud83d", "suggestion": " "}]"#,
    r#""feedback": [{"Section": "a", "section": "a", "issue": "b", "suggestion": "c"}]"#,
    r#""feedback": [{"section": "a", "issue": "b", "suggestion": "c", "severity": "critical"}]"#,
    r#""feedback": [{"section": "a", "severity": "High", "issue": "b", "suggestion": "c"}]"#,
    r#""feedback": [{"section": "a", "issue": "b", "suggestion": "c", "severity": null, "severity": "minor"}]"#,
    r#""feedback": [{"section": "a", "issue": "b", "suggestion": "c"}, {"section": "...", "issue": "...", "suggestion": "...", "severity": "major"}]"#,
    r#""feedback": [{"section": "a", "issue": "b", "suggestion": "c"}, {"section": "...", "issue": "...", "suggestion": "...", "severity": "..."}]"#,
    r#""feedback": []"#,
    r#""feedback": null"#,
    r#""other": {"a": []}"#,
    r#""other": "</think> verdict: needs_revision""#,
    r#""result": {"verdict": "needs_revision"}"#,
    r#""error": true"#,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_parsed_in_bounded_work(answer in proptest::collection::vec(any::<u8>(), 0..200)) {
        holds_on_any_bytes(&answer);
    }

    #[test]
    fn any_pieces_are_parsed_in_bounded_work(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..40),
    ) {
        holds_on_any_bytes(pieces.concat().as_bytes());
    }

    #[test]
    fn any_fields_of_answers_are_parsed_in_bounded_work(
        members in proptest::collection::vec(proptest::sample::select(&MEMBERS[..]), 0..6),
        around in proptest::sample::select(&["", " ", "\n\t", "\u{feff}", "x"][..]),
    ) {
        let answer = format!("{around}{{{}}}{around}", members.join(", "));
        holds_on_any_bytes(answer.as_bytes());
    }

    #[test]
    fn a_corrupted_revision_never_passes(seed in proptest::collection::vec(any::<u8>(), 24..48)) {
        let answer = spoilt_revision(&mut Choices::new(&seed));
        never_passes(Dialect::Verdict, &answer);
        holds_on_any_bytes(&answer);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_corrupted_response_never_passes(seed in proptest::collection::vec(any::<u8>(), 24..64)) {
        let answer = spoilt_response(&mut Choices::new(&seed));
        never_passes(Dialect::Afp, &answer);
        holds_on_any_bytes(&answer);
    }

    #[test]
    fn a_corrupted_document_never_passes(seed in proptest::collection::vec(any::<u8>(), 24..64)) {
        let answer = spoilt_document(&mut Choices::new(&seed));
        never_passes(Dialect::Actionable, &answer);
        holds_on_any_bytes(&answer);
    }

    #[test]
    fn any_fields_of_responses_are_parsed_in_bounded_work(
        members in proptest::collection::vec(proptest::sample::select(&RESPONSE_MEMBERS[..]), 0..8),
    ) {
        let answer = format!("{{{}}}", members.join(", "));
        holds_on_any_bytes(answer.as_bytes());
    }
}

/// Fields of responses, some of them with deviations.
const RESPONSE_MEMBERS: [&str; 17] = [
    r#""protocol_version": "1.2""#,
    r#""iteration": 1"#,
    r#""iteration": 0"#,
    r#""status": "success""#,
    r#""status": "Error""#,
    r#""error": {"code": "INTERNAL_ERROR", "message": "m"}"#,
    r#""feedback": {"confidence": {"level": "high"}, "areas_for_improvement": []}"#,
    r#""feedback": {"confidence": {"level": "low"}, "areas_for_improvement": [{"id": "a"}]}"#,
    r#""feedback": {"confidence": {"level": "..."}, "areas_for_improvement": ["..."]}"#,
    r#""feedback": [[], {}]"#,
    r#""review": {"verdict": "pass"}"#,
    r#""review": {"verdict": "needs_revision", "review_id": "r"}"#,
    r#""review": 7"#,
    r#""review": {"verdict": "pass", "evidence": {"a": {"severity": "High"}}}"#,
    r#""review": {"verdict": "needs_revision", "evidence": [{"severity": "minor"}]}"#,
    r#""feedback": {"confidence": {"level": "high"}, "areas_for_improvement": [{"id": "a", "aspect": "a", "description": "b", "recommendation": "c", "severity": "minor"}]}"#,
    r#""applied_feedback_ack": {"items": [{"id": "a", "processing_status": "unknown_id"}]}"#,
];

#[test]
fn hostile_texts_are_parsed_in_bounded_work() {
    for piece in [
        "{",
        "{\"",
        "{\"a\":",
        "{\"a\":1,",
        "{\"a\":\"",
        "{/*",
        "{//",
        "{#",
        "{a:[",
        "{\"a\":[",
        "{'a':\"",
        "{“",
        "{\"a\":{\"b\":",
        "{\"verdict\":",
        "{\"verdict\":\"pass\",",
        "{\"verdict\":\"pass\"}",
        "{\"result\":",
        "{\"result\":[",
        "\"{",
        "\\\"{",
        "{\"a\":\"b\" ",
        "{}",
        "{\"a\" ",
        "<think>",
        "</think>",
        "verdict: ",
        "{\"a\":1e9",
        "{\"score\":{\"a\":1},",
        "{\"a\":,",
    ] {
        for tail in ["", "}", "\"", "\"}", "{\"verdict\":\"pass\"}"] {
            holds_on_any_bytes((piece.repeat(400) + tail).as_bytes());
        }
    }
}

#[test]
fn hostile_pieces_inside_one_object_are_parsed_in_bounded_work() {
    for piece in [
        "\"a\":1,",
        "[",
        "{\"a\":",
        "\"verdict\":\"pass\",",
        "\"result\":\"{\",",
        "\"\\\"",
        "'{',",
        "1 ",
        "...,",
        "\"a\" \"b\",",
    ] {
        for head in [
            "{\"verdict\":\"pass\",",
            "{\"result\":[",
            "{\"feedback\":[{\"section\":\"",
            "{\"score\":{",
        ] {
            holds_on_any_bytes((head.to_owned() + &piece.repeat(400)).as_bytes());
        }
    }
}

#[test]
fn an_answer_that_costs_too_much_is_an_error() {
    let answer = "{/*".repeat(2_000);
    let measured = measure(&answer, &Options::default());
    let error = measured.result.unwrap_err();
    assert_eq!(
        (error.field.to_string(), error.message.as_str()),
        ("json".to_owned(), "too many malformed objects")
    );
    assert!(measured.work >= 16 * answer.len());
}

#[test]
fn every_prefix_of_a_revision_is_a_revision_or_an_error() {
    let seeds: [&[u8]; 4] = [
        &[1, 2, 1, 0, 1, 3],
        &[0, 1, 1],
        &[2; 40],
        &[7, 3, 2, 9, 4, 1, 1, 0, 0, 5],
    ];
    for seed in seeds {
        for (dialect, whole) in [
            (Dialect::Verdict, spoilt_revision(&mut Choices::new(seed))),
            (Dialect::Afp, spoilt_response(&mut Choices::new(seed))),
            (
                Dialect::Actionable,
                spoilt_document(&mut Choices::new(seed)),
            ),
        ] {
            for end in 0..=whole.len() {
                never_passes(dialect, &whole[..end]);
            }
        }
    }
}

#[test]
fn the_modes_have_different_results() {
    let options = Options {
        mode: Mode::Strict,
        ..Options::default()
    };
    let answer = r#"{"verdict": "PASS"}"#;
    let field = |options: &Options| {
        measure(answer, options)
            .result
            .unwrap_err()
            .field
            .to_string()
    };
    assert_eq!(field(&Options::default()), "score");
    assert_eq!(field(&options), "verdict");
}

#[test]
fn seeds_that_once_passed_do_not_pass() {
    for seed in [
        // A closing tag of thinking before quotes without backslashes.
        &[
            9, 13, 0, 4, 0, 91, 56, 159, 61, 255, 53, 113, 163, 67, 202, 128, 129, 209, 70, 0, 136,
        ][..],
        // A closing tag of thinking inside an escaped object.
        &[
            145, 112, 0, 157, 9, 195, 1, 124, 0, 152, 0, 65, 1, 29, 176, 144, 108, 7, 140, 55, 16,
            217, 12, 142,
        ],
        // A stray quote that makes a field of what is quoted.
        &[
            47, 226, 1, 247, 24, 135, 1, 205, 1, 75, 1, 118, 0, 249, 0, 152, 0, 102, 0, 116, 214,
            198, 125, 50, 87, 187, 252, 22, 85, 232,
        ],
        // A closing tag of thinking in the text that a stray quote interrupts.
        &[
            7, 118, 0, 138, 0, 7, 1, 4, 0, 251, 104, 135, 1, 19, 20, 3, 62, 13, 123, 248, 19, 129,
            155, 232,
        ],
    ] {
        never_passes(Dialect::Verdict, &spoilt_revision(&mut Choices::new(seed)));
    }
}
