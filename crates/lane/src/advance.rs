//! Appends commits to the lane.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::change::{Entry, Mode};
use crate::checkout::lock_of;
use crate::error::LaneError;
use crate::lane::{LANE_REF, Lane};
use crate::object::{CommitId, TreeId};
use crate::source::Owner;

impl Lane {
    /// Returns the content of a file of a tree or commit; `None` if it has none.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn file_at(&self, tree: &str, path: &Path) -> Result<Option<Vec<u8>>, LaneError> {
        let mut name = std::ffi::OsString::from(format!("{tree}:"));
        name.push(self.note.source.prefix.join(path));
        let found = self.call().args(["cat-file".into(), "blob".into(), name]);
        let found = found.answer().await?;
        Ok(found.succeeded().then_some(found.stdout))
    }

    /// Returns the contents of a file, relative to the root of the project, in some trees
    /// or commits; `None` where it has none.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn contents_at<const N: usize>(
        &self,
        trees: [&str; N],
        path: &Path,
    ) -> Result<[Option<Vec<u8>>; N], LaneError> {
        if path.as_os_str().as_bytes().contains(&b'\n') {
            let mut contents = trees.map(|_| None);
            for (content, tree) in contents.iter_mut().zip(trees) {
                *content = self.file_at(tree, path).await?;
            }
            return Ok(contents);
        }
        let path = self.note.source.prefix.join(path);
        let name = |tree: &str| [tree.as_bytes(), b":", path.as_os_str().as_bytes()].concat();
        let names = trees.map(name);
        let mut asked = names.join(&b'\n');
        asked.push(b'\n');
        let found = self.call().args(["cat-file", "--batch"]).stdin(asked);
        let found = found.done().await?;
        let mut rest = found.stdout.as_slice();
        let contents = names.map(|name| object_of(&name, &mut rest));
        match contents.iter().all(Option::is_some) && rest.is_empty() {
            true => Ok(contents.map(Option::flatten)),
            false => Err(found.unexpected().into()),
        }
    }

    /// Returns whether a file of the user, relative to the root of the project, is the same
    /// to git as some content of it: filters and line ends may make their bytes differ.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn is_same_to_git(
        &self,
        path: &Path,
        users: &[u8],
        content: &[u8],
    ) -> Result<bool, LaneError> {
        if users == content || self.note.source.owner == Owner::Lane {
            return Ok(users == content);
        }
        let path = self.note.source.prefix.join(path);
        let hash = self.user().args(["hash-object", "--stdin", "--path"]);
        let users = hash.args([&path]).stdin(users.to_vec()).line().await?;
        let hash = self.call().args(["hash-object", "--stdin"]);
        Ok(users == hash.stdin(content.to_vec()).line().await?)
    }

    /// Returns a tree with another content of one of its files, relative to the root of
    /// the project.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn with_file(
        &self,
        tree: &TreeId,
        path: &Path,
        bytes: Vec<u8>,
    ) -> Result<TreeId, LaneError> {
        let index = self.index("file");
        self.dir.remove(lock_of(&index))?;
        let read = self.indexed(&index).args(["read-tree", tree.as_str()]);
        read.done().await?;
        let object = self.call().args(["hash-object", "-w", "--stdin"]);
        let object = object.stdin(bytes).line().await?;
        let path = self.note.source.prefix.join(path);
        let listed = self.call().args(["ls-tree", "-z", tree.as_str(), "--"]);
        let listed = listed.args([&path]).done().await?;
        let mode = listed.stdout.split(|byte| *byte == b' ').next();
        let mode = mode.and_then(|mode| Mode::of(std::str::from_utf8(mode).ok()?));
        let mode = mode.ok_or_else(|| listed.unexpected())?;
        let entry = Entry { mode, object };
        self.put_entries(&index, std::iter::once((&*path, &entry)))
            .await?;
        Ok(self.indexed(&index).args(["write-tree"]).read().await?)
    }

    /// Appends a commit with a tree to the lane, after `tip`. A step that was cut off
    /// after it did that returns the same commit.
    ///
    /// # Errors
    /// [`LaneError`] when git fails, or the lane is at another commit.
    pub async fn advance(
        &self,
        tip: &CommitId,
        tree: &TreeId,
        message: &str,
    ) -> Result<CommitId, LaneError> {
        let commit = self.commit(tree, tip, message).await?;
        let args = ["update-ref", LANE_REF, commit.as_str(), tip.as_str()];
        let moved = self.call().args(args).answer().await?;
        if moved.succeeded() {
            self.known().tip = Some(commit.clone());
            return Ok(commit);
        }
        let now = self.tip().await?;
        match self.is_child(&now, tip, tree).await? {
            true => Ok(now),
            false => Err(moved.failed().into()),
        }
    }

    /// Whether a commit has this tree and this parent.
    async fn is_child(
        &self,
        commit: &CommitId,
        parent: &CommitId,
        tree: &TreeId,
    ) -> Result<bool, LaneError> {
        let shown = ["show", "-s", "--format=%T %P", commit.as_str()];
        let shown = self.call().args(shown).line().await?;
        Ok(shown == format!("{tree} {parent}"))
    }
}

/// Takes the answer of `git cat-file --batch` about a name, `OBJECT blob SIZE`, the content
/// and a line feed, or `NAME missing`, from the start of its output. `None` if it is another
/// answer, `Some(None)` if the file does not exist.
fn object_of(name: &[u8], output: &mut &[u8]) -> Option<Option<Vec<u8>>> {
    let missing = output.strip_prefix(name);
    if let Some(rest) = missing.and_then(|rest| rest.strip_prefix(b" missing\n")) {
        *output = rest;
        return Some(None);
    }
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let (header, rest) = output.split_at(end);
    let mut words = std::str::from_utf8(header).ok()?.split(' ').skip(1);
    let (kind, size) = (words.next()?, words.next()?.parse().ok()?);
    let (content, rest) = rest[1..].split_at_checked(size)?;
    *output = rest.strip_prefix(b"\n")?;
    Some((kind == "blob").then(|| content.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_objects_in_an_answer_are_found_by_their_names_and_sizes() {
        let ids = "0".repeat(40);
        let mut output =
            format!("{ids} blob 4\na\nb\n\nt:x missing\n{ids} tree 3\nabc\n{ids} blob 9\nshort\n");
        output.push_str("rest");
        let mut rest = output.as_bytes();
        let mut next = || object_of(b"t:x", &mut rest);
        assert_eq!(next(), Some(Some(b"a\nb\n".to_vec())));
        assert_eq!(next(), Some(None));
        assert_eq!(next(), Some(None));
        assert_eq!(next(), None);
    }
}
