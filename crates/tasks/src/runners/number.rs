//! Numbers with a noun, as in summaries.

/// Splits `3 passed` into 3 and `passed`.
pub(super) fn counted(text: &str) -> Option<(u64, &str)> {
    let (number, noun) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, noun.trim_start()))
}

/// Adds up the numbers of a list such as `1 failed, 2 passed` whose nouns are in
/// `ran`. Every noun must be in `ran` or in `other`; otherwise it is not such a list.
pub(super) fn sum<'a>(
    parts: impl IntoIterator<Item = &'a str>,
    ran: &[&str],
    other: &[&str],
) -> Option<u64> {
    let mut sum = 0u64;
    for part in parts {
        let (count, noun) = counted(part)?;
        if ran.contains(&noun) {
            sum = sum.saturating_add(count);
        } else if !other.contains(&noun) {
            return None;
        }
    }
    Some(sum)
}

/// Adds a summary to the earlier ones.
pub(super) fn add(total: &mut Option<u64>, tests: u64) {
    *total = Some(total.unwrap_or(0).saturating_add(tests));
}

/// Removes `test` or `tests` from the start of a string.
pub(super) fn after_tests(text: &str) -> Option<&str> {
    text.strip_prefix("tests").or(text.strip_prefix("test"))
}
