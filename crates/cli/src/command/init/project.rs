//! The test command of a project that has tests.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use review_process::find_program;
use serde_json::Value as Json;

use super::template::SPEC_COMMAND;

/// The most files that are looked at for a test.
const MAX_FILES: usize = 2_000;
/// Folders deeper than this hold no first test.
const MAX_DEPTH: usize = 6;
/// Folders that hold no tests of the project.
const SKIPPED: [&str; 5] = ["target", "node_modules", "vendor", "venv", "dist"];

/// A kind of project, by the file in its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Cargo,
    Go,
    Npm,
    Pytest,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Cargo, Self::Go, Self::Npm, Self::Pytest];

    const fn markers(self) -> &'static [&'static str] {
        match self {
            Self::Cargo => &["Cargo.toml"],
            Self::Go => &["go.mod"],
            Self::Npm => &["package.json"],
            Self::Pytest => &["pyproject.toml", "pytest.ini", "setup.py", "setup.cfg"],
        }
    }

    const fn program(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Npm => "npm",
            Self::Pytest => "pytest",
        }
    }

    const fn command(self) -> &'static str {
        match self {
            Self::Cargo => "cargo test",
            Self::Go => "go test ./...",
            Self::Npm => "npm test",
            Self::Pytest => "pytest",
        }
    }

    /// Whether a file of the project, by its path from there, holds a test that
    /// the command runs.
    fn is_test(self, path: &Path, text: &str) -> bool {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let line = |begin: &str| {
            text.lines()
                .any(|line| line.trim_start().starts_with(begin))
        };
        match self {
            Self::Cargo => name.ends_with(".rs") && line("#[test]"),
            Self::Go => name.ends_with("_test.go") && line("func Test"),
            Self::Npm => is_test_of_node(path, name),
            Self::Pytest => {
                let named = name.starts_with("test_") || name.ends_with("_test.py");
                named && name.ends_with(".py") && (line("def test") || line("async def test"))
            }
        }
    }
}

/// Whether a file has a name, or is in a folder, in which the runners of
/// `npm test` look for tests.
fn is_test_of_node(path: &Path, name: &str) -> bool {
    const ENDINGS: [&str; 6] = ["js", "cjs", "mjs", "jsx", "ts", "tsx"];
    const FOLDERS: [&str; 3] = ["test", "tests", "__tests__"];
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let is_named = stem == "test" || stem.ends_with(".test") || stem.ends_with(".spec");
    let mut above = path.components().rev().skip(1);
    let is_kept = above.any(|part| FOLDERS.iter().any(|folder| part.as_os_str() == *folder));
    ENDINGS.contains(&ending) && (is_named || is_kept)
}

/// The program that the script `test` of a `package.json` starts with. `npm
/// init` writes a script that fails; it does not count.
fn test_program(package: &str) -> Option<String> {
    let package: Json = serde_json::from_str(package).ok()?;
    let script = package["scripts"]["test"].as_str()?;
    let mut words = script
        .split_whitespace()
        .skip_while(|word| word.contains('='));
    let is_one = !script.contains("no test specified");
    words.next().filter(|_| is_one).map(str::to_owned)
}

/// A folder that may be a project, and the programs that there are.
pub(super) struct Folder {
    path: PathBuf,
    search_path: Option<OsString>,
}

