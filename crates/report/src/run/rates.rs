//! The outcome of the feedback of a run, as rates beside their targets.

use review_types::{BlockCode, DecisionStatus, FindingStatus, Verdict};
use serde::Serialize;

use super::report::{IterationReport, RunReport};

/// The outcome of the feedback of a run. A rate is left out where there is
/// nothing to count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FeedbackRates {
    /// Items that the applier took up, at least in part, of those on which it
    /// said what it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    follow_rate: Option<Rate>,
    /// Rounds whose scores are higher in sum than those of the previous round, or that
    /// passed without scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    improvement_rate: Option<Rate>,
    /// Findings that were raised again after they were fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat_rate: Option<Rate>,
    /// Rounds that left the decision to a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    escalation_rate: Option<Rate>,
    /// Findings that the reviewer did not have to reword, and on which reviewer and
    /// applier do not disagree.
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback_clarity_score: Option<Rate>,
}

/// A share with what is aimed at.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub(super) struct Rate {
    /// How many.
    count: usize,
    /// Of how many.
    of: usize,
    /// The share, from 0 to 1.
    value: f64,
    /// What is aimed at; absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
}

/// What is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Target {
    /// More than this share.
    Above(f64),
    /// Less than this share.
    Below(f64),
}

impl Target {
    fn words(self) -> String {
        match self {
            Self::Above(share) => format!("> {:.0} %", share * 100.0),
            Self::Below(share) => format!("< {:.0} %", share * 100.0),
        }
    }
}

impl Rate {
    #[expect(
        clippy::cast_precision_loss,
        reason = "no count has as many digits as a float"
    )]
    fn new(count: usize, of: usize, target: Option<Target>) -> Option<Self> {
        (of > 0).then(|| Self {
            count,
            of,
            value: count as f64 / of as f64,
            target,
        })
    }

    fn words(&self, name: &str) -> String {
        let Self {
            count, of, value, ..
        } = self;
        let target = self.target.map_or_else(String::new, |target| {
            format!(" (target {})", target.words())
        });
        format!("{name} {:.0} %, {count} of {of}{target}", value * 100.0)
    }
}

impl FeedbackRates {
    /// The rates of a run; `None` for one without a round.
    #[must_use]
    pub fn of(report: &RunReport) -> Option<Self> {
        if report.iterations.is_empty() {
            return None;
        }
        let rounds = &report.iterations;
        let (followed, decided) = followed(rounds);
        let better = rounds
            .windows(2)
            .filter(|pair| is_better(&pair[0], &pair[1]));
        let findings = report.ledger.len();
        let repeated = report.ledger.iter().filter(|finding| finding.repeats > 0);
        let disputed = report
            .ledger
            .iter()
            .filter(|finding| finding.status == FindingStatus::Disputed)
            .count();
        let sent_back: usize = rounds.iter().map(|round| round.sent_back).sum();
        let unclear = (disputed + sent_back).min(findings);
        let escalated = matches!(
            report.block_code,
            Some(BlockCode::Escalated | BlockCode::Disputed)
        );
        Some(Self {
            follow_rate: Rate::new(followed, decided, Some(Target::Above(0.9))),
            improvement_rate: Rate::new(better.count(), rounds.len() - 1, Some(Target::Above(0.8))),
            repeat_rate: Rate::new(repeated.count(), findings, Some(Target::Below(0.1))),
            escalation_rate: Rate::new(
                usize::from(escalated),
                rounds.len(),
                Some(Target::Below(0.05)),
            ),
            feedback_clarity_score: Rate::new(findings - unclear, findings, None),
        })
    }

    /// The rates for people, one a line.
    pub(super) fn lines(&self) -> Vec<String> {
        let rates = [
            ("followed", &self.follow_rate),
            ("improved", &self.improvement_rate),
            ("raised again after a fix", &self.repeat_rate),
            ("escalated", &self.escalation_rate),
            ("clear", &self.feedback_clarity_score),
        ];
        let known = rates.into_iter();
        let known = known.filter_map(|(name, rate)| Some(rate.as_ref()?.words(name)));
        known.collect()
    }
}

/// Whether a round is better than the previous one: by its scores, or by its verdict where
/// one of them has no scores.
fn is_better(before: &IterationReport, round: &IterationReport) -> bool {
    match (score(before), score(round)) {
        (Some(before), Some(score)) => score > before,
        _ => before.verdict != Verdict::Pass && round.verdict == Verdict::Pass,
    }
}

/// The overall score of a round, else the mean of its scores.
fn score(round: &IterationReport) -> Option<f64> {
    let scores = round.score.iter();
    let sum: u32 = scores.map(|(_, score)| u32::from(score.get())).sum();
    let count = u32::try_from(round.score.len()).ok();
    let count = count.filter(|count| *count > 0);
    let mean = count.map(|count| f64::from(sum) / f64::from(count) / 100.0);
    round.overall.or(mean)
}

