//! What the words of a service's error say where no status does, or a wrong one.

/// What services say where the limit of a plan is reached, in lower case.
const PLAN: [&str; 9] = [
    "usage limit",
    "usage_limit",
    "session limit",
    "hour limit",
    "daily limit",
    "weekly limit",
    "monthly limit",
    "hit your limit",
    "exhausted your",
];

/// The words of faults that asking again does not cure, in lower case, and the status
/// that stands for each.
const LASTING: [(u16, &[&str]); 4] = [
    (
        401,
        &[
            "invalid api key",
            "incorrect api key",
            "api key not valid",
            "please run /login",
        ],
    ),
    (
        402,
        &[
            "insufficient_quota",
            "insufficient credit",
            "insufficient balance",
            "credit balance is too low",
            "check your plan and billing",
        ],
    ),
    (
        413,
        &[
            "prompt is too long",
            "input is too long",
            "maximum context length",
            "context_length_exceeded",
            "exceeds the context window",
            "exceed context limit",
        ],
    ),
    (
        404,
        &[
            "does not exist or you do not have access to it",
            "issue with the selected model",
            "model_not_found",
            "model not found",
        ],
    ),
];

/// Parts of messages about connections that were not made, in lower case.
const NO_CONNECTION: [&str; 16] = [
    // codex
    "waiting for network",
    "error sending request for url",
    // The libraries of codex and of our own requests.
    "client error (connect)",
    "dns error",
    // node: gemini
    "fetch failed",
    "econnrefused",
    "enotfound",
    "eai_again",
    "enetunreach",
    "ehostunreach",
    // Bun: claude and opencode
    "unable to connect",
    "connectionrefused",
    "failedtoopensocket",
    "cannot connect to api",
    // The libraries of claude.
    "connection error",
    // The system.
    "connection refused",
];

/// The code of a connection that was made and cut, in lower case.
const CUT: &str = "econnreset";

/// Whether a message says that the limit of a plan is reached, which lasts for hours.
pub(crate) fn is_plan_limit(message: &str) -> bool {
    let message = message.to_lowercase();
    let resets = message.contains("reset") && message.contains("limit");
    resets || PLAN.iter().any(|words| message.contains(words))
}

/// Whether a message says that a limit of the service is reached.
pub(crate) fn is_limit(message: &str) -> bool {
    let message = message.to_lowercase();
    ["rate limit", "rate_limit"]
        .iter()
        .any(|words| message.contains(words))
        || is_plan_limit(&message)
}

/// The status that the words of an error stand for which asking again does not cure. A
/// service that failed otherwise, or says when to ask again, is not doubted.
pub(crate) fn lasting_status(status: Option<u16>, message: &str) -> Option<u16> {
    let message = message.to_lowercase();
    let is_open = status.is_none_or(|status| (400..500).contains(&status));
    if !is_open || message.contains("retry") || message.contains("try again in") {
        return None;
    }
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    let of = LASTING.iter().find(|(_, words)| says(words));
    of.map(|(status, _)| *status)
}

/// Whether a message says that no connection was made. One that was made and cut is
/// the failure of the service.
pub(crate) fn is_connection_error(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    !message.contains(CUT) && NO_CONNECTION.iter().any(|word| message.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_known_by_its_words() {
        for (message, limit, plan) in [
            (
                "You have hit your weekly limit \u{b7} resets Jun 9 at 1am",
                true,
                true,
            ),
            ("Claude AI usage limit reached|1781000000", true, true),
            ("5-hour limit reached \u{2219} resets 3pm", true, true),
            (
                "You've hit your usage limit. Try again in 3 days.",
                true,
                true,
            ),
            (
                "You have exhausted your daily quota on this model.",
                true,
                true,
            ),
            ("Rate limit reached for m-1, try again in 20s", true, false),
            ("the output token maximum is the limit", false, false),
            ("overloaded", false, false),
        ] {
            assert_eq!(
                (is_limit(message), is_plan_limit(message)),
                (limit, plan),
                "{message}"
            );
        }
    }

    #[test]
    fn a_fault_that_lasts_has_the_status_of_its_words() {
        for (status, message, expected) in [
            (None, "Credit balance is too low", Some(402)),
            (
                Some(400),
                "Your credit balance is too low to access the API.",
                Some(402),
            ),
            (
                Some(429),
                r#"{"error":{"code":"insufficient_quota"}}"#,
                Some(402),
            ),
            (
                Some(429),
                "You exceeded your current quota, please check your plan and billing details.",
                Some(402),
            ),
            (
                Some(429),
                "You exceeded your current quota, please check your plan and billing details. \
                 Please retry in 34.07s.",
                None,
            ),
            (None, "Prompt is too long", Some(413)),
            (
                Some(400),
                "This model's maximum context length is 8 tokens",
                Some(413),
            ),
            (
                None,
                "There's an issue with the selected model (x).",
                Some(404),
            ),
            (
                None,
                "Invalid API key \u{b7} Fix external API key",
                Some(401),
            ),
            (Some(500), "Prompt is too long", None),
            (Some(400), "no", None),
        ] {
            assert_eq!(lasting_status(status, message), expected, "{message}");
        }
    }

    #[test]
    fn a_missing_connection_is_told_apart_from_one_that_was_cut() {
        for (message, is_offline) in [
            ("Reconnecting... waiting for network", true),
            (
                "Reconnecting... 2/5 (stream disconnected before completion: \
                 error sending request for url (https://chatgpt.com/backend-api/codex/responses))",
                true,
            ),
            (
                "API Error: Unable to connect to API (ConnectionRefused)",
                true,
            ),
            ("API Error: Connection error.", true),
            ("exception TypeError: fetch failed sending request", true),
            (
                "Cannot connect to API: getaddrinfo ENOTFOUND api.example.com",
                true,
            ),
            (
                "error sending request: client error (Connect): tcp connect error: Connection refused",
                true,
            ),
            (
                "Reconnecting... 1/1 (stream disconnected before completion: Transport error: \
                 network error: error decoding response body)",
                false,
            ),
            (
                "Reconnecting... 1/5 (We're currently experiencing high demand)",
                false,
            ),
            (
                "error sending request: connection closed before message completed",
                false,
            ),
            ("API Error: Unable to connect to API (ECONNRESET)", false),
            ("overloaded", false),
        ] {
            assert_eq!(is_connection_error(message), is_offline, "{message}");
        }
    }
}
