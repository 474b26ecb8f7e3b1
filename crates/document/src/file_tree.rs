//! Drawings of folders and files in text and code blocks.
//!
//! One entry per line: box-drawing characters, their substitutes `|--` and
//! plain indentation all nest. Nothing is looked up; whether an entry is to be
//! created or is only shown is for the caller to decide.

use crate::Span;

/// Longer names, and entries with longer paths, are not files.
const MAX_PATH: usize = 256;

/// Typical maximum length of a path.
const USUAL_PATH: usize = 64;

/// A line of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry<'p, 'a> {
    /// Its path from the root of the drawing, without `/` at the end.
    pub path: &'p str,
    /// What follows the name, trimmed; usually a comment.
    pub note: &'a str,
    /// Whether its name ends with `/` or an entry is below it.
    pub is_folder: bool,
    /// Whether there are lines before its name.
    pub is_drawn: bool,
    /// The name and the note.
    pub span: Span,
}

/// Parses a drawing and passes its entries to `each` in order; a line without
/// indentation starts a new root.
///
/// Comments, labels that end with a colon and `...` are not entries.
///
/// ```
/// use review_document::file_tree;
///
/// let mut notes = Vec::new();
/// file_tree::read("src/\n└── lib.rs  # CREATE: the root\n", |entry| {
///     notes.push((entry.path.to_owned(), entry.note));
/// });
/// assert_eq!(notes[1], ("src/lib.rs".to_owned(), "# CREATE: the root"));
/// ```
pub fn read<'a>(text: &'a str, mut tell: impl FnMut(TreeEntry<'_, 'a>)) {
    let mut tree = TreeReader {
        path: String::with_capacity(USUAL_PATH),
        open: Vec::new(),
        last: None,
        tell: &mut tell,
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        tree.read(line.trim_end(), start);
        start += line.len();
    }
    tree.tell_last(false);
}

/// The folders that are open, and the last entry: it is passed on once it is known
/// whether an entry is below it.
struct TreeReader<'a, 't> {
    /// The path of the last entry.
    path: String,
    open: Vec<OpenFolder>,
    last: Option<LastEntry<'a>>,
    tell: &'t mut dyn FnMut(TreeEntry<'_, 'a>),
}

/// An entry that may have entries below it.
struct OpenFolder {
    column: usize,
    /// The length of its own part of the path.
    length: usize,
}

/// An entry without its path.
struct LastEntry<'a> {
    note: &'a str,
    has_slash: bool,
    is_drawn: bool,
    span: Span,
}

impl<'a> TreeReader<'a, '_> {
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
            self.tell_last(false);
        }
        if word.ends_with(':') {
            return;
        }
        self.tell_last(true);
        self.path
            .truncate(self.open.last().map_or(0, |above| above.length));
        self.push_name(word.trim_end_matches(['/', '`']));
        self.open.push(OpenFolder {
            column,
            length: self.path.len(),
        });
        let begin = start + lead.len();
        self.last = Some(LastEntry {
            note: rest[word.len()..].trim(),
            has_slash: word.ends_with('/'),
            is_drawn: lead.contains(|c: char| !c.is_whitespace()),
            span: Span::new(begin, begin + rest.len()),
        });
    }

    /// Passes on the last entry, unless that was done, and whether an entry is below
    /// it.
    fn tell_last(&mut self, is_above: bool) {
        let fits = !self.path.is_empty() && self.path.len() <= MAX_PATH;
        if let Some(last) = self.last.take().filter(|_| fits) {
            (self.tell)(TreeEntry {
                path: &self.path,
                note: last.note,
                is_folder: last.has_slash || is_above,
                is_drawn: last.is_drawn,
                span: last.span,
            });
        }
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

    /// Returns the paths of a drawing with the rest of its entries.
    fn entries(text: &str) -> Vec<(String, TreeEntry<'static, '_>)> {
        let mut found = Vec::new();
        read(text, |entry| {
            found.push((entry.path.to_owned(), TreeEntry { path: "", ..entry }));
        });
        found
    }

    fn paths(text: &str) -> Vec<String> {
        entries(text).into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn a_name_may_follow_any_white_space() {
        let found = entries("a\r\r\rbé c\n\u{2003}d/  # note\n");
        let seen: Vec<_> = found
            .iter()
            .map(|(path, entry)| (&**path, entry.note))
            .collect();
        assert_eq!(seen, [("a", "bé c"), ("a/d", "# note")]);
        assert_eq!(entries("\r\ré## x\n")[0].1.note, "x");
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
        let found = entries(text);
        assert_eq!(found[1].1.note, "# CREATE: x");
        assert_eq!(found[1].1.span.slice(text), Some("b.go    # CREATE: x"));
        assert_eq!(found[0].1.span.slice(text), Some("é/"));
        let drawn: Vec<_> = found.iter().map(|(_, entry)| entry.is_drawn).collect();
        assert_eq!(drawn, [false, true, false]);
    }

    #[test]
    fn folders_end_with_a_slash_or_contain_entries() {
        let found = entries("a\n└── b\nc/\nd\ne\n  x:\n  f\ng\nx:\n  h\n");
        let folders: Vec<_> = found.iter().map(|(_, entry)| entry.is_folder).collect();
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
