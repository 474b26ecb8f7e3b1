//! Another validator of lines of corrections, to hold ours against.
//!
//! `corrections compare [COUNT]` checks mutated lines with both and ends with 1 at
//! the first disagreement; `corrections record` writes the table that the tests of
//! crate `learning` read.

#[path = "../../../crates/learning/tests/support/lines.rs"]
mod lines;

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use jsonschema::Validator;
use lines::{fingerprint, is_schema_error, mutated};
use review_learning::corrections::{Mode, read};
use serde_json::Value as Json;

/// The schema, written by hand from the tables of the format.
const SCHEMA: &str = include_str!("../../corrections.schema.json");

const TABLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/fixtures/corrections/oracle.txt"
);

/// The lines of the table.
const RECORDED: u64 = 5_000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&serde_json::from_str(SCHEMA)?)?;
    match words.as_slice() {
        ["compare"] => Ok(compare(&validator, 100_000)),
        ["compare", count] => Ok(compare(&validator, count.parse()?)),
        ["record"] => {
            fs::write(TABLE, table(&validator))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => Err("corrections compare [COUNT]|record".into()),
    }
}

fn theirs(validator: &Validator, line: &[u8]) -> bool {
    let value = serde_json::from_slice::<Json>(line);
    value.is_ok_and(|value| validator.is_valid(&value))
}

fn compare(validator: &Validator, count: u64) -> ExitCode {
    let mut valid = 0;
    for seed in 0..count {
        let line = mutated(seed);
        let reading = read(&line, 1, Mode::Default);
        let ours = !reading.diagnostics.iter().any(is_schema_error);
        if ours != theirs(validator, &line) {
            let text = String::from_utf8_lossy(&line);
            println!(
                "line {seed}: ours {ours}, {:?}\n{text}",
                reading.diagnostics
            );
            return ExitCode::FAILURE;
        }
        valid += u64::from(ours);
    }
    println!("{count} lines, {valid} of them valid, no disagreement");
    ExitCode::SUCCESS
}

fn table(validator: &Validator) -> String {
    let mut table = format!("{RECORDED} {:016x}\n", fingerprint(0..RECORDED));
    for seed in 0..RECORDED {
        let is_valid = theirs(validator, &mutated(seed));
        table.push(if is_valid { 'v' } else { '-' });
        if seed % 100 == 99 {
            table.push('\n');
        }
    }
    table
}
