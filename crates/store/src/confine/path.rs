//! Paths relative to the root.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use super::ConfineError;

/// A path relative to the root, with `/` as the separator and without `.` or `..`. The
/// root itself is the empty path.
///
/// ```
/// use review_store::RootPath;
///
/// let path = RootPath::new("./tasks//web/../git/01-a.md")?;
/// assert_eq!(path.as_str(), "tasks/git/01-a.md");
/// assert!(RootPath::new("../secret").is_err());
/// # Ok::<(), review_store::ConfineError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootPath(String);

impl RootPath {
    /// Normalizes a path that is relative to the root.
    ///
    /// # Errors
    /// [`ConfineError::Outside`] if it is absolute, leads above the root, or contains a
    /// zero byte.
    pub fn new(path: &str) -> Result<Self, ConfineError> {
        let outside = || ConfineError::Outside {
            path: PathBuf::from(path),
            root: None,
        };
        if path.contains('\0') {
            return Err(outside());
        }
        let mut parts = Vec::new();
        for part in Path::new(path).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop().ok_or_else(outside)?;
                }
                Component::Normal(part) => parts.extend(part.to_str()),
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        Ok(Self(parts.join("/")))
    }

    pub(super) fn from_path(path: &Path) -> Result<Self, ConfineError> {
        let text = path.to_str().ok_or_else(|| ConfineError::NotUtf8 {
            path: path.to_owned(),
        })?;
        Self::new(text)
    }

    /// The path as a string; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of a child of this folder.
    pub(crate) fn child(&self, name: &str) -> Self {
        if self.0.is_empty() {
            Self(name.to_owned())
        } else {
            Self(format!("{}/{name}", self.0))
        }
    }

    /// The folder and the name.
    pub(crate) fn split(&self) -> (&str, &str) {
        self.0.rsplit_once('/').unwrap_or(("", &self.0))
    }

    /// The parent folder.
    pub(crate) fn parent(&self) -> Self {
        Self(self.split().0.to_owned())
    }
}

/// Shows the root as `.`.
impl fmt::Display for RootPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_normalized_or_rejected() {
        for (text, expected) in [
            ("a/b.md", Some("a/b.md")),
            ("./a//b/", Some("a/b")),
            ("a/../b", Some("b")),
            ("", Some("")),
            (".", Some("")),
            ("a/..", Some("")),
            ("a\\b", Some("a\\b")),
            ("..", None),
            ("a/../../b", None),
            ("/etc/passwd", None),
            ("a\0b", None),
        ] {
            let got = RootPath::new(text).ok();
            assert_eq!(got.as_ref().map(RootPath::as_str), expected, "{text:?}");
        }
    }

    #[test]
    fn folder_and_name_are_split() {
        let path = RootPath::new("a/b/c").expect("inside");
        assert_eq!(path.split(), ("a/b", "c"));
        assert_eq!(path.parent().child("d").as_str(), "a/b/d");
        let top = RootPath::new("c").expect("inside");
        assert_eq!(top.parent().child("d").as_str(), "d");
        assert_eq!(
            (top.parent().to_string(), top.to_string()),
            (".".into(), "c".into())
        );
    }

    proptest! {
        #[test]
        fn no_path_leads_out(text in "[a./\\\\\0]{0,16}") {
            if let Ok(path) = RootPath::new(&text) {
                let parts: Vec<_> = path.as_str().split('/').collect();
                let legal = |part: &&str| !part.is_empty() && *part != "." && *part != "..";
                prop_assert!(path.as_str().is_empty() || parts.iter().all(legal), "{path:?}");
                prop_assert_eq!(RootPath::new(path.as_str()).ok(), Some(path));
            }
        }
    }
}
