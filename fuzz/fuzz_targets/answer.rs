//! Any bytes are read without a panic, in bounded work, and alike both ways.
#![no_main]

#[path = "../../crates/schema/tests/support/invariants.rs"]
mod invariants;

libfuzzer_sys::fuzz_target!(|answer: &[u8]| invariants::holds_on_any_bytes(answer));
