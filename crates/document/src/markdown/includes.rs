//! Lines that a site generator replaces by the text of another file.

use memchr::{memchr, memmem, memrchr};

/// How such a line begins.
const MARKS: [&str; 9] = [
    "include-",
    "<!--",
    "{",
    "--8<--",
    "!include",
    "[!include",
    ":::",
    "@",
    ".. ",
];

/// What one of these lines holds.
const WORDS: [&str; 3] = ["include", "INCLUDE", "--8<--"];

/// The files that lines such as `{{#include limits.md}}`, `--8<-- "limits.md"`
/// and `<!-- include: limits.md -->` name, as written.
pub fn includes(source: &str) -> impl Iterator<Item = &str> {
    lines(source).flat_map(|line| {
        let ends = |c: char| c.is_whitespace() || "\"'`(){}<>[]:=,|".contains(c);
        line.split(ends).filter(|word| word.ends_with(".md"))
    })
}

/// The lines that include another file.
pub(super) fn lines(source: &str) -> impl Iterator<Item = &str> {
    let starts = starts(source).into_iter();
    let lines = starts.filter_map(|start| source.get(start..)?.lines().next());
    lines.map(str::trim_start).filter(|line| is_include(line))
}

/// Where the lines begin that hold one of the words, in order.
fn starts(source: &str) -> Vec<usize> {
    let bytes = source.as_bytes();
    let mut starts = Vec::new();
    for word in WORDS {
        let mut from = 0;
        while let Some(found) = memmem::find(&bytes[from..], word.as_bytes()) {
            let at = from + found;
            starts.push(memrchr(b'\n', &bytes[from..at]).map_or(from, |end| from + end + 1));
            from = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Whether a line that holds one of the words begins as such lines do.
fn is_include(line: &str) -> bool {
    let begins = |mark: &&str| {
        let head = line.get(..mark.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(mark))
    };
    MARKS.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_many_generators_are_read() {
        for line in [
            "<!-- include: a/b.md -->",
            "  {{#include a/b.md:3:9}}",
            "{% include \"a/b.md\" %}",
            "--8<-- 'a/b.md'",
            "[!INCLUDE [x](a/b.md)]",
            "@include(a/b.md)",
            ".. include:: a/b.md",
            ":::{include} a/b.md",
            "  include-markdown \"a/b.md\"",
        ] {
            assert_eq!(includes(line).collect::<Vec<_>>(), ["a/b.md"], "{line}");
        }
    }

    #[test]
    fn prose_includes_nothing() {
        for text in [
            "The notes include a/b.md.\n",
            "- include a/b.md\n",
            "<!-- see a/b.md -->\n",
            "{{#include a/b.rs}}\n",
            "include-d a/b.rs\n",
            "",
        ] {
            assert_eq!(includes(text).count(), 0, "{text}");
        }
    }
}
