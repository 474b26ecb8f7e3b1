//! The test names of each runner: which strings are valid, and when a runner
//! prints the names of the tests that it ran.

use super::{Runner, Script};

/// A program that reports the results of tests. Programs with the same format are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reporter {
    /// `cargo test`, and every other libtest.
    CargoTest,
    /// `cargo nextest run`.
    CargoNextest,
    /// `go test`.
    GoTest,
    /// `pytest`.
    Pytest,
    /// Python's own unittest.
    Unittest,
    /// `jest`.
    Jest,
    /// `vitest`.
    Vitest,
    /// `mocha`.
    Mocha,
    /// `bun test`.
    Bun,
    /// The Test Anything Protocol, and `node --test`.
    Tap,
    /// JUnit XML.
    JUnit,
}

/// Whether a string is the name of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IsTest {
    /// It is not a name that the reporter could print.
    No,
    /// It may be one.
    Perhaps,
    /// It is one, judging by its form.
    Surely,
}

/// The form of the names of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameForm {
    Rust,
    Go,
    Python,
    /// Any string.
    Title,
}

impl Reporter {
    /// Returns the form of its names, and the reason when it does not print them all.
    const fn row(self) -> (NameForm, &'static str) {
        use NameForm::{Go, Python, Rust, Title};
        match self {
            Self::CargoTest => (
                Rust,
                "tests are not all named by `cargo test` with `-q` or `--nocapture`",
            ),
            Self::CargoNextest => (
                Rust,
                "tests are not all named by `cargo nextest run` below `--status-level pass`",
            ),
            Self::GoTest => (
                Go,
                "tests are not named by `go test` without `-v` or `-json`",
            ),
            Self::Pytest => (Python, "tests are not all named by `pytest` without `-v`"),
            Self::Unittest => (Python, "the names that `unittest` prints are not parsed"),
            Self::Jest => (
                Title,
                "tests of several files are not named by `jest` without `--verbose`",
            ),
            Self::Vitest => (
                Title,
                "tests are not named by `vitest` without `--reporter=verbose`",
            ),
            Self::Mocha => (
                Title,
                "tests are not named by `mocha` without `--reporter spec`",
            ),
            Self::Bun => (Title, "the names that `bun test` prints are not parsed"),
            Self::Tap => (Title, "not every line of the TAP output names a test"),
            Self::JUnit => (Title, "the JUnit output was not read to its end"),
        }
    }

    /// Returns why it does not print the names of all tests that it ran.
    #[must_use]
    pub const fn unnamed(self) -> &'static str {
        self.row().1
    }

    /// Returns whether a string is the name of one of its tests.
    #[must_use]
    pub fn is_test(self, text: &str) -> IsTest {
        let sure = |name: Option<&str>| name.map_or(IsTest::No, |_| IsTest::Surely);
        let bare = without_call(text);
        match self.row().0 {
            NameForm::Rust => sure(rust(bare).filter(|name| !SUBCOMMANDS.contains(name))),
            NameForm::Go => sure(go(bare)),
            NameForm::Python => sure(python(bare)),
            NameForm::Title => title(text),
        }
    }
}

impl Runner {
    /// Returns the reporter of its tests; `None` when it is not a test runner.
    #[must_use]
    pub const fn reporter(self) -> Option<Reporter> {
        match self {
            Self::CargoTest => Some(Reporter::CargoTest),
            Self::CargoNextest => Some(Reporter::CargoNextest),
            Self::GoTest => Some(Reporter::GoTest),
            Self::Pytest => Some(Reporter::Pytest),
            Self::Jest => Some(Reporter::Jest),
            Self::Vitest => Some(Reporter::Vitest),
            Self::Mocha => Some(Reporter::Mocha),
            Self::PackageScript
            | Self::Make
            | Self::Just
            | Self::Script
            | Self::Build
            | Self::Check
            | Self::Other => None,
        }
    }

    /// Returns its name for the test in a table cell; `None` when that is not a valid
    /// name of one of its tests.
    #[must_use]
    pub fn test_name(self, cell: &str) -> Option<&str> {
        let bare = without_call(cell);
        match self.reporter()?.row().0 {
            NameForm::Rust => rust(bare),
            NameForm::Go => go(bare),
            NameForm::Python => python(bare),
            NameForm::Title => Some(cell),
        }
    }
}

/// Words that name a build step where a test may be named.
const SUBCOMMANDS: [&str; 7] = ["bench", "build", "check", "clippy", "doc", "fmt", "test"];

/// Programs without known commands whose names start no title.
const PROGRAMS: [&str; 12] = [
    "biome",
    "curl",
    "docker",
    "git",
    "helm",
    "kubectl",
    "npx",
    "pip",
    "poetry",
    "pre-commit",
    "terraform",
    "uv",
];

fn without_call(text: &str) -> &str {
    text.strip_suffix("()").unwrap_or(text)
}

