//! The writes of a prompt update or rollback, in order.
//!
//! The write of the active version is decisive: before it the old version is active,
//! after it the new one. Every later write follows from it, so the next command
//! completes the writes after a crash.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use review_types::Timestamp;

use super::{ActiveVersion, ChangeCause, Edit, PromptVersion, SectionError, VersionChange, edit};
use crate::Format;
use crate::lesson::{Lesson, LessonStatus};

/// A file that is written or removed.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A new version file.
    Version(PromptVersion),
    /// The active version.
    Active(ActiveVersion),
    /// A lesson.
    Lesson(Box<Lesson>),
    /// The removal of an old version.
    Remove(NonZeroU32),
}

/// The stored state of an agent's prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptState {
    /// The active version.
    pub current: PromptVersion,
    /// How the active version came into use; `None` if no other one ever was.
    pub active: Option<ActiveVersion>,
    /// The versions that have files.
    pub kept: BTreeSet<NonZeroU32>,
    /// All lessons of the agent.
    pub lessons: Vec<Lesson>,
}

/// Why another version becomes active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The cause.
    pub cause: ChangeCause,
    /// The user who decided; `None` for an automatic change.
    pub by: Option<String>,
    /// The reason, in words.
    pub reason: Option<String>,
}

/// A new version and its writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The version; `None` if the prompt is unchanged.
    pub version: Option<PromptVersion>,
    /// The writes, in order.
    pub writes: Vec<Write>,
}

impl PromptState {
    /// Adds the approved lessons to the prompt and removes the rejected ones; at most
    /// `max` versions are kept. `by` is the approver.
    ///
    /// # Errors
    /// [`SectionError`] if the lessons section was changed manually.
    pub fn update(
        &self,
        by: Option<String>,
        now: Timestamp,
        max: usize,
    ) -> Result<Update, SectionError> {
        let current = &self.current;
        let edits = self.lessons.iter().filter_map(edit_of);
        let edits: Vec<_> = edits.collect();
        let edited = edit(&current.content, &current.applied_lessons, &edits)?;
        if edited.changes.is_empty() {
            return Ok(Update {
                version: None,
                writes: self.unfinished(),
            });
        }
        let version = PromptVersion {
            agent: current.agent.clone(),
            version: self.next(),
            parent: Some(current.version),
            content: edited.content,
            created_at: now,
            applied_lessons: edited.lessons,
            changes: edited.changes,
            approved_by: by.clone(),
            performance: None,
        };
        let mut writes = Vec::new();
        if !self.kept.contains(&current.version) {
            writes.push(Write::Version(current.clone()));
        }
        writes.push(Write::Version(version.clone()));
        let change = self.change(
            version.version,
            now,
            Switch {
                cause: ChangeCause::Update,
                by,
                reason: self.rejections(),
            },
        );
        writes.push(self.activated(change.clone()));
        writes.extend(self.settled(&version, Some(&change)));
        let mut kept = self.kept.clone();
        kept.extend([current.version, version.version]);
        let needed = [current.version, version.version];
        writes.extend(surplus(&kept, max, &needed).into_iter().map(Write::Remove));
        Ok(Update {
            version: Some(version),
            writes,
        })
    }

