//! Actionable-feedback documents and their diagnostics.

#![expect(
    clippy::unwrap_used,
    reason = "a change that cannot be made fails its test"
)]

use proptest::prelude::*;
use review_schema::actionable::{
    Code, Diagnostic, LocationType, Mode, Phase, Severity, read, validate,
};
use review_types::diagnostic::DiagnosticCode as _;
use serde_json::{Value as Json, json};

use crate::support::documents;

fn document() -> Json {
    json!({
        "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
        "timestamp": "2026-03-01T12:30:05Z",
        "iteration": { "number": 1, "max": 3, "phase": "initial" },
        "target": { "type": "code", "path": "src/auth.rs", "version": "abc" },
        "feedback_items": [
            {
                "aspect": "security",
                "severity": "major",
                "score": 0.3,
                "issue": "The token is compared byte by byte",
                "location": {
                    "type": "line",
                    "reference": "42",
                    "context_before": "fn equal(a: &[u8], b: &[u8]) -> bool {"
                },
                "suggestion": {
                    "action": "Compare the tokens in constant time",
                    "rationale": "The time no longer tells how much of it fits",
                    "priority": 1
                },
                "evidence": { "reference": "CWE-208" }
            },
            {
                "aspect": "testability",
                "severity": "minor",
                "issue": "Nothing tests that an empty token is refused",
                "location": { "type": "function", "reference": "equal" },
                "suggestion": {
                    "action": "Add a test with an empty token",
                    "rationale": "An empty token must never be equal to anything"
                }
            }
        ],
        "overall_assessment": {
            "score": 0.6,
            "verdict": "refine",
            "summary": "The comparison of tokens leaks its progress, and no test covers the empty token.",
            "confidence": 0.9
        },
        "quality_tracking": { "feedback_followed": true, "improvement_delta": -0.5 }
    })
}

/// A change of a document: the pointer, and the new value, or `None` to remove
/// the field.
type Change = (&'static str, Option<Json>);

fn changed(changes: &[Change]) -> String {
    let mut document = document();
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap();
        match (parent, value) {
            (Json::Object(members), Some(value)) => {
                members.insert(key.to_owned(), value.clone());
            }
            (Json::Object(members), None) => {
                members.remove(key).unwrap();
            }
            (Json::Array(items), Some(value)) => {
                items[key.parse::<usize>().unwrap()] = value.clone()
            }
            (parent, value) => panic!("{pointer}: {parent} {value:?}"),
        }
    }
    document.to_string()
}

/// Returns severity, code and pointer of each diagnostic.
fn found(text: &str, mode: Mode) -> Vec<String> {
    let line = |one: &Diagnostic| format!("{} {} {}", one.severity, one.code, one.pointer);
    validate(text, mode).iter().map(line).collect()
}

fn set(pointer: &'static str, value: impl Into<Json>) -> Change {
    (pointer, Some(value.into()))
}

#[test]
fn a_valid_document_is_valid_in_every_mode() {
    let text = document().to_string();
    assert_eq!(found(&text, Mode::Default), [""; 0]);
    assert_eq!(found(&text, Mode::Import), [""; 0]);
    let strict = ["warning score.missing /feedback_items/1/score"];
    assert_eq!(found(&text, Mode::Strict), strict);
    let (feedback, warned) = read(&text, Mode::Default).unwrap();
    assert_eq!(serde_json::to_value(&feedback).unwrap(), document());
    assert_eq!(warned, []);
}

