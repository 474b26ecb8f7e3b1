//! The patterns of `go test -run`.

use regex::Regex;

use super::regex;

/// Alternatives, each with one expression for each level between slashes.
pub(crate) struct Pattern(Vec<Vec<Level>>);

/// An expression for one level; most are a name, at the start or whole.
enum Level {
    Name {
        text: String,
        starts: bool,
        ends: bool,
    },
    Expression(Regex),
}

impl Level {
    fn new(text: &str) -> Option<Self> {
        let (starts, rest) = text
            .strip_prefix('^')
            .map_or((false, text), |rest| (true, rest));
        let (ends, name) = rest
            .strip_suffix('$')
            .map_or((false, rest), |name| (true, name));
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            return regex(text).map(Self::Expression);
        }
        Some(Self::Name {
            text: name.to_owned(),
            starts,
            ends,
        })
    }

    fn is_match(&self, name: &str) -> bool {
        match self {
            Self::Expression(expression) => expression.is_match(name),
            Self::Name { text, starts, ends } => match (starts, ends) {
                (false, false) => name.contains(text.as_str()),
                (true, false) => name.starts_with(text.as_str()),
                (false, true) => name.ends_with(text.as_str()),
                (true, true) => name == text,
            },
        }
    }
}

impl Pattern {
    /// Splits and compiles as the Go toolchain does: at `|` and `/` outside of
    /// brackets and parentheses.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let text = text.replace(' ', "_");
        let alternatives = split(&text, '|');
        alternatives
            .into_iter()
            .map(|alternative| {
                let levels = split(alternative, '/');
                levels.into_iter().map(Level::new).collect()
            })
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
