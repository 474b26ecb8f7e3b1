//! What the tests generate, and what holds of it.

pub(crate) mod documents;
#[expect(clippy::expect_used, reason = "the invariants tell what was expected")]
pub(crate) mod invariants;
pub(crate) mod truth;
