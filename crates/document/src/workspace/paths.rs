//! The set of existing files.

use std::collections::HashMap;
use std::sync::Arc;

use review_text::near::{composed, fold};

/// The files below the root, by their paths with `/` between the parts.
///
/// Folders exist through the files inside them. A clone shares its list with the
/// original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSet(Arc<PathList>);

#[derive(Debug, Default, PartialEq, Eq)]
struct PathList {
    files: Vec<String>,
    by_name: HashMap<String, Vec<usize>>,
    languages: Vec<Language>,
}

/// A programming language that the rules support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 4] = [Self::Rust, Self::Go, Self::Python, Self::JavaScript];

    /// Returns whether the name of a file is that of a source file in this language.
    pub fn is_source(self, path: &str) -> bool {
        let extensions: &[&str] = match self {
            Self::Rust => &["rs"],
            Self::Go => &["go"],
            Self::Python => &["py"],
            Self::JavaScript => &["js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "cts"],
        };
        path.rsplit_once('.')
            .is_some_and(|(_, extension)| extensions.contains(&extension))
    }
}

impl PathSet {
    /// Returns all files, sorted.
    pub fn files(&self) -> &[String] {
        &self.0.files
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.files.is_empty()
    }

    /// Returns whether there is a file or folder at `path`.
    pub fn contains(&self, path: &str) -> bool {
        self.is_file(path) || !self.below(path).is_empty()
    }

    /// Returns whether there is a file at `path`.
    pub fn is_file(&self, path: &str) -> bool {
        self.file(path).is_some()
    }

    /// Returns the file at `path`, also where its name is stored with other code points
    /// for the same characters.
    pub fn file(&self, path: &str) -> Option<&str> {
        let found = self
            .0
            .files
            .binary_search_by(|file| file.as_str().cmp(path));
        match found {
            Ok(at) => Some(&self.0.files[at]),
            Err(_) if path.is_ascii() => None,
            Err(_) => self
                .named(file_name(path))
                .find(|file| composed(file) == composed(path)),
        }
    }

    /// Returns the files in the folder at `path` and its subfolders; all for the empty
    /// path.
    pub fn below(&self, path: &str) -> &[String] {
        let path = path.trim_end_matches('/');
        if path.is_empty() {
            return &self.0.files;
        }
        let is_before = |file: &String| match file.strip_prefix(path) {
            Some(rest) => rest < "/",
            None => file.as_str() < path,
        };
        let is_below = |file: &String| {
            let rest = file.strip_prefix(path);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let start = self.0.files.partition_point(is_before);
        let rest = &self.0.files[start..];
        &rest[..rest.partition_point(is_below)]
    }

    /// Returns the files of this name in any folder.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &str> {
        let composed_name = composed(name).into_owned();
        self.alike(name)
            .filter(move |file| composed(file_name(file)) == composed_name)
    }

    /// Returns the files of this name in any folder, ignoring case and with `_` equal to
    /// `-`.
    pub fn alike(&self, name: &str) -> impl Iterator<Item = &str> {
        let found = self.0.by_name.get(&fold(name)).into_iter().flatten();
        found.map(|&at| self.0.files[at].as_str())
    }

    /// Returns whether any file is source of this language.
    pub fn has_source(&self, language: Language) -> bool {
        self.0.languages.contains(&language)
    }
}

impl<S: Into<String>> FromIterator<S> for PathSet {
    fn from_iter<I: IntoIterator<Item = S>>(files: I) -> Self {
        let mut files: Vec<String> = files.into_iter().map(Into::into).collect();
        files.sort_unstable();
        files.dedup();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, file) in files.iter().enumerate() {
            by_name.entry(fold(file_name(file))).or_default().push(at);
        }
        let has = |language: &Language| files.iter().any(|file| language.is_source(file));
        let languages = Language::ALL.into_iter().filter(has).collect();
        Self(Arc::new(PathList {
            files,
            by_name,
            languages,
        }))
    }
}

/// Returns the name of a file without its folder.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> PathSet {
        PathSet::from_iter([
            "src/b/c.rs",
            "src/a.go",
            "src/b.md",
            "docs/c.rs",
            "src/a.go",
        ])
    }

    #[test]
    fn folders_exist_through_their_files() {
        let paths = sample();
        for path in ["src", "src/b", "src/b/", "src/b/c.rs", "docs"] {
            assert!(paths.contains(path), "{path}");
        }
        for path in ["sr", "src/c", "src/b/c", "c.rs"] {
            assert!(!paths.contains(path), "{path}");
        }
        assert!(paths.is_file("src/b.md") && !paths.is_file("src/b"));
    }

    #[test]
    fn files_are_listed_by_folder_and_by_name() {
        let paths = sample();
        assert_eq!(paths.below("src/b"), ["src/b/c.rs"]);
        assert_eq!(paths.below("src/b"), paths.below("src/b//"));
        assert_eq!(paths.below("").len(), 4);
        assert_eq!(paths.files().len(), 4);
        assert_eq!(
            paths.named("c.rs").collect::<Vec<_>>(),
            ["docs/c.rs", "src/b/c.rs"]
        );
        assert_eq!(paths.named("src").count(), 0);
    }

    #[test]
    fn languages_are_detected_by_their_files() {
        let paths = sample();
        let has: Vec<_> = Language::ALL
            .map(|language| paths.has_source(language))
            .into();
        assert_eq!(has, [true, true, false, false]);
        assert!(Language::JavaScript.is_source("a/b.test.tsx"));
        assert!(!Language::Python.is_source("py"));
    }

    #[test]
    fn sets_are_equal_by_their_files() {
        let paths = sample();
        assert_eq!(paths.named("x").count(), 0);
        assert_eq!(paths, sample());
        assert_ne!(paths, PathSet::default());
        assert!(PathSet::default().is_empty() && !paths.is_empty());
    }
}