    /// Returns the lessons of the active version that were rejected, with who did so.
    fn rejections(&self) -> Option<String> {
        let rejected = self.lessons.iter().filter(|lesson| {
            lesson.status == LessonStatus::Rejected
                && self
                    .current
                    .applied_lessons
                    .contains(&lesson.id.to_string())
        });
        let words: Vec<_> = rejected
            .map(|lesson| {
                let note = lesson.note.as_deref().unwrap_or("rejected");
                format!("lesson {} {note}", lesson.id)
            })
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Makes `target` the active version. Its lessons are applied again, and the
    /// lessons that it lacks become proposed.
    pub fn switch(&self, target: &PromptVersion, now: Timestamp, why: Switch) -> Vec<Write> {
        let change = self.change(target.version, now, why);
        let settled = self.settled(target, Some(&change));
        let mut writes = vec![self.activated(change)];
        writes.extend(settled);
        writes
    }

    /// The versions that a rollback may choose, the best one first: the one that the
    /// active version was made from, then the latest ones before it.
    pub fn earlier(&self) -> Vec<NonZeroU32> {
        let current = self.current.version;
        let kept = self.kept.iter().rev().copied();
        let kept = kept.chain([NonZeroU32::MIN]);
        let parent = self.current.parent.into_iter();
        let mut earlier: Vec<NonZeroU32> = Vec::new();
        for version in parent.chain(kept.filter(|version| *version < current)) {
            if !earlier.contains(&version) {
                earlier.push(version);
            }
        }
        earlier
    }

    /// Returns a lesson of `target` that was rejected, which is final: such a version
    /// cannot be activated.
    pub fn rejected_in(&self, target: &PromptVersion) -> Option<&Lesson> {
        let is_in = |lesson: &Lesson| {
            let mut applied = target.applied_lessons.iter();
            applied.any(|applied| applied == lesson.id.as_str())
        };
        let mut lessons = self.lessons.iter();
        lessons.find(|lesson| lesson.status == LessonStatus::Rejected && is_in(lesson))
    }

    /// Returns the writes that a crash prevented, so that the lessons match the active
    /// version.
    pub fn unfinished(&self) -> Vec<Write> {
        let latest = self.active.as_ref();
        let latest = latest.and_then(|active| active.changes.last());
        self.settled(&self.current, latest)
    }

    fn change(&self, to: NonZeroU32, at: Timestamp, why: Switch) -> VersionChange {
        VersionChange {
            at,
            from: self.current.version,
            to,
            cause: why.cause,
            by: why.by,
            reason: why.reason,
        }
    }

    fn activated(&self, change: VersionChange) -> Write {
        let before = self.active.as_ref();
        let mut changes = before.map_or_else(Vec::new, |active| active.changes.clone());
        let (version, since) = (change.to, change.at);
        changes.push(change);
        Write::Active(ActiveVersion {
            v: Format,
            version,
            since,
            previous: Some(self.current.version),
            changes,
        })
    }

    /// The next unused version number.
    fn next(&self) -> NonZeroU32 {
        let last = self.kept.last().copied().max(Some(self.current.version));
        last.map_or(NonZeroU32::MIN, |last| last.saturating_add(1))
    }

    /// The lessons whose status does not match the version that `change` activated yet.
    fn settled(&self, active: &PromptVersion, change: Option<&VersionChange>) -> Vec<Write> {
        let by = change.and_then(|change| change.by.clone());
        let lessons = self.lessons.iter().filter_map(|lesson| {
            let mut applied = active.applied_lessons.iter();
            let is_in = applied.any(|applied| applied == lesson.id.as_str());
            match (lesson.status, is_in) {
                (LessonStatus::Approved, true) => Some(Lesson {
                    status: LessonStatus::Applied,
                    applied_at: Some(active.created_at),
                    ..lesson.clone()
                }),
                (LessonStatus::Proposed, true) if lesson.rolled_back_at.is_some() => Some(Lesson {
                    status: LessonStatus::Applied,
                    approved_by: by.clone().or_else(|| active.approved_by.clone()),
                    applied_at: Some(change.map_or(active.created_at, |change| change.at)),
                    note: None,
                    ..lesson.clone()
                }),
                (LessonStatus::Applied, false) => Some(Lesson {
                    status: LessonStatus::Proposed,
                    approved_by: None,
                    applied_at: None,
                    rolled_back_at: Some(change.map_or(active.created_at, |change| change.at)),
                    note: Some(note_of(active, change)),
                    ..lesson.clone()
                }),
                (LessonStatus::Approved | LessonStatus::Proposed | LessonStatus::Rejected, _)
                | (LessonStatus::Applied, true) => None,
            }
        });
        lessons.map(Box::new).map(Write::Lesson).collect()
    }
}

/// Why a lesson is proposed again.
fn note_of(active: &PromptVersion, change: Option<&VersionChange>) -> String {
    let mut note = format!("rolled back to version {}", active.version);
    let Some(change) = change else {
        return note;
    };
    if let Some(by) = &change.by {
        note.push_str(&format!(" by {by}"));
    }
    if let Some(reason) = &change.reason {
        note.push_str(&format!(": {reason}"));
    }
    note
}

fn edit_of(lesson: &Lesson) -> Option<Edit> {
    let id = lesson.id.clone();
    match lesson.status {
        LessonStatus::Approved => Some(Edit::Put {
            lesson: id,
            text: lesson.constraint().to_owned(),
        }),
        LessonStatus::Rejected => Some(Edit::Remove { lesson: id }),
        LessonStatus::Proposed | LessonStatus::Applied => None,
    }
}

/// The versions to remove, the oldest first, so that at most `max` are left; those in
/// `needed` are kept.
fn surplus(versions: &BTreeSet<NonZeroU32>, max: usize, needed: &[NonZeroU32]) -> Vec<NonZeroU32> {
    let count = versions.len().saturating_sub(max);
    let spare = versions.iter().filter(|version| !needed.contains(version));
    spare.take(count).copied().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::AgentName;
    use crate::object::LearningObject as _;
    use crate::prompt::ChangeType;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn ann() -> Option<String> {
        Some("ann".to_owned())
    }

    fn number(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).unwrap()
    }

