//! Drawings of folders and files, as texts and code blocks hold them.
//!
//! One entry a line: box-drawing characters, their substitutes `|--` and
//! plain indentation all nest. Nothing is looked up; whether an entry is to be
//! made or is only shown is for the reader to say.

use crate::Span;

/// Longer names, and entries with longer paths, are no files.
const MAX_PATH: usize = 256;

/// A line of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// Its path from the root of the drawing, without `/` at the end.
    pub path: String,
    /// What stands behind the name, trimmed; mostly a comment.
    pub note: &'a str,
    /// Whether its name ends with `/` or something stands below it.
    pub is_folder: bool,
    /// Whether lines are drawn before its name.
    pub is_drawn: bool,
    /// The name and the note.
    pub span: Span,
}

/// Reads a drawing; a line without indentation starts a new root.
///
/// Comments, labels that end with a colon and `...` are no entries.
///
/// ```
/// use review_document::file_tree;
///
/// let entries = file_tree::entries("src/\n└── lib.rs  # CREATE: the root\n");
/// assert_eq!(entries[1].path, "src/lib.rs");
/// assert_eq!(entries[1].note, "# CREATE: the root");
/// ```
#[must_use]
pub fn entries(text: &str) -> Vec<TreeEntry<'_>> {
    let mut tree = Reader::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        tree.read(line.trim_end(), start);
        start += line.len();
    }
    tree.found.retain(|entry| !entry.path.is_empty());
    tree.found
}

/// The folders that are open, and what was found.
#[derive(Default)]
struct Reader<'a> {
    found: Vec<TreeEntry<'a>>,
    path: String,
    open: Vec<Open>,
}

/// An entry below which the next one may stand.
struct Open {
    column: usize,
    /// How much of the path is its own.
    length: usize,
    index: usize,
}

impl<'a> Reader<'a> {
    fn read(&mut self, line: &'a str, start: usize) {
        let drawing = |c: char| {
            matches!(
                c,
                '│' | '├' | '└' | '─' | '┬' | '┼' | '╰' | '|' | '`' | '+' | '-'
            ) || c.is_whitespace()
        };
        let rest = line.trim_start_matches(drawing);
        let lead = &line[..line.len() - rest.len()];
        let word = rest.split_whitespace().next().unwrap_or_default();
        let is_comment = word.starts_with('#') || word.starts_with("//");
        let is_gap = word.chars().all(|c| c == '.' || c == '…') && word != ".";
        if is_comment || is_gap || word.len() > MAX_PATH {
            return;
        }
        let column = lead.chars().count();
        while self.open.last().is_some_and(|open| open.column >= column) {
            self.open.pop();
        }
        if word.ends_with(':') {
            return;
        }
        if let Some(above) = self.open.last() {
            self.found[above.index].is_folder = true;
        }
        self.path
            .truncate(self.open.last().map_or(0, |above| above.length));
        self.push_name(word.trim_end_matches(['/', '`']));
        self.open.push(Open {
            column,
            length: self.path.len(),
            index: self.found.len(),
        });
        let fits = self.path.len() <= MAX_PATH;
        let begin = start + lead.len();
        self.found.push(TreeEntry {
            path: if fits {
                self.path.clone()
            } else {
                String::new()
            },
            note: rest[word.len()..].trim(),
            is_folder: word.ends_with('/'),
            is_drawn: lead.contains(|c: char| !c.is_whitespace()),
            span: Span::new(begin, begin + rest.len()),
        });
    }

    fn push_name(&mut self, name: &str) {
        if name == "." {
            return;
        }
        if !self.path.is_empty() {
            self.path.push('/');
        }
        self.path.push_str(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let found = entries(text).into_iter();
        found.map(|entry| entry.path).collect()
    }

    #[test]
    fn a_name_may_stand_behind_any_white_space() {
        let found = entries("a\r\r\rbé c\n\u{2003}d/  # note\n");
        let seen: Vec<_> = found
            .iter()
            .map(|entry| (&*entry.path, entry.note))
            .collect();
        assert_eq!(seen, [("a", "bé c"), ("a/d", "# note")]);
        assert_eq!(entries("\r\ré## x\n")[0].note, "x");
    }

    #[test]
    fn lines_nest_by_their_columns() {
        for text in [
            "a/\n├── b/\n│   ├── c.go\n│   └── d/e.go\n└── f.go\ng/h.go\n",
            "a/\n|-- b/\n|   |-- c.go\n|   `-- d/e.go\n`-- f.go\ng/h.go\n",
            "a\n  b\n    c.go\n    d/e.go\n  f.go\ng/h.go",
            "./a/\r\n└── b/\r\n    └── c.go\r\n    └── d/e.go\r\n└── f.go\r\n\r\n./g/h.go",
        ] {
            let found: Vec<_> = paths(text)
                .iter()
                .map(|path| path.trim_start_matches("./").to_owned())
                .collect();
            let expected = ["a", "a/b", "a/b/c.go", "a/b/d/e.go", "a/f.go", "g/h.go"];
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn the_root_may_be_a_dot() {
        assert_eq!(paths(".\n├── a\n└── b/\n    └── c"), ["a", "b", "b/c"]);
    }

    #[test]
    fn an_entry_knows_its_note_and_its_place() {
        let text = "é/\n└── b.go    # CREATE: x  \n";
        let found = entries(text);
        assert_eq!(found[1].note, "# CREATE: x");
        assert_eq!(found[1].span.slice(text), Some("b.go    # CREATE: x"));
        assert_eq!(found[0].span.slice(text), Some("é/"));
        assert_eq!((found[0].is_drawn, found[1].is_drawn), (false, true));
    }

    #[test]
    fn folders_end_with_a_slash_or_hold_something() {
        let found = entries("a\n└── b\nc/\nd\n");
        let folders: Vec<_> = found.iter().map(|entry| entry.is_folder).collect();
        assert_eq!(folders, [true, false, true, false]);
    }

    #[test]
    fn comments_gaps_and_labels_are_no_entries() {
        let text = "# files\nNew:\n  a/b.go\n  ...\n  // c\n  …\n\nd/\n│   # more\n└── e\n";
        assert_eq!(paths(text), ["a/b.go", "d", "d/e"]);
    }

    #[test]
    fn long_paths_are_left_out_and_cost_little() {
        let long = "x".repeat(MAX_PATH);
        assert_eq!(paths(&format!("{long}\n{long}y\n  a\n")), [long.as_str()]);
        let deep: String = (0..2000)
            .map(|depth| format!("{}{long}\n", " ".repeat(depth)))
            .collect();
        assert_eq!(paths(&deep), [long]);
    }
}
