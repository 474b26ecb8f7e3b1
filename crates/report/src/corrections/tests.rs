//! Corrections, as users read them.

use review_learning::corrections::{Code, Correction, Mode, Stats, Validation, read};
use serde_json::{Value as Json, json};

use super::*;
use crate::style::plain;
use crate::{ValidatedFile, ValidationReport};

/// A valid line with a field of its own.
fn line(field: &str, value: Json) -> Json {
    let mut line = json!({
        "date": "2026-03-02",
        "timestamp": "2026-03-02T10:30:00Z",
        "agent": "b",
        "correction_type": "code_completeness",
        "ai_action": { "summary": "Wrote the upload without a limit", "file": "up.rs:4" },
        "user_correction": { "summary": "A limit of 10 MiB", "verbatim": "Cap it at 10 MiB" },
        "pattern_inferred": "missing-validation",
        "severity": "high",
        "source": "explicit",
    });
    line[field] = value;
    line
}

fn of(line: &Json) -> Correction {
    let reading = read(line.to_string().as_bytes(), 1, Mode::Default);
    reading.object.unwrap()
}

#[test]
fn a_correction_is_shown_with_its_impact_and_its_fields() {
    let shown = ListedCorrection {
        line: 1,
        impact: 1.0,
        correction: of(&line("agent", json!("a"))),
    };
    let text = plain(&correction(&shown));
    assert!(text.starts_with("impact 1.00\n"), "{text}");
    assert!(text.contains("ai_action:\n  file: up.rs:4\n"), "{text}");
}

#[test]
fn groups_are_shown_with_their_weights() {
    let mut counted = Stats::default();
    counted.add("a", &of(&line("agent", json!("a"))));
    counted.add("b", &of(&line("severity", json!("low"))));
    counted.add("b", &of(&line("source", json!("implicit"))));
    let text = plain(&stats(&CorrectionStats { stats: counted }));
    assert_eq!(
        text,
        "groups:\n  a:\n    count: 1\n    impact: 1.00\n    weight: 1.00\n  b:\n    count: 2\n    \
         impact: 1.10\n    weight: 1.80\ntotal:\n  count: 3\n  impact: 2.10\n  weight: 2.80\n"
    );
}

fn validated(text: &str, mode: Mode) -> ValidationReport<Code> {
    let validation = Validation::of(text.as_bytes(), mode).unwrap();
    let file = ValidatedFile {
        path: "c.jsonl".to_owned(),
        count: validation.count(),
        valid: validation.valid(),
        fixed: 0,
        left_off: validation.left_off(),
        diagnostics: validation.into_diagnostics(),
        error: None,
    };
    ValidationReport { files: vec![file] }
}

#[test]
fn a_mode_decides_what_a_warning_is() {
    let short = line("pattern_inferred", json!("meh"));
    let naive = line("timestamp", json!("2026-03-02T10:30:00"));
    let text = format!("{short}\n{naive}\n");
    for (mode, valid) in [(Mode::Default, 1), (Mode::Strict, 0), (Mode::Import, 2)] {
        let report = validated(&text, mode);
        assert_eq!(report.files[0].valid, valid, "{mode:?}");
        assert_eq!(report.is_valid(), valid == 2, "{mode:?}");
    }
}

#[test]
fn a_first_line_that_is_torn_hides_no_others() {
    let text = format!("{{\n{0}\n{0}\n", line("agent", json!("a")));
    let report = validated(&text, Mode::Default);
    assert_eq!((report.files[0].count, report.files[0].valid), (3, 2));
    let told = plain(&report.human("correction", "corrections"));
    assert!(
        told.starts_with("c.jsonl:1: error[learning.syntax]"),
        "{told}"
    );
    assert!(
        told.ends_with("c.jsonl: 3 corrections, 1 not valid\n"),
        "{told}"
    );
}
