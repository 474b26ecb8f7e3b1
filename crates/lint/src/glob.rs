//! Glob patterns for paths.

use std::fmt;
use std::str::{Chars, FromStr};

use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The maximum length of a pattern in bytes.
const MAX_LENGTH: usize = 1024;

/// A pattern for paths relative to the root: `*` and `?` match within a folder, `**`
/// across folders, `[a-z]` one of these characters, and `{a,b}` one of these patterns.
/// A pattern without `/` matches the file name in any folder.
///
/// ```
/// let glob: review_lint::Glob = "specs/**/*.md".parse()?;
/// assert!(glob.matches("specs/a/B.md") && glob.matches("specs/B.md"));
/// assert!(!glob.matches("tasks/B.md"));
/// # Ok::<(), review_lint::GlobError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Glob {
    pattern: String,
    regex: Regex,
}

/// A string that is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("error parsing glob '{got}': {fault}")]
pub struct GlobError {
    /// The string.
    pub got: String,
    /// The reason.
    pub fault: GlobFault,
}

/// The reason why a pattern is invalid, in the words of the crate `globset` where it
/// reports the same error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobFault {
    /// It is empty.
    #[error("the pattern is empty")]
    Empty,
    /// It has too many bytes.
    #[error("the pattern is longer than {MAX_LENGTH} bytes")]
    TooLong,
    /// A `[` has no `]`.
    #[error("unclosed character class; missing ']'")]
    UnclosedClass,
    /// Nothing is between `[` and `]`.
    #[error("empty character class; name a character between '[' and ']'")]
    EmptyClass,
    /// The end of a character range comes before its start.
    #[error("invalid range; '{0}' > '{1}'")]
    InvalidRange(char, char),
    /// A `{` has no `}`.
    #[error("unclosed alternate group; missing '}}' (maybe escape '{{' with '[{{]'?)")]
    UnclosedAlternates,
    /// It is too complex to be matched.
    #[error("the pattern is too complex; use fewer or less deeply nested alternates")]
    TooComplex,
}

impl Glob {
    /// Whether it matches this path.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let name = || path.rsplit('/').next().unwrap_or(path);
        let text = if self.pattern.contains('/') {
            path
        } else {
            name()
        };
        self.regex.is_match(text)
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pattern
    }
}

impl FromStr for Glob {
    type Err = GlobError;

    fn from_str(pattern: &str) -> Result<Self, GlobError> {
        let bad = |fault| GlobError {
            got: pattern.chars().take(MAX_LENGTH).collect(),
            fault,
        };
        if pattern.is_empty() {
            return Err(bad(GlobFault::Empty));
        }
        if pattern.len() > MAX_LENGTH {
            return Err(bad(GlobFault::TooLong));
        }
        let expression = expression(pattern).map_err(bad)?;
        let regex = Regex::new(&expression).map_err(|_| bad(GlobFault::TooComplex))?;
        Ok(Self {
            pattern: pattern.to_owned(),
            regex,
        })
    }
}

/// Converts a pattern to a regular expression.
fn expression(pattern: &str) -> Result<String, GlobFault> {
    let mut expression = String::from("^(?s:");
    let mut rest = pattern.trim_start_matches("./").chars();
    let mut depth = 0_usize;
    let mut at_start = true;
    while let Some(char) = rest.next() {
        let was_start = std::mem::replace(&mut at_start, char == '/');
        match char {
            '*' if rest.as_str().starts_with('*') => {
                rest.next();
                if was_start && rest.as_str().starts_with('/') {
                    rest.next();
                    at_start = true;
                    expression.push_str("(?:.*/)?");
                } else {
                    expression.push_str(".*");
                }
            }
            '*' => expression.push_str("[^/]*"),
            '?' => expression.push_str("[^/]"),
            '[' => expression.push_str(&class(&mut rest)?),
            '{' => {
                depth += 1;
                expression.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                expression.push(')');
            }
            ',' if depth > 0 => expression.push('|'),
            char => expression.push_str(&regex::escape(char.encode_utf8(&mut [0; 4]))),
        }
    }
    if depth > 0 {
        return Err(GlobFault::UnclosedAlternates);
    }
    expression.push_str(")$");
    Ok(expression)
}

/// Parses the class after a `[`.
fn class(rest: &mut Chars<'_>) -> Result<String, GlobFault> {
    let inside = rest.as_str().split_once(']');
    let (inside, after) = inside.ok_or(GlobFault::UnclosedClass)?;
    *rest = after.chars();
    let (negated, members) = match inside.strip_prefix(['!', '^']) {
        Some(members) => (true, members),
        None => (false, inside),
    };
    if members.is_empty() {
        return Err(GlobFault::EmptyClass);
    }
    let mut class = String::from(if negated { "[^/" } else { "[" });
    let mut members = members.chars();
    while let Some(first) = members.next() {
        let mut ahead = members.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) => {
                members = ahead;
                last
            }
            _ => first,
        };
        if first > last {
            return Err(GlobFault::InvalidRange(first, last));
        }
        let (first, last) = (u32::from(first), u32::from(last));
        class.push_str(&format!("\\x{{{first:x}}}-\\x{{{last:x}}}"));
    }
    class.push(']');
    Ok(class)
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Glob {}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

