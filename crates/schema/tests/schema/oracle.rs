//! The results of another validator on 5,000 documents, compared to ours.
//!
//! `oracle/` writes the table, with the published schema and its formats.

use review_schema::actionable::{Mode, validate};

use crate::support::documents;

const TABLE: &str = include_str!("../../../../tests/fixtures/actionable/oracle.txt");

#[test]
fn the_schema_is_validated_like_another_validator_does() {
    // The number of documents, their fingerprint, and a letter for each of them:
    // `v` for valid.
    let mut lines = TABLE.lines();
    let (count, fingerprint) = lines.next().unwrap().split_once(' ').unwrap();
    let count: u64 = count.parse().unwrap();
    let verdicts: String = lines.collect();
    assert_eq!(verdicts.len() as u64, count);
    let found = documents::fingerprint(0..count);
    assert_eq!(format!("{found:016x}"), fingerprint);
    for (seed, verdict) in (0..count).zip(verdicts.bytes()) {
        let text = documents::mutated(seed).to_string();
        let found = validate(&text, Mode::Default);
        let valid = !found.iter().any(documents::is_schema_error);
        assert_eq!(valid, verdict == b'v', "{seed}: {text}\n{found:?}");
    }
}

#[test]
fn valid_documents_have_no_diagnostics() {
    for seed in 0..500 {
        let text = documents::sound(&mut documents::Numbers::new(seed)).to_string();
        assert_eq!(validate(&text, Mode::Default), [], "{text}");
    }
}
