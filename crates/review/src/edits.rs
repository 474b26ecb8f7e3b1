//! The edits of appliers, hunk by hunk, and whether an edit undoes an earlier
//! one.

use std::ops::Range;

use review_types::{Hash, Manifest};
use serde::{Deserialize, Serialize};

use crate::hunk::hunks;
use review_flow::{ContentStore, MissingContent, hash_bytes};

/// Maximum number of edits of one apply. No edit of a larger apply is tracked.
const MAX_EDITS: usize = 128;
/// Maximum total length in bytes of the paths of these edits.
const MAX_PATHS: usize = 16 * 1024;
/// Maximum number of edits that are tracked.
const MAX_FOLLOWED: usize = 1_024;

/// A range of whole lines that an applier changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// The byte range before the edit.
    pub old: Range<usize>,
    /// The byte range after the edit.
    pub new: Range<usize>,
    /// Hash of the old text, trimmed.
    pub old_hash: Hash,
    /// Hash of the new text, trimmed.
    pub new_hash: Hash,
}

impl Edit {
    /// Returns whether this edit restores what an `earlier` edit at the same place
    /// replaced.
    fn undoes(&self, earlier: &Self) -> bool {
        self.old_hash == earlier.new_hash
            && self.new_hash == earlier.old_hash
            && self.old_hash != self.new_hash
    }
}

/// Returns the differences between two states of an artifact, in order; none when
/// there are too many to track.
pub(crate) fn edits(
    before: &Manifest,
    after: &Manifest,
    texts: &ContentStore,
) -> Result<Vec<Edit>, MissingContent> {
    let mut edits = Vec::new();
    let mut paths = 0;
    for path in after.difference(before) {
        let text = |manifest: &Manifest| match manifest.get(&path) {
            Some(file) => texts.get(&file.hash),
            None => Ok([].into()),
        };
        let (old, new) = (text(before)?, text(after)?);
        for hunk in hunks(&old, &new) {
            paths += path.len();
            if edits.len() == MAX_EDITS || paths > MAX_PATHS {
                return Ok(Vec::new());
            }
            edits.push(Edit {
                path: path.clone(),
                old_hash: hash_bytes(old[hunk.old.clone()].trim_ascii()),
                new_hash: hash_bytes(new[hunk.new.clone()].trim_ascii()),
                old: hunk.old,
                new: hunk.new,
            });
        }
    }
    Ok(edits)
}

/// The edits of a loop whose text is still there, each with its current place.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrackedEdits(Vec<(u32, Edit)>);

impl TrackedEdits {
    /// Adds the edits after round `iteration`, in order, and returns the round whose
    /// edit one of them undoes. Without edits, all tracked places are unknown and
    /// dropped.
    pub(crate) fn take(&mut self, iteration: u32, edits: Vec<Edit>) -> Option<u32> {
        if edits.is_empty() {
            self.0.clear();
            return None;
        }
        let mut undone = None;
        self.0.retain_mut(|(round, earlier)| {
            let there = edits.iter().filter(|edit| edit.path == earlier.path);
            let mut shift = None;
            for edit in there {
                if touch(&edit.old, &earlier.new) && edit.undoes(earlier) {
                    undone = undone.or(Some(*round));
                }
                if meet(&edit.old, &earlier.new) {
                    return false;
                }
                if edit.old.end <= earlier.new.start {
                    shift = Some(edit);
                }
            }
            if let Some(edit) = shift {
                let length = earlier.new.len();
                let start = edit.new.end + (earlier.new.start - edit.old.end);
                earlier.new = start..start + length;
            }
            true
        });
        self.0
            .extend(edits.into_iter().map(|edit| (iteration, edit)));
        let old = self.0.len().saturating_sub(MAX_FOLLOWED);
        self.0.drain(..old);
        undone
    }
}

/// Returns whether two ranges overlap or touch.
fn touch(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start <= b.end && b.start <= a.end
}

