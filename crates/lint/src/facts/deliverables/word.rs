//! Recognition of file names.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::words::WordList;

/// The maximum length of a file name in bytes.
const MAX_WORD: usize = 256;

/// Extensions that make a word a file name without a folder.
static ENDINGS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let endings = include_str!("../../../data/file-endings.txt");
    endings.split_whitespace().collect()
});

/// Returns the file that a word names, relative to the root; `None` if it names none.
pub(crate) fn file(word: &str) -> Option<&str> {
    let word = without_lines(word.trim_end_matches([':', ',', ';', '.']));
    let may_be_one = word.contains('.')
        || WordList::FileName
            .words()
            .iter()
            .any(|name| word.ends_with(name));
    let path = may_be_one.then(|| plain(word))??;
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let named = WordList::FileName.words().contains(&name)
        || ending.is_some_and(|ending| ENDINGS.contains(ending));
    (named || !folder.is_empty() && ending.is_some_and(is_ending)).then_some(path)
}

/// Returns a path of a tree entry, relative to the root; `None` for a pattern, a URL or
/// a path outside of the root.
pub(super) fn plain(path: &str) -> Option<&str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.trim_start_matches('/');
    let odd = |c: char| {
        let marks = matches!(
            c,
            '*' | '?' | '{' | '}' | '<' | '>' | '(' | ')' | '[' | ']' | '$' | '"' | '\''
        );
        let signs = matches!(c, '`' | '|' | '=' | ',' | ';' | ':' | '…' | '\\');
        marks || signs || c.is_whitespace()
    };
    let strange = path.is_empty()
        || path.len() > MAX_WORD
        || path.contains(odd)
        || path
            .split('/')
            .any(|part| part.is_empty() || part.chars().all(|c| c == '.'));
    (!strange).then_some(path)
}

/// Whether the end of a name is an extension and not a version.
fn is_ending(ending: &str) -> bool {
    let version = ending.starts_with('v') && ending[1..].bytes().all(|b| b.is_ascii_digit());
    let short = (1..=8).contains(&ending.len());
    short
        && !version
        && ending
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && ending.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Removes line numbers from the end of a word, as in `a.go:12-40`.
fn without_lines(word: &str) -> &str {
    match word.rsplit_once(':') {
        Some((path, lines)) if lines.bytes().all(|b| b.is_ascii_digit() || b == b'-') => path,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_a_file() {
        for (word, path) in [
            ("a/b.go", "a/b.go"),
            ("./a/b.go:", "a/b.go"),
            ("/a/b.go", "a/b.go"),
            ("a/b.py:12-40", "a/b.py"),
            ("a/b.py:7", "a/b.py"),
            ("main.rs,", "main.rs"),
            (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
            (".gitignore", ".gitignore"),
            ("a/x.tmpl", "a/x.tmpl"),
            ("Makefile", "Makefile"),
            ("web/Dockerfile", "web/Dockerfile"),
        ] {
            assert_eq!(file(word), Some(path), "{word}");
        }
    }

    #[test]
    fn words_that_name_no_file() {
        for word in [
            "",
            ".",
            "and/or",
            "a/b/",
            "internal/git",
            "fmt.Println",
            "os.path",
            "Reviewer.parse",
            "https://a.b/c.html",
            "a/*.go",
            "a/{b,c}.go",
            "../a.go",
            "a//b.go",
            "<name>.go",
            "gopkg.in/yaml.v3",
            "a/b.Parse",
            "a/b.123",
            "a/b.",
        ] {
            assert_eq!(file(word), None, "{word}");
        }
        assert_eq!(file(&format!("{}.go", "x".repeat(300))), None);
    }
}