    fn lesson(last: u8, status: LessonStatus) -> Lesson {
        let lesson = json!({
            "id": format!("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2{last:02x}"),
            "agent": "reviewer", "lesson_text": format!("Lesson {last}."),
            "source_feedback": [],
        });
        let lesson = Lesson::read(&lesson).into_result().unwrap();
        let is_approved = status.is_approved();
        Lesson {
            status,
            approved_by: is_approved.then(|| "ann".to_owned()),
            applied_at: (status == LessonStatus::Applied).then_some(Timestamp::UNIX_EPOCH),
            ..lesson
        }
    }

    fn first() -> PromptVersion {
        PromptVersion {
            agent: AgentName::from("reviewer"),
            version: number(1),
            parent: None,
            content: "Judge.\n".to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            applied_lessons: Vec::new(),
            changes: Vec::new(),
            approved_by: None,
            performance: None,
        }
    }

    fn standing(current: PromptVersion, lessons: Vec<Lesson>) -> PromptState {
        let kept = BTreeSet::new();
        PromptState {
            current,
            active: None,
            kept,
            lessons,
        }
    }

    fn change(from: u32, to: u32, at: Timestamp, cause: ChangeCause) -> VersionChange {
        VersionChange {
            at,
            from: number(from),
            to: number(to),
            cause,
            by: ann(),
            reason: None,
        }
    }

    fn by_ann(cause: ChangeCause) -> Switch {
        Switch {
            cause,
            by: ann(),
            reason: None,
        }
    }

    /// The stored state after some of the writes.
    fn after(standing: &PromptState, writes: &[Write], all: &[PromptVersion]) -> PromptState {
        let mut standing = standing.clone();
        for write in writes {
            match write {
                Write::Version(version) => assert!(standing.kept.insert(version.version)),
                Write::Active(active) => {
                    let mut all = all.iter();
                    let version = all.find(|version| version.version == active.version);
                    assert!(standing.kept.contains(&active.version));
                    standing.current = version.unwrap().clone();
                    standing.active = Some(active.clone());
                }
                Write::Lesson(lesson) => {
                    let mut lessons = standing.lessons.iter_mut();
                    let old = lessons.find(|old| old.id == lesson.id).unwrap();
                    old.clone_from(lesson);
                }
                Write::Remove(version) => assert!(standing.kept.remove(version)),
            }
        }
        standing
    }

