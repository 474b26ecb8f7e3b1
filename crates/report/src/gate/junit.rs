//! The gate as JUnit XML: a suite for each spec and comparison, a case for each row.

use super::report::GateReport;
use super::rows::{Row, RowKind};
use crate::style::plain;

/// The whole document. There is at least one case in it.
#[must_use]
pub fn junit(report: &GateReport) -> String {
    let mut rows = report.rows();
    if rows.is_empty() {
        rows.push(Row {
            of: "ralph gate".to_owned(),
            name: "specs".to_owned(),
            state: "nothing",
            kind: RowKind::Unknown,
            tests_run: None,
            seconds: 0.0,
            remark: "no spec to check".to_owned(),
            output: "",
        });
    }
    let suites = rows.chunk_by(|one, next| one.of == next.of).map(|rows| {
        let name = rows.first().map(|row| escaped(&row.of)).unwrap_or_default();
        let cases: String = rows.iter().map(case).collect();
        let counts = counts(rows);
        format!("  <testsuite name=\"{name}\" {counts}>\n{cases}  </testsuite>\n")
    });
    let suites: String = suites.collect();
    let counts = counts(&rows);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"ralph gate\" {counts}>\n{suites}</testsuites>\n"
    )
}

/// The element that says how a case ended that did not pass.
const fn element(kind: RowKind) -> Option<&'static str> {
    match kind {
        RowKind::Good | RowKind::Warning => None,
        RowKind::Failure => Some("failure"),
        RowKind::Unknown => Some("error"),
        RowKind::Skipped => Some("skipped"),
    }
}

fn case(row: &Row<'_>) -> String {
    let (suite, name) = (escaped(&row.of), escaped(&row.name));
    let remark = escaped(&row.remark);
    let inside = match element(row.kind) {
        Some(element) => {
            let message = remark.lines().next().unwrap_or_default();
            format!("      <{element} message=\"{message}\">{remark}</{element}>\n")
        }
        None if remark.is_empty() => String::new(),
        None => format!("      <system-out>{remark}</system-out>\n"),
    };
    let output = match row.output.is_empty() {
        true => String::new(),
        false => {
            let output = escaped(&plain(row.output));
            format!("      <system-out>{output}</system-out>\n")
        }
    };
    let seconds = row.seconds;
    format!(
        "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{seconds:.3}\">\n\
         {inside}{output}    </testcase>\n"
    )
}

fn counts(rows: &[Row<'_>]) -> String {
    let count = |kind| rows.iter().filter(|row| row.kind == kind).count();
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\"",
        rows.len(),
        count(RowKind::Failure),
        count(RowKind::Unknown),
        count(RowKind::Skipped),
    )
}

/// Writes XML's own characters as entities, and leaves out those
/// that XML cannot hold.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(char),
            char if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => {}
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped_or_left_out() {
        assert_eq!(
            escaped("a<b & \"c\">\u{1b}[31m\u{0}\u{ffff}\nd"),
            "a&lt;b &amp; &quot;c&quot;&gt;[31m\nd"
        );
    }

    #[test]
    fn a_gate_without_specs_has_one_case_all_the_same() {
        let counts = r#"tests="1" failures="0" errors="1" skipped="0" time="0.000""#;
        assert_eq!(
            junit(&GateReport::new(&[])),
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                 <testsuites name=\"ralph gate\" {counts}>\n  \
                 <testsuite name=\"ralph gate\" {counts}>\n    \
                 <testcase classname=\"ralph gate\" name=\"specs\" time=\"0.000\">\n      \
                 <error message=\"no spec to check\">no spec to check</error>\n    \
                 </testcase>\n  </testsuite>\n</testsuites>\n"
            )
        );
    }
}
