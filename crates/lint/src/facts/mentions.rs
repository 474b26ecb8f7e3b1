//! Paths mentioned in the documents: files that a unit creates or changes.

use std::collections::BTreeSet;

use review_document::markdown::CodeBlock;
use review_document::workspace::Document;
use review_document::{Span, file_tree};

use crate::words::{WordList, contains};

/// The paths that documents mention outside of commands, relative to the root.
#[derive(Debug, Default)]
pub(crate) struct Mentions(BTreeSet<String>);

/// The maximum length of a path in bytes.
const MAX_WORD: usize = 256;

impl Mentions {
    /// The paths of all documents; `checks` returns the cells of a document that hold
    /// commands, in document order.
    pub(super) fn of<'d>(
        documents: &'d [Document],
        checks: impl Fn(&'d Document) -> Vec<Span>,
    ) -> Self {
        let mut found = Self::default();
        for document in documents {
            let checks = checks(document);
            let is_check = |span: Span| {
                let next = checks.partition_point(|cell| cell.end < span.end);
                let next = checks.get(next);
                next.is_some_and(|cell| cell.start <= span.start)
            };
            let outline = &document.outline;
            let blocks = outline.code_blocks.iter();
            for block in blocks.filter(|block| !holds_commands(block, document)) {
                found.block(block, &document.source);
            }
            let codes = outline.code_spans.iter();
            for code in codes.filter(|code| !code.text.contains(' ') && !is_check(code.span)) {
                found.words(&code.text);
            }
            for link in outline.links.iter() {
                found.words(&link.target);
            }
            for run in outline.prose.iter().filter(|run| !is_check(**run)) {
                found.words(run.slice(&document.source).unwrap_or_default());
            }
        }
        found
    }

    /// Whether `path`, or something in the folder `path`, is mentioned.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.0.contains(path)
            || self
                .0
                .range(folder.clone()..)
                .next()
                .is_some_and(|next| next.starts_with(&folder))
    }

    /// All mentioned paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    fn block(&mut self, block: &CodeBlock, source: &str) {
        let content = block.content.slice(source).unwrap_or_default();
        for entry in file_tree::read(content) {
            self.add(&entry.path);
        }
        self.words(content);
    }

    /// Adds the words of a string that look like paths.
    fn words(&mut self, text: &str) {
        let ends = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;=|*".contains(c);
        for word in text.split(ends) {
            let word = word.trim_end_matches([':', '.', '!', '?']);
            if word.contains('/') || word.contains('.') {
                self.add(word);
            }
        }
    }

    fn add(&mut self, word: &str) {
        if word.len() > MAX_WORD || word.contains("//") {
            return;
        }
        let word = word.trim_start_matches("./").trim_start_matches('/');
        let word = word.trim_end_matches("...").trim_end_matches('/');
        if !word.is_empty() {
            self.0.insert(word.to_owned());
        }
    }
}

fn holds_commands(block: &CodeBlock, document: &Document) -> bool {
    let says_so = |text: &str| contains(text, "validation command");
    WordList::Shell.has(&block.language)
        || (block.language.is_empty()
            && document
                .outline
                .is_below(block.span.start, |heading| says_so(&heading.text)))
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    fn mentions(text: &str) -> Mentions {
        let document = Document::parse("t.md", DocumentRole::Task, text);
        Mentions::of(&[document], |_| Vec::new())
    }

    #[test]
    fn a_tree_gives_full_paths() {
        let found = mentions(
            "```\ninternal/\n├── review/\n│   ├── schema.go    # CREATE\n│   └── sub/x.go\n└── web/\n    └── a.css\ncmd/y/main.go  # MODIFY\n```\n",
        );
        for path in [
            "internal/review/schema.go",
            "internal/review/sub/x.go",
            "internal/review",
            "internal/web/a.css",
            "cmd/y",
        ] {
            assert!(found.has(path), "{path} in {found:?}");
        }
        assert!(!found.has("internal/cmd/y"));
        assert!(!found.has("internal/web/b.css"));
    }

    #[test]
    fn paths_are_found_in_text_code_and_links_but_not_in_commands() {
        let found = mentions(
            "Makes a/b.go, and `c/d.go`, [e](/f/g.md).\n\n```bash\ncat h/i.go\n```\n\n`go test ./j/k`\n\n```go\n// l/m.go\n```\n",
        );
        let seen: Vec<_> = found.iter().filter(|path| path.contains('/')).collect();
        assert_eq!(seen, ["a/b.go", "c/d.go", "f/g.md", "l/m.go"]);
    }

    #[test]
    fn cells_and_blocks_of_commands_mention_no_paths() {
        let text = "| Check |\n|---|\n| cat a/b |\n| `c/d` |\n\n## Validation Command\n\n```\ncat e/f\n```\n\n## Files\n\n```\ng/h\n```\n";
        let document = Document::parse("t.md", DocumentRole::Plan, text);
        let all = Mentions::of(std::slice::from_ref(&document), |_| Vec::new());
        assert_eq!(all.iter().collect::<Vec<_>>(), ["a/b", "c/d", "g/h"]);
        let cells = |document: &Document| {
            let rows = document
                .outline
                .tables
                .iter()
                .flat_map(|table| table.rows.iter());
            rows.filter_map(|row| Some(row.first()?.span)).collect()
        };
        let found = Mentions::of(&[document], cells);
        assert_eq!(found.iter().collect::<Vec<_>>(), ["g/h"]);
    }

    #[test]
    fn long_words_and_urls_are_not_paths() {
        let found = mentions(&format!("https://x.y/z and {}/a", "b".repeat(300)));
        assert_eq!(found.iter().count(), 0);
    }
}
