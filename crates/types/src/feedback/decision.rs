//! The decisions of an applier on feedback, as they are reported to its reviewer.

use std::collections::BTreeSet;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{FeedbackId, ReasonCode, RepeatedId};
use crate::closed_list;

closed_list!(
    /// The requester's decision on an item of feedback.
    DecisionStatus {
        /// It was implemented as recommended.
        Accepted => "accepted",
        /// It was not implemented.
        Rejected => "rejected",
        /// It was partly implemented, or in another way.
        Partial => "partial",
    }
);

/// A decision without a reason: feedback was rejected without a
/// reason code and without an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a rejected item needs a reason_code or an explanation")]
pub struct Unexplained;

/// The decision on an item of feedback. A rejection has a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Wire")]
pub struct Decision {
    id: FeedbackId,
    status: DecisionStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason_code: Option<ReasonCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Decision", transform = needs_reason)]
struct Wire {
    id: FeedbackId,
    status: DecisionStatus,
    reason_code: Option<ReasonCode>,
    explanation: Option<String>,
}

/// Adds to the schema that a rejection needs a reason.
fn needs_reason(schema: &mut schemars::Schema) {
    let rule = schemars::json_schema!({
        "if": { "properties": { "status": { "const": "rejected" } } },
        "then": {
            "anyOf": [
                {
                    "required": ["reason_code"],
                    "properties": { "reason_code": { "type": "string" } },
                },
                {
                    "required": ["explanation"],
                    "properties": { "explanation": { "type": "string", "pattern": "\\S" } },
                },
            ],
        },
    });
    for (key, value) in rule.as_object().into_iter().flatten() {
        schema.insert(key.clone(), value.clone());
    }
}

impl TryFrom<Wire> for Decision {
    type Error = Unexplained;

    fn try_from(wire: Wire) -> Result<Self, Unexplained> {
        Self::new(wire.id, wire.status, wire.reason_code, wire.explanation)
    }
}

impl Decision {
    /// Builds a decision. A blank explanation counts as none.
    ///
    /// # Errors
    /// [`Unexplained`] when a rejection has neither reason code nor explanation.
    pub fn new(
        id: FeedbackId,
        status: DecisionStatus,
        reason_code: Option<ReasonCode>,
        explanation: Option<String>,
    ) -> Result<Self, Unexplained> {
        let explanation = explanation.filter(|text| !text.trim().is_empty());
        if status == DecisionStatus::Rejected && reason_code.is_none() && explanation.is_none() {
            return Err(Unexplained);
        }
        Ok(Self {
            id,
            status,
            reason_code,
            explanation,
        })
    }

    /// Returns the decision on feedback when nothing at its place changed.
    #[must_use]
    pub fn no_edit(id: FeedbackId) -> Self {
        Self {
            id,
            status: DecisionStatus::Rejected,
            reason_code: Some(ReasonCode::no_edit()),
            explanation: None,
        }
    }

    /// Returns the decision on feedback that was implemented.
    #[must_use]
    pub fn accepted(id: FeedbackId) -> Self {
        Self {
            id,
            status: DecisionStatus::Accepted,
            reason_code: None,
            explanation: None,
        }
    }

    /// Returns the decision on feedback whose stated decision cannot be read, as
    /// `message` says: at best it was implemented in part.
    #[must_use]
    pub fn unreadable(id: FeedbackId, is_changed: bool, message: &str) -> Self {
        let (status, what) = match is_changed {
            true => (DecisionStatus::Partial, "something changed there"),
            false => (DecisionStatus::Rejected, "nothing changed there"),
        };
        Self {
            id,
            status,
            reason_code: Some(ReasonCode::unreadable()),
            explanation: Some(format!("{what}; the decision cannot be read ({message})")),
        }
    }

    /// Returns the same decision on other feedback.
    #[must_use]
    pub fn on(self, id: FeedbackId) -> Self {
        Self { id, ..self }
    }

    /// Returns the id of the feedback.
    pub fn id(&self) -> &FeedbackId {
        &self.id
    }

    /// Returns the decision.
    pub fn status(&self) -> DecisionStatus {
        self.status
    }

