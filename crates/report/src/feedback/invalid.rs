//! Why feedback cannot be converted.

/// Why an input is not valid feedback, or the output would not be.
#[derive(Debug, thiserror::Error)]
#[error("{}", errors.join("\n"))]
pub struct Invalid {
    /// One line for each error.
    pub errors: Vec<String>,
}

impl Invalid {
    pub(super) fn new(error: impl Into<String>) -> Self {
        Self {
            errors: vec![error.into()],
        }
    }
}
