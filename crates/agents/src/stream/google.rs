//! Errors as the services of Google write them.

use serde::Deserialize;
use serde_json::Value as Json;

use super::RetryAfter;
use super::wire::{http_status, nullable};

/// An error in the body of an answer.
#[derive(Debug, Deserialize)]
pub(crate) struct GoogleError {
    #[serde(default, deserialize_with = "nullable")]
    code: i64,
    #[serde(default)]
    details: Json,
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

    /// How long the service wants to be left alone: the `retryDelay` of one of
    /// its details, seconds such as `34.07s`.
    pub(crate) fn retry_after(&self) -> Option<RetryAfter> {
        let details = self.details.as_array()?;
        let mut delays = details.iter().filter_map(|detail| {
            let delay = detail.get("retryDelay")?.as_str()?;
            delay.strip_suffix('s')?.parse().ok()
        });
        delays.next()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LIMITED: &str = r#"{"error": {"code": 429, "message": "Please retry in 34.07s.",
        "status": "RESOURCE_EXHAUSTED", "details": [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}]}}"#;

    #[test]
    fn a_body_is_an_error_or_a_list_of_them() {
        for body in [LIMITED.to_owned(), format!("[{LIMITED}]")] {
            let error = GoogleError::of_body(body.as_bytes()).unwrap();
            assert_eq!(error.status(), Some(429));
            let wait = RetryAfter::In(Duration::from_millis(34_070));
            assert_eq!(error.retry_after(), Some(wait));
        }
        for body in ["", "[]", "{}", "busy", r#"{"error": "busy"}"#] {
            assert!(GoogleError::of_body(body.as_bytes()).is_none(), "{body}");
        }
    }

    #[test]
    fn a_delay_is_read_only_where_it_is_one() {
        for (details, seconds) in [
            (r#"[{"retryDelay": "7s"}]"#, Some(7)),
            (
                r#"[{}, 1, {"retryDelay": "x"}, {"retryDelay": "0s"}]"#,
                Some(0),
            ),
            (r#"[{"retryDelay": "7"}]"#, None),
            (r#"[{"retryDelay": 7}]"#, None),
            (r#"{"retryDelay": "7s"}"#, None),
            ("null", None),
        ] {
            let error = format!(r#"{{"code": null, "details": {details}}}"#);
            let error: GoogleError = serde_json::from_str(&error).unwrap();
            let wait = seconds.map(|seconds| RetryAfter::In(Duration::from_secs(seconds)));
            assert_eq!(error.retry_after(), wait, "{details}");
            assert_eq!(error.status(), None);
        }
    }
}
