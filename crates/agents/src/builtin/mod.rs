//! The embedded rules as reviewer and as applier.

/// The name of the backend.
pub(crate) const NAME: &str = "builtin";
