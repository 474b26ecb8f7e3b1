//! Text and tags of entries.

/// The maximum length of a string in an entry, in characters.
const MAX_TEXT: usize = 2_000;

/// The maximum length of a tag, in characters.
const MAX_TAG: usize = 48;

/// Trims a string and truncates it to the maximum; `None` if it is blank.
pub(super) fn text(text: &str) -> Option<String> {
    let text = text.trim();
    let end = text
        .char_indices()
        .nth(MAX_TEXT)
        .map_or(text.len(), |(end, _)| end);
    (!text.is_empty()).then(|| text[..end].to_owned())
}

/// Returns the end of a string, where output mostly reports the error.
pub(super) fn tail(whole: &str) -> Option<String> {
    let whole = whole.trim();
    let count = whole.chars().count();
    let start = whole
        .char_indices()
        .nth(count.saturating_sub(MAX_TEXT))
        .map_or(0, |(start, _)| start);
    text(&whole[start..])
}

/// Returns a word as a tag: lower case, with hyphens for blanks; `None` if nothing is
/// left.
pub(super) fn tag(word: &str) -> Option<String> {
    let word: String = word
        .to_lowercase()
        .split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let tag: String = word.chars().take(MAX_TAG).collect();
    (!tag.is_empty()).then_some(tag)
}

/// Returns the code of a rule in brackets at the end of an issue, the form in which the
/// embedded reviewer writes it.
pub(super) fn rule_code(issue: &str) -> Option<&str> {
    let (_, code) = issue.trim_end().strip_suffix(']')?.rsplit_once('[')?;
    let letters = code.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_letter = letters.len() == 1 && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_letter && code.len() > letters.len() && code.len() <= 4).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_are_truncated_at_the_end_or_the_start() {
        let long = format!("a{}z", "\u{e4}".repeat(MAX_TEXT));
        assert_eq!(text(&long).unwrap().chars().count(), MAX_TEXT);
        assert!(text(&long).unwrap().starts_with('a'));
        let end = tail(&long).unwrap();
        assert!(end.ends_with('z') && end.chars().count() == MAX_TEXT);
        assert_eq!(tail(" short\n"), Some("short".to_owned()));
        assert_eq!(text(" \n"), None);
    }

    #[test]
    fn a_tag_is_a_lowercase_word() {
        assert_eq!(
            tag("Data  Flow > Errors").as_deref(),
            Some("data-flow-errors")
        );
        assert_eq!(tag("test_failure").as_deref(), Some("test_failure"));
        assert_eq!(tag(" > "), None);
        assert_eq!(tag(&"x".repeat(99)).unwrap().len(), MAX_TAG);
    }

    #[test]
    fn the_code_of_a_rule_is_in_brackets_at_the_end() {
        for (issue, code) in [
            ("There is no goal. specs/A.md:3 [S4]", Some("S4")),
            ("x [B10]\n", Some("B10")),
            ("x [S]", None),
            ("x [s4]", None),
            ("x [S4] more", None),
            ("x [S4x]", None),
            ("x [SS4]", None),
            ("x [4]", None),
            ("x S4]", None),
        ] {
            assert_eq!(rule_code(issue), code, "{issue}");
        }
    }
}
