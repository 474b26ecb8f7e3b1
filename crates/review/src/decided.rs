//! The decision of an applier on each item: stated in its report, or else
//! inferred from its changes.

use std::collections::{BTreeMap, BTreeSet};

use review_schema::{ReportedDecisions, UnreadableDecision, read_decisions};
use review_types::{Decision, DecisionStatus, FeedbackId, FeedbackItems, TakenDecision};

use crate::ledger::{FileSections, is_changed};

/// The decisions on items that a report states.
#[derive(Clone, Debug)]
pub(crate) struct StatedDecisions {
    by_id: BTreeMap<FeedbackId, TakenDecision>,
    /// The decisions that cannot be read, in the order of the report.
    pub(crate) unreadable: Vec<UnreadableDecision>,
}

impl StatedDecisions {
    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Returns what may be the decision on an item and cannot be read.
    fn unread(&self, id: &FeedbackId) -> Option<&str> {
        let mut unreadable = self.unreadable.iter();
        let may_be = |one: &&UnreadableDecision| one.id.as_ref().is_none_or(|said| said == id);
        unreadable.find(may_be).map(|one| &*one.message)
    }
}

/// Returns the decisions on `items` that a report states. Ids are compared without their
/// case; a rejection of any other id cannot be read, where an item has no decision.
pub(crate) fn stated(items: &FeedbackItems, report: &[u8]) -> StatedDecisions {
    let asked: BTreeSet<_> = items.iter().map(|(id, _)| id).collect();
    let meant = |said: &FeedbackId| {
        let is_meant = |id: &&&FeedbackId| id.as_str().eq_ignore_ascii_case(said.as_str().trim());
        let mut found = asked.iter().filter(is_meant);
        let one = found.next().filter(|_| found.next().is_none());
        asked.get(said).or(one).copied()
    };
    let ReportedDecisions {
        stated,
        unreadable,
        rest,
    } = read_decisions(report);
    let mut by_id = BTreeMap::new();
    let mut unreadable: Vec<_> = unreadable
        .into_iter()
        .map(|one| UnreadableDecision {
            id: one.id.as_ref().and_then(meant).cloned(),
            ..one
        })
        .collect();
    for taken in stated {
        match meant(taken.decision.id()) {
            Some(id) => {
                by_id.insert(id.clone(), taken.on(id.clone()));
            }
            None if taken.decision.status() == DecisionStatus::Rejected => {
                unreadable.push(UnreadableDecision {
                    message: format!("names {}, which is the id of no item", taken.decision.id()),
                    id: None,
                });
            }
            None => {}
        }
    }
    unreadable.retain(|one| match &one.id {
        Some(id) => !by_id.contains_key(id),
        None => by_id.len() < asked.len(),
    });
    let rest = rest.to_ascii_lowercase();
    let is_left = |id: &&&FeedbackId| !by_id.contains_key(**id);
    let mentioned = asked
        .iter()
        .filter(is_left)
        .filter(|id| mentions(&rest, id));
    let in_other_form = mentioned.map(|id| UnreadableDecision {
        id: Some((*id).clone()),
        message: "is in no form that is read".to_owned(),
    });
    unreadable.extend(in_other_form.collect::<Vec<_>>());
    StatedDecisions { by_id, unreadable }
}

/// Words of decisions; an id that is a plain word stands for an item beside one of them
/// alone.
const DECIDING: [&str; 3] = ["accept", "reject", "partial"];

/// Returns whether a report in lower case names an item.
fn mentions(report: &str, id: &FeedbackId) -> bool {
    let id = id.as_str().trim().to_ascii_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let names = |text: &str| {
        text.match_indices(&*id).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + id.len()..]);
            !before.ends_with(is_part) && !after.starts_with(is_part)
        })
    };
    if id.contains(|c: char| !c.is_alphabetic()) {
        return names(report);
    }
    let mut lines = report.lines().peekable();
    while let Some(line) = lines.next() {
        let decides = |line: &str| DECIDING.iter().any(|word| line.contains(word));
        let next = lines.peek().is_some_and(|next| decides(next));
        if names(line) && (decides(line) || next) {
            return true;
        }
    }
    false
}

/// Returns a decision on each item: the stated one, or else one inferred from the
/// files before and after, if there are any. An item counts as implemented when anything at
/// its place changed; in part, when a decision on it cannot be read.
pub(crate) fn decisions(
    items: &FeedbackItems,
    mut stated: StatedDecisions,
    files: Option<[&[FileSections]; 2]>,
) -> Vec<TakenDecision> {
    let taken = items.iter().filter_map(|(id, item)| {
        if let Some(taken) = stated.by_id.remove(id) {
            return Some(taken);
        }
        let is_changed = is_changed(item.section(), files?);
        let id = id.clone();
        Some(TakenDecision::inferred(match stated.unread(&id) {
            Some(message) => Decision::unreadable(id, is_changed, message),
            None if is_changed => Decision::accepted(id),
            None => Decision::no_edit(id),
        }))
    });
    taken.collect()
}

#[cfg(test)]
mod tests {
    use review_types::{FeedbackItem, ReasonCode};

    use super::*;

    fn file(path: &str, text: &str) -> FileSections {
        crate::ledger::test_file(path, text)
    }

    fn items(sections: &[&str]) -> FeedbackItems {
        let item = |section: &&str| FeedbackItem::new(*section, "a", "b").unwrap();
        FeedbackItems::numbered(sections.iter().map(item).collect())
    }

