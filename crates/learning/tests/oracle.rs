//! Our validator agrees with a JSON Schema validator.
//!
//! `oracle/` writes the table from a schema that was derived manually from the tables
//! of the format.

#[path = "support/lines.rs"]
mod lines;

use lines::{fingerprint, is_schema_error, mutated};
use review_learning::corrections::{Mode, read};

const TABLE: &str = include_str!("../../../tests/fixtures/corrections/oracle.txt");

#[test]
fn a_line_is_valid_if_the_schema_accepts_it() {
    let (head, table) = TABLE.split_once('\n').expect("a first line");
    let (count, recorded) = head.split_once(' ').expect("a count and a fingerprint");
    let count: u64 = count.parse().expect("a count");
    let same = format!("{:016x}", fingerprint(0..count));
    assert_eq!(same, recorded, "the lines differ from the recorded ones");
    let mut said = table.chars().filter(|sign| *sign != '\n');
    let mut valid = 0;
    for seed in 0..count {
        let line = mutated(seed);
        let reading = read(&line, 1, Mode::Default);
        let ours = !reading.diagnostics.iter().any(is_schema_error);
        let theirs = said.next() == Some('v');
        let text = String::from_utf8_lossy(&line);
        assert_eq!(
            ours, theirs,
            "line {seed}: {:?}\n{text}",
            reading.diagnostics
        );
        valid += u64::from(ours);
    }
    assert!(
        valid > count / 5 && valid < count * 4 / 5,
        "{valid} of {count}"
    );
}

#[test]
fn valid_lines_are_valid_in_every_mode() {
    for seed in 0..1_000 {
        let line = lines::sound(&mut lines::Numbers::new(seed)).to_string();
        for &mode in Mode::ALL {
            let reading = read(line.as_bytes(), 1, mode);
            let correction = reading.object.expect("valid");
            let same = serde_json::to_value(&correction).expect("JSON");
            assert_eq!(same.to_string(), line);
        }
    }
}
