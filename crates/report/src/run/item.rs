//! An item of feedback with what is known of its finding.

use review_events::FindingsJoined;
use review_types::{
    FeedbackItem, FeedbackItems, Finding, FindingEvidence, FindingId, FindingPlace, plural,
};
use serde::Serialize;

/// The most places that an item lists.
const MAX_PLACES: usize = 5;

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

/// Returns items as people read them: those of the embedded rules that say the same of
/// several places are one item, with these places.
#[must_use]
pub fn with_places_joined<'a>(
    items: impl IntoIterator<Item = &'a FeedbackItem>,
) -> Vec<FeedbackItem> {
    let mut alike: Vec<(&FeedbackItem, Vec<&str>)> = Vec::new();
    for item in items {
        let Some((message, place, rule)) = parts(item.issue()) else {
            alike.push((item, Vec::new()));
            continue;
        };
        let is_same = |first: &FeedbackItem| {
            first.suggestion() == item.suggestion()
                && parts(first.issue()).is_some_and(|of| (of.0, of.2) == (message, rule))
        };
        match alike.iter_mut().find(|(first, _)| is_same(first)) {
            Some((_, places)) => places.push(place),
            None => alike.push((item, vec![place])),
        }
    }
    let joined = alike.into_iter().map(|(item, places)| {
        let (Some((message, _, rule)), true) = (parts(item.issue()), places.len() > 1) else {
            return item.clone();
        };
        let listed = places[..places.len().min(MAX_PLACES)].join(", ");
        let more = match places.len().saturating_sub(MAX_PLACES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let section = plural(places.len(), "place", "places");
        let issue = format!("{message} {listed}{more} [{rule}]");
        let joined = FeedbackItem::new(section, issue, item.suggestion());
        joined.map_or_else(
            |_| item.clone(),
            |joined| match item.severity() {
                Some(severity) => joined.with_severity(severity),
                None => joined,
            },
        )
    });
    joined.collect()
}

/// The message, the place and the rule of an issue such as `No title. a.md:1 [C1]`, as the
/// embedded rules write it.
fn parts(issue: &str) -> Option<(&str, &str, &str)> {
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
        let joined = "No command. 1.md:1, 2.md:2, 3.md:3, 4.md:4, 5.md:5 and 2 more [B1]";
        let joined = FeedbackItem::new("7 places", joined, "Fix it.").unwrap();
        let joined = joined.with_severity(Severity::Critical);
        let expected = [other, of_model.clone(), joined, of_model];
        assert_eq!(with_places_joined(&items), expected);
    }
}
