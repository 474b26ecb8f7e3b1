//! The JUnit files that test runners write, which name the tests that ran.

use std::sync::LazyLock;

use regex::Regex;

use super::listed::Ended;

#[expect(
    clippy::expect_used,
    reason = "the expression is part of the program; tests use it"
)]
fn regex(text: &str) -> Regex {
    Regex::new(text).expect("a valid regular expression")
}

/// A tag that counts; comments and quoted output are skipped.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?s)<!\[CDATA\[.*?\]\]>|<!--.*?-->|<(?<end>/?)(?<tag>testsuites?|testcase|failure|error|skipped)(?<attributes>(?:\s(?:"[^"]*"|[^<>"])*)?/?)>"#,
    )
});

static CLASS: LazyLock<Regex> = LazyLock::new(|| regex(r#"\sclassname="([^"]*)""#));

static NAME: LazyLock<Regex> = LazyLock::new(|| regex(r#"\sname="([^"]*)""#));

/// A test of a JUnit file.
pub(super) struct JUnitTest {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) ended: Ended,
    /// Whether it is a file that could not be loaded.
    pub(super) is_unloaded: bool,
}

/// Returns the tests of a JUnit file; `None` if it is not one, or is cut off.
pub(super) fn junit_tests(text: &str) -> Option<Vec<JUnitTest>> {
    let mut tests: Vec<JUnitTest> = Vec::new();
    let (mut opened, mut closed) = (0_u64, 0_u64);
    for found in TAG.captures_iter(text) {
        let part = |group| found.name(group).map_or("", |part| part.as_str());
        let attributes = part("attributes");
        let (is_end, is_empty) = (part("end") == "/", attributes.ends_with('/'));
        let ended = match part("tag") {
            "testsuite" | "testsuites" => {
                opened += u64::from(!is_end);
                closed += u64::from(is_end || is_empty);
                continue;
            }
            "testcase" if !is_end => {
                tests.push(JUnitTest {
                    class: attribute(&CLASS, attributes),
                    name: attribute(&NAME, attributes),
                    ended: Ended::Passed,
                    is_unloaded: false,
                });
                continue;
            }
            "failure" | "error" => Ended::Failed,
            "skipped" => Ended::Skipped,
            _ => continue,
        };
        if let Some(test) = tests.last_mut() {
            test.ended = ended;
            // A test of pytest has a class, or the module.
            test.is_unloaded |= part("tag") == "error" && test.class.is_empty();
        }
    }
    (opened > 0 && opened == closed).then_some(tests)
}

/// Returns the value of an attribute; empty without one.
fn attribute(name: &Regex, attributes: &str) -> String {
    let value = name.captures(attributes).map(|found| found[1].to_owned());
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    entities
        .iter()
        .fold(value.unwrap_or_default(), |value, (entity, char)| {
            value.replace(entity, char)
        })
}