#[test]
fn each_violation_of_the_schema_has_its_code_and_place() {
    let item = "/feedback_items/0";
    let long = |count: usize| {
        "Add ä number 7 "
            .repeat(count / 15 + 1)
            .chars()
            .take(count)
            .collect::<String>()
    };
    for (change, expected) in [
        (("/id", None), "field.missing /id"),
        (set("/id", "fb-001-example"), "id.not_uuid /id"),
        (set("/id", 7), "field.type /id"),
        (
            set("/timestamp", "2026-02-30T12:30:05Z"),
            "timestamp.not_date_time /timestamp",
        ),
        (
            set("/timestamp", "2026-03-01 12:30:05Z"),
            "timestamp.not_date_time /timestamp",
        ),
        (set("/iteration", json!([])), "field.type /iteration"),
        (
            set("/iteration/number", 0),
            "number.out_of_range /iteration/number",
        ),
        (
            set("/iteration/number", 1.5),
            "field.type /iteration/number",
        ),
        (
            set("/iteration/max", Json::Null),
            "field.type /iteration/max",
        ),
        (
            set("/iteration/phase", "Initial"),
            "field.unknown_word /iteration/phase",
        ),
        (("/iteration/phase", None), "field.missing /iteration/phase"),
        (
            set("/target/type", "spec"),
            "field.unknown_word /target/type",
        ),
        (set("/target/path", 1), "field.type /target/path"),
        (
            set("/target/context", Json::Null),
            "field.type /target/context",
        ),
        (set("/target/version", false), "field.type /target/version"),
        (
            set("/feedback_items", json!([])),
            "items.empty /feedback_items",
        ),
        (
            set("/feedback_items", json!({})),
            "field.type /feedback_items",
        ),
        (
            set("/feedback_items/0", "text"),
            "field.type /feedback_items/0",
        ),
        (
            ("/feedback_items/0/location", None),
            "location.missing /feedback_items/0/location",
        ),
        (
            ("/feedback_items/0/aspect", None),
            "field.missing /feedback_items/0/aspect",
        ),
        (
            set("/feedback_items/0/aspect", "Security"),
            "field.unknown_word /feedback_items/0/aspect",
        ),
        (
            set("/feedback_items/0/severity", "high"),
            "field.unknown_word /feedback_items/0/severity",
        ),
        (
            set("/feedback_items/0/score", 1.01),
            "number.out_of_range /feedback_items/0/score",
        ),
        (
            set("/feedback_items/0/score", "0.3"),
            "field.type /feedback_items/0/score",
        ),
        (
            set("/feedback_items/0/issue", long(19)),
            "issue.too_short /feedback_items/0/issue",
        ),
        (
            set("/feedback_items/0/issue", long(501)),
            "issue.too_long /feedback_items/0/issue",
        ),
        (
            set("/feedback_items/0/location/type", "file"),
            "field.unknown_word /feedback_items/0/location/type",
        ),
        (
            ("/feedback_items/0/location/reference", None),
            "field.missing /feedback_items/0/location/reference",
        ),
        (
            set("/feedback_items/0/location/context_after", 1),
            "field.type /feedback_items/0/location/context_after",
        ),
        (
            ("/feedback_items/0/suggestion", None),
            "field.missing /feedback_items/0/suggestion",
        ),
        (
            set("/feedback_items/0/suggestion/action", long(19)),
            "action.too_short /feedback_items/0/suggestion/action",
        ),
        (
            set("/feedback_items/0/suggestion/action", long(1001)),
            "action.too_long /feedback_items/0/suggestion/action",
        ),
        (
            set("/feedback_items/0/suggestion/rationale", long(19)),
            "rationale.too_short /feedback_items/0/suggestion/rationale",
        ),
        (
            set("/feedback_items/0/suggestion/rationale", long(501)),
            "rationale.too_long /feedback_items/0/suggestion/rationale",
        ),
        (
            set("/feedback_items/0/suggestion/priority", 11),
            "number.out_of_range /feedback_items/0/suggestion/priority",
        ),
        (
            set("/feedback_items/0/suggestion/priority", 0),
            "number.out_of_range /feedback_items/0/suggestion/priority",
        ),
        (
            set("/feedback_items/0/evidence", json!([])),
            "field.type /feedback_items/0/evidence",
        ),
        (
            set("/feedback_items/0/evidence/metric", 3),
            "field.type /feedback_items/0/evidence/metric",
        ),
        (
            set("/overall_assessment/score", -0.1),
            "number.out_of_range /overall_assessment/score",
        ),
        (
            set("/overall_assessment/verdict", "pass"),
            "field.unknown_word /overall_assessment/verdict",
        ),
        (
            set("/overall_assessment/summary", long(49)),
            "summary.too_short /overall_assessment/summary",
        ),
        (
            set("/overall_assessment/summary", long(501)),
            "summary.too_long /overall_assessment/summary",
        ),
        (
            set("/overall_assessment/confidence", 2),
            "number.out_of_range /overall_assessment/confidence",
        ),
        (
            set("/quality_tracking", Json::Null),
            "field.type /quality_tracking",
        ),
        (
            set("/quality_tracking/feedback_followed", 1),
            "field.type /quality_tracking/feedback_followed",
        ),
        (
            set("/quality_tracking/improvement_delta", "1"),
            "field.type /quality_tracking/improvement_delta",
        ),
        (
            set("/quality_tracking/feedback_clarity_score", 1.1),
            "number.out_of_range /quality_tracking/feedback_clarity_score",
        ),
    ] {
        let text = changed(&[change]);
        let found = validate(&text, Mode::Default);
        let [one] = found.as_slice() else {
            panic!("{expected}: {found:?}");
        };
        assert_eq!(format!("{} {}", one.code, one.pointer), expected);
        assert!(documents::is_schema_error(one), "{expected}");
        assert_eq!(read(&text, Mode::Default).unwrap_err(), found, "{item}");
    }
}

