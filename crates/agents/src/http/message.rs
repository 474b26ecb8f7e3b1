//! A call that gave no answer, in words.

use review_types::{FailedBy, Failure};

use super::profile::HttpProfile;
use crate::caller::{Caller, what};
use crate::stream::Observed;

/// The message of a failure, with what the service reported.
pub(super) fn message(
    caller: Caller<'_>,
    profile: &HttpProfile,
    failure: &Failure,
    seen: &Observed,
) -> String {
    let what = match failure {
        Failure::Failed {
            by: FailedBy::Protocol,
        } => {
            "got something else than a stream of events; check `api` and `base_url` of its profile"
                .to_owned()
        }
        failure => what(failure, &log_in(profile)),
    };
    match &seen.error {
        Some(error) if !error.message.trim().is_empty() => {
            format!("{caller} {what}; it said: {}", error.message.trim())
        }
        Some(_) | None => format!("{caller} {what}"),
    }
}

/// How a key is given.
fn log_in(profile: &HttpProfile) -> String {
    match &profile.key_env {
        Some(name) => format!("put its key into {}", name.as_str()),
        None => "name the variable of its key with `key_env` in its profile".to_owned(),
    }
}

/// The message in the body of an error, else its first line.
pub(super) fn error_message(text: &str) -> String {
    let json = || serde_json::from_str(text.get(text.find(['{', '['])?..)?).ok();
    let json: Option<serde_json::Value> = json();
    let told = json.as_ref().and_then(|json| {
        let json = json.get(0).unwrap_or(json);
        let places = ["/error/message", "/message", "/error", "/detail"];
        let mut places = places.iter().filter_map(|place| json.pointer(place));
        places.find_map(serde_json::Value::as_str)
    });
    let line = || text.lines().map(str::trim).find(|line| !line.is_empty());
    told.or_else(line).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_an_error_is_found_where_servers_put_it() {
        for (body, message) in [
            (
                r#"{"type":"error","error":{"type":"x","message":"too long"}}"#,
                "too long",
            ),
            (r#"[{"error":{"code":400,"message":"bad"}}]"#, "bad"),
            (r#"{"object":"error","message":"no model"}"#, "no model"),
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            ("\n <h1>502</h1>\nmore", "<h1>502</h1>"),
            (r#"error: {"code":500,"message":"no slot"}"#, "no slot"),
            (r#"{"x":1}"#, r#"{"x":1}"#),
            ("", ""),
        ] {
            assert_eq!(error_message(body), message);
        }
    }
}
