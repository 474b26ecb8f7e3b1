//! Errors of connections, in the words of those who report them.

/// Parts of messages about connections that were not made, in lower case.
const WORDS: [&str; 16] = [
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

/// Whether a message says that no connection was made. One that was made and cut is
/// the failure of the service.
pub(crate) fn is_connection_error(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    !message.contains(CUT) && WORDS.iter().any(|word| message.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

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
