//! Lines and the diagnostics that they give.

use serde_json::{Value as Json, json};

use super::*;

fn whole() -> Json {
    json!({
        "date": "2026-03-02",
        "timestamp": "2026-03-02T10:30:00Z",
        "agent": "api-dev",
        "session_id": "s-1",
        "correction_type": "code_completeness",
        "ai_action": {
            "summary": "Wrote the upload without a limit",
            "tool_used": "Write",
            "file": "src/upload.rs:42",
        },
        "user_correction": {
            "summary": "The user wants a limit of 10 MiB",
            "verbatim": "Please cap uploads at 10 MiB",
        },
        "pattern_inferred": "missing-validation",
        "pattern_confidence": "high",
        "context": { "task": "Uploads", "feature_id": "feat-7", "service": "files" },
        "severity": "high",
        "source": "explicit",
    })
}

/// The complete line with the value at a pointer replaced or, with `None`, removed.
fn with(pointer: &str, value: Option<Json>) -> String {
    let mut line = whole();
    let (object, name) = pointer.rsplit_once('/').unwrap();
    let object = line.pointer_mut(object).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => object.insert(name.to_owned(), value),
        None => object.remove(name),
    };
    line.to_string()
}

fn diagnostics(line: &str, mode: Mode) -> Vec<String> {
    let reading = read(line.as_bytes(), 1, mode);
    let has_error = reading.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(reading.object.is_none(), has_error, "{line}");
    let diagnostics = reading.diagnostics.iter().map(|one| {
        let fix = one.fix.as_ref().map(|fix| format!(" -> {fix}"));
        format!(
            "{} {} {}{}",
            one.severity,
            one.code,
            one.pointer,
            fix.unwrap_or_default()
        )
    });
    diagnostics.collect()
}

#[test]
fn a_line_with_every_field_round_trips() {
    let text = whole().to_string();
    let reading = read(text.as_bytes(), 1, Mode::Strict);
    assert_eq!(reading.diagnostics, []);
    let correction = reading.object.unwrap();
    assert_eq!(serde_json::to_value(&correction).unwrap(), whole());
    assert_eq!(correction.timestamp.at().unix_ms(), 1_772_447_400_000);
    assert!((correction.impact() - 1.0).abs() < 1e-9);
}

#[test]
fn optional_fields_may_be_absent() {
    let line = json!({
        "date": "2026-03-02",
        "timestamp": "2026-03-02T10:30:00Z",
        "agent": "a",
        "correction_type": "code_quality",
        "ai_action": { "summary": "s" },
        "user_correction": { "summary": "s" },
        "source": "implicit",
    });
    let text = line.to_string();
    let reading = read(text.as_bytes(), 1, Mode::Strict);
    assert_eq!(reading.diagnostics, []);
    let correction = reading.object.unwrap();
    assert_eq!(serde_json::to_value(&correction).unwrap(), line);
    assert!((correction.impact() - 0.48).abs() < 1e-9);
}

#[test]
fn each_violation_of_the_schema_has_its_location() {
    for (pointer, value, expected) in [
        ("/date", None, "learning.member_missing /date"),
        ("/date", Some(json!(null)), "learning.member_type /date"),
        (
            "/date",
            Some(json!("2026-02-30")),
            "date.not_date /date -> 2026-03-02",
        ),
        ("/timestamp", None, "learning.member_missing /timestamp"),
        (
            "/timestamp",
            Some(json!("yesterday")),
            "learning.not_instant /timestamp",
        ),
        (
            "/timestamp",
            Some(json!("2026-03-02T10:30:00")),
            "learning.not_instant /timestamp -> 2026-03-02T10:30:00Z",
        ),
        ("/agent", Some(json!(7)), "learning.member_type /agent"),
        (
            "/session_id",
            Some(json!(null)),
            "learning.member_type /session_id",
        ),
        (
            "/correction_type",
            Some(json!("style")),
            "learning.word_unknown /correction_type",
        ),
        ("/ai_action", None, "learning.member_missing /ai_action"),
        (
            "/ai_action",
            Some(json!("wrote")),
            "learning.member_type /ai_action",
        ),
        (
            "/ai_action/summary",
            None,
            "learning.member_missing /ai_action/summary",
        ),
        (
            "/ai_action/file",
            Some(json!([])),
            "learning.member_type /ai_action/file",
        ),
        (
            "/user_correction",
            Some(json!([])),
            "learning.member_type /user_correction",
        ),
        (
            "/user_correction/summary",
            Some(json!(true)),
            "learning.member_type /user_correction/summary",
        ),
        (
            "/pattern_inferred",
            Some(json!("scope_creep")),
            "pattern.not_kebab /pattern_inferred -> scope-creep",
        ),
        (
            "/pattern_inferred",
            Some(json!("a".repeat(65))),
            "pattern.too_long /pattern_inferred",
        ),
        (
            "/pattern_confidence",
            Some(json!("sure")),
            "learning.word_unknown /pattern_confidence",
        ),
        (
            "/context",
            Some(json!(null)),
            "learning.member_type /context",
        ),
        (
            "/context/task",
            Some(json!({})),
            "learning.member_type /context/task",
        ),
        (
            "/severity",
            Some(json!("blocking")),
            "learning.word_unknown /severity",
        ),
        ("/source", None, "learning.member_missing /source"),
        (
            "/source",
            Some(json!("Explicit")),
            "learning.word_unknown /source",
        ),
    ] {
        let line = with(pointer, value);
        assert_eq!(
            diagnostics(&line, Mode::Default),
            [format!("error {expected}")],
            "{line}"
        );
    }
}

