//! What `lint` found, as JSON.

use serde_json::{Value as Json, json};

use super::report::LintReport;
use crate::json::{Version, line, value};

/// The report as one object.
#[must_use]
pub fn json(report: &LintReport<'_>) -> String {
    line(report)
}

/// One object a finding, then one with all the rest.
#[must_use]
pub fn jsonl(report: &LintReport<'_>) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let mut object = json!({ "v": Version });
        if let (Json::Object(object), Json::Object(fields)) = (&mut object, value(finding)) {
            object.extend(fields);
        }
        text.push_str(&line(&object));
    }
    let mut rest = value(report);
    if let Json::Object(rest) = &mut rest {
        rest.remove("findings");
    }
    text.push_str(&line(&rest));
    text
}

#[cfg(test)]
mod tests {
    use review_lint::Rule;

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
            "idle_suppressions": [],
            "fixed": 0,
            "checked": ["B1"],
        });
        let read = |text: String| serde_json::from_str::<Json>(&text).unwrap();
        assert_eq!(read(super::json(&report)), expected);
        let mut rest = expected;
        rest.as_object_mut().unwrap().remove("findings");
        assert_eq!(read(jsonl(&report)), rest);
    }
}
