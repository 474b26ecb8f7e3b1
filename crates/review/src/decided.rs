//! The decision of an applier on each item: stated in its report, or else
//! inferred from its changes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use review_schema::{ReportedDecisions, UnreadableDecision, read_decisions};
use review_types::{Decision, DecisionStatus, FeedbackId, FeedbackItems, Lines, TakenDecision};

use crate::artifact::Section;
use crate::hunk::{Hunk, hunks};
use crate::naming::{behind_path, is_named, lines_named, words};

/// The number of items that are looked up by their place. For further ones, any
/// change counts.
const MAX_LOOKED_UP: usize = 256;

/// A file of the artifact before and after an apply.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileVersions {
    pub(crate) path: String,
    /// Empty for a new file.
    pub(crate) old: Vec<u8>,
    /// Empty for a deleted file.
    pub(crate) new: Vec<u8>,
    pub(crate) old_sections: Vec<Section>,
    pub(crate) new_sections: Vec<Section>,
}

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
/// files, if there are any. An item counts as implemented when something at its
/// place changed; in part, when a decision on it cannot be read.
pub(crate) fn decisions(
    items: &FeedbackItems,
    mut stated: StatedDecisions,
    files: Option<&[FileVersions]>,
) -> Vec<TakenDecision> {
    let changes = files.map(Changes::of);
    let mut looked_up = 0;
    let taken = items.iter().filter_map(|(id, item)| {
        if let Some(taken) = stated.by_id.remove(id) {
            return Some(taken);
        }
        looked_up += 1;
        let place = if looked_up <= MAX_LOOKED_UP {
            item.section()
        } else {
            ""
        };
        let is_changed = changes.as_ref()?.meet(place);
        let id = id.clone();
        Some(TakenDecision::inferred(match stated.unread(&id) {
            Some(message) => Decision::unreadable(id, is_changed, message),
            None if is_changed => Decision::accepted(id),
            None => Decision::no_edit(id),
        }))
    });
    taken.collect()
}

/// A named place in one version of a file.
struct Place {
    name: String,
    changed: bool,
}

/// Returns the sections of one version as places; `stretches` of it changed, in order.
fn places(sections: &[Section], stretches: &[Range<usize>]) -> Vec<Place> {
    let named = sections.iter().filter_map(|section| {
        let name = words(section.headings.last()?);
        let Range { start, end } = section.span;
        let first = stretches.partition_point(|stretch| stretch.end <= start);
        let changed = stretches.get(first);
        (name != " ").then(|| Place {
            name,
            changed: changed.is_some_and(|stretch| stretch.start < end),
        })
    });
    named.collect()
}

/// The changes of an apply in one file.
struct Change<'f> {
    path: &'f str,
    /// The start of each line of the old content, and its end.
    old_lines: Vec<usize>,
    hunks: Vec<Hunk>,
    /// The places of both versions.
    places: Vec<Place>,
}

/// The changes of an apply.
struct Changes<'f>(Vec<Change<'f>>);

impl<'f> Changes<'f> {
    fn of(files: &'f [FileVersions]) -> Self {
        Self(files.iter().map(Change::of).collect())
    }

    /// Returns whether anything changed at the place that `named` refers to: a line
    /// of a file, sections by their headings, a file, or the whole artifact when it
    /// refers to nothing known.
    fn meet(&self, named: &str) -> bool {
        let is_named_file = |file: &&Change<'_>| behind_path(named, file.path).is_some();
        let files: Vec<_> = self.0.iter().filter(is_named_file).collect();
        let lines = files
            .iter()
            .find_map(|file| Some((file, lines_named(named, file.path)?)));
        if let Some((file, lines)) = lines {
            return file.changed_lines(lines);
        }
        let files = if files.is_empty() {
            self.0.iter().collect()
        } else {
            files
        };
        let words = words(named);
        let places = files.iter().flat_map(|file| &file.places);
        let mut named = places
            .filter(|place| is_named(&place.name, &words))
            .peekable();
        if named.peek().is_some() {
            named.any(|place| place.changed)
        } else {
            files.iter().any(|file| !file.hunks.is_empty())
        }
    }
}