#[test]
fn a_value_of_another_type_or_out_of_range_is_reported_with_the_expectation() {
    for (change, expected) in [
        (set("/id", 7), "expected string, found number"),
        (
            set("/target/version", false),
            "expected string, found boolean",
        ),
        (set("/iteration", json!([])), "expected object, found array"),
        (
            set("/quality_tracking", Json::Null),
            "expected object, found null",
        ),
        (
            set("/feedback_items", json!({})),
            "expected array of objects, found object",
        ),
        (
            set("/quality_tracking/feedback_followed", 1),
            "expected boolean, found number",
        ),
        (
            set("/quality_tracking/improvement_delta", "1"),
            "expected number, found string",
        ),
        (
            set("/feedback_items/0/score", 1.01),
            "expected number from 0 to 1, found 1.01",
        ),
        (
            set("/iteration/number", 0),
            "expected integer from 1, found 0",
        ),
        (set("/iteration/number", 1.5), "expected integer, found 1.5"),
        (
            set("/feedback_items/0/suggestion/priority", 11),
            "expected integer from 1 to 10, found 11",
        ),
        (
            set("/derived", "x"),
            "expected array of JSON pointers, found string",
        ),
    ] {
        let found = validate(&changed(&[change]), Mode::Default);
        let messages: Vec<_> = found.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, [expected]);
    }
}

#[test]
fn lengths_and_ranges_include_their_ends() {
    let text = |count: usize| Json::from("é".repeat(count));
    let action = |count: usize| Json::from(format!("Add {}", "é".repeat(count - 4)));
    let changes = [
        set("/feedback_items/0/issue", text(20)),
        set("/feedback_items/1/issue", text(500)),
        set("/feedback_items/0/suggestion/action", action(20)),
        set("/feedback_items/1/suggestion/action", action(1000)),
        set("/feedback_items/0/suggestion/rationale", text(20)),
        set("/feedback_items/1/suggestion/rationale", text(500)),
        set("/feedback_items/0/suggestion/priority", 10),
        set("/feedback_items/0/score", 1),
        set("/feedback_items/1/score", 0),
        set("/overall_assessment/summary", text(50)),
        set(
            "/iteration",
            json!({"number": 2.0, "max": 3e0, "phase": "refinement"}),
        ),
    ];
    assert_eq!(found(&changed(&changes), Mode::Default), [""; 0]);
    let summary = [set("/overall_assessment/summary", text(500))];
    assert_eq!(found(&changed(&summary), Mode::Default), [""; 0]);
}

