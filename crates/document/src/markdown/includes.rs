//! Lines that a site generator replaces by another file.

/// The starts of such lines.
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

/// Words that such a line contains.
const WORDS: [&str; 3] = ["include", "INCLUDE", "--8<--"];

/// Returns the files that lines such as `{{#include limits.md}}`, `--8<-- "limits.md"`
/// and `<!-- include: limits.md -->` name, as written.
pub fn includes(source: &str) -> impl Iterator<Item = &str> {
    lines(source).flat_map(|line| {
        let ends = |c: char| c.is_whitespace() || "\"'`(){}<>[]:=,|".contains(c);
        line.split(ends).filter(|word| word.ends_with(".md"))
    })
}

/// Returns the lines that include another file.
pub(super) fn lines(source: &str) -> impl Iterator<Item = &str> {
    source
        .lines()
        .map(str::trim_start)
        .filter(|line| is_include(line))
}

/// Returns whether a line has one of the words and one of the starts.
fn is_include(line: &str) -> bool {
    let begins = |mark: &&str| {
        let head = line.get(..mark.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(mark))
    };
    MARKS.iter().any(begins) && WORDS.iter().any(|word| line.contains(word))
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