    /// Returns why it was not implemented, as a word.
    pub fn reason_code(&self) -> Option<&ReasonCode> {
        self.reason_code.as_ref()
    }

    /// Returns the reason in words.
    pub fn explanation(&self) -> Option<&str> {
        self.explanation.as_deref()
    }

    /// Returns whether it lacks an explanation that the protocol recommends.
    pub fn lacks_explanation(&self) -> bool {
        self.status == DecisionStatus::Partial && self.explanation.is_none()
    }
}

/// The decisions on the feedback of one response, each id at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AppliedFeedback {
    #[serde(deserialize_with = "each_id_once")]
    items: Vec<Decision>,
}

fn each_id_once<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Decision>, D::Error> {
    let items = Vec::deserialize(deserializer)?;
    let applied = AppliedFeedback::new(items).map_err(D::Error::custom)?;
    Ok(applied.items)
}

impl AppliedFeedback {
    /// Checks that no id has two decisions.
    ///
    /// # Errors
    /// [`RepeatedId`] when one has.
    pub fn new(items: Vec<Decision>) -> Result<Self, RepeatedId> {
        RepeatedId::find(items.iter().map(Decision::id))?;
        Ok(Self { items })
    }

    /// Takes one decision for each id, in order; duplicates are skipped.
    pub(super) fn on<'i>(
        ids: impl IntoIterator<Item = &'i FeedbackId>,
        decision: impl Fn(&FeedbackId) -> Decision,
    ) -> Self {
        let mut seen = BTreeSet::new();
        let ids = ids.into_iter().filter(|id| seen.insert(*id));
        Self {
            items: ids.map(decision).collect(),
        }
    }

    /// Returns the decisions in order.
    pub fn items(&self) -> &[Decision] {
        &self.items
    }
}

/// The number of decisions and acknowledgements that do not match.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct AckDifference {
    /// Decisions that were not acknowledged.
    pub missing: u32,
    /// Decisions on feedback that the provider does not know.
    pub unknown: u32,
    /// Acknowledgements without a decision.
    pub foreign: u32,
}

impl AckDifference {
    /// Returns whether everything matches.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> FeedbackId {
        FeedbackId::new("scope-01").unwrap()
    }

    #[test]
    fn a_rejection_has_a_reason() {
        let reject = |code: Option<&str>, text: Option<&str>| {
            let code = code.map(|code| ReasonCode::new(code).unwrap());
            Decision::new(
                id(),
                DecisionStatus::Rejected,
                code,
                text.map(str::to_owned),
            )
        };
        assert_eq!(reject(None, None), Err(Unexplained));
        assert_eq!(reject(None, Some(" \n")), Err(Unexplained));
        assert_eq!(reject(None, Some("no")).unwrap().explanation(), Some("no"));
        let coded = reject(Some("no_edit"), None).unwrap();
        assert_eq!(coded.reason_code().unwrap().as_str(), "no_edit");
    }

    #[test]
    fn only_a_partial_decision_may_lack_a_recommended_explanation() {
        let lacks = |status, text: Option<&str>| {
            let code = ReasonCode::new("a").ok();
            let decision = Decision::new(id(), status, code, text.map(str::to_owned));
            decision.unwrap().lacks_explanation()
        };
        assert!(lacks(DecisionStatus::Partial, None));
        assert!(!lacks(DecisionStatus::Partial, Some("half")));
        assert!(!lacks(DecisionStatus::Accepted, None));
        assert!(!lacks(DecisionStatus::Rejected, None));
    }

    #[test]
    fn an_id_has_one_decision() {
        let decision = Decision::new(id(), DecisionStatus::Accepted, None, None).unwrap();
        let one = AppliedFeedback::new(vec![decision.clone()]).unwrap();
        assert_eq!(one.items(), std::slice::from_ref(&decision));
        let twice = AppliedFeedback::new(vec![decision.clone(), decision]);
        assert_eq!(twice.unwrap_err().index, 1);
    }

    #[test]
    fn words_are_parsed_and_others_are_refused() {
        for status in DecisionStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(*status));
        }
        assert_eq!(
            "Accepted"
                .parse::<DecisionStatus>()
                .unwrap_err()
                .to_string(),
            "must be one of [accepted rejected partial], got: Accepted"
        );
    }
}