#[test]
fn rules_are_errors_or_warnings_by_mode() {
    let line = "/feedback_items/0/location/reference";
    let kind = "/feedback_items/0/location/type";
    let issue = "/feedback_items/0/issue";
    let action = "/feedback_items/0/suggestion/action";
    let phase = "warning phase.unexpected /iteration/phase";
    let verdict = "/overall_assessment/verdict";
    for (changes, expected) in [
        (
            vec![set(issue, "Code could be better")],
            format!("error issue.vague {issue}"),
        ),
        (
            vec![set(
                issue,
                "The page says that readers should probably retry",
            )],
            format!("warning issue.vague {issue}"),
        ),
        (
            vec![set(issue, "\"Code could be better\"")],
            format!("error issue.vague {issue}"),
        ),
        (
            vec![set(issue, "\u{200b} \u{ad}\u{2800}".repeat(20))],
            format!("error text.invisible {issue}"),
        ),
        (
            vec![set(issue, "The page prints `could be better` twice")],
            String::new(),
        ),
        (
            vec![set(action, "Consider improving this")],
            format!("error action.advisory {action}"),
        ),
        (
            vec![set(action, "Handle the cases the parser does not consider")],
            format!("warning action.advisory {action}"),
        ),
        (
            vec![set(action, "Better handling of empty tokens")],
            format!("warning action.not_concrete {action}"),
        ),
        (vec![set(line, " ")], format!("error location.empty {line}")),
        (
            vec![set(line, "\u{200b}\u{3164}\u{e0041}")],
            format!("error location.empty {line}"),
        ),
        (
            vec![set(line, "42-48")],
            format!("warning location.line_is_range {line}"),
        ),
        (
            vec![set(line, "L42")],
            format!("error location.reference {line}"),
        ),
        (
            vec![set(line, "4-")],
            format!("error location.reference {line}"),
        ),
        (
            vec![set(kind, "range")],
            format!("error location.reference {line}"),
        ),
        (vec![set(kind, "range"), set(line, "42-48")], String::new()),
        (vec![set(kind, "range"), set(line, "42-42")], String::new()),
        (
            vec![set(kind, "range"), set(line, "48-42")],
            format!("error location.reference {line}"),
        ),
        (
            vec![set(kind, "range"), set(line, "0-42")],
            format!("error location.reference {line}"),
        ),
        (
            vec![set(line, "99999999999999999999")],
            format!("error location.reference {line}"),
        ),
        (
            vec![set("/iteration/number", 4)],
            "error iteration.beyond_max /iteration/number".into(),
        ),
        (vec![set("/iteration/number", 3)], phase.into()),
        (vec![set("/iteration/number", 2)], phase.into()),
        (vec![set("/iteration/max", 1)], String::new()),
        (
            vec![set("/iteration/max", 1), set("/iteration/phase", "final")],
            String::new(),
        ),
        (vec![set("/iteration/phase", "refinement")], phase.into()),
        (
            vec![
                set(verdict, "accept"),
                set("/feedback_items/1/severity", "critical"),
            ],
            format!("error verdict.inconsistent {verdict}"),
        ),
        (
            vec![
                set(verdict, "accept"),
                set("/overall_assessment/score", 0.49),
            ],
            format!("error verdict.inconsistent {verdict}"),
        ),
        (
            vec![
                set(verdict, "accept"),
                set("/overall_assessment/score", 0.5),
            ],
            String::new(),
        ),
        (
            vec![
                set(verdict, "accept"),
                set("/overall_assessment/confidence", 0.49),
            ],
            format!("warning verdict.unsure {verdict}"),
        ),
        (
            vec![
                set("/feedback_items/0/severity", "suggestion"),
                set("/overall_assessment/score", 0.81),
            ],
            format!("warning verdict.harsh {verdict}"),
        ),
        (
            vec![
                set(verdict, "reject"),
                set("/feedback_items/0/severity", "minor"),
                set("/overall_assessment/score", 0.8),
            ],
            String::new(),
        ),
        (vec![set("/overall_assessment/score", 0.9)], String::new()),
        (
            vec![
                set(verdict, "escalate"),
                set("/overall_assessment/score", 0.1),
            ],
            String::new(),
        ),
        (
            vec![set("/targte", 1)],
            "warning key.misspelt /targte".into(),
        ),
        (
            vec![set("/feedback_items/1/Score", 1)],
            "warning key.misspelt /feedback_items/1/Score".into(),
        ),
        (vec![set("/author", "me")], String::new()),
        (vec![set("/derived", json!(["/a"]))], String::new()),
        (
            vec![set("/derived", json!([1]))],
            "error derived.not_pointers /derived".into(),
        ),
        (
            vec![set("/derived", "x")],
            "error derived.not_pointers /derived".into(),
        ),
        (
            vec![set("/timestamp", "0000-01-01T00:00:00+00:01")],
            "error timestamp.out_of_range /timestamp".into(),
        ),
    ] {
        let text = changed(&changes);
        let expected: Vec<_> = Some(expected)
            .filter(|one| !one.is_empty())
            .into_iter()
            .collect();
        assert_eq!(found(&text, Mode::Default), expected, "{changes:?}");
        assert!(
            !validate(&text, Mode::Default)
                .iter()
                .any(documents::is_schema_error)
        );
        let is_error = expected.iter().any(|one| one.starts_with("error"));
        assert_eq!(read(&text, Mode::Default).is_err(), is_error, "{changes:?}");
    }
}

