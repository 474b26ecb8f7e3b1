//! Drawings of folders and files in text and code blocks.
//!
//! One entry per line: box-drawing characters, their substitutes `|--` and
//! plain indentation all nest. Nothing is looked up; whether an entry is to be
//! created or is only shown is for the caller to decide.

use crate::Span;

/// Longer names, and entries with longer paths, are not files.
const MAX_PATH: usize = 256;

/// A line of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// Its path from the root of the drawing, without `/` at the end.
    pub path: String,
    /// What follows the name, trimmed; usually a comment.
    pub note: &'a str,
    /// Whether its name ends with `/` or an entry is below it.
    pub is_folder: bool,
    /// Whether there are lines before its name.
    pub is_drawn: bool,
    /// The name and the note.
    pub span: Span,
}

/// Returns the entries of a drawing in order; a line without indentation starts a new
/// root.
///
/// Comments, labels that end with a colon and `...` are not entries.
///
/// ```
/// use review_document::file_tree;
///
/// let entries = file_tree::read("src/\n└── lib.rs  # CREATE: the root\n");
/// assert_eq!(entries[1].path, "src/lib.rs");
/// assert_eq!(entries[1].note, "# CREATE: the root");
/// ```
pub fn read(text: &str) -> Vec<TreeEntry<'_>> {
    let mut tree = TreeReader::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        tree.read(line.trim_end(), start);
        start += line.len();
    }
    tree.entries
}

/// The entries so far, and the folders that are open.
#[derive(Default)]
struct TreeReader<'a> {
    entries: Vec<TreeEntry<'a>>,
    /// The path of the last line.
    path: String,
    open: Vec<OpenFolder>,
}

/// A line that may have entries below it.
struct OpenFolder {
    column: usize,
    /// The length of its own part of the path.
    length: usize,
    /// The index of its entry, if it is one.
    entry: Option<usize>,
}

impl<'a> TreeReader<'a> {
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
        let above = self.open.last();
        self.path.truncate(above.map_or(0, |above| above.length));
        if let Some(entry) = above.and_then(|above| above.entry) {
            self.entries[entry].is_folder = true;
        }
        let name = word.trim_end_matches(['/', '`']);
        if name != "." {
            if !self.path.is_empty() {
                self.path.push('/');
            }
            self.path.push_str(name);
        }
        let is_entry = !self.path.is_empty() && self.path.len() <= MAX_PATH;
        self.open.push(OpenFolder {
            column,
            length: self.path.len(),
            entry: is_entry.then_some(self.entries.len()),
        });
        if is_entry {
            let begin = start + lead.len();
            self.entries.push(TreeEntry {
                path: self.path.clone(),
                note: rest[word.len()..].trim(),
                is_folder: word.ends_with('/'),
                is_drawn: lead.contains(|c: char| !c.is_whitespace()),
                span: Span::new(begin, begin + rest.len()),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let entries = read(text).into_iter();
        entries.map(|entry| entry.path).collect()
    }

    #[test]
    fn a_name_may_follow_any_white_space() {
        let found = read("a\r\r\rbé c\n\u{2003}d/  # note\n");
        let seen: Vec<_> = found
            .iter()
            .map(|entry| (&*entry.path, entry.note))
            .collect();
        assert_eq!(seen, [("a", "bé c"), ("a/d", "# note")]);
        assert_eq!(read("\r\ré## x\n")[0].note, "x");
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
    fn an_entry_has_its_note_and_its_place() {
        let text = "é/\n└── b.go    # CREATE: x  \n  c.go\n";
        let found = read(text);
        assert_eq!(found[1].note, "# CREATE: x");
        assert_eq!(found[1].span.slice(text), Some("b.go    # CREATE: x"));
        assert_eq!(found[0].span.slice(text), Some("é/"));
        let drawn: Vec<_> = found.iter().map(|entry| entry.is_drawn).collect();
        assert_eq!(drawn, [false, true, false]);
    }

    #[test]
    fn folders_end_with_a_slash_or_contain_entries() {
        let found = read("a\n└── b\nc/\nd\ne\n  x:\n  f\ng\nx:\n  h\n");
        let folders: Vec<_> = found.iter().map(|entry| entry.is_folder).collect();
        let expected = [true, false, true, false, true, false, false, false];
        assert_eq!(folders, expected);
    }

    #[test]
    fn comments_gaps_and_labels_are_not_entries() {
        let text = "# files\nNew:\n  a/b.go\n  ...\n  // c\n  …\n\nd/\n│   # more\n└── e\n";
        assert_eq!(paths(text), ["a/b.go", "d", "d/e"]);
    }

    #[test]
    fn long_paths_are_ignored_and_cost_little() {
        let long = "x".repeat(MAX_PATH);
        assert_eq!(paths(&format!("{long}\n{long}y\n  a\n")), [long.as_str()]);
        let deep: String = (0..2000)
            .map(|depth| format!("{}{long}\n", " ".repeat(depth)))
            .collect();
        assert_eq!(paths(&deep), [long]);
    }
}
