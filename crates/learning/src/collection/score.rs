//! How grave a low score is.

use review_types::Score;

use crate::feedback::Severity;

/// The severity of a score that lies below its minimum, by the distance; `None`
/// if it does not.
pub(super) fn severity(score: Score, minimum: Score) -> Option<Severity> {
    let distance = minimum
        .get()
        .checked_sub(score.get())
        .filter(|points| *points > 0)?;
    Some(match distance {
        ..10 => Severity::Low,
        10..25 => Severity::Medium,
        25..50 => Severity::High,
        50.. => Severity::Critical,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_graver_the_further_it_is_below_its_minimum() {
        let score = |value| Score::new(value).unwrap();
        for (value, expected) in [
            (100, None),
            (80, None),
            (79, Some(Severity::Low)),
            (71, Some(Severity::Low)),
            (70, Some(Severity::Medium)),
            (56, Some(Severity::Medium)),
            (55, Some(Severity::High)),
            (31, Some(Severity::High)),
            (30, Some(Severity::Critical)),
            (0, Some(Severity::Critical)),
        ] {
            assert_eq!(severity(score(value), score(80)), expected, "{value}");
        }
    }
}
