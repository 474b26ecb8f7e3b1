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
