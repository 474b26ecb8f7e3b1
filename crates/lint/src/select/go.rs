//! The patterns of `go test -run`.

use std::borrow::Cow;
use std::{iter, mem};

use regex::Regex;

use super::regex;

/// Alternatives, any of which selects a test.
pub(crate) struct Pattern<'t>(Vec<Alternative<'t>>);

/// An expression for each level between slashes, of which there is one at
/// least.
struct Alternative<'t> {
    first: Level<'t>,
    below: Vec<Level<'t>>,
}

/// An expression for one level; most are a name, at the start or whole.
enum Level<'t> {
    Name {
        text: &'t str,
        starts: bool,
        ends: bool,
    },
    Expression(Regex),
}

impl<'t> Level<'t> {
    fn new(text: &'t str) -> Option<Self> {
        let (starts, rest) = text
            .strip_prefix('^')
            .map_or((false, text), |rest| (true, rest));
        let (ends, name) = rest
            .strip_suffix('$')
            .map_or((false, rest), |name| (true, name));
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            return regex(&text.replace(' ', "_")).map(Self::Expression);
        }
        Some(Self::Name {
            text: name,
            starts,
            ends,
        })
    }

    fn is_match(&self, name: &str) -> bool {
        match self {
            Self::Expression(expression) => expression.is_match(name),
            Self::Name { text, starts, ends } => match (*starts, *ends) {
                (false, false) => name.contains(*text),
                (true, false) => name.starts_with(*text),
                (false, true) => name.ends_with(*text),
                (true, true) => name == *text,
            },
        }
    }
}

impl<'t> Alternative<'t> {
    fn new(text: &'t str) -> Option<Self> {
        let mut levels = split(text, '/').map(Level::new);
        Some(Self {
            first: levels.next()??,
            below: levels.collect::<Option<_>>()?,
        })
    }

    fn selects(&self, name: &str) -> bool {
        let mut parts = name.split('/');
        iter::once(&self.first)
            .chain(&self.below)
            .all(|level| parts.next().is_none_or(|part| level.is_match(part)))
    }
}

impl<'t> Pattern<'t> {
    /// Splits and compiles as the Go toolchain does: at `|` and `/` outside of
    /// brackets and parentheses. A blank stands for `_`.
    pub(crate) fn new(text: &'t str) -> Option<Self> {
        let alternatives = split(text, '|').map(Alternative::new);
        alternatives.collect::<Option<_>>().map(Self)
    }

    /// Whether a test, or a subtest written `Test/sub`, is run.
    pub(crate) fn selects(&self, name: &str) -> bool {
        let name = if name.contains(' ') {
            Cow::Owned(name.replace(' ', "_"))
        } else {
            Cow::Borrowed(name)
        };
        let mut alternatives = self.0.iter();
        alternatives.any(|alternative| alternative.selects(&name))
    }
}

/// The parts of a text between the places where `at` stands outside of
/// brackets and parentheses.
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
