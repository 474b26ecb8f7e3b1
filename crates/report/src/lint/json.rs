//! What `lint` found, as JSON.

use serde_json::Value as Json;

use super::report::LintReport;
use crate::json::{json, value};

/// One object a finding, then one with all the rest.
#[must_use]
pub fn jsonl(report: &LintReport<'_>) -> String {
    let mut text: String = report.findings.iter().map(json).collect();
    let mut rest = value(report);
    if let Json::Object(rest) = &mut rest {
        rest.remove("findings");
    }
    text.push_str(&json(&rest));
    text
}

#[cfg(test)]
mod tests {
    use review_lint::Rule;

    use serde_json::json;

    use super::*;

    #[test]
    fn rules_are_written_by_their_codes() {
        let rule: Rule = "B1".parse().unwrap();
        let report = LintReport {
            suppressed: [(rule, 2)].into(),
            checked: vec![rule],
            ..LintReport::default()
        };
        let expected = json!({
            "v": 1,
            "verdict": null,
            "scores": {},
            "deductions": [],
            "findings": [],
            "suppressed": { "B1": 2 },
            "invalid_suppressions": [],
            "fixed": 0,
            "checked": ["B1"],
        });
        let read = |text: String| serde_json::from_str::<Json>(&text).unwrap();
        assert_eq!(read(crate::json(&report)), expected);
        let mut rest = expected;
        rest.as_object_mut().unwrap().remove("findings");
        assert_eq!(read(jsonl(&report)), rest);
    }
}
