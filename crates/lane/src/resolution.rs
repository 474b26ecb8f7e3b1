//! Looks at how an agent resolved a conflict.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::accounting::{AccountEntry, Resolution, Texts, account};
use crate::change::Entry;
use crate::error::LaneError;
use crate::lane::Lane;
use crate::merge::Merge;
use crate::object::CommitId;

/// Longer files are compared as a whole.
const MAX_TEXT: usize = 1024 * 1024;

/// What differs from one tree: the entries before and after.
type Changes = BTreeMap<PathBuf, (Entry, Entry)>;

impl Lane {
    /// Accounts for a commit that resolves the conflict of a change, from `base` to
    /// `change`, with `tip`; nothing is to be accounted for when they do not conflict.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn account(
        &self,
        (base, change): (&CommitId, &CommitId),
        tip: &CommitId,
        resolved: &CommitId,
    ) -> Result<Vec<AccountEntry>, LaneError> {
        let merge = self.merge(base, change, tip).await?;
        let Merge::Conflicts { tree, paths } = merge else {
            return Ok(Vec::new());
        };
        let mut sides = Vec::new();
        for side in [
            tip.as_str(),
            change.as_str(),
            tree.as_str(),
            resolved.as_str(),
        ] {
            sides.push(self.changes(base, side).await?);
        }
        let all: Vec<_> = sides.iter().flatten().collect();
        let objects = all.iter().flat_map(|(_, (before, after))| [before, after]);
        let texts = self.texts(objects).await?;
        let before = all.iter().map(|(path, (before, _))| (*path, before));
        let before: BTreeMap<_, _> = before.collect();
        let text_of = |entry: &Entry| texts.get(&entry.object).cloned();
        let of_side = |changes: &Changes| -> Texts {
            let entries = before.iter().map(|(path, before)| {
                let changed = changes.get(*path).map(|(_, after)| after);
                (*path, changed.unwrap_or(before))
            });
            let texts = entries.filter_map(|(path, entry)| Some((path.clone(), text_of(entry)?)));
            texts.collect()
        };
        let [lane, task, merged, resolved] = [0, 1, 2, 3].map(|side| of_side(&sides[side]));
        Ok(account(Resolution {
            base: &of_side(&Changes::new()),
            lane: &lane,
            task: &task,
            merged: &merged,
            resolved: &resolved,
            conflicts: &paths.into_iter().collect(),
        }))
    }

    async fn changes(&self, base: &CommitId, side: &str) -> Result<Changes, LaneError> {
        let changed = self.changed_paths(base.as_str(), side).await?;
        let changed = changed.into_iter();
        let changes = changed.map(|change| (change.path, (change.before, change.after)));
        Ok(changes.collect())
    }

    /// Reads the contents of entries, by object; of what is not UTF-8, the name of its object.
    async fn texts(
        &self,
        entries: impl Iterator<Item = &Entry>,
    ) -> Result<BTreeMap<String, String>, LaneError> {
        let there = entries.filter(|entry| entry.exists());
        let objects: BTreeSet<_> = there.map(|entry| entry.object.clone()).collect();
        let mut texts = BTreeMap::new();
        for object in objects {
            let blob = self.call().args(["cat-file", "blob", &object]);
            let text = blob.answer().await?.stdout;
            let text = String::from_utf8(text)
                .ok()
                .filter(|text| text.len() <= MAX_TEXT && !text.contains('\0'));
            texts.insert(object.clone(), text.unwrap_or(object));
        }
        Ok(texts)
    }
}
