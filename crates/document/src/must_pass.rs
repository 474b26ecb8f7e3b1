//! The tests in the Must Pass tables of a task.

use crate::markdown::{Cell, Heading, Outline, Table, inside};
use crate::span::Span;

/// A test in a Must Pass table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedTest<'a> {
    /// The name as written, without backticks.
    pub name: &'a str,
    /// Its place.
    pub span: Span,
    /// Whether it is written as code.
    pub is_code: bool,
    /// Whether its row leaves the column empty that says what the test
    /// asserts.
    pub is_unexplained: bool,
}

/// Returns the names in the Must Pass tables of a document: cells of the test column
/// that are one code span, or one word that can only be the name of a test.
/// Other cells are prose, such as `Build succeeds`.
///
/// ```
/// use review_document::listed_tests;
/// use review_document::markdown::Outline;
///
/// let table = "### Must Pass\n\n| Test | Assertion |\n|---|---|\n| `keeps` | x |\n| It works | y |\n";
/// let outline = Outline::parse(table);
/// let names: Vec<_> = listed_tests(&outline).iter().map(|test| test.name).collect();
/// assert_eq!(names, ["keeps"]);
/// ```
pub fn listed_tests(outline: &Outline) -> Vec<ListedTest<'_>> {
    let must_pass = |heading: &&Heading| heading.text.to_ascii_lowercase().contains("must pass");
    let mut found = Vec::new();
    let mut end = 0;
    for heading in outline.headings.iter().filter(must_pass) {
        let section = Span::new(heading.section.start.max(end), heading.section.end);
        end = section.end;
        for table in inside(&outline.tables, section, |table| table.span) {
            listed_in(table, &mut found);
        }
    }
    found
}

/// Returns the tests in a table.
fn listed_in<'a>(table: &'a Table, found: &mut Vec<ListedTest<'a>>) {
    let is_test = |head: &str| {
        let head = head.as_bytes().get(..4);
        head.is_some_and(|head| head.eq_ignore_ascii_case(b"test"))
    };
    let column = table.column(is_test).unwrap_or_default();
    let explains = table.header.len() > column + 1;
    for row in &table.rows {
        let Some((name, span, is_code)) = row.get(column).and_then(name_in) else {
            continue;
        };
        let is_empty = |cell: &Cell| !cell.text.contains(char::is_alphanumeric);
        found.push(ListedTest {
            name,
            span,
            is_code,
            is_unexplained: explains && row[column + 1..].iter().all(is_empty),
        });
    }
}

/// Returns the name that is the whole cell, its place, and whether it is code.
fn name_in(cell: &Cell) -> Option<(&str, Span, bool)> {
    if let Some(code) = cell.codes.first() {
        let name = code.text.trim();
        let alone = cell.codes.len() == 1 && cell.text == name;
        return alone.then_some((name, code.span, true));
    }
    let name = cell.text.trim();
    is_only_a_test(name).then_some((name, cell.span, false))
}

/// Returns whether a word is `TestName`, `test_name` or `module::name`.
fn is_only_a_test(word: &str) -> bool {
    let after = |prefix| {
        word.strip_prefix(prefix)
            .and_then(|rest: &str| rest.chars().next())
    };
    let is_go = after("Test").is_some_and(|next| next.is_uppercase() || next == '_');
    let is_named = is_go || after("test_").is_some() || word.contains("::");
    is_named && !word.contains(|char: char| char.is_whitespace() || "*<>=".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, bool)> {
        let outline = Outline::parse(text);
        let tests = listed_tests(&outline);
        let tests = tests.iter();
        tests
            .map(|test| (test.name.to_owned(), test.is_code))
            .collect()
    }

    #[test]
    fn tests_are_cells_of_one_code_span_and_unambiguous_words() {
        let text = "# T\n\n## The tests that MUST PASS\n\n| # | Test |\n|---|---|\n\
                    | 1 | `a` |\n| 2 | Compilation |\n| 3 | `b` and more |\n| 4 | `c` `d` |\n\
                    | 5 | TestStore_Keeps |\n| 6 | All TestStore* tests pass |\n| 7 | TestStore* |\n\
                    | 8 | Testing |\n| 9 | test_keeps |\n| 10 | store::keeps |\n| 11 | Build |\n\n\
                    ## Other\n\n| Test |\n|---|\n| `e` |\n";
        let expected = [
            ("a", true),
            ("TestStore_Keeps", false),
            ("test_keeps", false),
            ("store::keeps", false),
        ];
        assert_eq!(
            names(text),
            expected.map(|(name, code)| (name.to_owned(), code))
        );
    }

    #[test]
    fn a_test_is_unexplained_if_every_later_column_of_its_row_is_empty() {
        for (head, row, expected) in [
            ("| Test |", "| `a` |", false),
            ("| # | Test |", "| 1 | `a` |", false),
            ("| Test | Asserts |", "| `a` | it |", false),
            ("| Test | Asserts |", "| `a` | - |", true),
            ("| Test | Asserts |", "| `a` |", true),
            ("| Test | Asserts | Note |", "| `a` | | it |", false),
            ("| Test | Asserts | Note |", "| `a` | | |", true),
            ("| # | Test | Asserts |", "| 1 | `a` | |", true),
        ] {
            let rule = "|---".repeat(head.matches('|').count() - 1);
            let outline = Outline::parse(&format!("## Must Pass\n\n{head}\n{rule}|\n{row}\n"));
            let tests = listed_tests(&outline);
            let tests: Vec<_> = tests
                .iter()
                .map(|test| (test.name, test.is_unexplained))
                .collect();
            assert_eq!(tests, [("a", expected)], "{head} {row}");
        }
    }
}
