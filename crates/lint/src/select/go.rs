//! The patterns of `go test -run`.

use std::mem;

use regex::Regex;

use super::regex;

/// Alternatives, any of which selects a test; each has one expression per level between
/// slashes.
pub(crate) struct Pattern(Vec<Vec<Regex>>);

impl Pattern {
    /// Splits and compiles like the Go toolchain: at `|` and `/` outside of brackets
    /// and parentheses. A blank is replaced by `_`.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let level = |text: &str| regex(&text.replace(' ', "_"));
        let alternatives = split(text, '|').map(|text| split(text, '/').map(level).collect());
        alternatives.collect::<Option<_>>().map(Self)
    }

    /// Whether a test, or a subtest written `Test/sub`, is run.
    pub(crate) fn selects(&self, name: &str) -> bool {
        let name = name.replace(' ', "_");
        let is_selected = |levels: &Vec<Regex>| {
            let mut parts = name.split('/');
            let mut levels = levels.iter();
            levels.all(|level| parts.next().is_none_or(|part| level.is_match(part)))
        };
        self.0.iter().any(is_selected)
    }
}

/// Splits a string at `at` outside of brackets and parentheses.
fn split(text: &str, at: char) -> impl Iterator<Item = &str> {
    let (mut brackets, mut parentheses) = (0_u32, 0_u32);
    let mut escaped = false;
    text.split(move |char| {
        if mem::take(&mut escaped) {
            return false;
        }
        match char {
            '\\' => escaped = true,
            '[' => brackets += 1,
            ']' => brackets = brackets.saturating_sub(1),
            '(' if brackets == 0 => parentheses += 1,
            ')' if brackets == 0 => parentheses = parentheses.saturating_sub(1),
            _ => return char == at && brackets == 0 && parentheses == 0,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_select_like_go() {
        let cases = [
            ("Schema", "TestParseSchema_Valid", true),
            ("Schema", "TestParseAndValidate", false),
            ("^TestA$", "TestAB", false),
            ("^TestA$", "TestA", true),
            ("^TestA", "TestAB", true),
            ("^TestA", "MyTestA", false),
            ("A$", "TestA", true),
            ("A$", "TestAB", false),
            ("^$", "TestA", false),
            ("A\\$", "TestA", false),
            ("^T\u{e9}", "T\u{e9}a", true),
            ("TestA|TestB", "TestB_x", true),
            ("TestA/x", "TestA", true),
            ("TestA/x", "TestA/xy", true),
            ("TestA/x", "TestA/y", false),
            ("TestA/x|TestB", "TestB/y", true),
            ("Test(A|B)/x", "TestB/x", true),
            ("Test[/|]", "Test|", true),
            ("A/b c", "TestA/b_c", true),
            ("A", "TestA/b c", true),
            ("", "TestA", true),
            ("a\\/b", "a/b", false),
            ("Test\\w|TestB$", "TestB", true),
            ("Test\\d|TestB$", "TestB", true),
        ];
        for (pattern, name, selected) in cases {
            let pattern_read = Pattern::new(pattern).unwrap();
            assert_eq!(pattern_read.selects(name), selected, "{pattern} on {name}");
        }
        assert!(Pattern::new("Test(").is_none());
        assert!(Pattern::new("(a{1000}){1000}").is_none());
    }
}