    #[test]
    fn approved_lessons_are_added_and_rejected_ones_removed() {
        use LessonStatus::{Applied, Approved, Proposed, Rejected};
        let lessons = vec![
            lesson(1, Approved),
            lesson(2, Proposed),
            lesson(3, Rejected),
        ];
        let start = standing(first(), lessons);
        let update = start.update(ann(), NOW, 10).unwrap();
        let second = update.version.unwrap();
        assert_eq!(
            (second.version, second.parent),
            (number(2), Some(number(1)))
        );
        assert_eq!(second.applied_lessons, [start.lessons[0].id.as_str()]);
        assert_eq!(second.approved_by.as_deref(), Some("ann"));
        assert!(
            second.content.starts_with("Judge.\n\n<!--"),
            "{}",
            second.content
        );
        assert!(second.content.contains("\n- Lesson 1.\n"));
        let mut applied = lesson(1, Applied);
        applied.applied_at = Some(NOW);
        let active = ActiveVersion {
            v: Format,
            version: number(2),
            since: NOW,
            previous: Some(number(1)),
            changes: vec![change(1, 2, NOW, ChangeCause::Update)],
        };
        let expected = [
            Write::Version(first()),
            Write::Version(second.clone()),
            Write::Active(active),
            Write::Lesson(Box::new(applied)),
        ];
        assert_eq!(update.writes, expected);

        let mut then = after(&start, &update.writes, &[first(), second.clone()]);
        then.lessons[0] = lesson(1, Rejected);
        let third = then.update(None, NOW, 10).unwrap().version.unwrap();
        assert_eq!((third.version, &third.approved_by), (number(3), &None));
        assert_eq!(third.applied_lessons, Vec::<String>::new());
        assert_eq!(third.changes[0].change_type, Some(ChangeType::Removal));
    }

    #[test]
    fn an_update_without_changes_writes_no_version() {
        let start = standing(first(), vec![lesson(2, LessonStatus::Proposed)]);
        let update = start.update(ann(), NOW, 10).unwrap();
        assert_eq!(
            update,
            Update {
                version: None,
                writes: Vec::new()
            }
        );
    }

    #[test]
    fn a_crash_leaves_the_old_version_or_the_new_one() {
        let start = standing(first(), vec![lesson(1, LessonStatus::Approved)]);
        let update = start.update(ann(), NOW, 10).unwrap();
        let second = update.version.clone().unwrap();
        let whole = after(&start, &update.writes, &[first(), second.clone()]);
        assert_eq!(whole.unfinished(), []);
        for cut in 0..update.writes.len() {
            let left = after(&start, &update.writes[..cut], &[first(), second.clone()]);
            let again = left.update(ann(), NOW, 10).unwrap();
            let (expected, made) = match cut {
                0..=2 => (first(), true),
                _ => (second.clone(), false),
            };
            assert_eq!(left.current, expected, "{cut}");
            assert_eq!(again.version.is_some(), made, "{cut}");
            let version = again.version.unwrap_or(second.clone());
            let end = after(&left, &again.writes, &[version]);
            assert_eq!(end.lessons, whole.lessons, "{cut}");
            assert_eq!(end.current.content, whole.current.content, "{cut}");
            let fresh = if cut == 2 { 3 } else { 2 };
            assert_eq!(end.current.version, number(fresh), "{cut}");
        }
    }