impl Serialize for Glob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.pattern)
    }
}

impl<'de> Deserialize<'de> for Glob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_exactly_these_paths() {
        for (pattern, paths, others) in [
            ("*.md", &["a.md", "x/y/b.md"][..], &["a.mdx", "a.md/b"][..]),
            (
                "specs/*.md",
                &["specs/a.md"],
                &["specs/a/b.md", "x/specs/a.md"],
            ),
            ("./specs/*.md", &["specs/a.md"], &["a.md"]),
            ("specs/**", &["specs/a", "specs/a/b"], &["spec/a"]),
            ("**/draft/*", &["draft/a", "x/y/draft/a"], &["xdraft/a"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "ab"]),
            ("a**b/c", &["ab/c", "ax/yb/c"], &["a/c"]),
            ("t/0?-x", &["t/01-x", "t/0é-x"], &["t/0/-x", "t/0-x"]),
            ("t/[0-2a].md", &["t/1.md", "t/a.md"], &["t/3.md", "t/-.md"]),
            ("t/[!0-2]x", &["t/3x", "t/]x"], &["t/1x", "t//x"]),
            ("t/[^a]", &["t/b", "t/^"], &["t/a"]),
            ("t/[&&~]", &["t/&", "t/~"], &["t/x"]),
            ("t/[-a]", &["t/-", "t/a"], &["t/b"]),
            ("t/[a-c-]", &["t/b", "t/-"], &["t/d"]),
            ("t/[a-b-d]", &["t/a", "t/-", "t/d"], &["t/c"]),
            ("t/[[-^]", &["t/[", "t/\\", "t/^"], &["t/a"]),
            (
                "{specs,tasks/{a,b}}/*.md",
                &["specs/x.md", "tasks/b/x.md"],
                &["tasks/c/x.md"],
            ),
            ("a.b+(c)/d,}", &["a.b+(c)/d,}"], &["axb+(c)/d,}"]),
        ] {
            let glob: Glob = pattern.parse().unwrap();
            for path in paths {
                assert!(glob.matches(path), "{pattern} {path}");
            }
            for path in others {
                assert!(!glob.matches(path), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn an_invalid_pattern_is_explained() {
        let fault = |pattern: &str| pattern.parse::<Glob>().unwrap_err().fault;
        let long = "a".repeat(MAX_LENGTH + 1);
        for (pattern, expected) in [
            ("", GlobFault::Empty),
            (long.as_str(), GlobFault::TooLong),
            ("a[b", GlobFault::UnclosedClass),
            ("a[]", GlobFault::EmptyClass),
            ("a[!]", GlobFault::EmptyClass),
            ("{a,{b}", GlobFault::UnclosedAlternates),
            ("[z-a]", GlobFault::InvalidRange('z', 'a')),
            ("t/[a-c9-0]", GlobFault::InvalidRange('9', '0')),
            ("[a--b]", GlobFault::InvalidRange('a', '-')),
        ] {
            assert_eq!(fault(pattern), expected, "{pattern}");
        }
        let deep = format!("{}{}", "{".repeat(500), "}".repeat(500));
        assert_eq!(fault(&deep), GlobFault::TooComplex);
        assert!("a".repeat(MAX_LENGTH).parse::<Glob>().is_ok());
        for (pattern, message) in [
            (
                "[z-a]",
                "error parsing glob '[z-a]': invalid range; 'z' > 'a'",
            ),
            (
                "a[b",
                "error parsing glob 'a[b': unclosed character class; missing ']'",
            ),
            (
                "{a",
                "error parsing glob '{a': unclosed alternate group; missing '}' \
                 (maybe escape '{' with '[{]'?)",
            ),
        ] {
            let error = pattern.parse::<Glob>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_pattern_is_a_string_in_json() {
        let glob: Glob = serde_json::from_str("\"specs/*\"").unwrap();
        assert_eq!(serde_json::to_string(&glob).unwrap(), "\"specs/*\"");
        assert_eq!(
            (glob.to_string(), glob.as_str()),
            ("specs/*".to_owned(), "specs/*")
        );
        assert!(serde_json::from_str::<Glob>("\"[\"").is_err());
        let (a, b) = ("a".parse::<Glob>().unwrap(), "b".parse::<Glob>().unwrap());
        assert!(a != b && a == a.clone());
    }
}
