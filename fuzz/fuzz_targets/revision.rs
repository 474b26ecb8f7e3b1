//! A spoilt answer whose reviewer asked for a revision never becomes a pass.
#![no_main]

#[path = "../../crates/schema/tests/schema/support/invariants.rs"]
mod invariants;
#[expect(dead_code, reason = "each target spoils its own kind of answer")]
#[path = "../../crates/schema/tests/schema/support/truth.rs"]
mod truth;

libfuzzer_sys::fuzz_target!(|seed: &[u8]| {
    let answer = truth::spoilt_revision(&mut truth::Choices::new(seed));
    truth::never_passes(review_schema::Dialect::Verdict, &answer);
    invariants::holds_on_any_bytes(&answer);
});