/// Items that were taken up, of those that were decided on and not inferred.
fn followed(rounds: &[IterationReport]) -> (usize, usize) {
    let items = rounds.iter().flat_map(|round| &round.decisions);
    let decisions = items.filter_map(|item| item.decision.as_ref());
    let stated: Vec<_> = decisions
        .filter(|taken| !taken.inferred)
        .map(|taken| taken.decision.status())
        .collect();
    let followed = stated.iter().filter(|status| match status {
        DecisionStatus::Accepted | DecisionStatus::Partial => true,
        DecisionStatus::Rejected => false,
    });
    (followed.count(), stated.len())
}

#[cfg(test)]
pub(super) mod tests {
    use review_types::{
        CriterionName, Decision, FeedbackId, FeedbackItem, Finding, FindingEvidence, FindingId,
        FindingPlace, PastItem, Score, Severity, TakenDecision, Timestamp, Verdict,
    };
    use serde_json::json;

    use super::super::report::RunRequest;
    use super::*;

    fn round(score: i64, decisions: &[(DecisionStatus, bool)]) -> IterationReport {
        let name = CriterionName::new("completeness").unwrap();
        let decision = |(status, inferred): &(DecisionStatus, bool)| PastItem {
            item: FeedbackItem::new("Goal", "open", "close").unwrap(),
            decision: Some(TakenDecision {
                decision: Decision::new(
                    FeedbackId::new("goal-01").unwrap(),
                    *status,
                    None,
                    Some("so".to_owned()),
                )
                .unwrap(),
                inferred: *inferred,
                written_code: None,
            }),
        };
        IterationReport {
            iteration: 1,
            reviewer: "claude".to_owned(),
            verdict: Verdict::NeedsRevision,
            overall: None,
            score: [(name, Score::new(score).unwrap())].into_iter().collect(),
            deductions: Vec::new(),
            feedback: Vec::new(),
            below_fail_level: 0,
            left_unread: None,
            vague: Vec::new(),
            sent_back: 0,
            decisions: decisions.iter().map(decision).collect(),
            check: None,
            timestamp: Timestamp::UNIX_EPOCH,
        }
    }

    pub(in crate::run) fn finding(status: FindingStatus, repeats: u32) -> Finding {
        Finding {
            id: FindingId::new("f-0123456789ab").unwrap(),
            similar_to: None,
            status,
            out_of_scope: false,
            below_fail_level: false,
            evidence: FindingEvidence::default(),
            quote: None,
            changed_at_place: None,
            section: String::new(),
            place: FindingPlace::default(),
            issue: String::new(),
            suggestion: String::new(),
            severity: Severity::Major,
            raised: vec![1],
            repeats,
            feedback: Vec::new(),
            history: Vec::new(),
        }
    }

    fn report() -> RunReport {
        use DecisionStatus::{Accepted, Partial, Rejected};
        let mut report = RunReport::new(RunRequest::default());
        report.iterations = vec![
            round(50, &[(Accepted, false), (Rejected, true)]),
            round(60, &[(Partial, false), (Rejected, false)]),
            round(60, &[]),
        ];
        report.ledger = vec![
            finding(FindingStatus::Fixed, 1),
            finding(FindingStatus::Disputed, 0),
            finding(FindingStatus::Open, 0),
            finding(FindingStatus::Waived, 0),
        ];
        report
    }

    #[test]
    fn a_round_is_better_by_its_overall_score_where_it_has_one() {
        let of = |overall| IterationReport {
            overall,
            ..round(50, &[])
        };
        for (before, after, better) in [
            (Some(0.3), Some(0.45), true),
            (Some(0.5), Some(0.45), false),
            (None, Some(0.6), true),
            (None, None, false),
        ] {
            assert_eq!(is_better(&of(before), &of(after)), better);
        }
    }

    #[test]
    fn rates_are_counted_and_held_against_their_targets() {
        let mut report = report();
        let lines = |report: &RunReport| FeedbackRates::of(report).unwrap().lines();
        assert_eq!(
            lines(&report),
            [
                "followed 67 %, 2 of 3 (target > 90 %)",
                "improved 50 %, 1 of 2 (target > 80 %)",
                "raised again after a fix 25 %, 1 of 4 (target < 10 %)",
                "escalated 0 %, 0 of 3 (target < 5 %)",
                "clear 75 %, 3 of 4",
            ]
        );
        for code in [BlockCode::Disputed, BlockCode::Escalated] {
            report.block_code = Some(code);
            let expected = "escalated 33 %, 1 of 3 (target < 5 %)";
            assert_eq!(lines(&report)[3], expected);
        }
        let json = serde_json::to_value(FeedbackRates::of(&report)).unwrap();
        let expected = json!({"count": 1, "of": 2, "value": 0.5, "target": {"above": 0.8}});
        assert_eq!(json["improvement_rate"], expected);
        let expected = json!({"count": 3, "of": 4, "value": 0.75});
        assert_eq!(json["feedback_clarity_score"], expected);
    }

    #[test]
    fn where_nothing_is_counted_there_is_no_rate() {
        let mut report = report();
        report.iterations.truncate(1);
        report.iterations[0].decisions.clear();
        report.ledger.clear();
        let lines = FeedbackRates::of(&report).unwrap().lines();
        assert_eq!(lines, ["escalated 0 %, 0 of 1 (target < 5 %)"]);
        report.iterations.clear();
        assert_eq!(FeedbackRates::of(&report), None);
    }
}
