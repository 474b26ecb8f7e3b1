//! The acknowledgement of the decisions on feedback by its provider.

use std::collections::{BTreeMap, BTreeSet};

use review_types::{AckDifference, AppliedFeedback, Decision, FeedbackId, closed_list};
use serde::{Deserialize, Serialize};

closed_list!(
    /// The provider's handling of a decision.
    ProcessingStatus {
        /// It was recorded.
        Acknowledged => "acknowledged",
        /// It refers to feedback that was never given in this session.
        UnknownId => "unknown_id",
    }
);

/// The acknowledgement of one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Acknowledgement {
    /// The id of the feedback.
    pub id: FeedbackId,
    /// The handling of its decision.
    pub processing_status: ProcessingStatus,
}

/// The acknowledgements of one response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AppliedFeedbackAck {
    /// One for each decision, in the order of the request.
    pub items: Vec<Acknowledgement>,
}

impl AppliedFeedbackAck {
    /// Compares the acknowledgements with the decisions.
    #[must_use]
    pub fn compare(&self, applied: &AppliedFeedback) -> AckDifference {
        let acknowledged = &self.items;
        let by_id: BTreeMap<_, _> = acknowledged.iter().map(|ack| (&ack.id, ack)).collect();
        let reported: BTreeSet<_> = applied.items().iter().map(Decision::id).collect();
        let mut difference = AckDifference::default();
        for id in &reported {
            let status = by_id.get(*id).map(|ack| ack.processing_status);
            match status {
                Some(ProcessingStatus::Acknowledged) => {}
                Some(ProcessingStatus::UnknownId) => difference.unknown += 1,
                None => difference.missing += 1,
            }
        }
        let foreign = by_id.keys().filter(|id| !reported.contains(**id)).count();
        difference.foreign = u32::try_from(foreign).unwrap_or(u32::MAX);
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_is_compared_with_the_decisions() {
        let decisions = ["a", "b", "c"].map(|name| {
            let id = FeedbackId::new(name).unwrap();
            Decision::accepted(id)
        });
        let applied = AppliedFeedback::new(decisions.to_vec()).unwrap();
        let ack = |items: &[(&str, ProcessingStatus)]| AppliedFeedbackAck {
            items: items
                .iter()
                .map(|(name, processing_status)| Acknowledgement {
                    id: FeedbackId::new(*name).unwrap(),
                    processing_status: *processing_status,
                })
                .collect(),
        };
        let (known, unknown) = (ProcessingStatus::Acknowledged, ProcessingStatus::UnknownId);
        let difference = |missing, unknown, foreign| AckDifference {
            missing,
            unknown,
            foreign,
        };
        let all = ack(&[("a", known), ("b", known), ("c", known)]);
        let compared = all.compare(&applied);
        assert_eq!(compared, difference(0, 0, 0));
        assert!(compared.is_none());
        let some = ack(&[("x", known), ("b", unknown), ("y", unknown), ("c", known)]);
        let compared = some.compare(&applied);
        assert_eq!(compared, difference(1, 1, 2));
        assert!(!compared.is_none());
        assert_eq!(
            AppliedFeedbackAck::default().compare(&applied),
            difference(3, 0, 0)
        );
        assert!(
            AppliedFeedbackAck::default()
                .compare(&AppliedFeedback::default())
                .is_none()
        );
    }

    #[test]
    fn words_are_read_back() {
        for status in ProcessingStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(*status));
        }
    }
}