    #[test]
    fn a_rollback_is_complete_when_the_active_version_is_written() {
        let start = standing(first(), vec![lesson(1, LessonStatus::Approved)]);
        let update = start.update(ann(), NOW, 10).unwrap();
        let second = update.version.unwrap();
        let all = [first(), second.clone()];
        let start = after(&start, &update.writes, &all);
        let later = Timestamp::from_unix_ms(9_000);
        let writes = start.switch(&first(), later, by_ann(ChangeCause::Rollback));
        let active = ActiveVersion {
            v: Format,
            version: number(1),
            since: later,
            previous: Some(number(2)),
            changes: vec![
                change(1, 2, NOW, ChangeCause::Update),
                change(2, 1, later, ChangeCause::Rollback),
            ],
        };
        assert_eq!(writes[0], Write::Active(active));
        assert_eq!(writes.len(), 2);
        let end = after(&start, &writes, &all);
        let expected = Lesson {
            rolled_back_at: Some(later),
            note: Some("rolled back to version 1 by ann".to_owned()),
            ..lesson(1, LessonStatus::Proposed)
        };
        assert_eq!(end.lessons, [expected]);
        assert!(end.lessons[0].needs_decision());
        let cut = after(&start, &writes[..1], &all);
        assert_eq!(cut.unfinished(), writes[1..]);

        let bob = Switch {
            by: Some("bob".to_owned()),
            ..by_ann(ChangeCause::Restore)
        };
        let forth = after(&end, &end.switch(&second, later, bob), &all);
        assert_eq!(forth.lessons[0].status, LessonStatus::Applied);
        assert_eq!(forth.lessons[0].approved_by.as_deref(), Some("bob"));
        assert_eq!(forth.lessons[0].applied_at, Some(later));
        let anew = Lesson {
            rolled_back_at: None,
            ..lesson(1, LessonStatus::Proposed)
        };
        let proposed = PromptState {
            lessons: vec![anew],
            ..forth
        };
        assert_eq!(proposed.unfinished(), []);
    }

    #[test]
    fn a_rollback_chooses_the_parent_then_the_latest_version_before() {
        let state = |current: u32, parent: Option<u32>, kept: &[u32]| PromptState {
            current: PromptVersion {
                version: number(current),
                parent: parent.map(number),
                ..first()
            },
            active: None,
            kept: kept.iter().copied().map(number).collect(),
            lessons: Vec::new(),
        };
        for (current, parent, kept, expected) in [
            (1, None, &[][..], &[][..]),
            (2, Some(1), &[1, 2], &[1]),
            (5, Some(2), &[2, 3, 4, 5, 6], &[2, 4, 3, 1]),
            (5, Some(3), &[5], &[3, 1]),
        ] {
            let found = state(current, parent, kept).earlier();
            let found: Vec<u32> = found.into_iter().map(NonZeroU32::get).collect();
            assert_eq!(found, expected, "{current}");
        }
    }

    #[test]
    fn the_active_version_and_its_predecessor_are_never_removed() {
        let current = PromptVersion {
            version: number(2),
            ..first()
        };
        let lessons = vec![lesson(1, LessonStatus::Approved)];
        let kept = [1, 2, 5, 6].map(number).into_iter().collect();
        let start = PromptState {
            current,
            active: None,
            kept,
            lessons,
        };
        let update = start.update(ann(), NOW, 2).unwrap();
        assert_eq!(update.version.unwrap().version, number(7));
        let removed = update.writes.iter().filter_map(|write| match write {
            Write::Remove(version) => Some(version.get()),
            Write::Version(_) | Write::Active(_) | Write::Lesson(_) => None,
        });
        assert_eq!(removed.collect::<Vec<_>>(), [1, 5, 6]);
    }

    fn versions(numbers: &[u32]) -> Vec<NonZeroU32> {
        let numbers = numbers
            .iter()
            .map(|number| NonZeroU32::new(*number).unwrap());
        numbers.collect()
    }

    #[test]
    fn the_oldest_versions_are_removed_first_and_needed_ones_kept() {
        for (present, max, needed, expected) in [
            (&[1, 2, 3][..], 3, &[3, 2][..], &[][..]),
            (&[1, 2, 3, 4], 2, &[4, 3], &[1, 2]),
            (&[1, 2, 3, 4], 2, &[1, 4], &[2, 3]),
            (&[1, 2, 3], 2, &[1, 2, 3], &[]),
            (&[1, 2, 3], 2, &[1, 3], &[2]),
            (&[], 2, &[1], &[]),
        ] {
            let present = versions(present).into_iter().collect();
            let removed = surplus(&present, max, &versions(needed));
            assert_eq!(removed, versions(expected), "{present:?} {needed:?}");
        }
    }
}