    #[test]
    fn stated_decisions_take_precedence_over_inferred_ones() {
        let items = items(&["Goals", "Limits", "Goals"]);
        let report = br#"{"items": [
            {"id": "goals-01", "status": "partial", "explanation": "half"},
            {"id": "other-09", "status": "accepted"},
            {"id": "limits-02", "status": "later"}]}"#;
        let stated = stated(&items, report);
        assert_eq!(stated.len(), 1);
        let before = [file("a", "# Goals\n1\n# Limits\n2\n")];
        let after = [file("a", "# Goals\n2\n# Limits\n2\n")];
        let alone = decisions(&items, stated.clone(), None);
        assert_eq!(alone.len(), 1);
        assert!(!alone[0].inferred);
        let taken = decisions(&items, stated, Some([&before, &after]));
        let found: Vec<_> = taken
            .iter()
            .map(|taken| {
                (
                    taken.decision.id().as_str(),
                    taken.decision.status(),
                    taken.decision.reason_code().map(|code| code.as_str()),
                    taken.inferred,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("goals-01", DecisionStatus::Partial, None, false),
                (
                    "limits-02",
                    DecisionStatus::Rejected,
                    Some("unreadable"),
                    true
                ),
                ("goals-03", DecisionStatus::Accepted, None, true),
            ]
        );
    }

    #[test]
    fn a_rejection_is_read_or_goes_back_in_whatever_form_it_is() {
        use DecisionStatus::Rejected;
        let items = items(&["Goals"]);
        let before = [file("a", "# Goals\n1\n")];
        let after = [file("a", "# Goals\n2\n")];
        let one = r#"{"id": "goals-01", "status": "rejected", "explanation": "no"}"#;
        let named = format!(r#"{{"applied_feedback": {{"items": [{one}]}}}}"#);
        let edits = r#"{"edits": [{"path": "goals-01", "content": "goals-01"}]}"#;
        for (form, report, status) in [
            ("object", named.clone(), Some(Rejected)),
            (
                "in a fence",
                format!("```json\n{named}\n```"),
                Some(Rejected),
            ),
            ("in prose", format!("Done. {named} Bye."), Some(Rejected)),
            ("list", format!("[{one}]"), Some(Rejected)),
            ("lines", format!("{one}\n"), Some(Rejected)),
            (
                "map",
                r#"{"applied_feedback": {"goals-01": "rejected"}}"#.to_owned(),
                Some(Rejected),
            ),
            (
                "loose JSON",
                "{applied_feedback: [{'id': 'goals-01', 'status': 'Rejected',}]}".to_owned(),
                Some(Rejected),
            ),
            ("beside edits", format!("{edits} {one}"), Some(Rejected)),
            ("cut", named[..named.len() - 9].to_owned(), None),
            (
                "YAML",
                "applied_feedback:\n- id: goals-01\n  status: rejected\n".to_owned(),
                None,
            ),
            (
                "YAML without its root",
                "- id: goals-01\n  status: rejected\n".to_owned(),
                None,
            ),
            ("line", "goals-01: rejected (later)".to_owned(), None),
            ("prose", "I left GOALS-01 as it is.".to_owned(), None),
            ("item", "- **goals-01**: rejected, later".to_owned(), None),
            ("table", "| goals-01 | rejected | later |".to_owned(), None),
            (
                "XML",
                "<item id=\"goals-01\"><status>rejected</status></item>".to_owned(),
                None,
            ),
            ("another root", format!(r#"{{"decisions": [{one}]}}"#), None),
        ] {
            let stated = stated(&items, report.as_bytes());
            assert_eq!(stated.unreadable.is_empty(), status.is_some(), "{form}");
            let taken = decisions(&items, stated, Some([&before, &after]));
            let is_unreadable = taken[0].decision.reason_code() == Some(&ReasonCode::unreadable());
            let expected = status.unwrap_or(DecisionStatus::Partial);
            let found = (taken[0].decision.status(), is_unreadable);
            assert_eq!(found, (expected, status.is_none()), "{form}");
        }
        for silent in ["Done.", edits, "goals-011 and my-goals-01 are other ids"] {
            let stated = stated(&items, silent.as_bytes());
            assert_eq!(stated.unreadable, [], "{silent}");
        }
    }

    #[test]
    fn an_id_that_is_a_plain_word_stands_for_an_item_beside_a_decision() {
        let id = FeedbackId::new("rota").unwrap();
        for (report, is_mentioned) in [
            ("the rota is written down", false),
            ("rota: rejected", true),
            ("id: rota\nstatus: partial", true),
            ("rota\nand more\nrejected", false),
            ("rotation: rejected", false),
        ] {
            assert_eq!(mentions(report, &id), is_mentioned, "{report}");
        }
    }

    #[test]
    fn a_decision_is_on_the_item_with_its_id_in_any_case_or_on_none() {
        let items = items(&["Goals", "Limits"]);
        let read = |ids: [&str; 2]| {
            let reject = |id| format!(r#"{{"id": "{id}", "status": "rejected"}}"#);
            let [first, second] = ids.map(reject);
            stated(&items, format!("[{first}, {second}]").as_bytes())
        };
        let all = read(["Goals-01", "LIMITS-02"]);
        assert_eq!((all.len(), all.unreadable.len()), (2, 0));
        let one = read(["goals-01", "limits-01"]);
        assert_eq!(one.len(), 1);
        let message = "names limits-01, which is the id of no item";
        assert_eq!(one.unreadable[0].message, message);
        // With a decision on each item, another one changes nothing.
        let report = r#"[{"id": "goals-01", "status": "accepted"},
            {"id": "limits-02", "status": "accepted"}, {"id": "x", "status": "rejected"}]"#;
        assert_eq!(stated(&items, report.as_bytes()).unreadable, []);
    }
}