#[test]
fn every_wording_is_an_error_in_strict_mode() {
    let score = "warning score.missing /feedback_items/1/score";
    for (pointer, text, code) in [
        (
            "/feedback_items/0/issue",
            "The page says that readers should probably retry",
            "issue.vague",
        ),
        (
            "/feedback_items/0/suggestion/action",
            "Handle the cases the parser does not consider",
            "action.advisory",
        ),
    ] {
        let text = changed(&[set(pointer, text)]);
        let expected = [format!("error {code} {pointer}"), score.to_owned()];
        assert_eq!(found(&text, Mode::Strict), expected);
        assert_eq!(
            found(&text, Mode::Import),
            [format!("warning {code} {pointer}")]
        );
    }
}

#[test]
fn ids_of_other_systems_are_accepted_in_import_mode() {
    for (id, import) in [
        ("fb-001-example", "warning id.not_uuid /id"),
        ("fb 001", "error id.not_uuid /id"),
        ("", "error id.not_uuid /id"),
    ] {
        let text = changed(&[set("/id", id)]);
        assert_eq!(found(&text, Mode::Import), [import]);
        assert_eq!(found(&text, Mode::Default), ["error id.not_uuid /id"]);
    }
    let text = changed(&[set("/id", "fb-001-example")]);
    let (feedback, warned) = read(&text, Mode::Import).unwrap();
    assert_eq!((feedback.id.as_str(), warned.len()), ("fb-001-example", 1));
}

#[test]
fn a_line_that_is_a_range_becomes_one() {
    let text = changed(&[set("/feedback_items/0/location/reference", "42-48")]);
    let (feedback, _) = read(&text, Mode::Default).unwrap();
    let kinds: Vec<_> = feedback
        .feedback_items
        .as_slice()
        .iter()
        .map(|item| item.location.kind)
        .collect();
    assert_eq!(kinds, [LocationType::Line, LocationType::Function]);
    assert_eq!(feedback.iteration.phase, Phase::Initial);
}

