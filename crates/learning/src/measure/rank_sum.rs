//! The exact Mann-Whitney test of two unpaired samples of scores.

/// The probability that `new` would rank at least as high above `old` as it
/// does if each score had come from either by chance; 1 when one is empty.
///
/// Exact under ties: midranks, and every way to choose the new scores is
/// counted. Time grows with the fourth power of the number of scores.
pub(super) fn rank_sum(old: &[f64], new: &[f64]) -> f64 {
    if old.is_empty() || new.is_empty() {
        return 1.0;
    }
    let ranks = doubled_midranks(old, new);
    let observed: usize = ranks[old.len()..].iter().sum();
    let most: usize = ranks.iter().sum();
    // ways[count][sum]: choices of so many scores with that sum of ranks.
    let mut ways = vec![vec![0.0; most + 1]; new.len() + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for count in (1..=new.len()).rev() {
            let (fewer, these) = ways.split_at_mut(count);
            let fewer = &fewer[count - 1];
            for (to, from) in these[0][rank..].iter_mut().zip(fewer) {
                *to += from;
            }
        }
    }
    let chosen = &ways[new.len()];
    chosen[observed..].iter().sum::<f64>() / chosen.iter().sum::<f64>()
}

/// Twice the midrank of each score among all, those of `old` first.
fn doubled_midranks(old: &[f64], new: &[f64]) -> Vec<usize> {
    let scores: Vec<f64> = old.iter().chain(new).copied().collect();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|left, right| scores[*left].total_cmp(&scores[*right]));
    let mut ranks = vec![0; scores.len()];
    let mut from = 0;
    for tied in order.chunk_by(|left, right| scores[*left] == scores[*right]) {
        for at in tied {
            ranks[*at] = 2 * from + tied.len() + 1;
        }
        from += tied.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_of_the_new_scores_is_counted() {
        for (old, new, expected) in [
            (&[1.0, 2.0] as &[f64], &[3.0, 4.0] as &[f64], 1.0 / 6.0),
            (&[3.0, 4.0], &[1.0, 2.0], 1.0),
            (&[1.0, 3.0], &[2.0, 4.0], 2.0 / 6.0),
            (&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 1.0 / 20.0),
            (&[50.0, 50.0], &[50.0, 50.0], 1.0),
            (&[50.0, 50.0], &[50.0, 60.0], 0.5),
            (&[50.0], &[60.0], 0.5),
            (&[], &[1.0], 1.0),
            (&[1.0], &[], 1.0),
        ] {
            let p = rank_sum(old, new);
            assert!((p - expected).abs() < 1e-12, "{old:?} {new:?} {p}");
        }
    }

    #[test]
    fn tied_scores_share_their_ranks() {
        assert_eq!(
            doubled_midranks(&[10.0, 30.0, 10.0], &[20.0, 10.0]),
            [4, 10, 4, 8, 4]
        );
    }

    #[test]
    fn twenty_scores_each_are_counted_exactly() {
        let old = [1.0; 20];
        let new = [2.0; 20];
        let choices = 137_846_528_820.0;
        assert!((rank_sum(&old, &new) * choices - 1.0).abs() < 1e-9);
    }
}
