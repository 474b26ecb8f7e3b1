//! The files of the project in a prompt to an agent that cannot read them itself.

use std::collections::BTreeSet;

use review_flow::Nonce;
use review_store::{FileList, Reader, Root, RootPath, StateDir};

use super::files::append_file;

/// The list of the files of a project, and those of them that a task names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectFiles {
    listed: Vec<String>,
    /// The number of files for which the list has no room.
    unlisted: usize,
    named: Vec<(String, Vec<u8>)>,
    /// The files that are named and do not fit, or cannot be read.
    left_out: Vec<String>,
}

impl ProjectFiles {
    /// Lists the files of `root`, and reads those that any of `texts` names, except for
    /// `shown` ones; list and files have at most `max_bytes` each.
    pub(crate) fn gather(
        root: &Root,
        state: &StateDir,
        texts: &[&[u8]],
        shown: &[&str],
        max_bytes: usize,
    ) -> Self {
        let found = match FileList::walk(root, state) {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!("the files of the project are not listed: {error}");
                FileList::default()
            }
        };
        let paths = found.paths().iter();
        let paths: BTreeSet<&str> = paths.filter_map(|path| path.to_str()).collect();
        let mut project = Self::default();
        let mut room = max_bytes;
        for path in &paths {
            match room.checked_sub(path.len() + 1) {
                Some(left) => {
                    room = left;
                    project.listed.push((*path).to_owned());
                }
                None => project.unlisted += 1,
            }
        }
        let mut room = max_bytes;
        let mut reader = Reader::new(root);
        for path in named(texts, &paths) {
            if shown.contains(&path) {
                continue;
            }
            // A link may lead to a file that git ignores.
            let is_link = RootPath::new(path).is_ok_and(|path| root.leads_over_link(&path));
            match reader.read(path) {
                Ok(bytes) if bytes.len() <= room && !is_link => {
                    room -= bytes.len();
                    project.named.push((path.to_owned(), bytes));
                }
                Ok(_) | Err(_) => project.left_out.push(path.to_owned()),
            }
        }
        project
    }

    /// Appends the list and the files between markers.
    pub(super) fn append(&self, nonce: &Nonce, out: &mut Vec<u8>) {
        let mut list: String = self.listed.iter().map(|path| line(path)).collect();
        if self.unlisted > 0 {
            list += &format!("(and {} more)\n", self.unlisted);
        }
        append_file(nonce, "list of the files", list.as_bytes(), out);
        for (path, bytes) in &self.named {
            append_file(
                nonce,
                format_args!("file {}", path.escape_debug()),
                bytes,
                out,
            );
        }
        if !self.left_out.is_empty() {
            let list: String = self.left_out.iter().map(|path| line(path)).collect();
            append_file(nonce, "files too long to include", list.as_bytes(), out);
        }
    }
}

fn line(path: &str) -> String {
    format!("{}\n", path.escape_debug())
}

/// The paths that occur in the strings, in the order in which they first do.
fn named<'p>(texts: &[&[u8]], paths: &BTreeSet<&'p str>) -> Vec<&'p str> {
    let mut found = Vec::new();
    for text in texts {
        let text = String::from_utf8_lossy(text);
        for word in text.split(|c: char| !is_of_path(c)) {
            let word = word.trim_end_matches(['.', '/']);
            let word = word.trim_start_matches("./").trim_start_matches('/');
            if let Some(path) = paths.get(word)
                && !found.contains(path)
            {
                found.push(*path);
            }
        }
    }
    found
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes its files")]
    fn a_link_is_not_followed_since_git_may_ignore_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            (".gitignore", ".env\n"),
            (".env", "KEY=1\n"),
            ("a.py", "one\n"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::os::unix::fs::symlink(".env", folder.path().join("b.txt")).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let state = StateDir::temporary().unwrap();
        let text = b"Change a.py, b.txt and .env";
        let project = ProjectFiles::gather(&root, &state, &[text], &[], 1_000);
        assert_eq!(project.named, [("a.py".to_owned(), b"one\n".to_vec())]);
    }

    #[test]
    fn a_path_is_named_where_it_stands_as_a_word() {
        let paths = BTreeSet::from(["src/a.py", "tests/test_a.py", "b.py", "Makefile", ".env"]);
        let named = |text: &str| named(&[text.as_bytes()], &paths);
        for (text, expected) in [
            (
                "- Modify: `src/a.py` (see ./b.py, /b.py).",
                &["src/a.py", "b.py"][..],
            ),
            (
                "File \"tests/test_a.py\", line 3\nsrc/a.py:12: error",
                &["tests/test_a.py", "src/a.py"],
            ),
            ("Edit src/a.py. Then run make.", &["src/a.py"]),
            ("xsrc/a.py src/a.pyc lib/src/a.py a.py", &[]),
            ("`Makefile` and .env", &["Makefile", ".env"]),
        ] {
            assert_eq!(named(text), expected, "{text}");
        }
    }
}
