//! Errors as the services of Google write them.

use serde::Deserialize;

use super::wire::{http_status, nullable};

/// An error in the body of an answer.
#[derive(Debug, Deserialize)]
pub(crate) struct GoogleError {
    #[serde(default, deserialize_with = "nullable")]
    code: i64,
}

#[derive(Deserialize)]
struct Body {
    error: GoogleError,
}

impl GoogleError {
    /// The error that a body holds: an object, or the first of a list.
    pub(crate) fn of_body(body: &[u8]) -> Option<Self> {
        // Read first, since a list would pass for the fields of an object.
        let all: Option<Vec<Body>> = serde_json::from_slice(body).ok();
        let Body { error } = match all {
            Some(all) => all.into_iter().next()?,
            None => serde_json::from_slice(body).ok()?,
        };
        Some(error)
    }

    /// Its HTTP status.
    pub(crate) fn status(&self) -> Option<u16> {
        http_status(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITED: &str = r#"{"error": {"code": 429, "message": "Please retry in 34.07s.",
        "status": "RESOURCE_EXHAUSTED"}}"#;

    #[test]
    fn a_body_is_an_error_or_a_list_of_them() {
        for body in [LIMITED.to_owned(), format!("[{LIMITED}]")] {
            let error = GoogleError::of_body(body.as_bytes()).unwrap();
            assert_eq!(error.status(), Some(429));
        }
        for body in ["", "[]", "{}", "busy", r#"{"error": "busy"}"#] {
            assert!(GoogleError::of_body(body.as_bytes()).is_none(), "{body}");
        }
    }
}
