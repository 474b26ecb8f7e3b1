//! Any bytes are read without a panic and in bounded work.
#![no_main]

#[path = "../../crates/schema/tests/schema/support/invariants.rs"]
mod invariants;

libfuzzer_sys::fuzz_target!(|answer: &[u8]| invariants::holds_on_any_bytes(answer));
