//! Merges trees file by file, in an index of ralph's own, where git cannot merge trees
//! itself. Renames are not followed: a file that one side renamed and the other changed is
//! a conflict.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use review_process::Exit;

use crate::change::{Entry, Mode};
use crate::checkout::lock_of;
use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::Lane;
use crate::merge::Merge;
use crate::object::TreeId;

/// The folder of the versions of a file while they are merged, below that of the lane.
const VERSIONS: &str = "merge";

/// The exits of `git merge-file` from here on are faults, not numbers of conflicts.
const FAULT: i32 = 128;

/// The versions of a file: that of the base, of the lane and of the change.
type Versions = [Option<Entry>; 3];

/// What a file becomes.
struct MergedFile {
    entry: Entry,
    fits: bool,
}

impl Lane {
    /// Merges what differs from the first tree in the second and the third.
    pub(crate) async fn merge_files(&self, trees: [&TreeId; 3]) -> Result<Merge, LaneError> {
        let index = self.index("merge");
        // What an earlier merge left in it would be part of this one.
        self.dir.remove(&index)?;
        self.dir.remove(lock_of(&index))?;
        let read = self.indexed(&index);
        let read = read.args(["read-tree", "-i", "-m", "--aggressive"]);
        read.args(trees.map(TreeId::as_str)).done().await?;
        let listed = self.indexed(&index).args(["ls-files", "-s", "-z"]);
        let listed = listed.done().await?;
        let mut merged = BTreeSet::new();
        let mut unmerged: BTreeMap<PathBuf, Versions> = BTreeMap::new();
        for entry in listed.strings() {
            let (entry, stage, path) = read_entry(entry).ok_or_else(|| listed.unexpected())?;
            match stage.checked_sub(1) {
                None => {
                    merged.insert(path);
                }
                Some(version) => {
                    let versions = unmerged.entry(path).or_default();
                    let version = versions.get_mut(version);
                    *version.ok_or_else(|| listed.unexpected())? = Some(entry);
                }
            }
        }
        let mut entries = Vec::new();
        let mut conflicts = Vec::new();
        for (path, versions) in &unmerged {
            let others = merged.iter().chain(unmerged.keys());
            let is_in_the_way = others.into_iter().any(|other| is_nested(path, other));
            let found = self.merge_file(versions).await?;
            let found = found.filter(|_| !is_in_the_way);
            if found.as_ref().is_none_or(|found| !found.fits) {
                conflicts.push(path.clone());
            }
            let absent = || Entry {
                mode: Mode::Absent,
                object: "0".repeat(trees[0].as_str().len()),
            };
            let entry = found.map_or_else(absent, |found| found.entry);
            entries.push((path.as_path(), entry));
        }
        let entries = entries.iter().map(|(path, entry)| (*path, entry));
        self.put_entries(&index, entries).await?;
        let tree = self.indexed(&index).args(["write-tree"]).read().await?;
        Ok(match conflicts.is_empty() {
            true => Merge::Clean(tree),
            false => Merge::Conflicts {
                tree,
                paths: conflicts,
            },
        })
    }

    /// Merges the versions of a file; `None` if it has none on either side.
    async fn merge_file(&self, versions: &Versions) -> Result<Option<MergedFile>, LaneError> {
        let conflict = |entry: &Entry| MergedFile {
            entry: entry.clone(),
            fits: false,
        };
        let [base, ours, theirs] = versions;
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            // One side deleted what the other changed.
            return Ok(ours.as_ref().or(theirs.as_ref()).map(conflict));
        };
        if !ours.is_file() || !theirs.is_file() {
            return Ok(Some(conflict(ours)));
        }
        let base = base.as_ref().filter(|base| base.is_file());
        let mut files = Vec::new();
        for (name, version) in [
            ("lane", Some(ours)),
            ("base", base),
            ("change", Some(theirs)),
        ] {
            let content = match version {
                None => Vec::new(),
                Some(entry) => {
                    let blob = self.call().args(["cat-file", "blob", &entry.object]);
                    blob.done().await?.stdout
                }
            };
            self.dir.create_folder(VERSIONS)?;
            let file = Path::new(VERSIONS).join(name);
            self.dir.write_unsynced(&file, &content)?;
            files.push(file);
        }
        let merge = self.call().args(["merge-file", "-p", "--diff3"]);
        let merge = merge.args(["-L", "lane", "-L", "base", "-L", "change"]);
        let merge = merge.args(files).answer().await?;
        let fits = match merge.exit {
            Exit::Code(0) => true,
            Exit::Code(conflicts) if conflicts < FAULT => false,
            // It is not a text.
            _ => return Ok(Some(conflict(ours))),
        };
        let object = self.call().args(["hash-object", "-w", "--stdin"]);
        let changed = match base {
            Some(base) if base.mode == ours.mode => theirs,
            Some(_) | None => ours,
        };
        let entry = Entry {
            mode: changed.mode,
            object: object.stdin(merge.stdout).line().await?,
        };
        Ok(Some(MergedFile { entry, fits }))
    }
}

/// Whether one path is a folder of the other, so that only one of them can be a file.
fn is_nested(one: &Path, other: &Path) -> bool {
    one != other && (one.starts_with(other) || other.starts_with(one))
}

/// Reads `100644 OBJECT STAGE`, a tab, and the path.
fn read_entry(entry: &[u8]) -> Option<(Entry, usize, PathBuf)> {
    let end = entry.iter().position(|byte| *byte == b'\t')?;
    let mut words = std::str::from_utf8(&entry[..end]).ok()?.split(' ');
    let mode = Mode::of(words.next()?)?;
    let (object, stage) = (words.next()?.to_owned(), words.next()?);
    let path = path_of(&entry[end + 1..]);
    Some((Entry { mode, object }, stage.parse().ok()?, path))
}
