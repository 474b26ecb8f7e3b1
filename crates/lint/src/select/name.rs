//! Whether a code span is the name of a test, and which.

use memchr::{memchr, memrchr};
use review_document::command::Runner;

/// The name by which `runner` knows the test that a cell names; `None` when
/// it is no name of one of its tests.
pub(super) fn of_test(runner: Runner, cell: &str) -> Option<&str> {
    let bare = cell.strip_suffix("()").unwrap_or(cell);
    match runner {
        Runner::GoTest => go(bare),
        Runner::CargoTest | Runner::CargoNextest => rust(bare),
        Runner::Pytest => python(bare),
        Runner::Jest | Runner::Vitest | Runner::Mocha => Some(cell),
        Runner::PackageScript
        | Runner::Make
        | Runner::Just
        | Runner::Script
        | Runner::Build
        | Runner::Check
        | Runner::Other => None,
    }
}

/// Whether a text holds nothing but letters, digits and `_`.
fn is_ident(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(plain) || text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// `TestName`, `TestName/subtest`, also behind the name of a package.
fn go(cell: &str) -> Option<&str> {
    let slash = memchr(b'/', cell.as_bytes()).unwrap_or(cell.len());
    let dot = memrchr(b'.', &cell.as_bytes()[..slash]);
    let name = &cell[dot.map_or(0, |dot| dot + 1)..];
    let rest = ["Test", "Fuzz", "Example"]
        .iter()
        .find_map(|kind| name.strip_prefix(kind))?;
    let word = &rest[..slash.saturating_sub(cell.len() - rest.len())];
    (is_ident(word) && !word.starts_with(char::is_lowercase)).then_some(name)
}

/// `name`, `module::name`, also behind `fn`.
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
    fn names_are_told_from_other_code() {
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
            assert_eq!(of_test(runner, cell), name, "{runner:?} {cell}");
        }
    }
}
