//! Suggestions for misspelled keys.

/// The maximum distance of two similar keys.
const MAX_DISTANCE: usize = 2;

/// More than the length of any known key plus the distance.
const MAX_KEY: usize = 66;

/// Returns the known key that is nearest to `key`, if one is at most two edits away;
/// the first in case of a tie.
pub fn near_key<'k>(key: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if key.len() > MAX_KEY {
        return None;
    }
    let candidates = known.into_iter().filter_map(|name| {
        if name.len().abs_diff(key.len()) > 4 * MAX_DISTANCE {
            return None;
        }
        let distance = strsim::levenshtein(key, name);
        (distance <= MAX_DISTANCE && distance < name.len()).then_some((distance, name))
    });
    candidates
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_within_two_edits_are_suggested() {
        let known = ["id", "timestamp", "target", "severity"];
        for (key, expected) in [
            ("timestmap", Some("timestamp")),
            ("targets", Some("target")),
            ("Severity", Some("severity")),
            ("s\u{e9}verity", Some("severity")),
            ("severity\u{1f600}\u{1f600}", Some("severity")),
            ("sevrty", Some("severity")),
            ("sevry", None),
            ("ide", Some("id")),
            ("x", None),
            ("xy", None),
            ("author", None),
            ("", None),
        ] {
            assert_eq!(near_key(key, known), expected, "{key}");
        }
        assert_eq!(near_key("it", ["id", "it"]), Some("it"));
        assert_eq!(near_key("ia", ["ib", "ic"]), Some("ib"));
    }

    #[test]
    fn keys_of_up_to_66_bytes_are_compared() {
        let known = "a".repeat(64);
        for (key, is_near) in [
            ("a".repeat(66), true),
            (format!("\u{e9}{}", "a".repeat(64)), true),
            (format!("\u{e9}{}", "a".repeat(65)), false),
        ] {
            let near = near_key(&key, [known.as_str()]);
            assert_eq!(near, is_near.then_some(known.as_str()), "{key}");
        }
    }
}