#[test]
fn the_last_of_two_values_counts_and_the_key_is_an_error() {
    let text = document()
        .to_string()
        .replace("\"target\":{", "\"id\":7,\"target\":{");
    let expected = ["error field.type /id", "error key.duplicate /id"];
    let mut both = found(&text, Mode::Default);
    both.sort();
    assert_eq!(both, expected);
    let text = document().to_string().replacen('{', "{\"id\":7,", 1);
    assert_eq!(found(&text, Mode::Default), ["error key.duplicate /id"]);
}

#[test]
fn diagnostics_have_the_lines_of_their_values() {
    let text = serde_json::to_string_pretty(&document()).unwrap();
    let text = text
        .replace("\"42\"", "\"\"")
        .replace("\"minor\"", "\"low\"");
    let text = text.replace("\"timestamp\"", "\"timestmp\"");
    let lines: Vec<_> = validate(&text, Mode::Default)
        .iter()
        .map(|one| (usize::try_from(one.line).unwrap(), one.code))
        .collect();
    let line_of = |needle: &str| {
        let at = text.find(needle).unwrap();
        text[..at].matches('\n').count() + 1
    };
    let expected = [
        (1, Code::FieldMissing),
        (line_of("\"reference\": \"\""), Code::LocationEmpty),
        (line_of("\"low\""), Code::FieldUnknownWord),
        (line_of("timestmp"), Code::KeyMisspelt),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn invalid_json_is_one_error_with_its_place() {
    for (text, line, message) in [
        ("", 1, "the document is empty"),
        (
            "{\n\"id\":\n",
            3,
            "invalid JSON: unexpected end of input (column 1)",
        ),
        (
            "{} {}",
            1,
            "invalid JSON: unexpected input after the value (column 4)",
        ),
        (
            "{\n\"id\": 1,}",
            2,
            "invalid JSON: trailing comma (column 8)",
        ),
        ("id: 7", 1, "invalid JSON: expected a value (column 1)"),
    ] {
        let found = validate(text, Mode::Default);
        assert_eq!(found.len(), 1, "{text}");
        let one = &found[0];
        assert_eq!(
            (one.code, one.line, one.message.as_str()),
            (Code::DocumentSyntax, line, message),
            "{text}"
        );
        assert!(read(text, Mode::Default).is_err());
    }
    assert_eq!(found("[]", Mode::Default), ["error field.type "]);
}

#[test]
fn the_number_of_diagnostics_is_limited_and_never_hides_an_error() {
    let keys: String = (0..5_000)
        .map(|number| format!("\"Id\":{number},"))
        .collect();
    let text = document()
        .to_string()
        .replacen('{', &format!("{{{keys}"), 1);
    let found = validate(&text.replace("\"refine\"", "\"refined\""), Mode::Default);
    assert_eq!(
        found
            .iter()
            .filter(|one| one.severity == Severity::Warning)
            .count(),
        1_000
    );
    assert_eq!(found.iter().filter(|one| one.is_error()).count(), 1);
}

#[test]
fn every_code_has_a_unique_name_and_is_listed() {
    let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len());
    for code in Code::ALL {
        assert!(code.advice().ends_with('.'), "{code}");
    }
    assert_eq!(Mode::WORDS, ["default", "strict", "import"]);
}

proptest! {
    #[test]
    fn every_input_is_parsed_without_a_panic(text in "\\PC{0,60}|[\\[\\]{}\":,0-9a-z\\\\ \\n-]{0,60}") {
        for &mode in Mode::ALL {
            prop_assert_eq!(validate(&text, mode).is_empty(), false);
        }
    }

    #[test]
    fn a_document_without_an_error_can_be_parsed(
        at in 0usize..400,
        replacement in "[a-z0-9\", \\]\\[}{:.-]{0,3}",
    ) {
        let mut text = document().to_string();
        let at = at.min(text.len() - 3);
        text.replace_range(at..at + 2, &replacement);
        let valid = !validate(&text, Mode::Default).iter().any(Diagnostic::is_error);
        prop_assert_eq!(read(&text, Mode::Default).is_ok(), valid, "{}", text);
    }
}
