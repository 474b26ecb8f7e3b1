//! Keys that may be misspelt.

/// The greatest distance at which two keys are near.
const MAX_DISTANCE: usize = 2;

/// Longer than any known key and its distance.
const MAX_KEY: usize = 32;

/// The known key that is nearest to `key`, if one is at most two edits away.
pub fn near_key<'k>(key: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let candidates = known.into_iter().filter_map(|name| {
        let distance = distance(key, name)?;
        (distance <= MAX_DISTANCE && distance < name.len()).then_some((distance, name))
    });
    candidates
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The edit distance of two short keys; `None` where it is not small.
fn distance(left: &str, right: &str) -> Option<usize> {
    if left.len().abs_diff(right.len()) > MAX_DISTANCE || left.len() > MAX_KEY {
        return None;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, here) in left.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, there) in right.bytes().enumerate() {
            let replaced = diagonal + usize::from(here != there);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_within_two_edits_are_near() {
        let known = ["id", "timestamp", "target", "severity"];
        for (key, expected) in [
            ("timestmap", Some("timestamp")),
            ("targets", Some("target")),
            ("Severity", Some("severity")),
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
        assert_eq!(near_key(&"a".repeat(40), ["id"]), None);
    }
}