impl Folder {
    /// The folder at `path`, where programs are looked up in `search_path`.
    pub(super) fn new(path: &Path, search_path: Option<&OsStr>) -> Self {
        Self {
            path: path.to_owned(),
            search_path: search_path.map(OsStr::to_owned),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.path.join(name).is_file()
    }

    fn finds(&self, program: &str) -> bool {
        let search_path = self.search_path.as_deref();
        find_program(Path::new(program), search_path, &self.path).is_some()
    }

    /// Whether the command of a kind can be run here.
    fn runs(&self, kind: Kind) -> bool {
        self.finds(kind.program())
            && match kind {
                Kind::Cargo | Kind::Go | Kind::Pytest => true,
                Kind::Npm => self.has_node_runner(),
            }
    }

    /// Whether the script `test` starts with a program that is installed.
    fn has_node_runner(&self) -> bool {
        let package = std::fs::read_to_string(self.path.join("package.json"));
        let program = package.ok().as_deref().and_then(test_program);
        program.is_some_and(|program| {
            self.has(&format!("node_modules/.bin/{program}")) || self.finds(&program)
        })
    }

    /// Whether any file, nearest first, is one that `wanted` wants, by its path
    /// from here and its text.
    fn any(&self, wanted: impl Fn(&Path, &str) -> bool) -> bool {
        let mut folders = vec![(self.path.clone(), 0)];
        let mut left = MAX_FILES;
        while let Some((folder, depth)) = folders.pop() {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            for entry in entries {
                let Ok(name) = entry.file_name().into_string() else {
                    continue;
                };
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir() {
                    let skipped = name.starts_with('.') || SKIPPED.contains(&name.as_str());
                    if depth < MAX_DEPTH && !skipped {
                        folders.push((entry.path(), depth + 1));
                    }
                    continue;
                }
                if left == 0 {
                    return false;
                }
                left -= 1;
                // A file that cannot be read holds no test that could be seen.
                let path = entry.path();
                let inside = path.strip_prefix(&self.path).unwrap_or(&path);
                if std::fs::read_to_string(&path).is_ok_and(|text| wanted(inside, &text)) {
                    return true;
                }
            }
        }
        false
    }
}

/// The command that proves the task: the project's own tests if it has any and
/// their program is here, else a look into the spec.
pub(super) fn test_command(folder: &Folder) -> &'static str {
    let kind = Kind::ALL.into_iter().find(|kind| {
        kind.markers().iter().any(|marker| folder.has(marker))
            && folder.runs(*kind)
            && folder.any(|path, text| kind.is_test(path, text))
    });
    kind.map_or(SPEC_COMMAND, Kind::command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_its_file_and_its_first_words() {
        for (kind, name, text, expected) in [
            (Kind::Cargo, "lib.rs", "mod tests {\n    #[test]\n", true),
            (Kind::Cargo, "lib.rs", "fn main() {} // #[test]", false),
            (Kind::Cargo, "notes.md", "#[test]", false),
            (Kind::Go, "a_test.go", "func TestA(t *testing.T) {}", true),
            (Kind::Go, "a.go", "func TestA(t *testing.T) {}", false),
            (Kind::Go, "a_test.go", "func helper() {}", false),
            (Kind::Npm, "src/a.test.ts", "", true),
            (Kind::Npm, "a.spec.mjs", "", true),
            (Kind::Npm, "test.js", "", true),
            (Kind::Npm, "test/a.js", "", true),
            (Kind::Npm, "src/__tests__/deep/a.tsx", "", true),
            (Kind::Npm, "test/data.json", "", false),
            (Kind::Npm, "src/a.ts", "", false),
            (Kind::Npm, "latest.js", "", false),
            (Kind::Npm, "test", "", false),
            (Kind::Pytest, "test_a.py", "def test_a():\n", true),
            (
                Kind::Pytest,
                "a_test.py",
                "class TestA:\n    async def test_b(self):\n",
                true,
            ),
            (Kind::Pytest, "a.py", "def test_a():\n", false),
            (Kind::Pytest, "test_a.py", "def helper():\n", false),
        ] {
            assert_eq!(
                kind.is_test(Path::new(name), text),
                expected,
                "{name}: {text}"
            );
        }
    }

    #[test]
    fn a_script_is_run_by_its_first_word() {
        for (package, expected) in [
            (r#"{"scripts":{"test":"vitest run"}}"#, Some("vitest")),
            (
                r#"{"scripts":{"test":"NODE_ENV=test A=b mocha -R dot"}}"#,
                Some("mocha"),
            ),
            (
                r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
                None,
            ),
            (r#"{"scripts":{"test":" "}}"#, None),
            (r#"{"scripts":{"build":"x"}}"#, None),
            ("not json", None),
        ] {
            assert_eq!(test_program(package).as_deref(), expected, "{package}");
        }
    }
}
