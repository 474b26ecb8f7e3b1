//! The unit `spec-review` of this repository.
