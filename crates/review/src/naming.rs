//! Finds the file, lines or section that a reviewer's words refer to.

use review_types::Lines;

/// Maximum number of bytes that are searched.
const MAX_NAME: usize = 512;

/// Extensions that mark a word with a dot as a file name.
const EXTENSIONS: [&str; 8] = ["md", "json", "toml", "yaml", "yml", "rs", "py", "sh"];

/// Returns the words of `text` in lower case, with a space before and after each.
pub(crate) fn words(text: &str) -> String {
    let mut words = String::from(" ");
    let parts = beginning(text).split(|c: char| !c.is_alphanumeric());
    for word in parts.filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

/// Returns the lines that `text` names as `PATH:LINE`, `PATH:FIRST-LAST` or `PATH#LLINE`.
pub(crate) fn lines_named(named: &str, path: &str) -> Option<Lines> {
    let (_, behind) = named.split_once(path)?;
    let lines = behind.strip_prefix(':').or(behind.strip_prefix("#L"))?;
    let (first, rest) = number(lines)?;
    let last = rest.strip_prefix('-').and_then(number);
    let last = last.map_or(first, |(last, _)| last.max(first));
    Some(Lines { first, last })
}

/// Splits a leading number from `text`.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

/// Returns the file that `text` names, by its path or by a name with a common
/// extension, and the string without it.
pub(crate) fn file_named(named: &str) -> Option<(&str, String)> {
    let mut words = beginning(named).split_whitespace();
    let found = words.find_map(|word| Some((word, file_of(word)?)));
    found.map(|(word, file)| (file, beginning(named).replacen(word, " ", 1)))
}

/// Returns the path or name of the file that a word is, without quotes and line numbers.
fn file_of(word: &str) -> Option<&str> {
    let is_around = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/');
    let word = word.trim_end_matches(is_around);
    let word = word.trim_start_matches(|c| is_around(c) && c != '.');
    let end = word.find([':', '#']).unwrap_or(word.len());
    let (path, lines) = word.split_at(end);
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '@' | '+');
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_extension = extension.len() <= 8
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(char::is_alphanumeric);
    let is_file = path.contains('/')
        || lines.strip_prefix(':').and_then(number).is_some()
        || EXTENSIONS.contains(&extension);
    let is_name = !stem.is_empty() && is_extension && path.chars().all(is_path);
    (is_name && is_file).then_some(path)
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_NAME)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_separated_by_spaces() {
        for (text, expected) in [
            ("The ERROR-codes, §4!", " the error codes 4 "),
            ("Größe", " größe "),
            ("§ —", " "),
            ("", " "),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(words(&"ab".repeat(1_000)).len(), 514);
    }

    #[test]
    fn line_numbers_follow_the_path() {
        let lines = |first, last| Some(Lines { first, last });
        for (named, expected) in [
            ("a.md:12", lines(12, 12)),
            ("see a.md:12-14, please", lines(12, 14)),
            ("a.md#L7", lines(7, 7)),
            ("a.md:9-3", lines(9, 9)),
            ("a.md:4-", lines(4, 4)),
            ("a.md:0", lines(0, 0)),
            ("a.md", None),
            ("a.md: 12", None),
            ("b.md:12", None),
            ("a.md:99999999999", None),
        ] {
            assert_eq!(lines_named(named, "a.md"), expected, "{named}");
        }
    }

    #[test]
    fn a_file_is_distinguished_from_other_words() {
        for (named, expected) in [
            ("src/main.rs:12", Some(("src/main.rs", " "))),
            (
                "the table in `README.md`.",
                Some(("README.md", "the table in  ")),
            ),
            ("(lib/a.js#L4)", Some(("lib/a.js", " "))),
            ("../a/b.x", Some(("../a/b.x", " "))),
            ("app.vue:3", Some(("app.vue", " "))),
            ("Node.js", None),
            ("Section 3.2", None),
            ("and/or", None),
            ("https://example.com/a.md", None),
            ("e.g. this", None),
            (".md", None),
            ("v1/2.0", None),
            ("", None),
        ] {
            let found = file_named(named);
            let found = found.as_ref().map(|(file, rest)| (*file, rest.as_str()));
            assert_eq!(found, expected, "{named}");
        }
    }
}
