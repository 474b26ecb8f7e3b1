//! Generators and properties of the tests.

pub(crate) mod documents;
#[expect(clippy::expect_used, reason = "the invariants say what was expected")]
pub(crate) mod invariants;
pub(crate) mod truth;
