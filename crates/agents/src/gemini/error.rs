//! The errors that the client ends with.

use serde::Deserialize;

use crate::stream::{
    Fault, GoogleError, ReportedError, RetryAfter, StopReason, Text, http_status, status_after,
};

/// An error as it is written.
#[derive(Deserialize)]
pub(super) struct WireError {
    message: Option<Text>,
    code: Option<i64>,
}

impl WireError {
    pub(super) fn reported(self) -> ReportedError {
        let message = self.message.unwrap_or_default().0;
        let body = body(&message).and_then(|body| GoogleError::of_body(body.as_bytes()));
        let status = self.code.and_then(http_status);
        let status = status.or_else(|| body.as_ref()?.status());
        let retry_after = body.as_ref().and_then(GoogleError::retry_after);
        let mut error = ReportedError::new(Fault::Service, &message);
        error.status = status.or_else(|| status_after(&message, &["(Status: "]));
        error.retry_after = retry_after.or_else(|| suggested(&message));
        error
    }
}

/// The body of the service's answer in a message of the client.
fn body(message: &str) -> Option<&str> {
    message.get(message.find('{')?..=message.rfind('}')?)
}

/// The delay of which only the words of the client are left.
fn suggested(message: &str) -> Option<RetryAfter> {
    let (_, delay) = message.split_once("Suggested retry after ")?;
    let end = delay.find(|char: char| !char.is_ascii_digit() && char != '.')?;
    let (seconds, unit) = delay.split_at(end);
    unit.starts_with('s').then(|| seconds.parse().ok())?
}

/// The reason why an answer is not complete, in the words of the client, which
/// asks again, and in the end gives no answer.
pub(super) fn stop_reason(message: &str) -> Option<StopReason> {
    let says = |words| message.contains(words);
    if says("exceeded the token limit") {
        Some(StopReason::Length)
    } else if says("was blocked due to") {
        Some(StopReason::Refusal)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn reported(message: &str) -> ReportedError {
        let message = serde_json::json!({ "message": message });
        let error: WireError = serde_json::from_value(message).unwrap();
        error.reported()
    }

    #[test]
    fn the_words_of_the_service_say_its_status_and_its_delay() {
        let after = |millis| Some(RetryAfter::In(Duration::from_millis(millis)));
        for (message, status, retry_after) in [
            (
                r#"{"error":{"code":429,"details":[{"retryDelay":"7s"}]}}"#,
                Some(429),
                after(7_000),
            ),
            (
                r#"[API Error: {"error":{"code":503,"message":"no"}}]"#,
                Some(503),
                None,
            ),
            (
                "[API Error: slow\nSuggested retry after 3.07s.]\nPlease wait",
                None,
                after(3_070),
            ),
            ("[API Error: no (Status: 404)]", Some(404), None),
            ("[API Error: no (Status: NOT_FOUND)]", None, None),
            ("Suggested retry after 3m.", None, None),
            ("Suggested retry after 3", None, None),
            ("Suggested retry after .", None, None),
            ("} terminated {", None, None),
        ] {
            let error = reported(message);
            assert_eq!(error.status, status, "{message}");
            assert_eq!(error.retry_after, retry_after, "{message}");
            assert_eq!(error.message, message);
        }
    }
}
