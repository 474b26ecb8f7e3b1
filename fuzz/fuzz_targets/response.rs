//! A spoilt response of the Agent Feedback Protocol that asks for a revision never
//! becomes a pass, and any bytes are read as a request or refused.
#![no_main]

#[path = "../../crates/schema/tests/schema/support/invariants.rs"]
mod invariants;
#[expect(dead_code, reason = "each target spoils its own kind of answer")]
#[path = "../../crates/schema/tests/schema/support/truth.rs"]
mod truth;

use review_schema::{Dialect, afp};

libfuzzer_sys::fuzz_target!(|seed: &[u8]| {
    let answer = truth::spoilt_response(&mut truth::Choices::new(seed));
    truth::never_passes(Dialect::Afp, &answer);
    invariants::holds_on_any_bytes(&answer);
    if let Ok(request) = afp::read_request(seed) {
        assert_eq!(afp::iteration_of(seed), Some(request.iteration));
    }
});
