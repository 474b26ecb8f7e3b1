//! The rank of a round.

use std::cmp::Reverse;
use std::fmt;

use review_types::criteria::Criteria;
use review_types::{Score, plural};

use crate::review_loop::ReadReview;

/// The rank of a round; the greater is the better: first a check of the project
/// that did not fail, then fewer blocking findings, then a higher lowest score,
/// then a higher sum. A criterion without a score counts as lower than 0 and adds
/// nothing; the overall score of a document takes the place of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// Whether no check of the project failed.
    passes_check: bool,
    blocking: Reverse<u32>,
    lowest: Option<Score>,
    sum: u32,
    is_overall: bool,
}

impl Rank {
    /// Returns the rank of a round with this number of `blocking` findings. Scores of
    /// other criteria do not count.
    pub(crate) fn of(blocking: u32, read: &ReadReview, criteria: &Criteria) -> Self {
        let scored = || {
            criteria
                .iter()
                .map(|one| read.scores.get(one.name.as_str()))
        };
        let points = |score: Score| u32::from(score.get());
        Self {
            passes_check: read.passes_check(),
            blocking: Reverse(blocking),
            lowest: read.overall.or_else(|| scored().min().flatten()),
            sum: match read.overall {
                Some(overall) => points(overall),
                None => scored().flatten().map(points).sum(),
            },
            is_overall: read.overall.is_some(),
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.passes_check {
            f.write_str("a failing check, ")?;
        }
        let blocking = plural(self.blocking.0 as usize, "open finding", "open findings");
        match self.lowest {
            Some(overall) if self.is_overall => write!(f, "{blocking}, overall score {overall}"),
            Some(lowest) => write!(f, "{blocking}, lowest score {lowest}, sum {}", self.sum),
            None if self.sum == 0 => write!(f, "{blocking}, without scores"),
            None => write!(f, "{blocking}, not all criteria scored, sum {}", self.sum),
        }
    }
}

#[cfg(test)]
mod tests {
    use review_flow::hash_bytes;
    use review_types::{CriterionName, Verdict};

    use super::*;
    use crate::review_loop::CheckResult;

    fn read(values: &[(&str, i64)]) -> ReadReview {
        let score = |(name, value): &(&str, i64)| {
            let name = CriterionName::new(*name).unwrap();
            (name, Score::new(*value).unwrap())
        };
        ReadReview {
            verdict: Verdict::NeedsRevision,
            scores: values.iter().map(score).collect(),
            ..ReadReview::passed(hash_bytes(b"review"))
        }
    }

    fn read_four(values: [i64; 4]) -> ReadReview {
        let names = ["completeness", "consistency", "testability", "architecture"];
        let scores: Vec<_> = names.into_iter().zip(values).collect();
        read(&scores)
    }

    fn ranked(blocking: u32, read: &ReadReview) -> Rank {
        Rank::of(blocking, read, &Criteria::default())
    }

    fn rank(blocking: u32, values: &[(&str, i64)]) -> Rank {
        ranked(blocking, &read(values))
    }

    fn four(blocking: u32, values: [i64; 4]) -> Rank {
        ranked(blocking, &read_four(values))
    }

    #[test]
    fn the_number_of_findings_comes_before_the_lowest_score_and_that_before_the_sum() {
        assert!(four(1, [10; 4]) > four(2, [90; 4]));
        assert!(four(1, [50, 50, 50, 50]) > four(1, [49, 90, 90, 90]));
        assert!(four(1, [50, 50, 50, 51]) > four(1, [50, 50, 50, 50]));
        assert_eq!(four(1, [50, 60, 70, 80]), four(1, [80, 70, 60, 50]));
    }

    #[test]
    fn a_failing_check_comes_before_everything_else() {
        let check = Some(CheckResult {
            passed: false,
            report: hash_bytes(b"report"),
        });
        let failing = |blocking| {
            let read = read_four([100; 4]);
            ranked(blocking, &ReadReview { check, ..read })
        };
        assert!(four(9, [0; 4]) > failing(0));
        assert!(failing(0) > failing(1));
        assert_eq!(
            failing(0).to_string(),
            "a failing check, 0 open findings, lowest score 100, sum 400"
        );
    }

    #[test]
    fn the_overall_score_of_a_document_takes_the_place_of_the_others() {
        let of = |overall| {
            let overall = Some(Score::new(overall).unwrap());
            let read = read_four([50, 90, 90, 90]);
            ranked(1, &ReadReview { overall, ..read })
        };
        assert!(of(45) > of(30));
        assert!(of(90) > four(2, [95; 4]));
        assert_eq!(of(90).to_string(), "1 open finding, overall score 90");
    }

    #[test]
    fn a_missing_score_ranks_below_zero() {
        let missing = rank(0, &[("completeness", 90), ("consistency", 90)]);
        assert!(missing < four(0, [0; 4]));
        assert_eq!(
            missing.to_string(),
            "0 open findings, not all criteria scored, sum 180"
        );
        assert_eq!(rank(2, &[]).to_string(), "2 open findings, without scores");
    }

    #[test]
    fn scores_of_other_criteria_do_not_count() {
        let mut scores = vec![("speed", 1)];
        let names = ["completeness", "consistency", "testability", "architecture"];
        scores.extend(names.map(|name| (name, 80)));
        assert_eq!(rank(1, &scores), four(1, [80; 4]));
        assert_eq!(
            rank(1, &scores).to_string(),
            "1 open finding, lowest score 80, sum 320"
        );
    }
}
