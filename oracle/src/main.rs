//! Another validator of actionable-feedback documents, to hold ours against.
//!
//! `oracle SCHEMA.yaml compare [COUNT]` checks mutated documents with both and
//! ends with 1 at the first disagreement; `oracle SCHEMA.yaml record` writes the
//! table that the tests of crate `schema` read; `oracle SCHEMA.yaml bench` takes
//! the time of both. `SCHEMA.yaml` is the published schema.

#[path = "../../crates/schema/tests/schema/support/documents.rs"]
mod documents;

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use documents::{Numbers, fingerprint, is_schema_error, mutated, sound};
use jsonschema::Validator;
use review_schema::actionable::{Mode, validate};
use serde_json::Value as Json;

const TABLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/fixtures/actionable/oracle.txt"
);

/// The documents of the table.
const RECORDED: u64 = 5_000;

/// How often each batch of the bench is timed.
const RUNS: usize = 25;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (schema, command, count) = match words.as_slice() {
        [schema, command] => (schema, *command, 100_000),
        [schema, command, count] => (schema, *command, count.parse()?),
        _ => return Err("oracle SCHEMA.yaml compare|record|bench [COUNT]".into()),
    };
    let schema = review_document::yaml::parse(&fs::read_to_string(schema)?)?
        .root
        .to_json();
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)?;
    match command {
        "compare" => Ok(compare(&validator, count)),
        "record" => {
            fs::write(TABLE, table(&validator))?;
            Ok(ExitCode::SUCCESS)
        }
        "bench" => {
            bench(&validator);
            Ok(ExitCode::SUCCESS)
        }
        other => Err(format!("no command {other}").into()),
    }
}

fn ours(text: &str) -> bool {
    !validate(text, Mode::Default).iter().any(is_schema_error)
}

fn compare(validator: &Validator, count: u64) -> ExitCode {
    let mut valid = 0;
    for seed in 0..count {
        let document = mutated(seed);
        let theirs = validator.is_valid(&document);
        let text = document.to_string();
        if ours(&text) != theirs {
            println!(
                "document {seed}: {theirs} against {:?}\n{text}",
                validate(&text, Mode::Default)
            );
            return ExitCode::FAILURE;
        }
        valid += u64::from(theirs);
    }
    println!("{count} documents, {valid} of them valid, no disagreement");
    ExitCode::SUCCESS
}

fn table(validator: &Validator) -> String {
    let mut table = format!("{RECORDED} {:016x}\n", fingerprint(0..RECORDED));
    for seed in 0..RECORDED {
        table.push(if validator.is_valid(&mutated(seed)) {
            'v'
        } else {
            '-'
        });
        if seed % 100 == 99 {
            table.push('\n');
        }
    }
    table
}

/// The documents that are timed together: few, so that some of the runs are
/// left in peace.
const BATCH: usize = 50;

/// The sum over the batches of the least time that one took.
fn least(texts: &[String], check: impl Fn(&str)) -> Duration {
    let time = |batch: &[String]| {
        let start = Instant::now();
        batch.iter().for_each(|text| check(black_box(text)));
        start.elapsed()
    };
    let least = |batch| (0..RUNS).map(|_| time(batch)).min().unwrap_or_default();
    texts.chunks(BATCH).map(least).sum()
}

fn bench(validator: &Validator) {
    let texts: Vec<String> = (0..2_000)
        .map(|seed| sound(&mut Numbers::new(seed)).to_string())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let our_time = least(&texts, |text| {
        assert!(black_box(validate(text, Mode::Default)).is_empty());
    });
    let their_time = least(&texts, |text| {
        let document = serde_json::from_str::<Json>(text);
        assert!(document.is_ok_and(|document| validator.is_valid(&document)));
    });
    let rate = |time: Duration| texts.len() as f64 / time.as_secs_f64();
    println!(
        "documents of {} bytes: {:.0}/s against {:.0}/s, ratio {:.2}",
        bytes / texts.len(),
        rate(our_time),
        rate(their_time),
        rate(our_time) / rate(their_time),
    );
}
