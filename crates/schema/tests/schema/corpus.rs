//! Every case of `tests/fixtures/verdicts`, `tests/fixtures/afp` and
//! `tests/fixtures/actionable` has its expected result, in both modes.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use review_schema::{Dialect, Mode, Options, Parsed, SchemaError, parse_and_validate_with};

const SCORE: &str =
    r#""score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}"#;
const ITEM: &str =
    r#"{"section": "Goals", "issue": "No limit is given.", "suggestion": "Name one."}"#;

/// The placeholders in the fixtures of the dialect `afp`.
const HEAD: &str = r#""protocol_version": "1.2", "iteration": 1, "status": "success""#;
const SURE: &str = r#""confidence": {"level": "high", "justification": "Read in full."}"#;
const AREA: &str = r#"{"id": "goals-01", "aspect": "Goals", "description": "No limit is given.", "recommendation": "Name one."}"#;

/// The placeholders in the fixtures of the dialect `actionable`.
const DOCUMENT: &str = r#""id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3", "timestamp": "2026-03-01T12:30:05Z", "iteration": {"number": 1, "max": 3, "phase": "initial"}, "target": {"type": "document", "path": "specs/CACHE.md"}"#;
const SUMMARY: &str =
    r#""summary": "The sizes are clear, and the limit of the queue is the one thing left.""#;
const POINT: &str = r#""aspect": "completeness", "score": 0.7, "issue": "The queue has no limit in entries.", "location": {"type": "section", "reference": "Limits"}, "suggestion": {"action": "State the limit in entries in the table.", "rationale": "A slow reader then cannot fill the memory."}"#;

#[derive(Default)]
struct Case {
    name: String,
    tolerant: String,
    strict: String,
    message: Option<String>,
    options: Options,
    escaped: bool,
    answer: Vec<u8>,
}

fn parse_case(dialect: Dialect, file: &str, text: &str) -> Case {
    let (head, answer) = text
        .split_once("\n---\n")
        .unwrap_or_else(|| panic!("{file}: no answer in {text}"));
    let mut lines = head.lines();
    let mut case = Case {
        name: format!("{file}: {}", lines.next().unwrap_or_default()),
        ..Case::default()
    };
    case.options.dialect = dialect;
    for line in lines {
        let (key, value) = line
            .split_once(": ")
            .unwrap_or_else(|| panic!("{}: {line}", case.name));
        match key {
            "tolerant" => case.tolerant = value.to_owned(),
            "strict" => case.strict = value.to_owned(),
            "message" => case.message = Some(value.to_owned()),
            "id" => case.options.review_id = Some(value.to_owned()),
            "iteration" => case.options.iteration = NonZeroU32::new(value.parse().unwrap()),
            "escaped" => case.escaped = value == "yes",
            _ => panic!("{}: {line}", case.name),
        }
    }
    let answer = words(dialect)
        .iter()
        .fold(
            answer.trim_end_matches('\n').to_owned(),
            |answer, (word, text)| answer.replace(word, text),
        )
        .replace("@SCORE@", SCORE)
        .replace("@ITEM@", ITEM);
    case.answer = if case.escaped {
        unescape(&answer)
    } else {
        answer.into_bytes()
    };
    case
}

/// Returns the placeholders of a dialect's fixtures, those that contain others first.
fn words(dialect: Dialect) -> Vec<(&'static str, String)> {
    match dialect {
        Dialect::Verdict => words_of_verdicts(),
        Dialect::Afp => words_of_responses(),
        Dialect::Actionable => words_of_documents(),
    }
}

