//! Grouping of similar strings.

use std::collections::HashMap;
use std::hash::Hash;

use crate::{Term, Vector};

/// The minimum similarity of two strings about the same issue.
pub const SAME_ISSUE: f32 = 0.5;

/// Groups of strings, each led by the first string that fitted no earlier group. Similar
/// leaders are found by common terms, so a new text is not compared with all.
#[derive(Clone, Debug)]
pub struct Leaders<T = Term> {
    /// The minimum similarity of a string to its group's leader.
    threshold: f32,
    /// The number of groups.
    count: usize,
    /// The groups whose leader has a term, with its weight there.
    by_term: HashMap<T, Vec<(usize, f32)>>,
}

impl<T> Default for Leaders<T> {
    /// Groups of strings about the same issue.
    fn default() -> Self {
        Self::new(SAME_ISSUE)
    }
}

impl<T> Leaders<T> {
    /// Creates groups of strings that are at least this similar to their leader.
    #[must_use]
    pub(crate) fn new(threshold: f32) -> Self {
        Self {
            threshold,
            count: 0,
            by_term: HashMap::new(),
        }
    }
}

impl<T: Clone + Ord + Hash> Leaders<T> {
    /// Returns the number of the group with the most similar leader, among those that
    /// `accepts` and that reach the threshold; the earliest in case of a tie.
    pub fn nearest(&self, text: &Vector<T>, accepts: impl Fn(usize) -> bool) -> Option<usize> {
        let mut nearest = None;
        let mut most = self.threshold;
        for (group, similarity) in self.similarities(text).into_iter().enumerate() {
            let is_nearer = similarity > most || (nearest.is_none() && similarity >= most);
            if is_nearer && accepts(group) {
                (nearest, most) = (Some(group), similarity);
            }
        }
        nearest
    }

    /// The similarity of the leader of each group.
    fn similarities(&self, text: &Vector<T>) -> Vec<f32> {
        let mut similarities = vec![0.0_f32; self.count];
        for (term, weight) in text.terms() {
            for (group, of_group) in self.by_term.get(term).into_iter().flatten() {
                similarities[*group] += weight * of_group;
            }
        }
        similarities
    }

    /// Adds a group with this leader and returns its number; groups are counted from 0.
    pub fn push(&mut self, leader: &Vector<T>) -> usize {
        let group = self.count;
        self.count += 1;
        for (term, weight) in leader.terms() {
            let groups = self.by_term.entry(term.clone()).or_default();
            groups.push((group, *weight));
        }
        group
    }

    /// The number of groups.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fingerprint;

    fn of(text: &str) -> Fingerprint {
        Fingerprint::of(text)
    }

    #[test]
    fn the_nearest_accepted_group_is_found() {
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
        assert_eq!(leaders.count(), 3);
    }

    #[test]
    fn in_a_tie_the_earliest_group_wins() {
        let mut leaders = Leaders::default();
        assert_eq!(leaders.push(&of("otter")), 0);
        assert_eq!(leaders.push(&of("otter")), 1);
        assert_eq!(leaders.nearest(&of("otters"), |_| true), Some(0));
    }

    #[test]
    fn a_text_below_the_threshold_has_no_group() {
        let mut leaders = Leaders::default();
        let far = of("zebra walrus tapir");
        leaders.push(&of("zebra lion giraffe otter beaver"));
        assert_eq!(leaders.nearest(&of("zebra lion"), |_| true), Some(0));
        assert_eq!(leaders.nearest(&far, |_| true), None);
        let mut wider = Leaders::new(0.2);
        wider.push(&of("zebra lion giraffe otter beaver"));
        assert_eq!(wider.nearest(&far, |_| true), Some(0));
        let exact = Leaders::<Term>::new(1.0);
        assert_eq!(exact.nearest(&far, |_| true), None);
    }
}
