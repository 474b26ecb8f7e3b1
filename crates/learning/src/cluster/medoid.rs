//! The most representative text of a group.

use std::collections::BTreeMap;

use review_text::Vector;

/// Returns the entry that is most similar to all others and its mean similarity to them;
/// the earliest in case of a tie, and 1 for a single text.
pub(crate) fn medoid<T: Clone + Ord>(texts: &[Vector<T>]) -> Option<(usize, f32)> {
    let mut sum: BTreeMap<T, f32> = BTreeMap::new();
    for (term, weight) in texts.iter().flat_map(Vector::terms) {
        *sum.entry(term.clone()).or_default() += weight;
    }
    let likeness = |text: &Vector<T>| {
        let terms = text.terms().iter();
        terms
            .map(|(term, weight)| weight * sum.get(term).copied().unwrap_or_default())
            .sum::<f32>()
    };
    let mut most: Option<(usize, f32)> = None;
    for (at, likeness) in texts.iter().map(likeness).enumerate() {
        // Sums of the same numbers in another order differ slightly.
        if most.is_none_or(|(_, most)| likeness > most + 1e-4) {
            most = Some((at, likeness));
        }
    }
    let others = texts.len().saturating_sub(1) as f32;
    most.map(|(at, likeness)| {
        let own = texts[at].similarity(&texts[at]);
        let mean = if others > 0.0 {
            (likeness - own) / others
        } else {
            own
        };
        (at, mean)
    })
}

#[cfg(test)]
mod tests {
    use review_text::{Fingerprint, Lexicon};

    use super::*;

    #[test]
    fn the_medoid_is_the_most_similar_to_all_others() {
        let of = |texts: &[&str]| {
            let texts = texts
                .iter()
                .map(|text| Fingerprint::of(text, Lexicon::embedded()));
            medoid(&texts.collect::<Vec<_>>())
        };
        let (at, mean) = of(&["zebra", "walrus", "zebra walrus", "otter"]).unwrap();
        assert_eq!(at, 2);
        // The diagonal of a square, twice, and a right angle.
        assert!((mean - 2.0_f32.sqrt() / 3.0).abs() < 1e-5, "{mean}");
        assert_eq!(of(&["zebra", "zebras"]).map(|(at, _)| at), Some(0));
        let (_, alone) = of(&["zebra"]).unwrap();
        assert!((alone - 1.0).abs() < 1e-5);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["", ""]), Some((0, 0.0)));
    }
}