/// Returns whether a string can be the title of a test: any can. A single word may
/// also be a function, and the first word of several a program.
fn title(text: &str) -> IsTest {
    let template = |word: &str| word.starts_with('-') || word.contains(['%', '$', '=', '{']);
    let first = text.split_whitespace().next().unwrap_or_default();
    let several = text.trim().len() > first.len();
    if !several || PROGRAMS.contains(&first) || text.split_whitespace().any(template) {
        return IsTest::Perhaps;
    }
    let script = Script::parse(text);
    let is_command = |runner| runner != Runner::Other;
    let runs = script.invocations().first().map(|run| run.runner);
    match runs.is_some_and(is_command) {
        true => IsTest::Perhaps,
        false => IsTest::Surely,
    }
}

/// Returns whether a string has only letters, digits and `_`.
fn is_ident(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// `TestName`, `TestName/subtest`, also after the name of a package.
fn go(cell: &str) -> Option<&str> {
    let slash = cell.find('/').unwrap_or(cell.len());
    let dot = cell[..slash].rfind('.');
    let name = &cell[dot.map_or(0, |dot| dot + 1)..];
    let rest = ["Test", "Fuzz", "Example"]
        .iter()
        .find_map(|kind| name.strip_prefix(kind))?;
    let word = &rest[..slash.saturating_sub(cell.len() - rest.len())];
    (is_ident(word) && !word.starts_with(char::is_lowercase)).then_some(name)
}

/// `name`, `module::name`, also after `fn`.
fn rust(cell: &str) -> Option<&str> {
    let path = cell.strip_prefix("fn ").unwrap_or(cell);
    let ident =
        |part: &str| part.starts_with(|c: char| c.is_lowercase() || c == '_') && is_ident(part);
    path.split("::").all(ident).then_some(path)
}

/// `test_name`, `TestClass::test_name`, `file.py::test_name[case]`.
fn python(cell: &str) -> Option<&str> {
    let path = cell.strip_prefix("def ").unwrap_or(cell);
    let last = path.rsplit("::").next().unwrap_or_default();
    let name = last.split('[').next().unwrap_or_default();
    (is_ident(name) && (name.starts_with("test") || name.starts_with("Test"))).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished_from_other_code() {
        use Runner::{CargoTest, GoTest, Make, Pytest, Vitest};
        let cases = [
            (GoTest, "TestA_b", Some("TestA_b")),
            (GoTest, "TestA/with case.", Some("TestA/with case.")),
            (GoTest, "worker.TestRun()", Some("TestRun")),
            (GoTest, "Test", Some("Test")),
            (GoTest, "FuzzA", Some("FuzzA")),
            (GoTest, "BenchmarkA", None),
            (GoTest, "Testing", None),
            (GoTest, "choo run --help", None),
            (GoTest, "TestA = 3", None),
            (CargoTest, "a::b_1", Some("a::b_1")),
            (CargoTest, "fn works()", Some("works")),
            (CargoTest, "TestA", None),
            (CargoTest, "a b", None),
            (
                Pytest,
                "tests/test_a.py::TestB::test_c[x y]",
                Some("tests/test_a.py::TestB::test_c[x y]"),
            ),
            (Pytest, "def test_a()", Some("test_a")),
            (Pytest, "parse", None),
            (Pytest, "test_a = 1", None),
            (GoTest, "TestA-b", None),
            (Vitest, "parses (a)", Some("parses (a)")),
            (Make, "test_a", None),
        ];
        for (runner, cell, name) in cases {
            assert_eq!(runner.test_name(cell), name, "{runner:?} {cell}");
        }
    }
    #[test]
    fn a_string_is_surely_a_test_only_if_it_can_be_nothing_else() {
        use IsTest::{No, Perhaps, Surely};
        use Reporter::{CargoTest, GoTest, Jest, Pytest, Tap};
        for (reporter, text, expected) in [
            (CargoTest, "store::keeps", Surely),
            (CargoTest, "keeps()", Surely),
            (CargoTest, "clippy", No),
            (CargoTest, "cargo clippy", No),
            (CargoTest, "TestStore", No),
            (GoTest, "TestStore/with links", Surely),
            (GoTest, "PRDStatusDraft", No),
            (GoTest, "--container-mode", No),
            (Pytest, "tests/test_a.py::test_b[x]", Surely),
            (Pytest, "ruff check", No),
            (Jest, "store > keeps its links", Surely),
            (Jest, "adds %i + %i", Perhaps),
            (Jest, "adds", Perhaps),
            (Jest, "npm run build", Perhaps),
            (Jest, "docker compose up", Perhaps),
            (Tap, "tsc --noEmit", Perhaps),
            (Tap, "GET /users answers with 200", Surely),
        ] {
            assert_eq!(reporter.is_test(text), expected, "{reporter:?} {text}");
        }
    }
}