fn words_of_verdicts() -> Vec<(&'static str, String)> {
    vec![
        (
            "@PASS@",
            format!(r#"{{"verdict": "pass", {SCORE}, "feedback": []}}"#),
        ),
        (
            "@REVISE@",
            format!(r#"{{"verdict": "needs_revision", {SCORE}, "feedback": [{ITEM}]}}"#),
        ),
    ]
}

fn words_of_documents() -> Vec<(&'static str, String)> {
    let document = |verdict: &str, score: &str, items: &str| {
        format!(
            r#"{{{DOCUMENT}, "feedback_items": [{items}], "overall_assessment": {{"score": {score}, "verdict": "{verdict}", {SUMMARY}}}}}"#
        )
    };
    vec![
        ("@PASS@", document("accept", "0.9", "@MINOR@")),
        ("@REVISE@", document("refine", "0.4", "@MAJOR@")),
        ("@ESCALATE@", document("escalate", "0.4", "@MAJOR@")),
        ("@DOCUMENT@", DOCUMENT.to_owned()),
        ("@SUMMARY@", SUMMARY.to_owned()),
        ("@MINOR@", format!(r#"{{"severity": "minor", {POINT}}}"#)),
        ("@MAJOR@", format!(r#"{{"severity": "major", {POINT}}}"#)),
        ("@POINT@", POINT.to_owned()),
    ]
}

fn words_of_responses() -> Vec<(&'static str, String)> {
    let rest = |areas: &str| {
        format!(
            r#""positive_points": [], "areas_for_improvement": [{areas}], "general_summary": "Read.""#
        )
    };
    let response = |areas: &str| format!(r#"{{{HEAD}, "feedback": {{{SURE}, {}}}}}"#, rest(areas));
    vec![
        ("@PASS@", response("")),
        ("@REVISE@", response("@AREA@")),
        ("@NONE@", rest("")),
        ("@SOME@", rest("@AREA@")),
        ("@HEAD@", HEAD.to_owned()),
        ("@SURE@", SURE.to_owned()),
        ("@AREA@", AREA.to_owned()),
    ]
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (byte, length) = match after.as_bytes()[0] {
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            b'\\' => (b'\\', 1),
            b'x' => (u8::from_str_radix(&after[1..3], 16).unwrap(), 3),
            other => panic!("no escape: {other}"),
        };
        bytes.push(byte);
        rest = &after[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

fn cases() -> Vec<Case> {
    let mut cases = cases_in("verdicts", Dialect::Verdict);
    cases.extend(cases_in("afp", Dialect::Afp));
    cases.extend(cases_in("actionable", Dialect::Actionable));
    cases
}

fn cases_in(folder: &str, dialect: Dialect) -> Vec<Case> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let folder = fixtures.join(folder);
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_case = path.extension().is_some_and(|extension| extension == "txt");
        if !is_case || path.file_stem().unwrap() == "oracle" {
            continue;
        }
        let file = path.file_stem().unwrap().to_string_lossy();
        let file = format!("{dialect} {file}");
        let text = fs::read_to_string(&path).unwrap();
        let text = text.strip_prefix("=== ").unwrap();
        cases.extend(
            text.split("\n=== ")
                .map(|case| parse_case(dialect, &file, case)),
        );
    }
    cases
}

fn outcome(result: &Result<Parsed, SchemaError>) -> String {
    match result {
        Ok(parsed) => {
            let verdict = parsed.review.verdict().to_string();
            let codes = parsed.repairs.iter().map(|repair| repair.code.to_string());
            let words: Vec<_> = std::iter::once(verdict).chain(codes).collect();
            words.join(" ")
        }
        Err(error) => error.field.to_string(),
    }
}

#[test]
fn every_case_has_its_expected_result() {
    let mut wrong = Vec::new();
    for case in cases() {
        for (mode, expected) in [
            (Mode::Tolerant, &case.tolerant),
            (Mode::Strict, &case.strict),
        ] {
            let options = Options {
                mode,
                ..case.options.clone()
            };
            let result = parse_and_validate_with(&case.answer, &options);
            if outcome(&result) != *expected {
                wrong.push(format!(
                    "{} ({mode}): {expected} became {result:?}",
                    case.name
                ));
            }
            if mode == Mode::Tolerant
                && let Some(message) = &case.message
                && result.as_ref().err().map(|error| &error.message) != Some(message)
            {
                wrong.push(format!("{}: {message} became {result:?}", case.name));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_corpus_is_large_and_its_names_are_unique() {
    assert!(cases_in("afp", Dialect::Afp).len() >= 60);
    let mut names: Vec<_> = cases().into_iter().map(|case| case.name).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count >= 200, "{count} cases");
}
