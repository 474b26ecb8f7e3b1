//! Texts in the groups of those that are about the same.

use std::collections::HashMap;

use crate::Fingerprint;
use crate::fingerprint::Term;

/// From this similarity on two texts are about the same issue.
pub const SAME_ISSUE: f32 = 0.5;

/// Groups of texts, each led by the first text that belonged to no other. What
/// is near is found by the terms that texts share, so that a new text is not
/// compared with all.
#[derive(Clone, Debug, Default)]
pub struct Leaders {
    /// How many groups there are.
    count: usize,
    /// The groups whose leader has a term, with its weight there.
    by_term: HashMap<Term, Vec<(usize, f32)>>,
}

impl Leaders {
    /// The number of the group whose leader is the nearest, among those that
    /// `accepts` and that are at least as near as [`SAME_ISSUE`]; of equally
    /// near ones the earliest.
    pub fn nearest(
        &self,
        fingerprint: &Fingerprint,
        accepts: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut near: HashMap<usize, f32> = HashMap::new();
        for (term, weight) in fingerprint.terms() {
            for (group, of_group) in self.by_term.get(term).into_iter().flatten() {
                *near.entry(*group).or_default() += weight * of_group;
            }
        }
        let mut near: Vec<_> = near.into_iter().collect();
        near.retain(|(group, similarity)| *similarity >= SAME_ISSUE && accepts(*group));
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.first().map(|(group, _)| *group)
    }

    /// Makes a new group with this leader and returns its number: groups are
    /// counted from 0.
    pub fn push(&mut self, leader: &Fingerprint) -> usize {
        let group = self.count;
        self.count += 1;
        for (term, weight) in leader.terms() {
            let groups = self.by_term.entry(term.clone()).or_default();
            groups.push((group, *weight));
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lexicon;

    fn of(text: &str) -> Fingerprint {
        Fingerprint::of(text, Lexicon::embedded())
    }

    #[test]
    fn the_nearest_group_that_is_accepted_is_found() {
        let mut leaders = Leaders::default();
        for text in ["zebra lion giraffe", "zebra lion", "otter beaver"] {
            leaders.push(&of(text));
        }
        let nearest = |text| leaders.nearest(&of(text), |_| true);
        assert_eq!(nearest("lion and zebra"), Some(1));
        assert_eq!(nearest("giraffe, lion, zebra"), Some(0));
        assert_eq!(nearest("beaver"), Some(2));
        assert_eq!(nearest("walrus"), None);
        assert_eq!(nearest(""), None);
        assert_eq!(
            leaders.nearest(&of("lion zebra"), |group| group != 1),
            Some(0)
        );
        assert_eq!(leaders.nearest(&of("lion zebra"), |group| group == 2), None);
    }

    #[test]
    fn of_equally_near_groups_the_earliest_is_taken() {
        let mut leaders = Leaders::default();
        assert_eq!(leaders.push(&of("otter")), 0);
        assert_eq!(leaders.push(&of("otter")), 1);
        assert_eq!(leaders.nearest(&of("otters"), |_| true), Some(0));
    }

    #[test]
    fn what_is_less_near_than_the_threshold_is_of_no_group() {
        let mut leaders = Leaders::default();
        leaders.push(&of("zebra lion giraffe otter beaver"));
        assert_eq!(leaders.nearest(&of("zebra lion"), |_| true), Some(0));
        assert_eq!(leaders.nearest(&of("zebra walrus tapir"), |_| true), None);
    }
}
