//! The gate as JUnit XML: a suite for each spec, a case for each claim.

use std::fmt::Write as _;

use super::result::{Claim, ClaimStatus, GateReport, SpecGate};

/// The whole document. There is at least one case in it.
pub(super) fn render(report: &GateReport) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let claims: Vec<_> = report.specs.iter().flat_map(claims).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "<testsuites name=\"ralph gate\" {}>", counts(&claims));
    if report.specs.is_empty() {
        text.push_str(
            "  <testsuite name=\"ralph gate\" tests=\"1\" failures=\"0\" errors=\"1\">\n",
        );
        text.push_str("    <testcase classname=\"ralph gate\" name=\"specs\">\n");
        text.push_str("      <error message=\"there is no spec to check\"/>\n");
        text.push_str("    </testcase>\n  </testsuite>\n");
    }
    for spec in &report.specs {
        text.push_str(&suite(spec));
    }
    text.push_str("</testsuites>\n");
    text
}

fn claims(spec: &SpecGate) -> impl Iterator<Item = &Claim> {
    std::iter::once(&spec.review).chain(&spec.tasks)
}

fn counts(claims: &[&Claim]) -> String {
    let count = |test: fn(ClaimStatus) -> bool| claims.iter().filter(|c| test(c.status)).count();
    let seconds: f64 = claims.iter().map(|claim| claim.seconds).sum();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{seconds:.3}\"",
        claims.len(),
        count(|status| status == ClaimStatus::Failed),
        count(|status| matches!(status, ClaimStatus::Unproven | ClaimStatus::NoVerdict)),
    )
}

fn suite(spec: &SpecGate) -> String {
    let claims: Vec<_> = claims(spec).collect();
    let name = escaped(&spec.spec);
    let mut text = format!("  <testsuite name=\"{name}\" {}>\n", counts(&claims));
    for fault in &spec.faults {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    <system-err>{}</system-err>", escaped(fault));
    }
    for claim in claims {
        text.push_str(&case(&name, claim));
    }
    text.push_str("  </testsuite>\n");
    text
}

fn case(suite: &str, claim: &Claim) -> String {
    let name = escaped(&claim.name);
    let open = format!(
        "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{:.3}\"",
        claim.seconds
    );
    let element = match claim.status {
        ClaimStatus::Recorded | ClaimStatus::Passed => return format!("{open}/>\n"),
        ClaimStatus::Failed => "failure",
        ClaimStatus::Unproven | ClaimStatus::NoVerdict => "error",
    };
    let message = escaped(claim.reason.lines().next().unwrap_or_default());
    let reason = escaped(&claim.reason);
    format!(
        "{open}>\n      <{element} message=\"{message}\">{reason}</{element}>\n    </testcase>\n"
    )
}

/// The text with XML's own characters written as entities, and without those
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
        let text = render(&GateReport::new());
        assert_eq!(text.matches("<testcase").count(), 1);
        assert!(text.contains("<error message=\"there is no spec to check\"/>"));
    }
}