#[test]
fn the_additional_rules_have_diagnostics() {
    for (pointer, value, expected) in [
        (
            "/date",
            json!("2026-03-01"),
            "error date.mismatch /date -> 2026-03-02",
        ),
        ("/agent", json!(" "), "warning learning.text_blank /agent"),
        (
            "/ai_action/summary",
            json!(""),
            "warning learning.text_blank /ai_action/summary",
        ),
        (
            "/user_correction/summary",
            json!("\t"),
            "warning learning.text_blank /user_correction/summary",
        ),
        (
            "/user_correction",
            json!({"summary": "s"}),
            "warning verbatim.missing /user_correction/verbatim",
        ),
        (
            "/pattern_inferred",
            json!("meh"),
            "warning pattern.short /pattern_inferred",
        ),
        (
            "/pattern_inferred",
            json!("scope-creep"),
            "warning pattern.other_type /pattern_inferred",
        ),
        (
            "/context/feature_id",
            json!("42"),
            "warning feature_id.form /context/feature_id",
        ),
        (
            "/sevrity",
            json!("low"),
            "warning learning.key_unknown /sevrity -> severity",
        ),
        (
            "/context/services",
            json!("a"),
            "warning learning.key_unknown /context/services -> service",
        ),
    ] {
        let line = with(pointer, Some(value));
        assert_eq!(diagnostics(&line, Mode::Default), [expected], "{line}");
        let strict = expected.replace("warning", "error");
        assert_eq!(diagnostics(&line, Mode::Strict), [strict], "{line}");
    }
}

#[test]
fn a_valid_line_has_no_diagnostics() {
    for (pointer, value) in [
        ("/source", Some(json!("implicit"))),
        ("/user_correction/verbatim", Some(json!(""))),
        ("/pattern_inferred", None),
        ("/pattern_inferred", Some(json!("scope-cr"))),
        ("/correction_type", Some(json!("code_completeness"))),
        ("/reviewer", Some(json!({"date": 1}))),
        ("/session_id", Some(json!(""))),
        ("/context", None),
    ] {
        let line = with(pointer, value);
        assert_eq!(diagnostics(&line, Mode::Strict), [""; 0], "{line}");
    }
}

#[test]
fn import_converts_values_of_other_programs() {
    for (pointer, value, expected) in [
        (
            "/timestamp",
            json!("2026-03-02T10:30:00"),
            "timestamp.naive /timestamp -> 2026-03-02T10:30:00Z",
        ),
        (
            "/pattern_inferred",
            json!("missingValidation"),
            "pattern.converted /pattern_inferred -> missing-validation",
        ),
        (
            "/severity",
            json!("blocking"),
            "severity.of_review /severity -> high",
        ),
    ] {
        let line = with(pointer, Some(value));
        assert_eq!(
            diagnostics(&line, Mode::Import),
            [format!("warning {expected}")],
            "{line}"
        );
        let correction = read(line.as_bytes(), 1, Mode::Import).object.unwrap();
        assert_eq!(correction.timestamp.as_str(), "2026-03-02T10:30:00Z");
        assert_eq!(
            correction.pattern_inferred.unwrap().as_str(),
            "missing-validation"
        );
        assert_eq!(correction.severity, Some(Severity::High));
    }
    let line = with("/date", None);
    assert_eq!(diagnostics(&line, Mode::Import), [""; 0]);
    let reading = read(line.as_bytes(), 1, Mode::Import);
    assert_eq!(reading.object.unwrap().date, "2026-03-02");
    for (pointer, value, expected) in [
        (
            "/timestamp",
            json!("today"),
            "error learning.not_instant /timestamp",
        ),
        (
            "/pattern_inferred",
            json!("_"),
            "error pattern.not_kebab /pattern_inferred",
        ),
        (
            "/severity",
            json!("grave"),
            "error learning.word_unknown /severity",
        ),
    ] {
        let line = with(pointer, Some(value));
        assert_eq!(diagnostics(&line, Mode::Import), [expected], "{line}");
    }
}

