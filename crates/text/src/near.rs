//! Keys that may be misspelt.

/// The greatest distance at which two keys are near.
const MAX_DISTANCE: usize = 2;

/// Longer than any known key and its distance.
const MAX_KEY: usize = 32;

/// The known key that is nearest to `key`, if one is at most two edits away.
pub fn near_key<'k>(key: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let candidates = known.into_iter().filter_map(|name| {
        let distance = distance(key, name)?;
        (distance < name.len()).then_some((distance, name))
    });
    candidates
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Whether two texts without letters beyond ASCII are at most two edits apart.
#[must_use]
pub fn is_near(left: &str, right: &str) -> bool {
    edits(left.as_bytes(), right.as_bytes()).is_some()
}

/// The edit distance of two short keys; `None` where it is not small.
fn distance(left: &str, right: &str) -> Option<usize> {
    (left.len() <= MAX_KEY).then_some(())?;
    edits(left.as_bytes(), right.as_bytes())
}

/// How many bytes are to be put in, taken out or replaced; `None` for more than
/// [`MAX_DISTANCE`]. The table of Wagner and Fischer, of which no more than the
/// diagonals that can lead there are filled in.
fn edits(left: &[u8], right: &[u8]) -> Option<usize> {
    const FAR: usize = MAX_DISTANCE + 1;
    const BAND: usize = 2 * MAX_DISTANCE + 1;
    if left.len().abs_diff(right.len()) > MAX_DISTANCE {
        return None;
    }
    // At row `i`, place `k` holds column `i + k - MAX_DISTANCE`.
    let mut row = [FAR; BAND];
    for (column, place) in row[MAX_DISTANCE..].iter_mut().enumerate() {
        *place = column;
    }
    for (above, here) in left.iter().enumerate() {
        let mut next = [FAR; BAND];
        for place in 0..BAND {
            let Some(column) = (above + 1 + place).checked_sub(MAX_DISTANCE) else {
                continue;
            };
            next[place] = if column == 0 {
                above + 1
            } else {
                let Some(there) = right.get(column - 1) else {
                    continue;
                };
                let replaced = row[place] + usize::from(here != there);
                let removed = row.get(place + 1).map_or(FAR, |before| before + 1);
                let added = place.checked_sub(1).map_or(FAR, |before| next[before] + 1);
                replaced.min(removed).min(added)
            };
        }
        if next.iter().all(|edits| *edits >= FAR) {
            return None;
        }
        row = next;
    }
    let last = row[right.len() + MAX_DISTANCE - left.len()];
    (last < FAR).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_near_up_to_two_edits() {
        for (left, right, expected) in [
            ("", "", Some(0)),
            ("", "ab", Some(2)),
            ("ab", "", Some(2)),
            ("abc", "", None),
            ("abcdef", "abcdef", Some(0)),
            ("abcdef", "abcxef", Some(1)),
            ("abcdef", "bcdefg", Some(2)),
            ("xbcdefx", "abcdefy", Some(2)),
            ("abcdef", "badcfe", None),
            ("abcdefgh", "cdefghab", None),
            ("missing-error", "missing-eror-s", None),
            ("missing-error", "mising-errors", Some(2)),
            ("aaaaaaaa", "aaaaaaaaaa", Some(2)),
        ] {
            let found = [(left, right), (right, left)].map(|(left, right)| {
                assert_eq!(is_near(left, right), expected.is_some(), "{left} {right}");
                edits(left.as_bytes(), right.as_bytes())
            });
            assert_eq!(found, [expected; 2], "{left} {right}");
        }
    }

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
