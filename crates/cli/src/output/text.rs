//! Texts for people.

use std::borrow::Cow;
use std::time::Duration;

/// The text without control characters that could reach the terminal; line
/// ends and tabs stay.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |char: char| char.is_control() && char != '\n' && char != '\t';
    if text.contains(harmful) {
        Cow::Owned(text.replace(harmful, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A duration as the configuration takes it, such as `1h30m`.
pub(crate) fn duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    let parts = [
        (millis / 3_600_000, "h"),
        (millis / 60_000 % 60, "m"),
        (millis / 1_000 % 60, "s"),
        (millis % 1_000, "ms"),
    ];
    let text: String = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(
            printable("a\x1b[31mb\r\n\tc"),
            "a\u{fffd}[31mb\u{fffd}\n\tc"
        );
        assert!(matches!(printable("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn a_duration_is_written_as_it_is_read() {
        for text in ["90ms", "10s", "5m", "2h", "1h30m", "1m1s1ms", "48h"] {
            let read = review_document::parse_duration(text).unwrap();
            assert_eq!(duration(read), text);
        }
        assert_eq!(duration(Duration::from_secs(90)), "1m30s");
        assert_eq!(duration(Duration::ZERO), "0s");
    }
}
