//! The recipes of a justfile and the targets of a makefile.

use std::collections::BTreeSet;

/// A file with recipes that a command can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeFile {
    /// The program that runs them.
    pub tool: RecipeTool,
    /// Its folder, relative to the root.
    pub folder: String,
    /// The names of its recipes, sorted.
    pub names: Vec<String>,
    /// Whether the list is complete: no further ones come from other files, patterns or
    /// variables.
    pub is_whole: bool,
}

/// A program that runs recipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecipeTool {
    /// `just`.
    Just,
    /// `make`.
    Make,
}

impl RecipeTool {
    /// Returns the names of the files that it looks for, in order of precedence.
    pub const fn file_names(self) -> &'static [&'static str] {
        match self {
            Self::Just => &["justfile", "Justfile", ".justfile"],
            Self::Make => &["GNUmakefile", "makefile", "Makefile"],
        }
    }
}

impl RecipeFile {
    /// Parses the file of `tool` in `folder`. Never fails: everything but recipes is
    /// ignored.
    ///
    /// ```
    /// use review_document::workspace::{RecipeFile, RecipeTool};
    ///
    /// let file = RecipeFile::parse(RecipeTool::Just, "", "test name='all': build\n    cargo test\n");
    /// assert_eq!(file.names, ["test"]);
    /// ```
    pub fn parse(tool: RecipeTool, folder: impl Into<String>, text: &str) -> Self {
        let mut reader = RecipeReader {
            names: BTreeSet::new(),
            is_whole: true,
        };
        let mut continued = false;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let is_head = !continued && !line.starts_with([' ', '\t', '#']) && !line.is_empty();
            if is_head {
                match tool {
                    RecipeTool::Just => reader.just(line),
                    RecipeTool::Make => reader.make(line),
                }
            }
            continued = line.ends_with('\\');
        }
        Self {
            tool,
            folder: folder.into(),
            names: reader.names.into_iter().collect(),
            is_whole: reader.is_whole,
        }
    }
}

struct RecipeReader {
    names: BTreeSet<String>,
    is_whole: bool,
}

impl RecipeReader {
    fn just(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if matches!(first.trim_end_matches('?'), "import" | "mod") {
            self.is_whole = false;
            return;
        }
        if first == "set" && words.next() == Some("fallback") {
            self.is_whole = false;
            return;
        }
        if first == "alias" {
            self.names.extend(words.next().map(str::to_owned));
            return;
        }
        let Some((head, behind)) = line.split_once(':') else {
            return;
        };
        if !behind.starts_with('=') {
            let name = head.trim_start_matches('@').split_whitespace().next();
            self.names.extend(name.map(str::to_owned));
        }
    }

    fn make(&mut self, line: &str) {
        let first = line.split_whitespace().next().unwrap_or_default();
        if matches!(first, "include" | "-include" | "sinclude" | "define") {
            self.is_whole = false;
            return;
        }
        let Some((head, behind)) = line.split_once(':') else {
            return;
        };
        if head.contains('=') || behind.trim_start_matches(':').starts_with('=') {
            return;
        }
        self.is_whole &= !head.contains(['%', '$', '*', '?', '[']);
        for name in head.split_whitespace() {
            match name {
                ".PHONY" => self
                    .names
                    .extend(behind.split_whitespace().map(str::to_owned)),
                ".DEFAULT" => self.is_whole = false,
                name => {
                    self.names.insert(name.to_owned());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tool: RecipeTool, text: &str) -> (Vec<String>, bool) {
        let file = RecipeFile::parse(tool, "a", text);
        assert_eq!((file.tool, file.folder.as_str()), (tool, "a"));
        (file.names, file.is_whole)
    }

    #[test]
    fn recipes_of_just_are_parsed() {
        let text = "\
# list: all
set shell := [\"bash\"]
version := \"a:b\"
export X := \"1\"
alias t := test

[private]
@build target='all' *args: clean
    echo done: now
test:
clean:
long a \\
b: build
";
        let names = ["b", "build", "clean", "t", "test"].map(str::to_owned);
        let (read_names, is_whole) = read(RecipeTool::Just, text);
        assert_eq!(read_names, names[1..]);
        assert!(is_whole);
        for other in [
            "import 'a.just'",
            "import? 'a'",
            "mod a",
            "mod? a",
            "set fallback",
        ] {
            let (names, is_whole) = read(RecipeTool::Just, &format!("{other}\na:\n"));
            assert_eq!((names, is_whole), (vec!["a".to_owned()], false), "{other}");
        }
        assert!(read(RecipeTool::Just, "set dotenv-load\n").1);
    }

    #[test]
    fn targets_of_make_are_parsed() {
        let text = "\
# a: b
VERSION := a:b
X ?= c:d
Y ::= e
.PHONY: test lint
build bin/app: main.go
\tgo build: x
test:: build
";
        let names = ["bin/app", "build", "lint", "test"].map(str::to_owned);
        assert_eq!(read(RecipeTool::Make, text), (names.to_vec(), true));
        for other in [
            "include a.mk",
            "-include a.mk",
            "sinclude a.mk",
            "define x",
            "%.o: %.c",
            "$(NAMES): x",
            ".DEFAULT: x",
        ] {
            let (names, is_whole) = read(RecipeTool::Make, &format!("{other}\na:\n"));
            assert!(names.contains(&"a".to_owned()), "{other}");
            assert!(!is_whole, "{other}");
        }
    }

    #[test]
    fn files_have_several_names() {
        assert_eq!(RecipeTool::Just.file_names()[0], "justfile");
        assert_eq!(RecipeTool::Make.file_names()[2], "Makefile");
    }
}
