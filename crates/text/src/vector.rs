//! Weighted terms and their similarity.

use std::collections::BTreeMap;

/// Terms with their weights, sorted; as a vector it has length 1, or no terms at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector<T>(Vec<(T, f32)>);

impl<T: Ord> Vector<T> {
    /// Normalizes these weights to a vector.
    #[must_use]
    pub(crate) fn new(weights: BTreeMap<T, f32>) -> Self {
        let length = weights.values().map(|weight| weight * weight).sum::<f32>();
        if length <= 0.0 {
            return Self(Vec::new());
        }
        let length = length.sqrt();
        let normed = weights.into_iter().map(|(term, of)| (term, of / length));
        Self(normed.collect())
    }

    /// Returns the cosine of the angle between two vectors: 1 for the same topic, 0
    /// without common terms.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f32 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut product = 0.0;
        while let (Some((a, of_a)), Some((b, of_b))) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => _ = left.next(),
                std::cmp::Ordering::Greater => _ = right.next(),
                std::cmp::Ordering::Equal => {
                    product += of_a * of_b;
                    left.next();
                    right.next();
                }
            }
        }
        product
    }

    /// Returns the terms with their weights, sorted.
    #[must_use]
    pub fn terms(&self) -> &[(T, f32)] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(weights: &[(char, f32)]) -> Vector<char> {
        Vector::new(weights.iter().copied().collect())
    }

    #[test]
    fn a_vector_has_the_length_1() {
        assert_eq!(
            vector(&[('b', 4.0), ('a', 3.0)]).terms(),
            [('a', 0.6), ('b', 0.8)]
        );
        assert_eq!(vector(&[('a', 0.0)]).terms(), []);
        assert_eq!(vector(&[]).terms(), []);
    }

    #[test]
    fn the_cosine_is_that_of_the_common_terms() {
        let left = vector(&[('a', 3.0), ('b', 4.0), ('d', 0.0)]);
        let right = vector(&[('b', 3.0), ('c', 4.0), ('d', 0.0)]);
        assert!((left.similarity(&right) - 0.48).abs() < 1e-6);
        assert!((right.similarity(&left) - 0.48).abs() < 1e-6);
        assert!((left.similarity(&left) - 1.0).abs() < 1e-6);
        assert!(left.similarity(&vector(&[])).abs() < f32::EPSILON);
    }
}
