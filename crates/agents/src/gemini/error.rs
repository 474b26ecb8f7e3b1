//! The errors that the client ends with.

use serde::Deserialize;

use crate::stream::{
    Fault, GoogleError, ReportedError, StopReason, Text, http_status, status_after,
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
        let status = status.or_else(|| status_after(&message, &["(Status: "]));
        ReportedError::new(Fault::Service, &message).status(status)
    }
}

/// The body of the service's answer in a message of the client.
fn body(message: &str) -> Option<&str> {
    message.get(message.find('{')?..=message.rfind('}')?)
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
    use super::*;

    fn reported(message: &str) -> ReportedError {
        let message = serde_json::json!({ "message": message });
        let error: WireError = serde_json::from_value(message).unwrap();
        error.reported()
    }

    #[test]
    fn the_words_of_the_service_say_its_status() {
        for (message, status) in [
            (r#"{"error":{"code":429}}"#, Some(429)),
            (
                r#"[API Error: {"error":{"code":503,"message":"no"}}]"#,
                Some(503),
            ),
            ("[API Error: no (Status: 404)]", Some(404)),
            ("[API Error: no (Status: NOT_FOUND)]", None),
            ("} terminated {", None),
        ] {
            let error = reported(message);
            assert_eq!(error.status, status, "{message}");
            assert_eq!(error.message, message);
        }
    }
}