/// Returns whether two ranges overlap.
fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use review_types::FileEntry;

    use super::*;
    use review_flow::MemoryBlobs;

    /// Returns the edits between two states of an artifact, as files and their contents.
    fn between(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<Edit> {
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let manifest = |files: &[(&str, &str)]| -> Manifest {
            let entry = |(path, text): &(&str, &str)| FileEntry {
                path: (*path).to_owned(),
                hash: texts.put(text.as_bytes()),
                mode: 0o644,
            };
            files.iter().map(entry).collect()
        };
        edits(&manifest(before), &manifest(after), &texts).unwrap()
    }

    /// Returns, for each version, the round whose edit it undoes.
    fn undone(texts: &[&str]) -> Vec<Option<u32>> {
        let mut followed = TrackedEdits::default();
        let pairs = texts.windows(2).zip(1..);
        let taken = pairs.map(|(pair, round)| {
            followed.take(round, between(&[("a", pair[0])], &[("a", pair[1])]))
        });
        taken.collect()
    }

    #[test]
    fn edits_are_listed_file_by_file() {
        let found = between(
            &[("gone", "1\n"), ("same", "2\n"), ("x", "3\n4\n5\n")],
            &[("new", "6\n"), ("same", "2\n"), ("x", "3\n \nfour\n5\n")],
        );
        let listed: Vec<_> = found
            .iter()
            .map(|edit| (&*edit.path, edit.old.clone(), edit.new.clone()))
            .collect();
        assert_eq!(
            listed,
            [("gone", 0..2, 0..0), ("new", 0..0, 0..2), ("x", 2..4, 2..9)]
        );
        assert_eq!(found[2].old_hash, hash_bytes(b"4"));
        assert_eq!(found[2].new_hash, hash_bytes(b"four"));
    }

    #[test]
    fn an_edit_that_restores_the_replaced_text_undoes_the_earlier_one() {
        let texts = [
            "limit 3\n--\na\n--\nz\n",
            "limit 5\n--\na\n--\nz\n",
            "limit 5\n--\nb\n--\nz\n",
            "limit 3\n--\nc\n--\nz\n",
        ];
        assert_eq!(undone(&texts), [None, None, Some(1)]);
    }

    #[test]
    fn a_place_moves_with_the_lines_above_it() {
        let texts = [
            "a\n--\nlimit 3\n--\nz\n",
            "a\n--\nlimit 5\n--\nz\n",
            "A\nB\n--\nlimit 5\n--\nZ\n",
            "--\nlimit 5\n--\nZ\n",
            "--\nlimit 3\n--\nY\n",
        ];
        assert_eq!(undone(&texts), [None, None, None, Some(1)]);
    }

    #[test]
    fn removing_an_addition_undoes_it() {
        assert_eq!(
            undone(&["a\nb\n", "a\nx\nb\n", "a\nb\nc\n"]),
            [None, Some(1)]
        );
        assert_eq!(
            undone(&["a\nx\nb\n", "a\nb\n", "a\nx\nb\nc\n"]),
            [None, Some(1)]
        );
    }

    #[test]
    fn the_same_words_elsewhere_and_blank_lines_undo_nothing() {
        let elsewhere = [
            "a\nx\nb\nc\nd\n",
            "a\ny\nb\nc\nd\ny\n",
            "a\ny\nb\nc\nd\nx\n",
        ];
        assert_eq!(undone(&elsewhere), [None, None]);
        assert_eq!(undone(&["a\nb\n", "a\n\nb\n", "a\nb\nc\n"]), [None, None]);
    }

    #[test]
    fn text_that_was_changed_again_is_no_longer_tracked() {
        let texts = ["a\n1\nb\n", "a\n2\nb\n", "a\n3\nb\n", "a\n1\nb\nc\n"];
        assert_eq!(undone(&texts), [None, None, None]);
    }

    #[test]
    fn ranges_overlap_inside_and_touch_at_their_ends() {
        for (a, b, meets, touches) in [
            (0..3, 2..5, true, true),
            (2..5, 0..9, true, true),
            (3..3, 2..5, true, true),
            (0..2, 2..4, false, true),
            (2..2, 2..4, false, true),
            (0..1, 2..4, false, false),
        ] {
            assert_eq!((meet(&a, &b), meet(&b, &a)), (meets, meets), "{a:?} {b:?}");
            assert_eq!(
                (touch(&a, &b), touch(&b, &a)),
                (touches, touches),
                "{a:?} {b:?}"
            );
        }
    }

    #[test]
    fn the_number_of_tracked_edits_is_limited() {
        let lines = |word: &str, count: usize| -> String {
            (0..count)
                .map(|n| format!("{word}{n}\nsame {n}\n"))
                .collect()
        };
        let change = |count| between(&[("a", &lines("x", count))], &[("a", &lines("y", count))]);
        assert_eq!(change(128).len(), 128);
        assert_eq!(change(129), []);
        let long = "p".repeat(9_000);
        let two = between(&[(&long, "1\n2\n3\n")], &[(&long, "one\n2\nthree\n")]);
        assert_eq!(two, []);
        let mut followed = TrackedEdits::default();
        for _ in 0..9 {
            followed.take(1, change(128));
            for (_, edit) in &mut followed.0 {
                edit.path = "elsewhere".to_owned();
            }
        }
        assert_eq!(followed.0.len(), 1_024);
        assert_eq!(followed.take(2, Vec::new()), None);
        assert_eq!(followed.0.len(), 0);
    }
}
