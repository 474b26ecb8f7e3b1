//! An applier's decisions on the feedback of a round, and their origin.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AppliedFeedback, Decision, DecisionStatus, FeedbackId, RepeatedId};

/// A decision, and whether the applier stated it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TakenDecision {
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
    /// Whether it was inferred from the applier's changes, because it was not
    /// stated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    /// The reason code as the applier wrote it, where it was normalized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_code: Option<String>,
}

impl TakenDecision {
    /// A decision that the applier stated.
    #[must_use]
    pub fn stated(decision: Decision) -> Self {
        Self {
            decision,
            inferred: false,
            written_code: None,
        }
    }

    /// Returns the same decision on other feedback.
    #[must_use]
    pub fn on(self, id: FeedbackId) -> Self {
        Self {
            decision: self.decision.on(id),
            ..self
        }
    }

    /// A decision that was inferred from the applier's changes.
    #[must_use]
    pub fn inferred(decision: Decision) -> Self {
        Self {
            inferred: true,
            ..Self::stated(decision)
        }
    }
}

/// The decisions on the feedback of one round, each id at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<TakenDecision>", into = "Vec<TakenDecision>")]
pub struct Decisions(Vec<TakenDecision>);

/// The number of decisions of each kind.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct DecisionCounts {
    /// Items that were implemented.
    pub accepted: u32,
    /// Items that were partly implemented, or in another way.
    pub partial: u32,
    /// Items that were not implemented.
    pub rejected: u32,
    /// The number of these that were inferred.
    pub inferred: u32,
}

impl DecisionCounts {
    /// Returns whether there are decisions, and all of them are stated rejections.
    pub const fn are_all_rejected(&self) -> bool {
        self.rejected > 0 && self.accepted == 0 && self.partial == 0 && self.inferred == 0
    }
}

impl Decisions {
    /// Checks that no id has two decisions.
    ///
    /// # Errors
    /// [`RepeatedId`] when one has.
    pub fn new(items: Vec<TakenDecision>) -> Result<Self, RepeatedId> {
        RepeatedId::find(items.iter().map(|item| item.decision.id()))?;
        Ok(Self(items))
    }

    /// Returns the decisions in order.
    pub fn as_slice(&self) -> &[TakenDecision] {
        &self.0
    }

    /// Returns the decision on an item.
    #[must_use]
    pub fn on(&self, id: &FeedbackId) -> Option<&TakenDecision> {
        self.0.iter().find(|item| item.decision.id() == id)
    }

    /// Returns the number of decisions of each kind.
    pub fn counts(&self) -> DecisionCounts {
        let mut counts = DecisionCounts::default();
        for item in &self.0 {
            let count = match item.decision.status() {
                DecisionStatus::Accepted => &mut counts.accepted,
                DecisionStatus::Partial => &mut counts.partial,
                DecisionStatus::Rejected => &mut counts.rejected,
            };
            *count = count.saturating_add(1);
            counts.inferred = counts.inferred.saturating_add(u32::from(item.inferred));
        }
        counts
    }

    /// Returns a decision on each of these ids, in order. Feedback that was not decided
    /// on has the decision from `before`, or else was not implemented.
    #[must_use]
    pub fn reported<'i>(
        &self,
        ids: impl IntoIterator<Item = &'i FeedbackId>,
        before: impl Fn(&FeedbackId) -> Option<Decision>,
    ) -> AppliedFeedback {
        let taken: BTreeMap<_, _> = self
            .0
            .iter()
            .map(|item| (item.decision.id(), &item.decision))
            .collect();
        AppliedFeedback::on(ids, |id| match taken.get(id) {
            Some(decision) => (*decision).clone(),
            None => before(id).unwrap_or_else(|| Decision::no_edit(id.clone())),
        })
    }
}

impl TryFrom<Vec<TakenDecision>> for Decisions {
    type Error = RepeatedId;

    fn try_from(items: Vec<TakenDecision>) -> Result<Self, RepeatedId> {
        Self::new(items)
    }
}

impl From<Decisions> for Vec<TakenDecision> {
    fn from(decisions: Decisions) -> Self {
        decisions.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> FeedbackId {
        FeedbackId::new(text).unwrap()
    }

    fn taken(name: &str, status: DecisionStatus, inferred: bool) -> TakenDecision {
        let why = Some("why".to_owned());
        TakenDecision {
            decision: Decision::new(id(name), status, None, why).unwrap(),
            inferred,
            written_code: None,
        }
    }

    #[test]
    fn decisions_are_counted_by_kind() {
        let decisions = Decisions::new(vec![
            taken("a", DecisionStatus::Accepted, true),
            taken("b", DecisionStatus::Accepted, false),
            taken("c", DecisionStatus::Accepted, false),
            taken("d", DecisionStatus::Partial, false),
            taken("e", DecisionStatus::Partial, false),
            taken("f", DecisionStatus::Rejected, true),
        ]);
        let counts = DecisionCounts {
            accepted: 3,
            partial: 2,
            rejected: 1,
            inferred: 2,
        };
        assert_eq!(decisions.unwrap().counts(), counts);
    }

    #[test]
    fn an_item_has_one_decision() {
        let one = taken("a", DecisionStatus::Accepted, false);
        let decisions = Decisions::new(vec![one.clone()]).unwrap();
        assert_eq!(decisions.on(&id("a")), Some(&one));
        assert_eq!(decisions.on(&id("b")), None);
        assert_eq!(Decisions::new(vec![one.clone(), one]).unwrap_err().index, 1);
    }

    #[test]
    fn a_report_lists_each_id_once_in_order() {
        let decisions = Decisions::new(vec![
            taken("ours-03", DecisionStatus::Accepted, false),
            taken("b", DecisionStatus::Partial, true),
        ]);
        let reported = decisions
            .unwrap()
            .reported(&["a", "b", "a"].map(id), |_| None);
        let partial = taken("b", DecisionStatus::Partial, false).decision;
        assert_eq!(reported.items(), [Decision::no_edit(id("a")), partial]);
        assert_eq!(
            reported.items()[0].reason_code().unwrap().as_str(),
            "no_edit"
        );
    }
}
