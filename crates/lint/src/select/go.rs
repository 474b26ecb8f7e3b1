//! The patterns of `go test -run`.

use regex::Regex;

use super::regex;

/// Alternatives, each with one expression for each level between slashes.
pub(crate) struct Pattern(Vec<Vec<Regex>>);

impl Pattern {
    /// Splits and compiles as the Go toolchain does: at `|` and `/` outside of
    /// brackets and parentheses.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let text = text.replace(' ', "_");
        let alternatives = split(&text, '|');
        alternatives
            .into_iter()
            .map(|alternative| split(alternative, '/').into_iter().map(regex).collect())
            .collect::<Option<Vec<_>>>()
            .map(Self)
    }

    /// Whether a test, or a subtest written `Test/sub`, is run.
    pub(crate) fn selects(&self, name: &str) -> bool {
        let name = name.replace(' ', "_");
        self.0.iter().any(|levels| {
            let mut parts = name.split('/');
            levels
                .iter()
                .all(|level| parts.next().is_none_or(|part| level.is_match(part)))
        })
    }
}

fn split(text: &str, at: char) -> Vec<&str> {
    let (mut brackets, mut parentheses) = (0_u32, 0_u32);
    let mut escaped = false;
    let mut parts = Vec::new();
    let mut start = 0;
    for (index, char) in text.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match char {
            '\\' => escaped = true,
            '[' => brackets += 1,
            ']' => brackets = brackets.saturating_sub(1),
            '(' if brackets == 0 => parentheses += 1,
            ')' if brackets == 0 => parentheses = parentheses.saturating_sub(1),
            _ if char == at && brackets == 0 && parentheses == 0 => {
                parts.push(&text[start..index]);
                start = index + char.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_select_as_go_does() {
        let cases = [
            ("Schema", "TestParseSchema_Valid", true),
            ("Schema", "TestParseAndValidate", false),
            ("^TestA$", "TestAB", false),
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