impl<'f> Change<'f> {
    fn of(file: &'f FileVersions) -> Self {
        let bytes = file.old.iter().enumerate();
        let behind = bytes
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1);
        let hunks = hunks(&file.old, &file.new);
        let stretches = |side: fn(&Hunk) -> &Range<usize>| -> Vec<_> {
            let filled = hunks.iter().map(side).filter(|stretch| !stretch.is_empty());
            filled.cloned().collect()
        };
        let mut all = places(&file.old_sections, &stretches(|hunk| &hunk.old));
        all.extend(places(&file.new_sections, &stretches(|hunk| &hunk.new)));
        Self {
            path: &file.path,
            old_lines: std::iter::once(0)
                .chain(behind)
                .chain([file.old.len()])
                .collect(),
            places: all,
            hunks,
        }
    }

    /// Returns whether any of these lines or their neighbours changed, or anything
    /// in a file that has no such lines.
    fn changed_lines(&self, lines: Lines) -> bool {
        let at = |line: u32| usize::try_from(line).ok();
        let from = at(lines.first).and_then(|first| self.old_lines.get(first.checked_sub(1)?));
        let to = at(lines.first).and_then(|first| self.old_lines.get(first));
        let (Some(start), Some(first_end)) = (from, to) else {
            return !self.hunks.is_empty();
        };
        let last = at(lines.last).and_then(|last| self.old_lines.get(last));
        let end = last.or(self.old_lines.last()).unwrap_or(first_end);
        let meets = |hunk: &Hunk| hunk.old.start <= *end && *start <= hunk.old.end;
        self.hunks.iter().any(meets)
    }
}

#[cfg(test)]
mod tests {
    use review_types::{FeedbackItem, ReasonCode};

    use super::*;

    /// Returns the sections of `text`, whose headings are lines that start with `# `.
    fn sections(text: &str) -> Vec<Section> {
        let starts: Vec<_> = text.match_indices("# ").map(|(at, _)| at).collect();
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        let section = |(start, end): (&usize, usize)| Section {
            headings: vec![text[start + 2..].lines().next().unwrap().to_owned()],
            span: *start..end,
        };
        starts.iter().zip(ends).map(section).collect()
    }

    fn file(path: &str, old: &str, new: &str) -> FileVersions {
        FileVersions {
            path: path.to_owned(),
            old: old.into(),
            new: new.into(),
            old_sections: sections(old),
            new_sections: sections(new),
        }
    }

    fn items(sections: &[&str]) -> FeedbackItems {
        let item = |section: &&str| FeedbackItem::new(*section, "a", "b").unwrap();
        FeedbackItems::numbered(sections.iter().map(item).collect())
    }

    #[test]
    fn an_item_is_accepted_when_its_place_changed() {
        let changed = file(
            "specs/A.md",
            "# Goals\none\n# Limits\ntwo\n# Gone\nsix\n",
            "# Goals\none\n# Limits\nTWO\n# Added\nseven\n",
        );
        let same = file("specs/B.md", "# Tests\nthree\n", "# Tests\nthree\n");
        let changes = [changed, same];
        for (section, met) in [
            ("Goals", false),
            ("Limits", true),
            ("the limits of it", true),
            ("LIMITS", true),
            ("Gone", true),
            ("Added", true),
            ("Tests", false),
            ("specs/A.md § Goals", false),
            ("specs/A.md § Limits", true),
            ("specs/A.md", true),
            ("specs/B.md", false),
            ("specs/A.md:0", true),
            ("specs/A.md:1", false),
            ("specs/A.md:2", false),
            ("specs/A.md:3", true),
            ("specs/A.md:4 is open", true),
            ("specs/A.md:1-2", false),
            ("specs/A.md:1-3", true),
            ("specs/A.md:1-99", true),
            ("specs/B.md:1-99", false),
            ("specs/A.md:99", true),
            ("specs/B.md:1", false),
            ("Everything", true),
            ("§", true),
        ] {
            assert_eq!(Changes::of(&changes).meet(section), met, "{section}");
        }
        let untouched = [changes[1].clone()];
        assert!(!Changes::of(&untouched).meet("Everything"));
        assert!(!Changes::of(&untouched).meet("specs/B.md:99"));
        assert!(!Changes::of(&[]).meet("Everything"));
    }

    #[test]
    fn removed_lines_and_added_lines_count_as_changes() {
        let lost = [file("a", "# X\n1\n# Y\n2\n", "# X\n# Y\n2\n")];
        assert!(Changes::of(&lost).meet("X"));
        assert!(!Changes::of(&lost).meet("Y"));
        let won = [file("a", "# X\n# Y\n2\n", "# X\n1\n# Y\n2\n")];
        assert!(Changes::of(&won).meet("X"));
        assert!(!Changes::of(&won).meet("Y"));
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
        let files = [file(
            "a",
            "# Goals\n1\n# Limits\n2\n",
            "# Goals\n2\n# Limits\n2\n",
        )];
        let alone = decisions(&items, stated.clone(), None);
        assert_eq!(alone.len(), 1);
        assert!(!alone[0].inferred);
        let taken = decisions(&items, stated, Some(&files));
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
        let files = [file("a", "# Goals\n1\n", "# Goals\n2\n")];
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
            let taken = decisions(&items, stated, Some(&files));
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
