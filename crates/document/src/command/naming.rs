//! The test names of each runner: which strings are valid.

use serde::Deserialize;

use super::Runner;

/// The form of the names of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameForm {
    /// `name` and `module::name`.
    Rust,
    /// `TestName` and `TestName/subtest`.
    Go,
    /// `test_name`, `TestClass::test_name` and `file.py::test_name[case]`.
    Python,
    /// Any string.
    #[default]
    Title,
}

impl NameForm {
    /// Returns the name of a test in a string; `None` when it cannot be one.
    pub fn name(self, text: &str) -> Option<&str> {
        let bare = text.strip_suffix("()").unwrap_or(text);
        match self {
            Self::Rust => rust(bare),
            Self::Go => go(bare),
            Self::Python => python(bare),
            Self::Title => Some(text),
        }
    }
}

impl Runner {
    /// Returns the program that reports its tests, and the form of their names; `None`
    /// when it is not a test runner.
    pub const fn reporter(self) -> Option<(&'static str, NameForm)> {
        match self {
            Self::CargoTest => Some(("cargo test", NameForm::Rust)),
            Self::CargoNextest => Some(("cargo nextest", NameForm::Rust)),
            Self::GoTest => Some(("go test", NameForm::Go)),
            Self::Pytest => Some(("pytest", NameForm::Python)),
            Self::Jest => Some(("jest", NameForm::Title)),
            Self::Vitest => Some(("vitest", NameForm::Title)),
            Self::Mocha => Some(("mocha", NameForm::Title)),
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
    pub fn test_name(self, cell: &str) -> Option<&str> {
        self.reporter()?.1.name(cell)
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
}
