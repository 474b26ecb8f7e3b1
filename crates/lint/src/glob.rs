//! Glob patterns for paths.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

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
    matcher: GlobMatcher,
}

/// A string that is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// It is empty.
    #[error("the pattern is empty")]
    Empty,
    /// It cannot be read.
    #[error(transparent)]
    Invalid(#[from] globset::Error),
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
        self.matcher.is_match(text)
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
        if pattern.is_empty() {
            return Err(GlobError::Empty);
        }
        let mut builder = GlobBuilder::new(pattern.trim_start_matches("./"));
        let glob = builder.literal_separator(true).build()?;
        Ok(Self {
            pattern: pattern.to_owned(),
            matcher: glob.compile_matcher(),
        })
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Glob {}

impl PartialOrd for Glob {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Glob {
    fn cmp(&self, other: &Self) -> Ordering {
        self.pattern.cmp(&other.pattern)
    }
}

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
            ("a**b/c", &["ab/c", "axb/c"], &["ax/yb/c", "a/c"]),
            ("t/0?-x", &["t/01-x", "t/0a-x"], &["t/0/-x", "t/0-x"]),
            ("t/[0-2a].md", &["t/1.md", "t/a.md"], &["t/3.md", "t/-.md"]),
            ("t/[!0-2]x", &["t/3x", "t/]x"], &["t/1x"]),
            ("t/[^a]", &["t/b", "t/^"], &["t/a"]),
            ("t/[&&~]", &["t/&", "t/~"], &["t/x"]),
            ("t/[-a]", &["t/-", "t/a"], &["t/b"]),
            ("t/[a-c-]", &["t/b", "t/-"], &["t/d"]),
            ("t/[[-^]", &["t/[", "t/\\", "t/^"], &["t/a"]),
            (
                "{specs,tasks/{a,b}}/*.md",
                &["specs/x.md", "tasks/b/x.md"],
                &["tasks/c/x.md"],
            ),
            ("a.b+(c)/d,", &["a.b+(c)/d,"], &["axb+(c)/d,"]),
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
        for (pattern, message) in [
            ("", "the pattern is empty"),
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
