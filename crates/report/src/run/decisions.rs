//! What an applier decided, for people.

use review_events::FeedbackDecided;
use review_types::{AckDifference, DecisionStatus, PastItem, TakenDecision, plural};

use crate::style::{FAINT, RESET, STRONG, WARNING};
use crate::text::printable;

/// The counts in one line, and one line for each item that was not implemented
/// as recommended.
pub(super) fn render_decisions(decided: &FeedbackDecided) -> String {
    let counts = &decided.counts;
    let unchanged = decided.feedback.iter().filter(|past| is_unchanged(past));
    let unchanged = u32::try_from(unchanged.count()).unwrap_or(u32::MAX);
    let kinds = [
        (counts.accepted, DecisionStatus::Accepted.as_str()),
        (counts.partial, DecisionStatus::Partial.as_str()),
        (
            counts.rejected.saturating_sub(unchanged),
            DecisionStatus::Rejected.as_str(),
        ),
        (unchanged, "unchanged (reported as rejected)"),
    ];
    let kinds = kinds.iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<_> = kinds
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    let all = counts.accepted + counts.partial + counts.rejected;
    let inferred = match counts.inferred {
        0 => String::new(),
        count if count == all => ", inferred from the changes".to_owned(),
        count => format!(", {count} of them inferred from the changes"),
    };
    let mut text = format!("  {FAINT}{}{inferred}{RESET}\n", kinds.join(", "));
    for line in decided.feedback.iter().filter_map(other_decision) {
        text.push_str(&line);
    }
    text
}

/// Whether an item was left as it is without a word of the applier.
fn is_unchanged(past: &PastItem) -> bool {
    let taken = past.decision.as_ref().filter(|taken| taken.inferred);
    taken.is_some_and(|taken| taken.decision.status() == DecisionStatus::Rejected)
}

/// The decisions that a reviewer did not acknowledge, and those it acknowledged
/// in addition.
pub(super) fn render_unacknowledged(difference: &AckDifference) -> String {
    let lines = [
        (difference.missing, "did not acknowledge", ""),
        (difference.unknown, "knows no feedback for", ""),
        (difference.foreign, "acknowledged", " not in the request"),
    ];
    let shown = lines.iter().filter(|(count, ..)| *count > 0);
    let lines = shown.map(|(count, did, which)| {
        let decisions = plural(*count as usize, "decision", "decisions");
        format!("  {WARNING}warning{RESET}: the reviewer {did} {decisions}{which}\n")
    });
    lines.collect()
}

/// The line of an item that was decided against, at least in part, and not by
/// inference.
fn other_decision(past: &PastItem) -> Option<String> {
    let taken = past.decision.as_ref().filter(|taken| !taken.inferred)?;
    let status = taken.decision.status();
    (status != DecisionStatus::Accepted).then(|| {
        format!(
            "    {WARNING}{status}{RESET} {STRONG}{}{RESET}{}\n",
            printable(past.item.section()).trim(),
            reason(taken)
        )
    })
}

/// The reason of a decision after a colon; empty without one.
pub(crate) fn reason(taken: &TakenDecision) -> String {
    let decision = &taken.decision;
    let code = decision
        .reason_code()
        .map(|code| match &taken.written_code {
            Some(written) => format!("{code} (written as \"{}\")", printable(written)),
            None => code.to_string(),
        });
    let words = decision
        .explanation()
        .map(|text| printable(text).into_owned());
    let reasons: Vec<_> = [code, words].into_iter().flatten().collect();
    let reasons = reasons.join(": ").replace('\n', " ");
    if reasons.is_empty() {
        reasons
    } else {
        format!(": {}", reasons.trim())
    }
}

#[cfg(test)]
mod tests {
    use review_types::{Decision, DecisionCounts, FeedbackId, FeedbackItem, ReasonCode};

    use super::*;

    fn past(status: DecisionStatus, explanation: &str, inferred: bool) -> PastItem {
        let code = (status == DecisionStatus::Rejected).then(ReasonCode::no_edit);
        let decision = Decision::new(
            FeedbackId::new("goals-01").unwrap(),
            status,
            code,
            Some(explanation.to_owned()),
        );
        PastItem {
            item: FeedbackItem::new("Goals", "a", "b").unwrap(),
            decision: Some(TakenDecision {
                decision: decision.unwrap(),
                inferred,
                written_code: None,
            }),
        }
    }

    fn rendered(counts: [u32; 4], feedback: Vec<PastItem>) -> String {
        let [accepted, partial, rejected, inferred] = counts;
        plain(&render_decisions(&FeedbackDecided {
            iteration: 1,
            counts: DecisionCounts {
                accepted,
                partial,
                rejected,
                inferred,
            },
            feedback,
            truncated: false,
        }))
    }

    fn plain(text: &str) -> String {
        let styles = [WARNING, FAINT, STRONG].map(|style| style.to_string());
        let plain = text.replace(&RESET.to_string(), "");
        styles
            .iter()
            .fold(plain, |text, style| text.replace(style, ""))
    }

    #[test]
    fn decisions_are_counted_by_kind() {
        for (counts, line) in [
            ([2, 1, 1, 0], "  2 accepted, 1 partial, 1 rejected\n"),
            (
                [2, 0, 1, 1],
                "  2 accepted, 1 rejected, 1 of them inferred from the changes\n",
            ),
            ([1, 0, 0, 1], "  1 accepted, inferred from the changes\n"),
        ] {
            assert_eq!(rendered(counts, Vec::new()), line);
        }
        let left = || past(DecisionStatus::Rejected, "", true);
        assert_eq!(
            rendered([0, 0, 2, 2], vec![left(), left()]),
            "  2 unchanged (reported as rejected), inferred from the changes\n"
        );
    }

    #[test]
    fn a_difference_in_acknowledgements_is_shown_by_its_parts() {
        let shown = |missing, unknown, foreign| {
            plain(&render_unacknowledged(&AckDifference {
                missing,
                unknown,
                foreign,
            }))
        };
        assert_eq!(
            shown(1, 2, 3),
            "  warning: the reviewer did not acknowledge 1 decision\n  \
             warning: the reviewer knows no feedback for 2 decisions\n  \
             warning: the reviewer acknowledged 3 decisions not in the request\n"
        );
        assert_eq!(shown(0, 0, 0), "");
    }

    #[test]
    fn what_was_decided_against_is_named_with_its_reasons() {
        let items = vec![
            past(DecisionStatus::Accepted, "done", false),
            past(DecisionStatus::Partial, "half\nof it", false),
            past(DecisionStatus::Partial, "", false),
            past(DecisionStatus::Rejected, "why", false),
            past(DecisionStatus::Rejected, "", true),
        ];
        let text = rendered([1, 2, 2, 1], items);
        let (_, lines) = text.split_once('\n').unwrap();
        assert_eq!(
            lines,
            "    partial Goals: half of it\n    partial Goals\n    rejected Goals: no_edit: why\n"
        );
    }
}
