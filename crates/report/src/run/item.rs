//! An item of feedback with what is known of its finding.

use review_events::FindingsJoined;
use review_types::{
    FeedbackItem, FeedbackItems, Finding, FindingEvidence, FindingId, FindingPlace, plural,
};
use serde::Serialize;

/// An item of feedback with what is known of its finding.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "RaisedItem")]
pub struct ItemReport {
    /// The item, as its reviewer gave it.
    #[serde(flatten)]
    pub item: FeedbackItem,
    /// Its finding; left out where findings are not followed.
    #[serde(flatten)]
    pub raised: Option<RaisedFinding>,
}

/// What is known of the finding of an item, after its round.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RaisedFinding {
    /// The id of the finding.
    pub finding: FindingId,
    /// What shows that it is about the artifact.
    pub evidence: FindingEvidence,
    /// Whether an earlier round raised it.
    pub known: bool,
    /// Its place in the artifact.
    pub place: FindingPlace,
}

impl ItemReport {
    pub(super) fn new(item: &FeedbackItem) -> Self {
        Self {
            item: item.clone(),
            raised: None,
        }
    }
}

/// Takes in the findings of the round of these items, as many as the event holds.
pub(super) fn join(items: &mut [ItemReport], joined: &FindingsJoined) {
    let said = items.iter().map(|item| item.item.clone()).collect();
    let numbered = FeedbackItems::numbered(said);
    for (item, (id, _)) in items.iter_mut().zip(numbered.iter()) {
        let is_raised = |finding: &&Finding| {
            finding.raised.last() == Some(&joined.iteration) && finding.feedback.contains(id)
        };
        let finding = joined.findings.iter().find(is_raised);
        item.raised = finding.map(|finding| RaisedFinding {
            finding: finding.id.clone(),
            evidence: finding.evidence,
            known: finding.raised.len() > 1,
            place: finding.place.clone(),
        });
    }
}

/// Returns items as people read them: those in a row by which a rule says the same of
/// several places are one item.
#[must_use]
pub fn with_places_joined(items: &[FeedbackItem]) -> Vec<FeedbackItem> {
    let alike = items.chunk_by(|one, next| {
        let of = |item| parts(FeedbackItem::issue(item)).map(|(message, _, rule)| (message, rule));
        of(one).is_some() && of(one) == of(next) && one.suggestion() == next.suggestion()
    });
    let items = alike.filter_map(|alike| joined(alike).or_else(|| alike.first().cloned()));
    items.collect()
}

/// One item in place of several that differ in their place.
fn joined(alike: &[FeedbackItem]) -> Option<FeedbackItem> {
    let [first, rest @ ..] = alike else {
        return None;
    };
    let (message, place, rule) = parts(first.issue()).filter(|_| !rest.is_empty())?;
    let section = plural(alike.len(), "place", "places");
    let issue = format!("{message} {place} and {} more [{rule}]", rest.len());
    let joined = FeedbackItem::new(section, issue, first.suggestion()).ok()?;
    Some(match first.severity() {
        Some(severity) => joined.with_severity(severity),
        None => joined,
    })
}

/// The message, the place and the rule of an issue such as `No title. a.md:1 [C1]`, as the
/// embedded rules write it.
pub(super) fn parts(issue: &str) -> Option<(&str, &str, &str)> {
    let (text, rule) = issue.strip_suffix(']')?.rsplit_once(" [")?;
    let (message, place) = text.rsplit_once(' ')?;
    let (_, line) = place.rsplit_once(':')?;
    line.parse::<u32>()
        .is_ok()
        .then_some((message, place, rule))
}

#[cfg(test)]
mod tests {
    use review_types::Severity;

    use super::*;

    fn item(issue: &str) -> FeedbackItem {
        let item = FeedbackItem::new("A", issue, "Fix it.").unwrap();
        item.with_severity(Severity::Critical)
    }

    #[test]
    fn what_a_rule_says_of_several_places_is_one_item() {
        let other = item("No title. a.md:1 [C2]");
        let of_model = item("The goal is missing in a.md:1.");
        let mut items = vec![other.clone(), of_model.clone()];
        items.extend((1..=7).map(|n| item(&format!("No command. {n}.md:{n} [B1]"))));
        items.push(of_model.clone());
        let joined = "No command. 1.md:1 and 6 more [B1]";
        let joined = FeedbackItem::new("7 places", joined, "Fix it.").unwrap();
        let joined = joined.with_severity(Severity::Critical);
        let expected = [other, of_model.clone(), joined, of_model];
        assert_eq!(with_places_joined(&items), expected);
    }
}