#[test]
fn a_line_that_is_not_a_json_object_has_one_diagnostic() {
    assert_eq!(
        diagnostics("[]", Mode::Default),
        ["error learning.member_type "]
    );
    assert_eq!(
        diagnostics("{\"agent\":", Mode::Default),
        ["error learning.syntax "]
    );
    let reading = read(b"nonsense", 9, Mode::Default);
    assert_eq!(reading.diagnostics[0].line, 9);
}

#[test]
fn a_syntax_error_has_its_location() {
    for (line, message) in [
        (
            &b"{\"agent\": x}"[..],
            "invalid JSON: expected value at byte 11",
        ),
        (
            b"{\n\n\"a\": 1,}",
            "invalid JSON: trailing comma at byte 11",
        ),
        (b"{} {}", "invalid JSON: trailing characters at byte 4"),
        (b"{\"a\xff\": 1}", "not UTF-8 at byte 3"),
        (
            b"{\"x\": \"\\ud800\"}",
            "invalid JSON: unexpected end of hex escape at byte 14",
        ),
        (
            b"{\"x\": 1e999}",
            "invalid JSON: number out of range at byte 11",
        ),
    ] {
        assert_eq!(read(line, 1, Mode::Default).diagnostics[0].message, message);
    }
}

#[test]
fn a_duplicate_key_is_an_error_in_addition_to_the_schema() {
    let line = whole()
        .to_string()
        .replacen('{', "{\"agent\":7,\"a/b\":1,\"a/b\":1,", 1);
    let expected = [
        "error learning.key_twice /a~1b",
        "error learning.key_twice /agent",
    ];
    assert_eq!(diagnostics(&line, Mode::Default), expected);
}

#[test]
fn messages_quote_only_the_start_of_a_value() {
    let line = with("/source", Some(json!("ä".repeat(500))));
    let reading = read(line.as_bytes(), 1, Mode::Default);
    let message = &reading.diagnostics[0].message;
    let expected = format!(
        "must be one of [explicit implicit], got: {}…",
        "ä".repeat(60)
    );
    assert_eq!(*message, expected);
}

#[test]
fn a_diagnostic_suggests_a_fix() {
    let line = with("/date", Some(json!("2026-03-01")));
    let reading = read(line.as_bytes(), 1, Mode::Default);
    assert_eq!(reading.diagnostics[0].advice(), "2026-03-02");
    let line = with("/source", None);
    let reading = read(line.as_bytes(), 1, Mode::Default);
    assert_eq!(
        reading.diagnostics[0].advice(),
        "Add the field that the message names."
    );
    assert_eq!(
        serde_json::to_value(&reading.diagnostics[0]).unwrap(),
        json!({
            "line": 1, "pointer": "/source", "code": "learning.member_missing",
            "severity": "error", "message": "\"source\" is missing",
            "fix": "Add the field that the message names.",
        })
    );
}

#[test]
fn corrections_are_counted_and_weighed_by_group() {
    let mut stats = Stats::default();
    for (group, line) in [
        ("a", whole().to_string()),
        ("a", with("/source", Some(json!("implicit")))),
        ("b", with("/severity", None)),
    ] {
        let correction = read(line.as_bytes(), 1, Mode::Default).object.unwrap();
        stats.add(group, &correction);
    }
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
    assert_eq!(stats.total.count, 3);
    assert!(near(stats.total.weight, 2.8), "{stats:?}");
    assert!(near(stats.total.impact, 1.0 + 0.8 + 0.6), "{stats:?}");
    assert_eq!(stats.groups["a"].count, 2);
    assert!(near(stats.groups["b"].impact, 0.6), "{stats:?}");
}
